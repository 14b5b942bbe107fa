"""Executing what a plan only states: tool calls with checked arguments, statements over results."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sqlglot
from pydantic import JsonValue, ValidationError
from sqlglot import exp

from proveout.apps.solver.client.errors import ApiError
from proveout.apps.solver.decision import ProofBundle, SqlEvidence, TraceEntry, WriteRecord
from proveout.apps.solver.plan import SqlStep, ToolCall
from proveout.apps.solver.sandbox.engine import Rows, SqlSandbox
from proveout.apps.solver.tooling.spec import ToolResult, ToolSpec
from proveout.apps.solver.validating.grounding import Ground
from proveout.apps.solver.validating.ports import Tools
from proveout.apps.solver.validating.references import strings, substitute
from proveout.apps.solver.validating.refusal import PlanRefused

MOST_EVIDENCE = 50
_FREE_NUMBERS = {"limit", "offset", "min_level", "max_level", "min_time_slice"}
_COLUMN = re.compile(r"[^\W\d]\w{0,39}")
_PIECES = re.compile(r"[%\s,;:/|()+-]*(?:\d+ days?)?")
"""Punctuation, wild cards and shifts of dates: strings of a statement that say nothing."""


@dataclass
class Evidence:
    """What has been done for a plan so far; grows while it is judged."""

    binds: dict[str, Rows] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    """Result types of tool binds."""
    trace: list[TraceEntry] = field(default_factory=list)
    sql: list[SqlEvidence] = field(default_factory=list)
    proofs: list[ProofBundle] = field(default_factory=list)
    writes: list[WriteRecord] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def ids(self, kind: str, column: str = "id") -> frozenset[str]:
        """Ids in all results of a type, such as `people`."""
        return frozenset(
            str(row[relation.columns.index(column)])
            for bind, relation in self.binds.items()
            if self.types.get(bind) == kind and column in relation.columns
            for row in relation.rows
        )


def ungrounded(args: JsonValue, ground: Ground) -> Iterator[str]:
    """Literals in arguments of a tool that nobody said. References pass: they are no literals."""
    for text in strings(args):
        if not text.startswith("$") and not ground.holds(text):
            yield text
    for name, number in _numbers(args):
        if name not in _FREE_NUMBERS and not ground.number(number):
            yield str(number)


def ungrounded_sql(statement: str, ground: Ground) -> Iterator[str]:
    """Strings in a statement that nobody said: values belong into results, not into SQL."""
    try:
        tree = sqlglot.parse_one(statement, dialect="sqlite")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return  # The sandbox says what is wrong with it.
    for literal in tree.find_all(exp.Literal):
        text = str(literal.this)
        if literal.is_string and not (
            _PIECES.fullmatch(text) or ground.holds(text.strip("%")) or ground.worded(text)
        ):
            yield text


def call_tool(
    call: ToolCall, spec: ToolSpec, tools: Tools, evidence: Evidence, where: str
) -> ToolResult:
    """One call with its references replaced; its rows are kept under its name."""
    args = substitute(dict(call.args), evidence.binds)
    assert isinstance(args, dict)
    try:
        spec.args.model_validate(args)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = f"{call.name}: {place}: {first['msg']}"
        raise PlanRefused(code="solver.plan.bad_args", message=message, where=where) from None
    try:
        result = tools.call(call.name, args)
    except ApiError as error:
        entry = TraceEntry(tool=call.name, args=args, bind=call.bind, ok=False, error=error.code)
        evidence.trace.append(entry)
        raise
    if result.type != call.expect:
        message = f"{call.name} gave {result.type!r} where {call.expect!r} was expected"
        raise PlanRefused(code="solver.plan.wrong_expect", message=message, where=where)
    evidence.binds[call.bind] = Rows(result.columns, tuple(result.rows))
    evidence.types[call.bind] = result.type
    evidence.trace.append(
        TraceEntry(
            tool=call.name,
            args=args,
            bind=call.bind,
            ok=result.status == "found",
            error="" if result.status == "found" else f"solver.resolve.{result.status}",
            rows=len(result.rows),
            ids=result.ids,
            digest=result.digest,
            api_calls=result.api_calls,
        )
    )
    return result


def run_sql(step: SqlStep, sandbox: SqlSandbox, evidence: Evidence) -> None:
    """One statement; its rows are kept under its name and as evidence."""
    result = sandbox.run(step)
    if not all(_COLUMN.fullmatch(name) for name in result.columns):
        message = "columns have short plain names: letters, figures and underscores"
        raise PlanRefused(code="solver.sql.shape", message=message, where=step.bind)
    evidence.binds[step.bind] = Rows(result.columns, result.rows)
    evidence.sql.append(
        SqlEvidence(
            bind=step.bind,
            statement=result.statement,
            columns=result.columns,
            rows=result.rows[:MOST_EVIDENCE],
            count=len(result.rows),
            digest=result.digest,
        )
    )


def load(sandbox: SqlSandbox, binds: Mapping[str, Rows]) -> None:
    for name, relation in binds.items():
        sandbox.load(name, relation)


def _numbers(value: JsonValue, name: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield name, value
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item, name)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, key)
