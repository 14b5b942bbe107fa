"""Days and periods said relative to today: `three days ago`, `last Friday`, `this month`."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from proveout.apps.solver.resolve.date_words import (
    AGO,
    BEFORE_YESTERDAY,
    DAY_BEFORE,
    FORTNIGHT,
    HAN_WEEKDAYS,
    LAST,
    ON,
    RELATIVE_DAYS,
    SAME_DAY,
    THIS,
    UNITS,
    WEEKDAYS,
)
from proveout.apps.solver.resolve.folding import tokens, word_set
from proveout.apps.solver.resolve.quantities import small_number

Range = tuple[date, date]
_LENGTHS = {"day": 1, "week": 7}
_FORTNIGHT = 14
_FARTHEST_BACK = 40_000
"""Days; a longer way back is no day that anybody means."""
_NEARBY = 4
"""Words that may stand between `last week` and `on the same day`."""
_BETWEEN = word_set("were was is war ware fosse etait fue era")
AGO_ONE = word_set("a an one un une una uno eine einer einem einen jedne jednu odnu 一 the last")


@dataclass(frozen=True)
class DateReading:
    """A range with the stretch of text that says it."""

    date_from: date
    date_to: date
    start: int
    end: int


class Words:
    """The text as a line of folded words, each with its place."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.folded = [token.folded for token in self.tokens]

    def at(self, place: int, phrase: tuple[str, ...]) -> bool:
        return tuple(self.folded[place : place + len(phrase)]) == phrase

    def match(self, place: int, phrases: frozenset[tuple[str, ...]]) -> int:
        """Length of the longest of the phrases that stands here, 0 for none."""
        if place >= len(self.folded):
            return 0
        near = _by_first(phrases).get(self.folded[place], ())
        return max((len(it) for it in near if self.at(place, it)), default=0)

    def reading(self, span: Range, first: int, last: int) -> DateReading:
        return DateReading(*span, self.tokens[first].start, self.tokens[last - 1].end)


@lru_cache(maxsize=256)
def _by_first(phrases: frozenset[tuple[str, ...]]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Phrases by their first words: a long text has few places where any begins."""
    table: dict[str, tuple[tuple[str, ...], ...]] = {}
    for phrase in sorted(phrases):
        table[phrase[0]] = (*table.get(phrase[0], ()), phrase)
    return table


def relative(text: str, today: date) -> DateReading | None:
    """The first day or period of a text that is said relative to today."""
    words = Words(text)
    readers = (_before_yesterday, _ago, _anchored, _same_day, _weekday, _named_day, _named_period)
    for place in range(len(words.tokens)):
        for read in readers:
            found = read(words, place, today)
            if found is not None:
                return found
    return None


def _before_yesterday(words: Words, place: int, today: date) -> DateReading | None:
    """`two days before yesterday` is three days ago."""
    amount = small_number(words.tokens[place])
    if amount is None:
        return None
    unit = words.match(place + 1, UNITS["day"])
    tail = words.match(place + 1 + unit, BEFORE_YESTERDAY)
    if not unit or not tail or amount > _FARTHEST_BACK:
        return None
    day = today - timedelta(days=amount + 1)
    return words.reading((day, day), place, place + 1 + unit + tail)


def _ago(words: Words, place: int, today: date) -> DateReading | None:
    """`three days ago`, `vor drei Tagen`, `неделю назад`, `back three days from today`."""
    before = words.match(place, AGO["before"]) or words.match(place, AGO["back"])
    first = place + before
    if first >= len(words.tokens):
        return None
    amount = small_number(words.tokens[first])
    counted = 1 if amount is not None or words.folded[first] in AGO_ONE else 0
    if not counted and first and words.folded[first - 1].isdigit():
        return None  # A number that was refused is not one.
    for name in ("day", "week", "fortnight", "month", "year"):
        unit = words.match(first + counted, FORTNIGHT if name == "fortnight" else UNITS[name])
        if not unit:
            continue
        last = first + counted + unit
        after = words.match(last, AGO["after"])
        if not before and not after:
            continue
        after += words.match(last + after, AGO["from"])
        day = _back(today, name, 1 if amount is None else amount)
        if day is None:
            return None
        return words.reading((day, day), place, last + after)
    return None


def _back(today: date, unit: str, amount: int) -> date | None:
    """So many units before today; a month ago is the same day of the month, if there is one."""
    if amount > _FARTHEST_BACK:
        return None
    if unit in {"month", "year"}:
        months = today.year * 12 + today.month - 1 - amount * (12 if unit == "year" else 1)
        year, month = divmod(months, 12)
        if year < 1 or today.day > monthrange(year, month + 1)[1]:
            return None
        return date(year, month + 1, today.day)
    days = amount * (_FORTNIGHT if unit == "fortnight" else _LENGTHS[unit])
    return today - timedelta(days=days) if days <= _FARTHEST_BACK else None


def _anchored(words: Words, place: int, today: date) -> DateReading | None:
    """`today minus three days`, `heute vor einer Woche`: the way back is what counts."""
    size = words.match(place, RELATIVE_DAYS[0])
    if not size or place + size >= len(words.tokens):
        return None
    skipped = int(words.folded[place + size] in _BETWEEN)
    found = _ago(words, place + size + skipped, today)
    if found is None:
        return None
    return DateReading(found.date_from, found.date_to, words.tokens[place].start, found.end)


def _same_day(words: Words, place: int, today: date) -> DateReading | None:
    """`this day last week` is a week ago."""
    before = words.match(place, SAME_DAY)
    week = _last_week(words, place + before)
    if not week:
        return None
    last = place + before + week
    for gap in range(_NEARBY):
        after = words.match(last + gap, SAME_DAY)
        if after:
            last += gap + after
            break
    else:
        if not before:
            return None
    day = today - timedelta(days=7)
    return words.reading((day, day), place, last)


def _last_week(words: Words, place: int) -> int:
    """How many words say `last week` here."""
    lead = words.match(place, LAST)
    size = words.match(place + lead, UNITS["week"])
    if lead and size:
        return lead + size
    size = words.match(place, UNITS["week"])
    tail = words.match(place + size, LAST) if size else 0
    return size + tail if tail else 0


def _weekday(words: Words, place: int, today: date) -> DateReading | None:
    """`last Friday` and `on Friday` are the latest one that is over; `上周五` is of last week."""
    han = _han_weekday(words, place, today)
    if han is not None:
        return han
    lead = words.match(place, LAST) or int(words.folded[place] in ON)
    index = WEEKDAYS.get(words.folded[place + lead]) if place + lead < len(words.folded) else None
    if index is None:
        return None
    tail = words.match(place + lead + 1, LAST)
    if not lead and not tail:
        return None
    day = today - timedelta(days=(today.weekday() - index - 1) % 7 + 1)
    return words.reading((day, day), place, place + lead + 1 + tail)


def _han_weekday(words: Words, place: int, today: date) -> DateReading | None:
    lead = words.match(place, LAST)
    size = words.match(place + lead, UNITS["week"]) if lead else 0
    at = place + lead + size
    if not size or at >= len(words.folded) or words.folded[at] not in HAN_WEEKDAYS:
        return None
    monday = today - timedelta(days=today.weekday() + 7)
    day = monday + timedelta(days=HAN_WEEKDAYS[words.folded[at]])
    return words.reading((day, day), place, at + 1)


def _named_day(words: Words, place: int, today: date) -> DateReading | None:
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


def _named_period(words: Words, place: int, today: date) -> DateReading | None:
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
    length = 3 if unit == "quarter" else 1
    months = (today.year * 12 + today.month - 1) // length * length + shift * length
    first = date(*_split(months), 1)
    last_year, last_month = _split(months + length - 1)
    return first, date(last_year, last_month, monthrange(last_year, last_month)[1])


def _split(months: int) -> tuple[int, int]:
    return months // 12, months % 12 + 1
