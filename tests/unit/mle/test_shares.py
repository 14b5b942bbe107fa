"""Which training rows tell when to stop."""

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks import validate
from proveout.apps.mle.experts.blocks.part import some_of


def data_of(
    keys: np.ndarray, days: np.ndarray, fold: np.ndarray, targets: int = 1
) -> validate.Data:
    rows = len(keys)
    times = pd.DataFrame({"day": days, "series": ""})
    facts = {"numbers": pd.DataFrame({"x": np.arange(float(rows))})}
    y = np.arange(float(rows * targets)).reshape(rows, targets)
    return validate.Data(facts, facts, y, fold, times, times, keys)


def stopping(keys: np.ndarray, days: np.ndarray) -> np.ndarray:
    data = data_of(keys, days, np.zeros(len(keys), dtype=int))
    return validate.stopping_rows(data, np.arange(len(keys)))


MOMENTS = {
    "one moment": np.zeros(200),
    "nearly one moment": np.repeat([0.0, 1.0], [190, 10]),
}


@pytest.mark.parametrize("moments", MOMENTS)
def test_rows_of_one_moment_stop_by_chance(moments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate, "TIMES", ["day"])
    assert stopping(np.arange(200), MOMENTS[moments]).sum() == 24


def test_the_latest_rows_stop_where_there_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate, "TIMES", ["day"])
    assert list(np.flatnonzero(stopping(np.arange(100), np.arange(100.0)))) == list(range(88, 100))


@pytest.mark.parametrize("groups", range(2, 12))
def test_of_few_groups_some_stop_and_some_learn(groups: int) -> None:
    keys = np.arange(120) % groups
    stop = stopping(keys, np.zeros(120))
    assert set(keys[stop]).isdisjoint(keys[~stop])
    assert 0 < stop.sum() < 120


def test_rows_of_one_group_stop_by_chance() -> None:
    assert stopping(np.zeros(100), np.zeros(100)).sum() == 12


def test_some_are_never_none_nor_all() -> None:
    for count in range(2, 30):
        for share in (0.01, 0.12, 0.99):
            assert 0 < some_of(count, share, 0).sum() < count
