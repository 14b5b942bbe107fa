"""Concepts in a text: what its words ask for, whatever language they are in."""

import tomllib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
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


Pattern = tuple[_Word, ...]


@dataclass(frozen=True)
class Lexicon:
    by_start: dict[str, tuple[tuple[str, Pattern], ...]]
    """Concepts and patterns by the first letters of their first word."""
    words: frozenset[str]
    """Words that express some concept on their own."""
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
    by_start: dict[str, list[tuple[str, Pattern]]] = defaultdict(list)
    words: set[str] = set()
    stems: set[str] = set()
    for section in tomllib.loads(text).values():
        for concept, phrases in section.items():
            for phrase in phrases.split(","):
                pattern = _pattern(phrase)
                if not pattern:
                    continue
                first = pattern[0]
                for start in {first.text[:_KEY], first.loosened[:_KEY]}:
                    by_start[start].append((concept, pattern))
                if len(pattern) == 1:
                    (stems if first.open else words).update((first.text, first.loosened))
    return Lexicon(
        {start: tuple(found) for start, found in by_start.items()},
        frozenset(words),
        tuple(sorted(stem for stem in stems if len(stem) > 3)),
    )


def _pattern(phrase: str) -> Pattern:
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
}  # fmt: skip
"""Short words that mean something only in some languages."""


def _spellings(token: Token) -> tuple[str, str]:
    """A word folded, and as its transliteration; Latin letters need none and would clash."""
    return token.folded, loose(token.folded) if _is_cyrillic(token.raw) else ""


def _is_cyrillic(raw: str) -> bool:
    return any("\u0400" <= letter <= "\u04ff" for letter in raw)


def signs(words: Sequence[Token], free: Sequence[bool], language: str = "") -> tuple[Sign, ...]:
    """All concepts in the free stretches of a text; of one concept, the longest phrase counts."""
    table = lexicon().by_start
    keys = [_corrected(_spellings(token)) for token in words]
    found: list[Sign] = []
    for first, key in enumerate(keys):
        if not free[first]:
            continue
        best: dict[str, int] = {}
        for concept, pattern in _candidates(table, key):
            if len(pattern) == 1 and language not in _ONLY_IN.get((concept, key[0]), language):
                continue
            if pattern[0].cyrillic and not _is_cyrillic(words[first].raw):
                continue
            last = _match(pattern, keys, free, first)
            if last > best.get(concept, 0):
                best[concept] = last
        found += [Sign(concept, first, last) for concept, last in best.items()]
    return tuple(found)


_SHORTEST_SLIP = 6
"""Letters that a word needs before a slip of the pen in it is mended."""


@lru_cache(maxsize=8192)
def _corrected(key: tuple[str, str]) -> tuple[str, str]:
    """The only word of the lexicon that one slip turns into this one, if it is none itself."""
    word = key[0]
    known = lexicon()
    if len(word) < _SHORTEST_SLIP or not word.isascii() or known.asks(word):
        return key
    near = {it for it in known.words if len(it) >= _SHORTEST_SLIP and it[0] == word[0]}
    hits = {it for it in near if within_one_edit(word, it) and _slip(word, it)}
    if len(hits) != 1:
        return key
    return hits.pop(), ""


def _slip(word: str, meant: str) -> bool:
    """Letters swapped, doubled or left out inside; another letter or ending makes another word."""
    if word.startswith(meant) or meant.startswith(word):
        return False
    return len(word) != len(meant) or sorted(word) == sorted(meant)


def _candidates(
    table: dict[str, tuple[tuple[str, Pattern], ...]], key: tuple[str, str]
) -> tuple[tuple[str, Pattern], ...]:
    starts = dict.fromkeys(start for it in key for start in (it[:_KEY], it[:1]))
    return tuple(entry for start in starts for entry in table.get(start, ()))


def _match(
    pattern: Pattern, keys: Sequence[tuple[str, str]], free: Sequence[bool], first: int
) -> int:
    """Where the pattern ends if it begins here; 0 if it does not."""
    place = first
    for number, word in enumerate(pattern):
        if word.text == GAP:
            tail = pattern[number + 1 :]
            for skipped in range(LONGEST_GAP + 1):
                end = _match(tail, keys, [True] * len(keys), place + skipped)
                if end:
                    return end
            return 0
        if place >= len(keys) or not free[place] or not word.fits(keys[place]):
            return 0
        place += 1
    return place


def asking(word: str) -> bool:
    """Whether a word of a task is one of the lexicon's own."""
    return lexicon().asks(fold(word))
