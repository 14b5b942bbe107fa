"""Repairs of features that give the target away: the columns that are named are left out."""

import ast
from collections.abc import Iterator, Sequence

from proveout.apps.mle.leakage import catalogue
from proveout.apps.mle.leakage.editing import SPLIT, Draft, called, is_text
from proveout.apps.mle.leakage.report import Leak

FEATURES_AT = {SPLIT: 0, **dict.fromkeys(catalogue.CROSS_VALIDATIONS, 1)}
"""Which argument of a call holds the features."""


def without_columns(draft: Draft, leak: Leak) -> Iterator[str]:
    """One way after the other to leave the columns out; the first that works is kept."""
    for group in _groups(draft.tree, leak.end_line):
        edits = [_edit(draft, node, leak.columns) for node in group]
        changed = draft.again()
        for edit in edits:
            if edit is not None:
                changed.replace(*edit)
        made = changed.text() if all(edits) else None
        if made is not None:
            yield made


def _groups(tree: ast.Module, line: int) -> list[list[ast.expr]]:
    """Expressions that take columns, the last first; what is written alike changes together.

    Tables of different names may have different columns, so that the same columns are dropped
    from both only where each is known to have them; that is not known, and such are left out.
    """
    groups: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
            groups.setdefault(ast.unparse(node.slice), []).append(node)
        elif isinstance(node, ast.Call) and called(node) == "drop":
            groups.setdefault(f"drop {ast.unparse(node.func)}", []).append(node)
        elif isinstance(node, ast.Call) and called(node) in FEATURES_AT:
            groups.setdefault(f"call at {node.lineno}, {node.col_offset}", []).append(node)
    known = [group for group in groups.values() if group[0].lineno <= line]
    return sorted(known, key=lambda group: (_hands_over(group[0]), -group[0].lineno))


def _hands_over(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) in FEATURES_AT


def _edit(draft: Draft, node: ast.expr, names: Sequence[str]) -> tuple[ast.expr, str] | None:
    if not names:
        return None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.List):
        kept = [one for one in node.slice.elts if not (is_text(one) and one.value in names)]
        if kept and len(kept) < len(node.slice.elts):
            return node.slice, f"[{', '.join(draft.segment(one) for one in kept)}]"
    elif isinstance(node, ast.Call) and called(node) == "drop":
        return _dropped_too(draft, node, names)
    elif isinstance(node, ast.Call):
        position = FEATURES_AT[called(node)]
        table = node.args[position] if len(node.args) > position else None
        if isinstance(table, ast.Name) and not _asked_about(draft.tree, table.id):
            return table, f"{draft.segment(table)}.drop(columns={_listed(names)})"
    return None


def _asked_about(tree: ast.Module, table: str) -> bool:
    """Whether a model is also asked about the table as a whole, which then had to change too."""
    return any(
        isinstance(argument, ast.Name) and argument.id == table
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and called(call).startswith(("predict", "score", "fit"))
        for argument in call.args
    )


def _dropped_too(draft: Draft, node: ast.Call, names: Sequence[str]) -> tuple[ast.expr, str] | None:
    """`drop("a", axis=1)` becomes `drop(["a", "b"], axis=1)`."""
    by_name = {word.arg: word.value for word in node.keywords}
    axis = ast.unparse(by_name.get("axis", ast.Constant(0)))
    given = by_name.get("columns") or by_name.get("labels") or (node.args[0] if node.args else None)
    if given is None or ("columns" not in by_name and axis not in ("1", "'columns'")):
        return None
    known = given.elts if isinstance(given, ast.List) else [given]
    texts = [draft.segment(one) for one in known]
    added = [repr_of(name) for name in names if repr(name) not in map(ast.unparse, known)]
    if not added or not all(is_text(one) for one in known):
        return None
    return given, f"[{', '.join([*texts, *added])}]"


def _listed(names: Sequence[str]) -> str:
    texts = [repr_of(name) for name in names]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def repr_of(name: str) -> str:
    """A text as most programs write it."""
    plain = name.isprintable() and not set(name) & set('"\\')
    return f'"{name}"' if plain else repr(name)
