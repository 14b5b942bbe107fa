"""Finds the lines of a pair that a label names by numbers of calls.

The public corpus counts calls in the order in which they are evaluated, two before the first, and
one more wherever branches or loops join a name. The last is not known here, so a number is
looked for from its own value downwards, as far as there are joins, and only a place where a
training and an evaluation stand at the right distance is taken.
"""

import ast
from collections.abc import Iterator

COUNTED_BEFORE = 2
NOT_COUNTED = (
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.JoinedStr,
    ast.Lambda,
)
APPLYING = ("map", "apply", "applymap")
"""Calls that count twice, since they call what they are given."""
NAMES_PER_JOIN = 8
EVALUATES = ("predict", "score", "evaluate", "transform")


def lines_of(tree: ast.Module, calls: tuple[int, int]) -> tuple[int, int] | None:
    """Lines of the training and the evaluation; nothing if the place is not certain."""
    made = list(_calls(tree))
    fit, evaluation = (number - COUNTED_BEFORE for number in calls)
    places = [
        (made[fit - drift], made[evaluation - drift])
        for drift in range(min(fit, evaluation, _most_joined(tree)) + 1)
        if max(fit, evaluation) - drift < len(made)
        and _is_pair(made[fit - drift], made[evaluation - drift])
    ]
    exact = places and places[0][0] is made[fit] if 0 <= fit < len(made) else False
    if not exact and len(places) != 1:
        return None
    return places[0][0].lineno, places[0][1].lineno


def _most_joined(tree: ast.Module) -> int:
    """How many calls may have been counted beyond those that are written."""
    joins = (ast.If, ast.For, ast.While, ast.With)
    written = sum(isinstance(node, joins) for node in ast.walk(tree))
    return NAMES_PER_JOIN * written + sum(
        isinstance(node, ast.Call) and _name(node) in APPLYING for node in ast.walk(tree)
    )


def _is_pair(fit: ast.Call, evaluation: ast.Call) -> bool:
    return "fit" in _name(fit) and any(word in _name(evaluation) for word in EVALUATES)


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """Those below a node in the order in which they are evaluated."""
    if isinstance(node, NOT_COUNTED):
        return
    for child in _children(node):
        yield from _calls(child)
    if isinstance(node, ast.Call):
        yield node


def _children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Assign():
            yield from (node.value, *node.targets)
        case ast.AugAssign():
            yield from (node.value, node.target)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from node.body
        case ast.For() | ast.AsyncFor():
            yield from (node.iter, *node.body, *node.orelse)
        case _:
            yield from ast.iter_child_nodes(node)
