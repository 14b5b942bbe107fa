"""Repairs for loops over folds: what was learnt before the loop is learnt in it, from its rows."""

import ast
from dataclasses import dataclass

from proveout.apps.mle.leakage.editing import Block, Draft, called, root, used
from proveout.apps.mle.leakage.moving import grouped, statistics_in
from proveout.apps.mle.leakage.parts import keeps_index, take_away


@dataclass(frozen=True, slots=True)
class Loop:
    node: ast.For
    position: int
    train: str
    """Name of the positions that are fitted on; or the condition that their rows fulfil."""
    first: ast.stmt
    """The first statement of the loop at which the rows are known."""
    by_mask: bool = False

    def rows(self, table: str) -> str:
        return f"{table}[{self.train}]" if self.by_mask else f"{table}.iloc[{self.train}]"

    def takes(self, table: str) -> bool:
        """Whether rows of the table are taken in a way that a repair can follow."""
        if self.by_mask:
            return used(self.node.body, table)
        return _indexed_by_position(self.node, table)


def into_fold(draft: Draft, block: Block, position: int) -> str | None:
    node = block[position]
    loop = _find_loop(block, position)
    if loop is None or not isinstance(node, ast.Assign):
        return None
    target = node.targets[0]
    if isinstance(target, ast.Subscript):
        return _column_into_fold(draft, block, position, loop)
    if isinstance(target, ast.Name) and called(node.value) == "fit_transform":
        return _transformer_into_fold(draft, node, loop, block[position + 1 : loop.position])
    if isinstance(target, ast.Name):
        return _statistic_into_fold(draft, node, loop, block[position + 1 : loop.position])
    return None


def _find_loop(block: Block, after: int) -> Loop | None:
    for position, node in enumerate(block):
        if position <= after or not isinstance(node, ast.For):
            continue
        if not any(called(part) == "split" for part in ast.walk(node.iter)):
            masked = _masked(node, position)
            if masked is not None:
                return masked
            continue
        pair: ast.expr = node.target
        if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and _is_pair(pair.elts[1]):
            pair = pair.elts[1]
        if isinstance(pair, ast.Tuple) and isinstance(pair.elts[0], ast.Name):
            return Loop(node, position, pair.elts[0].id, node.body[0])
    return None


def _masked(loop: ast.For, position: int) -> Loop | None:
    """`for k in …` whose rows are those where `folds != k`, named or not."""
    if not isinstance(loop.target, ast.Name):
        return None
    for number, node in enumerate(loop.body):
        for target, value in _pairs(node):
            if _leaves_fold(value, loop.target.id) and isinstance(target, ast.Name):
                after = number + 1
                while after < len(loop.body) and _is_mask(loop.body[after], loop.target.id):
                    after += 1
                if after < len(loop.body):
                    return Loop(loop, position, target.id, loop.body[after], by_mask=True)
    for part in ast.walk(loop.body[0]):
        if isinstance(part, ast.Subscript) and _leaves_fold(part.slice, loop.target.id):
            condition = ast.unparse(part.slice)
            return Loop(loop, position, condition, loop.body[0], by_mask=True)
    return None


def _is_mask(node: ast.stmt, fold: str) -> bool:
    return used([node], fold) and any(isinstance(value, ast.Compare) for _, value in _pairs(node))


def _leaves_fold(value: ast.expr, fold: str) -> bool:
    return (
        isinstance(value, ast.Compare)
        and isinstance(value.ops[0], (ast.NotEq, ast.Lt))
        and ast.unparse(value.comparators[0]) == fold
    )


def _pairs(node: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    if not isinstance(node, ast.Assign):
        return []
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _is_pair(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple) and len(node.elts) == 2


def _features_of(block: Block, position: int, loop: Loop, table: str) -> str:
    """The table of the loop that has the columns of another: itself, or it without some."""
    if used(loop.node.body, table) and loop.takes(table):
        return table
    for node in block[position + 1 : loop.position]:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and called(node.value) in ("drop", "copy")
            and root(node.value) == table
        ):
            return node.targets[0].id
    return ""


def _indexed_by_position(loop: ast.For, table: str) -> bool:
    return any(
        isinstance(part, ast.Attribute) and part.attr == "iloc" and root(part.value) == table
        for part in ast.walk(loop)
    )


def _column_into_fold(draft: Draft, block: Block, position: int, loop: Loop) -> str | None:
    node = block[position]
    assert isinstance(node, ast.Assign)
    assert isinstance(node.targets[0], ast.Subscript)
    target = node.targets[0]
    table = root(target)
    features = _features_of(block, position, loop, table)
    if not features or not loop.takes(features):
        return None
    if called(node.value) == "fit_transform" and features == table:
        return _columns_into_fold(draft, node, loop)
    if not isinstance(target.slice, ast.Constant):
        return None
    rows = loop.rows(table)
    fold = draft.fresh(f"{features}_fold")
    found = grouped(node.value)
    if found is not None and found[0] == table:
        _, key, column, function = found
        learnt = f'{rows}.groupby("{key}")["{column}"].agg("{function}")'
        if features != table and not keeps_index(block[: loop.position]):
            return None
        # The features may lack the key; the table that they were taken from has it.
        value = f'{table}["{key}"].map({learnt})'
    else:
        statistics = statistics_in(node.value, table)
        if not statistics:
            return None
        parts: dict[ast.AST, str] = {
            call: draft.segment(call, {table: rows}) for call in statistics
        }
        value = draft.segment_with(node.value, {table: features}, parts)
    name = draft.segment(target.slice)
    _rename(draft, loop.node, features, fold)
    take_away(draft, node, block[position + 1 : loop.position])
    draft.insert_before(loop.first, [f"{fold} = {features}.assign(**{{{name}: {value}}})"])
    return draft.text()


def _columns_into_fold(draft: Draft, node: ast.Assign, loop: Loop) -> str | None:
    """`df[cols] = scaler.fit_transform(df[cols])`."""
    call, target = node.value, node.targets[0]
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    table = root(target)
    if len(call.args) != 1 or call.keywords or root(call.args[0]) != table:
        return None
    fold = draft.fresh(f"{table}_fold")
    learnt = draft.segment(call.args[0], {table: loop.rows(table)})
    fitted, given = draft.segment(call.func.value), draft.segment(call.args[0])
    place = draft.segment(target, {table: fold})
    _rename(draft, loop.node, table, fold)
    draft.delete(node)
    lines = [f"{fold} = {table}.copy()", f"{place} = {fitted}.fit({learnt}).transform({given})"]
    draft.insert_before(loop.first, lines)
    return draft.text()


def _rename(draft: Draft, loop: ast.For, name: str, new: str) -> None:
    for statement in loop.body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and part.id == name:
                draft.replace(part, new)


def _transformer_into_fold(
    draft: Draft, node: ast.Assign, loop: Loop, between: Block
) -> str | None:
    call, target = node.value, node.targets[0]
    assert isinstance(call, ast.Call)
    assert isinstance(target, ast.Name)
    assert isinstance(call.func, ast.Attribute)
    name = target.id
    if len(call.args) != 1 or call.keywords or used(between, name):
        return None
    given = draft.segment(call.args[0])
    rows = _rows_of_fold(draft, node, call.args[0], name, loop)
    if not rows:
        return None
    fold = draft.fresh(f"{name}_fold")
    fitted = draft.segment(call.func.value)
    _rename(draft, loop.node, name, fold)
    if given == name:
        draft.delete(node)
    else:
        draft.replace(node, f"{name} = {given}")
    draft.insert_before(loop.first, [f"{fold} = {fitted}.fit({rows}).transform({name})"])
    return draft.text()


def _statistic_into_fold(draft: Draft, node: ast.Assign, loop: Loop, between: Block) -> str | None:
    """`x = (x - x.min()) / x.std()` of a table that the loop takes rows of."""
    target = node.targets[0]
    assert isinstance(target, ast.Name)
    name = target.id
    statistics = statistics_in(node.value, name)
    if not statistics or used(between, name) or not loop.takes(name):
        return None
    fold = draft.fresh(f"{name}_fold")
    rows = loop.rows(name)
    parts: dict[ast.AST, str] = {call: draft.segment(call, {name: rows}) for call in statistics}
    value = draft.segment_with(node.value, {}, parts)
    _rename(draft, loop.node, name, fold)
    draft.delete(node)
    draft.insert_before(loop.first, [f"{fold} = {value}"])
    return draft.text()


def _rows_of_fold(draft: Draft, node: ast.Assign, given: ast.expr, name: str, loop: Loop) -> str:
    """Rows by position: of a table they are taken by `iloc`, of an array directly."""
    if loop.by_mask:
        return loop.rows(name)
    made: ast.expr = given
    if isinstance(given, ast.Name):
        for block in draft.blocks:
            for earlier in block:
                if earlier.lineno < node.lineno and isinstance(earlier, ast.Assign):
                    made = _assigned(earlier, given.id) or made
    text = ast.unparse(made)
    if text.endswith((".values", ".to_numpy()", ".toarray()")):
        return f"{name}[{loop.train}]"
    is_table = called(made) in ("drop", "read_csv", "copy", "fillna") or isinstance(
        made, ast.Subscript
    )
    return f"{name}.iloc[{loop.train}]" if is_table else ""


def _assigned(node: ast.Assign, name: str) -> ast.expr | None:
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name) and target.id == name:
        return value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, given in zip(target.elts, value.elts, strict=False):
            if isinstance(one, ast.Name) and one.id == name:
                return given
    return None
