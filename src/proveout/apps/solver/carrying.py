"""Carrying out what was proved: the very requests of a decision, in order, none of them twice."""

from collections.abc import Callable

from proveout.apps.solver.client import ApiError, CompanyClient
from proveout.apps.solver.client.company import BY_PATH
from proveout.apps.solver.client.route import Request
from proveout.apps.solver.decision import Decision, WriteRecord
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.validating import sending
from proveout.apps.solver.validating.outcome import Ruling
from proveout.apps.solver.validating.ports import Once
from proveout.apps.solver.validating.reply import unchecked

FAILED = Ruling("error_internal", "9 a change could not be made")


def carried_out(
    decision: Decision,
    plan: Plan,
    client: CompanyClient,
    once: Once,
    mention: Callable[[], str],
) -> Decision:
    """The decision with what became of its changes; an honest error where one failed.

    Where all is on record already, nothing is asked of anybody: the task may be over.
    """
    done = list(decision.writes)
    for place, planned in enumerate(decision.writes):
        try:
            done[place] = sending.apply(client, planned, _request(planned), once)
            problem = "" if done[place].verified else "what was read back is not what was written"
        except ApiError as error:
            problem = error.code
        if problem:
            failed = f"{FAILED.step}: {planned.route}, {problem}"
            return decision.model_copy(
                update={
                    "writes": tuple(done),
                    "steps": (*decision.steps, failed),
                    "response": unchecked(FAILED, plan, mention()),
                }
            )
    step = f"9 {len(done)} change(s) sent and read back"
    return decision.model_copy(update={"writes": tuple(done), "steps": (*decision.steps, step)})


def _request(planned: WriteRecord) -> Request:
    return BY_PATH[planned.route].asks.model_validate(planned.body)
