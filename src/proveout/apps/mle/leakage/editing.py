"""A source text that can be changed statement by statement, everything else untouched."""

import ast
import re
from collections.abc import Iterator, Mapping
from copy import copy
from typing import TypeGuard

from proveout.apps.mle.syntax import parsed

Block = list[ast.stmt]
Simple = ast.Assign | ast.Expr | ast.AnnAssign | ast.AugAssign
SPLIT = "train_test_split"


class Draft:
    """Collects changes by position; `text` applies them all."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = parsed(source)
        self._encoded = source.encode()
        self._starts = [0]
        for match in re.finditer(rb"\r\n|\r|\n", self._encoded):
            self._starts.append(match.end())
        self._edits: list[tuple[int, int, bytes]] = []
        self.blocks: list[Block] = list(_blocks(self.tree))
        self._taken = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}

    def again(self) -> "Draft":
        """The same program without changes; it is not read a second time."""
        other = copy(self)
        other._edits = []
        other._taken = set(self._taken)
        return other

    def at(self, line: int) -> tuple[Block, int] | None:
        """Block and position of the innermost statement on a line."""
        best: tuple[int, Block, int] | None = None
        for block in self.blocks:
            for position, node in enumerate(block):
                end = node.end_lineno or node.lineno
                if node.lineno <= line <= end and (best is None or end - node.lineno <= best[0]):
                    best = (end - node.lineno, block, position)
        return None if best is None else (best[1], best[2])

    def callers(self, line: int) -> Iterator[tuple[Block, int]]:
        """Statements that call the function or class in which a line stands."""
        for owner in self.tree.body:
            if not isinstance(owner, (ast.FunctionDef, ast.ClassDef)):
                continue
            if owner.lineno <= line <= (owner.end_lineno or owner.lineno):
                for block in self.blocks:
                    for position, node in enumerate(block):
                        if not hasattr(node, "body") and used([node], owner.name):
                            yield block, position

    def segment(self, node: ast.AST, names: Mapping[str, str] | None = None) -> str:
        """The text of a node; names in it replaced."""
        start, end = self._range(node)
        changes = [
            (*self._range(part), (names or {})[part.id].encode())
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and part.id in (names or {})
        ]
        return _applied(self._encoded[start:end], changes, start).decode()

    def segment_with(
        self, node: ast.AST, names: Mapping[str, str], parts: Mapping[ast.AST, str]
    ) -> str:
        """The text of a node with whole parts of it replaced, and names elsewhere."""
        start, end = self._range(node)
        hidden = {id(inner) for part in parts for inner in ast.walk(part)}
        changes = [(*self._range(part), text.encode()) for part, text in parts.items()]
        changes += [
            (*self._range(inner), names[inner.id].encode())
            for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and inner.id in names and id(inner) not in hidden
        ]
        return _applied(self._encoded[start:end], changes, start).decode()

    def replace(self, node: ast.AST, text: str) -> None:
        self._edits.append((*self._range(node), text.encode()))

    def delete(self, node: ast.stmt) -> None:
        """The whole lines of a statement."""
        first = self._starts[node.lineno - 1]
        end = node.end_lineno or node.lineno
        last = self._starts[end] if end < len(self._starts) else len(self._encoded)
        self._edits.append((first, last, b""))

    def insert_after(self, node: ast.stmt, lines: list[str]) -> None:
        end = node.end_lineno or node.lineno
        place = self._starts[end] if end < len(self._starts) else len(self._encoded)
        self._insert(place, node.col_offset, lines)

    def insert_before(self, node: ast.stmt, lines: list[str]) -> None:
        self._insert(self._starts[node.lineno - 1], node.col_offset, lines)

    def _insert(self, place: int, indent: int, lines: list[str]) -> None:
        text = "".join(f"{' ' * indent}{line}\n" for line in lines)
        if place == len(self._encoded) and not self._encoded.endswith(b"\n"):
            text = "\n" + text
        self._edits.append((place, place, text.encode()))

    def fresh(self, wish: str) -> str:
        """A name that the program does not use yet."""
        name, number = wish, 2
        while name in self._taken:
            name, number = f"{wish}_{number}", number + 1
        self._taken.add(name)
        return name

    def text(self) -> str | None:
        """The changed source; nothing if it is no program, or if the changes collide."""
        ordered = sorted(self._edits)
        for (_, end, _), (start, _, _) in zip(ordered, ordered[1:], strict=False):
            if start < end:
                return None
        made = _applied(self._encoded, self._edits, 0).decode()
        try:
            parsed(made)
        except (SyntaxError, ValueError):
            return None
        return made

    def _range(self, node: ast.AST) -> tuple[int, int]:
        first, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last = getattr(node, "end_lineno", first) or first
        end = getattr(node, "end_col_offset", column) or column
        return self._starts[first - 1] + column, self._starts[last - 1] + end


def _applied(text: bytes, edits: list[tuple[int, int, bytes]], offset: int) -> bytes:
    for start, end, new in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        text = text[: start - offset] + new + text[end - offset :]
    return text


def _blocks(tree: ast.AST) -> Iterator[Block]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def root(node: ast.AST) -> str:
    """The name at the left end of `df["a"].fillna(…)`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def called(node: ast.AST) -> str:
    """The last part of the name of what is called."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else root(node.func)


def used(nodes: list[ast.stmt], name: str) -> bool:
    return any(
        isinstance(part, ast.Name) and part.id == name for node in nodes for part in ast.walk(node)
    )


def is_text(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def uses(tree: ast.AST, name: str) -> int:
    """How often a name is read."""
    return sum(
        isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
        for part in ast.walk(tree)
    )


def in_place_of(draft: Draft, old: ast.expr, new: str) -> None:
    """Import a name from where another comes from; instead of it, if nothing else uses it."""
    if not isinstance(old, ast.Name):
        return
    for node in ast.walk(draft.tree):
        if not isinstance(node, ast.ImportFrom) or any(one.name == new for one in node.names):
            continue
        alias = next((one for one in node.names if (one.asname or one.name) == old.id), None)
        if alias is not None:
            alone = uses(draft.tree, old.id) == 1
            draft.replace(alias, new if alone else f"{draft.segment(alias)}, {new}")
            return


def imported(draft: Draft, module: str, name: str, *, at: ast.stmt) -> None:
    """Import a name for use at a statement, unless the program has done so by then."""
    above = [
        node
        for node in draft.tree.body
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.lineno < at.lineno
    ]
    if any(one.name == name and one.asname is None for node in above for one in node.names):
        return
    for node in above:
        if node.module == module:
            last = node.names[-1]
            draft.replace(last, f"{draft.segment(last)}, {name}")
            return
    line, package = f"from {module} import {name}", module.partition(".")[0]
    alike = [node for node in above if (node.module or "").partition(".")[0] == package]
    before = [node for node in alike if (node.module or "") < module]
    if before:
        draft.insert_after(before[-1], [line])
    else:
        draft.insert_before(alike[0] if alike else first_statement(draft.tree), [line])


def first_statement(tree: ast.Module) -> ast.stmt:
    """Where an import may stand: after the text that describes the module."""
    for node in tree.body:
        described = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not described and not future:
            return node
    return tree.body[-1]
