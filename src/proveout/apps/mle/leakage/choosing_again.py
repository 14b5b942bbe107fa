"""Repair of a choice by the test score: choose on a validation part, score the test rows once."""

import ast
from dataclasses import dataclass

from proveout.apps.mle.leakage.editing import Block, Draft, called, root, used
from proveout.apps.mle.leakage.parts import Split, split_before


@dataclass(frozen=True, slots=True)
class Search:
    """A loop that tries something out, and how its best is kept."""

    loop: ast.For
    tried: str
    """The variable of the loop."""
    winner: str
    """The name that holds the best of what was tried, after the loop."""
    repeated: tuple[ast.stmt, ...]
    """What the loop does for one candidate, without keeping the best."""
    scores: tuple[tuple[str, str], ...]
    """Names that hold the best score, and what they are taken from."""
    end: ast.stmt
    """The statement after which the winner is known."""


def choose_on_validation(draft: Draft, block: Block, position: int) -> str | None:
    """The loop gets parts of the training rows; its winner is then tried on the test rows."""
    found = _search(draft, block, position)
    if found is None or _collects(found.repeated):
        return None
    outer = next(one for one in draft.blocks if found.loop in one)
    place = outer.index(found.loop)
    split = split_before(draft, outer, place)
    if split is None or len(split.parts) != 2:
        return None
    moved: list[ast.stmt] = [found.loop]
    repeated = found.repeated
    if not _fits(found.loop):
        # Nothing is trained in the loop: what was predicted before it is chosen by.
        before = [node for node in outer[split.position + 1 : place] if _mentions(node, split)]
        moved = [*before, found.loop]
        asked = [node for node in before if any(used([node], part.test) for part in split.parts)]
        repeated = (*asked, *repeated)
    if any(_stores(node, split) for node in moved):
        return None
    _rename(draft, moved, split)
    lines = [] if found.tried == found.winner else [f"{found.tried} = {found.winner}"]
    for node in repeated:
        lines += _dedented(draft, node)
    lines += [f"{best} = {score}" for best, score in found.scores if best != score]
    draft.insert_after(found.end, lines)
    return draft.text()


def _rename(draft: Draft, moved: list[ast.stmt], split: Split) -> None:
    """The statements see a part of the training rows instead of both sides of the split."""
    names = _validation_names(draft, split)
    for node in moved:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in names:
                draft.replace(part, names[part.id])
    x, y = split.parts
    targets = ", ".join(names[name] for name in (x.train, x.test, y.train, y.test))
    call = f"{_spelt(draft, split)}({x.train}, {y.train}, random_state=0)"
    draft.insert_before(moved[0], [f"{targets} = {call}"])


def _fits(loop: ast.For) -> bool:
    return any(called(part).startswith("fit") for part in ast.walk(loop))


def _collects(body: tuple[ast.stmt, ...]) -> bool:
    """Whether doing it once more would add to a list."""
    return any(called(part) in ("append", "extend") for node in body for part in ast.walk(node))


def _mentions(node: ast.stmt, split: Split) -> bool:
    return any(used([node], name) for part in split.parts for name in (part.train, part.test))


def _validation_names(draft: Draft, split: Split) -> dict[str, str]:
    found: dict[str, str] = {}
    for part, stem in zip(split.parts, ("X", "y"), strict=True):
        found[part.train] = draft.fresh(f"{stem}_fit")
        found[part.test] = draft.fresh(f"{stem}_valid")
    return found


def _spelt(draft: Draft, split: Split) -> str:
    return draft.segment(split.call.func)


def _stores(node: ast.stmt, split: Split) -> bool:
    """Whether the parts are changed, so that they could not be used again."""
    names = {name for part in split.parts for name in (part.train, part.test)}
    return any(
        isinstance(part, ast.Name) and part.id in names and isinstance(part.ctx, ast.Store)
        for part in ast.walk(node)
    )


def _dedented(draft: Draft, node: ast.stmt) -> list[str]:
    """The lines of a statement, without the indentation of its first."""
    lines = draft.segment(node).splitlines()
    return [lines[0], *(line[node.col_offset :] for line in lines[1:])]


def _search(draft: Draft, block: Block, position: int) -> Search | None:
    """The search to which the choice at a statement belongs."""
    for outer in draft.blocks:
        for number, loop in enumerate(outer):
            if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
                continue
            if loop.body is block and isinstance(block[position], ast.If):
                return _kept_by_if(loop, block[position])
            if outer is block and number < position:
                kept = _kept_by_key(loop, block[position])
                if kept is not None:
                    return kept
    return None


def _kept_by_if(loop: ast.For, node: ast.stmt) -> Search | None:
    """`if score > best: best, winner = score, tried`, at the end of the loop."""
    assert isinstance(node, ast.If)
    assert isinstance(loop.target, ast.Name)
    if node is not loop.body[-1] or node.orelse:
        return None
    tried, winner, scores = loop.target.id, "", []
    for target, value in _pairs(node.body):
        if not isinstance(target, ast.Name) or not isinstance(value, ast.Name):
            return None
        if value.id == tried:
            winner = target.id
        else:
            scores.append((target.id, value.id))
    # A model that is kept is not yet fitted on all training rows; only what was tried can be.
    if not winner or not _compares_scores(node.test, scores):
        return None
    return Search(loop, tried, winner, tuple(loop.body[:-1]), tuple(scores), loop)


def _compares_scores(test: ast.expr, scores: list[tuple[str, str]]) -> bool:
    names = {part.id for part in ast.walk(test) if isinstance(part, ast.Name)}
    return bool(scores) and all({best, score} <= names for best, score in scores)


def _pairs(body: Block) -> list[tuple[ast.expr, ast.expr]]:
    found: list[tuple[ast.expr, ast.expr]] = []
    for node in body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            return []
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            found += list(zip(target.elts, value.elts, strict=False))
        else:
            found.append((target, value))
    return found


def _kept_by_key(loop: ast.For, node: ast.stmt) -> Search | None:
    """`winner = min(results, key=results.get)` after `results[tried] = …`."""
    assert isinstance(loop.target, ast.Name)
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return None
    call, tried = node.value, loop.target.id
    if called(call) not in ("min", "max") or not isinstance(call, ast.Call) or not call.args:
        return None
    results = root(call.args[0])
    keyed = any(ast.unparse(word.value) == f"{results}.get" for word in call.keywords)
    filled = any(
        isinstance(part, ast.Subscript)
        and isinstance(part.ctx, ast.Store)
        and ast.unparse(part) == f"{results}[{tried}]"
        for part in ast.walk(loop)
    )
    if not keyed or not filled or not used(loop.body, tried):
        return None
    return Search(loop, tried, node.targets[0].id, tuple(loop.body), (), node)
