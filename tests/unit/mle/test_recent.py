"""What was known when rows are predicted: as much as there was, and nothing that came later."""

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks import recent, series, views
from proveout.apps.mle.experts.blocks.part import Part
from proveout.apps.mle.experts.edits import EDITS
from proveout.apps.mle.experts.ranking import first_cards, first_recipe, first_scripts
from proveout.apps.mle.problem import Column, Problem
from tests.unit.mle.test_series import STEPS, days_of, part_of


def dates_of(step: str) -> tuple[np.ndarray, int]:
    frequency, count, horizon = STEPS[step]
    return days_of(pd.date_range("1991-01-01", periods=count, freq=frequency)), horizon


@pytest.mark.parametrize("step", STEPS)
def test_the_last_value_is_as_old_as_a_row_is_ahead(step: str) -> None:
    """Of series `a` the value is the day, those of `b` are far above."""
    days, horizon = dates_of(step)
    part = part_of(days, horizon, days)
    own, later = recent.recent_values(part)
    last, slack = days[-horizon - 1], 0.25 * series.usual_step(part.times[0])
    first = (part.times[1]["series"] == "a").to_numpy()
    assert (later["last value"][first] == last).all()
    assert (later["last value"][~first] == last + 1e6).all()
    before = part.times[0][(part.times[0]["series"] == "a").to_numpy()]
    ago = before["day"] - own["last value"][: len(before)]
    known = ago.notna()
    assert known.mean() > 0.5
    assert (ago >= own["distance"][: len(before)] - slack)[known].all()
    assert set(own["distance"]) <= set(later["distance"])
    assert later["distance"].min() == pytest.approx(series.usual_step(part.times[0]), rel=0.2)


@pytest.mark.parametrize("step", ["days", "weeks", "months", "quarters"])
def test_a_season_that_grows_is_guessed(step: str) -> None:
    days, horizon = dates_of(step)
    y = 100 + days / 100 + 5 * np.cos(2 * np.pi * days / series.YEAR)
    part = part_of(days, horizon, y, names=("a",))
    own, later = recent.recent_values(part)
    column = [name for name in later if name.startswith("grown season")][-1]
    assert np.abs(later[column] - y[-horizon:]).max() < 0.8
    assert own[column].notna().mean() > 0.4
    target, (restore,) = recent.guess_form(part.y, part.times[0], part.times[1:])
    assert np.abs(restore(np.ones((horizon, 1)))[:, 0] - y[-horizon:]).max() < 1.0
    assert np.abs(target - 1).max() < 0.2


def test_a_season_is_as_many_rows_as_it_has() -> None:
    """The mean of twelve months up to the last known one; growth needs two whole years."""
    days = days_of(pd.date_range("2015-01-01", periods=50, freq="MS"))
    y = np.arange(50.0) ** 2
    part = part_of(days, 1, y, names=("a",))
    own, later = recent.recent_values(part)
    mean, grown = (next(it for it in later if it.startswith(name)) for name in ("mean", "grown"))
    assert later[mean].tolist() == [pytest.approx(y[37:49].mean())]
    growth = y[37:49].mean() - y[25:37].mean()
    assert later[grown].tolist() == [pytest.approx(y[37] + growth)]
    assert own[grown].isna().tolist() == [at < 24 for at in range(49)]


def scattered(seed: int, lowest: float = 0.0) -> Part:
    """Whom rows are about, at odd times and more or less often; some are new later."""
    chance = np.random.default_rng(seed)

    def rows(count: int, names: int, first: float, last: float) -> pd.DataFrame:
        days = np.floor(chance.uniform(first, last, count))
        return pd.DataFrame({"day": days, "series": chance.integers(0, names, count).astype(str)})

    times = [rows(300, 40, 0, 900), rows(80, 50, 901, 1100)]
    tables = [pd.DataFrame(index=it.index + 7) for it in times]
    ones = np.ones(300)
    y = lowest + chance.integers(0, 3, 300).astype(float)
    stop, keys = ones < 0, np.arange(len(ones))
    return Part(tables[0], y, tables[1:], times, (), weight=ones, stop=stop, keys=keys)


@pytest.mark.parametrize("seed", range(5))
def test_nothing_closer_than_its_distance_has_a_say_about_a_row(seed: int) -> None:
    part, chance = scattered(seed), np.random.default_rng(seed)
    days, far = part.times[0]["day"].to_numpy(), recent.distances(part.times)[0]
    slack = 0.25 * series.usual_step(part.times[0])
    before = [recent.recent_values(part)[0], recent.earlier_outcomes(part)[0]]
    for row in chance.integers(0, len(days), 12):
        later = days > days[row] - far[row] + slack
        changed = np.where(later, part.y + 1.0, part.y)
        other = Part(**{**vars(part), "y": changed})
        after = [recent.recent_values(other)[0], recent.earlier_outcomes(other)[0]]
        for one, two in zip(before, after, strict=True):
            pd.testing.assert_series_equal(one.iloc[row], two.iloc[row])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("labels", [["no", "yes"], ["a", "b", "c"]])
def test_earlier_outcomes_are_counted(
    seed: int, labels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "LABELS", labels)
    part = scattered(seed)
    part.y = np.minimum(part.y, len(labels) - 1)
    slack = 0.25 * series.usual_step(part.times[0])
    far = recent.distances(part.times)
    seen = 0
    for rows, ahead, table in zip(part.times, far, recent.earlier_outcomes(part), strict=True):
        assert list(table.columns) == [
            "seen before",
            *(
                it.format(at)
                for at in range(1, len(labels))
                for it in ("share {} before", "last {}")
            ),
        ]
        for at in range(len(rows)):
            same = part.times[0]["series"] == rows["series"][at]
            known = same & (part.times[0]["day"] <= rows["day"][at] - ahead[at] + slack)
            found = table.iloc[at]
            assert found["seen before"] == pytest.approx(np.log1p(known.sum()))
            by_then = part.times[0]["day"] <= rows["day"][at] - ahead[at] + slack
            for it in range(1, len(labels)):
                usual = (part.y[by_then] == it).mean() if by_then.any() else np.nan
                total = (part.y[known] == it).sum() + recent.FEW_SEEN * usual
                wanted = total / (known.sum() + recent.FEW_SEEN)
                assert found[f"share {it} before"] == pytest.approx(wanted, nan_ok=True)
            assert np.isnan(found["last 1"]) == (not known.any())
            seen += int(known.sum())
    assert seen > 500


def test_a_single_series_has_no_history() -> None:
    part = part_of(np.arange(50.0), 5, np.ones(50), names=("a",))
    assert [table.shape[1] for table in recent.earlier_outcomes(part)] == [0, 0]


@pytest.mark.parametrize("lowest", [1.0, 0.0, -1.0])
def test_what_is_learnt_of_a_guess_is_given_back(lowest: float) -> None:
    """Of rows about which nothing is known the guess is the value itself: nothing to be learnt."""
    part = scattered(3, lowest)
    target, (restore,) = recent.guess_form(part.y, part.times[0], part.times[1:])
    nothing_known = (
        recent.guesses(part.y, part.times)[0].drop(columns="distance").isna().all(axis=1)
    )
    neutral = 1.0 if lowest > 0 else 0.0
    assert nothing_known.any()
    assert (target[nothing_known] == neutral).all()
    found = restore(np.full((80, 1), neutral))
    assert np.isfinite(found).all()
    assert found.min() >= part.y.min()
    assert found.max() <= part.y.max()


PANEL = Problem(
    name="panel",
    kind="regression",
    metric="mae",
    direction="minimize",
    targets=("sold",),
    columns=(
        Column(name="when", kind="date", unique=60),
        Column(name="shop", kind="category", unique=40),
    ),
    time="when",
    years=5.0,
    rows=2400,
    test_rows=480,
)


def test_series_begin_from_guesses_too() -> None:
    cards = first_cards(PANEL, 8, 100.0)
    made = dict(first_scripts(PANEL, cards, 20.0, 8))
    (name,) = (it for it in made if it.endswith("on guesses"))
    assert made[name].members[0].form == "guess"
    assert "recent" in made[name].members[0].steps
    plain = first_recipe(PANEL, "lightgbm")
    (edit,) = (it for it in EDITS if it.name == "improve on guesses")
    assert edit.applies(PANEL, plain)
    assert not edit.applies(PANEL, made[name])
    assert not edit.applies(PANEL.model_copy(update={"time": ""}), plain)


def test_outcomes_of_the_same_person_are_a_step_of_classes_in_the_order_of_time() -> None:
    changed = {"kind": "binary", "metric": "auc", "labels": ("no", "yes"), "direction": "maximize"}
    classes = PANEL.model_copy(update=changed)
    assert "history" in first_recipe(classes, "lightgbm").members[0].steps
    assert "history" not in first_recipe(PANEL, "lightgbm").members[0].steps
    unordered = classes.model_copy(update={"time": ""})
    assert "history" not in first_recipe(unordered, "lightgbm").members[0].steps
