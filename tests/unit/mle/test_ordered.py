"""Classes in an order: one number is learnt, and what is said of it are probabilities again."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks import boosting
from proveout.apps.mle.experts.cards import CARDS
from proveout.apps.mle.experts.edits import RATES, REFITTED
from proveout.apps.mle.experts.ranges import SCALED
from proveout.apps.mle.experts.ranking import first_recipe, rank_cards
from proveout.apps.mle.experts.writer import write_script
from proveout.apps.mle.problem import Column, Problem
from tests.unit.mle.test_measures import score

CLASSES = 7
ORDERED = ("lightgbm_ordered", "catboost_ordered")


def grades(metric: str = "qwk", classes: int = CLASSES) -> Problem:
    return Problem(
        name="grades",
        kind="multiclass" if classes > 2 else "binary",
        metric=metric,
        direction="maximize",
        targets=("grade",),
        labels=tuple(str(number) for number in range(classes)),
        columns=tuple(Column(name=f"c{n}", kind="number", unique=500) for n in range(4)),
        submission_columns=("grade",),
        rows=700,
    )


def put(folder: Path) -> None:
    """Grades by an unseen number, in which two columns meet."""
    chance = np.random.default_rng(0)
    table = pd.DataFrame(chance.normal(size=(800, 4)), columns=[f"c{n}" for n in range(4)])
    merit = table["c0"] + np.sin(2 * table["c1"]) + chance.normal(0, 0.5, 800)
    table["grade"] = np.clip(np.round(merit + 3), 0, CLASSES - 1).astype(int)
    folder.joinpath("input").mkdir()
    table[:700].to_csv(folder / "input/train.csv", index=False)
    table[700:].drop(columns="grade").to_csv(folder / "input/test.csv", index=False)
    pd.DataFrame({"fold": np.arange(700) % 3}).to_csv(folder / "input/folds.csv", index=False)


@pytest.mark.parametrize("card", ORDERED)
def test_order_is_worth_more_than_classes_apart(
    card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path)
    monkeypatch.chdir(tmp_path)
    problem = grades()
    ordered = score(write_script(problem, first_recipe(problem, card, 10.0)), capsys)
    with np.load("final/predictions.npz") as held:
        assert held["predictions"].sum(axis=1) == pytest.approx(np.ones(700))
        assert set(held["test_decisions"]) <= set(range(CLASSES))
    apart = first_recipe(problem, card.removesuffix("_ordered"), 10.0)
    assert ordered > score(write_script(problem, apart), capsys) + 0.005


@pytest.mark.parametrize("card", ORDERED)
def test_trained_on_all_rows_it_still_knows_how_far_it_missed(
    card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path)
    monkeypatch.chdir(tmp_path)
    recipe = first_recipe(grades(), card, 10.0)
    refitted = recipe.with_first(recipe.members[0].with_parameters(refit=True))
    assert score(write_script(grades(), refitted), capsys) > 0.7


def test_what_is_expected_follows_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts are found in what is expected: two numbers must not become the same."""
    monkeypatch.setattr(boosting, "LABELS", list("abcde"))
    values = np.linspace(-0.5, 4.5, 51)
    for missed in (np.zeros(9), np.full(9, 0.6), np.full(9, 5.0)):
        chances = boosting.near_classes(values, missed)
        assert chances.sum(axis=1) == pytest.approx(np.ones(51))
        assert np.all(np.diff(chances @ np.arange(5)) > 0.0)


def test_order_comes_first_where_places_count_and_nowhere_else() -> None:
    assert {card.name for card in rank_cards(grades(), 60.0)[:2]} == set(ORDERED)
    assert all(CARDS[name].cost(grades()) < CARDS["lightgbm"].cost(grades()) for name in ORDERED)
    for other in (grades("accuracy"), grades(classes=2)):
        assert not {card.name for card in rank_cards(other, 60.0)} & set(ORDERED)


def test_what_can_be_moved_of_a_model_can_be_moved_of_its_ordered_kind() -> None:
    for name in ORDERED:
        plain = name.removesuffix("_ordered")
        assert SCALED[name] == SCALED[plain]
        assert RATES[name] == RATES[plain]
        assert name in REFITTED
