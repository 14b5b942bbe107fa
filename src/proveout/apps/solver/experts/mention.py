"""What a stretch of a task text may stand for."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "person", "contact", "project", "customer", "department", "location", "skill", "will",
    "page", "entry", "date", "number", "quote", "code",
]  # fmt: skip


@dataclass(frozen=True)
class Mention:
    """Words of the text with what they may stand for."""

    kind: Kind
    text: str
    start: int
    end: int
    ids: tuple[str, ...] = ()
    """Candidates; none if the words have the form of the kind and nothing fits."""
    score: float = 1.0

    @property
    def certain(self) -> bool:
        return len(self.ids) == 1
