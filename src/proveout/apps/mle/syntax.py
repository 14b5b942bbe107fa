"""Programs as syntax trees, one at a time.

In Python 3.11 two threads that build syntax trees at once disturb each other's count of the depth
(`SystemError: AST constructor recursion depth mismatch`). Scripts are proposed and judged by
threads, so all of them come through here.
"""

import ast
import threading

_one_at_a_time = threading.RLock()


def parsed(source: str) -> ast.Module:
    """Raises what `ast.parse` raises: SyntaxError, ValueError, RecursionError."""
    with _one_at_a_time:
        return ast.parse(source)


def expression(source: str) -> ast.expr:
    """The one expression that a text is."""
    with _one_at_a_time:
        return ast.parse(source, mode="eval").body
