"""A source text that can be changed statement by statement, everything else untouched."""

import ast
import re
from collections.abc import Iterator, Mapping

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

    def at(self, line: int) -> tuple[Block, int] | None:
        """Block and position of the innermost statement on a line."""
        best: tuple[int, Block, int] | None = None
        for block in self.blocks:
            for position, node in enumerate(block):
                end = node.end_lineno or node.lineno
                if node.lineno <= line <= end and (best is None or end - node.lineno <= best[0]):
                    best = (end - node.lineno, block, position)
        return None if best is None else (best[1], best[2])

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
