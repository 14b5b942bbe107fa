"""What proposers offer."""

from pydantic import Field

from proveout.kernel.types import Frozen


class Word(Frozen):
    """A word that the expression should accept."""

    word: str = Field(max_length=200)
    reason: str = Field(default="", max_length=500)
    """Why it should fit; shown to people, never judged."""
