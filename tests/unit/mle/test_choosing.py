"""The choice: scripts that err differently are blended, whether or not there is time to train them
again; and what was lucky is not taken for good."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.scripts.candidate import (
    Candidate,
    Circumstances,
    Measured,
    Tried,
    packed,
)
from proveout.apps.mle.search.choosing import choose
from proveout.apps.mle.search.expecting import constant_score
from proveout.apps.mle.search.finishing import can_be_trained
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.task import MleTask
from proveout.kernel.budget import Budget
from tests.mle_tables import regression, rows, write_task
from tests.workbench import Workbench

LIMIT = 100.0


@pytest.fixture
def search(bench: Workbench, tmp_path: Path) -> Search:
    return searching(bench, tmp_path, regression(tmp_path / "task", count=600))


def searching(bench: Workbench, tmp_path: Path, folder: Path) -> Search:
    problem = intake.inspect(folder)
    Arena.prepare(problem, folder, tmp_path / "work")
    return Search(
        task=MleTask(folder=str(folder)),
        context=bench.begin(OfflineModel(), budget=Budget(seconds=LIMIT, rounds=1000)),
        problem=problem,
        work=str(tmp_path / "work"),
        seconds=LIMIT,
    )


def attempt(  # noqa: PLR0913 - all that can differ
    search: Search,
    key: str,
    error: float,
    *,
    seconds: float,
    like: int = 0,
    parent: str = "",
    worse: float = 1.0,
) -> Tried:
    """Predicts with errors of this size, so many times as large in some folds and the hold-out;
    attempts that are `like` another err as it does."""
    case = search.arena.case()
    places = np.flatnonzero(case.fold >= 0)
    same = np.random.default_rng(like or sum(key.encode()))
    own = same.normal(scale=error, size=len(case.truth))
    own[np.isin(case.fold, (1, 3, 5, 7))] *= worse
    hidden = same.normal(scale=error, size=len(case.hidden_truth)) * worse
    test = np.full((case.test_rows, 1), case.truth.mean())
    test[case.hidden] = case.hidden_truth + hidden[:, None]
    given = (case.truth + own[:, None])[places]
    scores = [
        case.metric.score(case.problem, case.truth[places][held], given[held])
        for held in (case.fold[places] == at for at in range(case.count))
    ]
    measured = Measured(
        score=float(np.mean(scores)),
        standard_error=float(np.std(scores, ddof=1) / np.sqrt(len(scores))),
        fold_scores=tuple(scores),
        holdout_score=case.metric.score(case.problem, case.hidden_truth, test[case.hidden]),
        holdout_error=error / 10,
        predictions=search.context.record.put(packed(places, given, test)),
    )
    candidate = Candidate(source=f"# {key}", origin=f"init:{key}", parent=parent)
    around = Circumstances(seconds=seconds)
    return Tried(
        key=key, candidate=candidate, measured=measured, circumstances=around, accepted=True
    )


def test_blending_needs_no_time(search: Search) -> None:
    """All scripts together take far longer than what is left."""
    names = ("a", "b", "c", "d")
    search.attempts = [attempt(search, name, 0.5, seconds=LIMIT) for name in names]
    choice = choose(search)
    assert len(choice.members) == 4
    assert choice.standing < min(it.measured.score or 0.0 for it in search.attempts)


@pytest.mark.parametrize(
    ("cores", "rows", "tried"),
    [(1, 10**7, False), (2, 10**7, True), (8, 10**7, True), (8, 600, False)],
)
def test_a_final_run_on_the_only_core_or_a_small_table_takes_as_long_as_in_the_search(
    search: Search, cores: int, rows: int, tried: bool
) -> None:
    search.attempts = [attempt(search, "a", 0.5, seconds=20.0)]
    choice = choose(search)
    search.cores, search.problem = cores, search.problem.model_copy(update={"rows": rows})
    assert search.threads == (cores if rows > 600 else 1)
    assert can_be_trained(search, choice, left=20.0) is tried


def test_what_can_be_trained_again_is_preferred_if_it_is_nearly_as_good(search: Search) -> None:
    """The fifth helps a little and takes longer than there is time."""
    quick = [attempt(search, name, 0.5, seconds=2.0) for name in ("a", "b", "c", "d")]
    slow = attempt(search, "slow", 1.3, seconds=2 * LIMIT, like=11)
    search.attempts = [*quick, slow]
    choice = choose(search)
    assert "what there is time to train on all rows" in choice.reason
    assert {it.key for it in choice.members} <= {it.key for it in quick}
    assert choice.seconds <= LIMIT


def test_scripts_that_predict_the_same_are_told_once(search: Search) -> None:
    same = [attempt(search, name, 0.5, seconds=1.0, like=3) for name in ("a", "b", "c")]
    search.attempts = [*same, attempt(search, "d", 0.9, seconds=1.0)]
    told = [row.name for row in choose(search).rows if not row.name.startswith("blend")]
    assert told == ["c", "d"]


def test_what_only_the_slow_one_knows_is_not_given_up(search: Search) -> None:
    quick = attempt(search, "quick", 1.0, seconds=2.0)
    slow = attempt(search, "slow", 0.5, seconds=2 * LIMIT)
    search.attempts = [quick, slow]
    assert "slow" in {it.key for it in choose(search).members}


@pytest.fixture
def timed(bench: Workbench, tmp_path: Path) -> Search:
    """Test rows come later, and so do those held out."""
    train, test = rows(600), rows(150, seed=1)
    train["day"] = pd.date_range("2022-01-01", periods=600).strftime("%Y-%m-%d")
    test["day"] = pd.date_range("2023-08-24", periods=150).strftime("%Y-%m-%d")
    train["price"] = (3 * train["signal"] + train["size"] / 10).round(3)
    for number, frame in enumerate((train, test)):
        frame.insert(0, "id", range(1000 * number, 1000 * number + len(frame)))
    sample = pd.DataFrame({"id": test["id"], "price": 1.0})
    found = searching(bench, tmp_path, write_task(tmp_path / "task", train, test, sample=sample))
    assert found.arena.scheme == "time"
    return found


@pytest.mark.parametrize(("slow_error", "taken"), [(2.5, "ab"), (0.4, "abcd")])
def test_where_rows_follow_time_what_can_be_trained_on_all_of_them_is_taken(
    timed: Search, slow_error: float, taken: str
) -> None:
    """The rows held out are the latest: what was not learnt from them may be lost again, as much as
    stretches of time differ; but no more is given up for that."""
    quick = [attempt(timed, name, 0.5, seconds=2.0) for name in "ab"]
    slow = [attempt(timed, name, slow_error, seconds=2 * LIMIT) for name in "cd"]
    timed.attempts = [*quick, *slow]
    assert {it.key for it in choose(timed).members} == set(taken)


@pytest.mark.parametrize("weak_error", [1.2, 1.5])
def test_a_quick_weak_script_does_not_push_out_the_main_one(
    timed: Search, weak_error: float
) -> None:
    """Both together take longer than there is time, each alone does not."""
    main = attempt(timed, "main", 0.5, seconds=0.8 * LIMIT)
    weak = attempt(timed, "weak", weak_error, seconds=0.25 * LIMIT)
    timed.attempts = [main, weak]
    choice = choose(timed)
    assert [it.key for it in choice.members] == ["main"]
    assert "what there is time to train on all rows" in choice.reason


def test_the_main_script_is_trained_alone_if_the_other_hardly_helps(search: Search) -> None:
    main = attempt(search, "main", 0.5, seconds=0.8 * LIMIT)
    weak = attempt(search, "weak", 3.0, seconds=0.25 * LIMIT)
    search.attempts = [main, weak]
    choice = choose(search)
    assert [it.key for it in choice.members] == ["main"]
    assert "what there is time to train on all rows" in choice.reason


def test_nought_in_one_fold_does_not_change_the_measure(timed: Search) -> None:
    """Worse in every stretch is worse, and what it is measured by is written down once."""
    better, worse = timed.standing([0.0, 10.0, 10.0]), timed.standing([0.5, 11.0, 11.0])
    assert timed.better(better, worse)
    assert worse == pytest.approx((0.5 * 11.0**5) ** (1 / 6))
    written = timed.context.record.observed("@constant_score")
    assert written is not None
    assert float(written) == timed.constant_score == constant_score(timed.arena)


def test_a_blend_has_to_beat_the_best_script_itself(search: Search) -> None:
    """Over all rows at once the other one is better, but that is not what scripts are chosen by;
    both err alike, so that a blend of them lies between."""
    best = attempt(search, "best", 0.1, seconds=2.0, like=5, worse=10.0)
    other = attempt(search, "other", 0.6, seconds=2.0, like=5)
    search.attempts = [best, other]
    assert search.best is best
    choice = choose(search)
    assert [it.key for it in choice.members] == ["best"]


def test_blends_are_told_apart_in_the_report(search: Search) -> None:
    search.attempts = [attempt(search, name, 0.5, seconds=2.0) for name in ("a", "b", "c")]
    told = [row.why for row in choose(search).rows]
    assert len(set(told)) == len(told)


def test_each_family_is_represented(search: Search) -> None:
    """Twenty versions of one model do not crowd out another one."""
    first = attempt(search, "first", 0.5, seconds=0.1, like=1)
    versions = [
        attempt(search, f"version-{at}", 0.5 + at / 1000, seconds=0.1, like=1, parent="first")
        for at in range(20)
    ]
    other = attempt(search, "other", 0.7, seconds=0.1, like=2)
    search.attempts = [first, *versions, other]
    assert "other" in {it.key for it in choose(search).members}


def test_copies_count_once(search: Search) -> None:
    search.attempts = [attempt(search, name, 0.5, seconds=1.0, like=3) for name in ("a", "b")]
    choice = choose(search)
    assert len(choice.members) == 1
    assert [row.chosen for row in choice.rows].count(True) == 1


def pooled(search: Search, item: Tried) -> float:
    """Of all rows with a known answer, those held out included."""
    case, seen = search.arena.case(), item.measured
    assert seen.holdout_score is not None
    share = len(case.hidden) / (len(case.hidden) + int((case.fold >= 0).sum()))
    return (1 - share) * float(np.mean(seen.fold_scores)) + share * seen.holdout_score


def test_a_script_without_rivals_is_expected_to_do_as_it_did(search: Search) -> None:
    search.attempts = [attempt(search, "only", 0.5, seconds=2.0)]
    assert choose(search).expected == pytest.approx(pooled(search, search.attempts[0]))


def test_the_best_of_many_that_are_alike_is_expected_to_do_worse_than_it_did(
    search: Search,
) -> None:
    """All err by as much, each by chance; what a test would show is what they do on average."""
    search.task = search.task.model_copy(update={"ensemble_rounds": 0})
    search.attempts = [attempt(search, f"it-{at}", 0.5, seconds=2.0) for at in range(40)]
    choice = choose(search)
    best, usual = pooled(search, choice.members[0]), 0.5
    assert best < choice.expected
    assert abs(choice.expected - usual) < abs(best - usual)
