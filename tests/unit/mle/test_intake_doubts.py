"""What the folder does not settle is told or asked; what it does settle is taken from it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.problem import Table
from tests.mle_tables import classes, regression, rows, write_task


def told(looked: intake.Inspection, code: str) -> list[str]:
    return [it.message for it in looked.findings if it.code == f"mle.data.{code}"]


def two_classes(
    folder: Path, labels: list[str], text: str = "AUC", answer: str = "kind"
) -> intake.Inspection:
    train, test = rows(90), rows(30, 1).assign(id=range(30))
    train["kind"] = [labels[at % 3 == 0] for at in range(90)]
    sample = pd.DataFrame({"id": range(30), answer: 0.5})
    return intake.look(write_task(folder, train, test, text, sample))


def test_the_answer_s_column_names_the_class_that_is_looked_for(tmp_path: Path) -> None:
    looked = two_classes(tmp_path, ["teal", "purple"], answer="p_teal")
    assert looked.problem.labels == ("purple", "teal")
    assert not told(looked, "positive_class")


def test_the_description_names_the_class_that_is_looked_for(tmp_path: Path) -> None:
    text = "Give the probability that the lamp is teal. AUC."
    looked = two_classes(tmp_path, ["teal", "purple"], text)
    assert looked.problem.labels == ("purple", "teal")
    assert not told(looked, "positive_class")


def test_words_for_no_in_several_languages(tmp_path: Path) -> None:
    assert two_classes(tmp_path, ["Ja", "Nein"]).problem.labels == ("Nein", "Ja")


def test_otherwise_the_rarer_class_is_meant_and_that_is_told(tmp_path: Path) -> None:
    looked = two_classes(tmp_path, ["amber", "zinc"])
    assert looked.problem.labels == ("amber", "zinc")
    assert "'zinc'" in told(looked, "positive_class")[0]
    looked = two_classes(tmp_path, ["zinc", "amber"])
    assert looked.problem.labels == ("zinc", "amber")
    assert not told(two_classes(tmp_path, ["zinc", "amber"], "Accuracy."), "positive_class")


@pytest.mark.parametrize(
    ("target", "sample", "line"),
    [
        (["yes", "no"], 0.5, "auc"),
        (["yes", "no"], "no", "accuracy"),
        (["a", "b", "c"], "a", "accuracy"),
        ([0.25, 1.5, 2.75], 0, "rmse"),
    ],
)
def test_the_question_for_the_metric_suggests_one_that_fits(
    tmp_path: Path, target: list[object], sample: object, line: str
) -> None:
    train, test = rows(90), rows(30, 1).assign(id=range(30))
    train["y"] = (target * 90)[:90] if isinstance(target[0], str) else np.linspace(0, 9, 90)
    frame = pd.DataFrame({"id": range(30), "y": sample})
    with pytest.raises(intake.IntakeError) as raised:
        intake.inspect(write_task(tmp_path, train, test, "Predict y.", frame))
    assert raised.value.code == "mle.intake.ask_metric"
    assert f'metric = "{line}"' in str(raised.value.hint)


def test_a_metric_that_is_not_computed_is_named(tmp_path: Path) -> None:
    folder = regression(tmp_path, description="Judged by the pinball loss, not by MAE alone.")
    with pytest.raises(intake.IntakeError, match="pinball loss"):
        intake.inspect(folder)


def test_several_targets_of_words(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["one"], train["two"] = "a", "b"
    sample = pd.DataFrame({"one": ["a"] * 30, "two": "b"})
    with pytest.raises(intake.IntakeError, match="hold words"):
        intake.inspect(write_task(tmp_path, train, test, "Accuracy", sample))


def test_decisions_about_several_targets(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["one"], train["two"] = np.arange(90) % 2, np.arange(90) % 3 % 2
    sample = pd.DataFrame({"one": [0] * 30, "two": 0})
    with pytest.raises(intake.IntakeError, match="macro_f1 over several targets"):
        intake.inspect(write_task(tmp_path, train, test, "Macro F1", sample))


def test_a_further_column_in_the_sample_is_asked_about(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    sample = pd.read_csv(folder / "sample_submission.csv").assign(Usage="Public")
    sample.to_csv(folder / "sample_submission.csv", index=False)
    with pytest.raises(intake.IntakeError, match="Usage") as raised:
        intake.inspect(folder)
    assert 'submission_columns = ["id", "price"]' in str(raised.value.hint)


def test_no_column_is_left(tmp_path: Path) -> None:
    train, test = rows(90)[["signal", "size"]], rows(30, 1)[["signal", "size"]] * np.nan
    train["y"] = train["signal"]
    with pytest.raises(intake.IntakeError, match="no column is left"):
        intake.inspect(write_task(tmp_path, train, test))


def test_the_target_in_a_sentence_without_quotes(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["sale_price"], train["days_listed"] = train["signal"], 3
    text = "The goal is to predict the sale price of each house. RMSE."
    assert intake.inspect(write_task(tmp_path, train, test, text)).targets == ("sale_price",)


def test_the_first_column_names_rows_if_it_can(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train.insert(0, "Kundennr", range(100, 190))
    test.insert(0, "Kundennr", range(190, 220))
    train["y"] = train["signal"]
    problem = intake.inspect(write_task(tmp_path, train, test))
    assert problem.submission_columns == ("Kundennr", "y")
    again = test.assign(Kundennr=range(100, 130))
    assert intake.inspect(write_task(tmp_path, train, again)).id_column == ""


def test_a_key_made_of_two_columns_is_put_together(tmp_path: Path) -> None:
    train, test = rows(400), rows(60, 1)
    train["page"], train["day"] = "home", 0
    test["page"], test["day"] = ["home", "blog"] * 30, range(60)
    train["y"] = train["signal"]
    names = [f"{page}_{day}" for page, day in zip(test["page"], test["day"], strict=True)]
    sample = pd.DataFrame({"key": names[::-1], "y": 0.0})
    folder = write_task(tmp_path / "t", train, test, sample=sample)
    looked = intake.look(folder)
    assert not told(looked, "named_by_order")
    arena = Arena.prepare(looked.problem, folder, tmp_path / "w")
    assert list(pd.read_csv(arena.full_input / "test.csv")["key"]) == names


def test_names_that_only_the_sample_has_are_told(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    train["y"] = train["signal"]
    for names, count in ((range(7, 37), 0), ([f"r{at * 7}" for at in range(30)], 1)):
        sample = pd.DataFrame({"key": names, "y": 0.0})
        looked = intake.look(write_task(tmp_path, train, test, sample=sample))
        assert len(told(looked, "named_by_order")) == count


def test_a_further_table_with_many_lines_for_a_key(tmp_path: Path) -> None:
    folder = classes(tmp_path / "t")
    ids = [*pd.read_csv(folder / "train.csv")["id"], *pd.read_csv(folder / "test.csv")["id"]]
    orders = pd.DataFrame({"id": ids * 3, "amount": np.arange(3 * len(ids)) / 4})
    orders.to_csv(folder / "orders.csv", index=False, sep=";", decimal=",")
    problem = intake.inspect(folder)
    assert problem.tables == (Table(file="orders.csv", key="id", columns=("amount",)),)
    arena = Arena.prepare(problem, folder, tmp_path / "w")
    # As a script reads it that knows no more than the name.
    assert pd.read_csv(arena.input / "orders.csv")["amount"].sum() == orders["amount"].sum()


def test_a_further_table_whose_key_is_two_columns(tmp_path: Path) -> None:
    days = pd.date_range("2024-01-01", periods=40).strftime("%d.%m.%Y")
    weather = pd.DataFrame([(s, day) for s in "AB" for day in days], columns=["station", "day"])
    weather["wind"] = np.arange(80) / 8
    rng = np.random.default_rng(0)
    train, test = (
        rows(count, count).assign(
            station=rng.choice(["A", "B"], count), day=rng.choice(days, count)
        )
        for count in (400, 90)
    )
    train["y"] = train["signal"]
    folder = write_task(tmp_path / "t", train, test)
    weather.to_csv(folder / "weather.csv", index=False, sep=";", decimal=",")
    problem = intake.inspect(folder)
    assert problem.tables == (Table(file="weather.csv", key="station+day", columns=("wind",)),)
    arena = Arena.prepare(problem, folder, tmp_path / "w")
    facts = pd.read_csv(arena.full_input / "weather.csv")
    both = pd.read_csv(arena.full_input / "test.csv").merge(facts, on="station+day")
    found = both[["station_x", "day_x", "wind"]].set_axis(["station", "day", "wind"], axis=1)
    wanted = test.merge(weather, on=["station", "day"])[["station", "day", "wind"]]
    wanted["day"] = pd.to_datetime(wanted["day"], dayfirst=True).dt.strftime("%Y-%m-%d")
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)


def test_the_key_of_a_further_table_must_exist(tmp_path: Path) -> None:
    folder = regression(tmp_path / "t")
    pd.DataFrame({"colour": ["red"], "warmth": [3]}).to_csv(folder / "facts.csv", index=False)
    (folder / "task.toml").write_text('[[tables]]\nfile = "facts.csv"\nkey = "hue"\ncolumns = []\n')
    with pytest.raises(intake.IntakeError, match="no column 'hue'"):
        Arena.prepare(intake.inspect(folder), folder, tmp_path / "w")


def test_scripts_find_one_spelling_of_a_class(tmp_path: Path) -> None:
    folder = classes(tmp_path / "t", description="Metric: accuracy")
    train = pd.read_csv(folder / "train.csv")
    train["late"] = (train["late"] == "yes").astype(float).where(train.index % 9 != 0)
    train.to_csv(folder / "train.csv", index=False)
    problem = intake.inspect(folder)
    arena = Arena.prepare(problem, folder, tmp_path / "w")
    seen = pd.read_csv(arena.full_input / "train.csv", dtype=str)["late"]
    assert set(seen) == set(problem.labels) == {"0", "1"}
    assert list(seen.astype(float)) == list(train["late"].dropna())


def test_scripts_find_the_key_in_both_files(tmp_path: Path) -> None:
    train, test = rows(400), rows(90, 1)
    train["y"] = train["signal"]
    sample = pd.DataFrame({"Id": range(1, 91), "y": 0.0})
    folder = write_task(tmp_path / "t", train, test, sample=sample)
    arena = Arena.prepare(intake.inspect(folder), folder, tmp_path / "w")
    for place in (arena.input, arena.full_input):
        named = [pd.read_csv(place / it, dtype=str)["Id"] for it in ("train.csv", "test.csv")]
        assert pd.concat(named).is_unique


def test_further_labelled_rows_are_told(tmp_path: Path) -> None:
    folder = regression(tmp_path)
    pd.read_csv(folder / "train.csv").tail(50).to_csv(folder / "valid.csv", index=False)
    found = told(intake.look(folder), "table_unused")
    assert found == ["valid.csv has the columns of the training file and is not used"]
