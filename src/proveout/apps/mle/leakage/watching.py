"""Numbers that tell whether anybody looked at them.

A search tries many scripts that differ in nothing but numbers: a rate, a depth, a seed. What was
said of one of them holds for the next if every number that had a say is the same in both. Which had
a say is seen, not guessed: while a script is examined its numbers are of the types below.
"""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from proveout.apps.mle.leakage import catalogue
from proveout.apps.mle.leakage.examining import examine_tree
from proveout.apps.mle.leakage.report import Report
from proveout.apps.mle.syntax import UNPARSABLE, NumberToken, glanced_at

NOT_A_LOOK = catalogue.words(
    """
    __new__ __init__ __init_subclass__ __subclasshook__ __class__ __doc__ __dir__ __sizeof__
    __getattribute__ __setattr__ __delattr__ __getstate__ __getnewargs__ __getformat__
    __reduce__ __reduce_ex__ from_bytes fromhex
    """
)
COMPARING = frozenset({"__eq__", "__ne__"})


def _telling(plain: type, name: str) -> Callable[..., Any]:
    look = getattr(plain, name)

    def told(self: Any, *others: Any) -> Any:
        if name in COMPARING and not isinstance(others[0], (int, float, complex)):
            # Whatever the number is, a text is something else.
            return NotImplemented
        self.seen.add(self.position)
        return look(self, *others)

    return told


def _watched(plain: type) -> Any:
    """The type, but each of its methods first notes that it was called."""
    looks = [name for name in dir(plain) if name not in NOT_A_LOOK]
    methods = {name: _telling(plain, name) for name in looks if callable(getattr(plain, name))}
    return type(f"Watched{plain.__name__.title()}", (plain,), methods)


KINDS = {kind: _watched(kind) for kind in (int, float)}


def examine_watching(
    source: str, numbers: Sequence[NumberToken]
) -> tuple[Report, frozenset[int]] | None:
    """What is said of a program, and which of its numbers had a say.

    None where that cannot be told: it is no program, or these are not the numbers that it has.
    """
    try:
        tree = glanced_at(source)
    except UNPARSABLE:
        return None
    seen: set[int] = set()
    return (examine_tree(source, tree), frozenset(seen)) if _watch(tree, numbers, seen) else None


def _watch(tree: ast.Module, numbers: Sequence[NumberToken], seen: set[int]) -> bool:
    """Put watched numbers in the place of plain ones; false if they are not the same numbers."""
    found = {
        (node.lineno, node.col_offset): node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and type(node.value) in KINDS
    }
    for position, token in enumerate(numbers):
        node = found.get((token.line, token.column))
        if node is None or repr(node.value) != repr(token.value):
            return False
        watched = KINDS[type(token.value)](node.value)
        watched.seen, watched.position = seen, position
        node.value = watched
    return True
