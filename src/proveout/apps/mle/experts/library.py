"""The functions of `blocks` as text, and which of them a script needs."""

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from proveout.apps.mle.syntax import glanced_at

PACKAGE = "proveout.apps.mle.experts.blocks"
SHARED = dict.fromkeys(("periods", "key_parts"), "proveout.apps.mle.tables")
"""Modules from elsewhere, where scripts must do as intake does."""


@dataclass(frozen=True)
class Piece:
    """A top-level function, class or constant."""

    name: str
    module: str
    text: str
    uses: frozenset[str]
    """Names that its text mentions."""


@dataclass(frozen=True)
class Library:
    """All pieces in the order of their modules, and the imports that bring outside names."""

    pieces: dict[str, Piece]
    imports: dict[str, str]
    """Outside name to the statement that brings it."""

    def needed(self, roots: Iterable[str], known: Iterable[str] = ()) -> list[Piece]:
        """The roots and everything they rest on, except for what is known already."""
        found: set[str] = set(known)
        waiting = [name for name in roots if name not in found]
        while waiting:
            name = waiting.pop()
            if name in self.pieces and name not in found:
                found.add(name)
                waiting.extend(self.pieces[name].uses)
        found -= set(known)
        return [piece for piece in self.pieces.values() if piece.name in found]

    def import_lines(self, names: Iterable[str]) -> list[str]:
        """Import statements for outside names, standard library first."""
        statements = {self.imports[name] for name in names if name in self.imports}
        return _arranged(statements)


MODULES = (
    "settings",
    "part",
    "periods",
    "key_parts",
    "rows",
    "further",
    "views",
    "series",
    "recent",
    "boosting",
    "classic",
    "texts",
    "scores",
    "decisions",
    "stacking",
    "validate",
    "tuning",
)


@cache
def library() -> Library:
    """Read once; the modules are parsed, never imported, so nothing heavy is loaded."""
    pieces: dict[str, Piece] = {}
    imports: dict[str, str] = {}
    for module in MODULES:
        text = _source(module)
        lines = text.splitlines()
        body = glanced_at(text).body
        for position, node in enumerate(body):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                imports |= _imported(node)
                continue
            name = _name(node)
            if name:
                end = _end(body, position)
                pieces[name] = Piece(name, module, _text(lines, node, end), _mentions(node))
    return Library(pieces, imports)


def _source(module: str) -> str:
    place = resources.files(SHARED.get(module, PACKAGE)).joinpath(f"{module}.py")
    return place.read_text(encoding="utf-8")


def _name(node: ast.stmt) -> str:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return ""


def _end(body: list[ast.stmt], position: int) -> int:
    """Last line of a statement, with the string below a constant that explains it."""
    following = body[position + 1] if position + 1 < len(body) else None
    node = body[position]
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(following, ast.Expr):
        return following.end_lineno or following.lineno
    return node.end_lineno or node.lineno


def _text(lines: list[str], node: ast.stmt, end: int) -> str:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[first - 1 : end])


def _mentions(node: ast.stmt) -> frozenset[str]:
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _imported(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    found = {}
    for alias in node.names:
        bound = alias.asname or alias.name.split(".")[0]
        naming = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
        if isinstance(node, ast.Import):
            found[bound] = f"import {naming}"
        elif not (node.module or "").startswith("proveout"):
            found[bound] = f"from {node.module} import {naming}"
    return found


def _arranged(statements: set[str]) -> list[str]:
    """One line per module, names joined; the standard library before the others."""
    whole = {line for line in statements if line.startswith("import ")}
    names: dict[str, set[str]] = {}
    for line in statements - whole:
        module, _, name = line.removeprefix("from ").partition(" import ")
        names.setdefault(module, set()).add(name)
    lines = [*whole, *(f"from {m} import {', '.join(sorted(ns))}" for m, ns in names.items())]

    def order(line: str) -> tuple[bool, bool, str]:
        module = line.split()[1].split(".")[0]
        return module not in sys.stdlib_module_names, line.startswith("from"), line

    arranged = sorted(lines, key=order)
    first = next((i for i, line in enumerate(arranged) if order(line)[0]), len(arranged))
    return [*arranged[:first], "", *arranged[first:]] if 0 < first < len(arranged) else arranged
