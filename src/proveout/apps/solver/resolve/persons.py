"""People by name: in any order, spelling or script, with or without particles, whole or in part."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from proveout.apps.solver.resolve.folding import Token, loose, tokens, within_one_edit, word_set

PARTICLES = word_set(
    "de del della di da dei do dos du des la le van von der den ter ten zu zum zur af av al el bin "
    "ben y e"
)
TITLES = word_set(
    "mr mrs ms miss dr prof sir madam herr frau signor signora sig signore monsieur madame mme m "
    "senor senora sr sra gospodin gospodja gospodi g colleague kollege kollegin collega"
)
_ENDINGS = 3
"""Letters that a case ending may add or change at the end of a name."""
_STEM = 3


@dataclass(frozen=True)
class Person:
    id: str
    name: str


@dataclass(frozen=True)
class Hit:
    """A stretch of text that names people: tokens `first` to `last` (exclusive)."""

    first: int
    last: int
    ids: tuple[str, ...]
    score: float


def name_words(text: str) -> tuple[str, ...]:
    """The comparable words of a name; a possessive s and titles are no part of it."""
    return tuple(loose(token.folded) for token in _bare(text, tokens(text)))


class People:
    """An index of names."""

    def __init__(self, people: Sequence[Person]) -> None:
        self._people = {person.id: person for person in people}
        self._words = {person.id: name_words(person.name) for person in people}
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for id_, parts in self._words.items():
            for word in dict.fromkeys(parts):
                self._by_word[word].append(id_)
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for word in self._by_word:
            self._by_start[word[:_STEM]].append(word)

    def name(self, id_: str) -> str:
        return self._people[id_].name

    def knows(self, word: str) -> bool:
        """Whether a folded word is part of somebody's name."""
        return loose(word) in self._by_word

    def find(self, text: str, within: frozenset[str] | None = None) -> list[tuple[str, float]]:
        """Who can be meant, with how sure that is; only the best kind of match is given."""
        if text.strip() in self._people:
            id_ = text.strip()
            return [(id_, 1.0)] if within is None or id_ in within else []
        asked = name_words(text)
        if not asked:
            return []
        strict, lenient = self._exactly, self._inflected
        for candidates, same, score in (
            (self._holding(asked, strict), strict, 1.0),
            (self._holding(asked, lenient), lenient, 0.8),
        ):
            allowed = [it for it in candidates if within is None or it in within]
            found = self._best(asked, allowed, same)
            if found:
                return [(id_, round(score * share, 4)) for id_, share in found]
        return []

    def spot(self, text: str, taken: Sequence[bool], blocked: Callable[[Token], bool]) -> list[Hit]:
        """Whole names in a text first, then single first names or surnames.

        `blocked` tells which words are ordinary words here, unless they stand in a whole name.
        """
        words = tokens(text)
        free = [not used for used in taken]
        # Whoever writes no capitals at all writes none for names either.
        plain = text.islower()
        found: list[Hit] = []
        for size in (5, 4, 3, 2):
            for first in range(len(words) - size + 1):
                window = words[first : first + size]
                if all(free[first : first + size]) and self._adjoining(text, window):
                    hit = self._whole(window, first)
                    if hit is not None:
                        found.append(hit)
                        free[first : first + size] = [False] * size
        for place, token in enumerate(words):
            named = self._distinctive(token)
            if not free[place] or blocked(token) or not (named or plain):
                continue
            word = loose(token.folded)
            ids = tuple(self._by_word.get(word, ()))
            if ids and (named or len(word) > _STEM):
                found.append(Hit(place, place + 1, ids, 0.7))
            elif named and place > 0 and len(word) > 4:
                ids = tuple(self._holding((word,), self._inflected))
                if ids:
                    found.append(Hit(place, place + 1, ids, 0.5))
        return sorted(found, key=lambda hit: hit.first)

    def _whole(self, window: Sequence[Token], first: int) -> Hit | None:
        asked = tuple(loose(token.folded) for token in window)
        if asked[0] in TITLES or sum(word not in PARTICLES for word in asked) < 2:
            return None
        # In lower case only the whole name, letter by letter, is one.
        small = sum(not token.raw.islower() for token in window) < 2
        kinds = ((self._exactly, 1.0), (self._inflected, 0.85))
        for same, score in kinds[:1] if small else kinds:
            ids = [
                id_
                for id_ in self._holding(asked, same)
                if _covers(asked, self._words[id_], same)
                and len(asked) <= len(self._words[id_])
                and not (small and len(asked) < len(self._words[id_]))
            ]
            if ids:
                return Hit(first, first + len(window), tuple(ids), score)
        return None

    def _holding(self, asked: Iterable[str], same: Callable[[str, str], bool]) -> list[str]:
        """People with at least one of the words in their names."""
        found: dict[str, None] = {}
        for word in asked:
            if word in PARTICLES:
                continue
            near = [word] if same == self._exactly else self._by_start.get(word[:_STEM], ())
            for other in near:
                if same(word, other):
                    found.update(dict.fromkeys(self._by_word.get(other, ())))
        return sorted(found)

    def _best(
        self, asked: tuple[str, ...], ids: Sequence[str], same: Callable[[str, str], bool]
    ) -> list[tuple[str, float]]:
        whole = [id_ for id_ in ids if _covers(asked, self._words[id_], same)]
        full = [id_ for id_ in whole if _covers(self._words[id_], asked, same)]
        if full:
            return [(id_, 1.0) for id_ in full]
        if whole:
            return [(id_, 0.9) for id_ in whole]
        inside = [
            id_
            for id_ in ids
            if len(self._words[id_]) > 1 and _covers(self._words[id_], asked, same)
        ]
        return [(id_, 0.85) for id_ in inside]

    @staticmethod
    def _exactly(left: str, right: str) -> bool:
        return left == right

    @staticmethod
    def _inflected(left: str, right: str) -> bool:
        """A slip of the pen, or a case ending."""
        if left == right:
            return True
        shorter = min(len(left), len(right))
        if shorter < 4:
            return False
        if within_one_edit(left, right):
            return True
        common = len(os.path.commonprefix([left, right]))
        return common >= max(4, shorter - 1) and max(len(left), len(right)) - common <= _ENDINGS

    @staticmethod
    def _adjoining(text: str, window: Sequence[Token]) -> bool:
        """Whether nothing but blanks, apostrophes, hyphens and dots parts the words."""
        gaps = zip(window, window[1:], strict=False)
        return all(set(text[left.end : right.start]) <= set(" '’-.\u00a0") for left, right in gaps)

    @staticmethod
    def _distinctive(token: Token) -> bool:
        return len(token.folded) > 2 and (token.capital or not token.raw.isascii())


def _bare(text: str, parts: Sequence[Token]) -> list[Token]:
    """Without a possessive s, without titles."""
    kept = []
    for token in parts:
        possessive = token.folded == "s" and text[token.start - 1 : token.start] in {"'", "’"}
        if not possessive and token.folded not in TITLES:
            kept.append(token)
    return kept


def _covers(part: Sequence[str], whole: Sequence[str], same: Callable[[str, str], bool]) -> bool:
    """Whether every word of one name is in the other, each used once."""
    left = Counter(whole)
    for word in part:
        found = next((other for other in left if left[other] and same(word, other)), None)
        if found is None:
            return False
        left[found] -= 1
    return True
