"""What other files of the task say about a row's key."""

from functools import cache

import numpy as np
import pandas as pd

from proveout.apps.mle.experts.blocks.rows import whole_names
from proveout.apps.mle.experts.blocks.settings import JOINS

NO_LINE = "(none)"
MOST_FURTHER = 80
"""Columns that are made of one file, at most; the plainest facts come first."""
FREQUENT = 5
"""Values of a column, the most frequent ones, that are counted one by one."""


def read_table(path: str, key: str) -> pd.DataFrame:
    """A further file of the task, its key as text, in whatever format it is."""
    if path.endswith((".parquet", ".pq")):
        table = pd.read_parquet(path)
    else:
        between = "\t" if ".tsv" in path else ","
        table = pd.read_csv(path, sep=between, dtype={key: "str"}, low_memory=False)
    table = table.dropna(subset=[key])
    return table.assign(**{key: whole_names(table[key])})


def as_days(values: pd.Series) -> pd.Series | None:
    """Days since 2000, if the column holds dates; nothing if it does not."""
    if not pd.api.types.is_datetime64_any_dtype(values.dtype):
        different = pd.Series(values.dropna().unique(), dtype="object").astype("str")
        form = r"\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})"
        if not len(different) or different.head(1000).str.match(form).mean() < 0.95:
            return None
        first = different.str.extract(r"^\s*(\d{1,2})[-/.]", expand=False).astype("float64")
        dates = pd.to_datetime(
            different, errors="coerce", format="mixed", utc=True, dayfirst=bool(first.max() > 12)
        )
        values = values.astype("str").map(dict(zip(different, dates, strict=True)))
    moments = pd.to_datetime(values, utc=True)
    return (moments - pd.Timestamp(2000, 1, 1, tz="UTC")) / pd.Timedelta(days=1)


def with_days(table: pd.DataFrame, key: str) -> tuple[pd.DataFrame, list[str]]:
    """Dates as days, yes and no as 1 and 0; and which columns hold dates."""
    table, dated = table.copy(), []
    for name in table.columns.drop(key):
        if pd.api.types.is_bool_dtype(table[name].dtype):
            table[name] = table[name].astype("float64")
        elif not pd.api.types.is_numeric_dtype(table[name].dtype):
            days = as_days(table[name])
            if days is not None:
                table[name] = days
                dated.append(str(name))
    return table, dated


def kind_columns(table: pd.DataFrame, key: str) -> list[str]:
    """Strings that come back often enough to be a kind of something."""
    words = table.select_dtypes(exclude="number").columns.drop(key)
    several = [name for name in words if table[name].nunique(dropna=False) > 1]
    return [str(name) for name in several if table[name].nunique() <= len(table) / 2]


def single_lines(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """A line for each key: its columns as they are."""
    table, _ = with_days(table, key)
    numeric = table.select_dtypes("number").columns
    lines = table.set_index(key)
    found = lines[[*numeric, *kind_columns(table, key)]]
    return found.loc[:, found.nunique(dropna=False) > 1].assign(lines=1.0)


def several_lines(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """Several lines for a key: how many, how lately, how much, of which kinds."""
    table, dated = with_days(table, key)
    grouped = table.groupby(key, sort=False)
    lines = grouped.size().astype("float64")
    made = []
    for name in dated:
        first, last = grouped[name].min(), grouped[name].max()
        made.append((table[name].max() - last).rename(f"{name}: days since the last"))
        made.append((last - first).rename(f"{name}: days from first to last"))
    for how in ("mean", "sum"):
        made += [grouped[name].agg(how).rename(f"{name}: {how}") for name in measures(table, dated)]
    for name in kind_columns(table, key):
        if grouped[name].nunique().mean() < 1.05:
            made.append(grouped[name].last().rename(name))
            continue
        for value in table[name].value_counts().index[:FREQUENT]:
            share = (table[name] == value).groupby(table[key], sort=False).mean()
            made.append(share.rename(f"{name}: share of {value}"))
    return pd.concat([lines.rename("lines"), *telling(made)], axis=1)


def line_details(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """More about several lines: spread, extremes, how many of a kind, how things stand."""
    table, dated = with_days(table, key)
    # In the order of time, if the lines have one.
    table = table.sort_values(dated[0], kind="stable") if dated else table
    grouped, kinds = table.groupby(key, sort=False), kind_columns(table, key)
    made = [
        grouped[name].nunique().astype("float64").rename(f"{name}: different") for name in kinds
    ]
    made += [grouped[name].last().rename(f"{name}: last") for name in kinds]
    for how in ("last", "std", "max", "min"):
        made += [grouped[name].agg(how).rename(f"{name}: {how}") for name in measures(table, dated)]
    for name in kinds:
        for value in table[name].value_counts().index[:FREQUENT]:
            times = (table[name] == value).groupby(table[key], sort=False).sum()
            made.append(times.astype("float64").rename(f"{name} {value}: times"))
    made += [grouped[name].min().rename(f"{name}: first") for name in dated]
    return pd.concat([pd.DataFrame(index=grouped.size().index), *telling(made)], axis=1)


def measures(table: pd.DataFrame, dated: list[str]) -> list[str]:
    """Number columns that are no dates, those with the fewest gaps first."""
    filled = table.select_dtypes("number").drop(columns=dated).count()
    return [str(name) for name in filled.sort_values(ascending=False, kind="stable").index]


def telling(made: list[pd.Series]) -> list[pd.Series]:
    """The first few of those that do not say the same of every key."""
    return [column for column in made if column.nunique(dropna=False) > 1][:MOST_FURTHER]


@cache
def table_facts(file: str, key: str, how: str) -> pd.DataFrame:
    """What a file says, a row for each key. Neither the target nor other rows play a part."""
    table = read_table(f"input/{file}", key)
    if table[key].is_unique:
        found = single_lines(table, key) if how == "plain" else table.set_index(key)[[]]
    else:
        found = several_lines(table, key) if how == "plain" else line_details(table, key)
    return found.add_prefix(f"{file} ")


def further_tables(frame: pd.DataFrame, how: str = "plain") -> pd.DataFrame:
    """What other files say about a row's key. Without a line, what is counted is nought."""
    parts = [pd.DataFrame(index=frame.index)]
    for file, key in JOINS:
        found = table_facts(file, key, how)
        rows = found.reindex(whole_names(frame[key]))
        rows.index = frame.index
        words = rows.select_dtypes(exclude="number").columns
        rows[words] = rows[words].astype("str").fillna(NO_LINE)
        counted = [name for name in found if name.endswith((" lines", ": sum", ": times"))]
        parts.append(rows.fillna(dict.fromkeys(counted, 0.0)))
    return pd.concat(parts, axis=1).replace([np.inf, -np.inf], np.nan)
