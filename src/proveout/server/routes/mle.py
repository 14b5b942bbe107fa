"""Machine learning on tables in one call, and the leakage check."""

from fastapi import Response

from proveout.kernel.errors import UsageError
from proveout.server.desk import Desk
from proveout.server.routes.parts import TheDesk, router_for, waited
from proveout.server.routes.runs import started
from proveout.server.shapes import (
    BudgetWish,
    CheckRequest,
    LeakageReport,
    MleRequest,
    RunWish,
    Started,
)
from proveout.server.workers import Job

router = router_for("single calls")
CHECK = "proveout.server.calls:check_leakage"


@router.post("/mle/runs", status_code=201)
def start_search(desk: TheDesk, asked: MleRequest, response: Response) -> Started:
    """Begin a search for the best submission; watch it like any other run."""
    fields = asked.model_dump(mode="json", exclude={"seconds", "seed", "model"})
    budget = BudgetWish(seconds=asked.seconds)
    wish = RunWish(model=asked.model, seed=asked.seed, budget=budget)
    return started(desk, desk.start("mle", fields, wish), response)


@router.post("/mle/check")
async def check_script(desk: TheDesk, asked: CheckRequest) -> LeakageReport:
    """Find data leakage in a script or notebook; nothing of it is executed."""
    if bool(asked.source) == bool(asked.path):
        message = "give either the source or a path"
        raise UsageError(message, hint="one of the two, not both")
    return LeakageReport.model_validate(await waited(desk, _checking(desk, asked)))


def _checking(desk: Desk, asked: CheckRequest) -> Job:
    path = desk.places.inside(asked.path) if asked.path else ""
    name = asked.path or asked.filename
    return desk.calling(CHECK, source=asked.source, path=path, filename=name)
