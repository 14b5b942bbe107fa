"""What a run cost: budget bars, bounds reached, model calls; and which lessons it was given."""

from collections.abc import Sequence

from proveout.kernel.budget import WARN_AT, Bound
from proveout.kernel.lessons import Lesson
from proveout.kernel.panels import Bar, Cell, Column, Panel, Table, Text
from proveout.kernel.run import AttemptRecord, CallRecord, Run
from proveout.report.wording import count, money, number, seconds, shortened

MOST_CALLS = 500
MOST_WARNINGS = 20
BOUND_NAMES: dict[Bound, str] = {
    "rounds": "rounds",
    "calls": "model calls",
    "tokens": "tokens",
    "cost_usd": "cost",
    "seconds": "time",
}


def cost_panels(run: Run) -> list[Panel]:
    rows: list[tuple[Cell, ...]] = []
    for bound, (used, limit) in run.use.items():
        share = 100 * used / limit if limit > 0 else None
        rows.append((BOUND_NAMES[bound], amount(bound, used), amount(bound, limit), share))
    panels: list[Panel] = [
        Table(
            title="Budget",
            columns=(
                Column(name="bound"),
                Column(name="used", align="right"),
                Column(name="limit", align="right"),
                Column(name="% used", align="right", digits=0),
            ),
            rows=tuple(rows),
            bar=Bar(column="% used", full=100, mark=100 * WARN_AT),
            note=f"The mark stands at {WARN_AT:.0%}, where a run warns.",
        )
    ]
    if run.warnings:
        words = {"budget.warned": "four fifths used", "budget.spent": "spent"}
        lines = [
            f"- {w.bound}: {words[w.kind]}, {number(w.used)} of {number(w.limit)}"
            for w in run.warnings[-MOST_WARNINGS:]
        ]
        left = len(run.warnings) - len(lines)
        note = f"{count(left, 'earlier one')} not shown" if left else ""
        panels.append(
            Text(title="Bounds reached", text="\n".join(lines), severity="warning", note=note)
        )
    if run.calls:
        panels.append(_calls_table(run))
    return panels


def amount(bound: Bound, value: float) -> str:
    """A number of what the bound counts, as it reads."""
    if bound == "cost_usd":
        return money(value)
    return seconds(value) if bound == "seconds" else number(value)


def _calls_table(run: Run) -> Table:
    models = sorted({call.model for call in run.calls})
    # A column that says the same in every row costs width and tells nothing.
    optional = {"model": len(models) > 1, "stop": any(call.stop != "end" for call in run.calls)}
    columns = [Column(name="attempt"), Column(name="role")]
    columns += [Column(name=name) for name, wanted in optional.items() if wanted]
    columns += [Column(name=name, align="right") for name in ("tokens in", "tokens out")]
    columns += [Column(name="cost, $", align="right", digits=4)]
    columns += [Column(name="seconds", align="right", digits=2)]
    rows = []
    for call in run.calls[:MOST_CALLS]:
        told = {"model": call.model, "stop": call.stop}
        middle = [told[name] for name, wanted in optional.items() if wanted]
        rows.append((*_asked(call), *middle, *_spent(call)))
    return Table(
        title="Model calls",
        columns=tuple(columns),
        rows=tuple(rows),
        more=max(0, len(run.calls) - MOST_CALLS),
        note=f"All by {models[0]}." if len(models) == 1 else "",
    )


def _asked(call: CallRecord) -> tuple[Cell, Cell]:
    step, _, place = call.key.partition(">")
    role = call.role.rpartition("/")[2]
    # A second question after a reply that could not be read carries a mark in its key.
    return step or "run", f"{role} (asked again)" if place.endswith("!") else role


def _spent(call: CallRecord) -> tuple[Cell, ...]:
    usage = call.usage
    cost = None if usage.unpriced_tokens else usage.cost_usd
    return usage.input_tokens, usage.output_tokens, cost, call.seconds


def lesson_panels(attempts: Sequence[AttemptRecord], lessons: Sequence[Lesson]) -> list[Panel]:
    """Which lessons each proposer was given: the audit trail of experience."""
    known = {lesson.signature: lesson for lesson in lessons}
    guided: dict[str, list[str]] = {}
    for attempt in attempts:
        for signature in attempt.lessons:
            guided.setdefault(signature, []).append(attempt.key)
    if not guided:
        return []
    rows: list[tuple[Cell, ...]] = []
    for signature, keys in guided.items():
        words = (known[signature].advice if signature in known else None,) if known else ()
        name = signature.removeprefix("sha256:")[:12]
        rows.append((name, *words, len(keys), shortened(", ".join(keys), 60)))
    names = ("lesson", *(("advice",) if known else ()), "proposals", "shown to")
    return [
        Table(
            title="Lessons that influenced proposals",
            columns=tuple(Column(name=name) for name in names),
            rows=tuple(rows),
            note="Lessons reach proposers only; no check ever sees one.",
        )
    ]
