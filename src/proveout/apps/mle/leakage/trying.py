"""Repairs by trial: which rows the model is fitted on is read off the program, and tried out.

Each candidate is examined again by whoever asked; a wrong one does not pass.
"""

import ast
from collections.abc import Iterator

from proveout.apps.mle.leakage import catalogue
from proveout.apps.mle.leakage.editing import Block, Draft, called, root, used
from proveout.apps.mle.leakage.report import Leak

MOST_TRIALS = 8
ROW_METHODS = ("sample", "query", "head", "drop", "copy", "reset_index", "dropna")


def with_rows_of_the_fit(draft: Draft, leak: Leak) -> Iterator[str]:
    """The statement learns from the whole table: let it learn from a part that is fitted on."""
    place = draft.at(leak.line)
    if place is None:
        return
    node = place[0][place[1]]
    if hasattr(node, "body"):
        return
    learners = [call for call in ast.walk(node) if isinstance(call, ast.Call) and _table(call)]
    for table in sorted({_table(call) for call in learners}):
        for rows in list(_candidates(draft, node.lineno, table))[:MOST_TRIALS]:
            parts: dict[ast.AST, str] = {
                call: _relearnt(draft, call, table, rows)
                for call in learners
                if _table(call) == table and not _inside_another(call, learners)
            }
            changed = draft.again()
            changed.replace(node, draft.segment_with(node, {}, parts))
            made = changed.text()
            if made is not None:
                yield made


def _inside_another(call: ast.Call, learners: list[ast.Call]) -> bool:
    return any(
        other is not call and any(part is call for part in ast.walk(other)) for other in learners
    )


def _table(call: ast.Call) -> str:
    """The name of the table that a call learns from; nothing if it does not."""
    name = called(call)
    if name in ("fit", "fit_transform"):
        return root(call.args[0]) if call.args else ""
    if name not in catalogue.STATISTICS:
        return ""
    function = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    if function and call.args and root(call.args[0]):
        return root(call.args[0])
    return root(call.func)


def _relearnt(draft: Draft, call: ast.Call, table: str, rows: str) -> str:
    if called(call) != "fit_transform" or not isinstance(call.func, ast.Attribute):
        return draft.segment(call, {table: rows})
    owner, given = draft.segment(call.func.value), call.args[0]
    learnt = draft.segment(given, {table: rows})
    return f"{owner}.fit({learnt}).transform({draft.segment(given)})"


def _candidates(draft: Draft, line: int, table: str) -> Iterator[str]:
    """Names that hold a part of the table, then parts that are handed to a fit."""
    seen: set[str] = set()
    for rows in (
        *_named_parts(draft, line, table),
        *_fitted_parts(draft, draft.tree, table, line),
        *_by_position(draft, line, table),
    ):
        if rows not in seen:
            seen.add(rows)
            yield rows


def _by_position(draft: Draft, line: int, table: str) -> Iterator[str]:
    """`train, test = next(splitter.split(x))`: rows of a table that is known to be one."""
    frame = any(
        isinstance(part, ast.Attribute)
        and part.attr in ("iloc", "loc", "pop", "drop", "columns")
        and isinstance(part.value, ast.Name)
        and part.value.id == table
        for part in ast.walk(draft.tree)
    )
    for node in ast.walk(draft.tree):
        if (
            frame
            and isinstance(node, ast.Assign)
            and node.lineno < line
            and called(node.value) == "next"
            and isinstance(node.targets[0], ast.Tuple)
            and any(called(part) == "split" for part in ast.walk(node.value))
        ):
            yield f"{table}.iloc[{draft.segment(node.targets[0].elts[0])}]"


def _named_parts(draft: Draft, line: int, table: str) -> Iterator[str]:
    for block in draft.blocks:
        for node in block:
            if isinstance(node, ast.Assign) and node.lineno < line:
                for target, value in _pairs(node):
                    known = isinstance(target, ast.Name) and root(value) == table
                    if not known or root(target) == table or not _is_part(draft, value):
                        continue
                    if _is_fitted_on(draft, root(target)):
                        yield root(target)


def _is_fitted_on(draft: Draft, name: str) -> bool:
    """Whether the table, or something made from it, is handed to a fit."""
    reached = {name}
    for _ in range(MOST_TRIALS):
        more = {
            part.id
            for node in ast.walk(draft.tree)
            if isinstance(node, ast.Assign) and _names_in(node.value) & reached
            for target in node.targets
            for part in ast.walk(target)
            if isinstance(part, ast.Name)
        }
        if more <= reached:
            break
        reached |= more
    return any(
        called(call) in ("fit", "fit_transform") and _names_in(argument) & reached
        for call in ast.walk(draft.tree)
        if isinstance(call, ast.Call)
        for argument in call.args
    )


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _is_part(draft: Draft, value: ast.expr) -> bool:
    """Some rows of a table, with all of its columns."""
    if isinstance(value, ast.Call):
        owner = value.func.value if isinstance(value.func, ast.Attribute) else value.func
        if called(value) == "sample":
            return True
        return called(value) in ROW_METHODS and _is_part(draft, owner)
    if not isinstance(value, ast.Subscript):
        return False
    owner = value.value
    if isinstance(owner, ast.Attribute) and owner.attr in ("loc", "iloc"):
        return not isinstance(value.slice, (ast.Constant, ast.Tuple))
    return isinstance(owner, ast.Name) and _takes_rows(draft, value.slice)


def _takes_rows(draft: Draft, index: ast.expr) -> bool:
    """A slice or a condition; a name may also stand for columns, unless a condition made it."""
    if isinstance(index, ast.Name):
        for node in ast.walk(draft.tree):
            if isinstance(node, ast.Assign):
                for target, value in _pairs(node):
                    if isinstance(target, ast.Name) and target.id == index.id:
                        return not isinstance(value, ast.Name) and _takes_rows(draft, value)
        return False
    if isinstance(index, ast.Subscript):
        return isinstance(index.slice, ast.Slice)
    if isinstance(index, ast.Call):
        return called(index) in ("isin", "between", "notna", "isna", "notnull", "isnull")
    return isinstance(index, (ast.Slice, ast.Compare, ast.UnaryOp, ast.BinOp))


def _fitted_parts(draft: Draft, tree: ast.AST, table: str, line: int) -> Iterator[str]:
    """`x[:n]` of `model.fit(x[:n], y[:n])`, if all of its names are there by then."""
    known = {
        part.id
        for part in ast.walk(draft.tree)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.lineno < line
    }
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or called(call) != "fit" or not call.args:
            continue
        for part in ast.walk(call.args[0]):
            text = _row_part(draft, part, table)
            if text and _names_in(part) <= known:
                yield text


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _row_part(draft: Draft, node: ast.AST, table: str) -> str:
    """Rows taken by position, mask or slice; columns that are named beside them are left out."""
    if not isinstance(node, ast.Subscript) or root(node) != table:
        return ""
    if isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        return f"{draft.segment(node.value)}[{draft.segment(node.slice.elts[0])}]"
    located = isinstance(node.value, ast.Attribute) and node.value.attr in ("loc", "iloc")
    plain = isinstance(node.value, ast.Name) and not isinstance(
        node.slice, (ast.Constant, ast.List)
    )
    return draft.segment(node) if located or plain else ""


def inside_the_loop(draft: Draft, leak: Leak) -> Iterator[str]:
    """`scaler = Scaler().fit(x)` before a loop over folds: fitted in it, on the fold's rows."""
    place = draft.at(leak.line)
    if place is None:
        return
    block, position = place
    node = block[position]
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return
    name, table = node.targets[0].id, _table_of(node)
    for loop in block[position + 1 :]:
        if not isinstance(loop, ast.For) or not table or table == name:
            continue
        user = next((one for one in loop.body if used([one], name)), None)
        if user is None or _used_elsewhere(block[position + 1 :], loop, name):
            continue
        for rows in list(_fitted_parts(draft, loop, table, user.lineno))[:MOST_TRIALS]:
            changed = draft.again()
            changed.delete(node)
            changed.insert_before(user, [draft.segment(node, {table: rows})])
            made = changed.text()
            if made is not None:
                yield made


def _table_of(node: ast.Assign) -> str:
    for call in ast.walk(node.value):
        if isinstance(call, ast.Call) and called(call) != "fit_transform" and _table(call):
            return _table(call)
    return ""


def _used_elsewhere(later: Block, loop: ast.For, name: str) -> bool:
    return any(used([node], name) for node in later if node is not loop)
