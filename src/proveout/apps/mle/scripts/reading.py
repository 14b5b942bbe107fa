"""What a script says, before and after it ran: its score, its errors, the ways it hides them."""

import ast
import math
import re

from proveout.apps.mle.problem import SCORE_PHRASE
from proveout.apps.mle.scripts.results import EvaluationResult, ExecutionRawResult
from proveout.apps.mle.scripts.solution import SCORE
from proveout.apps.mle.syntax import UNPARSABLE, outline, parsed

HEADER = "Traceback (most recent call last):"
MOST_MESSAGE_LINES = 40
SHOWN_OUTPUT = 2_000
SHOWN_SCORE = 40
ENDING_NAMES = frozenset({"exit", "quit"})
ENDING_ATTRIBUTES = frozenset({("sys", "exit"), ("os", "_exit"), ("os", "abort")})
EXITS = re.compile(r"(?<![\w.])(?:sys\.exit|os\._exit|os\.abort|exit|quit)\s*\(")


def parse_score(stdout: str) -> float | None:
    """The last score that was printed; None if there is none or it is not a finite number.

    A script that prints its score for every fold is therefore read by its last fold.
    """
    found = SCORE.findall(stdout)
    if not found:
        return None
    try:
        score = float(found[-1])
    except ValueError:
        return None
    return score if math.isfinite(score) else None


def printed_scores(stdout: str) -> list[str]:
    """What stands behind the phrase, each time, whether it can be read or not."""
    behind = (part.split(maxsplit=1) for part in stdout.split(SCORE_PHRASE)[1:])
    return [words[0][:SHOWN_SCORE] if words else "" for words in behind]


def extract_traceback(stderr: str) -> str | None:
    """The last traceback that is complete, with its message; None if there is none."""
    lines = stderr.splitlines()
    for start in reversed([n for n, line in enumerate(lines) if line.strip() == HEADER]):
        end = start + 1
        while end < len(lines) and (not lines[end].strip() or lines[end][:1] in " \t"):
            end += 1
        if end == len(lines):
            # Cut off before the exception was named.
            continue
        message = end + 1
        most = min(len(lines), end + MOST_MESSAGE_LINES)
        while message < most and lines[message].strip() and lines[message].strip() != HEADER:
            message += 1
        return "\n".join(lines[start:message])
    return None


def detect_error(raw: ExecutionRawResult) -> bool:
    return raw.exit_code != 0 or raw.timed_out or HEADER in raw.stderr


def build_evaluation_result(raw: ExecutionRawResult) -> EvaluationResult:
    """A score is read even where there was an error: whoever compares decides what it is worth."""
    return EvaluationResult(
        score=parse_score(raw.stdout),
        stdout=raw.stdout,
        stderr=raw.stderr,
        exit_code=raw.exit_code,
        duration_seconds=raw.duration_seconds,
        is_error=detect_error(raw),
        error_traceback=extract_traceback(raw.stderr),
    )


def complaint(result: EvaluationResult) -> str:
    """What a debugger is told: the traceback, or what stands in for one."""
    if result.error_traceback:
        return result.error_traceback
    if result.exit_code == -1:
        said = (result.stdout + result.stderr).strip()[-SHOWN_OUTPUT:]
        told = f"timed out or ended from outside after {result.duration_seconds:.0f} s"
        return f"{told}; last output:\n{said}" if said else f"{told}; it had printed nothing"
    said = result.stderr.strip()[-SHOWN_OUTPUT:]
    return said or f"the script ended with exit code {result.exit_code} and said nothing"


def ending_calls(content: str) -> list[str]:
    """Calls that would end the interpreter before the script has said its score.

    Comments, strings and methods of that name do not count, as long as the script can be parsed.
    """
    try:
        tree = parsed(content)
    except UNPARSABLE:
        return [found.group() + ")" for found in EXITS.finditer(content)]
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return [f"{ast.unparse(it)}()" for it in called if _ends(it, own)]


def _ends(called: ast.expr, own: set[str]) -> bool:
    if isinstance(called, ast.Name):
        return called.id in ENDING_NAMES - own
    return (
        isinstance(called, ast.Attribute)
        and isinstance(called.value, ast.Name)
        and (called.value.id, called.attr) in ENDING_ATTRIBUTES
    )


def detect_error_masking(content: str) -> list[str]:
    """Places where an exception is swallowed, for advice; empty if the script cannot be parsed."""
    try:
        tree = parsed(content)
    except UNPARSABLE:
        return []
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = "" if node.type is None else ast.unparse(node.type)
        silent = all(isinstance(it, ast.Pass | ast.Continue) for it in node.body)
        if not caught:
            found.append(f"line {node.lineno}: bare except")
        elif caught in ("Exception", "BaseException") and silent:
            found.append(f"line {node.lineno}: except {caught} without a reaction")
    return found


def is_python(source: str) -> bool:
    """A program rather than a sentence: it parses and does something."""
    return outline(source).acts
