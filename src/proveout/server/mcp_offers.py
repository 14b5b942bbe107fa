"""The tools as they are offered to other agents: names, words, types, what they may do."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic_core import PydanticUndefined

from proveout.kernel.app import App
from proveout.kernel.errors import PrerequisiteError
from proveout.server import mcp_tools as tools
from proveout.server.mcp_running import Visit
from proveout.server.mcp_shapes import (
    Assessed,
    Explained,
    Finished,
    ImageAsked,
    LeakageAsked,
    LeakageFound,
    ListAsked,
    RequestAsked,
    RunAsked,
    Solved,
    TaskAsked,
    Trained,
    TrainingAsked,
)
from proveout.server.shapes import RunList, Shape

AskedT = TypeVar("AskedT", bound=Shape)
ToldT = TypeVar("ToldT", bound=Shape)


@dataclass(frozen=True)
class Offer(Generic[AskedT, ToldT]):
    """A tool: what it takes, what it gives, and hints on what it may do to the world."""

    name: str
    title: str
    description: str
    takes: type[AskedT]
    gives: type[ToldT]
    work: Callable[[Visit, AskedT], Awaitable[ToldT]]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False

    async def answer(self, visit: Visit, arguments: object) -> Shape:
        """Raises `ValidationError` if the arguments do not fit."""
        return await self.work(visit, self.takes.model_validate(arguments))


AnyOffer = Offer[Any, Any]


GENERIC: AnyOffer = Offer(
    name="run_task",
    title="Run a task of any app",
    description="Run a task of an app that has no tool of its own.",
    takes=TaskAsked,
    gives=Finished,
    work=tools.run_task,
    destructive=True,
    open_world=True,
)
OFFERS: tuple[AnyOffer, ...] = (
    Offer(
        name="assess_image",
        title="Assess an image",
        description=(
            "Grade the technical quality of a picture from 1 (bad) to 5 (excellent), name its"
            " distortions, or answer a question about its quality. Works with an undistorted"
            " reference, with a second picture to compare with, and on a region. Takes"
            " seconds."
        ),
        takes=ImageAsked,
        gives=Assessed,
        work=tools.assess_image,
    ),
    Offer(
        name="check_leakage",
        title="Check a script for data leakage",
        description=(
            "Find data leakage in a machine-learning script or notebook by following the rows"
            " through the program, with a proof line by line. Nothing is executed or changed."
        ),
        takes=LeakageAsked,
        gives=LeakageFound,
        work=tools.check_leakage,
        read_only=True,
        idempotent=True,
    ),
    Offer(
        name="solve_task",
        title="Solve a business task",
        description=(
            "Solve a request of an employee or visitor over the company API that it belongs"
            " to, under the company's written rules. Changes records and sends the reply,"
            " unless dry_run is set."
        ),
        takes=RequestAsked,
        gives=Solved,
        work=tools.solve_task,
        destructive=True,
        open_world=True,
    ),
    Offer(
        name="run_ml_task",
        title="Solve a machine-learning task",
        description=(
            "Write, ablate, refine and blend training scripts for a folder of tables until the"
            " time is over; writes submission.csv and solution.py to `out`. Takes as long as"
            " time_limit_seconds says; smoke takes under a minute."
        ),
        takes=TrainingAsked,
        gives=Trained,
        work=tools.run_ml_task,
    ),
    GENERIC,
    Offer(
        name="list_runs",
        title="List runs",
        description="List the runs of the journal, newest first, with state, score and cost.",
        takes=ListAsked,
        gives=RunList,
        work=tools.list_runs,
        read_only=True,
        idempotent=True,
    ),
    Offer(
        name="explain_run",
        title="Explain a run",
        description=(
            "Tell how a run came to its answer: attempts, findings with their meaning,"
            " evidence, cost, as a report in Markdown."
        ),
        takes=RunAsked,
        gives=Explained,
        work=tools.explain_run,
        read_only=True,
        idempotent=True,
    ),
)


def offers(apps: Iterable[App]) -> dict[str, AnyOffer]:
    """Every tool by name; the one for any app says which apps there are."""
    known = " ".join((GENERIC.description, _apps(apps)))
    return {
        offer.name: replace(offer, description=known) if offer is GENERIC else offer
        for offer in OFFERS
    }


def _apps(apps: Iterable[App]) -> str:
    """Which apps there are, and what each of them must be told."""
    return "Apps: " + "; ".join(f"{app.name} ({app.summary} {_needs(app)})" for app in apps)


def _needs(app: App) -> str:
    try:
        fields = app.load(app.task).model_fields
    except PrerequisiteError as error:
        return f"Not usable here: {error.message}."
    needed = [n for n, field in fields.items() if field.default is PydanticUndefined]
    others = [name for name in fields if name not in needed]
    optional = f", optional: {', '.join(others)}" if others else ""
    return f"Fields: {', '.join(needed)}{optional}."
