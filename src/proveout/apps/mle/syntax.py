"""Programs as syntax trees, one at a time, and each program once.

In Python 3.11 two threads that build syntax trees at once disturb each other's count of the depth
(`SystemError: AST constructor recursion depth mismatch`). Scripts are proposed and judged by
threads, so all of them come through here.
"""

import ast
import threading
from functools import lru_cache

MOST_SPELLED = 2048
KEPT = 16
"""Trees that are kept: whoever writes, reads or checks a script asks for it soon after."""
_one_at_a_time = threading.RLock()


def parsed(source: str) -> ast.Module:
    """The tree is shared by all who ask for the same text: it must not be changed.

    Raises what `ast.parse` raises: SyntaxError, ValueError, RecursionError.
    """
    with _one_at_a_time:
        return _tree(source)


def glanced_at(source: str) -> ast.Module:
    """Not kept: for whoever remembers what it says, and never asks again."""
    with _one_at_a_time:
        return ast.parse(source)


@lru_cache(maxsize=KEPT)
def _tree(source: str) -> ast.Module:
    return ast.parse(source)


def expression(source: str) -> ast.expr:
    """The one expression that a text is."""
    with _one_at_a_time:
        return ast.parse(source, mode="eval").body


@lru_cache(maxsize=MOST_SPELLED)
def spelled(node: ast.expr) -> str:
    """What `ast.unparse` gives; names with dots, which nearly all are, without its machinery.

    Loops and functions come past the same node again and again.
    """
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
        return f"{spelled(node.value)}.{node.attr}"
    return ast.unparse(node)
