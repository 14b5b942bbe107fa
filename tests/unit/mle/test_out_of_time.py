"""Whoever gives little time gets a submission within it, and is told what it is worth."""

from pathlib import Path

import pytest

from proveout.apps.mle.flow import run
from proveout.apps.mle.search.telling import number, shortened
from proveout.apps.mle.task import MleTask
from proveout.kernel.ambient import using
from proveout.kernel.budget import Budget
from proveout.kernel.errors import BudgetSpent
from proveout.kernel.types import Outcome
from tests.unit.mle.test_paper_run import KEYS, table
from tests.workbench import Speaker, Workbench, words


def ran(bench: Workbench, folder: Path, seconds: float) -> Outcome:
    context = bench.begin(Speaker(words("none")), budget=Budget(seconds=seconds))
    task = MleTask(folder=str(table(folder / "task")), out=str(folder / "out"))
    try:
        with using(context):
            return run(task, context)
    except BudgetSpent:
        return context.best[-1]


@pytest.mark.parametrize("seconds", [5.0, 30.0])
def test_where_the_tables_take_all_the_time_every_row_gets_the_same(
    bench: Workbench, tmp_path: Path, seconds: float
) -> None:
    bench.clock.tick = seconds
    made = ran(bench, tmp_path, seconds)
    assert not made.accepted
    assert "preparing the tables took" in made.summary
    assert "says the same of every row" in made.summary
    rows = (tmp_path / "out" / "submission.csv").read_text(encoding="utf-8").split()
    assert rows == ["id,y", *(f"{key},0.5" for key in KEYS)]


def test_a_summary_ends_with_a_whole_word() -> None:
    text = "one two three"
    assert shortened(text, 13) == text
    assert shortened(text, 11) == "one two…"
    assert shortened("seventeen", 5) == "seve…"


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [(754.3, 2, "750"), (1234567.8, 6, "1234570"), (0.0123, 2, "0.012"), (0.0, 2, "0")],
)
def test_numbers_are_written_out(value: float, digits: int, told: str) -> None:
    assert number(value, digits) == told
