"""Comprehensions: lists of tables, of scores, of column names."""

import ast

from proveout.apps.mle.leakage.loops import is_over_folds, iterated_element
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.values import (
    UNKNOWN,
    Taints,
    Value,
    merged_taints,
    names_of,
    text_of,
)
from proveout.apps.mle.syntax import spelled

Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def comprehension(machine: Machine, node: Comprehension) -> Value:
    machine.scopes.append({})
    folds = False
    first = UNKNOWN
    tests: list[Value] = []
    for position, part in enumerate(node.generators):
        iterated = machine.evaluate(part.iter)
        first = iterated if position == 0 else first
        folds = folds or is_over_folds(iterated)
        element = iterated_element(iterated)
        machine.assign(part.target, machine.now(element))
        if iterated.kind == "columns":
            tests += [machine.evaluate(test) for test in part.ifs]
            machine.scopes.pop()
            return _picked_columns(machine, node, iterated, part, tests)
        tests += [machine.evaluate(test) for test in part.ifs]
    machine.loops.append("folds" if folds else "other")
    machine.loop_names.append(frozenset())
    result = _comprehended(machine, node, first, tests)
    machine.loop_names.pop()
    machine.loops.pop()
    machine.scopes.pop()
    return result


def _comprehended(machine: Machine, node: Comprehension, first: Value, tests: list[Value]) -> Value:
    taints = merged_taints(*(test.all_taints() for test in tests))
    rows = _rowwise(machine, node, first, taints)
    if rows is not None:
        return rows
    few = first.kind == "sequence" and 0 < len(first.items) <= 8 and len(node.generators) == 1
    every = first.items if few and not node.generators[0].ifs else ()
    if isinstance(node, ast.DictComp):
        entries = {}
        for position, item in enumerate(every or (UNKNOWN,)):
            if every:
                machine.assign(node.generators[0].target, machine.now(item))
            key = text_of(machine.evaluate(node.key)) or f"#{position}"
            entries[key] = machine.evaluate(node.value)
        return Value(kind="mapping", entries=entries, taints=taints)
    if every:
        items = []
        for item in every:
            machine.assign(node.generators[0].target, machine.now(item))
            items.append(machine.evaluate(node.elt))
        return Value(kind="sequence", items=tuple(items))
    element = machine.evaluate(node.elt)
    kept = element._replace(ref=None, taints=merged_taints(element.taints, taints))
    return Value(kind="sequence" if few else "iterator", element=kept, items=(kept,) if few else ())


def _rowwise(machine: Machine, node: Comprehension, first: Value, taints: Taints) -> Value | None:
    """`[clean(row) for row in table]`: the rows of the table again."""
    plain = not isinstance(node, ast.DictComp) and len(node.generators) == 1
    if not plain or first.kind != "data" or not first.rows or isinstance(node, ast.DictComp):
        return None
    if node.generators[0].ifs or spelled(node.elt) == spelled(node.generators[0].target):
        return None
    made = machine.evaluate(node.elt)
    if made.rows or made.evaluations:
        return None
    return Value(
        kind="data",
        rows=first.rows,
        taints=merged_taints(first.all_taints(), made.all_taints(), taints),
        origins=first.origins | made.origins,
        partial=True,
        order=first.order,
    )


def _picked_columns(
    machine: Machine,
    node: Comprehension,
    columns: Value,
    part: ast.comprehension,
    tests: list[Value],
) -> Value:
    """`[c for c in df.columns if c not in ("id", "target")]`."""
    dropped = set(columns.dropped)
    partial = columns.partial
    target = part.target.id if isinstance(part.target, ast.Name) else ""
    plain = isinstance(node, ast.ListComp) and spelled(node.elt) == target
    for test in part.ifs:
        names = None
        if (
            isinstance(test, ast.Compare)
            and spelled(test.left) == target
            and isinstance(test.ops[0], (ast.NotIn, ast.NotEq))
        ):
            names = names_of(machine.evaluate(test.comparators[0]))
        dropped |= set(names or ())
        partial = partial or names is None
    kept = {name: column for name, column in columns.columns.items() if name not in dropped}
    return Value(
        kind="columns", columns=kept, closed=columns.closed, partial=partial or not plain,
        dropped=frozenset(dropped),
        taints=merged_taints(columns.taints, *(test.all_taints() for test in tests)),
    )  # fmt: skip
