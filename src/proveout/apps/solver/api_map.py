"""The API's composition map: which route gives what, which fields are authoritative, what chains.

Nothing here is written by hand. Routes come from the client's table, fields from the models, and
chains from following the ids that models and requests hold (`Ref`). The same code gives the same
bytes.
"""

import types
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from proveout.apps.solver.catalogue import RELATIONS
from proveout.apps.solver.client.route import Paged, Request, Route
from proveout.apps.solver.client.routes import ROUTES
from proveout.apps.solver.entities import Entity, Page, Payload, Ref
from proveout.apps.solver.snapshot.snapshot import PARTS

ENTITIES: tuple[Entity, ...] = get_args(Entity)
AnyRoute = Route[Request, Payload]


@dataclass(frozen=True)
class Step:
    """From one entity to another: a field that holds the id, and the route that takes it."""

    source: Entity
    target: Entity
    route: str
    field: str
    """Of the source entity, or, with `filters`, its own id."""
    parameter: str
    filters: bool
    """The route lists what belongs to the source, instead of reading what the source names."""


def api_map() -> dict[str, JsonValue]:
    """The whole map, ready to be written as JSON."""
    return {
        "version": "1",
        "routes": [_route(route) for route in ROUTES],
        "entities": {entity: _entity(entity) for entity in ENTITIES},
        "relations": {
            relation.name: {
                "columns": list(relation.columns),
                "discloses": relation.operation,
                "acquired_as": list(PARTS[relation.name]),
            }
            for relation in RELATIONS
        },
        "chains": [
            {
                "from": chain[0].source,
                "to": chain[-1].target,
                "steps": [_shown(step) for step in chain],
            }
            for chain in chains()
        ],
    }


def chains() -> Iterator[tuple[Step, ...]]:
    """Every way of one or two steps, such as project, its customer, the customer's manager."""
    yield from ((step,) for step in STEPS)
    for first in STEPS:
        for second in STEPS:
            if first.target == second.source and _leads_on(first, second):
                yield first, second


def _leads_on(first: Step, second: Step) -> bool:
    """Whether it ends elsewhere than it began: a person's hours belong to that person again.

    A field inside a list (`team.employee`) leads to others too: to colleagues.
    """
    if first.source != second.target or not first.filters or "." in second.field:
        return True
    return first.parameter.removesuffix("_id").removesuffix("s") != second.field


def chain_between(source: Entity, target: Entity) -> tuple[Step, ...]:
    """The shortest way from one entity to another; empty if there is none."""
    ways: dict[Entity, tuple[Step, ...]] = {source: ()}
    waiting = deque([source])
    while waiting:
        here = waiting.popleft()
        for step in STEPS:
            if step.source == here and step.target not in ways:
                ways[step.target] = (*ways[here], step)
                waiting.append(step.target)
    return ways.get(target, ())


def record_of(model: type[BaseModel]) -> type[BaseModel]:
    """The entity inside an answer: the rows of a page, the thing of a `get`, or the answer."""
    for info in model.model_fields.values():
        for inner in _models(info.annotation):
            return inner
    return model


def references(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, Entity]]:
    """Dotted paths of the fields that hold an id, and of what."""
    for name, info in model.model_fields.items():
        for mark in (*info.metadata, *_marks(info.annotation)):
            if isinstance(mark, Ref):
                yield prefix + name, mark.to
        for inner in _models(info.annotation):
            yield from references(inner, f"{prefix}{name}.")


def _route(route: AnyRoute) -> dict[str, JsonValue]:
    record = record_of(route.gives)
    refers = dict(references(route.asks))
    return {
        "name": route.name,
        "path": route.path,
        "kind": route.kind,
        "entity": route.entity,
        "paged": issubclass(route.asks, Paged),
        "says": route.says,
        "asks": [_field(name, info, refers) for name, info in route.asks.model_fields.items()],
        "gives": {"model": record.__name__, "fields": list(record.model_fields)},
    }


def _field(name: str, info: FieldInfo, refers: dict[str, Entity]) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {"name": name, "required": info.is_required()}
    within = {path: entity for path, entity in refers.items() if path.split(".")[0] == name}
    if within:
        shown["holds_id_of"] = dict(within)
    return shown


def _entity(entity: Entity) -> dict[str, JsonValue]:
    reads = [route for route in ROUTES if route.entity == entity and route.kind == "read"]
    authority: dict[str, JsonValue] = {}
    for route in reads:
        # Lists come before details in the table: a field belongs to the first that gives it.
        for name in record_of(route.gives).model_fields:
            if not issubclass(record_of(route.gives), Page):
                authority.setdefault(name, route.path)
    getter = _getter(entity)
    fullest = max(reads, key=lambda route: len(record_of(route.gives).model_fields))
    return {
        "listed_by": [route.path for route in reads if route is not getter],
        "read_by": getter.path if getter else None,
        "changed_by": [
            route.path for route in ROUTES if route.entity == entity and route.kind == "write"
        ],
        "fields": authority,
        "refers_to": {
            path: other for path, other in references(record_of(fullest.gives)) if path != "id"
        },
    }


def _steps() -> Iterator[Step]:
    """Every single step that the models allow, reading before listing."""
    for source in ENTITIES:
        yield from _by_id(source)
    for route in ROUTES:
        if route.kind == "read" and route.entity and issubclass(route.asks, Paged):
            for path, holder in references(route.asks):
                if holder != route.entity:
                    yield Step(holder, route.entity, route.path, "id", path, filters=True)


def _by_id(source: Entity) -> Iterator[Step]:
    seen: set[tuple[str, Entity]] = set()
    for route in ROUTES:
        if route.entity != source or route.kind != "read":
            continue
        for path, target in references(record_of(route.gives)):
            getter = _getter(target)
            if target == source or getter is None or (path, target) in seen:
                continue
            seen.add((path, target))
            parameter = next(name for name, to in references(getter.asks) if to == target)
            yield Step(source, target, getter.path, path, parameter, filters=False)


def _getter(entity: Entity) -> AnyRoute | None:
    """The route that reads one thing by its id."""
    for route in ROUTES:
        needs = [name for name, info in route.asks.model_fields.items() if info.is_required()]
        if route.entity == entity and route.kind == "read" and len(needs) == 1:
            held = dict(references(route.asks))
            if held.get(needs[0]) == entity:
                return route
    return None


def _shown(step: Step) -> dict[str, JsonValue]:
    taken = f"{step.source}.{step.field}"
    return {"route": step.route, "parameter": step.parameter, "takes": taken, "gives": step.target}


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (tuple, Union, types.UnionType, Annotated):
        for inner in get_args(annotation):
            yield from _models(inner)


def _marks(annotation: object) -> Iterator[object]:
    """Marks inside an optional or a tuple; those of the field itself are in its metadata."""
    if get_origin(annotation) is Annotated:
        yield from get_args(annotation)[1:]
    for inner in get_args(annotation):
        if get_origin(annotation) in (tuple, Union, types.UnionType):
            yield from _marks(inner)


STEPS: tuple[Step, ...] = tuple(_steps())
