"""Assignments: names, unpacking, attributes, and the many ways to store into a table."""

import ast

from proveout.apps.mle.leakage import frames
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.rows import Cut, Rows, narrow, overlap, unfolded
from proveout.apps.mle.leakage.values import (
    MOST_ITEMS,
    UNKNOWN,
    Column,
    Taints,
    Value,
    alike,
    join,
    merged_taints,
    names_of,
    stepped,
    text_of,
)
from proveout.apps.mle.syntax import spelled

Assignment = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete

LOCATORS = ("loc", "iloc", "ix", "at", "iat")


def run(machine: Machine, node: Assignment) -> None:
    match node:
        case ast.Assign():
            value = machine.evaluate(node.value)
            for target in node.targets:
                assign(machine, target, value)
        case ast.AnnAssign():
            if node.value is not None:
                assign(machine, node.target, machine.evaluate(node.value))
        case ast.AugAssign():
            _augmented(machine, node)
        case ast.Delete():
            for target in node.targets:
                _delete(machine, target)


def assign(machine: Machine, target: ast.expr, value: Value) -> None:
    match target:
        case ast.Name():
            text = f"stored in `{target.id}`"
            if value.taints and value.ref is None:
                value = value._replace(taints=stepped(value.taints, target.lineno, text))
            machine.bind(target.id, value)
        case ast.Tuple() | ast.List():
            _unpack(machine, target.elts, value)
        case ast.Starred():
            assign(machine, target.value, value)
        case ast.Attribute():
            _store_attribute(machine, target, value)
        case ast.Subscript():
            _store_item(machine, target, value)


def _unpack(machine: Machine, targets: list[ast.expr], value: Value) -> None:
    items = list(value.items) if value.kind == "sequence" else []
    if value.element is not None and not items:
        items = [value.element] * len(targets)
    starred = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if starred and len(items) >= len(targets) - 1:
        first = starred[0]
        rest = len(items) - (len(targets) - 1)
        middle = Value(kind="sequence", items=tuple(items[first : first + rest]))
        items = [*items[:first], middle, *items[first + rest :]]
    if len(items) != len(targets):
        items = _parts_of_unknown(value, targets)
    for target, item in zip(targets, items, strict=True):
        assign(machine, target, machine.now(item))


def _parts_of_unknown(value: Value, targets: list[ast.expr]) -> list[Value]:
    """What an unknown function returned at once is taken for parts that have no row in common."""
    line = targets[0].lineno if targets else 0
    whole = alike(value, kind="data" if value.rows else "unknown", items=(), element=None)._replace(
        taints=value.all_taints(),
        partial=True,
    )
    cuts = [
        frozenset({Cut(f"parts:{line}", frozenset({f"part {number}"}), line=line)})
        for number in range(len(targets))
    ]
    return [frames.take_rows(whole, cut)._replace(cuts=cut) for cut in cuts]


def _store_attribute(machine: Machine, target: ast.Attribute, value: Value) -> None:
    owner = machine.evaluate(target.value)
    if owner.kind == "instance":
        stored = machine.cells[machine.cell(value)]
        machine.change(owner, owner._replace(entries={**owner.entries, target.attr: stored}))
    elif owner.kind == "data" and target.attr != "columns":
        _store_columns(machine, owner, [target.attr], value, target.lineno)


def _store_item(machine: Machine, target: ast.Subscript, value: Value) -> None:
    owner_node, located = target.value, False
    if isinstance(owner_node, ast.Attribute) and owner_node.attr in LOCATORS:
        owner_node, located = owner_node.value, True
    owner = machine.evaluate(owner_node)
    if owner.kind == "mapping":
        key = text_of(machine.evaluate(target.slice)) or f"#{len(owner.entries)}"
        stored = machine.cells[machine.cell(value)]
        machine.change(owner, owner._replace(entries={**owner.entries, key: stored}))
        return
    if owner.kind == "sequence":
        items = (*owner.items, value)[-MOST_ITEMS:]
        machine.change(owner, owner._replace(items=items))
        return
    row_part, column_part = _parts(machine, target.slice, located=located)
    names = frames.named(column_part) if column_part is not None else None
    if row_part is None and names:
        _store_columns(machine, owner, names, value, target.lineno)
    elif row_part is None:
        taints = stepped(value.all_taints(), target.lineno, f"stored in `{_short(target)}`")
        changed = frames.tainted(owner, taints)
        order = max(owner.order, value.order)
        rows = owner.rows or value.rows
        machine.change(owner, changed._replace(kind="data", rows=rows, order=order))
    else:
        _store_rows(machine, owner, row_part, names, value, target)


def _parts(
    machine: Machine, index: ast.expr, *, located: bool
) -> tuple[Value | None, Value | None]:
    """Which rows (none: all of them) and which columns (none: all or unknown) are stored into."""
    if isinstance(index, ast.Tuple) and len(index.elts) == 2:
        rows, columns = index.elts
        row_part = None if _is_everything(rows) else frames.row_index(machine, rows)
        return row_part, machine.evaluate(columns)
    if isinstance(index, ast.Slice):
        row_part = None if _is_everything(index) else frames.row_index(machine, index)
        return row_part, None
    value = machine.evaluate(index)
    if located or value.cuts or value.kind == "index":
        return frames.row_index(machine, index), None
    return None, value


def _is_everything(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and not (node.lower or node.upper or node.step)


def _store_columns(
    machine: Machine, owner: Value, names: list[str], value: Value, line: int
) -> None:
    taints = stepped(value.all_taints(), line, f"becomes column {', '.join(map(repr, names[:3]))}")
    column = Column(taints, value.origins)
    columns = {**owner.columns, **dict.fromkeys(names, column)}
    changed = owner._replace(
        kind="data" if owner.kind == "unknown" else owner.kind,
        rows=owner.rows or value.rows,
        columns=columns,
        dropped=owner.dropped - set(names),
        order=max(owner.order, value.order),
        origins=owner.origins if owner.columns or not owner.origins else frozenset(),
    )
    machine.change(owner, changed)


def _store_rows(
    machine: Machine,
    owner: Value,
    row_part: Value,
    names: list[str] | None,
    value: Value,
    target: ast.Subscript,
) -> None:
    """Only some rows change: what the others carried stays."""
    reached = value.rows or narrow(owner.rows, row_part.cuts)
    text = f"written to some rows of `{_short(target.value)}`"
    taints = stepped(_from_elsewhere(value.all_taints(), reached, row_part), target.lineno, text)
    rows = owner.rows or unfolded(value.rows)
    evaluations = owner.evaluations | value.evaluations
    if not names:
        kept = merged_taints(owner.taints, taints)
        changed = owner._replace(
            kind="data", rows=rows, taints=kept, evaluations=evaluations, const=UNKNOWN.const
        )
        machine.change(owner, changed)
        return
    columns = dict(owner.columns)
    for name in names:
        old = columns.get(name, Column(owner.taints))
        columns[name] = Column(merged_taints(old.taints, taints), old.origins | value.origins)
    machine.change(
        owner, owner._replace(kind="data", rows=rows, columns=columns, evaluations=evaluations)
    )


def _from_elsewhere(taints: Taints, reached: Rows, row_part: Value) -> Taints:
    """Without what was learnt, out of fold, from other rows than those that now receive it."""
    if not row_part.cuts:
        return taints
    return {
        taint: trail
        for taint, trail in taints.items()
        if overlap(taint.rows, reached) or not any(cut.folds for cut in row_part.cuts)
    }


def _augmented(machine: Machine, node: ast.AugAssign) -> None:
    value = machine.evaluate(node.value)
    old = UNKNOWN
    if isinstance(node.target, (ast.Name, ast.Attribute, ast.Subscript)):
        reading = ast.copy_location(_as_load(node.target), node.target)
        old = machine.evaluate(reading)
    if old.kind == "sequence":
        machine.change(old, old._replace(items=(*old.items, *value.items)[:MOST_ITEMS]))
        return
    mixed = join(old._replace(ref=None), value._replace(ref=None))
    result = mixed._replace(
        kind=old.kind if old.kind != "unknown" else value.kind,
        rows=old.rows or value.rows,
        const=UNKNOWN.const,
        evaluations=old.evaluations | value.evaluations,
    )
    assign(machine, node.target, result)


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Load())
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    assert isinstance(node, ast.Subscript)
    return ast.Subscript(node.value, node.slice, ast.Load())


def _delete(machine: Machine, target: ast.expr) -> None:
    if isinstance(target, ast.Subscript):
        owner = machine.evaluate(target.value)
        names = names_of(machine.evaluate(target.slice))
        if names and owner.kind == "data":
            machine.change(owner, frames.without(owner, names))
    elif isinstance(target, ast.Name):
        machine.scopes[-1].pop(target.id, None)


def _short(node: ast.expr) -> str:
    return spelled(node)[:40]
