"""Which column names the rows of an answer, as a description tells it without a sample."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.intake import inspect
from proveout.apps.mle.intake.handing_in import key_told

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
