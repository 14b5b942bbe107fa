"""Tables with a line for some keys only; and files whose lines are cut in two."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.intake.reading import as_expected, read_table, sample_table
from tests.mle_tables import classes, regression, rows, write_task


def told(looked: intake.Inspection, code: str) -> list[str]:
    return [it.message for it in looked.findings if it.code == f"mle.data.{code}"]


def daily(folder: Path, days: int = 400) -> Path:
    """Three rows a day; the test is the last fifth."""
    frame = rows(3 * days)
    frame.insert(0, "date", np.repeat(pd.date_range("2023-01-01", periods=days), 3))
    frame["date"] = frame["date"].dt.strftime("%Y-%m-%d")
    frame.insert(0, "id", np.arange(len(frame)))
    cut = 3 * days * 4 // 5
    train = frame[:cut].assign(units=frame["signal"])
    return write_task(folder, train, frame[cut:])


def holidays(**more: object) -> pd.DataFrame:
    """Every 40th day, and two years to come."""
    return pd.DataFrame(
        {"date": pd.date_range("2023-01-15", periods=30, freq="40D").strftime("%Y-%m-%d"), **more}
    )


def test_a_calendar_of_events_is_joined(tmp_path: Path) -> None:
    folder = daily(tmp_path)
    holidays(name=["spring", "autumn"] * 15).to_csv(folder / "holidays.csv", index=False)
    looked = intake.look(folder)
    assert [(it.file, it.key) for it in looked.problem.tables] == [("holidays.csv", "date")]
    assert told(looked, "table_unused") == []


def test_a_table_of_its_own_numbers_is_no_calendar(tmp_path: Path) -> None:
    folder = daily(tmp_path)
    pd.DataFrame({"id": range(12), "shop": list("abcdefghijkl")}).to_csv(
        folder / "shops.csv", index=False
    )
    looked = intake.look(folder)
    assert looked.problem.tables == ()
    (why,) = told(looked, "table_unused")
    assert "by 'id', only 0.0% of the test rows have a line in it" in why


def test_events_that_mostly_happened_elsewhere_are_not_joined(tmp_path: Path) -> None:
    folder = daily(tmp_path)
    shops = [f"s{at}" for at in range(1200)]
    for name in ("train.csv", "test.csv"):
        frame = pd.read_csv(folder / name)
        frame["shop"] = [shops[at] for at in frame["id"]]
        frame.to_csv(folder / name, index=False)
    fires = pd.DataFrame({"shop": [*shops[::50], *(f"x{at}" for at in range(60))], "loss": 1.5})
    fires.to_csv(folder / "fires.csv", index=False)
    (why,) = told(intake.look(folder), "table_unused")
    assert "by 'shop', only 1.7% of the test rows" in why


def test_why_a_table_is_of_no_use(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    pd.DataFrame({"country": ["A"], "gdp": [1.5]}).to_csv(folder / "world.csv", index=False)
    (why,) = told(intake.look(folder), "table_unused")
    assert "world.csv is not used: it shares no column with training and test rows" in why


def broken(folder: Path, ending: str) -> Path:
    """Carriage returns in the middle of bare text cells."""
    for name, seed in (("train.csv", 0), ("test.csv", 1)):
        frame = rows(200, seed)
        frame.insert(0, "note", [f"line {at} \r\rgoes on" for at in range(200)])
        if name == "train.csv":
            frame.insert(0, "kind", np.where(frame["signal"] > 0, "up", "down"))
        text = frame.to_csv(index=False, lineterminator="\n").replace('"', "")
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.replace("\n", ending).encode())
    (folder / "description.md").write_text("Metric: accuracy")
    return folder


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_carriage_return_inside_a_line_ends_no_row(tmp_path: Path, ending: str) -> None:
    folder = broken(tmp_path / "t", ending)
    looked = intake.look(folder)
    assert set(looked.problem.labels) == {"up", "down"}
    assert looked.problem.rows == 200
    wanted = "train.csv: 400 carriage returns inside lines were read as blanks"
    assert wanted in told(looked, "read_as")
    assert not as_expected(folder / "train.csv")
    arena = Arena.prepare(looked.problem, folder, tmp_path / "w")
    seen = pd.read_csv(arena.full_input / "train.csv")
    assert len(seen) == 200
    assert seen["note"].iloc[0] == "line 0   goes on"
    assert list(seen.columns) == list(read_table(folder / "train.csv").columns)


def test_lines_that_end_with_a_carriage_return_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\r1,x\r2,y\r")
    found = sample_table(path)
    assert found.frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    assert found.notes == ()
    assert as_expected(path)


def test_a_carriage_return_where_a_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for size in range(262_140, 262_150):
        path.write_bytes(b"a,b\r\n1," + b"x" * (size - 7) + b"\r\n2,y\rz\r\n")
        assert list(read_table(path)["a"]) == [1, 2]
        assert read_table(path)["b"].iloc[1] == "y z"


def test_classes_out_of_broken_rows_are_told(tmp_path: Path) -> None:
    folder = classes(tmp_path, description="Metric: accuracy")
    with (folder / "train.csv").open("a") as stream:
        stream.write(",,,,,of a sentence\n,,,,,and its end\n")
    (found,) = told(intake.look(folder), "broken_rows")
    assert "2 of 4 classes occur in 2 rows that are nearly empty otherwise" in found
    assert "'and its end'" in found


def test_rare_classes_in_whole_rows_are_no_doubt(tmp_path: Path) -> None:
    folder = classes(tmp_path, description="Metric: accuracy")
    train = pd.read_csv(folder / "train.csv")
    train.loc[[3, 4], "late"] = ["perhaps", "never"]
    train.to_csv(folder / "train.csv", index=False)
    assert told(intake.look(folder), "broken_rows") == []
