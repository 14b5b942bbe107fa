"""What every tool works with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import JsonValue

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.resolve.resolution import Names, Resolution
from proveout.apps.solver.snapshot import Snapshot, Terms
from proveout.apps.solver.tooling.spec import Row, Status, ToolSpec
from proveout.kernel.types import Frozen

AskedFor = TypeVar("AskedFor", bound=Frozen)
Given = tuple[Sequence[Row], Status]


class Finder(Protocol):
    """Resolves phrases against the names of one company (`resolve.gazetteer.Gazetteer`)."""

    def person(self, text: str, within: frozenset[str] | None = None) -> Resolution: ...
    def project(self, text: str) -> Resolution: ...
    def customer(self, text: str) -> Resolution: ...
    def contact(self, text: str) -> Resolution: ...
    def department(self, text: str) -> Resolution: ...
    def location(self, text: str) -> Resolution: ...
    def skill(self, text: str, kind: Literal["skill", "will", ""] = "") -> Resolution: ...
    def page(self, text: str) -> Resolution: ...


@dataclass
class Surroundings:
    client: CompanyClient
    snapshot: Snapshot
    make_finder: Callable[[Names], Finder]
    policy: Terms
    identity: Identity
    _finder: tuple[int, Finder] | None = field(default=None, init=False)

    def finder(self) -> Finder:
        """Over the names as they are now; made anew only when they may have changed."""
        if self._finder is None or self._finder[0] != self.snapshot.version:
            names = self.snapshot.names()
            self._finder = self.snapshot.version, self.make_finder(names)
        return self._finder[1]

    def rows(self, sql: str, *values: str | int) -> list[Row]:
        return [tuple(row) for row in self.snapshot.rows(sql, values)]


@dataclass(frozen=True)
class Tool(Generic[AskedFor]):
    spec: ToolSpec
    run: Callable[[Surroundings, AskedFor], Given]


def found(rows: Sequence[Sequence[JsonValue]]) -> Given:
    """Rows of a tool for which no rows is an answer too."""
    return [tuple(row) for row in rows], "found"


def ranked(resolution: Resolution) -> Given:
    """Candidates as rows: id, name, score."""
    rows: list[Row] = [(it.id, it.name, it.score) for it in resolution.candidates]
    return rows, resolution.status
