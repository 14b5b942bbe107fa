"""Tables out of files: encoding and separator as the bytes tell, read within bounds."""

import bz2
import codecs
import gzip
import io
import lzma
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import pandas as pd

from proveout.apps.mle.intake.errors import unusable
from proveout.apps.mle.tables.spelling import Way, respelled, ways_of

MOST_SAMPLED = 200_000
"""Rows that inspection looks at, at most; every n-th is taken beyond that."""
CHUNK = 100_000
HEADER_BYTES = 4_000_000
"""No honest table has a longer first line."""
BLOCK = 2**20
PARQUET = (".parquet", ".pq")
PACKED = (".gz", ".bz2", ".xz", ".zip")
_TEXTS = [f"{plain}{packed}" for plain in (".csv", ".tsv") for packed in ("", *PACKED)]
ENDINGS = (*_TEXTS, *PARQUET)
_STRAYS_TOLD = "carriage returns inside lines were read as blanks"
_STRAY = re.compile(r"\r(?!\r*\n)")
_DEFECTS = (
    pd.errors.ParserError,
    pd.errors.EmptyDataError,
    OSError,
    EOFError,
    zipfile.BadZipFile,
    lzma.LZMAError,
)


@dataclass(frozen=True)
class Make:
    """How a file of text is to be read."""

    encoding: str
    separator: str
    names: tuple[str, ...]
    """Of the columns; those that are there twice are numbered."""
    twice: tuple[str, ...]
    ends_with_return: bool = False
    """Lines end with a carriage return alone."""

    @property
    def notes(self) -> list[str]:
        """What a reader should know."""
        told = [f"column {name!r} is there more than once and was numbered" for name in self.twice]
        if self.encoding in ("cp1252", "latin-1"):
            told.append("it is not UTF-8 and was read as Western European text (Windows-1252)")
        return told


class WholeLines(io.TextIOWrapper):
    """Text in which a carriage return in the middle of a line is a blank.

    Readers of tables take it for the line's end and make several broken rows of a whole one.
    """

    def __init__(self, stream: IO[bytes], make: "Make") -> None:
        super().__init__(stream, make.encoding, newline="")
        self._keeps = make.ends_with_return
        self.strays = 0

    def read(self, size: int | None = -1, /) -> str:
        text = super().read(size)
        if self._keeps or "\r" not in text:
            return text
        while text.endswith("\r") and (more := super().read(1)):
            text += more
        mended, count = _STRAY.subn(" ", text)
        self.strays += count
        return mended


@dataclass(frozen=True)
class Sampled:
    """Rows of a table that were looked at, and how many there are."""

    frame: pd.DataFrame
    rows: int
    notes: tuple[str, ...] = ()


def header_of(path: Path) -> list[str]:
    """Names of columns, without reading the table."""
    return _parquet_names(path) if _is_parquet(path) else list(_make(path).names)


def repeated_in(path: Path) -> tuple[str, ...]:
    """Names of columns that the file has more than once."""
    return () if _is_parquet(path) else _make(path).twice


def read_table(path: Path, *, text: bool = False, notes: list[str] | None = None) -> pd.DataFrame:
    """The whole table. `text`: every value as it is spelled, nothing taken for missing.

    Numbers are spelled with a decimal point either way. `notes` get what a reader should know.
    """
    return pd.concat(_chunks(path, text=text, notes=notes), ignore_index=True)


def sample_table(path: Path, most: int = MOST_SAMPLED) -> Sampled:
    """At most `most` rows, evenly over the file, in bounded memory."""
    kept: list[pd.DataFrame] = []
    rows = step = 0
    notes: list[str] = []
    for chunk in _chunks(path, notes=notes):
        # A guess at the file's length from its first chunk; thinned again at the end if too low.
        step = step or max(1, _expected_rows(path, chunk) // most)
        first = (-rows) % step
        kept.append(chunk.iloc[first::step])
        rows += len(chunk)
    frame = pd.concat(kept, ignore_index=True)
    if len(frame) > most:
        frame = frame.iloc[:: -(-len(frame) // most)].reset_index(drop=True)
    return Sampled(frame, rows, tuple(notes))


def first_rows(path: Path, *names: str) -> pd.DataFrame:
    """The beginning of a table, or of these columns, every value as it is spelled."""
    return next(_chunks(path, text=True, names=names))


def as_expected(path: Path) -> bool:
    """Whether anyone reads it right who knows no more than its name."""
    if _is_parquet(path):
        return True
    make = _make(path)
    usual = "\t" if ".tsv" in path.name.lower() else ","
    if make.encoding != "utf-8-sig" or make.separator != usual or make.twice:
        return False
    return not (_has_strays(path, make) or ways_of(first_rows(path), make.separator))


def _has_strays(path: Path, make: Make) -> bool:
    with _opened(path) as stream, WholeLines(stream, make) as lines:
        while not lines.strays and lines.read(BLOCK):
            pass
        return lines.strays > 0


def _expected_rows(path: Path, chunk: pd.DataFrame) -> int:
    if len(chunk) < CHUNK:
        return len(chunk)
    head = io.StringIO()
    chunk.head(200).to_csv(head, index=False)
    packed = 5 if path.name.lower().endswith((*PARQUET, *PACKED)) else 1
    return int(packed * path.stat().st_size / max(1.0, len(head.getvalue()) / 200))


def _is_parquet(path: Path) -> bool:
    return path.name.lower().endswith(PARQUET)


def _parquet_names(path: Path) -> list[str]:
    from pyarrow import ArrowException, parquet

    try:
        return [str(name) for name in parquet.read_schema(path).names]
    except (ArrowException, OSError) as error:
        reason = str(error).splitlines()[0][:200]
        message = f"{path.name} is not a readable Parquet file: {reason}"
        raise unusable(message, "unreadable", "export it again") from None


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a table, unpacked; an archive must hold nothing else."""
    ending = path.suffix.lower()
    if ending == ".zip":
        with zipfile.ZipFile(path) as archive:
            inside = [it for it in archive.infolist() if not it.is_dir()]
            inside = [it for it in inside if not Path(it.filename).name.startswith((".", "_"))]
            if len(inside) != 1:
                message = f"{path.name} holds {len(inside)} files"
                raise unusable(message, "archive", "unpack it into the task's folder")
            with archive.open(inside[0]) as stream:
                yield stream
        return
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    with openers[ending](path, "rb") if ending in openers else path.open("rb") as stream:
        yield stream


def _make(path: Path) -> Make:
    about = path.stat() if path.is_file() else None
    key = (about.st_size, about.st_mtime_ns) if about else (0, 0)
    return _made(path, key)


@lru_cache(maxsize=64)
def _made(path: Path, key: tuple[int, int]) -> Make:
    """Asked for again and again; size and time tell whether it is still the same file."""
    del key
    try:
        with _opened(path) as stream:
            encoding = _encoding(stream, path)
        with _opened(path) as stream:
            text = io.TextIOWrapper(stream, encoding, newline="")
            line = text.readline(HEADER_BYTES)
            if not line.strip():
                msg = f"{path.name} is empty"
                raise unusable(msg, "empty", "get a complete copy of the file")
            separator = _delimiter(line.rstrip("\r\n"))
        with _opened(path) as stream:
            text = io.TextIOWrapper(stream, encoding, newline="")
            options: dict[str, Any] = {"dtype": str, "keep_default_na": False}
            head = pd.read_csv(text, sep=separator, header=None, nrows=1, **options)
        with _opened(path) as stream:
            text = io.TextIOWrapper(stream, encoding, newline="")
            names = pd.read_csv(text, sep=separator, nrows=0, index_col=False).columns
    except _DEFECTS as error:
        message = f"{path.name}: {str(error).strip()[:200]}"
        raise unusable(message, "unreadable", "export it again") from None
    spelled = [str(name) for name in head.iloc[0] if name]
    twice = tuple(sorted({name for name in spelled if spelled.count(name) > 1}))
    columns = tuple(str(name) for name in names)
    return Make(encoding, separator, columns, twice, ends_with_return=line.endswith("\r"))


def _encoding(stream: IO[bytes], path: Path) -> str:
    """By its mark, else UTF-8 if every byte fits, else one byte for a letter."""
    block = stream.read(BLOCK)
    if block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    reader = codecs.getincrementaldecoder("utf-8")()
    western = True
    try:
        while block:
            reader.decode(block)
            block = stream.read(BLOCK)
        reader.decode(b"", final=True)
    except UnicodeDecodeError as error:
        while block:
            if b"\0" in block:
                message = f"{path.name} is not text: {error.reason}"
                raise unusable(message, "encoding", "export it again, as UTF-8") from None
            western = western and not re.search(rb"[\x81\x8d\x8f\x90\x9d]", block)
            block = stream.read(BLOCK)
        return "cp1252" if western else "latin-1"
    return "utf-8-sig"


def _delimiter(line: str) -> str:
    """The separator that is there most often, outside of quotes."""
    bare = re.sub(r'"[^"]*"', "", line)
    return max(",;\t|", key=lambda mark: (bare.count(mark), mark == ","))


def _chunks(
    path: Path, *, text: bool = False, notes: list[str] | None = None, names: tuple[str, ...] = ()
) -> Iterator[pd.DataFrame]:
    if _is_parquet(path):
        yield from _parquet_chunks(path, text=text)
        return
    make = _make(path)
    told = notes if notes is not None else []
    told += [f"{path.name}: {note}" for note in make.notes]
    # Text as it is: making a type of its own for it takes longer than reading.
    options: dict[str, Any] = {"dtype": object, "keep_default_na": False} if text else {}
    if names:
        options["usecols"] = names
    ways: dict[str, Way] | None = None
    try:
        with (
            _opened(path) as stream,
            WholeLines(stream, make) as lines,
            pd.read_csv(
                lines,
                sep=make.separator,
                chunksize=CHUNK,
                low_memory=False,
                **options,
            ) as reader,
        ):
            for chunk in reader:
                if not isinstance(chunk.index, pd.RangeIndex):
                    message = f"{path.name}: rows have more values than {len(make.names)} columns"
                    raise unusable(message, "ragged", "give every row as many values as columns")
                chunk.columns = [str(name) for name in chunk.columns]
                if ways is None and len(chunk):
                    ways = ways_of(chunk, make.separator)
                    named = ", ".join(repr(name) for name in ways)
                    told += [f"{path.name}: read as numbers: {named}"] if ways else []
                yield _plainly(chunk, ways or {}, text=text)
            if lines.strays:
                told.append(f"{path.name}: {lines.strays} {_STRAYS_TOLD}")
            if ways is None:
                msg = f"{path.name} has no rows"
                raise unusable(msg, "empty", "get a complete copy")
    except UnicodeDecodeError as error:
        message = f"{path.name} is not text: {error.reason}"
        raise unusable(message, "encoding", "export it again, as UTF-8") from None
    except _DEFECTS as error:
        reason = str(error).strip()[:200]
        msg = f"{path.name}: {reason}"
        raise unusable(msg, "unreadable", "export it again") from None


def _plainly(chunk: pd.DataFrame, ways: dict[str, Way], *, text: bool) -> pd.DataFrame:
    for name, way in ways.items():
        if not pd.api.types.is_string_dtype(chunk[name].dtype):
            continue
        plain = respelled(chunk[name], way)
        if not text:
            numbers = pd.to_numeric(plain, errors="coerce")
            plain = numbers if (numbers.notna() | plain.isna() | (plain == "")).all() else plain
        chunk[name] = plain
    return chunk


def _parquet_chunks(path: Path, *, text: bool) -> Iterator[pd.DataFrame]:
    from pyarrow import ArrowException, parquet

    empty = True
    _parquet_names(path)
    try:
        for batch in parquet.ParquetFile(path).iter_batches(batch_size=CHUNK):
            chunk = batch.to_pandas()
            empty = empty and not len(chunk)
            yield _spelled(chunk) if text else _plain(chunk)
    except ArrowException as error:
        message = f"{path.name}: {str(error).splitlines()[0][:200]}"
        raise unusable(message, "unreadable", "export it again") from None
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
