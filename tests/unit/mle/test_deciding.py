"""Where the largest probability is a poor choice: what was decided is what is compared and told,
and blends decide as scripts do, by a rule that never saw the rows it is judged on."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.apps.mle import flow, intake
from proveout.apps.mle.experts import blending
from proveout.apps.mle.experts.blending import Array, Rows, Seen
from proveout.apps.mle.experts.blocks.decisions import nested_decisions
from proveout.apps.mle.experts.deciding import chooser, decides
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.harness.composing import composed_constant
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.candidate import (
    Candidate,
    Measured,
    Predictions,
    Tried,
    packed,
    unpacked,
)
from proveout.apps.mle.search.choosing import choose
from proveout.apps.mle.search.finishing import finish, provisional, solution_of
from proveout.apps.mle.search.mixing import Blended, Mixture, MixtureProposer
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.tables.metrics import METRICS
from proveout.apps.mle.task import MleTask
from proveout.kernel.budget import Budget
from proveout.kernel.loop import attempts
from proveout.kernel.types import Attempt, Finding
from tests.mle_tables import classes, regression, rows, write_task
from tests.workbench import Workbench

NAMES = ("no", "yes")


def yes_or_no(metric: str) -> Problem:
    return Problem(
        name="late",
        kind="binary",
        metric=metric,
        direction="maximize",
        targets=("late",),
        labels=NAMES,
    )


def rare(folder: Path, metric: str = "Matthews correlation", count: int = 1200) -> Path:
    """One row in ten is `yes`; the sample wants a label."""
    train, test = rows(count), rows(count // 3, seed=1)
    for number, frame in enumerate((train, test)):
        frame.insert(0, "id", range(10_000 * number, 10_000 * number + len(frame)))
    noise = np.random.default_rng(5).normal(size=count)
    train["late"] = np.where(train["signal"] + noise > 1.8, "yes", "no")
    sample = pd.DataFrame({"id": test["id"], "late": "no"})
    return write_task(folder, train, test, f"Metric: {metric}", sample)


def searching(bench: Workbench, tmp_path: Path, folder: Path, seconds: float = 100.0) -> Search:
    problem = intake.inspect(folder)
    Arena.prepare(problem, folder, tmp_path / "out" / "work")
    return Search(
        task=MleTask(folder=str(folder)),
        context=bench.begin(OfflineModel(), budget=Budget(seconds=100.0, rounds=1000)),
        problem=problem,
        work=str(tmp_path / "out" / "work"),
        seconds=seconds,
    )


def timid(truth: Array, seed: int, noise: float) -> Array:
    """Puts rows into a good order, but says `yes` of none of them."""
    raw = truth + np.random.default_rng(seed).normal(scale=noise, size=len(truth))
    chance = 0.4 / (1.0 + np.exp(-2 * (raw - 1.0)))
    return np.column_stack([1.0 - chance, chance])


def attempt(
    search: Search, key: str, seed: int, *, noise: float = 0.7, ruled: bool = True
) -> Tried:
    """Decides by a threshold, as a script does."""
    case = search.arena.case()
    places = np.flatnonzero(case.fold >= 0)
    truth, fold = case.truth[places].ravel(), case.fold[places]
    given = timid(truth, seed, noise)
    shown = np.zeros(case.test_rows)
    shown[case.hidden] = case.hidden_truth.ravel()
    test = timid(shown, seed + 100, noise)
    decisions: Any = (None, None)
    if ruled:
        found = chooser(case.problem, scored(case.problem))
        decisions = nested_decisions(
            lambda y, p, _: found(y, p), truth, given, fold, test, scored(case.problem)
        )

    def score(truth: Any, given: Any, chosen: Any, held: Any) -> float:
        said = None if chosen is None else chosen[held]
        return case.metric.score(case.problem, truth, given[held], said)

    scores = [score(truth[fold == k], given, decisions[0], fold == k) for k in range(case.count)]
    measured = Measured(
        score=float(np.mean(scores)),
        standard_error=float(np.std(scores, ddof=1) / np.sqrt(len(scores))),
        fold_scores=tuple(scores),
        holdout_score=score(case.hidden_truth, test, decisions[1], case.hidden),
        holdout_error=0.03,
        predictions=search.context.record.put(packed(places, given, test, *decisions)),
    )
    candidate = Candidate(source=f"# {key}", origin=f"init:{key}")
    return Tried(key=key, candidate=candidate, measured=measured, accepted=True)


def scored(problem: Problem) -> Callable[[Any, Any, Any], float]:
    metric = METRICS[problem.metric]
    return lambda truth, given, chosen: metric.score(problem, truth, given, chosen)


def submitted(search: Search) -> pd.Series:
    return pd.read_csv(Path(search.work).parent / "submission.csv")["late"]


def test_decisions_are_kept_and_older_contents_are_read() -> None:
    given, test = np.full((3, 2), 0.5), np.full((2, 2), 0.5)
    plain = packed(range(3), given, test)
    with np.load(io.BytesIO(plain)) as held:
        assert sorted(held.files) == ["predictions", "rows", "test"]
    assert unpacked(plain).decisions is None
    kept = unpacked(packed(range(3), given, test, [0, 1, 1], [1, 0]))
    assert list(kept.decisions) == [0, 1, 1]
    assert list(kept.test_decisions) == [1, 0]


def test_the_submission_so_far_is_what_the_script_decided(bench: Workbench, tmp_path: Path) -> None:
    search = searching(bench, tmp_path, rare(tmp_path / "task"))
    search.attempts = [attempt(search, "a", 1)]
    provisional(search)
    held = search.predicted(search.attempts[0].measured.predictions)
    wanted = np.array(NAMES)[held.test_decisions[search.arena.real_rows]]
    assert list(submitted(search)) == list(wanted)


def test_a_script_among_others_is_worth_what_it_decided(bench: Workbench, tmp_path: Path) -> None:
    search = searching(bench, tmp_path, rare(tmp_path / "task"))
    search.attempts = [attempt(search, "a", 1), attempt(search, "b", 2, noise=2.0)]
    made = blend(search, "best")
    assert made.verdict.score == pytest.approx(search.attempts[0].measured.score)
    seen = search.seen(made.verdict.evidence, "holdout")
    assert seen["holdout"] == pytest.approx(search.attempts[0].measured.holdout_score)


def blend(search: Search, strategy: blending.Strategy) -> Attempt[Mixture]:
    context = search.context.branch(f"try-{strategy}", Budget(rounds=1))
    proposer = MixtureProposer(search, strategy, tuple(search.attempts))
    (made,) = list(attempts(search.task, proposer, (Blended(search),), context))
    return made


@pytest.mark.parametrize("ruled", [True, False])
def test_a_blend_decides_as_its_members_do_and_keeps_to_it(
    bench: Workbench, tmp_path: Path, ruled: bool
) -> None:
    """None of the members calls any row `yes` by its largest probability."""
    search = searching(bench, tmp_path, rare(tmp_path / "task"), seconds=1.0)
    search.attempts = [
        attempt(search, name, seed, ruled=ruled) for seed, name in enumerate("abcd", start=1)
    ]
    choice = choose(search)
    assert len(choice.members) > 1
    assert choice.decided
    best = max(it.measured.score or 0.0 for it in search.attempts)
    assert choice.score > best + 0.02
    assert ": better in the mean of folds and hold-out (" in choice.reason
    assert choice.holdout is not None
    assert abs(choice.holdout - choice.score) < 0.15
    assert "nested_decisions(" in solution_of(search, choice, 10.0)
    finish(search, choice)
    assert 0 < (submitted(search) == "yes").sum() < len(submitted(search)) / 3


def test_a_blend_that_is_not_better_is_not_taken(bench: Workbench, tmp_path: Path) -> None:
    search = searching(bench, tmp_path, rare(tmp_path / "task"))
    noisy = [attempt(search, name, seed, noise=1.2) for seed, name in enumerate("bcd", start=2)]
    search.attempts = [attempt(search, "a", 1, noise=0.3), *noisy]
    choice = choose(search)
    assert [it.key for it in choice.members] == ["a"]
    assert "no blend was better in the mean of folds and hold-out (" in choice.reason


def test_accuracy_is_left_to_the_largest_probability_unless_a_script_decides() -> None:
    problem = yes_or_no("accuracy")
    assert not decides(problem, members_do=False)
    assert decides(problem, members_do=True)
    assert decides(problem.model_copy(update={"metric": "mcc"}), members_do=False)
    assert not decides(problem.model_copy(update={"metric": "auc"}), members_do=True)


def test_one_that_is_left_of_a_blend_is_its_script(bench: Workbench, tmp_path: Path) -> None:
    search = searching(bench, tmp_path, rare(tmp_path / "task"))
    search.attempts = [attempt(search, "a", 1, noise=0.1), attempt(search, "b", 2, noise=20.0)]
    made = blend(search, "greedy")
    assert isinstance(made.proposal, Mixture)
    assert made.proposal.members == ("a",)
    assert made.proposal.strategy == "best"
    assert not made.proposal.decided


def binary_seen(truth: Rows, seeds: tuple[int, ...], noise: float) -> Seen:
    problem = yes_or_no("mcc")
    members = [timid(truth.astype(float), seed, noise) for seed in seeds]
    return Seen(members, truth, True, choose=chooser(problem, scored(problem)))


@pytest.mark.parametrize("strategy", ["average", "greedy", "convex", "stack"])
def test_the_rule_for_a_fold_never_saw_it(strategy: blending.Strategy) -> None:
    chance = np.random.default_rng(3)
    truth = (chance.random(500) < 0.2).astype(np.int64)
    folds = np.arange(500) % 5
    changed = truth.copy()
    changed[folds == 2] = 1 - changed[folds == 2]

    def decided(known: Rows) -> dict[int, Array]:
        seen, given = binary_seen(truth, (1, 2), 0.8), {}
        seen = Seen(seen.predictions, known, True, choose=seen.choose)

        def score(predictions: Array, inside: Rows) -> float:
            given[int(folds[inside[0]])] = predictions
            return 0.0

        blending.honest_score(strategy, seen, score, folds)
        return given

    before, after = decided(truth), decided(changed)
    assert np.array_equal(before[2], after[2])
    assert set(np.unique(before[2])) == {0.0, 1.0}
    assert before[2][:, 1].sum() > 0


def test_rules_find_nothing_where_there_is_nothing() -> None:
    """On its own rows a threshold looks good on pure noise; judged honestly it does not."""
    found = []
    for seed in range(20):
        chance = np.random.default_rng(seed)
        truth = (chance.random(120) < 0.2).astype(np.int64)
        seen = binary_seen(chance.permutation(truth), (seed, seed + 50), 1.0)
        seen = Seen(seen.predictions, truth, True, choose=seen.choose)

        def score(given: Array, inside: Rows, truth: Rows = truth) -> float:
            return METRICS["mcc"].score(yes_or_no("mcc"), truth[inside], given)

        found += blending.honest_score("average", seen, score, np.arange(120) % 5)
    assert abs(np.mean(found)) < 0.07


def test_one_fold_is_decided_by_its_own_rows() -> None:
    truth = np.array([0, 1] * 30)
    given = timid(truth.astype(float), 1, 0.2)
    problem = yes_or_no("mcc")
    found = chooser(problem, scored(problem))
    fold = np.zeros(60, dtype=np.int64)
    made, _ = nested_decisions(
        lambda y, p, _: found(y, p), truth, given, fold, given, scored(problem)
    )
    assert np.mean(made == truth) > 0.9


def refusals(code: str, message: str, count: int, score: float | None) -> list[Tried]:
    return [
        Tried(
            key=f"{code}-{at}",
            candidate=Candidate(source=f"# {code} {at}", origin="init:x"),
            measured=Measured(score=score),
            accepted=False,
            findings=(code,),
            refusal=Finding(code=code, message=message),
        )
        for at in range(count)
    ]


def test_where_not_even_the_simplest_script_is_accepted_there_is_a_submission(
    bench: Workbench, tmp_path: Path
) -> None:
    search = searching(bench, tmp_path, rare(tmp_path / "task"))
    search.attempts = [
        *refusals("mle.holdout_disagrees", "the folds gave 1, hidden rows 0", 3, 1.0),
        *refusals("mle.script.failed", "KeyError: x", 1, None),
    ]
    made = flow.not_accepted(search, flow.refused(search))
    assert not made.accepted
    assert made.summary.startswith("3 of 4 scripts ran, none was accepted")
    assert "mle.holdout_disagrees (3): the folds gave 1, hidden rows 0" in made.summary
    assert len(submitted(search)) == len(search.arena.real_rows)
    assert submitted(search).nunique() == 1
    assert isinstance(made.answer, dict)
    assert Path(str(made.answer["submission"])).is_file()


def test_where_none_ran_that_is_said(bench: Workbench, tmp_path: Path) -> None:
    search = searching(bench, tmp_path, rare(tmp_path / "task"))
    search.attempts = [
        *refusals("mle.script.tried_before", "again", 5, None),
        *refusals("mle.script.failed", "KeyError: x", 2, None),
    ]
    summary = flow.not_accepted(search, flow.refused(search)).summary
    assert summary.startswith("no script ran: the submission says the same of every row")
    assert summary.endswith("mle.script.failed (2): KeyError: x")


def constant(folder: Path, work: Path) -> pd.DataFrame:
    arena = Arena.prepare(intake.inspect(folder), folder, work)
    return pd.read_csv(io.BytesIO(composed_constant(arena)))


def test_the_answer_for_every_row_suits_the_metric(tmp_path: Path) -> None:
    """F1 is of the rarer class: to call no row so earns nothing."""
    assert set(constant(rare(tmp_path / "f1", "F1 score"), tmp_path / "w1")["late"]) == {"yes"}
    most = constant(rare(tmp_path / "accuracy", "accuracy"), tmp_path / "w2")
    assert set(most["late"]) == {"no"}
    shares = constant(classes(tmp_path / "auc", description="Metric: log loss"), tmp_path / "w3")
    train = pd.read_csv(tmp_path / "auc" / "train.csv")
    assert set(shares["late"].round(6)) == {round((train["late"] == "yes").mean(), 6)}


@pytest.mark.parametrize(("metric", "share"), [("mean absolute error", 0.5), ("RMSLE", 0.4)])
def test_the_number_for_every_row_suits_the_metric(
    metric: str, share: float, tmp_path: Path
) -> None:
    """A few large values draw the mean away."""
    folder = regression(tmp_path / "task")
    train = pd.read_csv(folder / "train.csv")
    train["price"] = np.exp(np.random.default_rng(1).normal(scale=1.5, size=len(train))).round(4)
    train.to_csv(folder / "train.csv", index=False)
    (folder / "description.md").write_text(f"Metric: {metric}", "utf-8")
    (told,) = set(constant(folder, tmp_path / "work")["price"])
    assert train["price"].quantile(share - 0.1) < told < train["price"].mean() * 0.8


def test_predictions_without_decisions_stay_as_they_were() -> None:
    held = Predictions(rows=[0], predictions=[[0.5]], test=[[0.5]])
    assert held.decisions is None
    assert held.test_decisions is None
