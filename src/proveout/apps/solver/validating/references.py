"""References of a plan to results of earlier steps, and the values they stand for."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from proveout.apps.solver.sandbox.engine import Row, Rows

_REFERENCE = re.compile(r"\$([a-z][a-z0-9_]*)(?:\.([A-Za-z_][A-Za-z0-9_]*)(\*)?)?")
_LOOKS_LIKE_ONE = re.compile(r"\$[A-Za-z_]")


@dataclass(frozen=True)
class Reference:
    """`column` is empty for a whole relation; `all` asks for every value of the column."""

    bind: str
    column: str = ""
    all: bool = False

    def __str__(self) -> str:
        column = f".{self.column}" if self.column else ""
        return f"${self.bind}{column}{'*' if self.all else ''}"


class BadReference(ValueError):
    """Looks like a reference and is none."""


class NoValue(Exception):  # noqa: N818 - control flow: the step cannot be taken
    """The one value that a reference asks for does not exist, or there are several."""

    def __init__(self, reference: Reference, found: Literal["none", "several"]) -> None:
        super().__init__(f"{reference} has {found} where one value is wanted")
        self.reference = reference
        self.found = found


class UnknownColumn(Exception):  # noqa: N818 - becomes a finding
    """The result exists and has no such column."""

    def __init__(self, reference: Reference) -> None:
        super().__init__(f"{reference} names a column that the result does not have")
        self.reference = reference


def parse(value: str) -> Reference | None:
    """The reference that a string is; None for any other string."""
    match = _REFERENCE.fullmatch(value)
    if match:
        return Reference(match[1], match[2] or "", bool(match[3]))
    if _LOOKS_LIKE_ONE.match(value):
        message = f"{value[:60]!r} is not a reference"
        raise BadReference(message)
    return None


def references(value: JsonValue) -> Iterator[Reference]:
    """Every reference inside a value, in order."""
    for text in strings(value):
        found = parse(text)
        if found:
            yield found


def strings(value: JsonValue) -> Iterator[str]:
    """Every string inside a value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


def values(bound: Rows, reference: Reference) -> list[JsonValue]:
    """The distinct values of a column as they first appear, absent ones left out."""
    if reference.column not in bound.columns:
        raise UnknownColumn(reference)
    place = bound.columns.index(reference.column)
    seen: dict[str, JsonValue] = {}
    for row in bound.rows:
        if row[place] is not None:
            seen.setdefault(repr(row[place]), row[place])
    return list(seen.values())


def substitute(
    value: JsonValue, binds: Mapping[str, Rows], each: tuple[str, Row] | None = None
) -> JsonValue:
    """The value with its references replaced; `each` is the row that a repeated write is at."""
    if isinstance(value, list):
        return [substitute(item, binds, each) for item in value]
    if isinstance(value, dict):
        return {name: substitute(item, binds, each) for name, item in value.items()}
    reference = parse(value) if isinstance(value, str) else None
    if reference is None:
        return value
    bound = binds[reference.bind]
    if each is not None and each[0] == reference.bind:
        bound = Rows(bound.columns, (each[1],))
    if not reference.column:
        return [dict(zip(bound.columns, row, strict=True)) for row in bound.rows]
    found = values(bound, reference)
    if reference.all:
        return found
    if len(found) != 1:
        raise NoValue(reference, "several" if found else "none")
    return found[0]


def present(bound: Rows) -> bool:
    """Whether a result says anything: the sum over no rows is one row of nothing."""
    return any(any(value is not None for value in row) for row in bound.rows)
