"""What a reader of an assessment sees first: the answer, the picture, the measurements."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proveout.kernel.panels import (
    Bar,
    Bitmap,
    Chart,
    Column,
    Image,
    Panel,
    Range,
    Series,
    Table,
    Text,
)
from proveout.kernel.run import Run

MOST_ROWS = 12


def panels(run: Run, blobs: Callable[[str], bytes]) -> Sequence[Panel]:
    """Answer, pictures, distortions, scores and plan; what a run lacks is left out."""
    del blobs
    answer = run.outcome.answer if run.outcome else None
    if not isinstance(answer, dict):
        return ()
    made: list[Panel] = [_reasoning(answer, run.task if isinstance(run.task, dict) else {})]
    made.extend(_score(answer))
    made.extend(_distortions(answer))
    made.extend(_pictures(answer))
    made.extend(_tools(answer))
    made.extend(_plan(answer))
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
    layers = {
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
            caption="Brighter is worse. Slide to fade the map.",
            alt=title,
        )
        for title, blob in layers.items()
        if blob
    ]


def _score(answer: Mapping[str, Any]) -> Sequence[Chart]:
    score, interval = answer.get("quality_score"), answer.get("interval")
    if score is None or not interval:
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
    return (Table(title="Distortions", columns=columns, rows=rows[:MOST_ROWS]),) if rows else ()


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


def _plan(answer: Mapping[str, Any]) -> Sequence[Table]:
    plan = answer.get("plan") or {}
    scope = plan.get("query_scope")
    rows: list[tuple[str, str]] = [
        ("question", str(plan.get("query_type"))),
        ("where", scope if isinstance(scope, str) else ", ".join(scope or [])),
        ("reference", str(plan.get("reference_mode"))),
        ("steps", ", ".join(name for name, on in (plan.get("plan") or {}).items() if on) or "none"),
    ]
    rows += [("replanned", reason) for reason in answer.get("replan_history") or []]
    columns = (Column(name="plan"), Column(name="as carried out"))
    return (Table(title="Plan", columns=columns, rows=tuple(rows)),)
