"""What happened in the program, as far as rules look at it: fits, evaluations, splits, choices."""

from dataclasses import dataclass, field

from proveout.apps.mle.leakage.rows import Rows
from proveout.apps.mle.leakage.values import Origin, Span, Value


@dataclass(slots=True)
class FitEvent:
    """A model saw rows."""

    span: Span
    name: str
    x: Value
    y: Value | None
    rows: Rows
    order: int
    stops_early_on: Rows = frozenset()


@dataclass(slots=True)
class Evaluation:
    """A model was asked about rows."""

    span: Span
    fits: tuple[int, ...]
    x: Value
    rows: Rows
    order: int
    crossed: bool = False
    """The library made the folds itself."""
    scored: bool = False
    shown: int = 0
    """Line at which the score was computed."""
    label: str = ""
    """How the program calls the rows."""


@dataclass(slots=True)
class SplitEvent:
    span: Span
    key: str
    data: Value
    shuffled: bool
    what: str
    ignored_groups: bool = False


@dataclass(slots=True)
class Choice:
    """The best of several was taken by score."""

    span: Span
    evaluations: frozenset[int]
    refitted: bool
    order: int


@dataclass(slots=True)
class Log:
    fits: list[FitEvent] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    splits: list[SplitEvent] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    order: int = 0
    exhausted: bool = False
    numeric: set[Origin] = field(default_factory=set)
    """Columns that the program compares with numbers."""

    def tick(self) -> int:
        self.order += 1
        return self.order
