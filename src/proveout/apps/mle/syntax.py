"""Programs as syntax trees, one at a time, and each program once.

In Python 3.11 two threads that build syntax trees at once disturb each other's count of the depth
(`SystemError: AST constructor recursion depth mismatch`). Scripts are proposed and judged by
threads, so all of them come through here.
"""

import ast
import re
import threading
from functools import lru_cache
from typing import NamedTuple

MOST_SPELLED = 2048
KEPT = 16
"""Trees that are kept: whoever writes, reads or checks a script asks for it soon after."""
MOST_DIGITS = 18
"""Of a whole number that counts as one; longer ones are left alone."""
TOKEN = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+"""'''
    r"|'''(?:[^'\\]++|\\.|'(?!''))*+'''"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'(?:[^'\\\n]++|\\.)*+'"
    r"|\#[^\n]*+"
    r"|[0-9](?<![\w.].)[0-9]*+(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.])",
    re.DOTALL,
)
"""Texts and comments, so as to pass over them, and numbers."""
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What the parser raises for text that is no program, or is nested without end."""
KEPT_OUTLINES = 512
_one_at_a_time = threading.RLock()


class NumberToken(NamedTuple):
    """A number, and where the parser says that it stands: columns are counted in bytes."""

    line: int
    column: int
    value: int | float


class Shape(NamedTuple):
    """A program without what it says in numbers and comments."""

    text: str
    numbers: tuple[NumberToken, ...]


class Outline(NamedTuple):
    """What is asked of each script before anything else."""

    parses: bool
    acts: bool
    """It does something: a sentence may happen to be Python as well."""


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


@lru_cache(maxsize=KEPT)
def shape(source: str) -> Shape:
    """What programs that differ in nothing but numbers have in common, and the numbers.

    In the text each number is a nought of its type; comments are gone but for those to the leakage
    check. The text is a program if and only if the source is one.
    """
    parts: list[str] = []
    numbers: list[NumberToken] = []
    line, begins, after = 1, 0, 0
    for found in TOKEN.finditer(source):
        token, start = found[0], found.start()
        parts.append(source[after:start])
        after = found.end()
        number = _number(token) if token[0].isdigit() else None
        if number is not None:
            line, begins = _line_of(source, start, line, begins)
            column = len(source[begins:start].encode(errors="surrogatepass"))
            numbers.append(NumberToken(line, column, number))
            token = "0" if isinstance(number, int) else "0.0"
        elif token[0] == "#" and "proveout" not in token.lower():
            token = ""
        parts.append(token)
    parts.append(source[after:])
    return Shape("".join(parts), tuple(numbers))


def outline(source: str) -> Outline:
    """Found out once for all programs that differ in nothing but numbers."""
    return _outline(shape(source).text)


@lru_cache(maxsize=KEPT_OUTLINES)
def _outline(text: str) -> Outline:
    try:
        body = glanced_at(text).body
    except UNPARSABLE:
        return Outline(parses=False, acts=False)
    return Outline(parses=True, acts=any(_acts(statement) for statement in body))


def _acts(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr):
        return True
    return isinstance(statement.value, ast.Call | ast.Await | ast.Yield)


def _number(token: str) -> int | float | None:
    """None for what is better left as it stands."""
    if not token.isdigit():
        return float(token)
    return int(token) if token[0] != "0" and len(token) <= MOST_DIGITS or token == "0" else None


def _line_of(source: str, place: int, line: int, begins: int) -> tuple[int, int]:
    """Number and beginning of the line of a place, from those of an earlier one."""
    line += source.count("\n", begins, place)
    return line, source.rfind("\n", begins, place) + 1 or begins
