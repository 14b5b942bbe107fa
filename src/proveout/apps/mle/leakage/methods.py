"""Methods of tables, columns, arrays, lists and dictionaries."""

import ast
from collections.abc import Callable

from proveout.apps.mle.leakage import catalogue, containers, frames, learning, score_tables
from proveout.apps.mle.leakage.calling import Call
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.rows import ABOVE, BELOW, EQUAL, SLICE, Cut
from proveout.apps.mle.leakage.values import (
    UNKNOWN,
    Column,
    Order,
    Value,
    alike,
    merged_taints,
    names_of,
    stepped,
)
from proveout.apps.mle.syntax import expression

Rule = Callable[[Machine, Value, Call], Value]
UNTOUCHED = catalogue.words(
    """
    copy reset_index set_index rename dropna drop_duplicates to_numpy tolist to_list reshape
    sort_index ravel flatten squeeze toarray todense compute persist round abs to_frame cache
    infer_objects convert_dtypes ffill pad view
    """
)
"""Rows and columns stay what they are."""


def method(machine: Machine, owner: Value, call: Call) -> Value:
    if owner.kind in ("sequence", "mapping", "iterator"):
        return containers.of_container(machine, owner, call)
    if owner.kind == "columns":
        return containers.of_columns(owner, call)
    if score_tables.is_one(owner):
        return score_tables.method(machine, owner, call)
    result = _of_table(machine, owner, call)
    if call.flag("inplace") is True:
        _put_back(machine, owner, call, result)
    return result


def _put_back(machine: Machine, owner: Value, call: Call, result: Value) -> None:
    """`df.drop(…, inplace=True)`; also of one column, as older versions had it."""
    function = call.node.func
    place = function.value if isinstance(function, ast.Attribute) else None
    if owner.ref is not None:
        machine.change(owner, result)
    elif isinstance(place, (ast.Subscript, ast.Attribute)):
        machine.assign(place, result)


def _of_table(machine: Machine, owner: Value, call: Call) -> Value:
    name = call.name
    rule = RULES.get(name)
    if rule is not None:
        return rule(machine, owner, call)
    if name in UNTOUCHED:
        return alike(owner)
    if name in catalogue.ROW_WISE:
        return _row_wise(owner, name)
    if name in catalogue.SPREADING:
        return learning.spread(call.node, owner)
    if name in catalogue.STATISTICS:
        return _statistic(owner, call)
    return _mixed(owner, call)


def _row_wise(owner: Value, name: str) -> Value:
    if name == "astype":
        return alike(owner)
    if name in ("nunique", "unique", "dtypes"):
        return Value(kind="scalar", name=learning.MISSINGNESS)
    kept = alike(owner, name=learning.MISSINGNESS)
    about = "|".join(sorted("/".join(origin) for origin in owner.origins))
    if not about:
        return kept
    missing = name in ("isnull", "isna")
    cut = Cut(f"missing:{about}", frozenset({"in"} if missing else {"out"}))
    return kept._replace(cuts=frozenset({cut}))


def _statistic(owner: Value, call: Call) -> Value:
    axis = call.get(0, "axis") if call.name not in ("quantile", "corr", "agg") else None
    if "axis" in call.kwargs:
        axis = call.kwargs["axis"]
    if owner.name == learning.MISSINGNESS:
        return Value(kind="scalar", name=learning.MISSINGNESS)
    if owner.kind == "row" or not owner.is_data:
        return Value(kind=owner.kind, taints=owner.taints, evaluations=owner.evaluations)
    if owner.name == "window":
        # Over a few rows before each row; a window that looks ahead was noted when it was made.
        return alike(owner, kind="data", name="")
    if learning.is_across_columns(axis) and owner.kind != "grouped":
        return frames.blurred(owner)
    if call.name in catalogue.HARMLESS_STATISTICS and owner.kind != "grouped":
        return Value(kind="scalar", taints=owner.taints)
    if call.name in catalogue.HARMLESS_STATISTICS and call.name not in ("size", "count"):
        return Value(kind="data", taints=owner.taints)
    target = call.get(0, "other") if call.name == "corrwith" else None
    result = learning.statistic(call.node, owner, target)
    if owner.kind == "grouped" and owner.name == "kept_shape":
        return frames.blurred(owner._replace(kind="data"), result.taints)
    return result


def _mixed(owner: Value, call: Call) -> Value:
    """An unknown method: the same rows and columns, plus what the arguments learnt."""
    taints = merged_taints(*(value.all_taints() for value in call.values))
    evaluations = owner.evaluations.union(*(value.evaluations for value in call.values))
    text = f"used by `.{call.name}`"
    kept = frames.tainted(alike(owner), stepped(taints, call.node.lineno, text))
    return kept._replace(evaluations=evaluations, cuts=owner.cuts)


def _drop(machine: Machine, owner: Value, call: Call) -> Value:
    del machine
    what = call.get(0, "columns", "labels", "index")
    axis = call.get(1, "axis")
    if what is None:
        return alike(owner)
    by_column = "columns" in call.kwargs or learning.is_across_columns(axis)
    names = names_of(what)
    if by_column:
        if names is None and what.kind == "columns":
            names = list(what.columns) if what.closed else None
        if names is None:
            return frames.chosen_by(alike(owner, partial=True), what)
        return frames.without(owner, names)
    taken = what.cuts - frames.common_cuts(owner)
    if len(taken) == 1:
        return frames.take_rows(owner, frozenset(cut.flipped() for cut in taken))
    return alike(owner)


def _pop(machine: Machine, owner: Value, call: Call) -> Value:
    names = names_of(call.args[0]) if call.args else None
    if not names:
        return UNKNOWN
    taken = frames.column(owner, names[0])
    machine.change(owner, frames.without(owner, names))
    return taken


def _assign(machine: Machine, owner: Value, call: Call) -> Value:
    columns, order = dict(owner.columns), owner.order
    for name, value in call.kwargs.items():
        made = value
        if value.kind == "function":
            made = machine.follow(value, [alike(owner, columns=dict(columns))], {}) or UNKNOWN
        order = max(order, made.order)
        columns[name] = Column(
            stepped(made.all_taints(), call.node.lineno, f"becomes column {name!r}"), made.origins
        )
    return alike(owner, columns=columns, dropped=owner.dropped - set(columns), order=order)


def _beside(machine: Machine, owner: Value, call: Call) -> Value:
    del machine
    others = [value for value in call.values if value.is_data or value.taints]
    others = [value for value in others if value.kind in ("data", "unknown", "index")]
    return frames.beside(owner, *others)


def _append(machine: Machine, owner: Value, call: Call) -> Value:
    other = call.args[0] if call.args else UNKNOWN
    listed = [machine.now(item) for item in (other.items or (other,))]
    return frames.stacked([owner, *listed], call.node.lineno)


def _map(machine: Machine, owner: Value, call: Call) -> Value:
    """`map`, `apply`, `pipe`: a function, or a table of values, for each element."""
    function = call.get(0, "func", "arg")
    if function is None:
        return alike(owner)
    if function.kind == "function":
        given = _element_of(owner, call)
        made = machine.follow(function, [given, *_extra(call)], {}) or UNKNOWN
        if call.name == "pipe" and made.kind != "unknown":
            return made
        taints = made.all_taints()
        if call.name == "transform" and owner.kind == "grouped" and made.kind == "data":
            return made._replace(ref=None, evaluations=frozenset())
        if owner.kind == "grouped" and made.kind == "scalar" and call.name != "transform":
            return Value(kind="data", taints=taints, partial=True)
    else:
        taints = function.all_taints()
    text = f"used by `.{call.name}`"
    kept = frames.tainted(alike(owner, kind="data"), stepped(taints, call.node.lineno, text))
    if call.name in ("transform", "agg") and isinstance(function.const, str):
        return _statistic_named(owner, call)
    return kept._replace(evaluations=frozenset())


def _extra(call: Call) -> list[Value]:
    given = call.kwargs.get("args")
    return list(given.items) if given is not None else []


def _element_of(owner: Value, call: Call) -> Value:
    """What the function of an `apply` gets: a row, a cell, a column or a group."""
    if owner.kind == "grouped":
        return alike(owner, kind="data")
    single = bool(owner.origins) and not owner.columns
    across = learning.is_across_columns(call.get(1, "axis"))
    if call.name in ("map", "applymap") or across or (single and call.name == "apply"):
        return Value(kind="row", taints=owner.taints, origins=owner.origins)
    return alike(owner)


def _statistic_named(owner: Value, call: Call) -> Value:
    """`.transform("mean")`."""
    if call.args and call.args[0].const in ("count", "size", "cumcount", "shift", "ffill"):
        return alike(owner, kind="data")
    taints = merged_taints(owner.all_taints(), learning.learnt(call.node, owner, "statistic"))
    if call.name == "transform":
        # What is told about a group is no longer the column itself.
        return frames.blurred(owner._replace(kind="data"), taints)._replace(
            origins=frozenset(), partial=True
        )
    return Value(kind="data", taints=taints, partial=True)


def _groupby(machine: Machine, owner: Value, call: Call) -> Value:
    del machine, call
    return alike(owner, kind="grouped")


def _neighbours(machine: Machine, owner: Value, call: Call) -> Value:
    """`shift`, `rolling`, `diff`: rows look at rows near them."""
    del machine
    periods = call.get(0, "periods")
    kept = alike(owner, kind="data", order=Order.NEIGHBOURS)
    if call.name == "shift":
        # The value of another row: the target's own history is a fair feature.
        kept = kept._replace(origins=frozenset())
    back = periods is not None and isinstance(periods.const, int) and periods.const < 0
    if (call.name in ("shift", "diff", "pct_change") and back) or call.flag("center") is True:
        taints = learning.learnt(call.node, kept, "future")
        kept = frames.tainted(kept, taints)
    if call.name in ("rolling", "expanding", "ewm"):
        return kept._replace(kind="grouped", name="window")
    return kept


def _sample(machine: Machine, owner: Value, call: Call) -> Value:
    del machine
    if call.flag("frac") in (1, 1.0):
        kept = alike(owner, parts=(), order=Order.UNKNOWN)
    else:
        key = f"sample:{call.node.lineno}:{call.node.col_offset}"
        kept = frames.take_rows(owner, frozenset({Cut(key, line=call.node.lineno)}))
    if call.flag("replace") is True:
        kept = frames.tainted(
            alike(owner), learning.learnt(call.node, owner, "resample", what="sample(replace=True)")
        )
    return kept


def _end(machine: Machine, owner: Value, call: Call) -> Value:
    """`head(n)` and `tail(n)`."""
    del machine
    text = ast.unparse(call.arg_nodes[0])[:60] if call.arg_nodes else "5"
    tail = call.name == "tail"
    cut = Cut(
        f"{SLICE}:-{text}" if tail else f"{SLICE}:{text}",
        ABOVE if tail else BELOW,
        SLICE,
        line=call.node.lineno,
    )
    return frames.take_rows(owner, frozenset({cut}))


def _isin(machine: Machine, owner: Value, call: Call) -> Value:
    del machine
    given = call.args[0] if call.args else UNKNOWN
    if given.cuts:
        # What the rows already went through says nothing about which of them are listed.
        cuts = given.cuts - owner.cuts or given.cuts
        return Value(kind="data", rows=owner.rows, cuts=cuts)
    about = "|".join("/".join(origin) for origin in sorted(owner.origins)) or "rows"
    text = ast.unparse(call.arg_nodes[0])[:60] if call.arg_nodes else ""
    cut = Cut(f"isin:{about}:{text}", EQUAL, f"isin:{about}", line=call.node.lineno)
    return alike(owner, cuts=frozenset({cut}), columns={}, kind="data")


def _query(machine: Machine, owner: Value, call: Call) -> Value:
    text = call.args[0].const if call.args else None
    if isinstance(text, str):
        try:
            parsed = expression(text.replace("@", ""))
        except (SyntaxError, ValueError):
            parsed = None
        if isinstance(parsed, ast.Compare) and isinstance(parsed.left, ast.Name):
            machine.scopes.append({})
            machine.bind(parsed.left.id, frames.column(owner, parsed.left.id))
            cuts = machine.evaluate(parsed).cuts
            machine.scopes.pop()
            return frames.take_rows(owner, cuts)
    key = f"query:{ast.unparse(call.node)[:80]}"
    return frames.take_rows(owner, frozenset({Cut(key, line=call.node.lineno)}))


def _sort(machine: Machine, owner: Value, call: Call) -> Value:
    del machine
    by = call.get(0, "by")
    names = names_of(by) if by is not None else None
    timed = bool(names) and any(catalogue.looks_like_time(name) for name in names or ())
    return alike(owner, parts=(), order=owner.order or (Order.SORTED if timed else Order.UNKNOWN))


def _some_columns(machine: Machine, owner: Value, call: Call) -> Value:
    del machine, call
    return alike(owner, partial=True)


def _by_kind(machine: Machine, owner: Value, call: Call) -> Value:
    del machine
    wanted = [ast.unparse(node) for node in call.node.args[:1]]
    wanted += [ast.unparse(node.value) for node in call.node.keywords if node.arg == "include"]
    numbers = any("num" in text or "float" in text for text in wanted)
    return alike(owner, partial=True, numbers=numbers and not owner.partial)


def _align(machine: Machine, owner: Value, call: Call) -> Value:
    """Two tables with the same columns."""
    del machine
    other = call.args[0] if call.args else UNKNOWN
    return Value(kind="sequence", items=(alike(owner), alike(other)))


def _index_of(machine: Machine, owner: Value, call: Call) -> Value:
    del machine, call
    return Value(kind="sequence", items=(owner._replace(ref=None, kind="index", taints={}),))


RULES: dict[str, Rule] = {
    "drop": _drop,
    "pop": _pop,
    "assign": _assign,
    "merge": _beside,
    "join": _beside,
    "append": _append,
    "map": _map,
    "apply": _map,
    "applymap": _map,
    "transform": _map,
    "pipe": _map,
    "groupby": _groupby,
    "shift": _neighbours,
    "diff": _neighbours,
    "pct_change": _neighbours,
    "rolling": _neighbours,
    "expanding": _neighbours,
    "ewm": _neighbours,
    "sample": _sample,
    "head": _end,
    "tail": _end,
    "isin": _isin,
    "query": _query,
    "sort_values": _sort,
    "select_dtypes": _by_kind,
    "filter": _some_columns,
    "nonzero": _index_of,
    "align": _align,
}
