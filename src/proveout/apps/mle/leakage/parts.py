"""How a program divides its rows, as far as a repair can name the parts."""

import ast
from dataclasses import dataclass
from typing import TypeGuard

from proveout.apps.mle.leakage.editing import SPLIT, Block, Draft, called, root

KEEPING = ("drop", "copy", "reset_index", "dropna")
"""Methods after which a table still has the columns it had, but for those that are named."""


@dataclass(frozen=True, slots=True)
class Parts:
    """One argument of a split, and the names of its training and held-out rows."""

    argument: ast.expr
    train: str
    test: str


@dataclass(frozen=True, slots=True)
class Split:
    node: ast.Assign
    position: int
    parts: tuple[Parts, ...]

    def of(self, text: str) -> Parts | None:
        return next((part for part in self.parts if ast.unparse(part.argument) == text), None)


def find_split(draft: Draft, block: Block, after: int = -1) -> Split | None:
    """The first statement of the block, after a position, that calls `train_test_split`."""
    for position, node in enumerate(block):
        if position <= after or not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target = node.targets[0]
        if called(node.value) != SPLIT or not isinstance(target, (ast.Tuple, ast.List)):
            continue
        assert isinstance(node.value, ast.Call)
        names = [draft.segment(part) for part in target.elts]
        arguments = node.value.args
        if len(names) != 2 * len(arguments) or "_" in names:
            return None
        parts = tuple(
            Parts(argument, names[2 * number], names[2 * number + 1])
            for number, argument in enumerate(arguments)
        )
        return Split(node, position, parts)
    return None


def split_before(draft: Draft, block: Block, before: int) -> Split | None:
    """The last such statement before a position."""
    found: Split | None = None
    position = -1
    while True:
        split = find_split(draft, block, position)
        if split is None or split.position >= before:
            return found
        found, position = split, split.position


def parts_of(split: Split, block: Block, name: str, start: int) -> Parts | None:
    """The parts into which the columns of a table go: itself, or what was made from it."""
    direct = split.of(name)
    if direct is not None:
        return direct
    for part in split.parts:
        made = part.argument
        if isinstance(made, ast.Name):
            made = _definition(block[start + 1 : split.position], made.id) or made
        if root(made) == name and _keeps_columns(made):
            return part
    return None


def lacks(split: Split, block: Block, parts: Parts, node: ast.AST) -> bool:
    """Whether the parts of a table may lack a column that the statement names."""
    named = {part.value for part in ast.walk(node) if _is_text(part)}
    made = parts.argument
    if isinstance(made, ast.Name):
        made = _definition(block[: split.position], made.id) or made
    mentioned = {part.value for part in ast.walk(made) if _is_text(part)}
    if called(made) == "drop":
        return bool(named & mentioned)
    if isinstance(made, ast.Subscript) and isinstance(made.slice, ast.List):
        return not named <= mentioned
    tables = {root(made), root(parts.argument)}
    alone = (target_part(split, block, table, str(name)) for name in named for table in tables)
    return any(part is not None and part is not parts for part in alone)


def _is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _definition(nodes: Block, name: str) -> ast.expr | None:
    """What a name was assigned, if once."""
    found: list[ast.expr] = []
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name) and target.id == name:
            found.append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            found += [
                given
                for one, given in zip(target.elts, value.elts, strict=False)
                if isinstance(one, ast.Name) and one.id == name
            ]
    return found[0] if len(found) == 1 else None


def _keeps_columns(node: ast.expr) -> bool:
    while isinstance(node, ast.Call) and called(node) in KEEPING:
        assert isinstance(node.func, ast.Attribute)
        node = node.func.value
    if isinstance(node, ast.Subscript):
        listed = isinstance(node.slice, (ast.List, ast.Name))
        return listed and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name)


def target_part(split: Split, block: Block, table: str, column: str) -> Parts | None:
    """The part of the split that holds one column of the table by itself."""
    wanted = {f"{table}['{column}']", f"{table}.{column}", f"{table}.pop('{column}')"}
    for part in split.parts:
        made = part.argument
        if isinstance(made, ast.Name):
            made = _definition(block[: split.position], made.id) or made
        if ast.unparse(made).removesuffix(".values") in wanted:
            return part
    return None
