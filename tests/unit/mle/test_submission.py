"""Submissions: every way to get one wrong, and that a right one passes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.harness.judging import Predictions
from proveout.apps.mle.harness.submission import Expected, check
from proveout.apps.mle.problem import Problem

IDS = tuple(f"t{at}" for at in range(50))


def problem(**more: object) -> Problem:
    plain = {
        "name": "p",
        "kind": "regression",
        "metric": "rmse",
        "direction": "minimize",
        "targets": ("y",),
        "id_column": "id",
        "submission_columns": ("id", "y"),
    }
    return Problem.model_validate({**plain, **more})


NUMBERS = problem()
LABELS = problem(kind="binary", metric="accuracy", labels=("False", "True"))
SHARE = problem(kind="binary", metric="auc", labels=("0", "1"), submission="probability")
WIDE = problem(
    kind="multiclass",
    metric="logloss",
    labels=("a", "b"),
    submission="wide",
    submission_columns=("id", "a", "b"),
)


def right(about: Problem) -> pd.DataFrame:
    values = np.linspace(0.1, 0.9, 50)
    if about is LABELS:
        return pd.DataFrame({"id": IDS, "y": values > 0.4})
    if about is WIDE:
        return pd.DataFrame({"id": IDS, "a": values, "b": 1 - values})
    return pd.DataFrame({"id": IDS, "y": values})


def checked(
    out: Path, about: Problem, frame: pd.DataFrame, given: Predictions | None = None
) -> list[str]:
    (out / "final").mkdir(parents=True, exist_ok=True)
    frame.to_csv(out / "final" / "submission.csv", index=False)
    sample = out / "sample.csv"
    right(about).assign(**dict.fromkeys(frame.columns[1:], 0.5)).to_csv(sample, index=False)
    found = check(about, out, Expected(ids=IDS, rows=50, sample=sample), given)
    return [finding.code.removeprefix("mle.submission.") for finding in found]


@pytest.mark.parametrize("about", [NUMBERS, LABELS, SHARE, WIDE])
def test_a_right_one_passes(tmp_path: Path, about: Problem) -> None:
    assert checked(tmp_path, about, right(about)) == []
    assert checked(tmp_path, about, right(about).iloc[::-1]) == []


@pytest.mark.parametrize(
    ("about", "change", "code"),
    [
        (NUMBERS, lambda it: it.drop(columns="y"), "columns"),
        (NUMBERS, lambda it: it.assign(z=1), "columns"),
        (NUMBERS, lambda it: it[["y", "id"]], "columns"),
        (NUMBERS, lambda it: it.head(49), "rows"),
        (NUMBERS, lambda it: it.assign(id=["t1", *IDS[1:]]), "ids"),
        (NUMBERS, lambda it: it.assign(id=["x", *IDS[1:]]), "ids"),
        (NUMBERS, lambda it: it.assign(y=[np.nan, *it["y"][1:]]), "gaps"),
        (NUMBERS, lambda it: it.assign(y=["many", *it["y"][1:]]), "values"),
        (NUMBERS, lambda it: it.assign(y=[np.inf, *it["y"][1:]]), "values"),
        (NUMBERS, lambda it: it.assign(y=["1_0", *it["y"][1:]]), "values"),
        (NUMBERS, lambda it: it.assign(y=["many", np.nan, *it["y"][2:]]), "gaps"),
        (NUMBERS, lambda it: it.assign(y=0.5), "is_sample"),
        (NUMBERS, lambda it: it.assign(y=0.7), "constant"),
        (SHARE, lambda it: it.assign(y=it["y"] * 3), "values"),
        (SHARE, lambda it: it.assign(y="0.50"), "is_sample"),
        (LABELS, lambda it: it.assign(y=[0.3, *it["y"][1:]]), "labels"),
        (LABELS, lambda it: it.assign(y=["", *it["y"][1:]]), "gaps"),
        (WIDE, lambda it: it.assign(a=0.0, b=0.0), "values"),
    ],
)
def test_a_wrong_one_does_not(
    tmp_path: Path, about: Problem, change: Callable[[pd.DataFrame], pd.DataFrame], code: str
) -> None:
    assert checked(tmp_path, about, change(right(about))) == [code]


def test_labels_in_another_spelling_are_the_same(tmp_path: Path) -> None:
    frame = right(LABELS)
    assert checked(tmp_path, LABELS, frame.assign(y=frame["y"].astype(str).str.upper())) == []


def test_negative_values_under_rmsle(tmp_path: Path) -> None:
    frame = right(NUMBERS)
    about = problem(metric="rmsle")
    assert checked(tmp_path, about, frame.assign(y=frame["y"] - 0.5)) == ["values"]


def test_without_a_key_the_order_counts(tmp_path: Path) -> None:
    about = problem(id_column="", submission_columns=("y",))
    (tmp_path / "final").mkdir()
    right(NUMBERS)[["y"]].to_csv(tmp_path / "final" / "submission.csv", index=False)
    assert check(about, tmp_path, Expected(ids=(), rows=50)) == ()
    assert [it.code for it in check(about, tmp_path, Expected(ids=(), rows=51))] == [
        "mle.submission.rows"
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"id,y\n" + b"\xff\xfe" * 30,
        b'id,y\n"unfinished',
        b"x" * 100_000,
        b"id,y\n" + b"t1,1\n" * 49 + b"t2\n",
        b"id,y\n" + b"t1,1\n" * 49 + b"t2,1,1\n",
    ],
)
def test_rubbish(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "final").mkdir()
    (tmp_path / "final" / "submission.csv").write_bytes(content)
    found = check(NUMBERS, tmp_path, Expected(ids=IDS, rows=50))
    assert len(found) == 1
    assert found[0].severity == "error"


def test_bytes_that_mark_the_encoding_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "final").mkdir()
    text = right(NUMBERS).to_csv(index=False, lineterminator="\r\n\r\n")
    (tmp_path / "final" / "submission.csv").write_text(text, encoding="utf-8-sig", newline="")
    assert check(NUMBERS, tmp_path, Expected(ids=IDS, rows=50)) == ()


def test_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "final").mkdir()
    right(NUMBERS).to_csv(tmp_path / "other.csv", index=False)
    (tmp_path / "final" / "submission.csv").symlink_to(tmp_path / "other.csv")
    found = check(NUMBERS, tmp_path, Expected(ids=IDS, rows=50))
    assert [it.code for it in found] == ["mle.submission.unreadable"]


def given(test: np.ndarray, own: np.ndarray | None = None) -> Predictions:
    return Predictions(rows=np.arange(50), predictions=test if own is None else own, test=test)


def test_it_must_say_what_the_predictions_say(tmp_path: Path) -> None:
    values = np.linspace(0.1, 0.9, 50)[:, None]
    assert checked(tmp_path, NUMBERS, right(NUMBERS), given(values)) == []
    assert checked(tmp_path, NUMBERS, right(NUMBERS), given(values[::-1])) == ["differs"]
    shares = np.hstack([1 - values, values])
    assert checked(tmp_path, SHARE, right(SHARE), given(shares)) == []
    assert checked(tmp_path, LABELS, right(LABELS), given(shares)) == ["differs"]


def test_predictions_that_look_unlike(tmp_path: Path) -> None:
    values = np.linspace(0.1, 0.9, 50)[:, None]
    assert checked(tmp_path, NUMBERS, right(NUMBERS), given(values, values + 2)) == ["distribution"]
