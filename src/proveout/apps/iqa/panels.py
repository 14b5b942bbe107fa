"""What a reader of an assessment sees first: the answer, the picture, the measurements."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
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
BRIGHTER = "Brighter is worse. Slide to fade the map."
DARKENED = "The rest is darkened. Slide to see it."


def panels(run: Run, blobs: Callable[[str], bytes]) -> Sequence[Panel]:
    """Answer, pictures, distortions, scores and plan; what a run lacks is left out."""
    del blobs
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
