"""What an examination remembers: names, cells, the log; and what it can be asked to do."""

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import compress
from operator import is_not

from proveout.apps.mle.leakage.log import Choice, Log
from proveout.apps.mle.leakage.rows import Piece
from proveout.apps.mle.leakage.values import Span, Value, gathered, join, join_all

MOST_STEPS = 8_000
"""Statements run in all, branches weighted by what they copy; more is given up, not guessed."""
CELLS_PER_STEP = 40
Snapshot = tuple[list[dict[str, int]], dict[int, Value]]


class Machine(ABC):
    """The state of one examination. The parts of the language that build on it are below."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, int]] = [{}]
        self.cells: dict[int, Value] = {}
        self.log = Log()
        self.loops: list[str] = []
        """What each loop around the current statement repeats: `folds` or something else."""
        self.loop_names: list[frozenset[str]] = []
        self.calls: list[ast.AST] = []
        self.called: set[ast.AST] = set()
        self.returned: list[Value] = []
        self.stopped = False
        self.left = MOST_STEPS
        self._next_cell = 0

    # names and cells

    def lookup(self, name: str) -> Value | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return self.cells[scope[name]]
        return None

    def bind(self, name: str, value: Value) -> None:
        self.scopes[-1][name] = self.cell(value)

    def cell(self, value: Value) -> int:
        """The cell in which the value lives; a new one for a value that lives nowhere."""
        if value.ref is not None and value.ref in self.cells:
            return value.ref
        self._next_cell += 1
        self.cells[self._next_cell] = value.in_cell(self._next_cell)
        return self._next_cell

    def now(self, value: Value) -> Value:
        """The value as it is by now, if its cell was changed since."""
        return value if value.ref is None else self.cells.get(value.ref, value)

    def change(self, old: Value, new: Value) -> Value:
        """Everyone who shares the old value's cell sees the new one."""
        if old.ref is None:
            return new
        self.cells[old.ref] = new.in_cell(old.ref)
        return self.cells[old.ref]

    def grounded(self, value: Value, line: int) -> Value:
        """Data of unknown origin become a source of their own where they are learnt from."""
        if value.rows or value.kind not in ("unknown", "data", "iterator", "sequence"):
            return value
        if value.kind == "sequence" and value.items and all(item.rows for item in value.items):
            return gathered(value)
        if any(item.rows or item.kind == "object" for item in value.items):
            return value
        rows = frozenset({Piece(f"data of line {line}")})
        known = value.element.taints if value.element is not None else value.taints
        data = value._replace(kind="data", rows=rows, element=None, items=(), taints=known)
        return self.change(value, data)

    @abstractmethod
    def evaluate(self, node: ast.expr) -> Value:
        """What an expression is known to be."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value) -> None:
        """Store a value in a name, an element, a column, an attribute."""

    @abstractmethod
    def run(self, body: Iterable[ast.stmt]) -> None:
        """Run statements in order."""

    @abstractmethod
    def follow(self, function: Value, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
        """What a function of the program returns; none where following it would go too deep."""

    def choose(self, where: Span, evaluations: frozenset[int]) -> None:
        """The best of these was taken; each turn of a loop adds to the same choice."""
        known = next((choice for choice in self.log.choices if choice.span == where), None)
        if known is not None:
            evaluations |= known.evaluations
            self.log.choices.remove(known)
        fits = {fit for event in evaluations for fit in self.log.evaluations[event].fits}
        self.log.choices.append(Choice(where, evaluations, len(fits) > 1, self.log.tick()))

    # states

    def snapshot(self) -> Snapshot:
        scopes, cells = self.given_up()
        return [dict(scope) for scope in scopes], dict(cells)

    def given_up(self) -> Snapshot:
        """The state itself, for whoever puts another in its place before going on."""
        self.left -= len(self.cells) // CELLS_PER_STEP
        return self.scopes, self.cells

    def restore(self, state: Snapshot) -> None:
        self.scopes = [dict(scope) for scope in state[0]]
        self.cells = dict(state[1])

    def resume(self, state: Snapshot) -> None:
        """Go on from a state that nobody else needs."""
        self.scopes, self.cells = state

    def join(self, other: Snapshot) -> None:
        """What holds now, or what held in the other branch."""
        scopes, cells = other
        here = self.cells.get
        # Nearly all cells are the same in both; a program has many cells and many branches.
        changed = map(is_not, cells.values(), map(here, cells))
        for ref, value in list(compress(cells.items(), changed)):
            mine = here(ref)
            if mine is None:
                self.cells[ref] = value
            else:
                self.cells[ref] = join(mine, value).in_cell(ref)
        differing = [pair for pair in zip(self.scopes, scopes, strict=True) if pair[0] != pair[1]]
        for scope, theirs in differing:
            for name, ref in theirs.items():
                if name not in scope:
                    scope[name] = ref
                elif scope[name] != ref:
                    scope[name] = self.cell(join(self.cells[scope[name]], cells[ref]))

    # functions of the program

    def inside(self, node: ast.AST, names: dict[str, Value], body: list[ast.stmt]) -> Value:
        """Run a function's body in a scope of its own; what it returns."""
        self.called.add(node)
        outer = (self.returned, self.stopped)
        self.returned, self.stopped = [], False
        self.calls.append(node)
        self.scopes.append({})
        for name, value in names.items():
            self.bind(name, value)
        self.run(body)
        self.scopes.pop()
        self.calls.pop()
        result = join_all(self.now(value) for value in self.returned)
        self.returned, self.stopped = outer
        self.stopped = self.stopped or self.log.exhausted
        return result
