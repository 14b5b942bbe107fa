"""What is wanted: the best submission for a folder of tables, within a time limit."""

from typing import Literal, Self

from pydantic import Field, model_validator

from proveout.kernel.types import Task

Mode = Literal["default", "paper"]
STEERING = ("card", "pin", "forbid")
"""What a person may say differently each time that a run goes on."""


class MleTask(Task):
    """A supervised task on tables, as a folder."""

    folder: str = Field(
        min_length=1,
        max_length=4_000,
        description="folder with a description and CSV or Parquet files",
        json_schema_extra={"positional": True, "path": "folder"},
    )
    out: str = Field(
        default="",
        max_length=4_000,
        description="folder for submission.csv, solution.py and what led to them",
        json_schema_extra={"path": "output"},
    )
    mode: Mode = Field(
        default="default",
        description="`paper` follows the published algorithms to the letter",
    )
    smoke: bool = Field(default=False, description="two small models, one refinement: a quick look")
    models: int = Field(default=8, ge=1, le=30, description="models to begin with (M)")
    outer_steps: int = Field(default=1_000, ge=0, le=10_000, description="blocks to refine (T)")
    inner_steps: int = Field(default=4, ge=1, le=30, description="attempts per block (K)")
    ensemble_rounds: int = Field(default=5, ge=0, le=50, description="ensembles to try (R)")
    card: str = Field(
        default="",
        max_length=20_000,
        description="a model of your own to begin with: a file with a script, or a model's name",
        json_schema_extra={"path": "name"},
    )
    pin: str = Field(
        default="", max_length=200, description="refine only blocks whose name holds this"
    )
    forbid: str = Field(
        default="", max_length=200, description="leave blocks alone whose name holds this"
    )

    @model_validator(mode="after")
    def _nobody_steers_the_paper(self) -> Self:
        given = [name for name in STEERING if getattr(self, name)]
        if self.mode == "paper" and given:
            message = f"`paper` mode follows the published algorithms and takes no {given[0]}"
            raise ValueError(message)
        if self.mode == "paper" and 0 in (self.outer_steps, self.ensemble_rounds):
            message = "`paper` mode refines at least one block and tries at least one ensemble"
            raise ValueError(message)
        return self
