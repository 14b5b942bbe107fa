"""What the server and its workers tell each other: small values over a pipe."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from proveout.kernel.errors import ProveoutError, UsageError
from proveout.settings import Loaded

Kind = Literal["start", "resume", "replay", "call"]


@dataclass(frozen=True)
class Order:
    """One piece of work for a worker."""

    kind: Kind
    run: str
    """The run it is about; for a call, any name."""
    loaded: Loaded = field(repr=False)
    """Settings of this piece of work: model and budget as wished."""
    app: str = ""
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    seed: int = 0
    function: str = ""
    """For a call: `package.module:name`, given the fields as keyword arguments."""
    before: str = ""
    """`package.module:name` of what is asked to raise before a run begins; given the task."""
    limit_seconds: float = 3600.0
    """Then the worker is ended."""


@dataclass(frozen=True)
class Stop:
    """End the run at its next attempt."""

    run: str


@dataclass(frozen=True)
class Ready:
    """The worker has imported what it needs."""


@dataclass(frozen=True)
class Begun:
    """The run is in the journal."""

    run: str


@dataclass(frozen=True)
class Done:
    """The order was carried out; a run gives its id, a replay what it found."""

    run: str
    value: object


@dataclass(frozen=True)
class Failed:
    """Nobody could judge, or a person asked to stop."""

    run: str
    code: str
    message: str
    hint: str = ""
    exit_code: int = 3

    @classmethod
    def by(cls, run: str, error: ProveoutError) -> "Failed":
        return cls(run, error.code, error.message, error.hint, error.exit_code)

    def error(self) -> ProveoutError:
        """As the server raises it: what it was, as far as the one who asked must act on it."""
        kind = UsageError if self.exit_code == UsageError.exit_code else ProveoutError
        return kind(self.message, hint=self.hint, code=self.code)


Message = Ready | Begun | Done | Failed
