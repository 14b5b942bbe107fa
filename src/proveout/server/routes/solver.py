"""A business task solved in one call."""

from typing import cast

from starlette.concurrency import run_in_threadpool

from proveout.kernel.types import Outcome
from proveout.server.routes.parts import TheDesk, router_for, waited
from proveout.server.shapes import Finished, RunWish, SolveRequest

router = router_for("single calls")


@router.post("/solver/solve")
async def solve(desk: TheDesk, asked: SolveRequest) -> Finished:
    """Solve one task and send the reply; waits for the end of the run."""
    fields = asked.model_dump(mode="json", exclude={"model", "budget"})
    wish = RunWish(model=asked.model, budget=asked.budget)
    job = await run_in_threadpool(desk.soon, "solver", fields, wish)
    outcome = cast(Outcome, await waited(desk, job))
    return Finished(run=job.order.run, accepted=outcome.accepted, outcome=outcome)
