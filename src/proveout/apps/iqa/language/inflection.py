"""Forms of an adjective that nobody lists: `flatter`, `paler`, `grainyish`, `murkiness`."""

from collections.abc import Iterator

_VOWELS = frozenset("aeiou")
_PARTICIPLES = ("ed", "wn", "nt", "lit", "en", "ing", "ful", "less", "ish")
"""Endings of words that have no degrees, or make them with `more`."""


def inflected(word: str) -> Iterator[str]:
    """Comparative, superlative, `-ish` and `-ness` of one adjective; nothing of other words."""
    if not word.isalpha() or len(word) < 3 or word.endswith(_PARTICIPLES) or _ends(word):
        return
    if word.endswith("y"):
        yield from (word[:-1] + "i" + end for end in ("er", "est", "ness", "sh"))
        yield word + "ish"
        return
    root = word[:-1] if word.endswith("e") else _doubled(word)
    yield from (root + end for end in ("er", "est", "ish"))
    yield word + "ness"


def _ends(word: str) -> bool:
    """Whether it is a degree already."""
    return word.endswith(("er", "est"))


def _doubled(word: str) -> str:
    """`dim` → `dimm`: one vowel between consonants doubles the last letter."""
    short = len(word) in (3, 4) and word[-1] not in _VOWELS | set("wxy")
    return word + word[-1] if short and word[-2] in _VOWELS and word[-3] not in _VOWELS else word
