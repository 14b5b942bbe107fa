"""Repairs of splits that ignore time or groups, and of windows that look ahead."""

import ast

from proveout.apps.mle.leakage.editing import SPLIT, Block, Draft, called, in_place_of, used

BY_GROUP = {"KFold": "GroupKFold", "StratifiedKFold": "StratifiedGroupKFold"}
BY_TIME = {"KFold": "TimeSeriesSplit", "StratifiedKFold": "TimeSeriesSplit"}
WITHOUT_CHANCE = ("GroupKFold", "TimeSeriesSplit")
"""Splitters that take neither `shuffle` nor `random_state`."""


def keep_together(draft: Draft, block: Block, position: int) -> str | None:
    """The split that is used at a statement keeps groups apart, or the order of time."""
    node = block[position]
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and called(call) == SPLIT:
            return _in_order(draft, call)
    made = _splitter(draft, node)
    if made is None:
        return None
    by_group = _knows_groups(node)
    if not by_group and isinstance(node, ast.For) and _fills_by_row(node):
        return None
    new = (BY_GROUP if by_group else BY_TIME)[called(made)]
    plain = new in WITHOUT_CHANCE
    kept = [
        *(draft.segment(argument) for argument in (made.args[:1] if plain else made.args)),
        *(
            f"{word.arg}={draft.segment(word.value)}"
            for word in made.keywords
            if word.arg == "n_splits" or not plain
        ),
    ]
    name = _named(draft, made, new)
    draft.replace(made, f"{name}({', '.join(kept)})")
    return draft.text()


def _in_order(draft: Draft, call: ast.Call) -> str | None:
    words = {word.arg: word.value for word in call.keywords}
    if "stratify" in words and ast.unparse(words["stratify"]) != "None":
        return None
    if "shuffle" in words:
        draft.replace(words["shuffle"], "False")
    else:
        last = words[list(words)[-1]] if words else call.args[-1]
        draft.replace(last, f"{draft.segment(last)}, shuffle=False")
    return draft.text()


def _splitter(draft: Draft, node: ast.stmt) -> ast.Call | None:
    """The call that made the splitter: in the statement, or where its name was assigned."""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    if isinstance(node, ast.For):
        calls = [part for part in ast.walk(node.iter) if isinstance(part, ast.Call)]
    for call in calls:
        if called(call) in BY_TIME:
            return call
    for earlier in ast.walk(draft.tree):
        if (
            isinstance(earlier, ast.Assign)
            and earlier.lineno < node.lineno
            and isinstance(earlier.targets[0], ast.Name)
            and isinstance(earlier.value, ast.Call)
            and called(earlier.value) in BY_TIME
            and used([node], earlier.targets[0].id)
        ):
            return earlier.value
    return None


def _fills_by_row(loop: ast.For) -> bool:
    """`oof[valid] = …`: folds of time leave the first rows out, which would then stay empty."""
    names = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    return any(
        isinstance(part, ast.Subscript)
        and isinstance(part.ctx, ast.Store)
        and any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(part.slice))
        for part in ast.walk(loop)
    )


def _knows_groups(node: ast.stmt) -> bool:
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    return any(
        (called(call) == "split" and len(call.args) > 2)
        or any(word.arg == "groups" for word in call.keywords)
        for call in calls
    )


def _named(draft: Draft, made: ast.Call, new: str) -> str:
    """How the program writes another class of the same module; it is imported if need be."""
    if isinstance(made.func, ast.Attribute):
        return f"{draft.segment(made.func.value)}.{new}"
    in_place_of(draft, made.func, new)
    return new


def look_back(draft: Draft, block: Block, position: int) -> str | None:
    """`rolling(9, center=True)` becomes a window that ends at its row."""
    for call in ast.walk(block[position]):
        if not isinstance(call, ast.Call) or called(call) != "rolling":
            continue
        kept = [word for word in call.keywords if word.arg != "center"]
        if len(kept) < len(call.keywords):
            given = [draft.segment(argument) for argument in call.args]
            given += [f"{word.arg}={draft.segment(word.value)}" for word in kept]
            draft.replace(call, f"{draft.segment(call.func)}({', '.join(given)})")
            return draft.text()
    return None
