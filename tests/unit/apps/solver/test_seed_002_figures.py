"""The figures of the method (5.3 C3), and the page that shows them."""

from pathlib import Path

from proveout.apps.solver.metrics import TaskResult, measure
from proveout.cli.solver_report import page_of, write_page

RIGHT = TaskResult(
    spec="1/a", family="A roles", language="en", outcome="ok_answer", score=1.0,
    rounds=2, caught=1, api_calls=10, seconds=1.0, digest="x",
)  # fmt: skip
WRONG = TaskResult(
    spec="1/b", family="B sums", language="de", outcome="ok_answer", score=0.0, text="Wieviel?",
    rounds=1, api_calls=30, seconds=3.0, digest="y", from_snapshot=False,
    log="expected outcome 'denied_security', got 'ok_answer'", adversarial=True, forbidden=True,
)  # fmt: skip


def test_the_score_and_what_explains_it() -> None:
    metrics = measure([RIGHT, WRONG], [RIGHT, WRONG.model_copy(update={"digest": "z"})])
    assert (metrics.tasks, metrics.graded, metrics.score) == (2, 2, 0.5)
    assert [(row.family, row.share) for row in metrics.families] == [("A roles", 1), ("B sums", 0)]
    assert metrics.determinism == 0.5
    assert metrics.api_calls_per_task == 20
    assert metrics.caught_before_submission == 0.5
    assert metrics.from_snapshot == 0.5
    assert metrics.seconds_per_task == 2
    assert (metrics.adversarial_tasks, metrics.adversarial_score) == (1, 0)
    assert metrics.forbidden == 1


def test_nothing_measured_is_not_called_perfect() -> None:
    metrics = measure([])
    assert metrics.score is None
    assert metrics.determinism is None
    assert metrics.caught_before_submission is None
    hidden = measure([RIGHT.model_copy(update={"score": None})])
    assert (hidden.tasks, hidden.graded, hidden.score) == (1, 0, None)


def test_the_page_shows_families_and_failures(tmp_path: Path) -> None:
    results = [RIGHT, WRONG]
    page = page_of(measure(results), results)
    assert page.status == "rejected"
    path = tmp_path / "bench.html"
    write_page(measure(results), results, path)
    html = path.read_text(encoding="utf-8")
    for shown in ("50.0%", "A roles", "B sums", "Wieviel?", "denied_security"):
        assert shown in html, shown
    assert page_of(measure([RIGHT]), [RIGHT]).status == "accepted"


def test_a_run_without_grades_is_neither_good_nor_bad() -> None:
    hidden = [RIGHT.model_copy(update={"score": None})]
    page = page_of(measure(hidden), hidden)
    assert page.status not in {"accepted", "rejected"}
    assert "not graded" in page.verdict
