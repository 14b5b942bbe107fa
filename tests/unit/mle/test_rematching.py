"""Close calls: who is run again, and what a second run changes."""

from pathlib import Path

import pytest

from proveout.apps.mle.scripts.candidate import AGAIN, Tried
from proveout.apps.mle.search import rematching
from proveout.apps.mle.search.choosing import choose
from proveout.apps.mle.search.searching import Search
from tests.mle_tables import regression
from tests.unit.mle.test_choosing import attempt, pooled, searching
from tests.workbench import Workbench


@pytest.fixture
def search(bench: Workbench, tmp_path: Path) -> Search:
    return searching(bench, tmp_path, regression(tmp_path / "task", count=600))


def repeated(search: Search, key: str, of: Tried, error: float) -> Tried:
    """Another run of a script, with errors of this size."""
    made = attempt(search, key, error, seconds=1.0, parent=of.key)
    again = made.candidate.model_copy(update={"origin": AGAIN})
    return made.model_copy(update={"candidate": again})


def test_scripts_that_a_paired_test_cannot_tell_apart_are_rivals(search: Search) -> None:
    search.attempts = [attempt(search, key, 0.5, seconds=1.0) for key in ("a", "b", "c")]
    found = rematching.rivals(search)
    assert [item.key for item in found] == [item.key for item in search.ranked[:2]]


def test_a_script_that_stands_out_has_no_rival(search: Search) -> None:
    search.attempts = [
        attempt(search, "good", 0.1, seconds=1.0),
        attempt(search, "poor", 3.0, seconds=1.0),
    ]
    assert rematching.rivals(search) == []
    assert rematching.seconds_again(search) == 0.0


def test_the_same_predictions_twice_are_no_close_call(search: Search) -> None:
    one = attempt(search, "one", 0.5, seconds=1.0, like=7)
    search.attempts = [one, attempt(search, "two", 0.5, seconds=1.0, like=7)]
    assert rematching.rivals(search) == []


def test_slow_scripts_are_not_run_again(search: Search) -> None:
    share = rematching.AGAIN_SHARE * search.seconds
    quick = [attempt(search, key, 0.5, seconds=0.4 * share) for key in ("a", "b")]
    slow = [attempt(search, key, 0.5, seconds=3.0 * share) for key in ("a", "b")]
    search.attempts = quick
    assert 0.0 < rematching.seconds_again(search) <= share
    search.attempts = slow
    assert rematching.seconds_again(search) == 0.0
    rematching.rematch(search, reserved=0.0)
    assert search.attempts == slow


def test_nothing_is_run_again_in_time_that_is_reserved(search: Search) -> None:
    before = [attempt(search, key, 0.5, seconds=1.0) for key in ("a", "b")]
    search.attempts = list(before)
    rematching.rematch(search, reserved=search.seconds)
    assert search.attempts == before


def test_a_lucky_run_does_not_win(search: Search) -> None:
    """The one that looked best did far worse with other seeds; the other did as well again."""
    search.task = search.task.model_copy(update={"ensemble_rounds": 0})
    lucky = attempt(search, "lucky", 0.50, seconds=1.0)
    steady = attempt(search, "steady", 0.55, seconds=1.0)
    search.attempts = [lucky, steady]
    assert choose(search).members[0].key == "lucky"
    search.attempts += [
        repeated(search, "lucky again", lucky, 0.9),
        repeated(search, "steady again", steady, 0.56),
    ]
    chosen = choose(search)
    assert chosen.members[0].key == "steady"
    assert chosen.score == pytest.approx(
        sum(it.measured.score or 0.0 for it in (steady, search.attempts[-1])) / 2
    )


def test_what_is_expected_counts_all_runs_of_the_choice(search: Search) -> None:
    search.task = search.task.model_copy(update={"ensemble_rounds": 0})
    first = attempt(search, "one", 0.50, seconds=1.0)
    runs = [first, repeated(search, "one again", first, 0.6)]
    search.attempts = runs
    chosen = choose(search)
    hidden = [it.measured.holdout_score or 0.0 for it in runs]
    assert chosen.holdout == pytest.approx(sum(hidden) / 2)
    assert chosen.expected == pytest.approx(sum(pooled(search, it) for it in runs) / 2)


def test_a_second_run_is_never_the_choice_by_itself(search: Search) -> None:
    search.task = search.task.model_copy(update={"ensemble_rounds": 0})
    one = attempt(search, "one", 0.5, seconds=1.0)
    search.attempts = [one, repeated(search, "one again", one, 0.2)]
    assert choose(search).members[0].key == "one"


def test_the_report_says_how_surely_others_are_worse(search: Search) -> None:
    search.task = search.task.model_copy(update={"ensemble_rounds": 0})
    search.attempts = [
        attempt(search, "good", 0.1, seconds=1.0),
        attempt(search, "poor", 3.0, seconds=1.0),
        attempt(search, "near", 0.101, seconds=1.0),
    ]
    chances = {row.why: row.p_value for row in choose(search).rows}
    assert chances["good"] is None
    assert (chances["poor"] or 0.0) < 0.01
    assert (chances["near"] or 0.0) > 0.05
