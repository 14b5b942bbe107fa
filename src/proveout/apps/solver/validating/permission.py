"""Step 6 for reads: allowed outright, allowed for some rows, or not at all."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from proveout.apps.solver.decision import ProofBundle
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.sandbox.engine import Rows
from proveout.apps.solver.validating.access import SCOPES, Access, Limits
from proveout.apps.solver.validating.execution import Evidence
from proveout.apps.solver.validating.facts import Facts, FactSet
from proveout.apps.solver.validating.ports import Rules
from proveout.apps.solver.words import ReadOperation

_ID_COLUMNS = {
    "people": ("employee_id",),
    "projects": ("project_id",),
    "customers": ("customer_id",),
}


@dataclass(frozen=True)
class Grant:
    """A permission to read; with `scope`, only rows of these people, projects or customers."""

    bundle: ProofBundle
    scope: Mapping[str, frozenset[str]]
    by: str = ""
    """The kind of thing that the permission hangs on; `own` for the requester's own."""

    @property
    def allowed(self) -> bool:
        return self.bundle.result == "allow"

    def covers(self, relation: Rows, type_: str) -> bool:
        """Whether every row of a tool's result lies within the scope."""
        checked = False
        for kind, ids in self.scope.items():
            names = (*_ID_COLUMNS[kind], *(("id",) if type_ == kind else ()))
            for name in names:
                if name in relation.columns:
                    checked = True
                    place = relation.columns.index(name)
                    if any(row[place] not in ids for row in relation.rows):
                        return False
        return checked or not relation.rows


def grants(
    operation: ReadOperation, who: Identity, rules: Rules, facts: Facts, evidence: Evidence
) -> Iterator[Grant]:
    """By the rules alone where they suffice, else by what the task is about; a denial comes last.

    Several relations can permit the same: the narrower one need not cover what is read.
    """
    outright = rules.rule(operation, who, {"is_self": operation.startswith("self.")})
    if outright.result == "allow":
        yield Grant(outright, {})
        return
    subjects: dict[str, frozenset[str]] = {
        "projects": evidence.ids("projects"),
        "customers": evidence.ids("customers"),
        "people": evidence.ids("people") or frozenset({who.current_user} - {""}),
    }
    known: FactSet = {}
    for kind, ids in subjects.items():
        if ids:
            about = _about(kind, ids, facts)
            known = {**about, **known}
            bundle = rules.rule(operation, who, about)
            if bundle.result == "allow":
                own = kind == "people" and ids == {who.current_user}
                yield Grant(bundle, _reach(kind, ids, facts), "own" if own else kind)
    denial = rules.rule(operation, who, {})
    yield Grant(denial.model_copy(update={"predicates": {**known, **denial.predicates}}), {})


def limits(access: Access, operation: ReadOperation, given: Grant) -> Limits | None:
    """Conditions on the relations that an operation reads; None if one cannot be cut down."""
    found: Limits = {}
    for relation in access.reads[operation]:
        if not given.scope or relation not in access.relations:
            continue
        columns = ((kind, SCOPES[kind].get(relation)) for kind in given.scope)
        conditions = tuple((column, given.scope[kind]) for kind, column in columns if column)
        if not conditions:
            return None
        found[relation] = conditions
    return found


def _reach(kind: str, ids: frozenset[str], facts: Facts) -> dict[str, frozenset[str]]:
    """A right over projects is one over their customers and the people in their teams."""
    if kind != "projects":
        return {kind: ids}
    projects = facts.projects(ids)
    return {
        "projects": ids,
        "customers": frozenset(project.customer for project in projects),
        "people": frozenset(seat.employee for project in projects for seat in project.team),
    }


def _about(kind: str, ids: frozenset[str], facts: Facts) -> FactSet:
    if kind == "people":
        return facts.every_person(ids)
    return facts.every_project(ids) if kind == "projects" else facts.every_customer(ids)
