"""Files as people export them: other encodings, separators, numbers, dates and archives."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.intake.reading import read_table
from proveout.apps.mle.tables.spelling import respelled, ways_of
from tests.mle_tables import classes, regression, rows, write_task


def codes(looked: intake.Inspection) -> set[str]:
    return {finding.code for finding in looked.findings}


def again(folder: Path, **how: Any) -> None:
    """Both tables once more, written another way."""
    for name in ("train.csv", "test.csv"):
        pd.read_csv(folder / name).to_csv(folder / name, index=False, **how)


@pytest.mark.parametrize(
    ("columns", "separator", "plain"),
    [
        ({"a": ["1,5", "12", ""]}, ";", {"a": ["1.5", "12", ""]}),
        ({"a": ["1.234,50", "9"]}, ";", {"a": ["1234.50", "9"]}),
        ({"a": ["1,300", "950"], "b": ["0.5", "2"]}, "|", {"a": ["1300", "950"]}),
        ({"a": ["1,300", "950"], "b": ["x", "y"]}, ";", {"a": ["1.300", "950"]}),
        ({"a": ["1,300", "12,000,000"]}, ",", {"a": ["1300", "12000000"]}),
        ({"a": ["3,5", "12,25"]}, ",", {"a": ["3.5", "12.25"]}),
        ({"a": ["0,125", "0,250"]}, ",", {"a": ["0.125", "0.250"]}),
        ({"a": ["$1,200", "-$3.50"]}, ",", {"a": ["1200", "-3.50"]}),
        ({"a": ["12 %", "3.5%"]}, ",", {"a": ["12", "3.5"]}),
        ({"a": ["7 €", "1\u00a0234,5 €"]}, ";", {"a": ["7", "1234.5"]}),
        ({"a": ["1", "2.5", "-3e4"]}, ",", {}),
        ({"a": ["01.02.2024", "02.02.2024"]}, ";", {}),
        ({"a": ["1,2,3", "4,5"]}, ",", {}),
        ({"a": ["3,5", "three"]}, ";", {}),
        ({"id": ["1,001", "1,002"]}, ",", {}),
    ],
)
def test_numbers_as_people_write_them(
    columns: dict[str, list[str]], separator: str, plain: dict[str, list[str]]
) -> None:
    frame = pd.DataFrame(columns)
    ways = ways_of(frame, separator)
    assert {name: list(respelled(frame[name], way)) for name, way in ways.items()} == plain


def test_a_few_words_between_numbers_are_gaps() -> None:
    numbers = [str(at / 8) for at in range(40)]
    frame = pd.DataFrame({"a": [*numbers, "?", "unknown"], "code": ["1", "2", "x"] * 14})
    ways = ways_of(frame, ",")
    assert list(ways) == ["a"]
    assert list(respelled(frame["a"], ways["a"]))[-2:] == ["", ""]
    assert list(respelled(frame["a"], ways["a"]))[:40] == numbers


def test_decimal_commas_reach_scripts_as_numbers(tmp_path: Path) -> None:
    folder = regression(tmp_path / "t")
    before = pd.read_csv(folder / "train.csv")
    again(folder, sep=";", decimal=",", encoding="utf-8-sig")
    looked = intake.look(folder)
    kinds = {column.name: column.kind for column in looked.problem.columns}
    assert kinds["signal"] == kinds["weight"] == "number"
    assert "mle.data.read_as" in codes(looked)
    arena = Arena.prepare(looked.problem, folder, tmp_path / "w")
    seen = pd.read_csv(arena.full_input / "train.csv")
    pd.testing.assert_frame_equal(seen, before)


@pytest.mark.parametrize(
    ("encoding", "told"), [("latin-1", True), ("cp1252", True), ("utf-8", False), ("utf-16", False)]
)
def test_other_encodings_are_read_and_told(tmp_path: Path, encoding: str, told: bool) -> None:
    folder = regression(tmp_path)
    for name in ("train.csv", "test.csv"):
        text = (folder / name).read_text().replace("colour", "größe").replace("blue", "été")
        (folder / name).write_bytes(text.encode(encoding))
    looked = intake.look(folder)
    assert "größe" in {column.name for column in looked.problem.columns}
    assert "été" in set(read_table(folder / "train.csv")["größe"])
    assert ("mle.data.read_as" in codes(looked)) is told


@pytest.mark.parametrize("ending", [".zip", ".bz2", ".xz", ".gz"])
def test_packed_tables(tmp_path: Path, ending: str) -> None:
    folder = regression(tmp_path)
    for name in ("train.csv", "test.csv"):
        pd.read_csv(folder / name).to_csv(folder / f"{name}{ending}", index=False)
        (folder / name).unlink()
    problem = intake.inspect(folder)
    assert (problem.targets, problem.rows, problem.test_rows) == (("price",), 400, 100)


def test_an_archive_of_several_files_is_to_be_unpacked(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    with zipfile.ZipFile(folder / "train.csv.zip", "w") as archive:
        archive.write(folder / "train.csv", "train.csv")
        archive.write(folder / "test.csv", "test.csv")
    (folder / "train.csv").unlink()
    with pytest.raises(intake.IntakeError, match="holds 2 files") as raised:
        intake.inspect(folder)
    assert raised.value.code == "mle.intake.archive"


def test_tables_that_end_with_txt(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    again(folder, sep="\t")
    for name in ("train", "test"):
        (folder / f"{name}.csv").rename(folder / f"{name}.txt")
    problem = intake.inspect(folder)
    assert (problem.train_files, problem.test_file) == (("train.txt",), "test.txt")
    assert (problem.targets, problem.metric) == (("price",), "rmse")


def test_columns_of_one_name_are_numbered_if_both_files_have_them(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    for name in ("train.csv", "test.csv"):
        text = (folder / name).read_text().replace("weight", "size", 1)
        (folder / name).write_text(text)
    looked = intake.look(folder)
    assert {"size", "size.1"} <= {column.name for column in looked.problem.columns}
    assert "mle.data.read_as" in codes(looked)


def test_days_come_first_in_both_files_if_in_one(tmp_path: Path) -> None:
    days = pd.date_range("2023-01-01", periods=400)
    later = pd.date_range("2024-03-01", periods=12).repeat(5)
    train, test = rows(400).assign(day=days.strftime("%d.%m.%Y")), rows(60, 1)
    test["day"] = later.strftime("%d.%m.%Y")
    train["y"] = train["signal"]
    folder = write_task(tmp_path / "t", train, test)
    problem = intake.inspect(folder)
    assert problem.time == "day"
    arena = Arena.prepare(problem, folder, tmp_path / "w")
    assert set(pd.read_csv(arena.full_input / "test.csv")["day"]) == set(later.strftime("%Y-%m-%d"))
    windows = [it for it in arena.findings if it.code == "mle.folds.time"]
    assert "a stretch of 12 (days)" in windows[0].message


def test_classes_keep_their_leading_zeros(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["ward"] = ["007", "010", "123"] * 30
    problem = intake.inspect(write_task(tmp_path, train, test, "Metric: accuracy"))
    assert problem.labels == ("007", "010", "123")


def test_a_sample_by_another_name(tmp_path: Path) -> None:
    folder = classes(tmp_path, description="Metric: accuracy")
    test = pd.read_csv(folder / "test.csv")
    (folder / "sample_submission.csv").unlink()
    answer = pd.DataFrame({"id": test["id"], "late": "no"})
    answer.to_csv(folder / "abgabe.csv", index=False, sep=";")
    problem = intake.inspect(folder)
    assert (problem.sample_file, problem.id_column) == ("abgabe.csv", "id")
    # Answers are not all the same.
    answer["late"] = np.where(np.arange(len(test)) % 2, "yes", "no")
    answer.to_csv(folder / "abgabe.csv", index=False, sep=";")
    assert intake.inspect(folder).sample_file == ""


def test_a_sample_of_training_rows_is_no_submission(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    shortened = pd.read_csv(folder / "train.csv").head(20)
    shortened.to_csv(folder / "a_sample_of_train.csv", index=False)
    assert intake.inspect(folder).sample_file == "sample_submission.csv"
