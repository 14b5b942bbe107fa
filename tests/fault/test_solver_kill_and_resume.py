"""`kill -9` while the solver changes something: one change, one reply, the same answer.

Set FAULT_SEED to repeat a failure.
"""

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.kernel.run import Run, read_run
from tests.fault.solver_sessions import SolverSession, SolverSessions, solver_sessions
from tests.integration.solver_kit import Company, company

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux", reason="kills are timed and orphans found by Linux"
    ),
    pytest.mark.timeout(600),
]
SEED = int(os.environ.get("FAULT_SEED", random.SystemRandom().randrange(10**6)))
CHANGES = ("w.change_status.", "x.reflect.", "p.log_", "aa.swap_members.", "z.rename_page.")
"""A state is set, levels go up, an entry is new, a team is replaced, a page copied and removed."""
COMPANY = 4
"""The first company in which tasks of all these kinds end in changes."""
KILLS = 12
"""Per kind of change."""
MOST_SESSIONS = 60


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    with company(tmp_path_factory.mktemp("company"), seed=COMPANY) as one:
        yield one


@pytest.fixture(scope="module")
def forked() -> Iterator[SolverSessions]:
    with solver_sessions() as started:
        yield started


def told(folder: Path) -> Run | None:
    """The one run of the folder's journal; None while it has not begun."""
    if not (folder / "journal.db").exists():
        return None
    journal = SqliteJournal(folder / "journal.db", readonly=True)
    try:
        rows = journal.runs()
        if not rows:
            return None
        (row,) = rows
        assert verify(journal) == []
        return read_run(journal.read(row.run))
    finally:
        journal.close()


def undisturbed(forked: SolverSessions, served: Company, folder: Path, kind: str) -> Any:
    """A task of this kind that the solver gets right by a change, and how that went."""
    for spec in [spec for spec in served.session() if spec.startswith(kind)]:
        place = folder / spec
        place.mkdir()
        ended = forked(SolverSession(str(place), served.task(spec, service_url=served.url)))
        assert ended.exit_code == 0, ended
        row = served.graded()[-1]
        if row["score"] == 1.0 and row["events"]:
            run = told(place)
            assert run is not None
            assert run.outcome is not None
            return spec, ended.seconds, row, run.outcome
    return None


@pytest.mark.parametrize("kind", CHANGES)
def test_killed_many_times_it_changes_once_and_answers_once(
    forked: SolverSessions, served: Company, folder: Path, kind: str
) -> None:
    found = undisturbed(forked, served, folder, kind)
    if found is None:
        pytest.skip("no task of this kind is solved by a change in this company")
    spec, seconds, row, outcome = found
    print(f"FAULT_SEED={SEED}")  # noqa: T201 - pytest shows it when a test fails
    chance = random.Random(SEED)
    kills = tasks = 0
    while kills < KILLS:
        tasks += 1
        place = folder / f"task-{tasks}"
        place.mkdir()
        fields = served.task(spec, service_url=served.url)
        kills += _disturb(forked, place, fields, chance, seconds)
        run = told(place)
        assert run is not None
        assert run.outcome is not None
        assert _without_identity(run.outcome) == _without_identity(outcome)
        again = served.graded()[-1]
        assert again["task"] == fields["task_url"].rpartition("/")[2]
        assert again["score"] == 1.0, again["logs"]
        assert again["events"] == row["events"]
        assert (again["message"], again["links"]) == (row["message"], row["links"])
        assert served.calls(fields).count("/respond") == 1


def _disturb(
    forked: SolverSessions,
    place: Path,
    fields: dict[str, Any],
    chance: random.Random,
    seconds: float,
) -> int:
    """Kill a run until it ends all the same; how often a kill hit it."""
    kills = 0
    for session in range(MOST_SESSIONS):
        run = told(place)
        # Later sessions live longer: on a busy machine the work may take longer than it did.
        delay = chance.uniform(0.0, seconds * (1.1 + session / 5))
        ended = forked(SolverSession(str(place), fields, run.id if run else "", delay))
        assert ended.orphans == []
        assert ended.killed or ended.exit_code == 0, ended
        now = told(place)
        if now is not None and now.outcome is not None:
            return kills
        kills += ended.killed and now is not None
    pytest.fail("it never came to an end")


def _without_identity(outcome: Any) -> Any:
    """Entries that are logged get an id of their own in every task."""
    answer = dict(outcome.answer)
    decision = dict(answer["decision"])
    decision["writes"] = [
        {name: value for name, value in write.items() if name not in {"before", "after", "key"}}
        for write in decision["writes"]
    ]
    return {**answer, "decision": decision}, outcome.accepted, outcome.summary
