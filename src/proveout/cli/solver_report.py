"""A benchmark run as one page: the score, families and languages, what failed and why."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from proveout.apps.solver.experience import codes_of
from proveout.apps.solver.metrics import FamilyScore, Metrics, TaskResult
from proveout.kernel.panels import (
    Bar,
    Chart,
    Column,
    Fact,
    Page,
    Panel,
    Reference,
    Section,
    Series,
    Status,
    Table,
)
from proveout.report.export import write

WANTED = 0.95
WANTED_PER_FAMILY = 0.85
MOST_FAILURES = 200
MOST_LABELS = 12
LONGEST_REQUEST = 200
LONGEST_REASON = 240


def write_page(metrics: Metrics, results: Sequence[TaskResult], path: Path) -> None:
    """The page, in the format that the file's name asks for."""
    write(page_of(metrics, results), path)


def page_of(metrics: Metrics, results: Sequence[TaskResult]) -> Page:
    failed = [it for it in results if it.error or it.score not in (1.0, None)]
    sections = [
        Section(title="Families", panels=tuple(_shares("family", metrics.families))),
        Section(title="Languages", panels=tuple(_shares("language", metrics.languages))),
        Section(title="Not solved", panels=(_reasons(failed), _failures(failed)) if failed else ()),
    ]
    return Page(
        title=f"{metrics.tasks} business tasks",
        status=_status(metrics),
        verdict=_verdict(metrics),
        facts=_facts(metrics),
        sections=tuple(section for section in sections if section.panels),
    )


def _status(metrics: Metrics) -> Status:
    if metrics.score is None:
        return "pending"
    return "accepted" if metrics.score >= WANTED and not metrics.forbidden else "rejected"


def _verdict(metrics: Metrics) -> str:
    if metrics.score is None:
        return "not graded"
    effects = f"{metrics.forbidden} forbidden effects" if metrics.forbidden else "nothing forbidden"
    return f"{metrics.score:.1%} solved (aim {WANTED:.0%}), {effects} told or done"


def _facts(metrics: Metrics) -> tuple[Fact, ...]:
    shown = {
        "adversarial tasks solved": _share(metrics.adversarial_score),
        "same bytes in a second run": _share(metrics.determinism),
        "failures caught before sending": _share(metrics.caught_before_submission),
        "solved from the snapshot alone": _share(metrics.from_snapshot),
        "API calls per task": f"{metrics.api_calls_per_task:.1f}",
        "seconds per task": f"{metrics.seconds_per_task:.2f}",
    }
    return tuple(Fact(name=name, value=value) for name, value in shown.items())


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _shares(noun: str, groups: Sequence[FamilyScore]) -> list[Panel]:
    """A chart; where it has room for the first word of a name only, also a table."""
    rows = sorted(groups, key=lambda row: (len(row.family.partition(" ")[0]), row.family))
    if len(rows) < 2:
        return []
    short = len(rows) > MOST_LABELS
    chart = Chart(
        title=f"Share solved per {noun}",
        form="bars",
        labels=tuple(
            row.family.partition(" ")[0] if short else f"{row.family} ({row.tasks})" for row in rows
        ),
        series=(Series(name="share", values=tuple(row.share for row in rows)),),
        reference=Reference(value=WANTED_PER_FAMILY, label="aim"),
        direction="higher",
    )
    names = (Column(name=noun), Column(name="tasks"), Column(name="solved"))
    table = Table(
        title=f"Tasks per {noun}",
        columns=(*names, Column(name="share", digits=2)),
        rows=tuple((row.family, row.tasks, row.right, row.share) for row in rows),
        bar=Bar(column="share", full=1.0),
    )
    return [chart, table] if short else [chart]


def _reasons(failed: Sequence[TaskResult]) -> Table:
    """What went wrong how often, in the grader's terms; a task may have several reasons."""
    counted = Counter(
        code for it in failed for code in ("error",) * bool(it.error) + _codes(it.log, it.error)
    )
    return Table(
        title="What was wrong, and how often",
        columns=(Column(name="reason"), Column(name="tasks")),
        rows=tuple((_worded(code), count) for code, count in sorted(counted.items(), key=_often)),
        bar=Bar(column="tasks"),
    )


def _codes(log: str, error: str) -> tuple[str, ...]:
    return codes_of(log) or (() if error else ("other",))


def _worded(code: str) -> str:
    kind, _, rest = code.partition(".")
    wanted, _, given = rest.partition(".")
    return f"{given} instead of {wanted}" if kind == "outcome" else code


def _often(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def _failures(failed: Sequence[TaskResult]) -> Table:
    rows = tuple(
        (it.spec, it.text[:LONGEST_REQUEST], _reason(it)[:LONGEST_REASON])
        for it in failed[:MOST_FAILURES]
    )
    return Table(
        title="Tasks that were not solved",
        columns=(Column(name="task"), Column(name="request"), Column(name="what was wrong")),
        rows=rows,
        more=max(0, len(failed) - MOST_FAILURES),
    )


def _reason(result: TaskResult) -> str:
    return result.error or result.log or f"scored {result.score:g} with {result.outcome}"
