"""What a column holds, told from its values and a little from its name."""

import re
from typing import Any

import numpy as np
import pandas as pd

from proveout.apps.mle.problem import Column, ColumnKind, Look
from proveout.apps.mle.tables.periods import first_day

LOOKED_AT = 2_000
"""Values that are enough to tell a date or a text by."""
MOSTLY = 0.95
TEXT_WORDS = 3.0
"""Words per value from which on strings are text."""
TITLE_WORDS = 1.5
"""Fewer words are text, too, if many values are different."""
TITLE_UNIQUE = 0.1
KEY_UNIQUE = 0.98
"""Share of different values that makes a key."""

_YES_NO = ({"true", "false"}, {"yes", "no"}, {"y", "n"}, {"t", "f"})
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY_NAME = re.compile(
    r"^(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?\.?,? +(?=\S)", re.IGNORECASE
)
"""Before a date it says nothing that the date does not, and few readers expect it."""
_TIME = r"((t|,? )\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[ap]m)?( ?(z|utc|gmt|[+-]\d{2}:?\d{2}))?)?"
_DATE = re.compile(
    rf"(\d{{4}}-\d{{1,2}}(-\d{{1,2}})?{_TIME}"
    rf"|\d{{4}}[/.]\d{{1,2}}([/.]\d{{1,2}})?{_TIME}"
    rf"|\d{{1,2}}[/.-]\d{{1,2}}[/.-](\d{{4}}|\d{{2}}){_TIME}"
    rf"|{_MONTH}[- ,/]+\d{{2,4}}"
    rf"|\d{{4}}[- /]{_MONTH}"
    rf"|\d{{1,2}}[- ]{_MONTH}[- ,]+\d{{2,4}}{_TIME}"
    rf"|{_MONTH} \d{{1,2}},? \d{{4}}{_TIME}"
    rf"|{_MONTH} +\d{{1,2}}{_TIME} \d{{4}})",
    re.IGNORECASE,
)
FEWEST_MONTHS = 6
"""Different ones, and of more than one year, unless the column is called like months."""
_CODE_WORDS = {"id", "ids", "uuid", "guid", "key", "code", "codes", "zip", "postcode", "no", "nr"}
_CODE_NAME = re.compile(
    r"(zip|post|area)code"
    r"|(user|item|unit|person|patient|player|team|film|movie|store|shop|site|station|product|order|"
    r"customer|client|member|account|device|school|course|dept|emp|cust|prod)(id|nr|no|code)"
)
CODE_REPEATS, SPREAD = 3.0, 5.0
"""Rows per value, and numbers between the least and the largest per value, from which on numbers of
one length are codes whatever they are called."""
_MONTH_WORDS = {"month", "months", "period", "yyyymm", "ym", "yearmonth"}
_DATE_WORDS = {"date", "day", "datetime", "timestamp", "time", "ymd", "dt"}


def name_words(name: str) -> list[str]:
    """Parts of a column's name: `sched_depTime` → sched, dep, time."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [part for part in re.split(r"[^a-z0-9]+", spaced.lower()) if part]


def is_number(values: pd.Series) -> bool:
    kind = values.dtype
    return bool(pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind))


def is_whole(values: pd.Series) -> bool:
    """A column of numbers without fractions; gaps do not count."""
    if pd.api.types.is_integer_dtype(values.dtype):
        return True
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    with np.errstate(invalid="ignore"):
        return bool((np.isnan(numbers) | (numbers % 1 == 0)).all())


def lies_within(values: pd.Series, low: float, high: float) -> bool:
    """Whether all numbers of a column do, as far as they are known."""
    return not len(values) or not (values.min() < low or values.max() > high)


def as_dates(values: pd.Series, *, dayfirst: bool = False) -> pd.Series | None:
    """Moments, if the column holds dates; strings of one form, or numbers like 20131231.

    Where a first number is more than twelve, days come first in any case.
    """
    packed = _as_packed(values)
    if packed is not None:
        return _packed_dates(packed)
    present = values.dropna()
    some = present.iloc[:: max(1, len(present) // LOOKED_AT)].astype(str).str.strip()
    if len(some) == 0 or some.map(_is_date).mean() < MOSTLY:
        return None
    plain = some.map(_usual)
    cells = values.astype("object").where(values.notna(), None)
    if (plain != some).any():
        usual = {cell: _usual(str(cell).strip()) for cell in present.unique()}
        cells = cells.map(lambda cell: usual.get(cell, cell))
    # What begins with a year goes on with the month; pandas would turn it if asked to.
    dayfirst = (dayfirst or _days_first(plain)) and not (
        plain[plain.map(_is_date)].str.match(r"\d{4}").all()
    )
    moments = pd.to_datetime(
        cells,
        errors="coerce",
        format="mixed",
        dayfirst=dayfirst,
        utc=True,
    )
    return moments if moments.notna().sum() >= MOSTLY * len(present) else None


def _is_date(text: str) -> bool:
    return bool(_DATE.fullmatch(_usual(text)))


def _usual(text: str) -> str:
    """A date without the name of its day; of a week, a month by number or a quarter the first."""
    bare = _DAY_NAME.sub("", text, count=1)
    return first_day(bare) or bare


def _unusual(text: str) -> bool:
    return _usual(text) != text


def _days_first(some: pd.Series) -> bool:
    firsts = some.str.extract(r"^(\d{1,2})[/.-]\d{1,2}[/.-]\d{2}", expand=False).astype(float)
    return bool((firsts > 12).any())


def easily_misread(*tables: pd.Series) -> bool:
    """A column of dates that begin with the day, as one of these tables shows, or with its name;
    or of weeks, months by number or quarters, or of packed months."""
    packed = [_as_packed(values) for values in tables]
    if packed[0] is not None:
        return _packed_months(packed[0]) is not None and all(
            it is not None and _packed_months(it, sure=True) is not None for it in packed[1:]
        )
    if any(it is not None for it in packed) or any(as_dates(values) is None for values in tables):
        return False
    spelled = [values.dropna().astype(str).str.strip() for values in tables]
    return any(_days_first(it) or it.head(LOOKED_AT).map(_unusual).any() for it in spelled)


def iso_dates(values: pd.Series) -> pd.Series:
    """Dates however spelled as everyone reads them; what is none stays as it is."""
    moments = as_dates(values, dayfirst=True)
    if moments is None and (packed := _as_packed(values)) is not None:
        moments = _packed_months(packed, sure=True)
    if moments is None:
        return values
    plain = moments.dt.strftime("%Y-%m-%d %H:%M:%S").str.removesuffix(" 00:00:00")
    return plain.where(moments.notna(), values)


def _as_packed(values: pd.Series) -> pd.Series | None:
    """Numbers, also where they are spelled in six digits: these may be packed months."""
    if is_number(values):
        return values
    some = values.dropna().head(LOOKED_AT).astype(str).str.strip()
    if not len(some) or not some.str.fullmatch(r"\d{6}(\.0+)?").all():
        return None
    return pd.to_numeric(values, errors="coerce").rename(values.name)


def _packed_months(values: pd.Series, *, sure: bool = False) -> pd.Series | None:
    """Numbers like 202107. Codes may look like it; `sure` is who knows that they are none."""
    present = values.dropna()
    if not len(present) or not lies_within(present, 190001, 210012) or not is_whole(present):
        return None
    if not (present % 100).between(1, 12).all():
        return None
    name = str(values.name or "")
    if not (sure or _MONTH_WORDS & set(name_words(name))):
        several = present.nunique() >= FEWEST_MONTHS and (present // 100).nunique() > 1
        if is_key_name(name) or is_code_name(name) or not several:
            return None
    return pd.to_datetime(
        values.astype("Int64").astype("string"), format="%Y%m", errors="coerce", utc=True
    )


def _packed_dates(values: pd.Series) -> pd.Series | None:
    if not lies_within(values, 19000101, 21001231):
        return _packed_months(values)
    present = values.dropna()
    if len(present) == 0:
        return None
    whole = present.astype("int64")
    months, days = whole // 100 % 100, whole % 100
    if not (months.between(1, 12).all() and days.between(1, 31).all() and (whole == present).all()):
        return None
    return pd.to_datetime(values.astype("Int64").astype("string"), format="%Y%m%d", errors="coerce")


def is_calendar_name(name: str) -> bool:
    return bool(_DATE_WORDS & set(name_words(name)))


def described(name: str, train: pd.Series, test: pd.Series | None) -> Column:
    """The column as the training file has it, with its gaps in the test file."""
    unique = int(train.nunique(dropna=True))
    words = 0.0
    kind: ColumnKind
    if unique == 0 or (unique == 1 and not train.isna().any()):
        kind = "constant"
    elif pd.api.types.is_bool_dtype(train.dtype) or _is_yes_no(train):
        kind = "boolean"
    elif as_dates(train) is not None:
        kind = "date"
    elif is_number(train):
        kind = "id" if _is_number_key(name, train, unique) else "number"
    else:
        words = words_in(train)
        kind = _string_kind(train, unique, words)
    return Column(
        name=name,
        kind=kind,
        missing=round(float(train.isna().mean()), 6),
        missing_test=round(float(test.isna().mean()), 6) if test is not None else 0.0,
        unique=unique,
        words=round(words, 2),
        code=kind == "number" and _are_names(name, train, test),
        look=_look_of(train, unique) if kind == "number" else "",
    )


def _look_of(values: pd.Series, unique: int) -> Look:
    """By the rules that scripts go by, so that none makes columns out of nothing."""
    known = values.dropna().astype("float64")
    if known.min() < 0:
        return ""
    if unique > 60 and 1200 < known.max() <= 2400 and is_whole(known) and (known % 100 < 60).all():
        return "clock"
    often_nought = float((values == 0).mean()) > 0.3
    return "amount" if often_nought and known.max() > 3 * known.mean() else ""


def _is_yes_no(values: pd.Series) -> bool:
    if is_number(values):
        return False
    seen = {str(value).strip().lower() for value in values.dropna().unique()[:3]}
    return len(seen) == 2 and seen in _YES_NO


def is_key_name(name: str) -> bool:
    """`id`, `PassengerId`, `row_id`, `uuid`, `index`, `Unnamed: 0`."""
    words = name_words(name)
    known = {"id", "ids", "uuid", "guid", "key", "index", "idx", "rowid", "unnamed"}
    return bool(words) and (words[-1] in known or words[0] in ("id", "unnamed"))


def _is_number_key(name: str, values: pd.Series, unique: int) -> bool:
    return is_key_name(name) and unique >= KEY_UNIQUE * len(values) and is_whole(values)


def is_code_name(name: str) -> bool:
    """`userId`, `unitid`, `occupation_code`, `zip`, `house no`."""
    words = name_words(name)
    plain = bool(words) and (words[-1] in _CODE_WORDS or words[0] in ("id", "zip"))
    return plain or any(_CODE_NAME.fullmatch(word) for word in words)


def _are_names(name: str, train: pd.Series, test: pd.Series | None) -> bool:
    """Whole numbers that repeat and are names rather than amounts, by their name or their values;
    most of the test are known from training, or nothing could be learnt about them."""
    known = train.dropna()
    values = pd.Series(known.unique())
    whole = bool((values % 1 == 0).all() and values.between(0, 2**53).all())
    if not whole or len(values) < 3 or len(values) > len(known) / 2:
        return False
    if test is not None and len(test) and test.dropna().isin(values).mean() < 0.5:
        return False
    return is_code_name(name) or (not is_calendar_name(name) and _look_like_codes(values, known))


def _look_like_codes(values: pd.Series, known: pd.Series) -> bool:
    """Many numbers of one length, far apart and seldom round: amounts are dense where they are
    common, and people round them."""
    length = values.astype("int64").astype(str).str.len()
    thin = values.max() - values.min() > SPREAD * len(values)
    often = len(values) > 50 and len(known) >= CODE_REPEATS * len(values)
    round_ones = float((values % 10 == 0).mean())
    return bool(length.min() == length.max() >= 4 and thin and often and round_ones < 0.2)


def words_in(values: pd.Series) -> float:
    """Words per value."""
    present = values.dropna()
    some = present.iloc[:: max(1, len(present) // LOOKED_AT)].astype(str)
    return float(some.str.split().str.len().mean()) if len(some) else 0.0


def _string_kind(values: pd.Series, unique: int, words: float) -> ColumnKind:
    filled = max(1, int(values.notna().sum()))
    if words >= TEXT_WORDS and unique > 0.2 * filled:
        return "text"
    if words >= TITLE_WORDS and unique > max(50, TITLE_UNIQUE * filled):
        return "text"
    return "id" if unique >= KEY_UNIQUE * filled and filled > 20 else "category"


def as_label(value: Any) -> str:
    """One spelling of a class, for comparing: `True` and `TRUE`, `3` and `3.0`, `0.5` and `.50`."""
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        number = float(text)
    except ValueError:
        return text
    if not np.isfinite(number):
        return text
    return str(int(number)) if number == int(number) else repr(number)
