"""What cannot be told from a folder, as a question that one line of `task.toml` answers."""

from collections.abc import Iterable, Sequence

from proveout.kernel.errors import UsageError

TASK_FILE = "task.toml"
MOST_NAMED = 3
"""Columns of which the same is told."""


class IntakeError(UsageError):
    """The folder cannot be used as it is; says what to do about it."""

    code = "mle.intake"


def unusable(message: str, what: str, hint: str) -> IntakeError:
    """A defect of the files themselves."""
    return IntakeError(message, hint=hint, code=f"mle.intake.{what}")


def question(message: str, what: str, line: str) -> IntakeError:
    """Something only the owner knows; `line` is the answer as it would stand in `task.toml`."""
    return IntakeError(
        message, hint=f"answer it in {TASK_FILE}: {line}", code=f"mle.intake.ask_{what}"
    )


def listed(names: Iterable[object]) -> str:
    """Names in a sentence, the first few of many."""
    shown = [str(name) for name in names]
    return ", ".join(shown[:12]) + (", …" if len(shown) > 12 else "")


def columns_are(columns: Sequence[str]) -> str:
    """`column 'a' is`, or `57 columns ('a', 'b', 'c' and 54 more) are`."""
    if len(columns) == 1:
        return f"column {columns[0]!r} is"
    more = len(columns) - MOST_NAMED
    told = ", ".join(map(repr, columns[:MOST_NAMED])) + (f" and {more} more" if more > 0 else "")
    return f"{len(columns)} columns ({told}) are"
