"""What the tools of the MCP server do: one function each, from what is asked to what is told."""

from collections.abc import Mapping
from typing import cast

from anyio import to_thread
from pydantic import JsonValue

from proveout.apps.mle.leakage.formats import summary
from proveout.apps.mle.leakage.report import Leak, Report
from proveout.kernel.errors import UsageError
from proveout.kernel.types import Outcome
from proveout.report.export import render
from proveout.server.desk import Desk
from proveout.server.mcp_running import Visit, bounded
from proveout.server.mcp_shapes import (
    Assessed,
    Distortion,
    Explained,
    Finished,
    FoundOften,
    ImageAsked,
    LeakageAsked,
    LeakageFound,
    LeakFound,
    ListAsked,
    RequestAsked,
    RunAsked,
    Solved,
    TaskAsked,
    Trained,
    TrainingAsked,
)
from proveout.server.shapes import BudgetWish, RunFilter, RunList, RunWish

MOST_FINDINGS = 50
MOST_STEPS = 100
MOST_REPORT_CHARACTERS = 20_000
CHECK = "proveout.server.calls:check_leakage"
PICTURES = "proveout.apps.iqa.answers:demand_pictures"


async def assess_image(visit: Visit, asked: ImageAsked) -> Assessed:
    fields = _given(
        image=asked.image,
        query=asked.question,
        choices=list(asked.choices),
        reference=asked.reference,
        compare=asked.compare,
        box=asked.box,
    )
    run, outcome = await visit.run(
        "iqa", fields, RunWish(model=asked.model or None), before=PICTURES
    )
    answer = _object(outcome.answer)
    return Assessed(
        run=run,
        accepted=outcome.accepted,
        answer=str(answer.get("final_answer", "")),
        quality_score=_number(answer.get("quality_score")),
        level=str(answer.get("level") or ""),
        interval=_pair(answer.get("interval")),
        distortions=tuple(
            Distortion.model_validate(one) for one in _listed(answer.get("distortions"))
        ),
        reasoning=str(answer.get("quality_reasoning") or ""),
        compared_with=answer.get("compared_with"),
    )


async def check_leakage(visit: Visit, asked: LeakageAsked) -> LeakageFound:
    if bool(asked.path) == bool(asked.source):
        message = "give either a path or a source"
        raise UsageError(message, hint="path names a file; source is the script itself")
    path = visit.desk.places.inside(asked.path) if asked.path else ""
    name = asked.path or "script.py"

    def examined() -> Report:
        told = visit.desk.call(CHECK, source=asked.source, path=path, filename=name)
        data = cast("dict[str, JsonValue]", told)
        return Report.model_validate(
            {
                "filename": data["file"],
                **{key: data[key] for key in ("findings", "ignored", "unsure", "unreadable")},
            }
        )

    report = await to_thread.run_sync(examined)
    return LeakageFound(
        summary=summary(report),
        leaks=len(report.leaks),
        findings=tuple(_leak(leak) for leak in report.findings[:MOST_FINDINGS]),
        unsure=report.unsure[:MOST_FINDINGS],
        unreadable=report.unreadable,
        cut=len(report.findings) > MOST_FINDINGS,
    )


async def solve_task(visit: Visit, asked: RequestAsked) -> Solved:
    fields: dict[str, JsonValue] = {
        "text": asked.text,
        "task_url": asked.task_url,
        "profile": asked.profile,
        "rehearse": asked.dry_run,
    }
    run, outcome = await visit.run("solver", fields, RunWish(model=asked.model or None))
    answer = _object(outcome.answer)
    response = _object(answer.get("response"))
    steps = _object(answer.get("decision")).get("steps")
    return Solved(
        run=run,
        accepted=outcome.accepted,
        outcome=str(response.get("outcome", "")),
        message=str(response.get("message", "")),
        links=response.get("links"),
        steps=tuple(str(step) for step in _listed(steps)[:MOST_STEPS]),
        sent=not asked.dry_run,
    )


async def run_ml_task(visit: Visit, asked: TrainingAsked) -> Trained:
    fields: dict[str, JsonValue] = {
        "folder": asked.folder,
        "out": asked.out,
        "smoke": asked.smoke,
    }
    budget = BudgetWish(seconds=asked.time_limit_seconds)
    wish = RunWish(model=asked.model or None, seed=asked.seed, budget=budget)
    run, outcome = await visit.run("mle", fields, wish)
    answer = _object(outcome.answer)
    return Trained(
        run=run,
        accepted=outcome.accepted,
        summary=outcome.summary,
        metric=str(answer.get("metric") or ""),
        direction=str(answer.get("direction") or ""),
        score=_number(answer.get("score")),
        standard_error=_number(answer.get("standard_error")),
        holdout=_number(answer.get("holdout")),
        reason=str(answer.get("reason") or ""),
        submission=str(answer.get("submission") or ""),
        solution=str(answer.get("solution") or ""),
    )


async def run_task(visit: Visit, asked: TaskAsked) -> Finished:
    wish = RunWish(model=asked.model or None, seed=asked.seed, budget=asked.budget)
    run, outcome = await visit.run(asked.app, asked.fields, wish)
    return _finished(run, asked.app, outcome)


async def list_runs(visit: Visit, asked: ListAsked) -> RunList:
    return await to_thread.run_sync(visit.desk.rows, RunFilter(**asked.model_dump()))


async def explain_run(visit: Visit, asked: RunAsked) -> Explained:
    return await to_thread.run_sync(_explained, visit.desk, asked.run)


def _explained(desk: Desk, name: str) -> Explained:
    run = desk.read(name)
    outcome = run.outcome
    known = {app.name: app.findings for app in desk.apps()}.get(run.app, {})
    text = render(desk.page(run), "md")
    return Explained(
        run=run.id,
        app=run.app,
        state=desk.state(run),
        summary=outcome.summary if outcome else "the run has not ended",
        score=outcome.score if outcome else None,
        model=run.model,
        attempts=len(run.attempts),
        calls=run.usage.calls,
        tokens=run.usage.tokens,
        cost_usd=run.usage.cost_usd,
        seconds=run.elapsed,
        findings=tuple(
            FoundOften(code=code, times=times, meaning=known.get(code, ""))
            for code, times in run.findings.most_common(MOST_FINDINGS)
        ),
        report=text[:MOST_REPORT_CHARACTERS],
        cut=len(text) > MOST_REPORT_CHARACTERS,
        next=f"proveout report {run.id} -o report.html",
    )


def _finished(run: str, app: str, outcome: Outcome) -> Finished:
    answer, cut = bounded(outcome.answer)
    return Finished(
        run=run,
        app=app,
        accepted=outcome.accepted,
        summary=outcome.summary,
        score=outcome.score,
        answer=answer,
        cut=cut,
    )


def _leak(leak: Leak) -> LeakFound:
    return LeakFound(
        code=leak.code,
        message=leak.message,
        line=leak.line,
        cell=leak.cell,
        statement=leak.block[:2_000],
        flow=tuple(f"line {step.line}: {step.what}" for step in leak.path[:MOST_STEPS]),
        rows=leak.rows,
        harm=leak.harm,
        confidence=leak.confidence,
        counts=leak.counts,
        hint=leak.hint,
    )


def _given(**fields: JsonValue) -> dict[str, JsonValue]:
    """Only what was given: the task knows its own defaults."""
    return {name: value for name, value in fields.items() if value}


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _pair(value: JsonValue) -> tuple[float, float] | None:
    numbers = [n for n in map(_number, _listed(value)) if n is not None]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None
