"""How far a linear model trusts its rows is found out in each fold, from its own rows alone."""

import time

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks import classic, part, views
from proveout.apps.mle.experts.blocks.classic import best_strength, trial_rows
from proveout.apps.mle.experts.blocks.part import Part

ROWS = 600
LABELS = ["a", "b", "c"]


@pytest.fixture
def classes(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (classic, part, views):
        monkeypatch.setattr(module, "LABELS", LABELS)


def part_of(y: np.ndarray, keys: np.ndarray | None = None) -> Part:
    frame = pd.DataFrame(index=range(len(y)))
    days = pd.DataFrame({"day": np.arange(len(y)) // 3, "series": ""})
    return Part(
        fit=frame, y=y, others=[frame], times=[days, days], steps=(), weight=np.ones(len(y)),
        stop=np.zeros(len(y), bool), keys=np.arange(len(y)) if keys is None else keys,
        deadline=time.monotonic() + 600.0,
    )  # fmt: skip


def table(seed: int, told: float) -> tuple[np.ndarray, np.ndarray]:
    """Sixty columns, three of which tell the class more or less."""
    chance = np.random.default_rng(seed)
    x = chance.normal(size=(ROWS, 60))
    return x, (told * x[:, :3] + chance.gumbel(size=(ROWS, 3))).argmax(axis=1)


@pytest.mark.usefixtures("classes")
@pytest.mark.parametrize("seed", range(3))
def test_the_noisier_a_table_the_less_it_is_trusted(seed: int) -> None:
    found = []
    for told in (0.0, 0.5, 8.0):
        x, y = table(seed, told)
        found.append(best_strength(part_of(y), x, 1.0))
    assert found == sorted(found)
    assert found[0] <= 0.01 < found[2]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_goes_for_values(seed: int) -> None:
    chance = np.random.default_rng(seed)
    x = chance.normal(size=(ROWS, 60))
    noise = best_strength(part_of(chance.normal(size=ROWS)), x, 1.0)
    plain = best_strength(part_of(x @ chance.normal(size=60)), x, 1.0)
    assert noise <= 0.01 < plain


@pytest.mark.usefixtures("classes")
def test_predictions_get_better_by_it() -> None:
    """Log loss of unseen rows, with the strength that is found and with the one it began from."""
    x, y = table(7, 0.5)
    half = ROWS // 2
    one = part_of(y[:half])
    losses = []
    for strength in (10.0, best_strength(one, x[:half], 10.0)):
        chances = classic.fitted_linear(one, x[:half], strength).predict_proba(x[half:])
        losses.append(-np.log(chances[np.arange(half), y[half:]]).mean())
    assert losses[1] < 0.95 * losses[0]


def test_little_time_is_not_spent_on_trials() -> None:
    """Of noise nothing would be trusted, if there were time to find out."""
    chance = np.random.default_rng(1)
    x, one = chance.normal(size=(ROWS, 60)), part_of(chance.normal(size=ROWS))
    assert best_strength(one, x, 1.0) < 1.0
    one.deadline = time.monotonic()
    assert best_strength(one, x, 1.0) == 1.0


@pytest.mark.usefixtures("classes")
def test_one_class_alone_is_no_reason_to_fail() -> None:
    x, y = table(0, 1.0)
    assert best_strength(part_of(np.zeros(ROWS, int)), x, 1.0) == 1.0
    rare = np.zeros(ROWS, int)
    rare[:2] = 1
    assert np.isfinite(best_strength(part_of(rare), x, 1.0))
    assert best_strength(part_of(y[:2]), x[:2], 1.0) > 0.0


def test_groups_are_never_on_both_sides() -> None:
    keys = np.arange(ROWS) // 7
    trials = trial_rows(part_of(np.zeros(ROWS), keys))
    assert len(trials) == 3
    for learn, watch in trials:
        assert not {*keys[learn]} & {*keys[watch]}
        assert 0.05 < watch.mean() < 0.25
    assert not (trials[0][1] & trials[1][1]).any()


def test_what_is_watched_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classic, "TIMES", ["day"])
    one = part_of(np.zeros(ROWS))
    days = one.times[0]["day"].to_numpy()
    trials = trial_rows(one)
    assert trials[0][1][-1]
    for learn, watch in trials:
        assert days[learn].max() < days[watch].min()
    # All of one moment: there is nothing later.
    one.times[0]["day"] = 5.0
    assert trial_rows(one) == []
