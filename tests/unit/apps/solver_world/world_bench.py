"""A small world, a task in it, and calls on its state without a server between."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from proveout.apps.solver.world.api.body import Body
from proveout.apps.solver.world.api.routes import call
from proveout.apps.solver.world.api.state import TaskState
from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.graph import World
from proveout.apps.solver.world.spec import Expected, TaskSpec, WhoAmI

Call = Callable[..., Any]


@cache
def small_world() -> World:
    return generate(2, "small")


def spec(expected: Expected | None = None, **changes: Any) -> TaskSpec:
    world = small_world()
    person = world.people[0]
    who = WhoAmI(person.id, False, person.location, person.department, world.today)
    wanted = expected or Expected(("ok_answer",))
    return replace(TaskSpec("t1", "X test", "Do something.", who, wanted), **changes)


def opened(task: TaskSpec | None = None) -> tuple[TaskState, Call]:
    state = TaskState(small_world(), task or spec())

    def ask(path: str, **fields: object) -> Any:
        return call(state, path, Body(fields))

    return state, ask
