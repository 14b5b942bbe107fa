"""Text made comparable: one form for case, marks, scripts, dashes and invisible characters.

Tokens keep their place in the original text, so that a phrase cut out of it is a true substring.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_CYRILLIC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "ђ": "dj", "е": "e", "ё": "e", "ж": "zh",
    "з": "z", "и": "i", "й": "i", "ј": "j", "к": "k", "л": "l", "љ": "lj", "м": "m", "н": "n",
    "њ": "nj", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "ћ": "c", "у": "u", "ф": "f",
    "х": "h", "ц": "c", "ч": "ch", "џ": "dz", "ш": "sh", "щ": "sch", "ъ": "", "ы": "y", "ь": "",
    "э": "e", "ю": "yu", "я": "ya", "і": "i", "ї": "i", "є": "e", "ґ": "g",
}  # fmt: skip
_LATIN = {
    "đ": "d", "ð": "d", "ø": "o", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i",
    "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"',
    "»": '"', "–": "-", "—": "-", "‑": "-", "‐": "-", "−": "-", "―": "-",
}  # fmt: skip
_TABLE = str.maketrans({**_CYRILLIC, **_LATIN})
_LOOSE = (
    ("sch", "s"), ("ch", "c"), ("sh", "s"), ("zh", "z"), ("kh", "h"), ("ts", "c"), ("dj", "d"),
    ("dz", "d"), ("lj", "l"), ("nj", "n"), ("ae", "a"), ("oe", "o"), ("ue", "u"), ("yu", "u"),
    ("ya", "a"), ("iu", "u"), ("ia", "a"), ("ph", "f"), ("ck", "k"), ("y", "i"), ("j", "i"),
)  # fmt: skip
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|(?:[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[\u0300-\u036f\u200b-\u200d\u2060](?=\w))+"
    r"[\u0300-\u036f]*"
)
"""An ideograph, or letters with the marks and invisible joints between them."""
_CAMEL = re.compile(r"(?<=[a-zà-þ0-9])(?=[A-ZÀ-Þ])")


@dataclass(frozen=True)
class Token:
    """A word of the text; an ideograph is a word of its own, an id with underscores is one too."""

    folded: str
    start: int
    end: int
    raw: str

    @property
    def capital(self) -> bool:
        return self.raw[:1].isupper()


def word_set(text: str) -> frozenset[str]:
    """Words written in a row, as a set."""
    return frozenset(text.split())


@lru_cache(maxsize=16384)
def fold(text: str) -> str:
    """Without case, marks, typographic variants or invisible characters, in Latin script."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_TABLE)
    parts = unicodedata.normalize("NFKD", plain)
    return "".join(
        letter for letter in parts if unicodedata.category(letter) not in {"Mn", "Cf", "Cc"}
    ).translate(_TABLE)


@lru_cache(maxsize=16384)
def loose(word: str) -> str:
    """A spelling of a folded word that transliterations share (Mueller, Müller; Djordje, Đorđe)."""
    for digraph, letter in _LOOSE:
        word = word.replace(digraph, letter)
    return word


@lru_cache(maxsize=256)
def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text, each with its place."""
    found = []
    for match in _WORD.finditer(text):
        folded = fold(match.group())
        if folded:
            found.append(Token(folded, match.start(), match.end(), match.group()))
    return tuple(found)


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[str, ...]:
    """Folded words for matching: joined ids and camel case come apart."""
    apart = _CAMEL.sub(" ", text.replace("_", " "))
    return tuple(token.folded for token in tokens(apart))


def ngrams(word: str) -> frozenset[str]:
    """Three- and four-letter pieces of a word with its ends marked."""
    padded = f"^{word}$"
    return frozenset(
        padded[place : place + size]
        for size in (3, 4)
        for place in range(max(1, len(padded) - size + 1))
    )


def similar(left: str, right: str) -> float:
    """How much two words share, from 0 to 1, by their letter pieces."""
    if left == right:
        return 1.0
    one, two = ngrams(left), ngrams(right)
    return 2 * len(one & two) / (len(one) + len(two))


def within_one_edit(left: str, right: str) -> bool:
    """Whether one insertion, deletion, change or swap of neighbours makes the words equal."""
    if left == right:
        return True
    if abs(len(left) - len(right)) > 1:
        return False
    place = 0
    while place < min(len(left), len(right)) and left[place] == right[place]:
        place += 1
    one, two = left[place:], right[place:]
    if one[1:] == two[1:] or one[1:] == two or one == two[1:]:
        return True
    return len(one) > 1 and len(two) > 1 and one[:2] == two[1::-1] and one[2:] == two[2:]
