"""Where the literals of a plan may come from: the task's own words, or a closed vocabulary.

A proposer has read the task and perhaps more. Whatever it writes down itself is compared with the
text that the requester sent, so that no value invented, remembered or planted can steer a lookup or
be written anywhere.
"""

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import get_args

from proveout.apps.solver.catalogue import RELATIONS
from proveout.apps.solver.words import PHASES, ROLES, TimeStatus

LONGEST_TASK = 40_000
"""Characters of a task that are looked at; of a longer one, half of them at either end."""
SUFFIX = 3
"""Letters by which a word of the text may go on after a phrase: endings of inflected names."""

_CATEGORIES = ("customer_project", "internal", "support", "admin")
CLOSED = frozenset(
    word.casefold()
    for word in (
        *PHASES,
        *ROLES,
        *get_args(TimeStatus),
        *_CATEGORIES,
        "skill",
        "will",
        "billable",
        "non_billable",
        "append",
        "replace",
        "strong",
    )
)
_LABELS = frozenset(
    name for relation in RELATIONS for name in (relation.name, *relation.columns)
) | {"yes", "no", "total", "count"}
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_QUOTES = dict.fromkeys(map(ord, "‘’‚‛′`´"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_NUMERAL = re.compile(
    r"(?<![\w.,^])(?:\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
    r"(?![\d^]|[.,]\d|[^\W\d_]\d)"
)
"""No part of a longer code: `1e3`, `0x10`, `2^63` and `AB_151` hold no amount."""
_WORD = re.compile(r"[^\W\d_]+(?:[_'-][^\W_]+)*|\d+(?:[.,]\d+)*")
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})[./-](\d{1,2})[./-](\d{4})")
_COUNTED: tuple[tuple[float, str], ...] = (
    (0.5, "half halb halbe halben halber halbes demi demie mezzo mezza medio media pola пола "
     "половина половину половины 半"),
    (1, "a an one ein eine einen einem einer eines eins un une una uno один одна одно одну одного "
     "одной одному одном jedan jedna jedno jednu jednog jednom jedne један једна једно једну "
     "једног једном једне 一"),
    (2, "two zwei deux due dos два две двух двум двумя dva dve dvije двије 二 两"),
    (3, "three drei trois tre tres три трех трёх трем трём tri 三"),
    (4, "four vier quatre quattro cuatro четыре четырех четырёх četiri четири 四"),
    (5, "five fünf cinq cinque cinco пять пяти pet пет 五"),
    (6, "six sechs sei seis шесть шести šest шест 六"),
    (7, "seven sieben sept sette siete семь семи sedam седам 七"),
    (8, "eight acht huit otto ocho восемь восьми osam осам 八"),
    (9, "nine neun neuf nove nueve девять девяти devet девет 九"),
    (10, "ten zehn dix dieci diez десять десяти deset десет 十"),
)  # fmt: skip
_SMALL = {word: value for value, words in _COUNTED for word in words.split()}
"""Numbers as words and articles that count, in the languages that tasks come in."""


def visible(text: str) -> str:
    """The text without characters that nobody sees: controls, joiners, direction marks, tags."""
    return "".join(
        char
        for char in text
        if char in "\n\t" or unicodedata.category(char) not in {"Cf", "Cc", "Co", "Cn", "Cs"}
    )


def folded(text: str) -> str:
    """One spelling for what looks alike: width, case, dashes, quotes and spaces."""
    plain = unicodedata.normalize("NFKC", visible(text))
    return " ".join(plain.translate(_DASHES).translate(_QUOTES).casefold().split())


class Ground:
    """What the plan of one task may say by itself."""

    def __init__(self, text: str, known: Iterable[str] = ()) -> None:
        half = LONGEST_TASK // 2
        cut = len(text) > LONGEST_TASK
        self.text = visible(f"{text[:half]}\n{text[-half:]}" if cut else text)
        self._folded = folded(self.text)
        self._words = frozenset(_WORD.findall(self._folded))
        self._known = CLOSED | {folded(word) for word in known if word}
        self._numbers = frozenset(_numbers(self._folded))
        self._dates = frozenset(_dates(self._folded))

    def holds(self, literal: str) -> bool:
        """Whether a string may stand in a plan."""
        wanted = folded(literal)
        return (
            not wanted
            or wanted in self._known
            or self._in_text(wanted)
            or (_DATE.fullmatch(wanted) is not None and self.dated(wanted))
        )

    def quoted(self, literal: str) -> bool:
        """Whether a string is literally in the task: for what will be stored somewhere."""
        wanted = folded(literal)
        return not wanted or self._in_text(wanted)

    def worded(self, glue: str) -> bool:
        """Whether every word between values is the task's or a plain label."""
        return all(
            word in self._words or word in self._known or word in _LABELS
            for word in _WORD.findall(folded(glue))
        )

    def number(self, value: float) -> bool:
        """Whether an amount stands in the task, whatever its sign."""
        try:
            return abs(Decimal(repr(value))).normalize() in self._numbers
        except InvalidOperation:
            return False

    def dated(self, value: str) -> bool:
        match = _DATE.fullmatch(value)
        return match is not None and _iso(match) in self._dates

    def offers(self, first: str, second: str) -> bool:
        """Whether the task offers two words to answer with."""
        return all(self._in_text(folded(word)) for word in (first, second))

    def _in_text(self, wanted: str) -> bool:
        start = self._folded.find(wanted)
        while start >= 0:
            if self._bounded(start, start + len(wanted)):
                return True
            start = self._folded.find(wanted, start + 1)
        return False

    def _bounded(self, start: int, end: int) -> bool:
        """Not torn out of a longer word; scripts without spaces know no words to tear."""
        text = self._folded
        if _runs_on(text[start - 1 : start], text[start]):
            return False
        rest = 0
        while end + rest < len(text) and _runs_on(text[end + rest - 1], text[end + rest]):
            rest += 1
        return rest == 0 or (rest <= SUFFIX and text[end - 1].isalpha())


def _runs_on(left: str, right: str) -> bool:
    if not (left and left.isalnum() and right.isalnum()):
        return False
    return not any(
        "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in left + right
    )


def _numbers(text: str) -> Iterable[Decimal]:
    for match in _NUMERAL.finditer(text):
        for reading in _readings(match[0]):
            yield reading.normalize()
    # An article leans on the word before or after it: "d'un niveau", "un'ora".
    for word in (part for found in _WORD.findall(text) for part in found.split("'")):
        if word in _SMALL:
            yield Decimal(str(_SMALL[word])).normalize()
    for char in text:
        if char in _SMALL and char > "\u2e80":
            yield Decimal(str(_SMALL[char])).normalize()


def _readings(numeral: str) -> Iterable[Decimal]:
    """A separator before three digits groups thousands; before any other number it is a point."""
    grouped = re.fullmatch(r"(\d{1,3}(?:[.,' ]\d{3})+)(?:[.,](\d+))?", numeral)
    if grouped:
        whole = re.sub(r"\D", "", grouped[1])
        yield Decimal(f"{whole}.{grouped[2]}" if grouped[2] else whole)
    else:
        yield Decimal(re.sub(r"[ ']", "", numeral).replace(",", "."))


def _dates(text: str) -> Iterable[str]:
    return (_iso(match) for match in _DATE.finditer(text))


def _iso(match: re.Match[str]) -> str:
    if match[1]:
        return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}"
    return f"{match[6]}-{int(match[5]):02d}-{int(match[4]):02d}"
