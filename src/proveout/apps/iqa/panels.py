"""What a reader of an assessment sees first: the answer, the picture, the measurements."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from proveout.apps.iqa.tools.bank import shared_bank
from proveout.kernel.errors import JournalError, UnknownName
from proveout.kernel.panels import (
    Bar,
    Bitmap,
    Chart,
    Column,
    Image,
    Node,
    Panel,
    Range,
    Series,
    Status,
    Table,
    Text,
    Tree,
)
from proveout.kernel.run import AttemptRecord, Run

MOST_ROWS = 12
BRIGHTER = "Brighter is worse. Slide to fade the map."
DARKENED = "The rest is darkened. Slide to see it."


def panels(run: Run, blobs: Callable[[str], bytes]) -> Sequence[Panel]:
    """Answer, pictures, distortions, scores and plan; what a run lacks is left out."""
    answer = run.outcome.answer if run.outcome else None
    if not isinstance(answer, dict):
        return ()
    task = run.task if isinstance(run.task, dict) else {}
    made: list[Panel] = [_reasoning(answer, task)]
    made.extend(_pair(answer, task))
    made.extend(_score(answer))
    made.extend(_distortions(answer))
    made.extend(_pictures(answer))
    made.extend(_tools(answer))
    made.extend(_scales(run, answer, blobs))
    made.extend(_plan(answer))
    made.extend(_path(run, answer))
    return made


def _reasoning(answer: Mapping[str, Any], task: Mapping[str, Any]) -> Text:
    asked = "\n".join([str(task.get("query", "")), *map(str, task.get("choices") or ())])
    text = f"{asked}\n\n{answer['final_answer']}\n\n{answer['quality_reasoning']}"
    warnings = answer.get("warnings") or []
    note = f"Outside of what was fitted: {', '.join(warnings)}." if warnings else ""
    return Text(title="Question and answer", text=text, note=note)


def _pictures(answer: Mapping[str, Any]) -> Sequence[Image]:
    pictures = answer.get("pictures") or {}
    base = pictures.get("base")
    if not base:
        return ()
    marked = {"What the question is about": pictures.get("region", "")}
    layers = marked | {
        f"Where quality is lost: {name.replace('_', ' ')}": blob
        for name, blob in (pictures.get("maps") or {}).items()
    }
    layers["Clipped: red burnt out, blue drowned"] = pictures.get("clipping", "")
    layers["Difference from the reference"] = pictures.get("difference", "")
    return [
        Image(
            title=title,
            base=Bitmap(blob=base),
            overlay=Bitmap(blob=blob),
            caption=DARKENED if blob == pictures.get("region") else BRIGHTER,
            alt=title,
        )
        for title, blob in layers.items()
        if blob
    ]


def _pair(answer: Mapping[str, Any], task: Mapping[str, Any]) -> Sequence[Panel]:
    """Both pictures beside each other, with what was measured of each."""
    other, pictures = answer.get("compared_with"), answer.get("pictures") or {}
    if not other or not pictures.get("other"):
        return ()
    both = ({**answer, "image": task.get("image", "")}, other)
    names = [
        f"{place} picture: {PurePath(str(one['image'])).name}"
        for place, one in zip(("First", "Second"), both, strict=True)
    ]
    rows = tuple(
        (name, one["quality_score"], _reach(one), one["level"], _listed(one["distortions"]))
        for name, one in zip(names, both, strict=True)
    )
    columns = (
        Column(name="picture"),
        Column(name="quality", digits=2),
        *(Column(name=name) for name in ("likely", "level", "distortions")),
    )
    bar = Bar(column="quality", full=5.0)
    table = Table(title="The two pictures", columns=columns, rows=rows, bar=bar)
    maps = (pictures.get("maps") or {}).get("combined"), pictures["other"]["map"]
    bases = pictures["base"], pictures["other"]["base"]
    return (
        table,
        *(
            Image(
                title=name,
                base=Bitmap(blob=base),
                overlay=Bitmap(blob=overlay) if overlay else None,
                caption=BRIGHTER,
                alt=name,
            )
            for name, base, overlay in zip(names, bases, maps, strict=True)
        ),
    )


def _reach(one: Mapping[str, Any]) -> str:
    low, high = one.get("interval") or (None, None)
    return "" if low is None or high is None else f"{low:.1f} to {high:.1f}"


def _listed(distortions: Sequence[Mapping[str, str]]) -> str:
    named = (f"{one['name'].replace('_', ' ')} ({one['severity']})" for one in distortions)
    return ", ".join(named) or "none visible"


def _score(answer: Mapping[str, Any]) -> Sequence[Chart]:
    score, interval = answer.get("quality_score"), answer.get("interval")
    if score is None or not interval or answer.get("compared_with"):
        return ()
    return (
        Chart(
            title="Quality from 1 (bad) to 5 (excellent)",
            note=f"{score:.2f}; nine of ten such pictures lie between "
            f"{interval[0]:.2f} and {interval[1]:.2f}.",
            form="range",
            series=(Series(name="quality", values=(score,)),),
            labels=("quality",),
            ranges=(Range(low=1, high=5, direction="higher"),),
        ),
    )


def _distortions(answer: Mapping[str, Any]) -> Sequence[Table]:
    analysis = (answer.get("executor_evidence") or {}).get("distortion_analysis") or {}
    rows = tuple(
        (scope, item["type"], item["severity"], item["explanation"])
        for scope, items in analysis.items()
        for item in items
    )
    columns = tuple(Column(name=name) for name in ("region", "distortion", "severity", "measured"))
    title = "Distortions of the first picture" if answer.get("compared_with") else "Distortions"
    return (Table(title=title, columns=columns, rows=rows[:MOST_ROWS]),) if rows else ()


def _tools(answer: Mapping[str, Any]) -> Sequence[Table]:
    scores = (answer.get("executor_evidence") or {}).get("quality_scores") or {}
    rows = tuple(
        (scope, distortion, tool, float(score))
        for scope, pairs in scores.items()
        for distortion, (tool, score) in pairs.items()
    )
    columns = (
        Column(name="region"),
        Column(name="about"),
        Column(name="tool"),
        Column(name="score", digits=2),
    )
    bar = Bar(column="score", full=5.0)
    note = "Each tool on the scale from 1 (bad) to 5 (excellent)."
    table = Table(title="Tool scores", columns=columns, rows=rows[:MOST_ROWS], bar=bar, note=note)
    return (table,) if rows else ()


def _scales(run: Run, answer: Mapping[str, Any], blobs: Callable[[str], bytes]) -> Iterator[Chart]:
    """Each tool's own value between its ends, and which end is the good one."""
    values: list[float] = []
    labels: list[str] = []
    ranges: list[Range] = []
    for (tool, scope), raw in _raw_values(run, answer, blobs).items():
        try:
            known = shared_bank().get(tool)
        except UnknownName:
            # A tool of another package that is not installed here.
            continue
        low, high = known.range
        labels.append(tool if scope == "Global" else f"{tool}, {scope}")
        values.append(raw)
        ranges.append(Range(low=low, high=high, direction=known.direction))
    if values:
        yield Chart(
            title="Tools on their own scales",
            form="range",
            series=(Series(name="measured", values=tuple(values)),),
            labels=tuple(labels),
            ranges=tuple(ranges),
            note="What each tool measured, between the ends that it was checked for.",
        )


def _raw_values(
    run: Run, answer: Mapping[str, Any], blobs: Callable[[str], bytes]
) -> dict[tuple[str, str], float]:
    """What tools gave, by tool and region, in the round that the answer rests on."""
    branch = f"executor-{answer.get('iterations', 0)}@tool-"
    scopes = (answer.get("executor_evidence") or {}).get("quality_scores") or {}
    found: dict[tuple[str, str], float] = {}
    for place, reference in run.observed.items():
        if not place.startswith(branch):
            continue
        try:
            log = json.loads(blobs(reference))
        except (LookupError, OSError, ValueError, JournalError):
            continue
        name = place.partition("~")[0]
        scope = next((one for one in scopes if name.endswith(f"-{one}")), "Global")
        if isinstance(log, dict) and isinstance(log.get("raw_score"), float | int):
            found[str(log.get("tool_name")), scope] = float(log["raw_score"])
    return dict(list(found.items())[:MOST_ROWS])


def _path(run: Run, answer: Mapping[str, Any]) -> Iterator[Tree]:
    """Plan by plan: what was tried, and why another plan was needed."""
    reasons = list(map(str, answer.get("replan_history") or ()))
    if not reasons:
        return
    rounds = []
    for number in range(len(reasons) + 1):
        last = number == len(reasons)
        steps = [
            _node(attempt)
            for attempt in run.attempts
            if attempt.path.partition("/")[0].endswith(f"-{number}")
        ]
        rounds.append(
            Node(
                label=f"plan {number + 1}",
                status="accepted" if last else "rejected",
                note="led to the answer" if last else reasons[number],
                children=tuple(steps),
            )
        )
    yield Tree(title="Replan path", nodes=tuple(rounds))


def _node(attempt: AttemptRecord) -> Node:
    verdict = attempt.verdict
    status: Status = "pending"
    if verdict is not None:
        status = "accepted" if verdict.accepted else "rejected"
    note = ", ".join(sorted({finding.code for finding in verdict.findings})) if verdict else ""
    score = verdict.score if verdict else None
    return Node(label=attempt.key, status=status, note=note, score=score)


def _plan(answer: Mapping[str, Any]) -> Sequence[Table]:
    plan = answer.get("plan") or {}
    scope = plan.get("query_scope")
    rows: list[tuple[str, str]] = [
        ("question", str(plan.get("query_type"))),
        ("where", scope if isinstance(scope, str) else ", ".join(scope or [])),
        ("reference", str(plan.get("reference_mode"))),
        ("steps", ", ".join(name for name, on in (plan.get("plan") or {}).items() if on) or "none"),
    ]
    rows += [("replanned", reason) for reason in answer.get("replan_history") or ["never"]]
    columns = (Column(name="plan"), Column(name="as carried out"))
    return (Table(title="Plan", columns=columns, rows=tuple(rows)),)
