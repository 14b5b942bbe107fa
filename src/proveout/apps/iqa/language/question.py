"""A question understood: its kind, options, distortions, regions and tools."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from proveout.apps.iqa.language.aside import aside, asked_in
from proveout.apps.iqa.language.doubles import without_things
from proveout.apps.iqa.language.form import AUXILIARY, Kind, form
from proveout.apps.iqa.language.gazetteer import ToolMention, tools
from proveout.apps.iqa.language.lexicon import (
    Mention,
    key_of,
    lexicon,
    longest,
    mentions,
    spelt,
)
from proveout.apps.iqa.language.options import Choices, Option, find
from proveout.apps.iqa.language.scene import Phrase, Scene
from proveout.apps.iqa.language.scope import passing, phrases
from proveout.apps.iqa.language.scope_words import scope_words
from proveout.apps.iqa.language.text import Word, words

_ANSWER_FORM = re.compile(
    r"(?im)^\s*(?:please\s+)?(?:answer|respond|reply|return|output|choose|select|pick)\b[^.?!\n:]*"
    r"\b(?:letters?|options?|choices?|one|answers?|words?|json|only|directly)\b[^.?!\n:]*[.!:]?\s*$"
)
_BEFORE_QUESTIONS = frozenset(
    [
        *("and", "but", "so", "or", "to", "by", "with", "for", "from"),
        *("me", "know", "see", "say", "tell", "guess", "wonder", "wondering", "idea"),
    ]
)
_WITHOUT_REFERENCE = re.compile(
    r"(?i)\b(?:without|ignor\w+|not us\w+|don't use|no[- ])\s*(?:using\s+)?(?:the\s+|a\s+)?"
    r"(?:reference|original)\b"
)
_ASKS_REGION = re.compile(
    r"(?i)\b(?:which|what|where)\b.{0,40}\b(?:region|part|area|object|place|section|portion|zone|"
    r"corner|side)s?\b|\bwhere\b"
)


_ASKS_PICTURE = re.compile(
    r"(?i)\bhow(?:'?s| is| was| does| do| did)\s+(?:it|(?:the|this|that|my|our|these)\s+"
    r"(?:image|picture|photo|photograph|pic|shot|scan|file|frame)s?)"
    r"(?:\s+(?:look|seem|come out|turn out))?(?:\s+to you)?\s*[?.!]*\s*$"
    r"|\bout of (?:5|10|100|five|ten)\b"
)
_ORDERS = frozenset(["write", "tell", "describe", "read"])


@dataclass(frozen=True)
class Reading:
    """What a question says."""

    text: str
    stem: str
    """The question without its options."""
    options: tuple[Option, ...]
    kind: Kind
    tokens: tuple[Word, ...]
    mentions: tuple[Mention, ...]
    """Of the question itself, in order."""
    named: dict[str, tuple[str, ...]]
    """Region (or `Global`) → categories named for it, options included."""
    regions: tuple[str, ...]
    """Of the question and its options."""
    asked: tuple[str, ...]
    """Of the question alone: where the answer looks, whatever the options offer."""
    tools: tuple[str, ...]
    technical: bool
    understood: bool
    """False where nothing in it is known to us: other languages, noise on the keyboard."""


@dataclass(frozen=True)
class Part:
    """One stretch of text, read by itself: the question or an option."""

    tokens: tuple[Word, ...]
    mentions: tuple[Mention, ...]
    phrases: tuple[Phrase, ...]
    tools: Sequence[ToolMention]
    aside: frozenset[int] = frozenset()
    """Places of words that name nothing asked about."""


def read(query: str, choices: Sequence[str] | None = None) -> Reading:
    """Everything that can be understood of a question, whatever it is."""
    return _read(query, None if choices is None else tuple(choices))


@lru_cache(maxsize=64)
def _read(query: str, choices: tuple[str, ...] | None) -> Reading:
    """Each agent of a run asks again for the same."""
    found = find(query, choices)
    stem = _ANSWER_FORM.sub(" ", found.stem) if found.options else found.stem
    part = read_part(stem)
    options = found.options or alternatives(part, stem)
    technical, understood = _nature(stem, part, options)
    if not technical:
        part = replace(part, phrases=tuple(p for p in part.phrases if p.known and p.led))
    parts = [part, *(read_part(option.text) for option in found.options)]
    regions = _regions(stem, parts, found) if technical else _names([part])
    return Reading(
        text=found.stem,
        stem=stem,
        options=options,
        kind=_kind(stem, part, options) if technical or options else "other",
        tokens=part.tokens,
        mentions=part.mentions,
        named=_named(parts, regions) if technical else {},
        regions=regions,
        asked=_names([part]),
        tools=tuple(dict.fromkeys(tool.name for one in parts for tool in one.tools)),
        technical=technical,
        understood=understood,
    )


def declines_reference(text: str) -> bool:
    """Whether a question wants an answer without the reference that was given."""
    return bool(_WITHOUT_REFERENCE.search(text))


@lru_cache(maxsize=256)
def read_part(text: str) -> Part:
    """One stretch of text; each agent asks again for the same."""
    tokens = spelt(words(text))
    terms = without_things(tokens, mentions(tokens))
    left = aside(tokens, terms)
    scene = Scene(tokens, terms, tools(tokens), left)
    found = phrases(scene)
    asked = asked_in(tokens, terms, [phrase.first for phrase in found])
    found = tuple(phrase for phrase in found if phrase.first in asked)
    dropped = passing(scene, found)
    kept = tuple(
        m for at, m in enumerate(scene.mentions) if at not in dropped and m.first not in left
    )
    used = tuple(tool for tool in scene.tools if tool.first not in left)
    return Part(tokens, kept, found, used, left)


def _names(parts: Sequence[Part]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phrase.name for part in parts for phrase in part.phrases))


def _regions(stem: str, parts: Sequence[Part], found: Choices) -> tuple[str, ...]:
    """Regions of the question and its options; where a place is asked for, every option is one."""
    names = list(_names(parts[:1]))
    asks = bool(_ASKS_REGION.search(stem))
    for part, option in zip(parts[1:], found.options, strict=False):
        names += [phrase.name for phrase in part.phrases]
        if asks and not part.phrases and not part.mentions and not _judging(part, found.options):
            name = re.sub(r"(?i)^(?:in|on|at)?\s*(?:the|a|an)?\s+", "", " " + option.text.lower())
            names.append(name.strip(" .?!"))
    return tuple(dict.fromkeys(name for name in names if name))


def _judging(part: Part, options: Sequence[Option]) -> bool:
    """Whether a text is a word of level or amount, `yes`, `both`, `everywhere` …

    Beside `left`, `right` is a place.
    """
    known = lexicon()
    if any(option.text.lower().strip(" .") == "left" for option in options):
        return all(token.stem not in scope_words().directions for token in part.tokens)
    if any(
        longest(part.tokens, at, {**known.levels, **known.degrees})
        for at in range(len(part.tokens))
    ):
        return True
    plain = {
        "yes",
        "no",
        "true",
        "false",
        "both",
        "neither",
        "everywhere",
        "nowhere",
        "all",
        "none",
    }
    return any(token.text in plain for token in part.tokens)


def _named(parts: Sequence[Part], regions: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Which categories are asked about for which region."""
    every = tuple(dict.fromkeys(m.concept.category for part in parts for m in part.mentions))
    if not every:
        return {}
    if len(regions) > 1 and (own := _by_clause(parts[0])) and set(own) == set(regions):
        return own
    return {region: every for region in regions or ("Global",)}


def _by_clause(part: Part) -> dict[str, tuple[str, ...]]:
    """Region → categories where every clause speaks of its own; empty where clauses share them."""
    cuts = [
        at
        for at, token in enumerate(part.tokens)
        if token.text in {"and", "but", "while", ";", ",", ".", "?", "!"}
    ]
    edges = [-1, *cuts, len(part.tokens)]
    own: dict[str, tuple[str, ...]] = {}
    for begin, end in zip(edges, edges[1:], strict=False):
        places = [p.name for p in part.phrases if begin < p.first < end]
        said = tuple(
            dict.fromkeys(m.concept.category for m in part.mentions if begin < m.first < end)
        )
        if bool(places) != bool(said):
            return {}
        own |= dict.fromkeys(places, said)
    return own if len(own) > 1 else {}


def alternatives(part: Part, text: str) -> tuple[Option, ...]:
    """`dark, bright or just right`: what stands between commas and `or`, each with its meaning."""
    tokens = part.tokens
    dividing = {"or", "vs", "versus"}
    if any(token.text == "between" for token in tokens):
        dividing |= {"and"}
    ors = [at for at, token in enumerate(tokens) if token.text in dividing]
    if not ors:
        return ()
    begin = max(
        (at + 1 for at in range(ors[0]) if tokens[at].text in {".", "?", "!", ":", "\n"}), default=0
    )
    end = next(
        (at for at in range(ors[-1], len(tokens)) if tokens[at].text in {".", "?", "!", "\n", "-"}),
        len(tokens),
    )
    cuts = [begin - 1]
    cuts += [at for at in range(begin, end) if tokens[at].text in dividing | {","}]
    found: list[tuple[Option, bool]] = []
    for left, right in zip(cuts, [*cuts[1:], end], strict=True):
        span = _meaning(part, left + 1, right)
        if span is None:
            if right - left > 1 and left == ors[0]:
                return ()
            continue
        first, last = span
        region = any(first <= phrase.first < last for phrase in part.phrases)
        found.append((Option("", text[tokens[first].start : tokens[last - 1].end].strip()), region))
    # `which is sharper, the dog or the cat`: regions are weighed against regions only.
    unique = tuple(dict.fromkeys(option for option, region in found if region == found[-1][1]))
    return unique if len(unique) >= 2 else ()


def _meaning(part: Part, begin: int, end: int) -> tuple[int, int] | None:
    """The last thing meant within a stretch: term, region or level with its degree, or amount."""
    known = lexicon()
    spans = [(m.first, m.last) for m in part.mentions if begin <= m.first < end]
    spans += [(p.first, p.last) for p in part.phrases if begin <= p.first < end]
    for at in range(begin, end):
        if length := longest(part.tokens, at, known.levels):
            spans.append((at, at + length))
    for at in range(begin, end) if not spans else ():
        if length := longest(part.tokens, at, known.degrees):
            spans.append((at, at + length))
    if not spans:
        return None
    first, last = max(spans)
    while first > begin and (
        key_of(part.tokens, first - 1, first) in known.degrees
        or part.tokens[first - 1].text in {"the", "too", "more", "less", "not", "correctly", "just"}
    ):
        first -= 1
    return first, min(last, end)


def _nature(stem: str, part: Part, options: Sequence[Option]) -> tuple[bool, bool]:
    """Whether the question is technical, and whether anything in it was understood."""
    known, tokens = lexicon(), part.tokens
    foreign = sum(token.text in known.foreign for token in tokens)
    if foreign >= 2 and foreign >= _plain_english(tokens):
        return False, False
    asked = list(range(_turn(part), len(tokens)))
    scorned = {m.first - 1 for m in part.mentions if m.noun and m.concept.sign == "fault"}
    scorned |= {at - 1 for at in scorned if tokens[at].stem in scope_words().adjectives}
    # `that ugly yellow cast` speaks of the cast.
    asked = [at for at in asked if at not in part.aside | scorned]
    taste = sum(3 for at in asked if _of_taste(tokens, at))
    taste += sum(4 for at in range(len(tokens)) if _of_content(tokens, at))
    weight = _technical_weight(part) + bool(_ASKS_PICTURE.search(stem))
    weight += 2.0 * len(part.mentions) + 4.0 * len(part.tools)
    # Options may say what is meant where the question does not: "Choose one."
    inner = [read_part(option.text) for option in options]
    weight += sum(2.5 * _named_by_term(part) for part in inner)
    if not weight:
        weight = sum(1.0 * _leveled(part) for part in inner)
    return weight > taste, weight > 0 or taste > 0


def _technical_weight(part: Part) -> float:
    """How much the words speak of quality, without the terms of distortions."""
    known, weight = lexicon(), 0.0
    for at, token in enumerate(part.tokens):
        if at in part.aside:
            continue
        weight += known.technical.get(token.stem, 0.0)
        if length := longest(part.tokens, at, known.technical_phrases):
            weight += known.technical_phrases[key_of(part.tokens, at, at + length)]
    return weight


def _turn(part: Part) -> int:
    """Where `… but is it sharp` turns from what may be of taste to what is asked; else 0."""
    tokens = part.tokens
    turns = [
        at + 1
        for at, token in enumerate(tokens[:-1])
        if token.text == "but" and tokens[at + 1].text in AUXILIARY | {"how", "what", "which"}
    ]
    last = max(turns, default=0)
    return last if any(mention.first >= last for mention in part.mentions) else 0


def _of_taste(tokens: Sequence[Word], at: int) -> bool:
    """A word of taste or feeling; `happy with it` is a judgement like any other.

    Nor is a technical viewpoint one of taste.
    """
    length = longest(tokens, at, lexicon().aesthetic)
    after = tokens[at + length].text if at + length < len(tokens) else ""
    before = tokens[at - 1].text if at else ""
    # `pretty blurry` says how much.
    amount = tokens[at].text == "pretty" and bool(longest(tokens, at + 1, lexicon().terms))
    return bool(length) and after != "with" and before != "technical" and not amount


def _of_content(tokens: Sequence[Word], at: int) -> bool:
    """Where a question about what is shown begins; after a noun, `whose` only refers to it."""
    known = lexicon()
    stems = tuple(token.stem for token in tokens[at : at + 6])
    found = [phrase for phrase in known.content if stems[: len(phrase)] == phrase]
    if not found or longest(tokens, at, known.agreeing):
        return False
    before = tokens[at - 1].text if at else ""
    if stems[:2] == ("how", "many") and any(stem in known.technical for stem in stems[2:4]):
        return False
    if before == "to" and stems[0] in _ORDERS:
        # Who has to write a report does not order one.
        return False
    relative = before.isalpha() and before not in _BEFORE_QUESTIONS
    # `my colleague, who knows cameras, says …`
    relative |= before == "," and any(token.text == "," for token in tokens[at:])
    return not (relative and found == [stems[:1]])


def _named_by_term(part: Part) -> bool:
    """Whether a text names a distortion; `dark blue` does not, it names a colour."""
    return any(mention.noun or not _before_word(part, mention.last) for mention in part.mentions)


def _before_word(part: Part, place: int) -> bool:
    """Whether a word follows that the term may describe; `it blurred it` says all there is."""
    if place >= len(part.tokens) or not part.tokens[place].text.isalpha():
        return False
    return part.tokens[place].text not in scope_words().boundaries


def _leveled(part: Part) -> bool:
    return any(longest(part.tokens, at, lexicon().levels) for at in range(len(part.tokens)))


def _plain_english(tokens: Sequence[Word]) -> int:
    plain = {"the", "is", "are", "of", "this", "how", "what", "which", "does", "there", "and", "or"}
    return sum(token.text in plain for token in tokens)


def _kind(stem: str, part: Part, options: Sequence[Option]) -> Kind:
    return "choice" if options else form(stem, terms=bool(part.mentions), tools=bool(part.tools))
