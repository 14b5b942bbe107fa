"""Days and ranges in words, in eight languages, always relative to the day the API calls today."""

import re
from calendar import monthrange
from datetime import date

from proveout.apps.solver.resolve.date_words import MONTHS, ORDINALS, SINCE, UNITS, VERBS
from proveout.apps.solver.resolve.relative_dates import DateReading, Range, Words, relative

__all__ = ["DateReading", "read_dates", "resolve_dates", "speaks_of_time"]

_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_ISO_MONTH = re.compile(r"(?<![\d-])(\d{4})-(0[1-9]|1[0-2])(?![\d-])")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{4})(?!\d)")
_HAN = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*[日号])?")
_QUARTER = re.compile(r"\b[qQTtКк]([1-4])\s*(?:of\s+|/|-)?\s*(\d{4})\b")
_QUARTER_WORD = re.compile(
    r"\b(?:(1|first|erste[sn]?|primo|premier|primer|prvi|prvom|перв\w+)|(2|second|zweite[sn]?|secondo"
    r"|deuxième|segundo|drugi|drugom|втор\w+)|(3|third|dritte[sn]?|terzo|troisième|tercer|treći"
    r"|trećem|трет\w+)|(4|fourth|vierte[sn]?|quarto|quatrième|cuarto|četvrti|четв\w+))"
    r"(?:st|nd|rd|th|\.|[eè]me)?\s+(?:quarter|quartal|trimestre|kvartal\w*|квартал\w*)"
    r"\s+(?:of\s+|de\s+|del\s+|du\s+|des\s+jahres\s+)?(\d{4})\b",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"\b(?:in|during|throughout|im\s+jahre?|nel|durante|tokom|en\s+el\s+año|en\s+l'année)\s+"
    r"((?:19|20)\d\d)(?![\d./-]|\s*[./-]\s*\d)|(?<!\d)((?:19|20)\d\d)\s*年(?!\s*\d)",
    re.IGNORECASE,
)
_SAME_MONTH = re.compile(
    r"(?<![\d.,/-])(\d{1,2})(?:st|nd|rd|th|er|\.)?\s*(?:-|–|—|\b(?:to|and|until|till|through|bis|und"
    r"|bis zum|al|au|et|e|y|a|do|i|по|и|до)\b)\s*(?:the\s+|zum\s+|il\s+|le\s+|el\s+)?"
    r"(?=\d{1,2}(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+|di\s+)?[^\W\d])",
    re.IGNORECASE,
)
"""The first day of `3 to 17 March`: its month is the one that follows."""
FARTHEST = 12
"""Characters between the two ends of a range."""
_UNTIL = re.compile(
    r"^\W*(?:to|until|till|through|up to|and|bis|und|fino a|al|a|jusqu'à|jusqu’à|au|hasta|do|i|по|и"
    r"|до|到|至)?\W*$",
    re.IGNORECASE,
)
_OF = frozenset({"of", "de", "di", "d", "del", "the", "den", "dem", "go", "ogo"})


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
        days = [it for it in (relative(text, today),) if it]
        if not days:
            return None
    # A second date makes a range only if it follows closely; elsewhere it is another matter.
    close = [it for it in days[1:2] if it.start - days[0].end <= FARTHEST]
    close = close or _relative_end(text, days[0], today)
    days = [days[0], *close]
    if not close and days[0].date_from <= today:
        days[0] = _since(text, days[0], today)
    return DateReading(
        min(it.date_from for it in days),
        max(it.date_to for it in days),
        days[0].start,
        max(it.end for it in days),
    )


def speaks_of_time(text: str) -> bool:
    """Whether a text names a unit of time, if only in words that give no certain days."""
    words = Words(text)
    return any(
        words.match(place, phrases)
        for place in range(len(words.tokens))
        for phrases in UNITS.values()
    )


def _relative_end(text: str, first: DateReading, today: date) -> list[DateReading]:
    """The other end of `from 2 March until yesterday`."""
    tail = text[first.end :]
    found = relative(tail, today)
    if found is None or found.start > FARTHEST or not _UNTIL.match(tail[: found.start]):
        return []
    if found.date_to < first.date_from or not tail[: found.start].strip():
        return []
    end = first.end + found.end
    return [DateReading(found.date_from, found.date_to, first.end + found.start, end)]


def _since(text: str, only: DateReading, today: date) -> DateReading:
    """`since March` reaches to today."""
    whole_months = only.date_from.day == 1 and only.date_from != only.date_to
    if only.date_from != only.date_to and not whole_months:
        return only
    before = Words(text[: only.start])
    skipped = 1
    while skipped < len(before.folded) and before.folded[-skipped] in _OF:
        skipped += 1
    if len(before.folded) < skipped:
        return only
    if before.tokens[-skipped].raw.casefold() not in SINCE:
        return only
    # Some of these words only begin a range; alone, without its end, they mean `since`.
    return DateReading(only.date_from, today, before.tokens[-skipped].start, only.end)


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
    for match in _ISO_MONTH.finditer(text):
        span = _month(int(match.group(1)), int(match.group(2)))
        if span is not None and not any(it.start <= match.start() < it.end for it in found):
            found.append(DateReading(*span, match.start(), match.end()))
    for match in _QUARTER.finditer(text):
        found += _quarter(int(match.group(1)), int(match.group(2)), match)
    for match in _QUARTER_WORD.finditer(text):
        number = next(place for place in (1, 2, 3, 4) if match.group(place))
        found += _quarter(number, int(match.group(5)), match)
    for match in _YEAR.finditer(text):
        year_said = int(match.group(1) or match.group(2))
        if not any(it.start < match.end() and match.start() < it.end for it in found):
            first, last = date(year_said, 1, 1), date(year_said, 12, 31)
            found.append(DateReading(first, last, match.start(), match.end()))
    return found


def _quarter(number: int, year: int, match: re.Match[str]) -> list[DateReading]:
    if not 1 <= year <= 9999:
        return []
    first = date(year, 3 * number - 2, 1)
    last = date(year, 3 * number, monthrange(year, 3 * number)[1])
    return [DateReading(first, last, match.start(), match.end())]


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


def _months(text: str, today: date) -> list[DateReading] | None:
    """`5 March 2025`, `March 5, 2025`, `March 2025`, `in March`; None if a day does not exist."""
    words = Words(text)
    found: list[DateReading] = []
    for place, word in enumerate(words.folded):
        month = MONTHS.get(word)
        counts = any(words.match(place + 1, phrases) for phrases in UNITS.values())
        beside = words.folded[max(0, place - 2) : place] + words.folded[place + 1 : place + 2]
        verb = word in VERBS and not any(map(_ordinal, beside))
        if month is None or counts or verb:  # `sept jours` are seven days.
            continue
        reading = _month_at(words, place, month, today)
        if reading is None:
            return None
        found.append(_from_earlier_day(text, reading))
    return found


def _from_earlier_day(text: str, last: DateReading) -> DateReading:
    """`3 to 17 March` begins on the 3rd."""
    if last.date_from != last.date_to:
        return last
    for match in _SAME_MONTH.finditer(text, 0, len(text)):
        day = int(match.group(1))
        if match.end() == last.start and 1 <= day < last.date_from.day:
            return DateReading(
                last.date_from.replace(day=day), last.date_to, match.start(), last.end
            )
    return last


def _month_at(words: Words, place: int, month: int, today: date) -> DateReading | None:
    first, last = place, place + 1
    day = year = 0
    around = [it for it in range(place - 2, place + 4) if 0 <= it < len(words.folded)]
    numbers = {it: _ordinal(words.folded[it]) for it in around if it != place}
    for it, value in numbers.items():
        parted = it == place - 2 and words.folded[place - 1] not in _OF
        if value and value > 1900 and not year and it > place:
            year, last = value, max(last, it + 1)
        elif value and value <= 31 and not day and not parted and abs(it - place) <= 2:
            day, first, last = value, min(first, it), max(last, it + 1)
    if not year:
        year = _year_of_next(words, last) or (
            today.year if (month, day or 1) <= (today.month, today.day) else today.year - 1
        )
    span = _day(year, month, day) if day else _month(year, month)
    return None if span is None else words.reading(span, first, last)


def _year_of_next(words: Words, place: int) -> int:
    """The year of the other end, in `between March and May 2025`."""
    for it in range(place, min(place + 4, len(words.folded))):
        if words.folded[it] in MONTHS:
            later = [_digits(word) for word in words.folded[it + 1 : it + 3]]
            return next((value for value in later if value > 1900), 0)
    return 0


def _ordinal(word: str) -> int:
    return _digits(word) or ORDINALS.get(word, 0)


def _digits(word: str) -> int:
    plain = word.rstrip("stndrhe") if word[:1].isdigit() else ""
    return int(plain) if plain.isdecimal() and plain.isascii() and len(plain) < 5 else 0
