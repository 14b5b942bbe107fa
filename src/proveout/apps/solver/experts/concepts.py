"""Concepts in a text: what its words ask for, whatever language they are in."""

import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources

from proveout.apps.solver.resolve.folding import Token, fold, loose, tokens, within_one_edit

GAP = "\0gap"
LONGEST_GAP = 3


@dataclass(frozen=True)
class Sign:
    """A concept with the tokens that express it, `first` to `last` (exclusive)."""

    concept: str
    first: int
    last: int
    whole: bool = False
    """Its words mean this together, and nothing else one by one."""


@dataclass(frozen=True)
class _Word:
    """A word of a pattern in both spellings: folded, and as transliterations share it."""

    text: str
    open: bool
    """Any ending may follow."""
    loosened: str = ""
    cyrillic: bool = False
    """Written in Cyrillic: no word in Latin letters is meant, however alike it sounds."""

    def fits(self, word: tuple[str, str]) -> bool:
        if self.open:
            begins = word[0].startswith(self.text)
            return begins or (not self.cyrillic and word[1].startswith(self.loosened))
        return word[0] == self.text or (not self.cyrillic and word[1] == self.loosened)


@dataclass(frozen=True)
class Pattern:
    concept: str
    words: tuple[_Word, ...]
    whole: bool = False


@dataclass(frozen=True)
class Lexicon:
    by_start: dict[str, tuple[Pattern, ...]]
    """Patterns by the first letters of their first word."""
    words: frozenset[str]
    """Words that express some concept on their own."""
    parts: frozenset[str]
    """Words of longer phrases: none of them is a slip or a form of another word."""
    stems: tuple[str, ...]
    seen: dict[str, bool] = field(default_factory=dict, compare=False)
    """Answers given before; a text repeats its words."""

    def asks(self, word: str) -> bool:
        """Whether a folded word is one that asks or commands rather than names."""
        known = self.seen.get(word)
        if known is None:
            known = self.seen[word] = self._asks(word)
        return known

    def _asks(self, word: str) -> bool:
        plain = loose(word)
        return (
            word in self.words
            or plain in self.words
            or any(word.startswith(stem) or plain.startswith(stem) for stem in self.stems)
        )


_KEY = 2
"""Letters by which patterns are looked up; a word of one letter is its own key."""


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The bundled lexicon, ready to match."""
    text = resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    by_start: dict[str, list[Pattern]] = defaultdict(list)
    words: set[str] = set()
    stems: set[str] = set()
    parts: set[str] = set()
    for section in tomllib.loads(text).values():
        for concept, phrases in section.items():
            for phrase in map(str.strip, phrases.split(",")):
                made = _words(phrase.rstrip("!"))
                if not made:
                    continue
                first = made[0]
                for start in {first.text[:_KEY], first.loosened[:_KEY]}:
                    by_start[start].append(Pattern(concept, made, phrase.endswith("!")))
                parts.update(it.text for it in made)
                if len(made) == 1:
                    (stems if first.open else words).update((first.text, first.loosened))
    return Lexicon(
        {start: tuple(found) for start, found in by_start.items()},
        frozenset(words),
        frozenset(parts),
        tuple(sorted(stem for stem in stems if len(stem) > 3)),
    )


def _words(phrase: str) -> tuple[_Word, ...]:
    made: list[_Word] = []
    for raw in phrase.split():
        if raw == "..":
            made.append(_Word(GAP, open=False))
            continue
        parts = [token.folded for token in tokens(raw.rstrip("*"))]
        foreign = _is_cyrillic(raw)
        made += [_Word(part, False, loose(part), foreign) for part in parts]
        if raw.endswith("*") and made:
            made[-1] = _Word(made[-1].text, True, made[-1].loosened, foreign)
    return tuple(made)


_ONLY_IN = {
    ("ME", "i"): "en", ("AND", "i"): "sr", ("ME", "ja"): "sr", ("ME", "je"): "fr",
    ("ME", "mi"): "it es", ("MY", "mi"): "es", ("MY", "ma"): "fr", ("MY", "mes"): "fr",
    ("AND", "e"): "it", ("AND", "y"): "es", ("AND", "et"): "fr", ("EITHER", "o"): "it es",
    ("EITHER", "ou"): "fr", ("MY", "mon"): "fr", ("MY", "mie"): "it", ("MY", "mine"): "en",
    ("NOT", "ne"): "sr fr", ("DO_NOT", "ne"): "sr fr", ("NOT", "no"): "en es it",
    ("MOST", "plus"): "fr", ("MORE", "plus"): "fr", ("MY", "mis"): "es", ("AND", "и"): "ru sr",
    ("LEAST", "min"): "en", ("NOT", "pas"): "fr", ("NOT", "sin"): "es", ("DO_NOT", "sin"): "es",
    ("TABLE", "表"): "zh", ("MOST", "top"): "en", ("YOU_WE", "da li"): "sr",
    ("LIST", "listed"): "de", ("NOTE", "comment"): "en", ("HOW", "process"): "sr",
    ("RAISE", "sale"): "it", ("RAISE", "monte"): "fr", ("SALARY", "touche"): "fr",
    ("SALARY", "plate"): "sr", ("DAY_WORD", "data"): "it", ("UPDATE", "met"): "fr",
    ("SLICE", "花"): "zh", ("MY", "my"): "en", ("ME", "my"): "en",
    ("WORKLOAD", "charge"): "fr", ("BUSY", "charge"): "fr", ("CREATE", "guarda"): "es",
    ("DAY_WORD", "dan"): "sr", ("DAY_WORD", "tag"): "de", ("SHALL", "get"): "en",
    ("SHALL", "mora"): "sr", ("LEAD", "boss"): "en", ("LEAD", "led"): "en",
    ("LEAD", "captain"): "en", ("SLICE", "steckt"): "de",
}  # fmt: skip
"""Short words that mean something only in some languages."""


def _spellings(token: Token) -> tuple[str, str]:
    """A word folded, and as its transliteration; Latin letters need none and would clash."""
    return token.folded, loose(token.folded) if _is_cyrillic(token.raw) else ""


def _is_cyrillic(raw: str) -> bool:
    return any("\u0400" <= letter <= "\u04ff" for letter in raw)


@dataclass(frozen=True)
class _Line:
    """The words of a text as patterns are matched against them."""

    keys: Sequence[tuple[str, str]]
    free: Sequence[bool]
    parted: frozenset[int]
    """Words that a mark parts from the one before; no gap of a pattern reaches over it."""
    named: Sequence[bool]
    """Words of names: all words of one name fill as much of a gap as one."""

    @cached_property
    def bared(self) -> "_Line":
        """The same with every word free: a name may fill a gap."""
        return _Line(self.keys, [True] * len(self.keys), self.parted, self.named)


def _parted(words: Sequence[Token]) -> frozenset[int]:
    pairs = enumerate(zip(words, words[1:], strict=False), 1)
    return frozenset(place for place, (left, right) in pairs if right.start - left.end > 1)


def signs(words: Sequence[Token], free: Sequence[bool], language: str = "") -> tuple[Sign, ...]:
    """All concepts in the free stretches of a text; of one concept, the longest phrase counts."""
    table = lexicon().by_start
    keys = [_corrected(_spellings(token)) for token in words]
    line = _Line(keys, free, _parted(words), [not it for it in free])
    found: list[Sign] = []
    for first, key in enumerate(keys):
        if not free[first]:
            continue
        best: dict[str, Sign] = {}
        for pattern in _candidates(table, key):
            concept, made = pattern.concept, pattern.words
            if len(made) == 1 and language not in _ONLY_IN.get((concept, key[0]), language):
                continue
            if made[0].cyrillic and not _is_cyrillic(words[first].raw):
                continue
            last = _match(made, line, first)
            known = best.get(concept, Sign(concept, first, 0))
            if last and (last, pattern.whole) > (known.last, known.whole):
                best[concept] = Sign(concept, first, last, pattern.whole)
        found += best.values()
    wholes = [it for it in found if it.whole]
    return tuple(it for it in found if not any(_inside(it, whole) for whole in wholes))


def _inside(sign: Sign, whole: Sign) -> bool:
    """Whether a sign is part of a phrase that means something else as a whole."""
    covered = whole.first <= sign.first and sign.last <= whole.last
    shorter = sign.last - sign.first < whole.last - whole.first
    return covered and (shorter or not sign.whole)


_SHORTEST_SLIP = 6
"""Letters that a word needs before a slip of the pen in it is mended."""
_SHORTEST_STEM = 4
_ENDINGS = (("s", ""), ("es", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))
"""English endings, and what the plain form has instead."""
_DOUBLING = frozenset({"ed", "ing"})
"""Before these a last letter is written twice (`swapped`)."""


@lru_cache(maxsize=8192)
def _corrected(key: tuple[str, str]) -> tuple[str, str]:
    """The word of the lexicon that is meant, if this one is none itself.

    Its plain form, or the only word that one slip turns into this one.
    """
    word = key[0]
    known = lexicon()
    if len(word) < _SHORTEST_SLIP or not word.isascii():
        return key
    if word in known.parts or known.asks(word):
        return key
    for ending, plain in _ENDINGS:
        stem = word.removesuffix(ending) + plain
        stem = stem[:-1] if ending in _DOUBLING and stem[-2:-1] == stem[-1:] else stem
        if word.endswith(ending) and len(stem) >= _SHORTEST_STEM and stem in known.words:
            return stem, ""
    near = {it for it in known.words if len(it) >= _SHORTEST_SLIP and it[0] == word[0]}
    hits = {it for it in near if within_one_edit(word, it) and _slip(word, it)}
    swapped = {it for it in hits if sorted(it) == sorted(word)}
    likely = swapped or hits  # Letters in the wrong order are the commonest slip.
    return (likely.pop(), "") if len(likely) == 1 else key


def _slip(word: str, meant: str) -> bool:
    """Letters swapped, doubled or left out inside; another letter or ending makes another word."""
    if word.startswith(meant) or meant.startswith(word):
        return False
    return len(word) != len(meant) or sorted(word) == sorted(meant)


def _candidates(table: dict[str, tuple[Pattern, ...]], key: tuple[str, str]) -> tuple[Pattern, ...]:
    starts = dict.fromkeys(start for it in key for start in (it[:_KEY], it[:1]))
    return tuple(entry for start in starts for entry in table.get(start, ()))


def _match(wanted: Sequence[_Word], line: _Line, first: int) -> int:
    """Where the words of a pattern end if they begin here; 0 if they do not."""
    place = first
    for number, word in enumerate(wanted):
        if word.text == GAP:
            return _match_after_gap(wanted[number + 1 :], line, place)
        if place >= len(line.keys) or not line.free[place] or not word.fits(line.keys[place]):
            return 0
        place += 1
    return place


def _match_after_gap(tail: Sequence[_Word], line: _Line, first: int) -> int:
    """The same for the words behind a gap that begins here."""
    skipped = 0
    for place in range(first, len(line.keys)):
        if place in line.parted or skipped > LONGEST_GAP:
            return 0
        end = _match(tail, line.bared, place)
        if end:
            return end
        skipped += not (place > first and line.named[place] and line.named[place - 1])
    return 0


def asking(word: str) -> bool:
    """Whether a word of a task is one of the lexicon's own."""
    return lexicon().asks(fold(word))
