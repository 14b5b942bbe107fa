"""Facts about a row from that row alone (and, for groups, from its companions)."""

import re

import numpy as np
import pandas as pd

from proveout.apps.mle.experts.blocks.settings import (
    BOOLEANS,
    CATEGORIES,
    CODES,
    COORDINATES,
    DATES,
    GROUP,
    GROUP_MARK,
    ID,
    NUMBERS,
    SPLITTABLE,
    TEXTS,
    TIMES,
)
from proveout.apps.mle.tables.key_parts import MOST_PREFIXES, key_numbers, key_prefixes
from proveout.apps.mle.tables.periods import first_day

MISSING = "(missing)"


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Number columns; a word among them counts as missing."""
    given = frame[NUMBERS]
    words = given.select_dtypes(exclude=["number", "bool"]).columns
    mended = {name: pd.to_numeric(given[name], errors="coerce") for name in words}
    # All in one piece: whatever is done with hundreds of single columns takes far longer.
    values = given.assign(**mended).to_numpy(dtype="float64")
    return pd.DataFrame(values, columns=NUMBERS, index=frame.index)


def booleans(frame: pd.DataFrame) -> pd.DataFrame:
    """Yes/no columns as 1 and 0, missing stays missing."""
    words = {"true": 1.0, "yes": 1.0, "y": 1.0, "t": 1.0, "1": 1.0, "1.0": 1.0}
    words |= {"false": 0.0, "no": 0.0, "n": 0.0, "f": 0.0, "0": 0.0, "0.0": 0.0}
    return frame[BOOLEANS].apply(lambda column: column.astype("str").str.lower().map(words))


def categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Names as strings; `1.0` and `1` are the same name."""
    return frame[CATEGORIES].apply(
        lambda column: column.astype("str").str.replace(r"\.0$", "", regex=True).fillna(MISSING)
    )


def whole_names(names: pd.Series) -> pd.Series:
    """Keys in one spelling: a gap in a column makes `27.0` of `27`."""
    return names.astype("str").str.replace(r"^(-?\d+)\.0+$", r"\1", regex=True)


def texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Free text, and how long it is."""
    words = frame[TEXTS].fillna("").astype("str")
    sizes = {f"{name} length": words[name].str.len().astype("float64") for name in TEXTS}
    return pd.concat([words, pd.DataFrame(sizes)], axis=1)


def missing_count(frame: pd.DataFrame) -> pd.DataFrame:
    """How many fields of the row are empty: rows filled in badly are often alike."""
    known = frame[NUMBERS + BOOLEANS + CATEGORIES]
    return known.isna().sum(axis=1).astype("float64").to_frame("fields missing")


def parsed_dates(column: pd.Series) -> pd.Series:
    """Dates of a column; each different value is parsed once."""
    different = pd.Series(column.dropna().unique())
    plain = different.map(lambda cell: first_day(str(cell).strip()) or cell)
    # With or without a time zone, or some of each: all in one.
    dates = pd.to_datetime(plain, errors="coerce", format="mixed", utc=True).dt.tz_localize(None)
    return pd.to_datetime(column.map(dict(zip(different, dates, strict=True))))


def date_parts(frame: pd.DataFrame) -> pd.DataFrame:
    """Calendar facts. Of the ordering column only what comes round again: trees cannot go on."""
    parts: dict[str, pd.Series] = {}
    for name in DATES:
        date = parsed_dates(frame[name]).dt
        parts[f"{name} month"] = date.month
        parts[f"{name} day"] = date.day
        parts[f"{name} weekday"] = date.day_of_week
        parts[f"{name} day of year"] = date.day_of_year
        parts[f"{name} week of month"] = (date.day - 1) // 7
        parts[f"{name} hour"] = date.hour + date.minute / 60
        if name not in TIMES:
            parts[f"{name} year"] = date.year
            # NaT becomes NaN through the division.
            days = (parsed_dates(frame[name]) - pd.Timestamp(2000, 1, 1)) / pd.Timedelta(days=1)
            parts[f"{name} days"] = days
    return pd.DataFrame(parts, index=frame.index).astype("float64")


def day_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Weekdays and months as names: a straight line through their numbers means little."""
    parts: dict[str, pd.Series] = {}
    for name in DATES:
        date = parsed_dates(frame[name]).dt
        parts[f"{name} weekday name"] = date.day_name().astype("str").fillna(MISSING)
        parts[f"{name} month name"] = date.month_name().astype("str").fillna(MISSING)
    return pd.DataFrame(parts, index=frame.index)


def clock_columns(frame: pd.DataFrame) -> list[str]:
    """Number columns that look like a time of day written as HHMM."""
    found = []
    for name in NUMBERS:
        value = pd.to_numeric(frame[name], errors="coerce").dropna()
        wide = value.nunique() > 60 and value.min() >= 0 and 1200 < value.max() <= 2400
        if wide and bool((value % 1 == 0).all()) and bool((value % 100 < 60).all()):
            found.append(name)
    return found


def clock_parts(frame: pd.DataFrame, clocks: list[str]) -> pd.DataFrame:
    """Hours, and minutes from the first clock to the others, midnight in between or not."""
    value = frame[clocks].apply(pd.to_numeric, errors="coerce")
    minutes = value // 100 * 60 + value % 100
    parts = {f"{name} hour": minutes[name] // 60 for name in clocks}
    for name in clocks[1:]:
        parts[f"{clocks[0]} to {name}"] = (minutes[name] - minutes[clocks[0]]) % 1440
    return pd.DataFrame(parts, index=frame.index).astype("float64")


def code_columns(frame: pd.DataFrame) -> list[str]:
    """Further whole numbers with many values that come back often: perhaps names, not amounts."""
    value = numbers(frame).drop(columns=CODES)
    whole = value.columns[(value.dropna(how="all") % 1).fillna(0).abs().sum() == 0]
    return [str(name) for name in whole if 10 < value[name].nunique() < len(frame) / 5]


def code_names(frame: pd.DataFrame, codes: list[str]) -> pd.DataFrame:
    """The same numbers as names, so that each value is judged on its own."""
    value = numbers(frame)
    return pd.DataFrame(
        {f"{name} code": value[name].astype("str").fillna(MISSING) for name in codes},
        index=frame.index,
    )


def composite_plan(frame: pd.DataFrame) -> dict[str, tuple[str, list[str]]]:
    """Columns that hold several facts in one string: delimiter, and the kind of each part."""
    plan: dict[str, tuple[str, list[str]]] = {}
    for name in SPLITTABLE:
        values = frame[name].dropna().astype("str").head(3000)
        for delimiter in "/_|:;- ":
            counts = values.str.count(re.escape(delimiter))
            usual = int(counts.mode().iloc[0]) if len(counts) else 0
            if 1 <= usual <= 4 and (counts == usual).mean() > 0.95:
                parts = values[counts == usual].str.split(delimiter, expand=True, regex=False)
                isnumber = parts.apply(pd.to_numeric, errors="coerce").notna().mean() > 0.95
                plan[name] = (delimiter, ["number" if yes else "category" for yes in isnumber])
                break
    return plan


def composite_parts(frame: pd.DataFrame, plan: dict[str, tuple[str, list[str]]]) -> pd.DataFrame:
    """The parts of composite strings, each as a column of its own."""
    columns: dict[str, pd.Series] = {}
    for name, (delimiter, kinds) in plan.items():
        pieces = frame[name].astype("str").str.split(delimiter, expand=True, regex=False)
        pieces = pieces.reindex(columns=range(len(kinds)))
        for position, kind in enumerate(kinds):
            piece = pieces[position].where(frame[name].notna())
            if kind == "number":
                columns[f"{name} part {position + 1}"] = pd.to_numeric(piece, errors="coerce")
            else:
                columns[f"{name} part {position + 1}"] = piece.astype("str").fillna(MISSING)
    return pd.DataFrame(columns, index=frame.index)


def key_parts(frame: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """Prefix and numbers of the rows' names, as far as these have some."""
    numbers = key_numbers(frame[ID])
    parts = {
        f"{ID} {name}": numbers[name] for name in key_numbers(like[ID]).dropna(how="all", axis=1)
    }
    if 1 < key_prefixes(like[ID]).nunique() <= MOST_PREFIXES:
        parts[f"{ID} prefix"] = key_prefixes(frame[ID])
    return pd.DataFrame(parts, index=frame.index)


def amount_columns(frame: pd.DataFrame) -> list[str]:
    """Columns like bills or counts: never negative, often nought, with a long tail."""
    value = numbers(frame)
    spread = value.max() > 3 * value.mean()
    chosen = value.columns[(value.min() >= 0) & ((value == 0).mean() > 0.3) & spread]
    return [str(name) for name in chosen] if len(chosen) >= 3 else []


def amount_totals(frame: pd.DataFrame, amounts: list[str]) -> pd.DataFrame:
    """Their sum, how many are not nought, and the largest one's share."""
    value = numbers(frame)[amounts]
    total = value.sum(axis=1, min_count=1)
    facts = {
        "amounts total": np.log1p(total),
        "amounts used": (value > 0).sum(axis=1).where(total.notna()).astype("float64"),
        "amounts largest share": value.max(axis=1) / total.where(total > 0),
        "amounts none": (total == 0).where(total.notna()).astype("float64"),
    }
    return pd.DataFrame(facts, index=frame.index)


def ratio_pairs(frame: pd.DataFrame, most: int = 12) -> list[tuple[str, str]]:
    """Pairs of positive numbers that grow together: their ratio says what size hides."""
    value = numbers(frame).sample(min(len(frame), 4000), random_state=0)
    value = value.drop(columns=[name for pair in COORDINATES for name in pair])
    positive = (value.min() >= 0) & (value.nunique() > 30) & ((value == 0).mean() < 0.3)
    likeness = value.loc[:, positive].corr(method="spearman").abs()
    pairs = [
        (likeness.loc[first, second], str(first), str(second))
        for position, first in enumerate(likeness.columns)
        for second in likeness.columns[position + 1 :]
        if 0.3 < likeness.loc[first, second] < 0.999
    ]
    return [(first, second) for _, first, second in sorted(pairs, reverse=True)[:most]]


def ratios(frame: pd.DataFrame, pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """One number for each pair; nought below the line counts as missing."""
    value = numbers(frame)
    return pd.DataFrame(
        {f"{a} / {b}": value[a] / value[b].where(value[b] != 0) for a, b in pairs},
        index=frame.index,
    )


def turned_coordinates(frame: pd.DataFrame) -> pd.DataFrame:
    """Positions along slanted axes: a tree cuts only at right angles to an axis."""
    parts: dict[str, pd.Series] = {}
    for latitude, longitude in COORDINATES:
        north = pd.to_numeric(frame[latitude], errors="coerce")
        east = pd.to_numeric(frame[longitude], errors="coerce")
        for degrees in (22.5, 45.0, 67.5):
            angle = np.deg2rad(degrees)
            parts[f"{latitude} {degrees:g}"] = north * np.cos(angle) + east * np.sin(angle)
            parts[f"{longitude} {degrees:g}"] = east * np.cos(angle) - north * np.sin(angle)
    return pd.DataFrame(parts, index=frame.index)


def group_keys(frame: pd.DataFrame) -> pd.Series:
    """Whom a row belongs to; a row without a name belongs to nobody else."""
    keys = frame[GROUP].astype("str")
    keys = keys.str.rsplit(GROUP_MARK, n=1).str[0] if GROUP_MARK else whole_names(keys)
    alone = pd.Series([f"(nobody) {row}" for row in range(len(keys))], index=keys.index)
    return keys.where(frame[GROUP].notna(), alone)


def companions(facts: pd.DataFrame, key: pd.Series) -> pd.DataFrame:
    """How many rows share the key, and what they have in common. The target plays no part."""
    size = key.groupby(key).transform("size").where(key.notna(), 1.0)
    columns = {"group size": size.astype("float64"), "group alone": (size == 1).astype("float64")}
    for name in facts.select_dtypes("number").columns:
        if facts[name].nunique() > 1:
            columns[f"{name} group mean"] = facts[name].groupby(key).transform("mean")
    return pd.DataFrame(columns, index=facts.index)


def filled_from_companions(facts: pd.DataFrame, key: pd.Series) -> pd.DataFrame:
    """Missing names taken from the others of the group, who mostly have the same one."""
    filled = facts.copy()
    for name in facts.select_dtypes(exclude="number").columns:
        known = facts[name].where(facts[name] != MISSING)
        filled[name] = known.fillna(known.groupby(key).transform("first")).fillna(MISSING)
    return filled
