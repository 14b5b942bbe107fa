"""Where a noun phrase ends and what is said of it begins."""

from collections.abc import Sequence

from proveout.apps.iqa.language.lexicon import lexicon
from proveout.apps.iqa.language.scene import Scene
from proveout.apps.iqa.language.scope_words import scope_words as _known
from proveout.apps.iqa.language.text import Word

_COPULAS = frozenset(["is", "are", "was", "were", "isn't", "aren't", "wasn't", "weren't"])
_HELPING = frozenset(
    [
        *("do", "does", "did", "don't", "doesn't", "didn't"),
        *("will", "would", "can", "could", "should", "may", "might", "must"),
    ]
)
"""Before a subject these promise a verb after it."""
_VERBS = frozenset(
    [
        *(
            "look",
            "appear",
            "seem",
            "suffer",
            "show",
            "get",
            "contain",
            "exhibit",
            "come",
            "remain",
        ),
        *("become", "need", "lack", "affect", "make", "feel", "take", "give", "keep", "lose"),
        *("render", "fall", "stand", "go", "turn", "have", "be", "use", "tell", "say", "reveal"),
    ]
)
_LOOKING = frozenset(["check", "rate", "inspect", "examine", "judge", "assess", "evaluate"])
_TYING = frozenset(["in", "on", "at", "near", "behind", "under", "beside", "with", "by", "of"])
_AMOUNTS = frozenset(
    ["any", "some", "no", "too", "so", "more", "less", "much", "many", "enough", "from", "up"]
)
_ADJECTIVAL = (
    "able",
    "ible",
    "ful",
    "ous",
    "less",
    "urate",
    "equate",
    "istent",
    "icient",
    "ealistic",
)
_ENDS = frozenset(["?", ".", "!", ";", "\n"])
_REFERRING = frozenset(["who", "which", "that", "whose", "where"])
_PERSONS = frozenset(["i", "we", "you", "they", "he", "she"])
_RESUMING = frozenset(
    [
        *("than", "or", "but", "and", ",", "is", "are", "was", "were"),
        *("look", "looks", "seem", "seems", "appear", "appears", "make", "makes", "for"),
    ]
)
"""With these a sentence goes on after a clause about one of its things."""
_OBJECTS = frozenset(
    [
        *("the", "a", "an", "it", "them", "us", "me", "him", "this", "these", "my", "our", "your"),
        *("to", "that", "everything", "something", "anything"),
    ]
)
"""What stands after a verb."""
COUNTED = frozenset(["numbers", "lines", "words", "sentences", "lights"])
"""One number is a score, one line a remark; several are things in the picture."""


def acts(tokens: Sequence[Word], place: int) -> bool:
    """`the market keeps rejecting …`, `the cat eats the …`: a verb between doer and object."""
    text, before = tokens[place].text, tokens[place - 1].text
    if not text.endswith("s") or text.endswith("ss") or before.endswith("s"):
        return False
    if (tokens[place].stem,) in _known().nouns or place + 1 >= len(tokens):
        return False
    if _unfinished(tokens, place):
        return False
    after = tokens[place + 1].text
    return after in _OBJECTS or (after.endswith("ing") and verbal(tokens, place + 1))


def verbal(tokens: Sequence[Word], place: int) -> bool:
    """Whether a word looks like a verb or an adverb; `wing` and `family` only look so.

    After an owner a noun follows: `the product's packaging`.
    """
    words, token = _known(), tokens[place]
    if place and (tokens[place - 1].text.endswith("'s") or _unfinished(tokens, place)):
        return False
    named = words.unverbal | words.adjectives
    if len(token.text) < 5 or token.stem in named or (token.stem,) in words.nouns:
        return False
    return token.text.endswith(("ed", "ing", "ly"))


def ends_in_predicate(scene: Scene, place: int, last: int) -> bool:
    """`Is the sky cloudy?`: where nothing else is said of a thing, its last word says it."""
    tokens = scene.tokens
    opened = place == 1 or place > 1 and tokens[place - 2].text in {".", "?", "!", "\n", ","}
    ended = last >= len(tokens) or tokens[last].text in {"?", ".", "or", ","}
    if last + 1 < len(tokens) and tokens[last].text in {"or", ","}:
        # `Is the fire engine or the house sharper?`
        ended = tokens[last + 1].text not in _known().determiners
    asked = opened and ended and tokens[place - 1].text in _COPULAS
    return asked and last - place > 2 and not scene.taken(last - 1)


def nameless(token: Word) -> bool:
    """Whether a word names no region: one of the list, or a property such as `naturalness`."""
    words = _known()
    abstract = token.stem.endswith(("ness", "ility")) and token.stem not in words.unverbal
    if token.text in COUNTED:
        return False
    return abstract or token.stem in words.ignored


def predicate(scene: Scene, place: int) -> bool:
    """An adjective that no noun follows: `are the hills low`; `the tree top` is a place."""
    words, token = _known(), scene.tokens[place]
    if token.text == "right" and _closes(scene.tokens, place + 1):
        # `Is the exposure for the cake right?`
        return scene.tokens[0].text in _COPULAS
    if token.stem not in words.adjectives - words.directions and not _like_adjective(token):
        return False
    after = scene.tokens[place + 1].text if place + 1 < len(scene.tokens) else ""
    return not after.isalpha() or after in words.boundaries


def participle(scene: Scene, place: int) -> bool:
    """`the boy holding the ball`, `the car parked behind the tree`."""
    if place >= len(scene.tokens) or scene.taken(place):
        return False
    token, words = scene.tokens[place], _known()
    return (
        len(token.text) > 4
        and token.text.endswith(("ing", "ed"))
        and token.text not in words.boundaries
        and token.stem not in words.unverbal
        and not nameless(token)
    )


def holds_verb(scene: Scene, place: int, last: int) -> bool:
    """`Did the upscaler leave artifacts?`: whether the verb that `did` promises is the last word.

    It is where no other verb follows before the sentence ends.
    """
    tokens = scene.tokens
    if last - place <= 2 or not place or tokens[place - 1].text not in _HELPING:
        return False
    if not _after_verb(scene, last) or tokens[last - 2].text.endswith("'s"):
        return False
    for token in tokens[last:]:
        if token.text in _ENDS:
            break
        if token.text in _VERBS:
            return False
    return True


def _after_verb(scene: Scene, place: int) -> bool:
    """Whether what stands here may follow a verb: an object, a term, a preposition, the end."""
    tokens, said = scene.tokens, scene.mention_at(place)
    if said is not None:
        # `Did the noise reduction smear the details?` has its verb in the term.
        return said.last >= len(tokens) or tokens[said.last].text not in _known().determiners
    after = tokens[place].text if place < len(tokens) else "?"
    if after in _TYING:
        return (tokens[place - 1].stem,) not in _known().nouns
    return after in _OBJECTS | _ENDS | _AMOUNTS or tokens[place].stem in lexicon().technical


def asked_of(scene: Scene, place: int, last: int) -> bool:
    """Whether a thing that begins at `place` is what a question is about: `Is my trombone sharp?`

    Owners alone prove nothing: `my boss wants to know …`.
    """
    tokens = scene.tokens
    before = tokens[place - 1].text if place else ""
    if before in _COPULAS | _LOOKING:
        return True
    if before in {"of", "in", "on"} and place > 1:
        return scene.taken(place - 2) or tokens[place - 2].stem in lexicon().technical
    after = tokens[last].text if last < len(tokens) else ""
    return before in {"do", "does", "did"} and after in {"look", "appear", "seem", "show", "have"}


def described(scene: Scene, place: int) -> int:
    """Where a clause about the thing before `place` ends; `place` where none begins.

    `the man who holds the umbrella`, `the zebra we saw at the zoo`: neither is looked at. `I told
    the printer that the sky is noisy` opens a sentence of its own.
    """
    tokens, begin = scene.tokens, place
    if begin < len(tokens) and scene.taken(begin + 1):
        # `Is the zebra that blurry?`
        return place
    if begin + 1 < len(tokens) and tokens[begin].text == "," and _refers(tokens, begin + 1):
        begin += 1
    elif begin >= len(tokens) or not (_refers(tokens, begin) or _told_of(scene, begin)):
        return place
    return clause_end(scene, begin + 2)


def clause_end(scene: Scene, place: int) -> int:
    """Where a clause about a thing ends: with a term, or where its sentence goes on."""
    while place < len(scene.tokens) and scene.tokens[place].text not in _ENDS | _RESUMING:
        if scene.taken(place):
            break
        place += 1
    return min(place, len(scene.tokens))


def _refers(tokens: Sequence[Word], place: int) -> bool:
    after = tokens[place + 1].text if place + 1 < len(tokens) else "?"
    opens = after in _known().determiners | _ENDS | _AMOUNTS | {"a", "an", "it", "there"}
    return tokens[place].text in _REFERRING and not opens


def _told_of(scene: Scene, place: int) -> bool:
    if scene.tokens[place].text not in _PERSONS or place + 1 >= len(scene.tokens):
        return False
    after = scene.tokens[place + 1].text
    return after.isalpha() and after not in {"think", "believe", "guess", "suppose"}


def _unfinished(tokens: Sequence[Word], place: int) -> bool:
    """`the old carving`: after article and adjective the noun is still to come."""
    words = _known()
    adjective = tokens[place - 1].stem in words.adjectives - words.directions
    return (
        adjective
        and not tokens[place].text.endswith("ly")
        and place > 1
        and tokens[place - 2].text in words.determiners
    )


def _like_adjective(token: Word) -> bool:
    """`the colours of the scarf faithful?`: by its ending; `table` and `olive` only end so."""
    return (
        len(token.text) > 6
        and token.text.endswith(_ADJECTIVAL)
        and ((token.stem,) not in _known().nouns and token.stem not in _known().unverbal)
    )


def _closes(tokens: Sequence[Word], place: int) -> bool:
    return place >= len(tokens) or tokens[place].text in _ENDS | {",", "or"}
