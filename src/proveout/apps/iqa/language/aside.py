"""What a question says without asking about it: things it sets aside, and the story around it.

`Rate the beauty, not the technical quality` asks nothing about quality. In `I moved my hand when I
pressed the button. Is it blurred?` neither hand nor button is a region of the picture, nor is the
archive in `Grade this scan before it goes into the archive`.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from proveout.apps.iqa.language.lexicon import Mention, keyed, lexicon, longest
from proveout.apps.iqa.language.scope_words import scope_words
from proveout.apps.iqa.language.text import Word

_ENDS = frozenset([".", "?", "!", ";", "\n"])
_STOPS = _ENDS | {",", ":", "-", "(", ")", "but"}
_ARTICLES = frozenset(["the", "its", "their", "any", "a", "an", "this", "that"])
_TELLERS = frozenset(["i", "we", "he", "she", "they"])
_ANYBODY = frozenset(["someone", "somebody", "everyone", "everybody", "nobody"])
_PICTURES = frozenset(["image", "picture", "photo", "photograph", "pic", "shot", "file", "scan"])
_GREETINGS = frozenset(["hi", "hello", "hey", "dear"])
_PLACES = frozenset(["in", "on", "at", "for", "from"])
_PERCEIVING = frozenset(
    [
        *("see", "saw", "notice", "noticed", "find", "found", "think", "perceive", "observe"),
        *("detect", "can", "could", "spot", "get", "suspect", "believe"),
    ]
)
_HABITS = frozenset(["always", "usually", "often", "normally", "typically", "generally", "mostly"])
_PURPOSES = frozenset(["print", "publish"])
"""Words of quality when asked about, of the story when told."""
_STAGE_REACH = 7
_PRESENT = frozenset(["is", "are", "looks", "look", "seems", "seem", "appears", "appear", "isn't"])
_TURNS = frozenset(["and", "but", "so", ",", "since", "because"])
_PRONOUNS = frozenset(["it", "they", "he", "she"])
_CAPTURING = frozenset(
    ["photographed", "shot", "captured", "snapped", "filmed", "love", "like", "adore"]
)
_CONTRASTS = frozenset([("rather", "than"), ("instead", "of")])


@dataclass(frozen=True)
class _Words:
    openers: frozenset[tuple[str, ...]]
    exceptions: frozenset[tuple[str, ...]]
    purposes: frozenset[tuple[str, ...]]
    clauses: frozenset[str]
    discerning: frozenset[str]
    doing: frozenset[str]
    attending: frozenset[str]
    opining: frozenset[str]


@cache
def _known() -> _Words:
    text = files(__package__).joinpath("scope.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)["aside"]
    exceptions = frozenset(keyed(phrase) for phrase in data["exceptions"])
    return _Words(
        openers=exceptions | {keyed(phrase) for phrase in data["openers"]},
        exceptions=exceptions,
        purposes=frozenset(keyed(phrase) for phrase in data["purposes"]),
        clauses=frozenset(data["clauses"]),
        discerning=frozenset(data["discerning"]),
        doing=frozenset(data["doing"]),
        attending=frozenset(data["attending"]),
        opining=frozenset(data["opining"]),
    )


def aside(tokens: Sequence[Word], mentions: Sequence[Mention]) -> frozenset[int]:
    """Places of the words that name nothing asked about."""
    found: set[int] = set()
    place = 0
    while place < len(tokens):
        begin = place + _opened(tokens, place)
        end = _closed(tokens, begin) if begin > place else place + 1
        if longest(tokens, place, _known().exceptions):
            end = min(end, _thing(tokens, begin))
        found.update(range(begin, end) if begin > place else ())
        place = end
    return frozenset(found) | _told(tokens, mentions) | _staged(tokens)


def _opened(tokens: Sequence[Word], place: int) -> int:
    """How many words from `place` on set aside what follows them."""
    if tokens[place].text == "not":
        return 1 if _contrasting(tokens, place) else 0
    length = longest(tokens, place, _known().openers)
    length = length or _purpose(tokens, place)
    if length or longest(tokens, place, _CONTRASTS) != 2:
        return length
    # `Is it noise rather than blur?` asks about both, `rate noise rather than blur` does not.
    return 0 if _asking(tokens, place) else 2


def _purpose(tokens: Sequence[Word], place: int) -> int:
    """`enough for the cover`, `before it goes into the archive`: what the picture is wanted for."""
    length = longest(tokens, place, _known().purposes) or _enough(tokens, place)
    if tokens[place].text in _known().clauses and _text(tokens, place + 1) in _TELLERS | {"it"}:
        length = 2
    if not length:
        return 0
    end = _closed(tokens, place + length)
    asks = _of_quality(tokens, (), place + length, end) or any(
        longest(tokens, at, lexicon().terms) or tokens[at].text in _known().attending
        for at in range(place + length, end)
    )
    return 0 if asks else length


def _enough(tokens: Sequence[Word], place: int) -> int:
    """`good enough technically to go on the front page`; `enough to read the text` looks at it."""
    if _text(tokens, place) != "enough":
        return 0
    to = place + 1 + _text(tokens, place + 1).endswith("ly")
    serves = _text(tokens, to) == "for" or (
        _text(tokens, to) == "to" and _text(tokens, to + 1) not in _known().discerning
    )
    return to + 1 - place if serves else 0


def asked_in(
    tokens: Sequence[Word], mentions: Sequence[Mention], places: Sequence[int]
) -> set[int]:
    """Of the places where regions stand, those in sentences that ask, where any of them does.

    `My son took it at the school play. Is his face too bright?` looks at the face. Sentences that
    point at something count as asking: `Look at the car. Is the wheel sharp?`
    """
    spans = list(_sentences(tokens))
    asking = [span for span in spans if _of_quality(tokens, mentions, *span)]
    if not any(begin <= place < end for begin, end in asking for place in places):
        return set(places)
    pointing = [(begin, end) for begin, end in spans if _attends(tokens, begin, end)]
    return {
        place
        for place in places
        if any(begin <= place < end for begin, end in (*asking, *pointing))
    }


def _attends(tokens: Sequence[Word], begin: int, end: int) -> bool:
    """Whether a sentence points at something; who needs or takes a photo does not."""
    return any(
        tokens[at].text in _known().attending
        and not (
            tokens[at].text in {"take", "need", "want"}
            and any(token.stem in _PICTURES for token in tokens[at : min(at + 5, end)])
        )
        for at in range(begin, end)
    )


def _contrasting(tokens: Sequence[Word], place: int) -> bool:
    """`…, not the blur` and `not the blur but …`."""
    if _text(tokens, place + 1) not in _ARTICLES:
        return False
    before = _text(tokens, place - 1)
    if before in {",", "-", "(", ";", "and", "but"}:
        return True
    opens = not before or before in _ENDS or not _asking(tokens, place)
    return opens and _text(tokens, _closed(tokens, place + 1)) == "but"


def _asking(tokens: Sequence[Word], place: int) -> bool:
    """Whether the sentence is a question."""
    ends = (token.text for token in tokens[place:] if token.text in _ENDS)
    return next(ends, "") == "?"


def _text(tokens: Sequence[Word], place: int) -> str:
    return tokens[place].text if 0 <= place < len(tokens) else ""


def _closed(tokens: Sequence[Word], place: int) -> int:
    """Where what is set aside ends: with its clause, or before an `and` that opens another."""
    while place < len(tokens) and tokens[place].text not in _STOPS:
        joined = tokens[place].text in {"and", "or"}
        after = _text(tokens, place + 1)
        if joined and after not in _ARTICLES and not longest(tokens, place + 1, lexicon().terms):
            break
        place += 1
    return place


def _thing(tokens: Sequence[Word], place: int) -> int:
    """Where the one thing that is excepted ends: `besides the noise`."""
    if _text(tokens, place) in _ARTICLES:
        place += 1
    return place + max(longest(tokens, place, lexicon().terms), 1)


def _told(tokens: Sequence[Word], mentions: Sequence[Mention]) -> frozenset[int]:
    """Places of sentences that only tell how the picture came about, where another one asks."""
    sentences = list(_sentences(tokens))
    asking = [span for span in sentences if _of_quality(tokens, mentions, *span)]
    asking = [span for span in asking if not _habitual(tokens, *span)] or asking
    asking = [span for span in asking if not _setting(tokens, mentions, *span)] or asking
    pictured = any(tokens[at].stem in _PICTURES for span in asking for at in range(*span))
    kept = _referred(tokens, asking)
    turned = {at for span in asking for at in range(span[0], _before_turn(tokens, mentions, *span))}
    return frozenset(turned - kept) | frozenset(
        at
        for begin, end in sentences
        if asking
        and (begin, end) not in asking
        and not _attends(tokens, begin, end)
        and (
            _by_person(tokens, begin)
            or _habitual(tokens, begin, end)
            or _event(tokens, begin, end, asking)
            or (pictured and _text(tokens, end) != "?")
        )
        for at in range(begin, end)
        if at not in kept
    )


def _habitual(tokens: Sequence[Word], begin: int, end: int) -> bool:
    """`My phone always makes them too red.`: said of all pictures, not of this one."""
    if _text(tokens, end) == "?":
        return False
    texts = {token.text for token in tokens[begin:end]}
    return bool(texts & _HABITS) and not texts & {"this", "here"}


def _setting(tokens: Sequence[Word], mentions: Sequence[Mention], begin: int, end: int) -> bool:
    """`We had the room lit by candles.`: a story about light or colour that finds no fault."""
    if _text(tokens, end) == "?":
        return False
    if _bygone(tokens, begin, end):
        return True
    named = {mention.concept.sign for mention in mentions if begin <= mention.first < end}
    if named != {"matter"}:
        return False
    pointing = any(
        tokens[at].text in {"this", "these", "it", "here"} or tokens[at].stem in _PICTURES
        for at in range(begin, end)
    )
    return _by_person(tokens, begin) or not pointing


def _bygone(tokens: Sequence[Word], begin: int, end: int) -> bool:
    """`The hall was dark and I had no flash.`: how it was then, not how the picture is."""
    texts = {token.text for token in tokens[begin:end]}
    shown = texts & {"this", "these", "here"} or any(
        tokens[at].stem in _PICTURES for at in range(begin, end)
    )
    return bool(texts & {"was", "were"}) and not texts & _PRESENT and not shown


def _event(tokens: Sequence[Word], begin: int, end: int, asking: Sequence[tuple[int, int]]) -> bool:
    """`The wind moved the branches.`: what happened, without a word on how the picture is.

    `The dog moved. Is it blurred?` names what is asked about, unless `it` is the picture already.
    """
    texts = {token.text for token in tokens[begin:end]}
    subject = _text(tokens, begin) in _ARTICLES | {"my", "our", "his", "her", "it", "there", "some"}
    if not subject or _text(tokens, end) == "?":
        return False
    pictured = texts & {"it", "this"} or _text(tokens, begin) == "there"
    if texts & _PRESENT:
        return [token.text for token in tokens[begin : begin + 3]] == ["it", "is", "for"]
    return bool(pictured) or not _refers_back(tokens, asking)


def _before_turn(tokens: Sequence[Word], mentions: Sequence[Mention], begin: int, end: int) -> int:
    """`My phone fell into the pool and now everything is milky`: where the story in it ends."""
    told = _by_person(tokens, begin) or _text(tokens, begin) in {"my", "our"}
    turn = next((at for at in range(begin, end) if tokens[at].text in _TURNS), begin)
    texts = {token.text for token in tokens[begin:turn]}
    if not told or _text(tokens, end) == "?" or texts & (_PRESENT | _known().attending):
        return begin
    return begin if _of_quality(tokens, mentions, begin, turn) else turn


def _refers_back(tokens: Sequence[Word], asking: Sequence[tuple[int, int]]) -> bool:
    """Whether a question asks about `it`, which an earlier sentence may name."""
    asked = [span for span in asking if _text(tokens, span[1]) == "?"]
    return any(tokens[at].text.partition("'")[0] in _PRONOUNS for s in asked for at in range(*s))


def _referred(tokens: Sequence[Word], asking: Sequence[tuple[int, int]]) -> frozenset[int]:
    """`I photographed this lion. Is it sharp?`: places of what `it` stands for."""
    if not _refers_back(tokens, asking):
        return frozenset()
    kept: set[int] = set()
    for at, token in enumerate(tokens[:-2]):
        if token.text not in _CAPTURING:
            continue
        noun = at + 2
        while _text(tokens, noun).isalpha() and noun < at + 4:
            if length := longest(tokens, noun, scope_words().nouns):
                kept.update(range(at + 1, noun + length))
                break
            noun += 1
    return frozenset(kept)


def _staged(tokens: Sequence[Word]) -> frozenset[int]:
    """`In the forum they said …`, `For the insurance we need …`: where the story plays."""
    found: set[int] = set()
    for begin, end in _sentences(tokens):
        if _text(tokens, begin) not in _PLACES:
            continue
        teller = next((at for at in range(begin, end) if tokens[at].text in _TELLERS), end)
        seen = _text(tokens, teller + 1) in _PERCEIVING
        if teller < min(end, begin + _STAGE_REACH) and not seen:
            found.update(range(begin, teller))
    return frozenset(found)


def _sentences(tokens: Sequence[Word]) -> Iterator[tuple[int, int]]:
    begin = 0
    for at, token in enumerate(tokens):
        if token.text in _ENDS:
            yield begin, at
            begin = at + 1
    yield begin, len(tokens)


def _of_quality(tokens: Sequence[Word], mentions: Sequence[Mention], begin: int, end: int) -> bool:
    known = lexicon()
    return any(begin <= mention.first < end for mention in mentions) or any(
        token.stem in known.technical and token.stem not in _PURPOSES for token in tokens[begin:end]
    )


def _by_person(tokens: Sequence[Word], begin: int) -> bool:
    """Whether a sentence tells what somebody did, or what the picture is for: `It will be …`."""
    place = _greeted(tokens, begin)
    if _text(tokens, place + 1) in _known().opining:
        place += 2 + (_text(tokens, place + 2) == "that")
    used = _text(tokens, place) == "it" and _text(tokens, place + 1) in {"will", "goes", "went"}
    teller = _text(tokens, place).partition("'")[0]
    return used or teller in _TELLERS | _ANYBODY or _text(tokens, place) in _known().doing


def _greeted(tokens: Sequence[Word], begin: int) -> int:
    """Where a sentence begins after `Hi all,`."""
    if _text(tokens, begin) not in _GREETINGS:
        return begin
    return next((at + 1 for at in range(begin, begin + 4) if _text(tokens, at) == ","), begin)
