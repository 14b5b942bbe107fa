"""Repairs in place: the right rows for a fit, a pipeline for a cross-validation."""

import ast

from proveout.apps.mle.leakage import catalogue
from proveout.apps.mle.leakage.editing import Block, Draft, called, imported, root
from proveout.apps.mle.leakage.moving import statistics_in
from proveout.apps.mle.leakage.parts import Split, split_before


def learn_from_training_part(draft: Draft, block: Block, position: int) -> str | None:
    """The split was made, but the fit, or the statistic, took the undivided table."""
    split = split_before(draft, block, position)
    if split is None:
        return None
    node = block[position]
    changed = False
    for part in ast.walk(node):
        if not isinstance(part, ast.Call):
            continue
        if called(part) == "fit":
            changed = _swap_arguments(draft, part, split) or changed
    if not changed:
        for parts in split.parts:
            if not isinstance(parts.argument, ast.Name):
                continue
            for call in statistics_in(node, parts.argument.id):
                draft.replace(call, draft.segment(call, {parts.argument.id: parts.train}))
                changed = True
    return draft.text() if changed else None


def _swap_arguments(draft: Draft, call: ast.Call, split: Split) -> bool:
    """`fit(x, y)` becomes `fit(x_train, y_train)`; all arguments or none."""
    swaps = []
    for argument in call.args:
        name = root(argument)
        parts = split.of(ast.unparse(argument)) or split.of(name)
        if parts is None:
            return False
        text = ast.unparse(argument)
        swaps.append(
            (
                argument,
                parts.train if split.of(text) else draft.segment(argument, {name: parts.train}),
            )
        )
    for argument, text in swaps:
        draft.replace(argument, text)
    return bool(swaps)


def learn_from_rows_of_fold(draft: Draft, block: Block, position: int) -> str | None:
    """Inside of a loop over folds: the statistic of a table, of the rows that are fitted on."""
    node = block[position]
    mask = _training_mask(block[:position])
    table = root(node.value) if isinstance(node, ast.Assign) else ""
    if not mask or not isinstance(node, ast.Assign) or not table:
        return None
    calls = statistics_in(node.value, table)
    for call in calls:
        draft.replace(call, draft.segment(call, {table: f"{table}.loc[{mask}]"}))
    return draft.text() if calls else None


def _training_mask(before: Block) -> str:
    """The name that holds `folds != k`."""
    for node in before:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        pairs = (
            list(zip(target.elts, value.elts, strict=False))
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            else [(target, value)]
        )
        for one, given in pairs:
            learns = isinstance(given, ast.Compare) and isinstance(
                given.ops[0], (ast.NotEq, ast.Lt)
            )
            if learns and isinstance(one, ast.Name) and "fold" in ast.unparse(given).lower():
                return one.id
    return ""


def transform_only(draft: Draft, block: Block, position: int) -> str | None:
    """The evaluated rows were fitted anew: they get what was learnt from the training rows."""
    node = block[position]
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and called(call) == "fit_transform":
            return _reuse(draft, block, position, call)
    return _statistic_of_training_part(draft, block, position)


def _reuse(draft: Draft, block: Block, position: int, call: ast.Call) -> str | None:
    assert isinstance(call.func, ast.Attribute)
    owner = call.func.value
    text = ast.unparse(owner)
    for earlier in reversed(block[:position]):
        for other in ast.walk(earlier):
            if not isinstance(other, ast.Call) or called(other) not in ("fit_transform", "fit"):
                continue
            assert isinstance(other.func, ast.Attribute)
            if ast.unparse(other.func.value) != text:
                continue
            name = draft.segment(owner)
            if not isinstance(owner, ast.Name):
                name = draft.fresh("fitted")
                draft.insert_before(earlier, [f"{name} = {draft.segment(owner)}"])
                draft.replace(other.func.value, name)
            draft.replace(call.func, f"{name}.transform")
            return draft.text()
    return None


def _statistic_of_training_part(draft: Draft, block: Block, position: int) -> str | None:
    """`valid["a"].fillna(valid["a"].mean())`, or the same for each of `[train, test]`."""
    node = block[position]
    if not isinstance(node, ast.Assign):
        return None
    table = root(node.targets[0])
    training = _partner(draft, block, position, table) or _first_of_loop(draft, node, table)
    if not training:
        return None
    calls = statistics_in(node.value, table)
    for call in calls:
        draft.replace(call, draft.segment(call, {table: training}))
    return draft.text() if calls else None


def _partner(draft: Draft, block: Block, position: int, table: str) -> str:
    split = split_before(draft, block, position)
    if split is None:
        return ""
    return next((part.train for part in split.parts if part.test == table), "")


def _first_of_loop(draft: Draft, node: ast.stmt, table: str) -> str:
    """The training table of `for frame in [train, test]`, if it comes first."""
    for loop in ast.walk(draft.tree):
        if (
            isinstance(loop, ast.For)
            and node in loop.body
            and isinstance(loop.target, ast.Name)
            and loop.target.id == table
            and isinstance(loop.iter, (ast.List, ast.Tuple))
            and isinstance(loop.iter.elts[0], ast.Name)
            and "test" not in loop.iter.elts[0].id.lower()
        ):
            return loop.iter.elts[0].id
    return ""


def into_pipeline(draft: Draft, block: Block, position: int) -> str | None:
    """`cross_val_score(model, scaler.fit_transform(x), y)`: the scaler goes into each fold."""
    node = block[position]
    if not isinstance(node, ast.Assign) or called(node.value) != "fit_transform":
        return None
    target, call = node.targets[0], node.value
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    if not isinstance(target, ast.Name) or not call.args:
        return None
    users = [
        inner
        for later in block[position + 1 :]
        for inner in ast.walk(later)
        if isinstance(inner, ast.Call) and called(inner) in catalogue.CROSS_VALIDATIONS
    ]
    names = sum(
        isinstance(inner, ast.Name) and inner.id == target.id
        for later in block[position + 1 :]
        for inner in ast.walk(later)
    )
    fed = [user for user in users if len(user.args) > 1 and ast.unparse(user.args[1]) == target.id]
    if not fed or len(fed) != names:
        return None
    step = draft.segment(call.func.value)
    for user in fed:
        model = draft.segment(user.args[0])
        draft.replace(user.args[0], f"make_pipeline({step}, {model})")
    given = draft.segment(call.args[0])
    if given == target.id:
        draft.delete(node)
    else:
        draft.replace(node, f"{target.id} = {given}")
    imported(draft, "sklearn.pipeline", "make_pipeline", at=node)
    return draft.text()


def without_test_rows(draft: Draft, block: Block, position: int) -> str | None:
    """Learnt from training and test rows put together: learn from the first part alone."""
    node = block[position]
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and called(call) == "concat" and call.args:
            listed = call.args[0]
            learns = isinstance(listed, (ast.List, ast.Tuple)) and len(listed.elts) == 2
            if learns and _is_summarised(node, call):
                first = draft.segment(listed.elts[0])  # type: ignore[attr-defined]
                mask = _training_mask(block[:position])
                draft.replace(call, f"{first}[{mask}]" if mask else first)
                return draft.text()
    if not isinstance(node, ast.Assign):
        return None
    table = root(node.targets[0])
    bound = _head_of(draft, block[position + 1 :], table)
    if not bound:
        return None
    if called(node.value) == "fit_transform":
        call = node.value
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        given = draft.segment(call.args[0]) if call.args else ""
        owner = draft.segment(call.func.value)
        draft.replace(call, f"{owner}.fit({given}[:{bound}]).transform({given})")
        return draft.text() if given else None
    calls = statistics_in(node.value, table)
    for call in calls:
        draft.replace(call, draft.segment(call, {table: f"{table}[:{bound}]"}))
    return draft.text() if calls else None


def _is_summarised(node: ast.stmt, table: ast.Call) -> bool:
    """The table made here only serves a fit or a statistic."""
    for call in ast.walk(node):
        if not isinstance(call, ast.Call) or call is table:
            continue
        if called(call) == "fit" and table in call.args:
            return True
        if called(call) in catalogue.STATISTICS and any(part is table for part in ast.walk(call)):
            return True
    return False


def _head_of(draft: Draft, later: Block, table: str) -> str:
    """`n` of the later `table[:n]`."""
    for node in later:
        for part in ast.walk(node):
            if (
                isinstance(part, ast.Subscript)
                and isinstance(part.slice, ast.Slice)
                and root(part) == table
                and part.slice.lower is None
                and part.slice.upper is not None
            ):
                return draft.segment(part.slice.upper)
    return ""
