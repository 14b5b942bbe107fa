"""Task folders of many shapes are read for what they are."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.intake.reading import sample_table
from proveout.apps.mle.problem import Column, Dropped, Problem, Table
from tests.mle_tables import classes, regression, rows, write_task


def test_a_plain_regression(tmp_path: Path) -> None:
    problem = intake.inspect(regression(tmp_path))
    assert (problem.kind, problem.metric, problem.direction) == ("regression", "rmse", "minimize")
    assert (problem.targets, problem.id_column, problem.submission) == (("price",), "id", "value")
    assert problem.submission_columns == ("id", "price")
    assert (problem.rows, problem.test_rows) == (400, 100)
    kinds = {column.name: column.kind for column in problem.columns}
    assert kinds == {
        "signal": "number",
        "size": "number",
        "colour": "category",
        "weight": "number",
    }
    assert (problem.groups, problem.time, problem.dropped) == ("", "", ())


def test_two_classes_with_probabilities(tmp_path: Path) -> None:
    problem = intake.inspect(classes(tmp_path))
    assert (problem.kind, problem.metric, problem.submission) == ("binary", "auc", "probability")
    assert problem.labels == ("no", "yes")


def test_labels_are_wanted_where_the_metric_needs_them(tmp_path: Path) -> None:
    problem = intake.inspect(classes(tmp_path, description="Metric: accuracy"))
    assert problem.submission == "value"


@pytest.mark.parametrize(
    ("spellings", "labels"),
    [
        ([True, False], ("False", "True")),
        ([0, 1], ("0", "1")),
        (["Y", "N"], ("N", "Y")),
        (["good", "bad"], ("good", "bad")),
        (["10", "9", "2"], ("2", "9", "10")),
        ([-1, 1], ("-1", "1")),
        (["b", "a", "c"], ("a", "b", "c")),
    ],
)
def test_labels_of_all_spellings(
    tmp_path: Path, spellings: list[object], labels: tuple[str, ...]
) -> None:
    train, test = rows(90), rows(30, 1)
    train["y"] = [spellings[at % len(spellings)] for at in range(90)]
    problem = intake.inspect(write_task(tmp_path, train, test, "Metric: accuracy"))
    assert problem.labels == labels
    assert problem.id_column == ""
    assert problem.submission_columns == ("y",)


def test_a_wide_answer_gives_the_order_of_classes(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["kind"] = ["ash", "oak", "fir"] * 30
    test.insert(0, "row_id", range(30))
    sample = pd.DataFrame({"row_id": range(30), "fir": 0.3, "ash": 0.3, "oak": 0.4})
    problem = intake.inspect(write_task(tmp_path, train, test, "Metric: log loss", sample))
    assert problem.targets == ("kind",)
    assert problem.labels == ("fir", "ash", "oak")
    assert (problem.submission, problem.id_column) == ("wide", "row_id")


def test_class_columns_may_carry_a_prefix(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["Status"] = ["C", "CL", "D"] * 30
    train["extra"] = 1.5
    test.insert(0, "id", range(30))
    sample = pd.DataFrame({"id": range(30), "Status_C": 0.3, "Status_CL": 0.3, "Status_D": 0.4})
    problem = intake.inspect(write_task(tmp_path, train, test, "Metric: log loss", sample))
    assert (problem.targets, problem.labels) == (("Status",), ("C", "CL", "D"))


def test_one_hot_targets_are_classes(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    for at, name in enumerate(("ash", "oak", "fir")):
        train[name] = (np.arange(90) % 3 == at).astype(int)
    sample = pd.DataFrame({"ash": [0.3] * 30, "oak": 0.3, "fir": 0.4})
    problem = intake.inspect(write_task(tmp_path, train, test, "Metric: log loss", sample))
    assert (problem.kind, problem.targets) == ("multiclass", ("class",))
    assert problem.labels == ("ash", "oak", "fir")


def test_several_targets(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["north"], train["south"] = train["signal"] * 2, train["signal"] * 3 + 1
    sample = pd.DataFrame({"north": [0.0] * 30, "south": 0.0})
    problem = intake.inspect(write_task(tmp_path, train, test, sample=sample))
    assert problem.targets == ("north", "south")
    assert problem.kind == "regression"


def test_text_alone(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = np.array(["storm", "calm", "sea", "ship", "harbour", "night"])
    text = [" ".join(rng.choice(words, 6)) for _ in range(120)]
    train = pd.DataFrame({"text": text, "author": ["A", "B"] * 60})
    test = pd.DataFrame({"text": text[:40]})
    problem = intake.inspect(write_task(tmp_path, train, test, "Scored by F1."))
    assert [column.kind for column in problem.columns] == ["text"]
    assert problem.columns[0].words == 6
    assert problem.metric == "f1"


def test_gz_and_parquet_in_a_folder_inside(tmp_path: Path) -> None:
    plain = regression(tmp_path / "plain")
    packed = tmp_path / "packed"
    (packed / "data").mkdir(parents=True)
    frame = pd.read_csv(plain / "train.csv")
    frame["day"] = pd.date_range("2020-01-01", periods=len(frame))
    frame.to_parquet(packed / "data" / "Train.parquet")
    with gzip.open(packed / "data" / "TEST.csv.gz", "wb") as stream:
        test = pd.read_csv(plain / "test.csv")
        test["day"] = "2020-02-03"
        stream.write(test.to_csv(index=False).encode())
    shutil.copy(plain / "description.md", packed / "about.txt")
    problem = intake.inspect(packed)
    assert problem.train_files == ("data/Train.parquet",)
    assert problem.test_file == "data/TEST.csv.gz"
    assert {column.name: column.kind for column in problem.columns}["day"] == "date"


def test_other_separators(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    for name in ("train.csv", "test.csv"):
        pd.read_csv(folder / name).to_csv(folder / name, index=False, sep=";")
    assert intake.inspect(folder).targets == ("price",)


def test_labels_in_a_file_of_their_own(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    frame = pd.read_csv(folder / "train.csv")
    frame[["id", "price"]].sample(frac=1, random_state=0).to_csv(
        folder / "train_labels.csv", index=False
    )
    frame.drop(columns="price").to_csv(folder / "train.csv", index=False)
    problem = intake.inspect(folder)
    assert problem.train_files == ("train.csv", "train_labels.csv")
    assert problem.targets == ("price",)


def test_a_further_table_is_joined_by_its_key(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    colours = pd.DataFrame({"colour": ["red", "green", "blue"], "warmth": [3, 2, 1]})
    colours.to_csv(folder / "colours.csv", index=False)
    pd.DataFrame({"nothing": [1, 2]}).to_csv(folder / "notes.csv", index=False)
    looked = intake.look(folder)
    assert looked.problem.tables == (Table(file="colours.csv", key="colour", columns=("warmth",)),)
    assert "mle.data.table_unused" in {finding.code for finding in looked.findings}


def test_answers_beside_the_task_are_told_and_not_used(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    test = pd.read_csv(folder / "test.csv")
    pd.DataFrame({"id": test["id"], "price": 1.5}).to_csv(folder / "truth.csv", index=False)
    looked = intake.look(folder)
    assert looked.problem.tables == ()
    assert "mle.data.answers_beside" in {finding.code for finding in looked.findings}


def test_a_key_that_only_the_sample_has(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["y"] = train["signal"]
    sample = pd.DataFrame({"Id": range(1, 31), "y": 0.0})
    problem = intake.inspect(write_task(tmp_path, train, test, sample=sample))
    assert (problem.id_column, problem.targets) == ("Id", ("y",))


def test_metric_and_direction_of_one_s_own(tmp_path: Path) -> None:
    folder = regression(tmp_path, toml='metric = "custom"\ncustom_metric = "m.py:score"\n')
    with pytest.raises(intake.IntakeError, match="more or less") as raised:
        intake.inspect(folder)
    assert 'direction = "maximize"' in str(raised.value)
    text = (folder / "task.toml").read_text() + 'direction = "lower is better"\n'
    (folder / "task.toml").write_text(text)
    assert intake.inspect(folder).direction == "minimize"


def test_task_json_is_heeded_and_task_toml_wins(tmp_path: Path) -> None:
    folder = regression(tmp_path, description="no word about it")
    (folder / "task.json").write_text(
        json.dumps({"metric": "Mean Absolute Error", "target": "price", "anything": [1]})
    )
    assert intake.inspect(folder).metric == "mae"
    (folder / "task.toml").write_text('metric = "r2"\nname = "mine"\n')
    problem = intake.inspect(folder)
    assert (problem.metric, problem.direction, problem.name) == ("r2", "maximize", "mine")


def test_what_inspection_wrote_is_read_back(tmp_path: Path) -> None:
    problem = intake.inspect(regression(tmp_path / "task"))
    intake.write_toml(problem, tmp_path / "task" / "task.toml")
    assert intake.read_toml(tmp_path / "task" / "task.toml") == problem
    assert intake.inspect(tmp_path / "task") == problem


def test_every_field_survives_the_file(tmp_path: Path) -> None:
    problem = Problem(
        name='quotes " and \\ and\nlines \x7f é',
        kind="multiclass",
        metric="logloss",
        direction="minimize",
        targets=("a b",),
        labels=("1", "'x'", ""),
        groups="id|_",
        time="year+month",
        columns=(Column(name="c", kind="text", missing=1e-06, words=2.5),),
        dropped=(Dropped(column="d", code="mle.data.constant", reason="= [x]"),),
        tables=(Table(file="t.csv", key="k", columns=("m", "n")),),
        rows=3,
    )
    intake.write_toml(problem, tmp_path / "task.toml")
    assert intake.read_toml(tmp_path / "task.toml") == problem


def test_a_large_file_is_sampled_evenly(tmp_path: Path) -> None:
    frame = pd.DataFrame({"at": np.arange(250_000)})
    frame.to_csv(tmp_path / "a.csv", index=False)
    sampled = sample_table(tmp_path / "a.csv", most=1_000)
    assert sampled.rows == 250_000
    assert 500 <= len(sampled.frame) <= 1_000
    assert sampled.frame["at"].max() > 240_000
    assert sampled.frame["at"].is_monotonic_increasing
