"""What is known about a value of the program: its rows, its columns, and what they learnt from.

These are tuples: reading one script makes thousands, and frozen data classes take ten times as long
to make.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, NamedTuple

from proveout.apps.mle.leakage.rows import NO_ROWS, Cut, Rows

Kind = Literal[
    "unknown", "data", "row", "scalar", "index", "object", "sequence", "mapping", "iterator",
    "function", "class", "instance", "name", "grouped", "columns",
]  # fmt: skip
TaintKind = Literal["fit", "statistic", "encoder", "resample", "selection", "future"]
Origin = tuple[str, str]
"""Source and column."""

MISSING = object()
MOST_STEPS = 14
MOST_ITEMS = 24


class Order(IntEnum):
    """How far rows follow time; the larger says more."""

    UNKNOWN = 0
    SORTED = 1
    NEIGHBOURS = 2
    """Rows hold values of rows near them."""


class Span(NamedTuple):
    """Where in the source."""

    line: int
    end_line: int
    column: int = 0
    end_column: int = 0


class Taint(NamedTuple):
    """Something was learnt from rows: whoever carries it depends on all of them."""

    kind: TaintKind
    span: Span
    what: str
    rows: Rows
    of: frozenset[Origin] = frozenset()
    """Columns that were looked at; a target among them makes it worse."""
    supervised: bool = False
    """The target was handed in as such (`fit(x, y)` of a selector or an encoder)."""


Trail = tuple[tuple[int, str], ...]
Taints = Mapping[Taint, Trail]
NO_TAINTS: Taints = {}


class Column(NamedTuple):
    taints: Taints = NO_TAINTS
    origins: frozenset[Origin] = frozenset()


NO_COLUMNS: Mapping[str, Column] = {}
NO_ENTRIES: Mapping[str, "Value"] = {}


@dataclass(frozen=True, slots=True)
class Fit:
    """An estimator that has seen rows."""

    event: int
    taint: Taint | None = None
    learnt: Taints = field(default_factory=dict)
    """What the data already carried when it was seen."""


class Value(NamedTuple):
    """Immutable; names share a changed value through the cell `ref` in which it lives."""

    kind: Kind = "unknown"
    name: str = ""
    rows: Rows = NO_ROWS
    parts: tuple[Rows, ...] = ()
    """Rows in the order in which they were put one under the other."""
    taints: Taints = NO_TAINTS
    columns: Mapping[str, Column] = NO_COLUMNS
    table: bool = False
    """All columns of a source, but for those that are known to be dropped."""
    closed: bool = False
    """`columns` are all there are."""
    partial: bool = False
    """Some columns were taken, and it is not known which."""
    numbers: bool = False
    """Where only some were taken: those with numbers."""
    dropped: frozenset[str] = frozenset()
    origins: frozenset[Origin] = frozenset()
    cuts: frozenset[Cut] = frozenset()
    """What is taken when this is used as an index."""
    const: object = MISSING
    items: tuple["Value", ...] = ()
    entries: Mapping[str, "Value"] = NO_ENTRIES
    element: "Value | None" = None
    ref: int | None = None
    fit: Fit | None = None
    evaluations: frozenset[int] = frozenset()
    length_of: Rows = NO_ROWS
    order: Order = Order.UNKNOWN
    node: object = None
    """Definition of a function or class."""

    def in_cell(self, ref: int | None) -> "Value":
        """The same value, living there; asked for at every assignment."""
        return tuple.__new__(Value, (*self[:_REF], ref, *self[_REF + 1 :]))

    @property
    def is_data(self) -> bool:
        return self.kind in ("data", "grouped", "index") or bool(self.rows)

    def all_taints(self) -> Taints:
        """Of the value as a whole: of its columns and its elements too."""
        if self.element is None and not (self.columns or self.items or self.entries):
            return self.taints
        found: dict[Taint, Trail] = dict(self.taints)
        for column in self.columns.values():
            add_taints(found, column.taints)
        for item in (*self.items, *self.entries.values()):
            add_taints(found, item.all_taints())
        if self.element is not None:
            add_taints(found, self.element.all_taints())
        return found


UNKNOWN = Value()
_REF = Value._fields.index("ref")


def add_taints(found: dict[Taint, Trail], more: Taints) -> None:
    for taint, trail in more.items():
        found.setdefault(taint, trail)


def merged_taints(*groups: Taints) -> Taints:
    full = [group for group in groups if group]
    if len(full) < 2:
        return full[0] if full else NO_TAINTS
    found: dict[Taint, Trail] = dict(full[0])
    for group in full[1:]:
        add_taints(found, group)
    return found


def stepped(taints: Taints, line: int, text: str) -> Taints:
    """The same taints, one step further on their way."""
    if not taints:
        return taints
    step = (line, text)
    return {
        taint: trail if step in trail or len(trail) >= MOST_STEPS else (*trail, step)
        for taint, trail in taints.items()
    }


def constant(value: object) -> Value:
    return Value(kind="scalar", const=value)


def text_of(value: Value) -> str | None:
    return value.const if isinstance(value.const, str) else None


def names_of(value: Value) -> list[str] | None:
    """Column names, if all of them are known."""
    single = text_of(value)
    if single is not None:
        return [single]
    if value.kind != "sequence" or not value.items:
        return None
    found = [text_of(item) for item in value.items]
    return None if any(name is None for name in found) else [str(name) for name in found]


def join(one: Value, two: Value) -> Value:
    """Either of the two: after a branch."""
    if one is two or one == two:
        return one
    if one.kind == "unknown" and not one.rows and not one.taints:
        return two._replace(ref=None, taints=merged_taints(one.taints, two.taints))
    if two.kind == "unknown" and not two.rows and not two.taints:
        return one._replace(ref=None, taints=merged_taints(one.taints, two.taints))
    names = set(one.columns) | set(two.columns)
    same_items = len(one.items) == len(two.items)
    return one._replace(
        ref=None,
        rows=one.rows | two.rows,
        parts=one.parts if one.parts == two.parts else (),
        taints=merged_taints(one.taints, two.taints),
        columns={
            name: _join_column(one.columns.get(name), two.columns.get(name)) for name in names
        },
        table=one.table and two.table,
        closed=one.closed and two.closed,
        partial=one.partial or two.partial or one.closed != two.closed,
        dropped=one.dropped & two.dropped,
        origins=one.origins | two.origins,
        cuts=one.cuts if one.cuts == two.cuts else frozenset(),
        const=one.const if one.const == two.const else MISSING,
        items=tuple(join(a, b) for a, b in zip(one.items, two.items, strict=True))
        if same_items
        else (*one.items, *two.items)[:MOST_ITEMS],
        entries={**one.entries, **two.entries},
        fit=one.fit or two.fit,
        evaluations=one.evaluations | two.evaluations,
        order=max(one.order, two.order),
        element=one.element or two.element,
    )


def _join_column(one: Column | None, two: Column | None) -> Column:
    if one is None or two is None:
        return one or two or Column()
    return Column(merged_taints(one.taints, two.taints), one.origins | two.origins)


def join_all(values: Iterable[Value]) -> Value:
    result: Value | None = None
    for value in values:
        result = value if result is None else join(result, value)
    return result or UNKNOWN


def gathered(value: Value) -> Value:
    """A list of rows, or of several inputs with the same rows, as one table."""
    rows: Rows = frozenset().union(*(item.rows for item in value.items))
    return Value(kind="data", rows=rows, taints=value.all_taints(), partial=True)


def alike(value: Value, **changes: object) -> Value:
    """A new value made from this one, in no cell yet."""
    return value._replace(ref=None, const=MISSING, **changes)  # type: ignore[arg-type]
