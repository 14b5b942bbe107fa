"""The arena: files are the same every time, truth stays inside, scores are recomputed."""

import csv
import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.problem import Problem
from tests.mle_tables import classes, honest, regression, rows, submission_of, write_out, write_task


def hashes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix == ".csv"
    }


def opened(folder: Path, work: Path, seed: int = 0) -> Arena:
    return Arena.prepare(intake.inspect(folder), folder, work, seed=seed)


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    folder = classes(tmp_path / "task")
    one, two, other = (opened(folder, tmp_path / str(at), seed=at // 2) for at in (0, 1, 2))
    assert hashes(one.root) == hashes(two.root)
    assert hashes(one.root) != hashes(other.root)
    assert hashes(one.full_input).keys() == hashes(one.input).keys()


def test_every_row_is_where_it_belongs(tmp_path: Path) -> None:
    folder = classes(tmp_path / "task")
    arena = opened(folder, tmp_path / "work")
    train, test = (pd.read_csv(arena.input / name) for name in ("train.csv", "test.csv"))
    before, unknown = (pd.read_csv(folder / name) for name in ("train.csv", "test.csv"))
    assert list(test.columns) == list(unknown.columns)
    assert sorted([*train["id"], *test["id"]]) == sorted([*before["id"], *unknown["id"]])
    case = arena.case()
    hidden = test["id"].iloc[case.hidden]
    assert set(hidden) == set(before["id"]) - set(train["id"])
    wanted = before.set_index("id")["late"].loc[hidden].map({"no": 0, "yes": 1})
    assert (wanted.to_numpy() == case.hidden_truth).all()
    assert (case.truth == train["late"].map({"no": 0, "yes": 1})).all()
    folds = pd.read_csv(arena.input / "folds.csv")
    assert (folds["fold"].to_numpy() == case.fold).all()
    whole = arena.case(full=True)
    assert len(whole.truth) == len(before)
    assert pd.read_csv(arena.full_input / "test.csv")["id"].equals(unknown["id"])


def test_hidden_rows_are_mixed_in(tmp_path: Path) -> None:
    arena = opened(regression(tmp_path / "task", count=800), tmp_path / "work")
    places = arena.case().hidden / arena.case().test_rows
    assert 0.35 < places.mean() < 0.65


def test_values_keep_their_spelling(tmp_path: Path) -> None:
    train, test = rows(60), rows(20, 1)
    train["zip"], test["zip"] = "00501", "00044"
    train["note"], test["note"] = 'a "b", c\nd', "NA"
    train["y"] = train["signal"]
    arena = opened(write_task(tmp_path / "task", train, test), tmp_path / "work")
    seen = pd.read_csv(arena.full_input / "train.csv", dtype=str, keep_default_na=False)
    assert set(seen["zip"]) == {"00501"}
    assert set(seen["note"]) == {'a "b", c\nd'}


def test_line_ends_inside_of_cells_are_no_rows(tmp_path: Path) -> None:
    train, test = rows(60), rows(20, 1)
    train["note"], test["note"] = "one\rtwo\r\nthree", "four\rfive"
    train["y"] = train["signal"]
    folder = write_task(tmp_path / "task", train, test)
    train.to_csv(folder / "train.csv", index=False, quoting=csv.QUOTE_ALL)
    test.to_csv(folder / "test.csv", index=False, quoting=csv.QUOTE_ALL)
    arena = opened(folder, tmp_path / "work")
    assert len(pd.read_csv(arena.full_input / "train.csv")) == 60
    assert len(pd.read_csv(arena.full_input / "test.csv")) == 20


def test_real_rows_are_found_again(tmp_path: Path) -> None:
    folder = classes(tmp_path / "task")
    arena = opened(folder, tmp_path / "work")
    shown = pd.read_csv(arena.input / "test.csv")["id"].to_numpy()
    assert list(shown[arena.real_rows]) == list(pd.read_csv(folder / "test.csv")["id"])


def test_columns_filled_in_later_are_empty_for_scripts(tmp_path: Path) -> None:
    train, test = rows(600), rows(300, 1)
    train["y"] = train["signal"]
    train["paid"], test["paid"] = np.arange(600) + 0.5, 0.0
    arena = opened(write_task(tmp_path / "task", train, test), tmp_path / "work")
    assert "mle.data.collapsed_at_test" in {finding.code for finding in arena.findings}
    for name in ("train.csv", "test.csv"):
        assert pd.read_csv(arena.input / name)["paid"].isna().all()


def test_it_is_opened_again_and_refuses_another_task(tmp_path: Path) -> None:
    folder = regression(tmp_path / "task")
    problem = intake.inspect(folder)
    first = Arena.prepare(problem, folder, tmp_path / "work", seed=0)
    stamp = (first.input / "train.csv").stat().st_mtime_ns
    again = Arena.prepare(problem, folder, tmp_path / "work", seed=0)
    assert again == first
    assert (first.input / "train.csv").stat().st_mtime_ns == stamp
    with pytest.raises(intake.IntakeError, match="another task"):
        Arena.prepare(problem, folder, tmp_path / "work", seed=1)
    os.utime(folder / "train.csv")
    Arena.prepare(problem, folder, tmp_path / "work", seed=0)
    (folder / "train.csv").write_text((folder / "train.csv").read_text() + "9999,0,0,red,0,1\n")
    with pytest.raises(intake.IntakeError, match="has changed"):
        Arena.prepare(problem, folder, tmp_path / "work", seed=0)


def test_a_half_made_arena_is_made_again(tmp_path: Path) -> None:
    folder = regression(tmp_path / "task")
    (tmp_path / "work" / "arena" / "input").mkdir(parents=True)
    (tmp_path / "work" / "arena" / "input" / "train.csv").write_text("rubbish")
    arena = opened(folder, tmp_path / "work")
    assert len(pd.read_csv(arena.input / "train.csv")) > 300
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["arena"]


def test_truth_is_not_among_the_files_for_scripts(tmp_path: Path) -> None:
    arena = opened(regression(tmp_path / "task"), tmp_path / "work")
    for folder in (arena.input, arena.full_input):
        assert {path.name for path in folder.iterdir()} == {
            "train.csv",
            "test.csv",
            "folds.csv",
            "sample_submission.csv",
        }
        assert "price" not in pd.read_csv(folder / "test.csv").columns
        sample = pd.read_csv(folder / "sample_submission.csv")
        assert set(sample["price"]) == {1.0}
        assert sample["id"].equals(pd.read_csv(folder / "test.csv")["id"])


def test_rows_without_a_target_are_left_out(tmp_path: Path) -> None:
    folder = regression(tmp_path / "task")
    frame = pd.read_csv(folder / "train.csv")
    frame.loc[::10, "price"] = np.nan
    frame.to_csv(folder / "train.csv", index=False)
    arena = opened(folder, tmp_path / "work")
    assert len(pd.read_csv(arena.full_input / "train.csv")) == 360


def test_class_columns_become_one(tmp_path: Path) -> None:
    train, test = rows(90), rows(30, 1)
    names = ("ash", "oak", "fir")
    for at, name in enumerate(names):
        train[name] = (np.arange(90) % 3 == at).astype(int)
    sample = pd.DataFrame({name: [0.3] * 30 for name in names})
    folder = write_task(tmp_path / "task", train, test, "Metric: log loss", sample)
    arena = opened(folder, tmp_path / "work")
    assert list(pd.read_csv(arena.input / "train.csv")["class"][:3]) == list(names)
    assert list(arena.case(full=True).truth[:4]) == [0, 1, 2, 0]


def test_rows_get_their_key_from_the_sample(tmp_path: Path) -> None:
    train, test = rows(400), rows(30, 1)
    train["y"] = train["signal"]
    sample = pd.DataFrame({"Id": range(1, 31), "y": 0.0})
    arena = opened(write_task(tmp_path / "task", train, test, sample=sample), tmp_path / "work")
    assert list(pd.read_csv(arena.full_input / "test.csv")["Id"]) == list(range(1, 31))
    assert pd.read_csv(arena.input / "test.csv", dtype=str)["Id"].is_unique


def test_tables_and_labels_in_files_of_their_own(tmp_path: Path) -> None:
    folder = regression(tmp_path / "task")
    frame = pd.read_csv(folder / "train.csv")
    frame[["id", "price"]].iloc[::-1].to_csv(folder / "train_labels.csv", index=False)
    frame.drop(columns="price").to_csv(folder / "train.csv", index=False)
    pd.DataFrame({"colour": ["red", "green", "blue"], "warmth": [3, 2, 1]}).to_csv(
        folder / "colours.csv", index=False
    )
    arena = opened(folder, tmp_path / "work")
    assert (arena.input / "colours.csv").is_file()
    assert (arena.case(full=True).truth[:, 0] == frame["price"]).all()


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("make", [regression, classes])
def test_an_honest_script_is_accepted(tmp_path: Path, make: object, full: bool) -> None:
    folder = make(tmp_path / "task")  # type: ignore[operator]
    arena = opened(folder, tmp_path / "work")
    arrays = honest(arena.case(full=full))
    source = (arena.full_input if full else arena.input) / "test.csv"
    made = submission_of(arena.problem, source, arrays["test"])
    out = write_out(tmp_path / "out", arrays, made)
    score = arena.judge(out, 0.0, full=full).score
    assert score is not None
    judged = arena.judge(out, score, full=full)
    assert judged.accepted, judged.findings
    assert (judged.holdout_score is None) == full
    assert len(judged.fold_scores) == 10
    assert judged.standard_error > 0
    if not full:
        assert judged.holdout_score == pytest.approx(score, rel=0.2)
        assert judged.holdout_error > 0


def test_copies_of_a_row_may_share_their_key(tmp_path: Path) -> None:
    folder = classes(tmp_path / "task")
    train = pd.read_csv(folder / "train.csv")
    pd.concat([train, train.head(120)]).to_csv(folder / "train.csv", index=False)
    arena = opened(folder, tmp_path / "work")
    hidden = pd.read_csv(arena.input / "test.csv")["id"]
    assert hidden.duplicated().any()
    arrays = honest(arena.case())
    made = submission_of(arena.problem, arena.input / "test.csv", arrays["test"])
    out = write_out(tmp_path / "out", arrays, made)
    score = arena.judge(out, 0.0).score
    judged = arena.judge(out, score)
    assert judged.accepted, judged.findings
    # In another order nobody can tell which of the copies is which.
    write_out(out, arrays, made.iloc[::-1])
    codes = [finding.code for finding in arena.judge(out, score).findings]
    assert "mle.submission.ids" in codes


def test_a_metric_of_one_s_own(tmp_path: Path) -> None:
    toml = 'metric = "custom"\ncustom_metric = "own.py:worst"\ndirection = "minimize"\n'
    folder = regression(tmp_path / "task", toml=toml)
    (folder / "own.py").write_text("def worst(t, p):\n    return float(abs(t - p).max())\n")
    arena = opened(folder, tmp_path / "work")
    case = arena.case()
    given = honest(case)
    out = write_out(tmp_path / "out", given)
    score = arena.judge(out, None).score
    gaps = np.abs(case.truth[given["rows"]] - given["predictions"])[:, 0]
    fold = case.fold[given["rows"]]
    assert score == pytest.approx(np.mean([gaps[fold == at].max() for at in range(10)]))


@pytest.mark.parametrize("named", ["", "own.py", "own.py:nothing", "gone.py:f", "bad.py:f"])
def test_a_metric_that_is_not_there(tmp_path: Path, named: str) -> None:
    folder = regression(tmp_path / "task")
    (folder / "own.py").write_text("")
    (folder / "bad.py").write_text("def f(:")
    plain = intake.inspect(folder)
    problem = Problem.model_validate(
        {**plain.model_dump(), "metric": "custom", "custom_metric": named}
    )
    arena = Arena.prepare(problem, folder, tmp_path / "work")
    with pytest.raises(intake.IntakeError):
        arena.case()


def test_blanks_at_the_ends_make_no_other_category_and_capitals_are_told(tmp_path: Path) -> None:
    train, test = rows(400), rows(100, seed=1)
    for frame in (train, test):
        frame["sex"] = np.resize(["Male", "male", " Male ", "female", "female "], len(frame))
    train["price"] = train["signal"] * 2
    arena = opened(write_task(tmp_path / "task", train, test), tmp_path / "work")
    for folder in (arena.input, arena.full_input):
        for name in ("train.csv", "test.csv"):
            assert set(pd.read_csv(folder / name)["sex"]) == {"Male", "male", "female"}
    told = [it.message for it in arena.findings if it.code == "mle.data.spellings"]
    assert told == [
        "column 'sex' spells 1 of its 2 values in several ways, such as 'Male' and 'male': "
        "they count as different"
    ]
