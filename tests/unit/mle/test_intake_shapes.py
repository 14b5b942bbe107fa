"""Shapes that public tasks come in, and tables that nobody would make on purpose."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from tests.mle_tables import honest, regression, rows, submission_of, write_out, write_task


def accepted(folder: Path, work: Path) -> Arena:
    """An honest script on this task is accepted."""
    arena = Arena.prepare(intake.inspect(folder), folder, work)
    arrays = honest(arena.case(), noise=0.3)
    if arena.problem.metric == "rmsle":
        arrays["test"] = np.maximum(arrays["test"], 0.0)
    made = submission_of(arena.problem, arena.input / "test.csv", arrays["test"])
    out = write_out(work / "out", arrays, made)
    judged = arena.judge(out, arena.judge(out, None).score)
    assert judged.accepted, judged.findings
    return arena


def test_a_date_that_is_the_key_and_tells_something(tmp_path: Path) -> None:
    hours = pd.date_range("2011-01-01", periods=800, freq="h").strftime("%Y-%m-%d %H:%M:%S")
    frame = rows(800).assign(datetime=hours)
    late = frame.index % 80 >= 60
    train, test = frame[~late].reset_index(drop=True), frame[late].reset_index(drop=True)
    train["casual"], train["count"] = 1, np.arange(len(train)) % 17
    sample = pd.DataFrame({"datetime": test["datetime"], "count": 0})
    text = "## Evaluation\nRoot Mean Squared Logarithmic Error (RMSLE)"
    arena = accepted(write_task(tmp_path / "t", train, test, text, sample), tmp_path / "w")
    problem = arena.problem
    assert (problem.id_column, problem.targets) == ("datetime", ("count",))
    assert {column.name: column.kind for column in problem.columns}["datetime"] == "date"
    assert problem.time == ""


def test_a_key_that_only_the_test_file_has(tmp_path: Path) -> None:
    train, test = rows(400), rows(90, 1)
    days = pd.date_range("2013-01-01", periods=490).strftime("%Y-%m-%d")
    train["Date"], test["Date"] = days[:400], days[400:]
    test.insert(0, "Id", range(1, 91))
    train["Sales"], train["Customers"] = np.arange(400.0) % 31, 5
    sample = pd.DataFrame({"Id": range(1, 91), "Sales": 0})
    arena = accepted(write_task(tmp_path / "t", train, test, sample=sample), tmp_path / "w")
    problem = arena.problem
    assert (problem.id_column, problem.targets, problem.time) == ("Id", ("Sales",), "Date")
    assert arena.scheme == "time"


def test_keys_that_begin_anew_in_the_test_file(tmp_path: Path) -> None:
    train, test = rows(400), rows(90, 1)
    train.insert(0, "id", range(400))
    test.insert(0, "id", range(90))
    train["y"] = train["signal"]
    arena = accepted(write_task(tmp_path / "t", train, test), tmp_path / "w")
    assert pd.read_csv(arena.input / "test.csv")["id"].is_unique


def test_pixels_without_a_key_and_another_capital(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pixels = {f"pixel{at}": rng.integers(0, 255, 400) for at in range(6)}
    train = pd.DataFrame({"label": rng.integers(0, 10, 400), **pixels})
    test = pd.DataFrame({name: rng.permutation(value)[:80] for name, value in pixels.items()})
    sample = pd.DataFrame({"ImageId": range(1, 81), "Label": 0})
    text = "The evaluation metric is the categorization accuracy."
    arena = accepted(write_task(tmp_path / "t", train, test, text, sample), tmp_path / "w")
    problem = arena.problem
    assert (problem.targets, problem.kind) == (("label",), "multiclass")
    assert problem.submission_columns == ("ImageId", "Label")
    assert problem.labels == tuple(str(at) for at in range(10))


def test_several_labels_at_once(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    train, test = rows(400), rows(90, 1)
    test.insert(0, "id", [f"x{at}" for at in range(90)])
    for name in ("toxic", "threat", "insult"):
        train[name] = rng.integers(0, 2, 400)
    sample = pd.DataFrame({"id": test["id"], "toxic": 0.5, "threat": 0.5, "insult": 0.5})
    text = "Evaluated on the mean column-wise ROC AUC."
    folder = write_task(tmp_path / "t", train, test, text, sample)
    arena = accepted(folder, tmp_path / "w")
    assert arena.problem.targets == ("toxic", "threat", "insult")
    assert arena.problem.metric == "auc"


def test_logarithms_of_prices(tmp_path: Path) -> None:
    text = (
        "## Metric\nRoot-Mean-Squared-Error (RMSE) between the logarithm of the predicted value "
        "and the logarithm of the observed sales price."
    )
    assert intake.inspect(regression(tmp_path, description=text)).metric == "rmsle"


def test_a_test_file_that_has_the_target(tmp_path: Path) -> None:
    train, test = rows(400), rows(90, 1)
    train["y"], test["y"] = train["signal"], test["signal"]
    folder = write_task(tmp_path / "t", train, test, toml='targets = ["y"]\n')
    arena = accepted(folder, tmp_path / "w")
    for place in (arena.input, arena.full_input):
        assert "y" not in pd.read_csv(place / "test.csv").columns


def test_a_test_file_whose_target_is_empty(tmp_path: Path) -> None:
    train, test = rows(400), rows(90, 1).assign(y=np.nan)
    train["y"] = train["signal"]
    assert intake.inspect(write_task(tmp_path, train, test)).targets == ("y",)


def test_a_class_called_none(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["disorder"] = ["None", "Apnea", "Insomnia"] * 30
    with pytest.raises(intake.IntakeError, match="'None' 30 times"):
        intake.inspect(write_task(tmp_path, train, test, "Metric: accuracy"))


def test_a_broken_further_table_is_no_reason_to_stop(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    (folder / "columns_description.csv").write_bytes("spalte,größe\n1,ß\n".encode("latin-1"))
    looked = intake.look(folder)
    assert "mle.data.table_unused" in {finding.code for finding in looked.findings}


def test_a_second_running_number_is_not_used(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    for name, first in (("train.csv", 0), ("test.csv", 400)):
        frame = pd.read_csv(folder / name)
        frame["instant"] = np.arange(first, first + len(frame))
        frame.to_csv(folder / name, index=False)
    dropped = intake.inspect(folder).dropped
    assert [(it.column, it.code) for it in dropped] == [("instant", "mle.data.key_drift")]


def test_archives_are_to_be_unpacked(tmp_path: Path) -> None:
    (tmp_path / "train.csv.zip").write_bytes(b"PK")
    with pytest.raises(intake.IntakeError, match="unpack"):
        intake.inspect(tmp_path)


def test_a_column_without_a_name(tmp_path: Path) -> None:
    folder = regression(tmp_path / "t")
    for name in ("train.csv", "test.csv"):
        pd.read_csv(folder / name).to_csv(folder / name)
    problem = accepted(folder, tmp_path / "w").problem
    assert problem.id_column == "id"


cells = strategies.one_of(
    strategies.none(),
    strategies.integers(-5, 5),
    strategies.floats(allow_nan=True, allow_infinity=True),
    strategies.booleans(),
    strategies.text(max_size=8),
    strategies.dates().map(str),
    strategies.sampled_from(["a", "b", "1e400", "0x1", "-", " ", "NA", "1,5", "\x00", "☃"]),
)
tables = strategies.integers(1, 5).flatmap(
    lambda width: strategies.tuples(
        strategies.lists(strategies.text(min_size=1, max_size=5), min_size=width, max_size=width),
        strategies.lists(
            strategies.lists(cells, min_size=width, max_size=width), min_size=1, max_size=12
        ),
    )
)
METRICS = strategies.sampled_from(["rmse", "accuracy", "auc", "logloss", "macro_f1"])


@given(tables, METRICS, strategies.booleans(), strategies.integers(1, 12))
@settings(max_examples=120)
def test_odd_tables_are_read_or_refused_with_a_reason(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[str], list[list[object]]],
    metric: str,
    repeat: bool,
    size: int,
) -> None:
    names, body = table
    folder = tmp_path_factory.mktemp("odd")
    train = pd.DataFrame(body * (30 if repeat else 1), columns=pd.Index(names, dtype=object))
    test = train.iloc[:size, :-1]
    folder.mkdir(exist_ok=True)
    train.to_csv(folder / "train.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    (folder / "about.md").write_text(f"Metric: {metric}")
    with suppress(intake.IntakeError):
        problem = intake.inspect(folder)
        Arena.prepare(problem, folder, folder / "work").case()
