"""How far the test may be from the folds by chance: as far as it is, over many samples."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.harness.judging import Predictions
from proveout.apps.mle.search.expecting import constant_score, least_error, optimism
from proveout.apps.mle.search.expecting import test_error as error_of
from tests.mle_tables import classes, regression, rows, write_task

NOISE = 0.5


def arena_of(folder: Path, work: Path) -> Arena:
    return Arena.prepare(intake.inspect(folder), folder, work)


def noisy(arena: Arena, seed: int) -> Predictions:
    """The truth with an error; copies of a row get the same one, as from a model."""
    case = arena.case()
    places = np.flatnonzero(case.fold >= 0)
    own = np.random.default_rng(seed).normal(scale=NOISE, size=arena.groups.max() + 1)
    given = case.truth[places] + own[arena.groups[places], None]
    return Predictions(rows=places, predictions=given, test=np.zeros((case.test_rows, 1)))


def test_nine_in_ten_samples_lie_within_two_errors(tmp_path: Path) -> None:
    """Fresh errors for validated rows and for as many rows as the test has, three hundred times."""
    arena = arena_of(regression(tmp_path / "task", count=600), tmp_path / "work")
    case, count = arena.case(), len(arena.real_rows)
    within = []
    for seed in range(300):
        held = noisy(arena, seed)
        told = case.metric.score(case.problem, case.truth[held.rows], held.predictions)
        rng = np.random.default_rng([seed, 1])
        truth = rng.choice(case.truth[:, 0], count)[:, None]
        tested = truth + rng.normal(scale=NOISE, size=(count, 1))
        score = case.metric.score(case.problem, truth, tested)
        within.append(abs(score - told) <= 2 * error_of(arena, held.rows, held.predictions, 0.0))
    assert 0.9 <= np.mean(within) <= 0.99


def test_copies_are_no_further_evidence(tmp_path: Path) -> None:
    train, test = rows(400), rows(200, seed=1)
    train["price"] = (3 * train["signal"] + train["size"] / 10).round(3)
    sample = pd.DataFrame({"id": range(5000, 5200), "price": 1.0})
    test.insert(0, "id", sample["id"])
    errors = []
    for times in (1, 5):
        many = pd.concat([train] * times, ignore_index=True)
        many.insert(0, "id", range(len(many)))
        folder = write_task(tmp_path / f"task{times}", many, test, sample=sample)
        arena = arena_of(folder, tmp_path / f"work{times}")
        held = noisy(arena, 3)
        errors.append(error_of(arena, held.rows, held.predictions, 0.0))
    assert errors[1] == pytest.approx(errors[0], rel=0.2)


def test_folds_that_lie_far_apart_are_heard(tmp_path: Path) -> None:
    arena = arena_of(regression(tmp_path / "task", count=600), tmp_path / "work")
    held = noisy(arena, 4)
    assert error_of(arena, held.rows, held.predictions, 7.0) >= 7.0


def test_the_same_answer_for_every_row(tmp_path: Path) -> None:
    arena = arena_of(regression(tmp_path / "task", count=600), tmp_path / "work")
    case = arena.case()
    known = case.truth[case.fold >= 0]
    assert constant_score(arena) == pytest.approx(known.std(), rel=0.02)
    other = arena_of(classes(tmp_path / "classes"), tmp_path / "other")
    assert constant_score(other) == pytest.approx(0.5)


def perfect(arena: Arena) -> tuple[np.ndarray, np.ndarray]:
    case = arena.case()
    places = np.flatnonzero(case.fold >= 0)
    return places, np.eye(case.width)[case.truth[places].ravel()]


def test_no_miss_in_a_few_rows_is_no_certainty(tmp_path: Path) -> None:
    """None of so many missed: by the rule of three, three in so many may still be."""
    told = []
    for count in (150, 1500):
        folder = classes(tmp_path / f"task{count}", count, "Metric: balanced accuracy")
        arena = arena_of(folder, tmp_path / f"work{count}")
        places, given = perfect(arena)
        told.append(error_of(arena, places, given, 0.0))
        assert 1.0 / len(places) < told[-1] < 6.0 / len(places)
        assert least_error(arena.problem) > 1.0 / count
    assert told[1] < 0.2 * told[0]


def test_misses_that_were_seen_count_more_than_those_that_were_not(tmp_path: Path) -> None:
    arena = arena_of(classes(tmp_path / "task", 600, "Metric: accuracy"), tmp_path / "work")
    places, given = perfect(arena)
    wrong = given.copy()
    wrong[::4] = 1 - wrong[::4]
    share = np.sqrt(0.25 * 0.75 * (1 / len(places) + 1 / len(arena.real_rows)))
    assert error_of(arena, places, wrong, 0.0) == pytest.approx(share, rel=0.3)


def test_what_was_decided_is_resampled_not_what_is_most_probable(tmp_path: Path) -> None:
    arena = arena_of(classes(tmp_path / "task", 600, "Metric: accuracy"), tmp_path / "work")
    places, given = perfect(arena)
    wrong = given.copy()
    wrong[::4] = 1 - wrong[::4]
    decided = wrong.argmax(axis=1)
    told = error_of(arena, places, given, 0.0, decided)
    assert told == pytest.approx(error_of(arena, places, wrong, 0.0))


def test_errors_of_numbers_have_no_floor(tmp_path: Path) -> None:
    arena = arena_of(regression(tmp_path / "task", count=600), tmp_path / "work")
    assert least_error(arena.problem) == 0.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("equal", "many"), [(True, 2), (True, 60), (False, 60)])
def test_what_the_best_of_many_owes_to_luck_is_taken_off(
    sign: float, equal: bool, many: int
) -> None:
    """Over many searches the truth about the chosen one is met; its own mean flatters it."""
    chance = np.random.default_rng(8)
    worth = np.zeros(many) if equal else chance.normal(scale=0.3, size=many)
    weights = [1.0] * 8 + [1.5]
    flattered, fair = [], []
    for _ in range(400):
        seen = sign * (worth[:, None] + chance.normal(size=(many, 9)))
        means = sign * np.average(seen, axis=1, weights=weights)
        best = int(means.argmax())
        owed = optimism(seen.tolist(), weights, sign)
        flattered.append(means[best] - worth[best])
        fair.append(means[best] - owed - worth[best])
    assert abs(np.mean(fair)) < 0.4 * np.mean(flattered)
    assert np.mean(flattered) > 0.15


def test_without_a_choice_there_is_no_luck() -> None:
    assert optimism([[0.5, 0.7, 0.9]], [1, 1, 1], 1.0) == 0.0
    assert optimism([[0.5, 0.7, 0.9]] * 3, [1, 1, 1], 1.0) == 0.0
    better_everywhere = [[0.5, 0.7, 0.9], [0.6, 0.8, 0.95], [0.1, 0.2, 0.3]]
    assert optimism(better_everywhere, [1, 1, 1], 1.0) == 0.0
    assert optimism([[0.5], [0.7]], [1], 1.0) == 0.0
