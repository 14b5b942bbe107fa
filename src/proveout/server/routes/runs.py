"""Runs: list, start, read, stop, resume, replay, report, compare, verify."""

import re
from typing import Annotated, cast

from fastapi import Query, Response
from pydantic import JsonValue
from starlette.concurrency import run_in_threadpool

from proveout.kernel.run import Run, run_data
from proveout.report.export import Format, render
from proveout.runtime import Replay
from proveout.server.desk import Desk
from proveout.server.routes.parts import RunName, TheDesk, router_for, waited
from proveout.server.shapes import (
    Ceiling,
    Changed,
    Comparison,
    Replayed,
    RunDetail,
    RunFilter,
    RunList,
    RunRequest,
    RunWish,
    Started,
    Stopped,
    Verified,
)

router = router_for("runs")
MEDIA = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "xml": "application/xml",
    "txt": "text/plain; charset=utf-8",
}
POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]+)"')


@router.get("/runs")
def list_runs(desk: TheDesk, wanted: Annotated[RunFilter, Query()]) -> RunList:
    """Runs, newest first."""
    return desk.rows(wanted)


@router.post("/runs", status_code=201)
def start_run(desk: TheDesk, asked: RunRequest, response: Response) -> Started:
    """Begin a run of any app; the answer comes as soon as the run is in the journal."""
    wish = RunWish(model=asked.model, seed=asked.seed, budget=asked.budget)
    return started(desk, desk.start(asked.app, asked.task, wish), response)


@router.post("/runs/ceiling")
def show_ceiling(desk: TheDesk, asked: RunRequest) -> Ceiling:
    """What such a run would be, and the most it may cost; nothing is run."""
    wish = RunWish(model=asked.model, seed=asked.seed, budget=asked.budget)
    return desk.ceiling(asked.app, asked.task, wish)


@router.get("/runs/{run}")
def show_run(desk: TheDesk, run: RunName) -> RunDetail:
    """A run with its attempts, verdicts and cost."""
    return detail(desk, desk.read(run))


@router.post("/runs/{run}/stop")
def stop_run(desk: TheDesk, run: RunName) -> Stopped:
    """Ask a run of this server to stop at its next attempt; it can be resumed."""
    found = desk.find(run)
    return Stopped(run=found, stopped=desk.stop(found))


@router.post("/runs/{run}/resume")
def resume_run(
    desk: TheDesk, run: RunName, response: Response, wish: RunWish | None = None
) -> Started:
    """Go on with a run that was interrupted, or whose budget was too small."""
    return started(desk, desk.resume(run, wish or RunWish()), response)


@router.post("/runs/{run}/replay")
async def replay_run(desk: TheDesk, run: RunName) -> Replayed:
    """Judge the recorded proposals again, without model or network."""
    job = await run_in_threadpool(desk.replaying, run)
    replayed = cast(Replay, await waited(desk, job))
    return Replayed(
        run=replayed.run,
        judged=replayed.judged,
        recorded=replayed.recorded,
        faithful=replayed.faithful,
        diverged=replayed.diverged,
        outcome_differs=replayed.outcome_differs,
        differences=tuple(
            Changed(key=one.key, recorded=one.recorded, now=one.now) for one in replayed.differences
        ),
    )


@router.get(
    "/runs/{run}/report",
    response_class=Response,
    responses={200: {"content": {kind.partition(";")[0]: {} for kind in MEDIA.values()}}},
)
def report_run(desk: TheDesk, run: RunName, format: Format = "html") -> Response:
    """The run's report as a file that needs nothing else."""
    found = desk.read(run)
    text = render(desk.page(found), format, desk.content)
    headers = {"Content-Disposition": f'inline; filename="{found.id}.{format}"'}
    if format == "html":
        # The file allows exactly what is in it, by hashes; so does its answer.
        own = POLICY.search(text)
        policy = own.group(1).replace("&#39;", "'") if own else "default-src 'none'"
        headers["Content-Security-Policy"] = f"{policy}; frame-ancestors 'none'"
    return Response(text, media_type=MEDIA[format], headers=headers)


@router.get("/runs/{run}/verify")
def verify_run(desk: TheDesk, run: RunName) -> Verified:
    """Derive every hash of a run again."""
    damage = [f"{one.run} {one.message}".strip() for one in desk.verify(run)]
    return Verified(intact=not damage, damage=damage)


@router.get("/runs/{left}/diff/{right}")
def diff_runs(desk: TheDesk, left: RunName, right: RunName) -> Comparison:
    """What differs between two runs, as lines."""
    return desk.diff(left, right)


def started(desk: Desk, run: str, response: Response) -> Started:
    response.headers["Location"] = f"/api/v1/runs/{run}"
    return Started(run=run, state=desk.state_of(run))


def detail(desk: Desk, run: Run) -> RunDetail:
    told: dict[str, JsonValue] = {**run_data(run), "state": desk.state_of(run.id)}
    return RunDetail.model_validate(told)
