"""Which operations a plan performs: told before anything is looked up."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp

from proveout.apps.solver.catalogue import CATALOGUE
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.sandbox.admit import relations_of
from proveout.apps.solver.tooling.spec import ToolSpec
from proveout.apps.solver.words import READS, WRITES, Operation, ReadOperation

PUBLIC_TOOLS = frozenset({"who_am_i", "resolve_site", "resolve_dates"})
"""All that a guest's plan may call: nothing that asks the API for data of the company."""

SCOPES: Mapping[str, Mapping[str, str]] = {
    "people": {
        "employees": "id",
        "employee_salaries": "employee_id",
        "employee_notes": "employee_id",
        "skills": "employee_id",
        "workload": "employee_id",
        "time_entries": "employee_id",
    },
    "projects": {
        "projects": "id",
        "project_team": "project_id",
        "time_entries": "project_id",
    },
    "customers": {
        "customers": "id",
        "customer_contacts": "customer_id",
        "projects": "customer_id",
    },
}
"""By which column a relation is cut down to some people, projects or customers."""


Limits = dict[str, tuple[tuple[str, frozenset[str]], ...]]
"""Relations with the columns and ids that their rows are cut down to."""


@dataclass(frozen=True)
class Access:
    """Operations in the order of their first use, with the steps that perform them."""

    reads: Mapping[ReadOperation, tuple[str, ...]] = field(default_factory=dict)
    writes: tuple[Operation, ...] = ()
    relations: frozenset[str] = frozenset()
    """Of the catalogue."""
    private_tools: tuple[str, ...] = ()
    """Tools that ask for data of the company, whatever their rows tell."""

    @property
    def operations(self) -> tuple[Operation, ...]:
        return (*self.reads, *self.writes)


def performed(plan: Plan, specs: Mapping[str, ToolSpec]) -> Access:
    """All that the plan would read and write, the operation that it names itself included."""
    reads: dict[ReadOperation, list[str]] = {}
    for call in plan.tool_calls:
        for operation in specs[call.name].discloses:
            reads.setdefault(operation, []).append(call.bind)
    relations = {name for step in plan.sql for name in relations_of(step.statement)}
    known = frozenset(relations & CATALOGUE.keys())
    for name in sorted(known):
        disclosed = CATALOGUE[name].operation
        if disclosed is not None:
            reads.setdefault(disclosed, []).append(name)
    writes: dict[Operation, None] = dict.fromkeys(intent.intent for intent in plan.writes)
    named = plan.response_template.operation
    for read in READS:
        if read == named:
            reads.setdefault(read, [])
    for write in WRITES:
        if write == named:
            writes.setdefault(write)
    private = tuple(call.name for call in plan.tool_calls if call.name not in PUBLIC_TOOLS)
    return Access({name: tuple(by) for name, by in reads.items()}, tuple(writes), known, private)


def limited(statement: str, limits: Limits) -> str:
    """The statement over relations cut down to some ids, bound by us and not by the plan."""
    if not limits:
        return statement
    tree = sqlglot.parse_one(statement, dialect="sqlite")
    for table in list(tree.find_all(exp.Table)):
        if table.name not in limits:
            continue
        inner = exp.select(*CATALOGUE[table.name].columns).from_(exp.to_table(table.name))
        for column, ids in limits[table.name]:
            wanted: list[exp.Expr] = [exp.Literal.string(value) for value in sorted(ids)]
            inner = inner.where(exp.column(column).isin(*(wanted or [exp.Null()])))
        table.replace(inner.subquery(table.alias or table.name))
    return tree.sql(dialect="sqlite")
