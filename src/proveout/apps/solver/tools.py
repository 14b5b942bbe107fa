"""The facade that plans call: deterministic, typed, composed; every call counted and hashed.

A tool never decides who may see something: it says what its rows disclose, and the validator asks
the policy. `ApiError` means that the API could not be used, `ToolRefused` that the call is wrong.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue, ValidationError

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.resolve.resolution import Names
from proveout.apps.solver.snapshot import Snapshot, Terms
from proveout.apps.solver.tooling.composed import COMPOSED
from proveout.apps.solver.tooling.loading import LOADING
from proveout.apps.solver.tooling.raw import RAW
from proveout.apps.solver.tooling.resolving import RESOLVING
from proveout.apps.solver.tooling.spec import ToolRefused, ToolResult, ToolSpec, result
from proveout.apps.solver.tooling.surroundings import Finder, Surroundings, Tool
from proveout.apps.solver.words import LinkKind
from proveout.kernel.errors import UnknownName

__all__ = ["TOOLS", "ToolRefused", "ToolResult", "ToolSpec", "Toolbox"]

# Each tool takes its own arguments; they are checked against its spec before it runs.
_TOOLS: Mapping[str, Tool[Any]] = {
    tool.spec.name: tool for tool in (*RESOLVING, *LOADING, *COMPOSED, *RAW)
}
TOOLS: Mapping[str, ToolSpec] = {name: tool.spec for name, tool in _TOOLS.items()}

_KNOWN: Mapping[LinkKind, str] = {
    "employee": "SELECT id FROM employees UNION SELECT id FROM me",
    "customer": "SELECT id FROM customers",
    "project": "SELECT id FROM projects",
    "wiki": "SELECT path FROM wiki_pages",
    "location": "SELECT location FROM employees UNION SELECT name FROM sites",
}


class Toolbox:
    """The tools over one task's company."""

    def __init__(
        self,
        client: CompanyClient,
        snapshot: Snapshot,
        gazetteer: Callable[[Names], Finder],
        policy: Terms,
        identity: Identity,
    ) -> None:
        self._at = Surroundings(client, snapshot, gazetteer, policy, identity)

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        return TOOLS

    @property
    def snapshot(self) -> Snapshot:
        return self._at.snapshot

    def call(self, name: str, args: Mapping[str, JsonValue]) -> ToolResult:
        """Checks the arguments, runs the tool, and says how many calls of the API it took."""
        tool = _TOOLS.get(name)
        if tool is None:
            noun = "tool"
            raise UnknownName(name, noun=noun, known=TOOLS)
        try:
            ask = tool.spec.args.model_validate(dict(args))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            message = f"{name} cannot be called like this: {where}: {first['msg']}"
            raise ToolRefused(message, code="solver.tool.args") from None
        before = self._at.client.trail.count
        rows, status = tool.run(self._at, ask)
        made = self._at.client.trail.count - before
        return replace(result(tool.spec, rows, status=status), api_calls=made)

    def known(self, kind: LinkKind) -> frozenset[str]:
        """Ids of this kind that the snapshot holds now: nothing else can be linked."""
        return frozenset(str(row[0]) for row in self._at.rows(_KNOWN[kind]) if row[0])
