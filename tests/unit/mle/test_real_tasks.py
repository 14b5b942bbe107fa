"""Real tasks, where they are at hand: read right, with the traps that are in them."""

from pathlib import Path

import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena

TASKS = Path(__file__).resolve().parents[4] / "shared" / "mle-tasks"

pytestmark = pytest.mark.skipif(not TASKS.is_dir(), reason="the tasks are not at hand")


def read(name: str, tmp_path: Path, *, told: bool) -> intake.Inspection:
    """`told`: with the machine's description; otherwise from prose and tables alone."""
    folder = tmp_path / name
    folder.mkdir()
    for path in (TASKS / name).iterdir():
        if told or path.name != "task.json":
            (folder / path.name).symlink_to(path)
    return intake.look(folder)


@pytest.mark.parametrize(
    ("name", "target", "key", "metric", "kind", "form"),
    [
        ("california-housing", "median_house_value", "id", "rmse", "regression", "value"),
        ("spaceship-titanic", "Transported", "PassengerId", "accuracy", "binary", "value"),
        ("spooky-author", "author", "id", "logloss", "multiclass", "wide"),
        ("flight-delays", "late30", "id", "auc", "binary", "probability"),
        ("chicago-ridership", "ridership", "id", "mae", "regression", "value"),
        ("loan-interest-rate", "interest_rate", "id", "mae", "regression", "value"),
        ("caravan-policy", "purchase", "id", "auc", "binary", "probability"),
        ("leaf-species", "species", "id", "logloss", "multiclass", "wide"),
    ],
)
def test_what_is_wanted_from_prose_and_tables(
    tmp_path: Path, name: str, target: str, key: str, metric: str, kind: str, form: str
) -> None:
    problem = read(name, tmp_path, told=False).problem
    assert (problem.targets, problem.id_column, problem.metric) == ((target,), key, metric)
    assert (problem.kind, problem.submission) == (kind, form)


SERVICING = {"loan_status", "balance"} | {
    f"paid_{what}" for what in ("total", "principal", "interest", "late_fees")
}


@pytest.mark.parametrize(
    ("name", "scheme", "dropped"),
    [
        ("california-housing", "shuffled", set()),
        ("spaceship-titanic", "grouped", set()),
        ("spooky-author", "stratified", set()),
        ("chicago-ridership", "time", set()),
        ("loan-interest-rate", "shuffled", SERVICING),
        ("caravan-policy", "grouped", set()),
        ("leaf-species", "stratified", set()),
        ("flight-delays", "time", set()),
    ],
)
def test_how_it_is_validated(tmp_path: Path, name: str, scheme: str, dropped: set[str]) -> None:
    """Beside constant columns nothing is dropped that should not be."""
    problem = read(name, tmp_path, told=True).problem
    assert Arena.prepare(problem, tmp_path / name, tmp_path / "work").scheme == scheme
    found = {it.column for it in problem.dropped if it.code != "mle.data.constant"}
    assert found == dropped
