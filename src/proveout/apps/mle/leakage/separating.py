"""Repairs of shared rows: what is scored is kept, what is trained on loses it."""

import ast
from collections.abc import Iterator

from proveout.apps.mle.leakage.editing import SPLIT, Draft, called, root
from proveout.apps.mle.leakage.report import Leak

Assigned = tuple[ast.expr, ast.expr]
BELOW_OF = {ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">", ast.Lt: ">="}
"""What is left when the rows of a comparison are taken away."""


def apart(draft: Draft, leak: Leak) -> Iterator[str]:
    """Ways in which two sets of rows can be made disjoint; each is examined by whoever asked."""
    del leak
    assigned = list(_assigned(draft.tree))
    for edit in (
        *_second_sample(assigned),
        *_same_seed(draft),
        *_other_side_of_mask(draft, assigned),
        *_complement(draft, assigned),
        *_rows_of_fold(draft),
    ):
        changed = draft.again()
        for place, text in edit:
            changed.replace(place, text)
        made = changed.text()
        if made is not None:
            yield made


Edit = tuple[tuple[ast.expr, str], ...]


def _assigned(tree: ast.AST) -> Iterator[Assigned]:
    """Each name or place with what it is given, those of `a, b = c, d` one by one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                yield from zip(target.elts, value.elts, strict=False)
            else:
                yield target, value


def _second_sample(assigned: list[Assigned]) -> Iterator[Edit]:
    """Two samples of one table: the second takes what the first left."""
    samples = [
        (target.id, value)
        for target, value in assigned
        if isinstance(target, ast.Name)
        and isinstance(value, ast.Call)
        and called(value) == "sample"
        and isinstance(value.func, ast.Attribute)
        and isinstance(value.func.value, ast.Name)
    ]
    for (first, one), (_, two) in zip(samples, samples[1:], strict=False):
        if root(one) == root(two) and root(one) != first and _leaves_some(one):
            yield ((two, f"{root(two)}.drop({first}.index)"),)


def _leaves_some(sample: ast.Call) -> bool:
    shares = [word.value for word in sample.keywords if word.arg == "frac"]
    return any(
        isinstance(share, ast.Constant) and isinstance(share.value, float) and share.value < 1
        for share in shares
    )


def _same_seed(draft: Draft) -> Iterator[Edit]:
    """Two splits of the same rows by different seeds."""
    splits = [
        node
        for node in ast.walk(draft.tree)
        if isinstance(node, ast.Call) and called(node) == SPLIT
    ]
    for one, two in zip(splits, splits[1:], strict=False):
        words = [{word.arg: word.value for word in split.keywords} for split in (one, two)]
        seeds = [each.pop("random_state", None) for each in words]
        rest = [{name: ast.unparse(value) for name, value in each.items()} for each in words]
        same = [ast.unparse(argument) for argument in one.args] == [
            ast.unparse(argument) for argument in two.args
        ]
        if same and rest[0] == rest[1] and seeds[0] is not None and seeds[1] is not None:
            yield ((seeds[1], draft.segment(seeds[0])),)


def _other_side_of_mask(draft: Draft, assigned: list[Assigned]) -> Iterator[Edit]:
    """`train, test = df, df[~mask]`: the training rows are those of the mask."""
    for _, value in assigned:
        if not isinstance(value, ast.Subscript) or not isinstance(value.slice, ast.UnaryOp):
            continue
        if not isinstance(value.slice.op, ast.Invert):
            continue
        table, mask = draft.segment(value.value), draft.segment(value.slice.operand)
        for target, whole in assigned:
            named = isinstance(whole, ast.Name) and isinstance(target, ast.Name)
            if named and draft.segment(whole) == root(value) and root(target) != root(value):
                yield ((whole, f"{table}[{mask}]"),)


def _complement(draft: Draft, assigned: list[Assigned]) -> Iterator[Edit]:
    """Two ranges of one column: the first ends where the second begins."""
    ranges = [
        (value.slice, value.slice.ops[0])
        for _, value in assigned
        if isinstance(value, ast.Subscript)
        and isinstance(value.slice, ast.Compare)
        and len(value.slice.ops) == 1
    ]
    for (one, _), (two, operator) in zip(ranges, ranges[1:], strict=False):
        if ast.unparse(one.left) == ast.unparse(two.left) and type(operator) in BELOW_OF:
            bound = draft.segment(two.comparators[0])
            yield ((one, f"{draft.segment(one.left)} {BELOW_OF[type(operator)]} {bound}"),)


def _rows_of_fold(draft: Draft) -> Iterator[Edit]:
    """A model that is fitted, fold by fold, on all rows: on those of the fold's mask."""
    for loop in ast.walk(draft.tree):
        if not isinstance(loop, ast.For):
            continue
        masks = [
            target.id
            for target, value in _assigned(ast.Module(loop.body, []))
            if isinstance(target, ast.Name)
            and isinstance(value, ast.Compare)
            and isinstance(value.ops[0], (ast.NotEq, ast.Lt))
        ]
        fits = [
            call
            for call in ast.walk(loop)
            if isinstance(call, ast.Call) and called(call) == "fit" and len(call.args) == 2
        ]
        for mask in masks[:1]:
            for call in fits:
                x, y = call.args
                if isinstance(x, ast.Subscript) and isinstance(y, ast.Name):
                    table, columns = draft.segment(x.value), draft.segment(x.slice)
                    narrowed = f"{table}.loc[{mask}, {columns}]"
                    yield ((x, narrowed), (y, f"{y.id}[{mask}]"))
