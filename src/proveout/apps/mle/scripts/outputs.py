"""What agents answer where an answer has a shape. Read tolerantly: a model's extras are ignored."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

YES = "Yes Data Leakage"
NO = "No Data Leakage"


class Output(BaseModel):
    """Frozen; unknown fields are left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def _listed(value: Any, name: str) -> Any:
    """The published prompts ask for a bare list; the schema has it under a name."""
    if isinstance(value, list):
        return {name: value}
    if isinstance(value, dict) and name not in value and "code_block" in value:
        return {name: [value]}
    return value


class RetrievedModel(Output):
    """A model worth trying, with code that shows how it is used."""

    model_name: str
    example_code: str


class RetrieverOutput(Output):
    models: list[RetrievedModel] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return _listed(value, "models")


class RefinePlan(Output):
    """A part of a script, letter by letter, and what to do with it."""

    code_block: str
    plan: str


class ExtractorOutput(Output):
    """Blocks worth refining, the most promising first."""

    plans: list[RefinePlan] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return _listed(value, "plans")


class LeakageAnswer(Output):
    """Whether a part of a script leaks."""

    leakage_status: Literal["Yes Data Leakage", "No Data Leakage"]
    code_block: str

    @property
    def leaks(self) -> bool:
        return self.leakage_status == YES


class LeakageDetectionOutput(Output):
    answers: list[LeakageAnswer] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return _listed(value, "answers")


class DataContaminationResult(Output):
    """Whether a script repeats a published one."""

    verdict: Literal["Novel", "Same"]
