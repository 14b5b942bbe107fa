"""What a model is told about files: every name that the harness looks for is in it."""

# ruff: noqa: E501 - prompts are wider than code
from inline_snapshot import snapshot

from proveout.apps.mle.problem import Dropped, Problem, Table
from proveout.apps.mle.scripts.protocol import protocol

BINARY = Problem(
    name="colours",
    kind="binary",
    metric="accuracy",
    direction="maximize",
    targets=("colour",),
    labels=("red", "blue"),
    submission_columns=("id", "colour"),
)


def test_a_classification() -> None:
    text = protocol(BINARY)
    for name in ("train.csv", "test.csv", "folds.csv", "predictions.npz", "submission.csv"):
        assert name in text
    assert "(len(rows), 2)" in text
    assert "in this order: `red`, `blue`" in text
    assert "`fold != k`" in text
    assert "`Final Validation Performance: <score>` exactly once" in text


def test_rows_in_time_with_tables_and_barred_columns() -> None:
    problem = BINARY.model_copy(
        update={
            "kind": "regression",
            "labels": (),
            "targets": ("sold", "returned"),
            "time": "day",
            "tables": (Table(file="shops.csv", key="shop", columns=("town",)),),
            "dropped": (Dropped(column="code", code="mle.data.drift", reason="drifts"),),
            "submission_columns": (),
        }
    )
    text = protocol(problem)
    assert "`fold < k`" in text
    assert "fold -1" in text
    assert "`./input/shops.csv` has further facts; join it by `shop`" in text
    assert "Do not use these columns, which mislead: `code`." in text
    assert "(len(rows), 2)" in text
    assert "the value of `sold`, `returned`" in text
    assert "with the columns of the sample" in text


def test_the_whole_text() -> None:
    assert protocol(BINARY) == snapshot("""\
- `./input/train.csv` has the labelled rows, target: `colour`.
- `./input/test.csv` has the rows to predict, without a target.
- `./input/folds.csv` has one column `fold` with a line for each row of train.csv, in the same order. For k = 0, 1, … up to the largest: train on rows with `fold != k` and validate on rows with `fold == k`. Use no other split, and fit everything inside of each fold.
- Write `./final/predictions.npz` with `numpy.savez`: `rows` (positions in train.csv that were validated), `predictions` (out-of-fold, shape (len(rows), 2)) and `test` (shape (rows of test.csv, 2), in its order). A prediction is the probability of each label, in this order: `red`, `blue`.
- If labels are chosen otherwise than by the largest probability, add `decisions` and `test_decisions`: the number of the chosen label for each row.
- Write `./final/submission.csv` with `id`, `colour`: one line for each row of test.csv, in its order.
- Print `Final Validation Performance: <score>` exactly once: the mean over the folds of accuracy (maximize) on each fold's out-of-fold predictions. It is computed again from the predictions and must agree.\
""")
