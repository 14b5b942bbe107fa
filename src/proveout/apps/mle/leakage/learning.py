"""Where something is learnt from rows: the births of taints."""

import ast

from proveout.apps.mle.leakage.frames import blurred, looked_at
from proveout.apps.mle.leakage.rows import describe
from proveout.apps.mle.leakage.values import (
    NO_TAINTS,
    Span,
    Taint,
    TaintKind,
    Taints,
    Value,
    alike,
    merged_taints,
)
from proveout.apps.mle.syntax import spelled

MISSINGNESS = "missingness"
"""Marks tables that say where values are missing or repeated; counting them gives nothing away."""


def span(node: ast.expr | ast.stmt) -> Span:
    end = node.end_lineno or node.lineno
    return Span(node.lineno, end, node.col_offset, node.end_col_offset or 0)


def learnt(
    node: ast.expr,
    value: Value,
    kind: TaintKind,
    *,
    target: Value | None = None,
    what: str = "",
) -> Taints:
    """A new taint: what is computed here depends on all rows of the value."""
    if not value.rows or value.kind == "row" or value.name == MISSINGNESS:
        return NO_TAINTS
    name = what or wording(node)
    of = looked_at(value) | (looked_at(target) if target is not None else frozenset())
    taint = Taint(kind, span(node), name, value.rows, of, supervised=target is not None)
    return {taint: ((node.lineno, f"`{name}` learns from {describe(value.rows)}"),)}


def wording(node: ast.expr) -> str:
    text = spelled(node.func if isinstance(node, ast.Call) else node)
    return text if len(text) <= 60 else f"…{text[-57:]}"


def is_across_columns(call_axis: Value | None) -> bool:
    """`axis=1`: within each row, over its columns."""
    return call_axis is not None and call_axis.const in (1, -1, "columns")


def statistic(node: ast.expr, value: Value, target: Value | None = None) -> Value:
    """A number, or a few, about many rows."""
    taints = merged_taints(value.all_taints(), learnt(node, value, "statistic", target=target))
    if value.kind == "grouped":
        return Value(kind="data", taints=taints, partial=True, columns={}, origins=frozenset())
    return Value(kind="scalar", taints=taints, evaluations=value.evaluations)


def spread(node: ast.expr, value: Value, kind: TaintKind = "statistic") -> Value:
    """Every row gets a value that depends on the other rows."""
    taints = learnt(node, value, kind)
    if value.kind == "row":
        return value
    if kind == "encoder" and (value.columns or value.dropped):
        # New columns beside the old ones, which keep their names.
        return alike(value, taints=merged_taints(value.taints, taints))
    result = blurred(value._replace(kind="data"), taints)
    return result._replace(partial=value.partial, dropped=value.dropped)
