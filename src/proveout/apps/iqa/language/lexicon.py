"""The terms people use for what can be wrong with a picture, and what they mean.

`lexicon.toml` holds them: about fifty concepts in eight categories with a few hundred terms, words
of level and amount, tools, and the words that make a question one of taste or content. Terms are
found by longest match on stems; misspelt ones by edit distance, unless they are ordinary words
themselves.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, cast, get_args

from proveout.apps.iqa.detection import Category
from proveout.apps.iqa.language.inflection import inflected
from proveout.apps.iqa.language.text import Word, close, stem

Sign = Literal["fault", "merit", "matter"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

_LONGEST_TERM = 5
_TWO_SLIPS_FROM = 9
_SOUND_ALIKE = (frozenset("aeiouy"), frozenset("szc"), frozenset("ck"), frozenset("fv"))
_NEGATION_REACH = 4
_DEGREE_REACH = 2
_EXEMPT = {
    ("focus", "on"),
    ("in", "detail"),
    ("more", "detail"),
    ("light", "of"),
    ("noise", "reduction"),
    ("wood", "grain"),
}
"""Turns of phrase that contain a term and do not mean it."""


@dataclass(frozen=True)
class Concept:
    """One thing that can be said about quality."""

    name: str
    category: Category
    sign: Sign
    called: str
    """What sentences call it."""
    detectors: tuple[str, ...] = ()
    """Names of the catalogue by which it is measured."""


@dataclass(frozen=True)
class Mention:
    """A concept at a place in a text."""

    concept: Concept
    first: int
    """Index of its first word."""
    last: int
    """Index after its last word."""
    noun: bool
    negated: bool = False
    degree: float | None = None
    """Amount on the severity scale, 0 to 4; None where no word of amount stands beside it."""


@dataclass(frozen=True)
class Lexicon:
    """Everything in `lexicon.toml`, keyed by stems."""

    concepts: Mapping[str, Concept]
    terms: Mapping[tuple[str, ...], tuple[Concept, bool]]
    levels: Mapping[tuple[str, ...], float]
    degrees: Mapping[tuple[str, ...], float]
    negations: frozenset[tuple[str, ...]]
    technical: Mapping[str, float]
    technical_phrases: Mapping[tuple[str, ...], float]
    aesthetic: frozenset[tuple[str, ...]]
    content: tuple[tuple[str, ...], ...]
    agreeing: frozenset[tuple[str, ...]]
    """Of content by their words, yet about what was said before: who is right?"""
    foreign: frozenset[str]
    tools: Mapping[str, str]
    ordinary: frozenset[str]
    vocabulary: frozenset[str]
    """Single stems that a misspelt word may stand for."""


def keyed(phrase: str) -> tuple[str, ...]:
    """A phrase as stems."""
    return tuple(stem(word) for word in phrase.lower().replace("-", " ").split())


@cache
def lexicon() -> Lexicon:
    text = files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    terms: dict[tuple[str, ...], tuple[Concept, bool]] = {}
    concepts: dict[str, Concept] = {}
    for name, entry in data["concept"].items():
        concept = Concept(
            name,
            cast("Category", entry["category"]),
            cast("Sign", entry["sign"]),
            entry["called"],
            tuple(data["detectors"][name]),
        )
        concepts[name] = concept
        for kind in ("nouns", "words"):
            for phrase in entry[kind]:
                terms[keyed(phrase)] = (concept, kind == "nouns")
    _derive(terms, data, concepts["color_cast"])
    levels = {keyed(phrase): float(value) for phrase, value in data["levels"].items()}
    degrees = {keyed(phrase): float(value) for phrase, value in data["degrees"].items()}
    # Made-up forms must not attract misspelt words, so only those of the list stand for them.
    singles = {part for key in terms for part in key if len(part) >= 5}
    for (adjective, *more), (concept, noun) in list(terms.items()):
        for form in inflected(adjective) if not (noun or more) else ():
            terms.setdefault((form,), (concept, form.endswith("ness")))
    return Lexicon(
        concepts=concepts,
        terms=terms,
        levels=levels,
        degrees=degrees,
        negations=frozenset(keyed(word) for word in data["negations"]["words"]),
        technical={stem(word): float(weight) for word, weight in data["technical"].items()},
        technical_phrases={
            keyed(phrase): float(weight) for phrase, weight in data["technical_phrases"].items()
        },
        aesthetic=frozenset(keyed(phrase) for phrase in data["aesthetic"]["words"]),
        content=tuple(keyed(phrase) for phrase in data["aesthetic"]["questions"]),
        agreeing=frozenset(keyed(phrase) for phrase in data["aesthetic"]["agreeing"]),
        foreign=frozenset(data["foreign"]["words"]),
        tools={key: name for name, keys in data["tools"].items() for key in keys},
        ordinary=frozenset(data["ordinary"]["words"]),
        vocabulary=frozenset(
            singles
            | frozenset(data["spelling"]["words"])
            | {stem(word) for word in data["technical"] if len(word) >= 5}
            | {part for key in (*levels, *degrees) for part in key if len(part) >= 5}
        ),
    )


def _derive(
    terms: dict[tuple[str, ...], tuple[Concept, bool]],
    data: Mapping[str, Mapping[str, list[str]]],
    cast_of: Concept,
) -> None:
    """Add what nobody lists: `excessively smoothed` to `oversmoothed`, `oddly green` to casts."""
    for (word, *more), meant in list(terms.items()):
        for prefix, said in data["excess"].items():
            rest = word.removeprefix(prefix)
            if more or rest == word or len(rest) < 4:
                continue
            for adverb in said:
                terms.setdefault((*keyed(adverb), rest), meant)
    for adverb in data["tinted"]["adverbs"]:
        for color in data["tinted"]["colors"]:
            terms.setdefault((*keyed(adverb), color), (cast_of, False))


@cache
def _protected() -> frozenset[str]:
    """Words that are taken as they are, by stem."""
    known = lexicon()
    text = files(__package__).joinpath("scope.toml").read_text(encoding="utf-8")
    places = {
        part
        for table in tomllib.loads(text).values()
        for phrases in table.values()
        for phrase in phrases
        for part in keyed(phrase)
    }
    return frozenset(stem(word) for word in known.ordinary) | known.vocabulary | places


@lru_cache(maxsize=4096)
def corrected(word: str) -> str:
    """The term that a misspelt stem stands for; the stem itself where that is not clear."""
    if len(word) < 5 or not word.isalpha() or not word.isascii() or word in _protected():
        return word
    if (word,) in lexicon().terms:
        return word
    most = 1 if len(word) < _TWO_SLIPS_FROM else 2
    near = sorted(
        term
        for term in lexicon().vocabulary
        if term[0] == word[0]
        and term not in _protected_pairs(word)
        and term not in (word + "d", word + "ed", word + "ing")
        and close(word, term, most)
        and _slip(word, term)
    )
    nearest = [term for term in near if close(word, term, 1)] or near
    return nearest[0] if nearest else word


def _slip(word: str, term: str) -> bool:
    """Letters are dropped, doubled and swapped by accident; another letter is mostly another word.

    Unless the two sound alike: `noize`, `saturetion`.
    """
    changed = [pair for pair in zip(word, term, strict=False) if pair[0] != pair[1]]
    if len(word) != len(term) or len(changed) != 1:
        return True
    return any(set(changed[0]) <= alike for alike in _SOUND_ALIKE)


def _protected_pairs(word: str) -> frozenset[str]:
    """Regular forms that differ by an ending are other words, not slips of the pen."""
    endings = ("er", "ed", "ly", "ing", "y", "en", "e", "s", "ness", "ful", "al")
    return frozenset(word.removesuffix(end) for end in endings if word.endswith(end))


def spelt(tokens: Sequence[Word]) -> tuple[Word, ...]:
    """The words with misspelt terms put right; text and places stay as written."""
    return tuple(token._replace(stem=_corrected(token)) for token in tokens)


def _corrected(token: Word) -> str:
    """By its stem, or as written where the stem lost a letter of the word (`sharpnes`)."""
    by_stem = corrected(token.stem)
    if by_stem != token.stem or token.stem in _protected():
        return by_stem
    as_written = corrected(token.text)
    return token.stem if as_written == token.text else as_written


def longest(
    tokens: Sequence[Word],
    at: int,
    table: Mapping[tuple[str, ...], object] | frozenset[tuple[str, ...]],
) -> int:
    """How many words from `at` on form the longest key of the table; hyphens are skipped over."""
    best, place = 0, at
    stems: list[str] = []
    while place < min(len(tokens), at + 2 * _LONGEST_TERM) and len(stems) < _LONGEST_TERM:
        if tokens[place].text == "-" and stems:
            place += 1
            continue
        stems.append(tokens[place].stem)
        place += 1
        if tuple(stems) in table:
            best = place - at
    return best


def key_of(tokens: Sequence[Word], first: int, last: int) -> tuple[str, ...]:
    return tuple(token.stem for token in tokens[first:last] if token.text != "-")


def mentions(tokens: Sequence[Word]) -> tuple[Mention, ...]:
    """Every term, longest first, with its negation and amount."""
    known, found, place = lexicon(), [], 0
    while place < len(tokens):
        length = longest(tokens, place, known.terms)
        if not length or _exempt(tokens, place, length):
            place += max(length, 1)
            continue
        last = place + length
        concept, noun = known.terms[key_of(tokens, place, last)]
        found.append(
            Mention(
                concept,
                place,
                last,
                noun,
                negated=_negated(tokens, place),
                degree=_degree(tokens, place, last),
            )
        )
        place = last
    return tuple(found)


def _exempt(tokens: Sequence[Word], place: int, length: int) -> bool:
    around = [token.stem for token in tokens[max(place - 1, 0) : place + length + 1]]
    # `too much noise reduction` is a term itself; only where a term meets its neighbours it may
    # mean something else.
    first, last = min(place, 1), min(place, 1) + length - 1
    meeting = {tuple(around[:2]) if first else (), tuple(around[last : last + 2])}
    if around[0] in {"is", "the", "was"} and around[-1] == "on":
        # `Is the focus on the eyes?` means it; `focus on the eyes` does not.
        return False
    if around[0] == "focus" and _judged(tokens, place):
        return False
    opens = not place or tokens[place - 1].text in {".", "?", "!", "\n"}
    if opens and tokens[place].stem in {"focusing", "focussing"} and around[-1] == "on":
        return True
    if around[0] in {"i", "we"} and around[-1] == "on" and around[1].startswith("focus"):
        return True
    return bool(meeting & _EXEMPT)


def _judged(tokens: Sequence[Word], place: int) -> bool:
    """`focus on the eyes ok?`: a question that ends in a word of level."""
    ends = [at for at in range(place, len(tokens)) if tokens[at].text in {"?", ".", "!", "\n", ":"}]
    end = ends[0] if ends else len(tokens)
    return end < len(tokens) and tokens[end].text == "?" and (tokens[end - 1].stem,) in _levels()


@cache
def _levels() -> frozenset[tuple[str, ...]]:
    return frozenset(lexicon().levels)


def _negated(tokens: Sequence[Word], place: int) -> bool:
    """Whether a negation stands shortly before, in the same clause."""
    known = lexicon()
    for back in range(place - 1, max(place - 1 - _NEGATION_REACH, -1), -1):
        if back and key_of(tokens, back - 1, back + 1) == ("anything", "but"):
            return True
        if tokens[back].text in {",", ".", ";", ":", "?", "!", "\n", "but", "and"}:
            return False
        if any((key := key_of(tokens, back, back + n)) in known.negations for n in (1, 2)) and key:
            return True
    return False


def _degree(tokens: Sequence[Word], first: int, last: int) -> float | None:
    """The word of amount right before the term, or right after it (`noise: slight`)."""
    known = lexicon()
    for back in (2, 1):
        if first >= back and key_of(tokens, first - back, first) in known.degrees:
            return known.degrees[key_of(tokens, first - back, first)]
    after = last
    while after < len(tokens) and tokens[after].text in {"is", "are", ":", "-", ","}:
        after += 1
    if after > last and (length := longest(tokens, after, known.degrees)):
        return known.degrees[key_of(tokens, after, after + length)]
    return None


def amount(tokens: Sequence[Word]) -> float | None:
    """The strongest word of amount in a text, 0 to 4."""
    return _extreme(tokens, lexicon().degrees)


def level(tokens: Sequence[Word]) -> float | None:
    """The quality, 1 to 5, that the first word of level speaks of; turned round by a negation."""
    known = lexicon()
    for place in range(len(tokens)):
        if length := longest(tokens, place, known.levels):
            value = known.levels[key_of(tokens, place, place + length)]
            return 6.0 - value if _negated(tokens, place) else value
    return None


def _extreme(tokens: Sequence[Word], table: Mapping[tuple[str, ...], float]) -> float | None:
    values, place = [], 0
    while place < len(tokens):
        length = longest(tokens, place, table)
        if length:
            values.append(table[key_of(tokens, place, place + length)])
        place += max(length, 1)
    return max(values, default=None)
