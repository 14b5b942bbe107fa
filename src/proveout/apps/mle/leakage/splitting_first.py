"""Repairs that put the split above what was learnt: selection of columns, repetition of rows."""

import ast

from proveout.apps.mle.leakage.editing import Block, Draft, called, root, used
from proveout.apps.mle.leakage.parts import Parts, Split, find_split


def select_after_split(draft: Draft, block: Block, position: int) -> str | None:
    """Columns are chosen from the training rows, and then taken from both parts."""
    split = find_split(draft, block, position)
    if split is None or len(split.parts) != 2 or split.called_at != split.position:
        return None
    features, target = split.parts
    between = block[position : split.position]
    chosen = _chosen(features, between)
    if chosen is None:
        return None
    table, taking, dropped = chosen
    if _made_between(split, between, table, dropped):
        return None
    names = {table: features.train}
    if isinstance(target.argument, ast.Name):
        names[target.argument.id] = target.train
    for node in between:
        if node is dropped:
            draft.delete(node)
        else:
            draft.replace(node, draft.segment(node, names))
    parts = (features.train, features.test)
    taken = ", ".join(taking.replace(f"{table}", part, 1) for part in parts)
    draft.delete(split.node)
    draft.insert_before(between[0], _split_lines(draft, split, table))
    draft.insert_after(split.node, [f"{', '.join(parts)} = {taken}"])
    return draft.text()


def _chosen(features: Parts, between: Block) -> tuple[str, str, ast.stmt | None] | None:
    """The table, how columns are taken from it, and the statement that does so, if any."""
    given = features.argument
    if isinstance(given, ast.Subscript) and isinstance(given.value, ast.Name):
        return (given.value.id, ast.unparse(given), None) if _by_name(given.slice) else None
    if not isinstance(given, ast.Name):
        return None
    for node in between:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == given.id:
            value = node.value
            taken = isinstance(value, ast.Subscript) and root(value) == given.id
            return (given.id, ast.unparse(value), node) if taken else None
    return None


def _by_name(index: ast.expr) -> bool:
    return isinstance(index, ast.Name)


def _made_between(split: Split, between: Block, table: str, dropped: ast.stmt | None) -> bool:
    """Whether what is divided comes into being, or changes, where the split would be moved over."""
    given = {
        part.id
        for one in split.parts
        for part in ast.walk(one.argument)
        if isinstance(part, ast.Name)
    }
    kept = given & {table, *_targets(split)}
    return any(_stored(node) & kept for node in between if node is not dropped)


def _targets(split: Split) -> set[str]:
    return {root(part.argument) for part in split.parts}


def _split_lines(draft: Draft, split: Split, table: str) -> list[str]:
    """The split, of all columns."""
    replaced: dict[ast.AST, str] = {split.parts[0].argument: table}
    return draft.segment_with(split.node, {}, replaced).splitlines()


def repeat_after_split(draft: Draft, block: Block, position: int) -> str | None:
    """Rows of one table that are repeated before it is divided: of the training part only."""
    split = find_split(draft, block, position)
    if split is None or len(split.parts) != 1 or not isinstance(split.parts[0].argument, ast.Name):
        return None
    table, part = split.parts[0].argument.id, split.parts[0]
    between = block[position : split.position]
    last = block[position]
    if len(between) != 1 or not isinstance(last, ast.Assign) or called(last.value) != "concat":
        return None
    if ast.unparse(last.targets[0]) != table:
        return None
    moved = [*_ingredients(block[:position], last, table), last]
    later = block[split.position + 1 :]
    if any(used(later, name) for node in moved[:-1] for name in _stored(node)):
        return None
    texts = [draft.segment(node, {table: part.train}) for node in moved]
    lines = [line for text in texts for line in text.splitlines()]
    for node in moved:
        draft.delete(node)
    draft.insert_after(split.node, lines)
    return draft.text()


def _ingredients(before: Block, node: ast.stmt, table: str) -> list[ast.stmt]:
    """Statements right above that take rows of the table for this one."""
    found: list[ast.stmt] = []
    for earlier in reversed(before):
        if not isinstance(earlier, ast.Assign) or not used([earlier], table):
            break
        names = _stored(earlier)
        if table in names or not all(used([node, *found], name) for name in names):
            break
        found.insert(0, earlier)
    return found


def _stored(node: ast.stmt) -> set[str]:
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def resample_in_fold(draft: Draft, block: Block, position: int) -> str | None:
    """`x, y = sampler.fit_resample(x, y)` before a loop over folds: at each fit, on its rows."""
    node = block[position]
    if not isinstance(node, ast.Assign) or called(node.value) not in ("fit_resample", "fit_sample"):
        return None
    call, target = node.value, node.targets[0]
    assert isinstance(call, ast.Call)
    same = isinstance(target, ast.Tuple) and [ast.unparse(one) for one in target.elts] == [
        ast.unparse(one) for one in call.args
    ]
    names = [root(one) for one in call.args]
    if not same or len(names) != 2:
        return None
    fits = [
        part
        for later in block[position + 1 :]
        for part in ast.walk(later)
        if isinstance(part, ast.Call) and called(part) == "fit" and len(part.args) == 2
    ]
    wanted = [fit for fit in fits if [root(one) for one in fit.args] == names]
    if not wanted or any(isinstance(one, ast.Name) for fit in wanted for one in fit.args):
        return None
    function = draft.segment(call.func)
    for fit in wanted:
        given = ", ".join(draft.segment(one) for one in fit.args)
        more = "".join(f", {word.arg}={draft.segment(word.value)}" for word in fit.keywords)
        draft.replace(fit, f"{draft.segment(fit.func)}(*{function}({given}){more})")
    draft.delete(node)
    return draft.text()
