"""Where a question looks: phrases that name a region or an object of the picture.

Closed patterns only. A noun phrase is what stands between an article and the next word that cannot
belong to it; `scope.toml` lists those words, the words that never name a region (image, quality,
level, …) and the common things that do so even without an article.
"""

from collections.abc import Sequence
from dataclasses import replace

from proveout.apps.iqa.language.lexicon import key_of, longest
from proveout.apps.iqa.language.naming import (
    directed,
    hyphen,
    is_spatial,
    name_of,
    plain,
    plural_owner,
    verb_form,
    within_term,
)
from proveout.apps.iqa.language.predicates import (
    COUNTED,
    acts,
    asked_of,
    clause_end,
    described,
    ends_in_predicate,
    holds_verb,
    nameless,
    participle,
    predicate,
    verbal,
)
from proveout.apps.iqa.language.scene import Phrase, Scene
from proveout.apps.iqa.language.scope_words import scope_words as _known
from proveout.apps.iqa.language.text import Word

_LONGEST_PHRASE = 4
_DEICTIC = frozenset({"this", "that", "these", "those", "my", "our", "your"})
"""Before these words only common things are taken for regions."""
_OWNING = frozenset({"my", "our", "your", "these", "those"})
_OTHERS = frozenset(["his", "her", "their"])
_PART_OF = frozenset(["edge", "border", "corner", "surface", "outline", "contour", "margin"])
_PLACING = frozenset(
    [
        *("in", "on", "at", "near", "behind", "under", "beside"),
        *("below", "above", "beneath", "underneath", "inside", "among", "amid", "beyond"),
    ]
)
_CONTRACTED = frozenset(
    [
        *("what's", "it's", "that's", "there's", "here's", "he's", "she's", "who's", "where's"),
        *("how's", "let's", "this's", "everything's", "something's", "today's", "yesterday's"),
    ]
)
_PLURAL_LEADS = frozenset(
    [
        *("are", "were", "do", "have", "any", "some", "all", "both", "several", "many"),
        *("two", "three", "four", "five", "six"),
    ]
)
_OUTLINED = frozenset(["ringing", "oversharpened", "aliasing", "chromatic_aberration"])
"""What shows along the edges of things; those edges are no place in the picture."""
_OUTLINE_REACH = 4
_EDGES = frozenset([("edge",), ("outline",), ("contour",)])
_BEFORE_THINGS = frozenset(
    [
        *(("in", "front", "of"), ("on", "top", "of"), ("full", "of"), ("made", "of")),
        *(("covered", "with"), ("covered", "in"), ("covered", "by"), ("filled", "with")),
        *(("next", "to"), ("close", "to"), ("surrounded", "by")),
    ]
)
_SHOWING = frozenset(["image", "picture", "photo", "photograph", "pic", "shot", "still", "scan"])
_PLURALS = frozenset(["people", "children", "men", "women", "feet"])


def phrases(scene: Scene) -> tuple[Phrase, ...]:
    """The regions named, in order, each once."""
    found: list[Phrase] = []
    place = 0
    while place < len(scene.tokens):
        if length := longest(scene.tokens, place, _known().idioms):
            place += length
            continue
        phrase = _led(scene, place) or _bare(scene, place)
        phrase = phrase or _described(scene, place) or _proper(scene, place)
        if phrase is None:
            place += 1
            continue
        phrase = _attached(scene, phrase)
        place = max(phrase.last, place + 1)
        if phrase.first not in scene.aside and not _named_in_passing(scene, phrase):
            found.append(phrase)
    for aside in (_pictured, _one_of_them):
        found = [phrase for phrase in found if not aside(scene.tokens, phrase.first)] or found
    names = [phrase.name for phrase in found]
    return tuple(p for at, p in enumerate(found) if p.name not in names[:at])


def _pictured(tokens: Sequence[Word], first: int) -> bool:
    """`picture of a roof: are the tiles sharp?`: what all of it shows, where a part is named."""
    of = first - 1 - (first > 0 and tokens[first - 1].text in {"a", "an", "the", "my", "our"})
    if of < 1 or tokens[of].text != "of":
        return False
    return tokens[of - 1].stem in _SHOWING or tokens[of - 1].text in {"this", "these"}


def _one_of_them(tokens: Sequence[Word], first: int) -> bool:
    """`the crane, the one on the right`: no place of its own beside what is named."""
    placed = first > 2 and tokens[first - 2].text in _PLACING
    return placed and tokens[first - 3].text in {"one", "ones"}


def _named_in_passing(scene: Scene, phrase: Phrase) -> bool:
    """`the printer told me …` names who speaks, `ringing around the edges` what rings."""
    after = scene.tokens[phrase.last].text if phrase.last < len(scene.tokens) else ""
    if after in _known().speaking or _does_it(scene, phrase.first):
        return True
    if key_of(scene.tokens, phrase.first, phrase.last) not in _EDGES:
        return False
    near = range(phrase.first - _OUTLINE_REACH, phrase.last + _OUTLINE_REACH)
    outlined = any(m.last - 1 in near and m.concept.name in _OUTLINED for m in scene.mentions)
    return outlined and after != "of"


def _does_it(scene: Scene, first: int) -> bool:
    """`washed out by the sun`: what did it is not where it is seen."""
    by = first - 1 - (first > 0 and scene.tokens[first - 1].text in _known().determiners)
    said = scene.mention_at(by - 1) if by > 0 and scene.tokens[by].text == "by" else None
    return said is not None and not said.noun


def passing(scene: Scene, found: Sequence[Phrase]) -> frozenset[int]:
    """Indices of the mentions that only are part of a region's name."""
    return frozenset(
        at
        for at, mention in enumerate(scene.mentions)
        if any(p.first <= mention.first and mention.last <= p.last for p in found)
    )


def _led(scene: Scene, place: int) -> Phrase | None:
    """A phrase that an article or a possessive opens."""
    token, words = scene.tokens[place], _known()
    if token.text not in words.determiners or scene.taken(place):
        return None
    first = place + 1
    if longest(scene.tokens, first, words.idioms):
        return None
    last = _extent(scene, first)
    acting = holds_verb(scene, place, last)
    phrase = _shaped(scene, first, last - (acting or ends_in_predicate(scene, place, last)))
    # The verb is passed over, lest it be taken for a thing: `leave`, `bear`.
    phrase = replace(phrase, last=last) if phrase and acting else phrase
    if phrase and token.text in _DEICTIC and not phrase.known:
        owned = token.text in _OWNING and asked_of(scene, place, phrase.last)
        head = scene.tokens[phrase.last - 1]
        if not owned or head.stem in words.shown or head.text.endswith("'s"):
            return None
    if phrase and token.text in _OTHERS and not asked_of(scene, place, phrase.last):
        # `on his school trip`, `with her phone`: the story of somebody else.
        phrase = None if scene.tokens[phrase.last - 1].stem in words.shown else phrase
    return phrase and replace(phrase, led=token.text not in _OWNING)


def _extent(scene: Scene, first: int) -> int:
    """Where a noun phrase that begins at `first` ends."""
    words, place, most = _known(), first, _LONGEST_PHRASE
    while place < len(scene.tokens) and place - first < most:
        length = longest(scene.tokens, place, words.things)
        said = verb_form(scene.tokens[place]) or (place > first and predicate(scene, place))
        if length and not (said or within_term(scene, place, length)):
            place += length
            continue
        token = scene.tokens[place]
        if hyphen(scene.tokens, place) and place > first:
            place, most = place + 1, most + 1
            continue
        if token.text == "'" and place > first and plural_owner(scene.tokens, place):
            place, most = place + 1, most + 1
            continue
        if not token.text[0].isalpha() or token.text in words.boundaries:
            break
        if "'" in token.text.removesuffix("'s"):
            break
        if scene.taken(place) and not _swallowed(scene, place):
            break
        if place > first and (
            verbal(scene.tokens, place) or predicate(scene, place) or acts(scene.tokens, place)
        ):
            break
        place += 1
    return place


def _swallowed(scene: Scene, place: int) -> bool:
    """A passing adjective or a compounding term right before a common thing: the fog lamp."""
    said = scene.mention_at(place)
    compound = said is not None and said.noun and said.last - said.first == 1
    if not compound and scene.tokens[place].stem not in _known().passing:
        return False
    table = _known().nouns if compound else _known().things
    return bool(longest(scene.tokens, place + 1, table))


def _shaped(scene: Scene, first: int, last: int) -> Phrase | None:
    """The phrase without words that name nothing; None where nothing is left."""
    words, tokens = _known(), scene.tokens
    stripped = last
    while stripped > first and nameless(tokens[stripped - 1]):
        if key_of(tokens, first, stripped) in words.things:
            break
        if tokens[stripped - 1].stem in words.parts and directed(tokens, first, stripped - 1):
            break
        if tokens[stripped - 1].stem in words.compounding and plain(tokens, first, stripped - 1):
            break
        stripped -= 1
    named = False
    while first < stripped and nameless(tokens[first]) and not longest(tokens, first, words.things):
        named = named or tokens[first].stem not in words.qualifying
        first += 1
    if first >= stripped:
        return None
    stems = [token.stem for token in tokens[first:stripped] if token.text != "-"]
    spatial = is_spatial(stems)
    known = spatial or any(tuple(stems[-n:]) in words.nouns for n in (1, 2))
    counted = tokens[stripped - 1].text in COUNTED
    if not spatial and not counted and all(stem in words.adjectives for stem in stems):
        return None
    followed = scene.mention_at(last)
    # After `the image` a word of its own is a predicate that we do not know, not a thing; before
    # `area` it is one: the chest area.
    placed = stripped == last - 1 and tokens[stripped].stem in words.parts
    modifies = named or (stripped < last and not placed) or (followed is not None and followed.noun)
    owns = tokens[stripped - 1].text.endswith("'s")
    if named and len(stems) == 1 and stems[0] in words.parts - words.nameable:
        # `on the technical side`
        return None
    if (
        modifies
        and not owns
        and (not known or (spatial and len(stems) == 1 and stems[0] in words.directions))
    ):
        return None
    name = name_of(tokens, first, stripped)
    return Phrase(name, first, stripped, known=known, spatial=spatial)


def _bare(scene: Scene, place: int) -> Phrase | None:
    """A common thing or an unmistakable place without an article."""
    words, tokens = _known(), scene.tokens
    first = place
    while first < len(tokens) and tokens[first].stem in words.adjectives and first - place < 2:
        first += 1
    length = longest(tokens, place, words.spatial) or longest(tokens, first, words.nouns)
    begin = place if longest(tokens, place, words.spatial) else first
    if not length or scene.taken(begin) or verb_form(tokens[begin]):
        return None
    stems = [token.stem for token in tokens[begin : begin + length] if token.text != "-"]
    single = stems[0] if len(stems) == 1 else ""
    before = tokens[place - 1].text if place else ""
    if single in words.directions or single in _PART_OF:
        return None
    placed = before in _PLACING | {"or", "and", "vs", "around"} or (
        before in _PLURAL_LEADS
        and (tokens[begin].text.endswith("s") or tokens[begin].text in _PLURALS)
    )
    placed = placed or _owned(tokens, place)
    if single in words.ambiguous and not placed and not _telegraphic(scene, place, begin + length):
        return None
    after = tokens[begin + length].text if begin + length < len(tokens) else ""
    if single in words.ambiguous and after == "of":
        return None
    return _shaped(scene, place - _owned(tokens, place), begin + length)


def _owned(tokens: Sequence[Word], place: int) -> bool:
    """`grandpa's beard`: an owner without an article."""
    owner = tokens[place - 1].text if place else ""
    return owner.endswith("'s") and owner not in _CONTRACTED and not nameless(tokens[place - 1])


def _telegraphic(scene: Scene, first: int, last: int) -> bool:
    """`face sharp?`, `text in the picture …`: a noun that opens the text, and something of it."""
    said, after = scene.mention_at(last), [token.text for token in scene.tokens[last : last + 2]]
    placed = len(after) == 2 and after[0] in _PLACING and after[1] in _known().determiners
    return first == 0 and (placed or (said is not None and not said.noun))


def _described(scene: Scene, place: int) -> Phrase | None:
    """`blurry cake or not?`: a noun that follows a term at the beginning, and nothing after it."""
    tokens, words, said = scene.tokens, _known(), scene.mention_at(place - 1)
    if said is None or said.first > 0 or said.noun or scene.taken(place):
        return None
    token, after = tokens[place], tokens[place + 1].text if place + 1 < len(tokens) else "?"
    if not token.text.isalpha() or token.text in words.boundaries or after not in {"?", "or"}:
        return None
    return None if verbal(tokens, place) else _shaped(scene, place, place + 1)


def _proper(scene: Scene, place: int) -> Phrase | None:
    """`Is Max blurred?`: a name, of which something is said."""
    tokens, token = scene.tokens, scene.tokens[place]
    before = tokens[place - 1].text if place else ""
    after = tokens[place + 1].text if place + 1 < len(tokens) else ""
    if before not in {"is", "was", "does"} or not token.raw.istitle() or scene.taken(place):
        return None
    if not token.text.isalpha() or token.text in _known().boundaries or len(token.text) < 3:
        return None
    said = scene.mention_at(place + 1) or after in {"look", "appear", "seem", "too", "in", "out"}
    return _shaped(scene, place, place + 1) if said else None


def _attached(scene: Scene, phrase: Phrase) -> Phrase:
    """The phrase with `of the …`, `on the …` and `holding the …` that belong to it."""
    tokens, words, place = scene.tokens, _known(), _said_of(scene, phrase.last)
    if (end := described(scene, place)) > place:
        return replace(phrase, last=end)
    fronted = longest(tokens, place, _BEFORE_THINGS)
    if not fronted and place + 1 < len(tokens) and participle(scene, place):
        return replace(phrase, last=clause_end(scene, place + 1))
    if place >= len(tokens) or not (fronted or tokens[place].text in _joining(tokens)):
        return phrase
    after = place + (fronted or 1)
    if after < len(tokens) and tokens[after].text in words.determiners | {"a", "an"}:
        after += 1
    second = _shaped(scene, after, _extent(scene, after))
    if second is None:
        return phrase
    second = _attached(scene, second) if second.spatial else second
    if tokens[place].text == "to" and not second.spatial:
        return phrase
    joined = replace(phrase, name=name_of(tokens, phrase.first, second.last), last=second.last)
    if fronted:
        return replace(phrase, last=second.last)
    if tokens[place].text == "of":
        stems = [token.stem for token in tokens[phrase.first : phrase.last]]
        if len(stems) == 1 and stems[0] in _PART_OF:
            return second
        # `the cup of coffee` is one thing, the `eyes of the cat` are a part of another.
        whole = (
            phrase.spatial
            or after == place + 1
            or (stems[-1] in words.parts and directed(tokens, phrase.first, phrase.last - 1))
        )
        return joined if whole else replace(phrase, last=second.last)
    return joined if second.spatial and not phrase.spatial else replace(phrase, last=second.last)


def _said_of(scene: Scene, place: int) -> int:
    """`skin tones of the child`: past the noun that is said of a thing whose owner follows."""
    said = scene.mention_at(place) if place < len(scene.tokens) else None
    if said is None or not said.noun or said.last >= len(scene.tokens):
        return place
    return said.last if scene.tokens[said.last].text == "of" else place


def _joining(tokens: Sequence[Word]) -> frozenset[str]:
    """Words that tie a second thing to a first one; `compare the sky with the sea` names two."""
    beside = _PLACING | {"of", "from", "to", "around", "along", "across", "against"}
    compared = any(token.stem.startswith("compar") for token in tokens)
    return beside if compared else beside | {"with", "by"}
