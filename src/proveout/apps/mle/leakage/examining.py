"""From source text to a report. Never raises, whatever the text."""

import ast
import re

from proveout.apps.mle.leakage import calls, judging
from proveout.apps.mle.leakage.choosing import Suspicion
from proveout.apps.mle.leakage.codes import RULES
from proveout.apps.mle.leakage.interpreter import Interpreter
from proveout.apps.mle.leakage.log import Log
from proveout.apps.mle.leakage.notebooks import Notebook, is_notebook, read_notebook
from proveout.apps.mle.leakage.report import Leak, Report, Step
from proveout.apps.mle.leakage.rows import describe
from proveout.apps.mle.syntax import parsed

IGNORE = re.compile(r"#\s*proveout:\s*ignore(?:\[([\w., ]*)\])?", re.IGNORECASE)
NEWLINE = re.compile(r"\r\n|\r|\n")
ORDER = {"certain": 0, "likely": 1, "suspect": 2}


def examine(source: str, *, filename: str = "") -> Report:
    """Follow the program and report what leaks; a notebook is recognised by its name or shape."""
    if is_notebook(source, filename):
        notebook = read_notebook(source)
        if notebook is None:
            return _unreadable(filename, "this is not a notebook that can be read", 1, source)
        return in_cells(_examine(notebook.source, filename), notebook)
    return _examine(source, filename)


def followed(source: str) -> Log:
    """What happens in a program; raises what parsing it raises."""
    return _log(parsed(source))


def _log(tree: ast.Module) -> Log:
    machine = Interpreter()
    machine.run(tree.body)
    calls.run_uncalled(machine, tree.body)
    return machine.log


def _examine(source: str, filename: str) -> Report:
    try:
        tree = parsed(source)
    except SyntaxError as error:
        return _unreadable(filename, f"syntax error: {error.msg}", error.lineno or 1, source)
    except (ValueError, RecursionError, MemoryError) as error:
        return _unreadable(filename, f"cannot be parsed: {error}", 1, source)
    return examine_tree(source, tree, filename)


def examine_tree(source: str, tree: ast.Module, filename: str = "") -> Report:
    """What leaks in a program that was parsed already."""
    try:
        log = _log(tree)
        found = judging.suspicions(log)
    except RecursionError:
        return Report(filename=filename, unsure=("expressions are nested too deeply to follow",))
    doubts = judging.reasons_to_doubt(log)
    if not found:
        return Report(filename=filename, unsure=doubts)
    text = Text(source, tree)
    findings = _best([text.leak(suspicion) for suspicion in found])
    ignored = tuple(leak for leak in findings if text.ignores(leak))
    kept = tuple(leak for leak in findings if leak not in ignored)
    return Report(filename=filename, findings=kept, ignored=ignored, unsure=doubts)


def _unreadable(filename: str, why: str, line: int, source: str) -> Report:
    rule = RULES["leak.unreadable"]
    text = Text(source, ast.Module([], []))
    leak = Leak(
        code="leak.unreadable", message=why, line=line, end_line=line, block=text.lines(line, line),
        path=(Step(line=line, what=why),), rows="", harm=rule.harm, confidence="certain",
        hint=rule.hint,
    )  # fmt: skip
    return Report(filename=filename, findings=(leak,), unsure=(why,), unreadable=why)


def _best(leaks: list[Leak]) -> list[Leak]:
    """One finding for each rule and place: the surest."""
    chosen: dict[tuple[str, int, int], Leak] = {}
    for leak in leaks:
        key = (leak.code, leak.line, leak.end_line)
        known = chosen.get(key)
        if known is None or ORDER[leak.confidence] < ORDER[known.confidence]:
            chosen[key] = leak
    return sorted(chosen.values(), key=lambda leak: (leak.line, leak.code))


class Text:
    """The source by lines and statements."""

    def __init__(self, source: str, tree: ast.Module) -> None:
        self.source = source
        self._starts = [0, *(match.end() for match in NEWLINE.finditer(source))]
        self._ends = [*(match.start() for match in NEWLINE.finditer(source)), len(source)]
        self._statements: dict[int, tuple[int, int]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                last = node.end_lineno or node.lineno
                for line in range(node.lineno, last + 1):
                    first, end = self._statements.get(line, (node.lineno, last))
                    self._statements[line] = (min(first, node.lineno), max(end, last))

    def lines(self, first: int, last: int) -> str:
        """Whole lines, exactly as they stand; without the final line break."""
        first = min(max(first, 1), len(self._starts))
        last = min(max(last, first), len(self._starts))
        return self.source[self._starts[first - 1] : self._ends[last - 1]]

    def statement(self, line: int) -> tuple[int, int]:
        """First and last line of what stands there."""
        return self._statements.get(line, (line, line))

    def leak(self, suspicion: Suspicion) -> Leak:
        rule = RULES[suspicion.code]
        first, last = suspicion.span.line, suspicion.span.end_line
        if first in self._statements:
            first, last = self._statements[first][0], max(last, self._statements[first][1])
        return Leak(
            code=suspicion.code,
            message=f"{rule.says}: {suspicion.what}",
            line=first,
            end_line=last,
            block=self.lines(first, last),
            path=tuple(
                Step(line=line, what=what, code=self.lines(line, line).strip())
                for line, what in suspicion.path
            ),
            rows=describe(suspicion.rows),
            harm="low" if suspicion.harmless else rule.harm,
            confidence=suspicion.confidence,
            hint=rule.hint,
            columns=suspicion.columns,
        )

    def ignores(self, leak: Leak) -> bool:
        """A comment on the statement, or on the line above it, sets the finding aside."""
        for line in range(max(leak.line - 1, 1), leak.end_line + 1):
            text = self.lines(line, line)
            match = IGNORE.search(text)
            if match is None or (line < leak.line and not text.lstrip().startswith("#")):
                continue
            codes = [code.strip() for code in (match.group(1) or "").split(",") if code.strip()]
            if not codes or any(leak.code in (code, f"leak.{code}") for code in codes):
                return True
        return False


def in_cells(report: Report, notebook: Notebook) -> Report:
    """Lines of the joined program told as cell and line."""

    def moved(leak: Leak) -> Leak:
        cell, line = notebook.place(leak.line)
        path = []
        for step in leak.path:
            step_cell, step_line = notebook.place(step.line)
            what = notebook.worded(step.what)
            path.append(
                step.model_copy(update={"line": step_line, "what": what, "cell": step_cell})
            )
        return leak.model_copy(
            update={
                "cell": cell,
                "line": line,
                "end_line": line + leak.end_line - leak.line,
                "path": tuple(path),
                "message": notebook.worded(leak.message),
                "rows": notebook.worded(leak.rows),
            }
        )

    return report.model_copy(
        update={
            "findings": tuple(moved(leak) for leak in report.findings),
            "ignored": tuple(moved(leak) for leak in report.ignored),
        }
    )
