"""Which column names the rows of an answer, as a description tells it without a sample."""

import io
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.steering import written
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.harness.composing import composed_constant
from proveout.apps.mle.intake import inspect
from proveout.apps.mle.intake.handing_in import (
    copied_as_told,
    copied_in,
    key_told,
    order_told,
    targets_told,
)
from proveout.apps.mle.scripts.reading import parse_score
from tests.mle_tables import write_task

TEST = pd.DataFrame(
    {
        "weight": np.linspace(0.5, 9.5, 8),
        "order_no": [7, 5, 4, 8, 2, 1, 3, 6],
        "house no": [f"{at}b" for at in range(8)],
        "dishes": [1, 2, 1, 2, 3, 3, 1, 2],
    }
)
TRAIN = TEST.assign(minutes=[3.5, 4, 4.5, 5, 6, 6.5, 7, 7.5], mood=["good", "bad"] * 4)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Please hand in a file with the two columns `order_no` and `minutes`.", "order_no"),
        ("Your submission: order_no, minutes.", "order_no"),
        ("Submit a CSV:\n\n```\norder_no,minutes\n7,3.5\n5,4.0\n```", "order_no"),
        ("Some rows:\n\n    order_no;minutes\n    7;3.5", "order_no"),
        ("| order_no | minutes |\n|---|---|", "order_no"),
        ("The output has the columns **order_no**, **good** and **bad**.", "order_no"),
        ("Submit one prediction for each `order_no` of the test file.", "order_no"),
        ("Answers: one line per house no, with the minutes.", "house no"),
        ('The file to upload has columns "house no" and "minutes".', "house no"),
        # Not about answers, or about several, or nothing that names rows.
        ("Columns `order_no` and `minutes` are whole numbers.", ""),
        ("We charge per order_no. Errors count in minutes.", ""),
        ("Submit `order_no`, `minutes` for each `house no`.", ""),
        ("Submit the columns `weight` and `minutes`.", ""),
        ("Submit the columns `dishes` and `minutes`.", ""),
        ("Submit `order_no`, `weight` and whatever else.", ""),
        ("Submit preorder_no and minutes.", ""),
        ("Submit the minutes.", ""),
    ],
)
def test_a_key_is_what_the_description_says(text: str, key: str) -> None:
    assert key_told(text, TRAIN, TEST) == key


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Submit a file with the header `order_no,minutes`.", "minutes"),
        ("Submit `order_no`, `minutes` and `dishes`.", "minutes dishes"),
        ("Abzugeben ist eine Datei mit den Spalten `order_no;good;bad`.", "mood"),
        ("The answer has the columns order_no, bad and good.", "mood"),
        # Not all classes, both columns, or not about answers.
        ("Submit the columns `order_no` and `good`.", ""),
        ("Submit the columns `order_no`, `minutes` and `mood`.", ""),
        ("Submit `order_no`, `good`, `bad`; or `order_no`, `minutes`.", ""),
        ("The columns `order_no` and `mood` are of little use.", ""),
    ],
)
def test_the_target_is_what_an_answer_is_told_to_have(text: str, target: str) -> None:
    assert targets_told(text, TRAIN, TEST.drop(columns="dishes")) == tuple(target.split())


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Abzugeben: `id;yes;no;maybe`, eine Zeile je Spiel.", "id yes no maybe"),
        ("Submit id, maybe, no and yes.", "id maybe no yes"),
        # Not all of them, or one twice.
        ("Submit id, maybe and no.", "id no maybe yes"),
        ("Submit id, maybe, no, yes, no.", "id no maybe yes"),
        ("Of id, maybe, no and yes nobody spoke.", "id no maybe yes"),
        ("", "id no maybe yes"),
    ],
)
def test_the_order_of_an_answer_is_as_told(text: str, order: str) -> None:
    assert order_told(text, ("id", "no", "maybe", "yes")) == tuple(order.split())


def test_what_is_predicted_stands_in_the_column_that_was_told(tmp_path: Path) -> None:
    """Classes and targets follow the order of the columns; else one would be told for another."""
    TRAIN.drop(columns=["minutes", "dishes"]).to_csv(tmp_path / "train.csv", index=False)
    TEST.drop(columns="dishes").to_csv(tmp_path / "test.csv", index=False)
    text = "Log loss of `mood`. Submit the columns `order_no`, `good` and `bad`."
    (tmp_path / "description.md").write_text(text)
    problem = inspect(tmp_path)
    assert problem.targets == ("mood",)
    TRAIN.drop(columns="mood").to_csv(tmp_path / "train.csv", index=False)
    (tmp_path / "description.md").write_text("RMSE. Submit `order_no`, `minutes`, `dishes`.")
    problem = inspect(tmp_path)
    assert problem.targets == ("minutes", "dishes")
    assert problem.submission_columns == ("order_no", "minutes", "dishes")


def test_several_classes_are_told_in_the_order_of_their_columns(tmp_path: Path) -> None:
    train = pd.concat([TRAIN] * 3, ignore_index=True).assign(mood=["so-so", "good", "bad"] * 8)
    train["order_no"] = range(24)
    train.drop(columns="minutes").to_csv(tmp_path / "train.csv", index=False)
    TEST.to_csv(tmp_path / "test.csv", index=False)
    text = "Log loss. Submit `order_no`, `so-so`, `good`, `bad`."
    (tmp_path / "description.md").write_text(text)
    problem = inspect(tmp_path)
    assert problem.labels == ("so-so", "good", "bad")
    assert problem.submission_columns == ("order_no", *problem.labels)


def test_what_is_given_keeps_its_place(tmp_path: Path) -> None:
    """Columns of the answer stand for targets and classes in their order, also if these are given
    in another one than the text lists them in."""
    TRAIN.drop(columns="mood").to_csv(tmp_path / "train.csv", index=False)
    TEST.drop(columns="dishes").to_csv(tmp_path / "test.csv", index=False)
    (tmp_path / "description.md").write_text("RMSE. Submit `minutes`, `order_no`, `dishes`.")
    told = inspect(tmp_path)
    assert told.submission_columns == ("minutes", "order_no", "dishes")
    assert told.targets == ("minutes", "dishes")
    (tmp_path / "task.toml").write_text('targets = ["dishes", "minutes"]')
    given = inspect(tmp_path)
    assert given.targets == ("dishes", "minutes")
    assert [it for it in given.submission_columns if it != "order_no"] == [*given.targets]


def test_nothing_to_choose_from_is_no_key() -> None:
    text = "Submit `order_no` and `minutes`."
    assert key_told(text, TRAIN[["dishes", "minutes"]], TEST[["dishes"]]) == ""
    assert key_told(text, TEST, TEST) == ""


@pytest.mark.parametrize("listed", [True, False])
def test_the_answer_has_the_columns_that_are_asked_for(tmp_path: Path, listed: bool) -> None:
    """A number that is not called a key, somewhere in the middle of the tables."""
    TRAIN.drop(columns="mood").to_csv(tmp_path / "train.csv", index=False)
    TEST[[*TEST.columns[::-1]]].to_csv(tmp_path / "test.csv", index=False)
    asked = "Submit the columns `order_no` and `minutes`." if listed else ""
    (tmp_path / "description.md").write_text(f"Predict `minutes`. Metric: RMSE. {asked}")
    problem = inspect(tmp_path)
    assert problem.submission_columns == (("order_no", "minutes") if listed else ("minutes",))
    assert problem.id_column == ("order_no" if listed else "")


def panel(count: int = 120) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Shops and days; no column is different in each row, both together are."""
    chance = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "shop": [f"0{at % 6}" for at in range(count)],
            "day": [f"{1 + at // 6:02d}/03/2024" for at in range(count)],
            "size": chance.normal(size=count).round(3),
        }
    ).sample(frac=1.0, random_state=1)
    frame["sales"] = (frame["size"] * 3 + chance.normal(size=count)).round(3)
    return frame[: count * 2 // 3], frame[count * 2 // 3 :].drop(columns="sales")


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("Return `shop`, `day` and `sales` for each line.", ("shop", "day")),
        ("Submit a file:\n\n    day,shop,sales\n    01/03/2024,03,17.5", ("day", "shop")),
        ("Submit `shop` and `sales`.", ()),
        ("Submit `sales`, one for each line.", ()),
        ("Columns `shop`, `day` and `sales` are not what they seem.", ()),
        ("Submit `shop`, `day` and `sales`; or `day`, `shop`, `sales`.", ()),
    ],
)
def test_several_columns_may_name_a_row(text: str, copied: tuple[str, ...]) -> None:
    assert copied_as_told(text, *panel()) == copied


def test_a_sample_tells_which_columns_are_taken_over() -> None:
    _, test = panel()
    sample = test[["day", "shop"]].assign(sales=0.0)
    assert copied_in(sample, test) == ("day", "shop")
    assert copied_in(sample[::-1], test) == ("day", "shop")
    assert copied_in(sample.assign(shop="09"), test) == ()
    assert copied_in(sample[1:], test) == ()
    shops = test[["shop"]].assign(sales=0.0)
    assert copied_in(shops, test) == ("shop",)
    assert copied_in(shops[::-1], test) == ()


@pytest.mark.parametrize("value", [0.0, None])
def test_a_target_that_both_files_hold_without_an_answer_is_no_copy(value: float | None) -> None:
    test = pd.DataFrame({"id": range(30), "size": range(30), "sales": value})
    sample = test[["id", "sales"]]
    assert copied_in(sample, test, "id") == ()
    assert copied_in(sample[["sales"]], test) == ()


@pytest.mark.parametrize("sampled", [True, False])
def test_the_answer_takes_them_over_as_they_are_spelled(
    tmp_path: Path,
    sampled: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Days come before months and shops begin with nought: neither is to be tidied up."""
    train, test = panel()
    folder, work = tmp_path / "task", tmp_path / "work"
    sample = test[["day", "shop"]].assign(sales=1.5) if sampled else None
    asked = "" if sampled else "Submit the columns `day`, `shop` and `sales`."
    write_task(folder, train, test, f"Metric: MAE. {asked}", sample)
    problem = inspect(folder)
    assert (problem.id_column, problem.copied) == ("", ("day", "shop"))
    assert problem.answer_columns == ("sales",)
    arena = Arena.prepare(problem, folder, work)
    script = tmp_path / "script.py"
    script.write_text(written(problem, first_recipe(problem, "linear")))
    (tmp_path / "input").symlink_to(arena.full_input)
    (tmp_path / "final").mkdir()
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    evaluation, _ = arena.judged(tmp_path, parse_score(capsys.readouterr().out), full=True)
    assert evaluation.findings == ()
    made = pd.read_csv("final/submission.csv", dtype=str)
    assert list(made.columns) == ["day", "shop", "sales"]
    assert made[["day", "shop"]].to_numpy().tolist() == test[["day", "shop"]].to_numpy().tolist()
    alone = pd.read_csv(io.BytesIO(composed_constant(arena)), dtype=str)
    assert alone[["day", "shop"]].equals(made[["day", "shop"]])
    made.iloc[::-1].to_csv("final/submission.csv", index=False)
    refused, _ = arena.judged(tmp_path, evaluation.score, full=True)
    assert [it.code for it in refused.findings] == ["mle.submission.ids"]
