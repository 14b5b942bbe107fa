"""What a benchmark taught, as one page: clusters, changes to make, the gate, the patches."""

from collections.abc import Sequence

from proveout.cli.solver_improve import Improvement
from proveout.kernel.lessons import Patch
from proveout.kernel.panels import Cell, Column, Fact, Page, Section, Table

MOST_ROWS = 200


def page_of(made: Improvement) -> Page:
    gate = made.gate
    holds = not gate.changed
    verdict = f"the gate holds: {gate.same} of {gate.cases} recorded answers are the same"
    if not holds:
        verdict = f"{len(gate.changed)} tasks that had passed are answered otherwise"
    if made.held_back:
        verdict = f"nothing was activated: {made.held_back}"
    return Page(
        title="What the benchmark taught",
        status="accepted" if holds and not made.held_back else "rejected",
        verdict=verdict,
        facts=(
            Fact(name="tasks", value=str(made.tasks)),
            Fact(name="failed", value=str(made.failed)),
            Fact(name="patches activated", value=str(len(made.activated))),
            Fact(name="patches rolled back", value=str(len(made.rolled_back))),
        ),
        sections=(
            Section(title="Failures", panels=(_clusters(made),)),
            Section(title="Regression gate", panels=(_gate(made), _open(made))),
            Section(title="Experience", panels=(_patches(made),)),
        ),
    )


def _clusters(made: Improvement) -> Table:
    rows = [
        (
            cluster.family,
            cluster.code,
            len(cluster.cases),
            cluster.change.kind,
            cluster.change.module,
            cluster.change.proposal,
            cluster.cases[0],
        )
        for cluster in made.clusters
    ]
    names = ("family", "code", "tasks", "kind of change", "module", "proposal", "case")
    return _table("Clusters and the changes they call for", names, rows)


def _gate(made: Improvement) -> Table:
    rows: list[tuple[Cell, ...]] = [(name, "answered otherwise") for name in made.gate.changed]
    rows += [(name, "asks for what was not recorded: record again") for name in made.gate.stale]
    return _table("Recorded tasks that had passed and differ today", ("case", "now"), rows)


def _open(made: Improvement) -> Table:
    rows = [
        (it.case, it.wanted, it.now, "as recorded" if it.same else "changed")
        for it in made.open_cases
    ]
    names = ("case", "outcome wanted", "outcome today", "answer")
    return _table("Recorded failures, solved again with today's code", names, rows)


def _patches(made: Improvement) -> Table:
    rows = [*_lines("activated", made.activated), *_lines("rolled back", made.rolled_back)]
    settled = {it.signature for it in (*made.activated, *made.rolled_back)}
    rows += _lines("not tried", [it for it in made.candidates if it.signature not in settled])
    return _table("Patches", ("state", "topic", "about", "advice"), rows)


def _lines(state: str, patches: Sequence[Patch]) -> list[tuple[Cell, ...]]:
    return [(state, patch.topic, patch.subject, patch.advice) for patch in patches]


def _table(title: str, names: Sequence[str], rows: Sequence[tuple[Cell, ...]]) -> Table:
    return Table(
        title=title,
        columns=tuple(Column(name=name) for name in names),
        rows=tuple(rows[:MOST_ROWS]),
        more=max(0, len(rows) - MOST_ROWS),
    )
