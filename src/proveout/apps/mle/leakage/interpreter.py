"""Runs a program on what is known of its values instead of the values themselves.

Statements in program order; branches are joined, loops run twice, functions of the program are
followed into. Nothing of the program is executed.
"""

import ast
from collections.abc import Iterable

from proveout.apps.mle.leakage import assigning, calls, expressions
from proveout.apps.mle.leakage.learning import span
from proveout.apps.mle.leakage.loops import is_over_folds, iterated_element
from proveout.apps.mle.leakage.machine import Machine, Snapshot
from proveout.apps.mle.leakage.values import UNKNOWN, Value


class Interpreter(Machine):
    """The statements of the language, and the way to its expressions and assignments."""

    # Bound as they are: reading one script evaluates thousands of expressions.
    evaluate = expressions.evaluate
    assign = assigning.assign
    follow = calls.follow

    def run(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            if self.stopped:
                return
            self.left -= 1
            if self.left < 0:
                self.log.exhausted = True
                self.stopped = True
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr():
                self.evaluate(node.value)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete():
                assigning.run(self, node)
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.bind(node.name, Value(kind="function", name=node.name, node=node))
            case ast.ClassDef():
                self.bind(node.name, Value(kind="class", name=node.name, node=node))
            case ast.Return():
                self.returned.append(UNKNOWN if node.value is None else self.evaluate(node.value))
                self.stopped = True
            case ast.If():
                self._if(node)
            case ast.For() | ast.AsyncFor():
                self._for(node)
            case ast.While():
                self.evaluate(node.test)
                self._repeat(node.body, "other", frozenset())
                self.run(node.orelse)
            case ast.With() | ast.AsyncWith():
                self._with(node)
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.Match():
                self._match(node)
            case ast.Raise() | ast.Continue() | ast.Break():
                self.stopped = True

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                self.bind(alias.asname or name, Value(kind="name", name=name))
            elif alias.name != "*":
                full = f"{node.module or ''}.{alias.name}".lstrip(".")
                self.bind(alias.asname or alias.name, Value(kind="name", name=full))

    def _if(self, node: ast.If) -> None:
        test = self.evaluate(node.test)
        if test.const is True or _is_main_guard(node.test):
            self.run(node.body)
            return
        self._note_choice(node, test)
        self._branches([node.body, node.orelse])

    def _note_choice(self, node: ast.If, test: Value) -> None:
        """`if score > best: best = score` inside of a loop that is not one over folds."""
        if not test.evaluations or not self.loops or self.loops[-1] == "folds":
            return
        if isinstance(node.test, ast.Compare) and any(
            isinstance(part, ast.Assign) for part in node.body
        ):
            self.choose(span(node.test), test.evaluations)

    def _branches(self, bodies: list[list[ast.stmt]]) -> None:
        before = self.snapshot()
        open_ends: list[Snapshot] = []
        for number, body in enumerate(bodies):
            if number:
                self.restore(before)
            self.stopped = False
            self.run(body)
            if not self.stopped:
                open_ends.append(self.given_up())
        self.stopped = not open_ends or self.log.exhausted
        if open_ends:
            self.resume(open_ends[0])
            for other in open_ends[1:]:
                self.join(other)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        iterated = self.evaluate(node.iter)
        names = frozenset(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
        kind = "folds" if is_over_folds(iterated) else "other"
        items = iterated.items if iterated.kind == "sequence" else ()
        if items and len(items) <= 8:
            # Each element by itself: `for frame in [train, test]` changes both.
            for item in items:
                self._once(node, item, kind, names)
        else:
            element = iterated_element(iterated)
            for _ in range(2):
                self._once(node, element, kind, names)
        self.run(node.orelse)

    def _once(
        self, node: ast.For | ast.AsyncFor, item: Value, kind: str, names: frozenset[str]
    ) -> None:
        self.assign(node.target, self.now(item))
        self._enter(node.body, kind, names)

    def _repeat(self, body: list[ast.stmt], kind: str, names: frozenset[str]) -> None:
        for _ in range(2):
            self._enter(body, kind, names)

    def _enter(self, body: list[ast.stmt], kind: str, names: frozenset[str]) -> None:
        self.loops.append(kind)
        self.loop_names.append(names)
        self.run(body)
        self.loop_names.pop()
        self.loops.pop()
        # `break` and `continue` end here; so does a return: what follows the loop may still run.
        self.stopped = self.log.exhausted

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            value = self.evaluate(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
        self.run(node.body)

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        before = self.snapshot()
        self.run([*node.body, *node.orelse])
        ended, after = self.stopped, self.snapshot()
        for handler in node.handlers:
            self.restore(before)
            self.stopped = False
            self.run(handler.body)
            done = self.snapshot()
            if ended and not self.stopped:
                after, ended = done, False
            elif not self.stopped:
                self.restore(after)
                self.join(done)
                after = self.snapshot()
        self.restore(after)
        self.stopped = self.log.exhausted
        self.run(node.finalbody)
        self.stopped = self.stopped or ended

    def _match(self, node: ast.Match) -> None:
        subject = self.evaluate(node.subject)
        for case in node.cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, (ast.MatchAs, ast.MatchStar)) and part.name:
                    self.bind(part.name, subject._replace(ref=None))
        self._branches([case.body for case in node.cases])


def _is_main_guard(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and any(
        isinstance(part, ast.Constant) and part.value == "__main__"
        for part in (test.left, *test.comparators)
    )
