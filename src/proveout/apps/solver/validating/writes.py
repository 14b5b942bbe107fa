"""The changes of a plan: classified, grounded, aimed, proved, and only then sent."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from proveout.apps.solver.client import requests as asked
from proveout.apps.solver.client.route import Request
from proveout.apps.solver.plan import Plan, WriteIntent
from proveout.apps.solver.sandbox.engine import Row
from proveout.apps.solver.validating import intents
from proveout.apps.solver.validating.endings import Empty, Unclear
from proveout.apps.solver.validating.execution import Evidence
from proveout.apps.solver.validating.grounding import CLOSED, Ground, folded
from proveout.apps.solver.validating.lineage import Lineage
from proveout.apps.solver.validating.message import glue
from proveout.apps.solver.validating.preparing import Prepared
from proveout.apps.solver.validating.references import (
    NoValue,
    UnknownColumn,
    parse,
    present,
    references,
    substitute,
)
from proveout.apps.solver.validating.refusal import PlanRefused
from proveout.apps.solver.words import WriteOperation
from proveout.kernel.canonical import value_id
from proveout.kernel.types import Frozen

MOST_CHANGES = 250
"""Requests that one task may cause."""
_VERBATIM = {"note", "notes", "content"}
"""Arguments that are stored as they are: only words of the task will do."""


@dataclass(frozen=True)
class Change:
    """One intent at one row, with where each of its arguments came from."""

    operation: WriteOperation
    change: intents.Change
    origins: dict[str, str]
    where: str


@dataclass(frozen=True)
class Order:
    """One request, made of one intent or of several about the same person."""

    parts: tuple[Prepared, ...]
    changes: tuple[Change, ...]
    request: Request
    key: str

    @property
    def intent(self) -> str:
        return " + ".join(dict.fromkeys(part.operation for part in self.parts))


def expanded(plan: Plan, evidence: Evidence, ground: Ground) -> tuple[Change, ...]:
    """Every change that the plan intends, with values in place of references."""
    changes: list[Change] = []
    lineage = Lineage(plan)
    for place, write in enumerate(plan.writes):
        where = f"writes[{place}]"
        grounded(write, ground, where)
        aimed(write, lineage, ground, where)
        for row in _rows(write, evidence):
            changes.append(_change(write, row, evidence, where))
            if len(changes) > MOST_CHANGES:
                message = f"more than {MOST_CHANGES} changes"
                raise PlanRefused(code="solver.write.bulk", message=message, where=where)
    return tuple(changes)


def grounded(write: WriteIntent, ground: Ground, where: str) -> None:
    """Literals must be the task's own; what will be stored must be so word for word."""
    for name, value in _leaves(dict(write.args)):
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int | float):
            known = ground.number(value)
        elif parse(value) is not None:
            continue
        elif name == "template":
            known = ground.worded(glue(value))
        elif name in _VERBATIM:
            known = ground.quoted(value)
        else:
            known = ground.holds(value)
        if not known:
            message = f"the value of {name!r} does not come from the task"
            raise PlanRefused(code="solver.plan.ungrounded", message=message, where=where)


def aimed(write: WriteIntent, lineage: Lineage, ground: Ground, where: str) -> None:
    """What is changed must follow from the task's words or from who asks, not from mere data."""
    if write.for_each and not lineage.aimed(write.for_each):
        message = f"{write.for_each!r} does not follow from anything that the task names"
        raise PlanRefused(code="solver.write.untargeted", message=message, where=where)
    target = write.args.get(intents.TARGETS[write.intent])
    for text in (target,) if isinstance(target, str) else ():
        reference = parse(text)
        if reference is not None and not lineage.aimed(reference.bind):
            message = f"{reference} does not follow from anything that the task names"
            raise PlanRefused(code="solver.write.untargeted", message=message, where=where)
        if reference is None and folded(text) in CLOSED and not ground.quoted(text):
            message = "the target of a write is named by the task or by a result"
            raise PlanRefused(code="solver.write.untargeted", message=message, where=where)


def ordered(
    changes: Sequence[Change],
    parts: Sequence[Prepared],
    requests: Sequence[Request],
    text: str,
) -> tuple[Order, ...]:
    """Requests in order; changes of the same person become one request."""
    orders: list[tuple[list[Prepared], list[Change], Request]] = []
    people: dict[str, int] = {}
    for change, part, request in zip(changes, parts, requests, strict=True):
        place = people.get(request.employee) if isinstance(request, asked.EmployeeUpdate) else None
        if place is not None and isinstance(request, asked.EmployeeUpdate):
            orders[place] = _joined(orders[place], change, part, request)
            continue
        if isinstance(request, asked.EmployeeUpdate):
            people[request.employee] = len(orders)
        orders.append(([part], [change], request))
    made = [
        Order(tuple(parts), tuple(of), request, _key(text, request))
        for parts, of, request in orders
    ]
    if len({order.key for order in made}) != len(made):
        message = "two changes of the plan are the same"
        raise PlanRefused(code="solver.write.duplicate", message=message, where="writes")
    return tuple(made)


def _joined(
    order: tuple[list[Prepared], list[Change], Request],
    change: Change,
    part: Prepared,
    request: asked.EmployeeUpdate,
) -> tuple[list[Prepared], list[Change], Request]:
    parts, changes, so_far = order
    body, more = so_far.body(), request.body()
    more.pop("employee")
    if body.keys() & more.keys() - {"changed_by"}:
        message = "two changes of the plan are about the same field of the same person"
        raise PlanRefused(code="solver.write.duplicate", message=message, where=change.where)
    joined = asked.EmployeeUpdate.model_validate({**body, **more})
    return [*parts, part], [*changes, change], joined


def _key(text: str, request: Request) -> str:
    return value_id([text, type(request).__name__, request.body()])


def _rows(write: WriteIntent, evidence: Evidence) -> Iterable[tuple[str, Row] | None]:
    if not write.for_each:
        return (None,)
    relation = evidence.binds[write.for_each]
    if not present(relation):
        return ()
    return tuple((write.for_each, row) for row in relation.rows)


def _change(
    write: WriteIntent, row: tuple[str, Row] | None, evidence: Evidence, where: str
) -> Change:
    try:
        given = substitute(dict(write.args), evidence.binds, row)
    except NoValue as problem:
        if problem.found == "none":
            raise Empty from None
        message = f"{problem.reference} is not unique"
        raise Unclear(message) from None
    except UnknownColumn as problem:
        raise PlanRefused(
            code="solver.plan.unknown_column", message=str(problem), where=where
        ) from None
    assert isinstance(given, dict)
    try:
        change = intents.INTENTS[write.intent].model_validate(_named(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = f"{write.intent}: {place}: {first['msg']}"
        raise PlanRefused(code="solver.write.bad_args", message=message, where=where) from None
    origins = {name: _origin(value, evidence) for name, value in write.args.items()}
    return Change(write.intent, change, origins, where)


def _named(given: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Rows of relations as the objects that they stand for; other columns are left out."""
    shapes: dict[str, type[Frozen]] = {
        "levels": intents.Level,
        "team": intents.Member,
        "change": intents.Member,
        "add": intents.Member,
    }
    named = dict(given)
    for name, shape in shapes.items():
        rows = named.get(name)
        if isinstance(rows, list):
            named[name] = [_object(row, set(shape.model_fields)) for row in rows]
    return named


def _object(row: JsonValue, fields: set[str]) -> JsonValue:
    if not isinstance(row, dict):
        return row
    renamed = {name: intents.ROW_NAMES.get(name, name) for name in row if name not in fields}
    found = {renamed[name]: value for name, value in row.items() if renamed.get(name) in fields}
    return {**found, **{name: value for name, value in row.items() if name in fields}}


def _origin(value: JsonValue, evidence: Evidence) -> str:
    found = list(references(value))
    if not found:
        return "task text"
    kinds = (evidence.types.get(ref.bind, "SQL") for ref in found)
    return ", ".join(f"{ref} ({kind})" for ref, kind in zip(found, kinds, strict=True))


def _leaves(
    value: JsonValue, name: str = ""
) -> Iterator[tuple[str, str | int | float | bool | None]]:
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item, name)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, key)
    else:
        yield name, value
