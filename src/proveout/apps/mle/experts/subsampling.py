"""Finds where a script takes a sample of its training rows, and takes that out again."""

import ast

from proveout.apps.mle.syntax import UNPARSABLE, parsed

UNSAMPLED = "pass  # every training row is used"


def sampling_block(source: str) -> str:
    """The first statement that keeps only a sample of a table; empty if there is none."""
    try:
        tree = parsed(source)
    except UNPARSABLE:
        return ""
    for node in ast.walk(tree):
        if _samples(node) or (
            isinstance(node, ast.If) and node.body and all(map(_samples, node.body))
        ):
            return ast.get_source_segment(source, node) or ""
    return ""


def unsampled(block: str) -> str:
    """The block without its sampling; as it was, if it does something else."""
    return UNSAMPLED if block and sampling_block(block) == block else block


def _samples(node: ast.AST) -> bool:
    """`rows = rows.sample(…)`, whatever follows the call."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    target = node.targets[0]
    value: ast.AST = node.value
    while isinstance(value, ast.Call | ast.Attribute):
        if isinstance(value, ast.Attribute) and value.attr == "sample":
            return ast.unparse(value.value) == ast.unparse(target)
        value = value.func if isinstance(value, ast.Call) else value.value
    return False
