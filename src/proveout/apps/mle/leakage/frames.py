"""Tables: taking and dropping columns, taking rows, putting tables together."""

import ast
from collections.abc import Iterable, Mapping

from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.rows import (
    ABOVE,
    BELOW,
    EQUAL,
    HIGHEST,
    LOWEST,
    SLICE,
    Cut,
    Interval,
    Piece,
    Rows,
    narrow,
)
from proveout.apps.mle.leakage.values import (
    NO_TAINTS,
    Column,
    Origin,
    Taint,
    Taints,
    Trail,
    Value,
    alike,
    merged_taints,
    names_of,
    stepped,
    text_of,
)
from proveout.apps.mle.syntax import spelled


def source_frame(source: str, *, unlabelled: bool = False) -> Value:
    """A table of which only the origin is known."""
    rows = frozenset({Piece(source, unlabelled=unlabelled)})
    return Value(kind="data", rows=rows, table=True)


def origins_of(frame: Value, name: str) -> frozenset[Origin]:
    known = frame.columns.get(name)
    if known is not None and known.origins:
        return known.origins
    if known is not None:
        return frozenset()
    return frozenset((piece.source, name) for piece in frame.rows)


def column(frame: Value, name: str) -> Value:
    known = frame.columns.get(name)
    taints = frame.taints if known is None else known.taints
    return alike(
        frame,
        kind="data",
        taints=taints,
        columns={},
        table=False,
        closed=False,
        partial=False,
        dropped=frozenset(),
        origins=origins_of(frame, name),
        items=(),
        entries={},
    )


def columns(frame: Value, names: Iterable[str]) -> Value:
    """Only these columns."""
    listed = list(names)
    taken = {
        name: frame.columns.get(name) or Column(frame.taints, origins_of(frame, name))
        for name in listed
    }
    return alike(
        frame,
        kind="data",
        taints={},
        columns=taken,
        table=False,
        closed=True,
        partial=False,
        dropped=frozenset(),
        origins=frozenset(),
    )


def without(frame: Value, names: Iterable[str]) -> Value:
    gone = set(names)
    kept = {name: column for name, column in frame.columns.items() if name not in gone}
    return alike(frame, columns=kept, dropped=frame.dropped | gone)


def tainted(value: Value, taints: Taints) -> Value:
    """The value and all of its columns carry more."""
    if not taints:
        return value
    columns = {
        name: Column(merged_taints(column.taints, taints), column.origins)
        for name, column in value.columns.items()
    }
    return value._replace(taints=merged_taints(value.taints, taints), columns=columns)


def blurred(value: Value, taints: Taints = NO_TAINTS) -> Value:
    """The same rows in columns nobody can name any more: what a transformer gives."""
    return Value(
        kind="data",
        rows=value.rows,
        parts=value.parts,
        taints=merged_taints(value.all_taints(), taints),
        origins=all_origins(value),
        table=value.table,
        partial=value.partial or value.closed,
        dropped=value.dropped,
        order=value.order,
        cuts=value.cuts if value.kind == "index" else frozenset(),
    )


def all_origins(value: Value) -> frozenset[Origin]:
    found = set(value.origins)
    for name, known in value.columns.items():
        found |= known.origins or origins_of(value, name)
    return frozenset(found)


def looked_at(value: Value) -> frozenset[Origin]:
    """Columns of which a statistic is taken; `*` stands for all columns that are not named."""
    found = set(all_origins(value))
    if not value.closed and not value.origins and not value.partial:
        for piece in value.rows:
            found.add((piece.source, "*"))
            found |= {(piece.source, f"-{name}") for name in value.dropped}
    return frozenset(found)


def named(value: Value | None) -> list[str] | None:
    """Names in an index: constants, or positions as `#3`."""
    if value is None:
        return None
    names = names_of(value)
    if names is not None:
        return names
    if isinstance(value.const, int) and not isinstance(value.const, bool):
        return [f"#{value.const}"]
    return None


def take_columns(frame: Value, index: Value) -> Value:
    names = named(index)
    if names is not None and (text_of(index) is not None or index.kind == "scalar"):
        return column(frame, names[0])
    if names is not None:
        return columns(frame, names)
    if index.kind == "columns":
        taken = without(frame, index.dropped)
        if index.closed:
            taken = columns(frame, index.columns)
        return chosen_by(taken._replace(partial=taken.partial or index.partial), index)
    return chosen_by(alike(frame, kind="data", partial=True), index)


def chosen_by(frame: Value, index: Value) -> Value:
    """Columns chosen by something learnt from rows: the choice leaks even if no value does."""
    # A list of columns is not made from what the columns themselves carry.
    learnt = index.taints if index.kind == "columns" else index.all_taints()
    chosen: dict[Taint, Trail] = {
        taint._replace(kind="selection"): trail
        for taint, trail in learnt.items()
        if taint.kind != "encoder"
    }
    return tainted(frame, chosen)


def take_rows(frame: Value, cuts: frozenset[Cut]) -> Value:
    return alike(
        frame,
        rows=narrow(frame.rows, cuts),
        parts=tuple(narrow(part, cuts) for part in frame.parts),
        cuts=frame.cuts | cuts if frame.kind == "index" or not frame.rows else frame.cuts,
    )


def row_index(machine: Machine, node: ast.expr) -> Value:
    """What an index expression takes of the rows: a value with cuts."""
    if isinstance(node, ast.Slice):
        return Value(kind="index", cuts=frozenset(slice_cuts(machine, node)))
    value = machine.evaluate(node)
    if value.cuts:
        return value
    if value.kind == "scalar" and value.const is not None and not value.taints:
        return value
    key = f"rows:{spelled(node)[:80]}:{value.ref or ''}"
    return Value(kind="index", cuts=frozenset({Cut(key, line=node.lineno)}), taints=value.taints)


def slice_cuts(machine: Machine, node: ast.Slice) -> list[Cut]:
    if node.step is not None and machine.evaluate(node.step).const not in (1, -1):
        return [_stride(machine, node, node.step)]
    found = []
    if node.upper is not None and not _moves(machine, node.upper):
        found.append(_bound(machine, node.upper, head=True))
    if node.lower is not None and not _moves(machine, node.lower):
        found.append(_bound(machine, node.lower, head=False))
    return [cut for cut in found if cut.key != f"{SLICE}:0"]


def _stride(machine: Machine, node: ast.Slice, step: ast.expr) -> Cut:
    """`x[i::k]`: another start gives other rows."""
    start = "0" if node.lower is None else spelled(node.lower)[:60]
    folds = any(part is not None and _moves(machine, part) for part in (node.lower, node.upper))
    family = f"stride:{spelled(step)[:60]}"
    return Cut(f"{family}:{start}", EQUAL, family, line=step.lineno, folds=folds)


def _moves(machine: Machine, node: ast.expr) -> bool:
    """A bound that a loop changes: the window passes over all rows in the end."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return any(names & looped for looped in machine.loop_names)


def _bound(machine: Machine, node: ast.expr, *, head: bool) -> Cut:
    value = machine.evaluate(node)
    interval: Interval | None = None
    key = spelled(node)[:60]
    if isinstance(value.const, (int, float)) and not isinstance(value.const, bool):
        key = str(value.const)
        position = (float(value.const), 0)
        if value.const >= 0:
            interval = (LOWEST, position) if head else (position, HIGHEST)
    side = BELOW if head else ABOVE
    return Cut(f"{SLICE}:{key}", side, SLICE, interval, node.lineno)


def resolve_parts(machine: Machine, frame: Value, node: ast.Slice) -> Rows | None:
    """Rows of `both[:len(train)]`, if `both` was put together from train and test."""
    if len(frame.parts) < 2:
        return None
    bound = node.upper or node.lower
    if bound is None or (node.upper is not None and node.lower is not None):
        return None
    length = machine.evaluate(bound).length_of
    first = frame.parts[0]
    if not length or length != first:
        return None
    rest: Rows = frozenset().union(*frame.parts[1:])
    return first if node.upper is not None else rest


def stacked(values: list[Value], line: int) -> Value:
    """Tables one under the other."""
    tables = [value for value in values if value.is_data or value.taints]
    if not tables:
        return Value(kind="data")
    names = {name for table in tables for name in table.columns}
    joined: dict[str, Column] = {}
    for name in names:
        known = [table.columns.get(name) for table in tables]
        joined[name] = Column(
            merged_taints(*(one.taints for one in known if one)),
            frozenset().union(
                *(
                    one.origins if one else origins_of(table, name)
                    for one, table in zip(known, tables, strict=True)
                )
            ),
        )
    taints = merged_taints(*(table.taints for table in tables))
    return Value(
        kind="data",
        rows=frozenset().union(*(table.rows for table in tables)),
        parts=tuple(table.rows for table in tables),
        taints=stepped(taints, line, "put one under the other"),
        columns=joined,
        table=all(table.table for table in tables),
        closed=all(table.closed for table in tables),
        partial=any(table.partial for table in tables),
        dropped=frozenset().union(*(table.dropped for table in tables)),
        origins=frozenset().union(*(table.origins for table in tables)),
        order=max(table.order for table in tables),
        evaluations=frozenset().union(*(table.evaluations for table in tables)),
    )


def _as_columns(value: Value) -> Mapping[str, Column]:
    """The columns of a table; a single column under its own name."""
    if len(value.origins) == 1 and not value.columns:
        name = next(iter(value.origins))[1]
        return {name: Column(value.taints, value.origins)}
    return value.columns


def beside(left: Value, *others: Value) -> Value:
    """Tables next to each other: the rows of the first, the columns of all."""
    if not left.rows:
        full = next((other for other in others if other.rows), None)
        if full is not None:
            others = tuple(other for other in others if other is not full) + (left,)
            left = full
    columns = dict(left.columns)
    taints: Taints = left.taints
    dropped = left.dropped
    origins = set(left.origins) if len(left.origins) > 1 else set()
    for other in others:
        columns.update(_as_columns(other))
        taints = merged_taints(taints, other.taints)
        if other.rows & left.rows and not (other.closed or other.partial or other.origins):
            dropped = dropped & other.dropped
        origins |= other.origins if len(other.origins) > 1 else frozenset()
    columns.update(_as_columns(left))
    return alike(
        left,
        kind="data",
        columns=columns,
        taints=taints,
        closed=left.closed and all(other.closed for other in others),
        partial=left.partial or any(other.partial for other in others),
        dropped=dropped - set(columns),
        origins=frozenset(origins),
        order=max(value.order for value in (left, *others)),
    )


def combined(values: list[Value]) -> Value:
    """Element by element: the rows of the table among them, what all of them learnt."""
    main = next((value for value in values if value.is_data), None)
    taints = merged_taints(*(value.all_taints() for value in values))
    if main is None:
        kind = "row" if any(value.kind == "row" for value in values) else "scalar"
        return Value(
            kind="row" if kind == "row" else "scalar",
            taints=taints,
            origins=frozenset().union(*(value.origins for value in values)),
            evaluations=frozenset().union(*(value.evaluations for value in values)),
        )
    return Value(
        kind="data",
        rows=main.rows,
        parts=main.parts,
        taints=taints,
        origins=frozenset().union(*(all_origins(value) for value in values)),
        table=main.table,
        partial=main.partial or bool(main.columns) or main.closed,
        dropped=main.dropped,
        order=max(value.order for value in values),
        evaluations=frozenset().union(*(value.evaluations for value in values)),
    )


def common_cuts(value: Value) -> frozenset[Cut]:
    pieces = list(value.rows)
    if not pieces:
        return value.cuts
    shared = pieces[0].cuts
    for piece in pieces[1:]:
        shared &= piece.cuts
    return shared
