"""What is wanted: one business task, solved over the API that it belongs to."""

import re
from typing import Literal

from pydantic import Field, field_validator

from proveout.kernel.types import Task

LONGEST_TEXT = 1_000_000
WITH_USER = re.compile(r"[a-z]+://[^/?#]*@", re.IGNORECASE)
"""An address that says who asks, mostly with a password."""


class SolverTask(Task):
    """A request of some employee or visitor, in their own words."""

    text: str = Field(
        min_length=1,
        max_length=LONGEST_TEXT,
        description="the request, in the words of whoever makes it",
        json_schema_extra={"positional": True},
    )
    task_url: str = Field(
        min_length=1,
        max_length=2_000,
        pattern=r"^https?://",
        description="the task's own API: http://host/api_root/task_id",
    )
    service_url: str = Field(
        default="",
        max_length=2_000,
        description="the service that grades the task; empty where nobody does",
    )
    profile: Literal["wiki", "erc3-prod"] = Field(
        default="wiki", description="how the rules are read where pages are silent or disagree"
    )
    ask_for_rules: bool = Field(
        default=False, description="let the model state rules that no matcher could read"
    )
    rehearse: bool = Field(
        default=False, description="prove and word everything, but change and send nothing"
    )
    exchanges_to: str = Field(
        default="",
        max_length=2_000,
        description="a folder that gets everything the API said, to solve the task again later",
        json_schema_extra={"path": "output"},
    )
    exchanges_from: str = Field(
        default="",
        max_length=2_000,
        description="such a folder, to answer from instead of the API; nothing is sent then",
        json_schema_extra={"path": "folder"},
    )

    @field_validator("task_url", "service_url")
    @classmethod
    def _without_password(cls, address: str) -> str:
        """A task is written down and shown: what opens a door has no place in it."""
        if WITH_USER.match(address):
            message = "the address holds a user's name or password, and addresses are written down"
            raise ValueError(message)
        return address

    @property
    def sends(self) -> bool:
        """Whether changes and the reply go out."""
        return not self.rehearse and not self.exchanges_from
