"""Every error the product raises, sorted by who must act.

    ProveoutError            what happened, what to do, a stable code
    ├── UsageError           the caller must act: bad flag, bad setting, bad task
    │   └── UnknownName      a name that does not exist ("did you mean …?")
    ├── PrerequisiteError    the machine must act: missing extra, key, binary, weights
    ├── ModelError           the provider must act
    │   ├── ModelBusy        retryable: time-out, overload, rate limit, broken connection
    │   └── ModelRefused     not retryable: authentication, billing, unknown model
    ├── JournalError         the evidence is damaged, locked or from a newer version
    │   └── Diverged         a replay asked for a step that was never recorded
    ├── EngineError          the work could not be executed at all
    └── BudgetSpent          a bound was reached; the loop catches it and ends normally

`Interrupted` is control flow, not an error: a person asked the run to stop, and it can be resumed.
A rejected proposal is never an exception; an exception means that nobody could judge.
"""

import difflib
from collections.abc import Iterable


class ProveoutError(Exception):
    """Root of the tree; `hint` says what to do about it."""

    code = "error"
    exit_code = 3
    retryable = False

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(ProveoutError):
    code = "usage"
    exit_code = 2


class UnknownName(UsageError):
    """A name was given that is not in the list of known ones."""

    code = "usage.unknown_name"

    def __init__(self, name: str, *, noun: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=1)
        listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "") if names else "none"
        hint = f"did you mean {close[0]!r}?" if close else f"known: {listed}"
        super().__init__(f"unknown {noun} {name!r}", hint=hint)
        self.name = name


class PrerequisiteError(ProveoutError):
    code = "prerequisite"


class ModelError(ProveoutError):
    code = "model"


class ModelBusy(ModelError):
    """Worth another try, after `retry_after_seconds` where the provider named a time."""

    code = "model.busy"
    retryable = True

    def __init__(
        self, message: str, *, hint: str = "", retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_seconds = retry_after_seconds


class ModelRefused(ModelError):
    code = "model.refused"


class JournalError(ProveoutError):
    code = "journal"


class Diverged(JournalError):
    code = "journal.diverged"


class EngineError(ProveoutError):
    code = "engine"


class BudgetSpent(ProveoutError):
    """`kind` of bound, how much was `used` and what the `limit` was."""

    code = "budget.spent"
    exit_code = 1

    def __init__(self, kind: str, used: float, limit: float) -> None:
        # As it is written down, so that a replay says the same.
        super().__init__(f"budget spent: {kind} {round(used, 6):g} of {limit:g}")
        self.kind = kind
        self.used = used
        self.limit = limit

    def __reduce__(self) -> tuple[type["BudgetSpent"], tuple[str, float, float]]:
        return BudgetSpent, (self.kind, self.used, self.limit)


class Interrupted(Exception):  # noqa: N818 - control flow, not an error
    """A person asked the run to stop; everything up to the last verdict is kept."""
