"""Repair of a score on the training rows: some rows are held out, and scored instead."""

import ast

from proveout.apps.mle.leakage import catalogue
from proveout.apps.mle.leakage.editing import SPLIT, Block, Draft, called, imported, is_text, root

ASKS = ("predict", "predict_proba", "decision_function", "score")


def hold_out(draft: Draft, block: Block, position: int) -> str | None:
    """`m.fit(x, y)` … `m.score(x, y)`: both get a part of a split that is made before."""
    found = _fit_before(block, position)
    if found is None:
        return None
    start, fit = found
    x, y = fit.args
    texts = (ast.unparse(x), ast.unparse(y))
    later = block[start:]
    places = [_mentions(later, text) for text in texts]
    if _others_use(later, fit, places) or _asked_elsewhere(later, fit, texts[0]):
        return None
    if any(_says_training(node) for node in later if _scores(node)):
        return None
    stems = ("X", "y")
    trained, held = (
        [draft.fresh(f"{stem}_{side}") for stem in stems] for side in ("train", "test")
    )
    draft.replace(x, trained[0])
    draft.replace(y, trained[1])
    for mentions, name in zip(places, held, strict=True):
        for mention in mentions:
            if mention not in (x, y):
                draft.replace(mention, name)
    names = f"{trained[0]}, {held[0]}, {trained[1]}, {held[1]}"
    given = f"{draft.segment(x)}, {draft.segment(y)}"
    draft.insert_before(block[start], [f"{names} = {SPLIT}({given}, random_state=0)"])
    imported(draft, "sklearn.model_selection", SPLIT, at=block[start])
    return draft.text()


def _scores(node: ast.stmt) -> bool:
    return any(
        called(part) == "score" or catalogue.is_metric(called(part)) for part in ast.walk(node)
    )


def _asked_elsewhere(later: Block, fit: ast.Call, x: str) -> bool:
    """The model also answers for other rows: for these it should keep all that it knows."""
    return any(
        isinstance(call, ast.Call)
        and called(call) in ASKS
        and bool(call.args)
        and ast.unparse(call.args[0]) != x
        and root(call) == root(fit)
        for node in later
        for call in ast.walk(node)
    )


def _says_training(node: ast.stmt) -> bool:
    """The program knows what it prints: a score of training rows, called so."""
    return any(is_text(part) and "train" in str(part.value).lower() for part in ast.walk(node))


def _fit_before(block: Block, position: int) -> tuple[int, ast.Call] | None:
    """The last statement up to a position that fits a model to features and a target."""
    for start in range(position, -1, -1):
        for call in ast.walk(block[start]):
            if isinstance(call, ast.Call) and called(call) == "fit" and len(call.args) == 2:
                return start, call
    return None


def _mentions(later: Block, text: str) -> list[ast.expr]:
    return [
        part
        for node in later
        for part in ast.walk(node)
        if isinstance(part, ast.expr) and ast.unparse(part) == text
    ]


def _others_use(later: Block, fit: ast.Call, places: list[list[ast.expr]]) -> bool:
    """Whether something but the fit, questions to the model and scores uses the rows."""
    allowed = {id(argument) for argument in fit.args}
    for node in later:
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and (
                called(call) in ASKS or catalogue.is_metric(called(call))
            ):
                allowed |= {id(argument) for argument in call.args}
    return any(id(mention) not in allowed for mentions in places for mention in mentions)
