"""Tables of scores: `pd.Series(results).idxmax()`, the first row of what was sorted by score."""

import ast
from collections.abc import Iterable

from proveout.apps.mle.leakage import learning
from proveout.apps.mle.leakage.calling import Call
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.values import Value

SCORES, RANKING = "scores", "ranking"
CHOOSING = frozenset(
    {"idxmax", "idxmin", "argmax", "argmin", "max", "min", "nlargest", "nsmallest"}
)
SORTING = frozenset({"sort_values", "sort_index"})


def of(machine: Machine, parts: Iterable[Value]) -> Value | None:
    """A table of these, if they are scores and no rows."""
    found: frozenset[int] = frozenset()
    for part in map(machine.now, parts):
        if part.rows:
            return None
        inner = of(machine, (*part.items, *part.entries.values()))
        found |= part.evaluations | (inner.evaluations if inner is not None else frozenset())
    return Value(kind="unknown", name=SCORES, evaluations=found) if found else None


def is_one(value: Value) -> bool:
    return value.name in (SCORES, RANKING) and bool(value.evaluations) and not value.rows


def method(machine: Machine, owner: Value, call: Call) -> Value:
    if call.name in CHOOSING:
        return _best(machine, owner, call.node)
    if call.name in SORTING:
        return owner._replace(ref=None, name=RANKING)
    return owner._replace(ref=None)


def item(machine: Machine, owner: Value, node: ast.Subscript) -> Value:
    """The first of a ranking is the one that is taken."""
    if isinstance(node.slice, (ast.Call, ast.Name)):
        machine.evaluate(node.slice)
    first = isinstance(node.slice, ast.Constant) and node.slice.value == 0
    if owner.name == RANKING and first:
        return _best(machine, owner, node)
    return owner._replace(ref=None)


def _best(machine: Machine, owner: Value, node: ast.expr) -> Value:
    machine.choose(learning.span(node), owner.evaluations)
    return Value(kind="scalar", evaluations=owner.evaluations)
