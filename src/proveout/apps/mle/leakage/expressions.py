"""What an expression is known to be."""

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from proveout.apps.mle.leakage import (
    by_hand,
    calls,
    catalogue,
    comprehending,
    estimators,
    frames,
    learning,
    score_tables,
)
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.rows import HIGHEST, LOWEST, Cut, Interval
from proveout.apps.mle.leakage.values import (
    MISSING,
    MOST_ITEMS,
    UNKNOWN,
    Value,
    alike,
    constant,
    join,
    join_all,
    merged_taints,
    text_of,
)
from proveout.apps.mle.syntax import spelled

MOST_CONSTANTS = 1_024
"""Texts whose values are kept: programs name the same columns again and again."""
SIDES: dict[type[ast.cmpop], frozenset[str]] = {
    ast.Lt: frozenset({"<"}),
    ast.LtE: frozenset({"<", "="}),
    ast.Eq: frozenset({"="}),
    ast.NotEq: frozenset({"<", ">"}),
    ast.Gt: frozenset({">"}),
    ast.GtE: frozenset({"=", ">"}),
}
SHAPES = frozenset({"shape", "size", "ndim", "dtypes", "dtype", "name", "empty"})
VIEWS = catalogue.words("values T str dt loc iloc ix at iat array data cat")
LEARNT = catalogue.words(
    """
    feature_importances_ coef_ support_ scores_ pvalues_ ranking_ labels_ components_ mean_ var_
    scale_ center_ data_min_ data_max_ statistics_ vocabulary_ idf_ classes_ categories_
    feature_importance cluster_centers_ explained_variance_ratio_ word_index embedding_
    """
)


def evaluate(machine: Machine, node: ast.expr) -> Value:
    rule = RULES.get(type(node))
    return Value(kind="scalar") if rule is None else rule(machine, node)


@lru_cache(maxsize=MOST_CONSTANTS)
def _literal(value: str) -> Value:
    return constant(value)


def _constant(machine: Machine, node: ast.Constant) -> Value:
    """To keep a number is to look at it, and some tell of every look (`watching`)."""
    del machine
    return _literal(node.value) if isinstance(node.value, str) else constant(node.value)


def _name(machine: Machine, node: ast.Name) -> Value:
    return machine.lookup(node.id) or Value(kind="name", name=node.id)


def _text(machine: Machine, node: ast.JoinedStr) -> Value:
    return constant("".join(_text_part(machine, part) for part in node.values))


def _either(machine: Machine, node: ast.IfExp) -> Value:
    machine.evaluate(node.test)
    return join(machine.evaluate(node.body), machine.evaluate(node.orelse))


def _named(machine: Machine, node: ast.NamedExpr) -> Value:
    value = machine.evaluate(node.value)
    machine.bind(node.target.id, value)
    return machine.lookup(node.target.id) or value


def _inner(machine: Machine, node: ast.Await | ast.Starred | ast.YieldFrom) -> Value:
    return machine.evaluate(node.value)


def _yielded(machine: Machine, node: ast.Yield) -> Value:
    value = UNKNOWN if node.value is None else machine.evaluate(node.value)
    machine.returned.append(Value(kind="iterator", element=value))
    return UNKNOWN


def _text_part(machine: Machine, node: ast.expr) -> str:
    """A piece of a formatted text; what is filled in stays open."""
    if isinstance(node, ast.FormattedValue):
        return text_of(machine.evaluate(node.value)) or "{}"
    return str(node.value) if isinstance(node, ast.Constant) else "{}"


def _sequence(machine: Machine, nodes: list[ast.expr]) -> Value:
    items: list[Value] = []
    for node in nodes[:MOST_ITEMS]:
        value = machine.evaluate(node)
        if isinstance(node, ast.Starred):
            items += value.items or (value,)
        else:
            items.append(value)
    return Value(kind="sequence", items=tuple(items[:MOST_ITEMS]))


def _mapping(machine: Machine, node: ast.Dict) -> Value:
    entries: dict[str, Value] = {}
    for position, (key, item) in enumerate(zip(node.keys, node.values, strict=True)):
        value = machine.evaluate(item)
        if key is None:
            entries.update(value.entries)
            continue
        entries[text_of(machine.evaluate(key)) or f"#{position}"] = value
    return Value(kind="mapping", entries=entries)


def attribute(machine: Machine, owner: Value, node: ast.Attribute) -> Value:
    name = node.attr
    if owner.kind == "name":
        return Value(kind="name", name=f"{owner.name}.{name}")
    if owner.kind == "instance":
        if name in owner.entries:
            return machine.now(owner.entries[name])
        return calls.read_property(machine, owner, name)
    if owner.kind == "object":
        return _of_object(machine, owner, node)
    if owner.kind == "mapping" and name in owner.entries:
        return machine.now(owner.entries[name])
    if score_tables.is_one(owner):
        return owner._replace(ref=None)
    if not owner.is_data:
        return Value(taints=owner.taints, evaluations=owner.evaluations)
    if name in SHAPES:
        return Value(kind="scalar", length_of=owner.rows)
    if name == "columns":
        # A table that is only predicted has no target: its columns are not all of the others'.
        apart = bool(owner.rows) and all(piece.unlabelled for piece in owner.rows)
        return Value(
            kind="columns", columns=owner.columns, closed=owner.closed,
            partial=owner.partial or apart, dropped=owner.dropped,
        )  # fmt: skip
    if name == "index":
        return Value(kind="index", cuts=frames.common_cuts(owner), rows=owner.rows)
    if name in VIEWS:
        return owner
    if name == "target":
        return frames.column(owner, "target")
    if name == "codes":
        return learning.spread(node, owner, kind="encoder")
    return frames.column(owner, name)


def _of_object(machine: Machine, owner: Value, node: ast.Attribute) -> Value:
    if node.attr in ("best_score_", "cv_results_", "oob_score_"):
        return estimators.inner_score(machine, owner, node)
    if owner.fit is not None and node.attr in LEARNT:
        taint = owner.fit.taint
        own = {taint: ((node.lineno, f"read as `.{node.attr}`"),)} if taint else {}
        return Value(taints=merged_taints(own, owner.fit.learnt))
    if node.attr in ("best_estimator_", "estimator", "model"):
        return owner
    return UNKNOWN


def subscript(machine: Machine, node: ast.Subscript) -> Value:
    owner = machine.evaluate(node.value)
    view = node.value.attr if isinstance(node.value, ast.Attribute) else ""
    if owner.kind == "name" and owner.name.endswith((".c_", ".r_")):
        return _glued(machine, owner, node.slice)
    if owner.kind in ("sequence", "iterator"):
        return _item(machine, owner, node.slice)
    if owner.kind == "mapping" or owner.kind == "instance":
        key = text_of(machine.evaluate(node.slice))
        if key is not None and key in owner.entries:
            return machine.now(owner.entries[key])
        return join_all(machine.now(value) for value in owner.entries.values())
    if score_tables.is_one(owner):
        return score_tables.item(machine, owner, node)
    if owner.kind == "columns":
        chosen = UNKNOWN if isinstance(node.slice, ast.Slice) else machine.evaluate(node.slice)
        taints = merged_taints(owner.taints, chosen.all_taints())
        return owner._replace(ref=None, partial=True, taints=taints)
    if owner.kind == "grouped":
        picked = frames.take_columns(owner._replace(kind="data"), machine.evaluate(node.slice))
        return picked._replace(kind="grouped", name=owner.name)
    if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) >= 2:
        return _two_ways(machine, owner, node.slice.elts)
    if isinstance(node.slice, ast.Slice):
        learnt = owner.taints and not owner.is_data and not owner.rows
        # The first few of what was learnt are learnt, too.
        return owner._replace(ref=None) if learnt else _row_slice(machine, owner, node.slice)
    index = machine.evaluate(node.slice)
    located = view in ("loc", "iloc", "ix")
    if index.cuts or index.kind == "index" or located or _unnamed(owner, index):
        return _rows_by(machine, owner, node.slice, index)
    if owner.kind == "scalar" and owner.length_of:
        return owner
    if owner.taints and not owner.is_data:
        return Value(kind="scalar", taints=owner.taints, evaluations=owner.evaluations)
    if not owner.is_data:
        return Value(taints=owner.all_taints(), evaluations=owner.evaluations)
    return frames.take_columns(owner, index)


def _glued(machine: Machine, owner: Value, node: ast.expr) -> Value:
    """`np.c_[a, b]` beside each other, `np.r_[a, b]` one under the other."""
    parts = [machine.evaluate(part) for part in getattr(node, "elts", [node])]
    if owner.name.endswith(".r_"):
        return frames.stacked(parts, node.lineno)
    return frames.beside(parts[0], *parts[1:]) if parts else UNKNOWN


def _unnamed(owner: Value, index: Value) -> bool:
    """An array indexed by something that is neither a name nor a list of names."""
    return bool(index.rows) and index.kind == "data" and not owner.closed


def _rows_by(machine: Machine, owner: Value, node: ast.expr, index: Value) -> Value:
    if index.kind == "scalar" and isinstance(index.const, int):
        return Value(kind="row", taints=owner.taints, origins=owner.origins)
    taken = frames.row_index(machine, node)
    return frames.take_rows(owner, taken.cuts)


def _item(machine: Machine, owner: Value, node: ast.expr) -> Value:
    index = machine.evaluate(node) if not isinstance(node, ast.Slice) else UNKNOWN
    if isinstance(index.const, int) and -len(owner.items) <= index.const < len(owner.items):
        return machine.now(owner.items[index.const])
    if isinstance(node, ast.Slice):
        return owner._replace(ref=None)
    if owner.element is not None:
        return owner.element
    return join_all(machine.now(item) for item in owner.items)


def _row_slice(machine: Machine, owner: Value, node: ast.Slice) -> Value:
    resolved = frames.resolve_parts(machine, owner, node)
    if resolved is not None:
        return alike(owner, rows=resolved, parts=())
    if node.lower is None and node.upper is None:
        return owner
    return frames.take_rows(owner, frozenset(frames.slice_cuts(machine, node)))


def _two_ways(machine: Machine, owner: Value, parts: list[ast.expr]) -> Value:
    """`x[rows, columns]`, as NumPy, `loc` and `iloc` have it."""
    rows, columns = parts[0], parts[1]
    taken = owner
    if isinstance(rows, ast.Slice):
        taken = _row_slice(machine, taken, rows)
    else:
        taken = _rows_by(machine, taken, rows, machine.evaluate(rows))
    if isinstance(columns, ast.Slice):
        everything = columns.lower is None and columns.upper is None
        return taken if everything else alike(taken, partial=True)
    return frames.take_columns(taken, machine.evaluate(columns)) if taken.is_data else taken


def _operation(machine: Machine, node: ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.Compare) -> Value:
    if isinstance(node, ast.UnaryOp):
        return _unary(node, machine.evaluate(node.operand))
    if isinstance(node, ast.BoolOp):
        return frames.combined([machine.evaluate(part) for part in node.values])
    if isinstance(node, ast.Compare):
        return _comparison(machine, node)
    left, right = machine.evaluate(node.left), machine.evaluate(node.right)
    if isinstance(node.op, ast.MatMult):
        predicted = by_hand.product(machine, node, left, right)
        return predicted or frames.combined([left, right])
    if isinstance(node.op, ast.BitAnd) and (left.cuts or right.cuts):
        return frames.combined([left, right])._replace(cuts=left.cuts | right.cuts)
    if "columns" in (left.kind, right.kind):
        taints = merged_taints(left.taints, right.taints)
        return Value(kind="columns", partial=True, taints=taints)
    if left.kind == "sequence" and right.kind == "sequence":
        return Value(kind="sequence", items=(*left.items, *right.items)[:MOST_ITEMS])
    if left.kind == "sequence" and isinstance(right.const, int):
        return left._replace(ref=None, items=(left.items * 2)[:MOST_ITEMS])
    if isinstance(node.op, ast.Div) and isinstance(right.const, str):
        return constant(right.const)
    if isinstance(left.const, str) and isinstance(right.const, str):
        return constant(left.const + right.const) if isinstance(node.op, ast.Add) else UNKNOWN
    return frames.combined([left, right])


def _unary(node: ast.UnaryOp, value: Value) -> Value:
    if isinstance(node.op, ast.USub) and isinstance(value.const, (int, float)):
        return constant(-value.const)
    if isinstance(node.op, (ast.Invert, ast.Not)):
        flipped = frozenset(cut.flipped() for cut in value.cuts) if len(value.cuts) == 1 else None
        if flipped is None and value.cuts:
            key = "not:" + "|".join(sorted(cut.key for cut in value.cuts))
            flipped = frozenset({Cut(key, line=node.lineno)})
        return alike(value, cuts=flipped or frozenset())
    return alike(value)


def _note_threshold(machine: Machine, node: ast.Compare, predicted: Value, bound: Value) -> None:
    """Predictions are cut where their own score is best (a point of their ROC curve, say).

    A quantile of the predictions knows no labels: it carries a statistic, a score does not.
    """
    events = predicted.evaluations & bound.evaluations
    if predicted.rows and events and not bound.rows and not bound.all_taints():
        machine.choose(learning.span(node), events)


def _comparison(machine: Machine, node: ast.Compare) -> Value:
    left = machine.evaluate(node.left)
    rights = [machine.evaluate(part) for part in node.comparators]
    result = frames.combined([left, *rights])
    side = SIDES.get(type(node.ops[0]))
    if len(rights) != 1 or side is None or not (left.is_data or left.kind == "unknown"):
        return result
    right = node.comparators[0]
    about = _identity(left, node.left)
    bound = rights[0].const
    if isinstance(bound, (int, float)) and not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        machine.log.numeric |= left.origins
    text = repr(bound) if bound is not MISSING else spelled(right)[:60]
    looped = isinstance(right, ast.Name) and any(right.id in names for names in machine.loop_names)
    if not looped:
        _note_threshold(machine, node, left, rights[0])
    cut = Cut(
        key=f"cmp:{about}:{text}",
        side=side,
        family=f"cmp:{about}",
        interval=_interval(side, bound),
        line=node.lineno,
        folds=looped or "fold" in about.lower(),
    )
    return result._replace(kind="data", cuts=frozenset({cut}))


def _identity(value: Value, node: ast.expr) -> str:
    """The same for the same column, however it is spelt."""
    if len(value.origins) == 1 and not value.taints:
        source, name = next(iter(value.origins))
        return f"{source}.{name}"
    return spelled(node)[:80]


def _interval(side: frozenset[str], bound: object) -> Interval | None:
    if not isinstance(bound, (int, float)) or isinstance(bound, bool) or side == SIDES[ast.NotEq]:
        return None
    number = float(bound)
    low = LOWEST if "<" in side else (number, 0 if "=" in side else 1)
    high = HIGHEST if ">" in side else (number, 1 if "=" in side else 0)
    return (low, high)


RULES: dict[type[ast.expr], Callable[[Machine, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Call: calls.call,
    ast.Attribute: lambda machine, node: attribute(machine, machine.evaluate(node.value), node),
    ast.Subscript: subscript,
    **dict.fromkeys((ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare), _operation),
    **dict.fromkeys(
        (ast.Tuple, ast.List, ast.Set), lambda machine, node: _sequence(machine, node.elts)
    ),
    ast.Dict: _mapping,
    ast.JoinedStr: _text,
    ast.Lambda: lambda _, node: Value(kind="function", name="lambda", node=node),
    ast.IfExp: _either,
    **dict.fromkeys(
        (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), comprehending.comprehension
    ),
    ast.NamedExpr: _named,
    **dict.fromkeys((ast.Await, ast.Starred, ast.YieldFrom), _inner),
    ast.Yield: _yielded,
}
"""By the kind of expression; any other is a plain value."""
