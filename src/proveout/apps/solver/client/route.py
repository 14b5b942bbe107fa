"""A route as a value: its path, what it is asked with, what it gives, and whether it changes."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pydantic import Field, JsonValue

from proveout.apps.solver.entities import Entity, Payload
from proveout.kernel.types import Frozen

FIRST_ASK = 1_000
"""Rows asked for before the API has told how many it gives at once."""


class Request(Frozen):
    """What a route is asked with. Strict: a wrong field is our mistake, not the API's."""

    def body(self) -> dict[str, JsonValue]:
        """As sent: what was not given is left out."""
        return self.model_dump(mode="json", exclude_none=True)


class Nothing(Request):
    """Asked without words."""


class Paged(Request):
    """A limit of zero would give no rows and no end, so it cannot be asked for."""

    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=FIRST_ASK, ge=1)


Ask = TypeVar("Ask", bound=Request)
Reply = TypeVar("Reply", bound=Payload)


@dataclass(frozen=True)
class Route(Generic[Ask, Reply]):
    name: str
    """The method that calls it, as known from the service's own client."""
    path: str
    asks: type[Ask]
    gives: type[Reply]
    kind: Literal["read", "write"] = "read"
    entity: Entity | None = None
    """What it is about."""
    says: str = ""
    again: bool = False
    """A write that changes nothing when sent twice."""

    @property
    def repeatable(self) -> bool:
        return self.kind == "read" or self.again
