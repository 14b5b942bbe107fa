"""What is wanted: a word for an expression, within bounds."""

import re
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from proveout.kernel.types import Task

REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)


class PatternTask(Task):
    """Find a word that the expression accepts."""

    expression: str = Field(min_length=1, max_length=200, description="regular expression (Python)")
    shortest: int = Field(default=1, ge=0, le=60, description="fewest letters")
    longest: int = Field(default=40, ge=1, le=60, description="most letters")
    variety: int = Field(default=1, ge=0, le=30, description="different letters wanted")

    @field_validator("expression")
    @classmethod
    def _compiles(cls, expression: str) -> str:
        try:
            tree = _parser.parse(expression)
        except (re.error, OverflowError, RecursionError) as error:
            message = f"not a regular expression: {error}"
            raise ValueError(message) from error
        if _repeats_a_repeat(tree):
            # Such expressions can take longer than the universe has left.
            message = "a repetition inside a repetition is not supported"
            raise ValueError(message)
        return expression

    @model_validator(mode="after")
    def _bounds_fit(self) -> Self:
        if self.shortest > self.longest:
            message = "shortest must not exceed longest"
            raise ValueError(message)
        return self


def demo(folder: Path) -> dict[str, Any]:
    """The task of the demonstration; it needs no files."""
    del folder
    return {"expression": "[a-f]+-[0-9]{2,}(x|yz)", "shortest": 12, "variety": 7}


def _repeats_a_repeat(tree: Any, *, inside: bool = False) -> bool:
    """Whether an open-ended repetition stands inside another."""
    if isinstance(tree, (list, tuple, _parser.SubPattern)):
        items = list(tree)
        if len(items) == 2 and items[0] in REPEATS:
            _, most, body = items[1]
            if inside and most > 1:
                return True
            return _repeats_a_repeat(body, inside=inside or most > 1)
        return any(_repeats_a_repeat(item, inside=inside) for item in items)
    return False
