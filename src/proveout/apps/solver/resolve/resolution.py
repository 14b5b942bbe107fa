"""What resolving a phrase gives, and the names it is resolved against."""

from dataclasses import dataclass, field
from typing import Literal

from proveout.kernel.types import Frozen


class Candidate(Frozen):
    id: str
    name: str
    score: float
    """1 is certain."""


class Resolution(Frozen):
    """`found` has one candidate, `ambiguous` several that evidence cannot tell apart."""

    status: Literal["found", "ambiguous", "missing"]
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class PersonName:
    id: str
    name: str
    department: str = ""
    location: str = ""


@dataclass(frozen=True)
class ProjectName:
    id: str
    name: str
    description: str = ""
    customer: str = ""
    """The customer's stored name, empty for internal projects."""
    status: str = ""


@dataclass(frozen=True)
class CustomerName:
    id: str
    name: str
    location: str = ""
    brief: str = ""
    contact: str = ""
    """Name of the primary contact."""


@dataclass(frozen=True)
class Names:
    """Everything of a company that a task can mention, as plain rows."""

    people: tuple[PersonName, ...] = ()
    projects: tuple[ProjectName, ...] = ()
    customers: tuple[CustomerName, ...] = ()
    departments: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    """As the registry spells them."""
    skills: tuple[str, ...] = ()
    """Ids of skills."""
    wills: tuple[str, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)
    """Readable names of skills and wills by id, where the wiki gives them."""
    pages: tuple[str, ...] = ()
    """Paths of wiki pages."""
