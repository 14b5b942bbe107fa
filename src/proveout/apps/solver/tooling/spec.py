"""What a tool is to a plan: a name, arguments, and a relation as the result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from proveout.apps.solver.words import ReadOperation
from proveout.kernel.canonical import value_id
from proveout.kernel.errors import UsageError
from proveout.kernel.types import Frozen

Row = tuple[JsonValue, ...]
Status = Literal["found", "ambiguous", "missing"]

MOST_IDS = 20


@dataclass(frozen=True)
class ToolSpec:
    name: str
    args: type[Frozen]
    result: str
    """Type of what it gives; a plan has to expect exactly this."""
    columns: tuple[str, ...]
    says: str
    discloses: tuple[ReadOperation, ...] = ()
    """What its rows tell. Loading into the snapshot tells nothing: reading the relation does."""


@dataclass(frozen=True)
class ToolResult:
    """Rows of a tool call.

    `missing` and `ambiguous` come only from tools that resolve a phrase to a thing: nothing, or
    several things that cannot be told apart (all of them are in `rows`). For every other tool no
    rows is an answer, and the status is `found`.
    """

    type: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    status: Status = "found"
    ids: tuple[str, ...] = ()
    """Values of the first column, each once, at most twenty."""
    digest: str = ""
    """Of type, columns, rows and status."""
    api_calls: int = 0


class ToolRefused(UsageError):
    """The call cannot be made: no such tool, or arguments of the wrong shape."""

    code = "solver.tool"


def result(
    spec: ToolSpec, rows: Sequence[Sequence[JsonValue]], *, status: Status = "found"
) -> ToolResult:
    """The result of a tool, hashed; `api_calls` is filled in by whoever counts them."""
    held = tuple(tuple(row) for row in rows)
    return ToolResult(
        type=spec.result,
        columns=spec.columns,
        rows=held,
        status=status,
        ids=tuple(dict.fromkeys(str(row[0]) for row in held if row))[:MOST_IDS],
        digest=value_id([spec.result, list(spec.columns), [list(row) for row in held], status]),
    )
