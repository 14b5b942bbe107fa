"""Text in one known form: the words of a question with the places they stand at.

What comes in may be anything a person or a program can send: half a book, invisible characters,
full-width letters. Only the beginning and the end of a very long text are read; a question has its
point in one of them.
"""

import re
import unicodedata
from typing import NamedTuple

LONGEST = 6000
"""Characters that are read; of longer texts, half from the beginning and half from the end."""

_SIGNS = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "_": " "}
)
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:\.\d+)?|\n|[^\w\s]")
_WITH = re.compile(r"(?i)\bw/(?=\s)")
_WITHOUT = re.compile(r"(?i)\bw/o\b")
_SPELLINGS = {
    "colour": "color",
    "grey": "gray",
    "artefact": "artifact",
    "centre": "center",
    "moiré": "moire",
    "favour": "favor",
    "neighbour": "neighbor",
    "aluminium": "aluminum",
}
_PLURAL_KEPT = frozenset(
    [
        "is",
        "this",
        "has",
        "was",
        "does",
        "its",
        "yes",
        "less",
        "lens",
        "grass",
        "glass",
        "us",
        "as",
        "dress",
        "across",
        "loss",
        "plus",
        "gas",
        "bus",
        "canvas",
        "bias",
        "focus",
        "iris",
        "cross",
        "boss",
        "class",
        "pass",
        "always",
        "besides",
        "perhaps",
        "whereas",
        "dists",
        "ours",
        "yours",
        "reds",
        "greens",
        "blues",
        "yellows",
        "oranges",
        "purples",
        "pinks",
        "browns",
    ]
)


_PLURALS = {
    "leaves": "leaf",
    "knives": "knife",
    "wolves": "wolf",
    "shelves": "shelf",
    "loaves": "loaf",
    "calves": "calf",
    "halves": "half",
    "scarves": "scarf",
    "hooves": "hoof",
}
"""Left to the rule they would become verbs: to leave."""


class Word(NamedTuple):
    """One token of a text."""

    text: str
    """Lower case, as written."""
    stem: str
    """American spelling, singular: what lexicons are keyed by."""
    start: int
    end: int
    raw: str
    """With its capitals."""


def cleaned(text: str) -> str:
    """Composed, with plain quotes and dashes, without control and zero-width characters."""
    if len(text) > LONGEST:
        text = text[: LONGEST // 2] + "\n" + text[-LONGEST // 2 :]
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS).replace("\r\n", "\n")
    text = text.replace("\r", "\n").replace("\t", " ")
    text = _WITHOUT.sub("without", _WITH.sub("with", text))
    if text.isprintable():
        return text.strip()
    kept = (
        sign
        for sign in text
        if sign == "\n" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    )
    return "".join(kept).strip()


def words(text: str) -> tuple[Word, ...]:
    """The tokens of a cleaned text: words, numbers, signs and line ends."""
    return tuple(
        Word(found[0].lower(), stem(found[0].lower()), found.start(), found.end(), found[0])
        for found in _TOKEN.finditer(text)
    )


def stem(word: str) -> str:
    """Singular, in American spelling; irregular words come out unchanged."""
    word = word.removesuffix("'s") if len(word) > 3 else word
    for british, american in _SPELLINGS.items():
        if british in word:
            word = word.replace(british, american)
    if word in _PLURALS:
        return _PLURALS[word]
    if word in _PLURAL_KEPT or len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def close(one: str, other: str, most: int) -> bool:
    """Whether at most `most` letters were added, dropped, changed or swapped with a neighbour."""
    if abs(len(one) - len(other)) > most:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, start=1):
        new = [place]
        for column, against in enumerate(other, start=1):
            cost = min(row[column] + 1, new[column - 1] + 1, row[column - 1] + (letter != against))
            swapped = (
                place > 1
                and column > 1
                and letter == other[column - 2]
                and one[place - 2] == against
            )
            new.append(min(cost, before[column - 2] + 1) if swapped else cost)
        before, row = row, new
        if min(row) > most:
            return False
    return row[-1] <= most
