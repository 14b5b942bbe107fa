"""Repairs of columns computed from all rows in one call: bins, z-scores, values filled in place."""

import ast

from proveout.apps.mle.leakage.editing import Block, Draft, called, root
from proveout.apps.mle.leakage.moving import statistics_in
from proveout.apps.mle.leakage.parts import Parts, find_split, is_read, lacks, parts_of, take_away

STANDARDISING = ("zscore", "scale")
"""They subtract the mean and divide by the standard deviation of all values (`ddof=0`)."""


def spread_below_split(draft: Draft, block: Block, position: int) -> str | None:
    """The statement is done after the split, with what the training rows tell."""
    node = block[position]
    split = find_split(draft, block, position)
    if split is None:
        return None
    table = _table(node)
    parts = parts_of(split, block, table, position) if table else None
    between = block[position + 1 : split.position]
    if parts is None or lacks(split, block, parts, node) or is_read(node, between):
        return None
    lines = None
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        if called(node.value) == "qcut":
            lines = _binned(draft, node, node.value, parts)
        elif called(node.value) in STANDARDISING and len(node.value.args) == 1:
            lines = _standardised(draft, node, node.value, parts)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        lines = _filled(draft, node.value, table, parts)
    if lines is None:
        return None
    take_away(draft, node, [*between, split.node])
    draft.insert_after(split.node, lines)
    return draft.text()


def _table(node: ast.stmt) -> str:
    """The table of which one column is changed."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        return root(target) if isinstance(target, ast.Subscript) else ""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return root(node.value.func)
    return ""


def _binned(draft: Draft, node: ast.Assign, call: ast.Call, parts: Parts) -> list[str] | None:
    """`qcut` into numbered bins: the edges of the training rows, open at both ends."""
    words = {word.arg: ast.unparse(word.value) for word in call.keywords}
    table = root(node.targets[0])
    if words.get("labels") != "False" or "retbins" in words or len(call.args) != 2:
        return None
    if not isinstance(call.func, ast.Attribute) or root(call.args[0]) != table:
        return None
    edges, library = draft.fresh("edges"), draft.segment(call.func.value)
    places = [draft.segment(node.targets[0], {table: part}) for part in (parts.train, parts.test)]
    values = [draft.segment(call.args[0], {table: part}) for part in (parts.train, parts.test)]
    more = "".join(f", {word.arg}={draft.segment(word.value)}" for word in call.keywords)
    count = draft.segment(call.args[1])
    return [
        f"{places[0]}, {edges} = {library}.qcut({values[0]}, {count}{more}, retbins=True)",
        f'{edges}[0], {edges}[-1] = float("-inf"), float("inf")',
        f"{places[1]} = {library}.cut({values[1]}, {edges}, labels=False)",
    ]


def _standardised(draft: Draft, node: ast.Assign, call: ast.Call, parts: Parts) -> list[str] | None:
    table, given = root(node.targets[0]), call.args[0]
    one_column = isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Constant)
    if call.keywords or not one_column or root(given) != table:
        return None
    mean, width = draft.fresh("train_mean"), draft.fresh("train_std")
    seen = draft.segment(given, {table: parts.train})
    lines = [f"{mean}, {width} = {seen}.mean(), {seen}.std(ddof=0)"]
    for part in (parts.train, parts.test):
        value = draft.segment(given, {table: part})
        place = draft.segment(node.targets[0], {table: part})
        lines.append(f"{place} = ({value} - {mean}) / {width}")
    return lines


def _filled(draft: Draft, call: ast.Call, table: str, parts: Parts) -> list[str] | None:
    """`df.a.fillna(df.a.mean(), inplace=True)`: assigned to, since a part may be a copy."""
    words = {word.arg: ast.unparse(word.value) for word in call.keywords}
    if words.get("inplace") != "True" or not isinstance(call.func, ast.Attribute):
        return None
    column = _column(call.func.value)
    statistics = [found for argument in call.args for found in statistics_in(argument, table)]
    if not column or not statistics:
        return None
    lines: list[str] = []
    replaced: dict[ast.AST, str] = {}
    for statistic in statistics:
        name = draft.fresh(f"train_{called(statistic)}")
        lines.append(f"{name} = {draft.segment(statistic, {table: parts.train})}")
        replaced[statistic] = name
    for part in (parts.train, parts.test):
        given = [draft.segment_with(one, {table: part}, replaced) for one in call.args]
        given += [
            f"{word.arg}={draft.segment(word.value, {table: part})}"
            for word in call.keywords
            if word.arg != "inplace"
        ]
        place = f"{part}[{column}]"
        lines.append(f"{place} = {place}.{call.func.attr}({', '.join(given)})")
    return lines


def _column(node: ast.expr) -> str:
    """The name, quoted, of `df.a` or `df["a"]`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f'"{node.attr}"'
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return ast.unparse(node.slice) if isinstance(node.slice, ast.Constant) else ""
    return ""
