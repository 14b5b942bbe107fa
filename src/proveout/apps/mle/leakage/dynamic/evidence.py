"""What running showed: dependences with their witnesses, and what was tried without result."""

from dataclasses import dataclass, field
from typing import Literal

Channel = Literal["features", "labels", "test rows", "same rows", "own rows", "check"]


@dataclass(frozen=True)
class Witness:
    """One thing that was seen to depend on rows that were held out."""

    channel: Channel
    code: str
    line: int
    """Where it was learnt, or where the model was trained if that could not be told."""
    told: str
    """One sentence with the numbers."""
    seen: frozenset[int] = frozenset()
    """Lines whose fit or statistic saw the changed rows."""
    fit_line: int = 0
    score_line: int = 0
    rows: str = ""
    sure: bool = True


@dataclass
class Outcome:
    """Everything about one program; `why` says what prevents a verdict."""

    witnesses: list[Witness] = field(default_factory=list)
    why: str = ""
    target: str = ""
    runs: int = 0
    seconds: float = 0.0
    fits: int = 0
    evaluations: int = 0
    held_out: int = 0
    saw: frozenset[int] = frozenset()
    """Lines that looked at held-out rows, and whose result no change of them was seen to move."""
    cancelled: bool = False
    """A step before a model noticed changed held-out rows, and the next one took it back."""
    tried: set[str] = field(default_factory=set)
    """Channels that were tried and could be read: silence on them means something."""
    notes: list[str] = field(default_factory=list)

    def undecided(self, why: str) -> "Outcome":
        self.why = why
        return self
