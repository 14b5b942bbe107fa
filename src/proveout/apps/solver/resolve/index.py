"""Finds what a phrase means among many texts: words weighted by rarity, misspellings by pieces.

The same weights serve two questions: which entry does a phrase mean (`rank`), and where in a longer
text is an entry meant at all (`spans`).
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from proveout.apps.solver.resolve.folding import Token, ngrams, similar, within_one_edit, words
from proveout.apps.solver.resolve.synonyms import synonyms

NEAR = 0.5
"""Two words this similar are taken for spellings of one."""
_SYNONYM = 0.7
_MISS = 0.55
"""What a word of the text that an entry lacks costs, as a share of its weight."""


@dataclass(frozen=True)
class Entry:
    """Something that can be meant: its name, and what else is known of it."""

    key: str
    name: str
    about: str = ""


@dataclass(frozen=True)
class Span:
    """Tokens `first` to `last` (exclusive) read as an entry."""

    key: str
    first: int
    last: int
    gain: float


class PhraseIndex:
    """An index over a few to some ten thousand entries."""

    def __init__(self, entries: Sequence[Entry], ignored: Collection[str] = ()) -> None:
        self._entries = {entry.key: entry for entry in entries}
        self._ignored = frozenset(ignored)
        self._names: dict[str, tuple[str, ...]] = {}
        self._holders: dict[str, dict[str, float]] = defaultdict(dict)
        for entry in entries:
            name = _spelled(entry.name)
            self._names[entry.key] = name
            for word in _spelled(entry.about):
                self._holders[word][entry.key] = 0.92
            for word in name:
                self._holders[word][entry.key] = 1.0
        self._pieces: dict[str, set[str]] = defaultdict(set)
        for word in self._holders:
            for piece in ngrams(word):
                self._pieces[piece].add(word)
        self._size = max(1, len(entries))
        self._matched: dict[str, Mapping[str, float]] = {}
        self._weights: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def name(self, key: str) -> str:
        return self._entries[key].name

    def weight(self, word: str) -> float:
        """How much a word tells: rare words tell more, unknown ones as much as a fairly rare."""
        known = self._weights.get(word)
        if known is None:
            known = self._weights[word] = self._weighed(word)
        return known

    def _weighed(self, word: str) -> float:
        if word in self._ignored:
            return 0.05
        holders = len(self._holders.get(word, ()))
        if not holders:
            near = [*(it for it, _ in self._near(word)), *synonyms(word)]
            counts = [len(self._holders[it]) for it in near if it in self._holders]
            holders = min(counts, default=0)
        if not holders:
            return 0.75 * math.log(1 + self._size)
        return 0.15 + math.log((self._size + 1) / holders)

    def rank(self, phrase: str) -> list[tuple[str, float]]:
        """Entries with the share of the phrase's weight that each accounts for, best first."""
        asked = [word for word in words(phrase) if word not in self._ignored]
        if not asked:
            asked = list(words(phrase))
        total = sum(self.weight(word) for word in asked)
        if not total:
            return []
        gained: dict[str, float] = defaultdict(float)
        for word in asked:
            for key, match in self.matches(word).items():
                gained[key] += self.weight(word) * match
        scored = [
            (key, min(1.0, gain / total) * 0.9 + 0.1 * self._named(key, asked))
            for key, gain in gained.items()
        ]
        return sorted(scored, key=lambda item: (-item[1], item[0]))

    def matches(self, word: str) -> Mapping[str, float]:
        """How well each entry accounts for a word."""
        known = self._matched.get(word)
        if known is None:
            found: dict[str, float] = {}
            alike = [(it, _SYNONYM) for it in synonyms(word)]
            for other, likeness in [(word, 1.0), *self._near(word), *alike]:
                for key, share in self._holders.get(other, {}).items():
                    found[key] = max(found.get(key, 0.0), share * likeness)
            known = self._matched[word] = found
        return known

    def spans(
        self, text: Sequence[Token], dull: Collection[str], breaks: Collection[int] = ()
    ) -> list[Span]:
        """For each entry, the stretch of text that speaks of it most, if there is one.

        `dull` words (those that ask rather than name) neither begin nor carry a stretch; none
        goes on over a token in `breaks`.
        """
        gains: list[tuple[float, Mapping[str, float]]] = []
        reached: set[str] = set()
        for token in text:
            parts = words(token.raw) or (token.folded,)
            weight = sum(self.weight(part) for part in parts) / len(parts)
            merged: dict[str, float] = defaultdict(float)
            for part in parts:
                for key, match in self.matches(part).items():
                    merged[key] += match / len(parts)
            dim = 0.15 if token.folded in dull or token.folded in self._ignored else 1.0
            gains.append((weight * dim, merged))
            if dim == 1.0:
                reached.update(key for key, match in merged.items() if match >= NEAR)
        found = [self._stretch(key, gains, breaks) for key in reached]
        return sorted((it for it in found if it), key=lambda it: (-it.gain, it.first, it.key))

    def _stretch(
        self,
        key: str,
        gains: Sequence[tuple[float, Mapping[str, float]]],
        breaks: Collection[int],
    ) -> Span | None:
        best: Span | None = None
        first, running = 0, 0.0
        for place, (weight, matches) in enumerate(gains):
            match = matches.get(key, 0.0)
            step = weight * match if match >= NEAR else -_MISS * weight - 0.02
            if running <= 0 or place in breaks:
                first, running = place, 0.0
            running += step
            if step > 0 and (best is None or running > best.gain):
                best = Span(key, first, place + 1, running)
        return best

    def _near(self, word: str) -> list[tuple[str, float]]:
        if len(word) < 4:
            return []
        shared: dict[str, int] = defaultdict(int)
        for piece in ngrams(word):
            for other in self._pieces.get(piece, ()):
                shared[other] += 1
        close = [(other, _likeness(word, other)) for other in shared if other != word]
        return [(other, likeness) for other, likeness in close if likeness >= NEAR]

    def _named(self, key: str, asked: Sequence[str]) -> float:
        """Share of the entry's own name that the phrase covers: a whole name beats a part."""
        name = [word for word in self._names[key] if word not in self._ignored]
        if not name:
            return 0.0
        present = set(asked)
        return sum(word in present for word in name) / len(name)


def _likeness(word: str, other: str) -> float:
    """Two letters in the wrong order are a slip, however few pieces the words share then."""
    swapped = len(word) >= _LONG and sorted(word) == sorted(other) and within_one_edit(word, other)
    return max(similar(word, other), _SLIP if swapped else 0.0)


_LONG = 6
_SLIP = 0.85


def _spelled(text: str) -> tuple[str, ...]:
    """Words of an entry, joined spellings beside parted ones (AquaLine: aqua, line, aqualine)."""
    apart = words(text)
    joined = tuple(token for raw in text.split() for token in words(raw.lower()))
    return tuple(dict.fromkeys((*apart, *joined)))
