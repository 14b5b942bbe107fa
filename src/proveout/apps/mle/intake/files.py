"""Tables in files: found, told apart by name and columns, read within bounds."""

import gzip
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from proveout.apps.mle.intake.errors import question, unusable

ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")
DESCRIPTIONS = (".md", ".txt", ".rst")
PLACES = ("", "input", "data")
"""Where tables may be, inside the folder."""
MOST_SAMPLED = 200_000
"""Rows that inspection looks at, at most; every n-th is taken beyond that."""
CHUNK = 100_000
LARGEST_TEXT = 1_000_000
"""Characters of a description that are read."""
MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"]
    + ["<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"]
)
"""Spellings that every reader of tables takes for a missing value."""
HEADER_BYTES = 4_000_000
"""No honest table has a longer first line."""


@dataclass(frozen=True)
class Files:
    """Which file plays which part; paths are relative to the task folder."""

    train: tuple[str, ...]
    test: str
    sample: str
    others: tuple[str, ...]


def tables_in(folder: Path) -> list[str]:
    """Every table of the folder, by name; links that lead elsewhere are tables like any other."""
    found: list[str] = []
    for place in PLACES:
        here = folder / place
        if here.is_dir():
            found += [
                str(path.relative_to(folder))
                for path in sorted(here.iterdir())
                if path.name.lower().endswith(ENDINGS) and path.is_file()
            ]
    return found


def description_in(folder: Path) -> str:
    """What is written about the task, in one text: `description.*` first, then the rest."""
    texts: list[tuple[bool, str, Path]] = []
    for place in PLACES:
        here = folder / place
        if here.is_dir():
            texts += [
                (
                    not re.match(r"(description|overview|task|readme)", path.name.lower()),
                    path.name,
                    path,
                )
                for path in here.iterdir()
                if path.name.lower().endswith(DESCRIPTIONS) and path.is_file()
            ]
    parts = [path.read_text("utf-8", errors="replace")[:LARGEST_TEXT] for *_, path in sorted(texts)]
    return "\n\n".join(parts)


def words_of(name: str) -> set[str]:
    """Parts of a file name: `X_train2.csv` → {x, train, csv}."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", Path(name).name)
    return {part for part in re.split(r"[^a-z]+", spaced.lower()) if part}


def header_of(path: Path) -> list[str]:
    """Names of columns, without reading the table."""
    if path.name.lower().endswith((".parquet", ".pq")):
        return _parquet_names(path)
    names = _csv_names(path)
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        message = f"{path.name}: column {repeated[0]!r} is there {names.count(repeated[0])} times"
        raise unusable(message, "duplicate_columns", "give every column a name of its own")
    return names


def _csv_names(path: Path) -> list[str]:
    options: dict[str, Any] = {"header": None, "nrows": 1, "dtype": str, "keep_default_na": False}
    try:
        sep = _delimiter(_first_line(path))
        head = pd.read_csv(path, sep=sep, encoding="utf-8-sig", **options)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, OSError, EOFError) as error:
        message = f"{path.name}: {str(error).strip()[:200]}"
        raise unusable(message, "unreadable", "export it again") from None
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error) from None
    return [str(name) for name in head.iloc[0]]


def _parquet_names(path: Path) -> list[str]:
    from pyarrow import ArrowException, parquet

    try:
        return [str(name) for name in parquet.read_schema(path).names]
    except (ArrowException, OSError) as error:
        reason = str(error).splitlines()[0][:200]
        message = f"{path.name} is not a readable Parquet file: {reason}"
        raise unusable(message, "unreadable", "export it again") from None


def _first_line(path: Path) -> str:
    try:
        packed = path.name.lower().endswith(".gz")
        with gzip.open(path) if packed else path.open("rb") as stream:
            line = stream.readline(HEADER_BYTES)
    except (OSError, EOFError) as error:
        msg = f"{path.name}: {error}"
        raise unusable(msg, "unreadable", "export it again") from None
    if not line.strip():
        msg = f"{path.name} is empty"
        raise unusable(msg, "empty", "get a complete copy of the file")
    try:
        return line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error) from None


def _not_utf8(path: Path, error: UnicodeDecodeError) -> Exception:
    shown = error.object[error.start : error.start + 1].hex()
    message = f"{path.name} is not UTF-8: byte 0x{shown} at {error.start}"
    hint = f"convert it, for instance with: iconv -f latin1 -t utf-8 {path.name}"
    return unusable(message, "encoding", hint)


def _delimiter(line: str) -> str:
    """The separator that is there most often, outside of quotes."""
    bare = re.sub(r'"[^"]*"', "", line)
    return max(",;\t|", key=lambda mark: (bare.count(mark), mark == ","))


@dataclass(frozen=True)
class Sampled:
    """Rows of a table that were looked at, and how many there are."""

    frame: pd.DataFrame
    rows: int


def read_table(path: Path, *, text: bool = False) -> pd.DataFrame:
    """The whole table. `text`: every value as it is spelled, nothing taken for missing."""
    return pd.concat(_chunks(path, text=text), ignore_index=True)


def sample_table(path: Path, most: int = MOST_SAMPLED) -> Sampled:
    """At most `most` rows, evenly over the file, in bounded memory."""
    kept: list[pd.DataFrame] = []
    rows = step = 0
    for chunk in _chunks(path):
        # A guess at the file's length from its first chunk; thinned again at the end if too low.
        step = step or max(1, _expected_rows(path, chunk) // most)
        first = (-rows) % step
        kept.append(chunk.iloc[first::step])
        rows += len(chunk)
    frame = pd.concat(kept, ignore_index=True)
    if len(frame) > most:
        frame = frame.iloc[:: -(-len(frame) // most)].reset_index(drop=True)
    return Sampled(frame, rows)


def _expected_rows(path: Path, chunk: pd.DataFrame) -> int:
    if len(chunk) < CHUNK:
        return len(chunk)
    head = io.StringIO()
    chunk.head(200).to_csv(head, index=False)
    packed = 5 if not path.name.lower().endswith((".csv", ".tsv")) else 1
    return int(packed * path.stat().st_size / max(1.0, len(head.getvalue()) / 200))


def _chunks(path: Path, *, text: bool = False) -> Any:
    names = header_of(path)
    if path.name.lower().endswith((".parquet", ".pq")):
        yield from _parquet_chunks(path, text=text)
        return
    options: dict[str, Any] = {"dtype": str, "keep_default_na": False} if text else {}
    try:
        with pd.read_csv(
            path,
            sep=_delimiter(_first_line(path)),
            chunksize=CHUNK,
            encoding="utf-8-sig",
            low_memory=False,
            **options,
        ) as reader:
            empty = True
            for chunk in reader:
                if not isinstance(chunk.index, pd.RangeIndex):
                    message = f"{path.name}: rows have more values than the {len(names)} columns"
                    raise unusable(message, "ragged", "give every row as many values as columns")
                chunk.columns = [str(name) for name in chunk.columns]
                empty = empty and not len(chunk)
                yield chunk
            if empty:
                msg = f"{path.name} has no rows"
                raise unusable(msg, "empty", "get a complete copy")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, error) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, EOFError, OSError) as error:
        reason = str(error).strip()[:200]
        msg = f"{path.name}: {reason}"
        raise unusable(msg, "unreadable", "export it again") from None


def _parquet_chunks(path: Path, *, text: bool) -> Any:
    from pyarrow import parquet

    empty = True
    for batch in parquet.ParquetFile(path).iter_batches(batch_size=CHUNK):
        chunk = batch.to_pandas()
        empty = empty and not len(chunk)
        yield _spelled(chunk) if text else _plain(chunk)
    if empty:
        msg = f"{path.name} has no rows"
        raise unusable(msg, "empty", "get a complete copy")


def _plain(chunk: pd.DataFrame) -> pd.DataFrame:
    """As if it had been read from CSV: dates and categories as text."""
    chunk.columns = [str(name) for name in chunk.columns]
    for name in chunk.columns:
        kind = chunk[name].dtype
        if not (pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind)):
            chunk[name] = chunk[name].astype("object").where(chunk[name].notna(), None)
            chunk[name] = chunk[name].map(lambda value: None if value is None else str(value))
    return chunk


def _spelled(chunk: pd.DataFrame) -> pd.DataFrame:
    stream = io.StringIO()
    _plain(chunk).to_csv(stream, index=False)
    stream.seek(0)
    return pd.read_csv(stream, dtype=str, keep_default_na=False)


def parts(folder: Path, given: dict[str, Any]) -> Files:
    """Who is who: what `given` names, else by name, else by columns."""
    found = tables_in(folder)
    if not found:
        places = ", ".join(str(folder / place) for place in PLACES)
        message = f"no table in {places}"
        packed = any(folder.glob("*.zip"))
        wanted = f"put in files that end with {', '.join(ENDINGS)}"
        raise unusable(message, "no_tables", "unpack the archives" if packed else wanted)
    sample = given.get("sample_file") or _sample(found)
    rest = [name for name in found if name != sample]
    test = given.get("test_file") or _test(folder, rest)
    train = tuple(given.get("train_files") or _train(folder, [it for it in rest if it != test]))
    for name in (*train, test, *([sample] if sample else [])):
        if not (folder / name).is_file():
            message = f"there is no file {name!r} in {folder}"
            raise unusable(message, "no_file", f"tables that are there: {', '.join(found)}")
    used = {*train, test, sample}
    return Files(train, test, sample, tuple(name for name in found if name not in used))


def _sample(found: list[str]) -> str:
    wanted = {"sample", "submission", "submit"}
    return next((name for name in found if words_of(name) & wanted), "")


def _test(folder: Path, found: list[str]) -> str:
    called = {"test", "testing"}
    named = [name for name in found if called & words_of(name) and not _labels_only(name)]
    if len(named) == 1:
        return named[0]
    if not named and len(found) == 2:
        one, other = ({*header_of(folder / name)} for name in found)
        if one < other or other < one:
            return found[0] if one < other else found[1]
    if not named:
        message = f"which file holds the rows to predict? There are: {', '.join(found)}"
        raise question(message, "test", 'test_file = "…"')
    message = f"which of {', '.join(named)} holds the rows to predict?"
    raise question(message, "test", f'test_file = "{named[0]}"')


def _labels_only(name: str) -> bool:
    return bool(
        words_of(name) & {"label", "labels", "target", "targets", "y", "answers", "solution"}
    )


def _train(folder: Path, found: list[str]) -> list[str]:
    named = [name for name in found if "train" in words_of(name) or "training" in words_of(name)]
    if not named and len(found) == 1:
        named = found
    if not named:
        listed = ", ".join(found) or "no other table"
        message = f"which file holds the labelled rows? There is {listed}"
        raise question(message, "train", 'train_files = ["…"]')
    named.sort(key=lambda name: (_labels_only(name), -len(header_of(folder / name)), name))
    return named


def joined(frames: list[pd.DataFrame], names: list[str]) -> pd.DataFrame:
    """Labelled rows out of several files: more rows of the same columns, or columns by a key."""
    whole = frames[0]
    for frame, name in zip(frames[1:], names[1:], strict=True):
        if set(frame.columns) == set(whole.columns):
            whole = pd.concat([whole, frame[list(whole.columns)]], ignore_index=True)
            continue
        keys = [column for column in frame.columns if column in whole.columns]
        if keys and not frame.duplicated(keys).any():
            whole = whole.merge(frame, on=keys, how="left", sort=False)
        elif not keys and len(frame) == len(whole):
            whole = pd.concat([whole, frame.reset_index(drop=True)], axis=1)
        else:
            message = f"how do {names[0]} and {name} belong together? They share no key column"
            raise question(message, "train", f'train_files = ["{names[0]}"]')
    return whole
