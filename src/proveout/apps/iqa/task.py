"""What is wanted: an answer about the quality of one image, or about two of them."""

import math
import re
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from proveout.apps.iqa.drawing import Drawn
from proveout.apps.iqa.language.options import joined
from proveout.kernel.types import Task

DEFAULT_QUERY = "How good is the technical quality of this image?"
DEFAULT_COMPARISON = "Which of the two pictures has the better technical quality?"
_REASON = "iqa_region"
"""Names our own complaints to pydantic, which then leaves their words alone."""
_PARTED = re.compile(r"\s*[,;\s]\s*")


def _four_numbers(value: Any) -> Any:
    """`x,y,w,h`, however it is given, as the one text that is recorded."""
    if value is None:
        return None
    parts = _PARTED.split(value.strip()) if isinstance(value, str) else value
    try:
        numbers = [float(part) for part in parts]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4 or not all(map(math.isfinite, numbers)):
        message = "a box is left, top, width and height in pixels, as in 40,60,200,100; not {given}"
        raise PydanticCustomError(_REASON, message, {"given": repr(value)})
    if min(numbers[2:]) <= 0:
        message = "a box has a width and a height above 0; {given} has not"
        raise PydanticCustomError(_REASON, message, {"given": repr(value)})
    return ",".join(f"{number:.10g}" for number in numbers)


class IqaTask(Task):
    """A question about an image, with or without a pristine reference."""

    image: str = Field(
        min_length=1,
        description="the image file",
        json_schema_extra={"positional": True, "path": "image"},
    )
    query: str = Field(
        default=DEFAULT_QUERY, min_length=1, max_length=20_000, description="the question"
    )
    choices: tuple[str, ...] = Field(
        default=(), max_length=26, description="answer options, letters included: 'A. blur'"
    )
    reference: str | None = Field(
        default=None,
        description="the same picture without distortion",
        json_schema_extra={"path": "image"},
    )
    compare: str | None = Field(
        default=None,
        description="a second picture; the question is about both",
        json_schema_extra={"path": "image"},
    )
    box: Annotated[str | None, BeforeValidator(_four_numbers)] = Field(
        default=None, description="the region asked about: left,top,width,height in pixels"
    )
    mask: str | None = Field(
        default=None,
        description="a picture of the same size, white where the region is",
        json_schema_extra={"path": "image"},
    )
    max_replan_iterations: int = Field(
        default=2, ge=0, le=5, description="how often a plan may be made anew"
    )

    @model_validator(mode="before")
    @classmethod
    def _asked_about_two(cls, given: Any) -> Any:
        """Two pictures and no question: which one is better."""
        if isinstance(given, dict) and given.get("compare") and not given.get("query"):
            return {**given, "query": DEFAULT_COMPARISON}
        return given

    @model_validator(mode="after")
    def _one_region(self) -> Self:
        if self.box and self.mask:
            message = "a region is given by a box or by a mask, not by both"
            raise PydanticCustomError(_REASON, message)
        return self

    @property
    def question(self) -> str:
        """The query with its options, as the agents read it."""
        return joined(self.query, self.choices)

    @property
    def drawn(self) -> Drawn | None:
        """The region that the user marked, if any."""
        if self.box:
            left, top, width, height = (float(part) for part in self.box.split(","))
            return Drawn(box=(left, top, left + width, top + height))
        return Drawn(mask=self.mask) if self.mask else None

    @property
    def pictures(self) -> dict[str, str]:
        """Every file that the answer depends on, by its part in the task."""
        named = {
            "image": self.image,
            "reference": self.reference,
            "compare": self.compare,
            "mask": self.mask,
        }
        return {name: path for name, path in named.items() if path}
