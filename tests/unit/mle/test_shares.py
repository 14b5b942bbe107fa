"""Which training rows tell when to stop, how many there is time for, and how searches for options
share theirs."""

import time
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks import validate
from proveout.apps.mle.experts.blocks.part import Part, some_of
from proveout.apps.mle.experts.blocks.tuning import tuned


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


FOLDS = {"by chance": np.arange(60) % 4, "in order": np.repeat([-1, 0, 1, 2], 15)}
"""Four rounds each: the last of those in order is for the test rows."""


@pytest.mark.parametrize("folds", FOLDS)
def test_searches_share_their_time_among_rounds_and_targets(
    folds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def fit(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
        if "searched" not in options:
            given.append(part.deadline - time.monotonic())
        return [np.zeros((len(rows), 1)) for rows in part.others]

    def search(part: Part, member: validate.Member, searches: int) -> dict[str, Any]:
        # What is found is marked, to tell fits of a search from the others.
        return {**once(part, member, searches), "searched": True}

    once = partial(tuned, search={}, seconds=800.0)
    monkeypatch.setattr(validate, "TUNERS", {"net": search})
    data = data_of(np.arange(60), np.arange(60.0), FOLDS[folds], targets=2)
    validate.run_members(data, [validate.Member("net", fit, {}, ("numbers",), seeds=2)])
    # Eight searches of 25 trials each; the clock of all trials of a search is the same.
    assert len(given) == 8 * 25
    assert 80.0 < max(given) <= 100.0


@pytest.mark.parametrize(
    ("took", "rows"),
    [(1.0, 0), (29.0, 0), (60.0, 500), (600.0, 300)],
    ids=["quick", "in time", "too slow", "far too slow"],
)
def test_fewer_rows_where_a_fold_took_too_long(
    took: float, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validate, "START", time.monotonic())
    monkeypatch.setattr(validate, "TIME_LIMIT", 60.0)
    assert validate.affordable_rows(1_000, took, 4) == pytest.approx(rows, abs=5)


@pytest.mark.parametrize(("limit", "later"), [(0.1, 300), (600.0, 750)])
def test_folds_after_a_slow_one_learn_from_what_there_is_time_for(
    limit: float, later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt: list[int] = []

    def slow(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
        del options
        learnt.append(len(part.fit))
        until = time.monotonic() + 0.2
        while time.monotonic() < until:
            pass
        return [np.zeros((len(rows), 1)) for rows in part.others]

    monkeypatch.setattr(validate, "START", time.monotonic())
    monkeypatch.setattr(validate, "TIME_LIMIT", limit)
    data = data_of(np.arange(1_000), np.arange(1_000.0), np.arange(1_000) % 4)
    (found,), _ = validate.run_members(data, [validate.Member("slow", slow, {}, ("numbers",))])
    assert learnt == [750, later, later, later]
    assert np.isfinite(found).all()
