"""What is wanted: an answer about the quality of one image."""

from pydantic import Field

from proveout.kernel.types import Task

DEFAULT_QUERY = "How good is the technical quality of this image?"


class IqaTask(Task):
    """A question about an image, with or without a pristine reference."""

    image: str = Field(
        min_length=1, description="the image file", json_schema_extra={"positional": True}
    )
    query: str = Field(
        default=DEFAULT_QUERY, min_length=1, max_length=20_000, description="the question"
    )
    choices: tuple[str, ...] = Field(
        default=(), max_length=26, description="answer options, letters included: 'A. blur'"
    )
    reference: str | None = Field(default=None, description="the same picture without distortion")
    max_replan_iterations: int = Field(
        default=2, ge=0, le=5, description="how often a plan may be made anew"
    )

    @property
    def question(self) -> str:
        """The query with its options, as the agents read it."""
        return "\n".join((self.query, *self.choices))
