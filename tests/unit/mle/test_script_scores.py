"""Scripts and the harness reckon alike, or honest scripts would be refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from proveout.apps.mle.experts.blocks import rows, scores
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.tables.metrics import METRICS

RNG = np.random.default_rng(0)


def problem(**known: object) -> Problem:
    return Problem.model_validate({"name": "x", "direction": "maximize", **known})


@pytest.mark.parametrize("metric", ["auc", "ap", "logloss"])
def test_several_yes_or_no_targets(metric: str) -> None:
    about = problem(kind="regression", metric=metric, targets=["a", "b", "c"])
    truth = (RNG.random((200, 3)) < [0.1, 0.5, 0.8]).astype(float)
    given = np.clip(truth * 0.3 + RNG.random((200, 3)) * 0.8, -0.1, 1.2)
    nobody = np.zeros(200, dtype=int)
    found = getattr(scores, metric)(truth, given, nobody)
    assert found == pytest.approx(METRICS[metric].score(about, truth, given))


def test_kappa_goes_by_places_not_by_the_numbers_of_labels() -> None:
    labels = ("0", "2", "10")
    about = problem(kind="multiclass", metric="qwk", targets=["a"], labels=labels)
    truth, chosen = RNG.integers(0, 3, 300), RNG.integers(0, 3, 300)
    chosen[:150] = truth[:150]
    found = scores.qwk(truth, np.eye(3)[chosen], chosen)
    assert found == pytest.approx(cohen_kappa_score(truth, chosen, weights="quadratic"))
    assert found == pytest.approx(METRICS["qwk"].score(about, truth, np.eye(3)[chosen], chosen))


def test_kappa_of_many_rows_needs_no_table_of_their_pairs() -> None:
    truth, chosen = RNG.integers(0, 5, 300_000), RNG.integers(0, 5, 300_000)
    chosen[:200_000] = truth[:200_000]
    # All pairs would take 720 GB.
    found = scores.qwk(truth, np.eye(5)[chosen], chosen)
    assert found == pytest.approx(cohen_kappa_score(truth, chosen, weights="quadratic"))


@pytest.mark.parametrize(
    "dates",
    [
        ["2024-03-01T00:00:00Z", "2024-03-02T12:30:00Z", None],
        ["2024-03-01T00:00:00+00:00", "2024-03-02 12:30", None],
        ["2024-03-01 00:00", "2024-03-02T14:30:00+02:00", None],
        ["2024-03-01", "2024-03-02 12:30:00", None],
    ],
)
def test_dates_with_and_without_a_zone(dates: list[str | None]) -> None:
    found = rows.parsed_dates(pd.Series(dates))
    days = (found - pd.Timestamp(2024, 3, 1)) / pd.Timedelta(days=1)
    assert days[:2].tolist() == pytest.approx([0.0, 1.5208333])
    assert pd.isna(days[2])


def test_a_column_without_any_date() -> None:
    assert rows.parsed_dates(pd.Series([None, None], dtype=object)).isna().all()
