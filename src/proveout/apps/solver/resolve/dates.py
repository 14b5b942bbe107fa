"""Days and ranges in words, in eight languages, always relative to the day the API calls today."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from proveout.apps.solver.resolve.date_words import (
    AGO,
    BEFORE_YESTERDAY,
    DAY_BEFORE,
    LAST,
    MONTHS,
    RELATIVE_DAYS,
    THIS,
    UNITS,
    VERBS,
)
from proveout.apps.solver.resolve.folding import tokens, word_set
from proveout.apps.solver.resolve.quantities import small_number

_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{4})(?!\d)")
_HAN = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*[日号])?")
_QUARTER = re.compile(r"\b[qQTtКк]([1-4])\s*(?:of\s+|/|-)?\s*(\d{4})\b")
FARTHEST = 12
"""Characters between the two ends of a range."""
Range = tuple[date, date]


@dataclass(frozen=True)
class DateReading:
    """A range with the stretch of text that says it."""

    date_from: date
    date_to: date
    start: int
    end: int


def resolve_dates(text: str, today: str) -> tuple[str, str] | None:
    """The days that a phrase means, both ends included; None if it names none that exists."""
    reading = read_dates(text, date.fromisoformat(today))
    if reading is None:
        return None
    return reading.date_from.isoformat(), reading.date_to.isoformat()


def read_dates(text: str, today: date) -> DateReading | None:
    """The first range or day in a text: explicit dates count before relative words."""
    explicit, named = _explicit(text), _months(text, today)
    if explicit is None or named is None:
        return None
    days = sorted((*explicit, *named), key=lambda it: it.start)
    if not days:
        return _relative(text, today)
    # A second date makes a range only if it follows closely; elsewhere it is another matter.
    close = [it for it in days[1:2] if it.start - days[0].end <= FARTHEST]
    days = [days[0], *close]
    return DateReading(
        min(it.date_from for it in days),
        max(it.date_to for it in days),
        days[0].start,
        max(it.end for it in days),
    )


def _explicit(text: str) -> list[DateReading] | None:
    """Dates in digits; None if one of them does not exist (31 February)."""
    found: list[DateReading] = []
    for pattern, order in ((_ISO, (0, 1, 2)), (_DAY_FIRST, (2, 1, 0)), (_HAN, (0, 1, 2))):
        for match in pattern.finditer(text):
            if any(it.start < match.end() and match.start() < it.end for it in found):
                continue
            year, month, day = (match.groups()[place] for place in order)
            span = _day(int(year), int(month), int(day)) if day else _month(int(year), int(month))
            if span is None:
                return None
            found.append(DateReading(*span, match.start(), match.end()))
    for match in _QUARTER.finditer(text):
        quarter, year_of = int(match.group(1)), int(match.group(2))
        first = date(year_of, 3 * quarter - 2, 1)
        last = date(year_of, 3 * quarter, monthrange(year_of, 3 * quarter)[1])
        found.append(DateReading(first, last, match.start(), match.end()))
    return found


def _day(year: int, month: int, day: int) -> Range | None:
    try:
        one = date(year, month, day)
    except ValueError:
        return None
    return one, one


def _month(year: int, month: int) -> Range | None:
    if not (1 <= month <= 12 and 1 <= year <= 9999):
        return None
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


class _Words:
    """The text as a line of folded words, each with its place."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.folded = [token.folded for token in self.tokens]

    def at(self, place: int, phrase: tuple[str, ...]) -> bool:
        return tuple(self.folded[place : place + len(phrase)]) == phrase

    def match(self, place: int, phrases: frozenset[tuple[str, ...]]) -> int:
        """Length of the longest of the phrases that stands here, 0 for none."""
        return max((len(it) for it in phrases if self.at(place, it)), default=0)

    def reading(self, span: Range, first: int, last: int) -> DateReading:
        return DateReading(*span, self.tokens[first].start, self.tokens[last - 1].end)


def _relative(text: str, today: date) -> DateReading | None:
    words = _Words(text)
    for place in range(len(words.tokens)):
        for read in (_before_yesterday, _ago, _named_day, _named_period):
            found = read(words, place, today)
            if found is not None:
                return found
    return None


def _before_yesterday(words: _Words, place: int, today: date) -> DateReading | None:
    """`two days before yesterday` is three days ago."""
    amount = small_number(words.tokens[place])
    if amount is None:
        return None
    unit = words.match(place + 1, UNITS["day"])
    tail = words.match(place + 1 + unit, BEFORE_YESTERDAY)
    if not unit or not tail:
        return None
    day = today - timedelta(days=amount + 1)
    return words.reading((day, day), place, place + 1 + unit + tail)


def _ago(words: _Words, place: int, today: date) -> DateReading | None:
    """`three days ago`, `vor drei Tagen`, `неделю назад`."""
    before = words.match(place, AGO["before"])
    first = place + before
    if first >= len(words.tokens):
        return None
    amount = small_number(words.tokens[first])
    counted = 1 if amount is not None or words.folded[first] in AGO_ONE else 0
    for name, length in (("day", 1), ("week", 7)):
        unit = words.match(first + counted, UNITS[name])
        if not unit:
            continue
        after = words.match(first + counted + unit, AGO["after"])
        if not before and not after:
            continue
        day = today - timedelta(days=length * (amount or 1))
        return words.reading((day, day), place, first + counted + unit + after)
    return None


AGO_ONE = word_set("a an one un une una uno eine einer einem einen jedne jednu odnu 一")


def _named_day(words: _Words, place: int, today: date) -> DateReading | None:
    size = words.match(place, DAY_BEFORE)
    if size:
        day = today - timedelta(days=2)
        return words.reading((day, day), place, place + size)
    for offset, phrases in RELATIVE_DAYS.items():
        size = words.match(place, phrases)
        if size:
            day = today + timedelta(days=offset)
            return words.reading((day, day), place, place + size)
    return None


def _named_period(words: _Words, place: int, today: date) -> DateReading | None:
    """`last week` is the whole ISO week, `letzten Monat` the whole calendar month."""
    for shift, markers in ((-1, LAST), (0, THIS)):
        for unit, phrases in UNITS.items():
            lead = words.match(place, markers)
            size = words.match(place + lead, phrases)
            if lead and size:
                return words.reading(_period(unit, shift, today), place, place + lead + size)
            size = words.match(place, phrases)
            tail = words.match(place + size, markers) if size else 0
            if size and tail:
                return words.reading(_period(unit, shift, today), place, place + size + tail)
    return None


def _period(unit: str, shift: int, today: date) -> Range:
    if unit == "day":
        day = today + timedelta(days=shift)
        return day, day
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * shift)
        return monday, monday + timedelta(days=6)
    if unit == "year":
        return date(today.year + shift, 1, 1), date(today.year + shift, 12, 31)
    first = today.replace(day=1)
    if shift:
        first = (first - timedelta(days=1)).replace(day=1)
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def _months(text: str, today: date) -> list[DateReading] | None:
    """`5 March 2025`, `March 5, 2025`, `March 2025`, `in March`; None if a day does not exist."""
    words = _Words(text)
    found: list[DateReading] = []
    for place, word in enumerate(words.folded):
        month = MONTHS.get(word)
        counts = any(words.match(place + 1, phrases) for phrases in UNITS.values())
        beside = words.folded[max(0, place - 1) : place] + words.folded[place + 1 : place + 2]
        verb = word in VERBS and not any(map(_digits, beside))
        if month is None or counts or verb:  # `sept jours` are seven days.
            continue
        reading = _month_at(words, place, month, today)
        if reading is None:
            return None
        found.append(reading)
    return found


def _month_at(words: _Words, place: int, month: int, today: date) -> DateReading | None:
    first, last = place, place + 1
    day = year = 0
    around = [it for it in range(place - 2, place + 4) if 0 <= it < len(words.folded)]
    numbers = {it: _digits(words.folded[it]) for it in around if it != place}
    for it, value in numbers.items():
        near = it in {place - 1, place + 1, place + 2, place + 3}
        if value and value > 1900 and not year and it > place:
            year, last = value, max(last, it + 1)
        elif value and value <= 31 and not day and near and abs(it - place) <= 2:
            day, first, last = value, min(first, it), max(last, it + 1)
    if not year:
        year = today.year if (month, day or 1) <= (today.month, today.day) else today.year - 1
    span = _day(year, month, day) if day else _month(year, month)
    return None if span is None else words.reading(span, first, last)


def _digits(word: str) -> int:
    plain = word.rstrip("stndrh") if word[:1].isdigit() else ""
    return int(plain) if plain.isdecimal() and plain.isascii() else 0
