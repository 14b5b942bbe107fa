"""How smooth models see numbers: by rank, by distance with tails drawn in, or in every way."""

import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks.classic import (
    fit_discriminant,
    fit_linear,
    fit_net,
    scaled_as,
)
from proveout.apps.mle.experts.blocks.part import Part
from proveout.apps.mle.experts.cards import CARDS
from proveout.apps.mle.experts.edits import EDITS
from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.problem import Problem
from tests.mle_tables import rows

ROWS = 3_000
BY_NAME = {edit.name: edit for edit in EDITS}
SPECIES = Problem.model_validate(
    {
        "name": "x", "targets": ["species"], "kind": "multiclass", "metric": "logloss",
        "direction": "minimize", "rows": 1_000, "labels": ["a", "b", "c"],
    }
)  # fmt: skip
PRICES = Problem.model_validate(
    {
        "name": "x", "targets": ["price"], "kind": "regression", "metric": "rmse",
        "direction": "minimize", "rows": 1_000,
    }
)  # fmt: skip


def part(**columns: np.ndarray) -> Part:
    rng = np.random.default_rng(0)
    fit = pd.DataFrame({"plain": rng.normal(size=ROWS), **columns})
    other = fit.iloc[::-1].reset_index(drop=True)
    y = fit["plain"].to_numpy() * 2.0
    times = [pd.DataFrame({"day": 0.0, "series": ""}, index=it.index) for it in (fit, other)]
    return Part(
        fit=fit, y=y, others=[other], times=times, steps=("numbers",), weight=np.ones(ROWS),
        stop=np.zeros(ROWS, bool), keys=np.arange(ROWS), deadline=1e18,
    )  # fmt: skip


ODD = {
    "varies late": np.r_[np.zeros(2_500), np.arange(500.0)],
    "huge": np.r_[np.full(10, 1e300), np.arange(ROWS - 10.0)],
    "tiny": np.linspace(1e-300, 2e-300, ROWS),
    "endless": np.r_[[np.inf, -np.inf, np.nan], np.arange(ROWS - 3.0)],
}


@pytest.mark.parametrize("scale", ["power", "ranks", "every"])
@pytest.mark.parametrize("name", list(ODD))
def test_odd_numbers_stay_finite(name: str, scale: str) -> None:
    views, settings = scaled_as(part(**{name: ODD[name]}), {"scale": scale, "strength": 1.0})
    assert settings == {"strength": 1.0}
    assert all(np.isfinite(view).all() for view in views)
    assert max(np.abs(view).max() for view in views) < 1_000


def test_distances_are_kept_where_ranks_lose_them() -> None:
    """Two clumps far apart: by rank the gap between them is no wider than within."""
    rng = np.random.default_rng(1)
    clumps = np.r_[rng.normal(0, 1, ROWS // 2), rng.normal(50, 1, ROWS // 2)]
    gaps = {}
    for scale in ("power", "ranks"):
        (view, *_), _ = scaled_as(part(clumps=clumps), {"scale": scale})
        low, high = view[: ROWS // 2, 1], view[ROWS // 2 :, 1]
        gaps[scale] = (high.min() - low.max()) / (low.std() + high.std())
    assert gaps["power"] > 1
    assert gaps["ranks"] < 0.1


def test_the_unit_of_a_column_does_not_matter() -> None:
    """Millimetres or kilometres: the same numbers in another unit are bent the same way."""
    lengths = np.exp(np.random.default_rng(2).normal(size=ROWS))
    (view, *_), _ = scaled_as(
        part(short=lengths * 1e-3, long=lengths * 1e6, negative=-lengths), {"scale": "power"}
    )
    short, long, negative = view[:, 1], view[:, 2], view[:, 3]
    assert np.allclose(short, long, atol=1e-3)
    assert np.allclose(short, -negative, atol=0.05)
    assert abs(np.mean(short**3)) < 0.2 < np.mean(((lengths - lengths.mean()) / lengths.std()) ** 3)


@pytest.mark.parametrize("scale", ["power", "ranks", "every"])
def test_models_learn_in_either_scale(scale: str) -> None:
    given = part()
    (found,) = fit_linear(given, {"scale": scale, "strength": 1.0})
    truth = given.others[0]["plain"].to_numpy() * 2.0
    assert np.corrcoef(found.ravel(), truth)[0, 1] > 0.97
    options = {"scale": scale, "nets": 1, "hidden_layer_sizes": [8], "max_iter": 30}
    (found,) = fit_net(given, {**options, "batch_size": 128, "learning_rate_init": 0.01})
    assert np.corrcoef(found.ravel(), truth)[0, 1] > 0.95


def test_a_straight_line_is_seen_whatever_the_tails() -> None:
    """Straight in the numbers, in their logarithms, or in their places: one model for all."""
    chance = np.random.default_rng(4)
    heavy = {f"heavy {n}": np.exp(chance.normal(size=ROWS)) for n in range(3)}
    given = part(**heavy)
    fit = given.fit
    for y in (
        fit["heavy 0"] - 2 * fit["heavy 1"],
        np.log(fit["heavy 0"]) + np.log(fit["heavy 2"]),
        fit["heavy 0"].rank() / ROWS,
    ):
        held = replace(given, y=y.to_numpy(), views={})
        options = first_recipe(PRICES, "linear").members[0].parameters
        (found,) = fit_linear(held, dict(options))
        missed = y.to_numpy()[::-1] - found.ravel()
        assert missed.std() < 0.2 * y.std()


def test_only_lines_are_given_every_scale() -> None:
    line, net = (first_recipe(SPECIES, card) for card in ("linear", "net"))
    every = BY_NAME["scale by every"]
    assert every.applies(SPECIES, line)
    assert not every.applies(SPECIES, net)
    assert not every.applies(PRICES, first_recipe(PRICES, "linear"))


def test_an_edit_changes_the_scale_and_another_changes_it_back() -> None:
    frame = rows(400)
    problem = Problem.model_validate(
        {
            "name": "x", "targets": ["price"], "kind": "regression", "metric": "rmse",
            "direction": "minimize", "rows": len(frame),
            "columns": [{"name": "signal", "kind": "number", "unique": 300}],
        }
    )  # fmt: skip
    recipe, dice = first_recipe(problem, "net"), random.Random(0)
    ranks, power = BY_NAME["scale by ranks"], BY_NAME["scale by power"]
    assert ranks.applies(problem, recipe)
    assert not power.applies(problem, recipe)
    other = ranks.apply(problem, recipe, dice)
    assert not ranks.applies(problem, other)
    assert power.apply(problem, other, dice) == recipe
    trees = first_recipe(problem, "lightgbm")
    assert not ranks.applies(problem, trees)
    assert not power.applies(problem, trees)


def test_nets_bend_smoothly_or_in_corners() -> None:
    problem = SPECIES
    smooth, dice = first_recipe(problem, "net"), random.Random(0)
    assert smooth.members[0].parameters["activation"] == "tanh"
    corners = BY_NAME["nets with relu"].apply(problem, smooth, dice)
    assert corners != smooth
    assert BY_NAME["nets with tanh"].apply(problem, corners, dice) == smooth
    assert not BY_NAME["nets with tanh"].applies(problem, smooth)
    assert not BY_NAME["nets with relu"].applies(problem, first_recipe(problem, "linear"))


def test_densities_take_classes_that_hardly_vary() -> None:
    """Rows of a class that differ in one column only, by two values: no width can be estimated."""
    chance = np.random.default_rng(3)
    given = replace(part(), y=np.arange(ROWS) % 2)
    columns = {f"number {place}": chance.normal(size=ROWS) for place in range(5)}
    columns = {name: np.where(given.y, values, 0.5) for name, values in columns.items()}
    columns["number 0"] = np.where(given.y, columns["number 0"], np.arange(ROWS) // 2 % 2)
    table = pd.DataFrame(columns)
    options = CARDS["curved_discriminant"].parameters(SPECIES)
    (found,) = fit_discriminant(replace(given, fit=table, others=[table]), dict(options))
    assert np.isfinite(found).all()


def test_every_smooth_card_says_its_scale() -> None:
    smooth = ("linear", "net", "kernel", "neighbours", "density")
    for card in CARDS.values():
        has = "scale" in card.parameters(SPECIES) if not card.text else False
        assert has == (card.family in smooth), card.name
