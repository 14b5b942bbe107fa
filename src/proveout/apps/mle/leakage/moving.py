"""Repairs that move what learns below the split: fit on the training rows, apply to both parts."""

import ast

from proveout.apps.mle.leakage import catalogue
from proveout.apps.mle.leakage.editing import Block, Draft, called, root, used
from proveout.apps.mle.leakage.parts import (
    Parts,
    Split,
    find_split,
    is_read,
    keeps_index,
    lacks,
    parts_of,
    take_away,
    target_part,
)

APPLIED = {"fit_transform": "transform", "fit_predict": "predict"}
"""What is called on the rows that were not fitted on."""


def move_below_split(draft: Draft, block: Block, position: int) -> str | None:
    split = find_split(draft, block, position)
    node = block[position]
    if split is None:
        return None
    if isinstance(node, ast.Expr):
        return _move_separate_fit(draft, block, position, split)
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    if called(node.value) in APPLIED:
        return _move_fit_transform(draft, block, position, split)
    if called(node.value) in ("fit_resample", "fit_sample"):
        return _move_resampling(draft, block, position, split)
    return _move_group_statistic(draft, block, position, split)


def _names_between(block: Block, first: int, split: Split, name: str) -> bool:
    """Whether something else uses the name before the rows are divided."""
    return used(block[first + 1 : split.called_at], name)


def _move_fit_transform(draft: Draft, block: Block, position: int, split: Split) -> str | None:
    node = block[position]
    assert isinstance(node, ast.Assign)
    assert isinstance(node.value, ast.Call)
    call, target = node.value, node.targets[0]
    assert isinstance(call.func, ast.Attribute)
    if not call.args:
        return None
    columns = draft.segment(target)
    table = root(target)
    parts = parts_of(split, block, table, position)
    labels = _labels(split, call)
    if parts is None or labels is None:
        return None
    given = draft.segment(call.args[0])
    lines: list[str] = []
    fitted = draft.segment(call.func.value)
    if any(isinstance(part, ast.Call) for part in ast.walk(call.func.value)):
        fitted, made = draft.fresh("fitted"), fitted
        lines.append(f"{fitted} = {made}")
    names = ({table: parts.train}, {table: parts.test})
    if isinstance(target, ast.Name):
        if _names_between(block, position, split, table) or split.of(table) is None:
            return None
        inputs = [parts.train, parts.test]
        _leave(draft, node, columns, given)
    else:
        between = block[position + 1 : split.position]
        if root(call.args[0]) != table or lacks(split, block, parts, node):
            return None
        if is_read(node, between):
            return None
        inputs = [draft.segment(call.args[0], name) for name in names]
        take_away(draft, node, [*between, split.node])
    before, after = (draft.segment(target, name) for name in names)
    lines += [f"{before} = {fitted}.{call.func.attr}({inputs[0]}{labels})"]
    lines += [f"{after} = {fitted}.{APPLIED[call.func.attr]}({inputs[1]})"]
    draft.insert_after(split.node, lines)
    return draft.text()


def _labels(split: Split, call: ast.Call) -> str | None:
    """The second argument of a fit, as the training rows have it."""
    given = [*call.args[1:], *(word.value for word in call.keywords if word.arg == "y")]
    if not given:
        return ""
    parts = split.of(ast.unparse(given[0]))
    return None if parts is None else f", {parts.train}"


def _leave(draft: Draft, node: ast.stmt, name: str, given: str) -> None:
    """What remains of `x = scaler.fit_transform(given)`."""
    if given == name:
        draft.delete(node)
    else:
        draft.replace(node, f"{name} = {given}")


def _move_separate_fit(draft: Draft, block: Block, position: int, split: Split) -> str | None:
    """`scaler.fit(x)` followed by `x = scaler.transform(x)`."""
    node = block[position]
    assert isinstance(node, ast.Expr)
    if called(node.value) != "fit" or not isinstance(node.value, ast.Call):
        return None
    fitted = root(node.value)
    between = block[position + 1 : split.position]
    applied = [one for one in between if used([one], fitted)]
    if len(applied) != 1 or not isinstance(applied[0], ast.Assign) or not node.value.args:
        return None
    moved = applied[0]
    target, value = moved.targets[0], moved.value
    if called(value) != "transform" or not isinstance(target, ast.Name):
        return None
    assert isinstance(value, ast.Call)
    parts, labels = split.of(target.id), _labels(split, node.value)
    given = ast.unparse(value.args[0]) if value.args else ""
    if parts is None or labels is None or given != ast.unparse(node.value.args[0]):
        return None
    draft.delete(node)
    _leave(draft, moved, target.id, draft.segment(value.args[0]))
    lines = [
        f"{parts.train} = {fitted}.fit_transform({parts.train}{labels})",
        f"{parts.test} = {fitted}.transform({parts.test})",
    ]
    draft.insert_after(split.node, lines)
    return draft.text()


def _move_resampling(draft: Draft, block: Block, position: int, split: Split) -> str | None:
    node = block[position]
    assert isinstance(node, ast.Assign)
    assert isinstance(node.value, ast.Call)
    target = node.targets[0]
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2 or len(node.value.args) != 2:
        return None
    names = [draft.segment(part) for part in target.elts]
    given = [draft.segment(part) for part in node.value.args]
    parts = [split.of(name) for name in names]
    if any(part is None for part in parts):
        return None
    trained = [part.train for part in parts if part is not None]
    function = draft.segment(node.value.func)
    draft.insert_after(split.node, [f"{', '.join(trained)} = {function}({', '.join(trained)})"])
    if names == given:
        draft.delete(node)
    else:
        draft.replace(node, f"{', '.join(names)} = {', '.join(given)}")
    return draft.text()


def statistics_in(node: ast.AST, table: str) -> list[ast.Call]:
    """The outermost calls below a node that summarise the table."""
    if isinstance(node, ast.Call) and root(node) == table:
        name = called(node)
        if name in catalogue.STATISTICS and not _across(node):
            return [node]
    found: list[ast.Call] = []
    for child in ast.iter_child_nodes(node):
        found += statistics_in(child, table)
    return found


def _across(call: ast.Call) -> bool:
    return any(
        word.arg == "axis" and ast.unparse(word.value) in ("1", "'columns'")
        for word in call.keywords
    )


def move_statistic_below_split(draft: Draft, block: Block, position: int) -> str | None:
    """`df["a"] = df["a"].fillna(df["a"].mean())`."""
    node = block[position]
    split = find_split(draft, block, position)
    if split is None or not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target = node.targets[0]
    table = root(target)
    statistics = statistics_in(node.value, table)
    if not table or not statistics:
        return _move_named_statistic(draft, block, position, split)
    parts = parts_of(split, block, table, position)
    if parts is None or (isinstance(target, ast.Name) and split.of(table) is None):
        return None
    if isinstance(target, ast.Name) and _names_between(block, position, split, table):
        return None
    between = block[position + 1 : split.position]
    if is_read(node, between):
        return None
    if lacks(split, block, parts, node):
        return _move_target_rate(draft, block, position, split, parts)
    lines, replaced = _computed(draft, statistics, table, parts)
    for name in (parts.train, parts.test):
        value = draft.segment_with(node.value, {table: name}, replaced)
        lines.append(f"{draft.segment(target, {table: name})} = {value}")
    take_away(draft, node, [*between, split.node])
    draft.insert_after(split.node, lines)
    return draft.text()


def _move_target_rate(
    draft: Draft, block: Block, position: int, split: Split, parts: Parts
) -> str | None:
    """`df["k"].map(df.groupby("k")["y"].mean())`, where the target is split off on its own."""
    node = block[position]
    assert isinstance(node, ast.Assign)
    target, table = node.targets[0], root(node.targets[0])
    statistics = statistics_in(node.value, table)
    if len(statistics) != 1 or not isinstance(statistics[0].func, ast.Attribute):
        return None
    picked = statistics[0].func.value
    if not isinstance(picked, ast.Subscript) or called(picked.value) != "groupby":
        return None
    assert isinstance(picked.value, ast.Call)
    keys = [*picked.value.args, picked.slice]
    if len(keys) != 2 or not all(isinstance(part, ast.Constant) for part in keys):
        return None
    key, column = (str(getattr(part, "value", "")) for part in keys)
    labels = target_part(split, block, table, column)
    if labels is None or lacks(split, block, parts, ast.Constant(key)):
        return None
    name = draft.fresh("train_rate")
    function = called(statistics[0])
    lines = [f'{name} = {labels.train}.groupby({parts.train}["{key}"]).{function}()']
    for part in (parts.train, parts.test):
        value = draft.segment_with(node.value, {table: part}, {statistics[0]: name})
        lines.append(f"{draft.segment(target, {table: part})} = {value}")
    take_away(draft, node, block[position + 1 : split.position + 1])
    draft.insert_after(split.node, lines)
    return draft.text()


def _computed(
    draft: Draft, statistics: list[ast.Call], table: str, parts: Parts
) -> tuple[list[str], dict[ast.AST, str]]:
    """Lines that compute the statistics from the training rows, and the names they get."""
    lines: list[str] = []
    replaced: dict[ast.AST, str] = {}
    for call in statistics:
        name = draft.fresh(f"train_{called(call)}")
        lines.append(f"{name} = {draft.segment(call, {table: parts.train})}")
        replaced[call] = name
    return lines, replaced


def _move_named_statistic(draft: Draft, block: Block, position: int, split: Split) -> str | None:
    """`middle = df["a"].median()`, used by one later statement before the split."""
    node = block[position]
    assert isinstance(node, ast.Assign)
    target = node.targets[0]
    if not isinstance(target, ast.Name):
        return None
    between = block[position + 1 : split.position]
    users = [one for one in between if used([one], target.id)]
    if len(users) != 1 or not isinstance(users[0], ast.Assign):
        return None
    user = users[0]
    place = user.targets[0]
    table = root(place)
    parts = parts_of(split, block, table, position)
    if parts is None or not _summarises(node.value, table):
        return None
    if not isinstance(place, ast.Subscript) or is_read(user, between[between.index(user) + 1 :]):
        return None
    if lacks(split, block, parts, node) or lacks(split, block, parts, user):
        return None
    lines = [draft.segment(node, {table: parts.train})]
    lines += [draft.segment(user, {table: name}) for name in (parts.train, parts.test)]
    draft.delete(node)
    draft.delete(user)
    draft.insert_after(split.node, lines)
    return draft.text()


def _summarises(value: ast.expr, table: str) -> bool:
    """A few numbers about the table: by a method of it, or by a function of a library."""
    by_function = any(
        isinstance(call, ast.Call)
        and called(call) in catalogue.STATISTICS
        and any(root(argument) == table for argument in call.args)
        for call in ast.walk(value)
    )
    return by_function or bool(statistics_in(value, table))


def grouped(value: ast.expr) -> tuple[str, str, str, str] | None:
    """Table, key, column and function of `df.groupby("k")["c"].transform("mean")`."""
    if called(value) != "transform" or not isinstance(value, ast.Call) or len(value.args) != 1:
        return None
    function = value.args[0]
    assert isinstance(value.func, ast.Attribute)
    picked = value.func.value
    if not isinstance(picked, ast.Subscript) or called(picked.value) != "groupby":
        return None
    group = picked.value
    assert isinstance(group, ast.Call)
    keys = [part for part in (*group.args, picked.slice, function)]
    if len(keys) != 3 or not all(isinstance(part, ast.Constant) for part in keys):
        return None
    key, column, name = (str(getattr(part, "value", "")) for part in keys)
    owner = group.func.value if isinstance(group.func, ast.Attribute) else group
    return (owner.id, key, column, name) if isinstance(owner, ast.Name) else None


def _keys(split: Split, block: Block, parts: Parts, named: tuple[str, str, str]) -> str | None:
    """A part's values of a column, taken from the table it came from if it lacks the column."""
    table, part, key = named
    if not lacks(split, block, parts, ast.Constant(key)):
        return f'{part}["{key}"]'
    return f'{table}.loc[{part}.index, "{key}"]' if keeps_index(block[: split.position]) else None


def _move_group_statistic(draft: Draft, block: Block, position: int, split: Split) -> str | None:
    node = block[position]
    assert isinstance(node, ast.Assign)
    target, found = node.targets[0], grouped(node.value)
    if found is None or not isinstance(target, ast.Subscript):
        return None
    table, key, column, function = found
    parts = parts_of(split, block, table, position)
    if parts is None or root(target) != table:
        return None
    if is_read(node, block[position + 1 : split.position]):
        return None
    labels = target_part(split, block, table, column)
    wish = f"{column}_by_{key}"
    name = draft.fresh(wish if wish.isidentifier() else "by_group")
    both = (parts.train, parts.test)
    keys = {part: _keys(split, block, parts, (table, part, key)) for part in both}
    if lacks(split, block, parts, node) if labels is None else None in keys.values():
        return None
    if labels is None:
        lines = [f'{name} = {parts.train}.groupby("{key}")["{column}"].agg("{function}")']
    else:
        lines = [f'{name} = {labels.train}.groupby({keys[parts.train]}).agg("{function}")']
    for part, values in keys.items():
        lines.append(f"{draft.segment(target, {table: part})} = {values}.map({name})")
    take_away(draft, node, block[position + 1 : split.position + 1])
    draft.insert_after(split.node, lines)
    return draft.text()
