"""What is refined next: a block that stands in the script, also if a model slips."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

import pytest
from hypothesis import example, given, strategies

from proveout.apps.mle.checks import TRIED_BEFORE
from proveout.apps.mle.flow import final_seconds
from proveout.apps.mle.models import ExtractorOutput, RefinePlan
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.blocks import NOT_FOUND
from proveout.apps.mle.scripts.candidate import Candidate, Circumstances, Measured, Tried
from proveout.apps.mle.search.choosing import Choice
from proveout.apps.mle.search.proposers import BlockProposer
from proveout.apps.mle.search.refining import (
    VERSION_SHARE,
    Step,
    Studied,
    Target,
    extracted,
    gains_of,
    inherited,
    refine,
    versions,
)
from proveout.apps.mle.search.searching import Search, ratio_mean
from proveout.apps.mle.task import MleTask
from proveout.kernel.ports import Proposer
from tests.unit.mle.spec_kit import Stage, stage
from tests.workbench import Workbench

PROBLEM = Problem(
    name="boats", kind="regression", metric="rmse", direction="minimize", targets=("y",)
)
PARENT = Tried(
    key="first-00#0",
    candidate=Candidate(source="rows = 1 \nmodel = 2\n", origin="init:tree"),
    measured=Measured(score=0.5),
    circumstances=Circumstances(seconds=1.0),
    accepted=True,
)


def plans(*blocks: str) -> ExtractorOutput:
    return ExtractorOutput(plans=[RefinePlan(code_block=block, plan="better") for block in blocks])


def searching(on: Stage, folder: Path) -> Search:
    return Search(
        task=MleTask(folder=str(folder)),
        context=on.context,
        problem=PROBLEM,
        work=str(folder),
        seconds=100.0,
    )


def targets(on: Stage, folder: Path) -> list[Target]:
    studied = Studied()
    studied.summary_of[PARENT.key] = "The model matters."
    return extracted(searching(on, folder), PARENT, studied, room=60.0)


def version_of(parent: str, key: str) -> Tried:
    candidate = PARENT.candidate.model_copy(update={"parent": parent})
    return PARENT.model_copy(update={"key": key, "candidate": candidate})


def test_req_p2o_018_2_holds_in_the_default_mode(bench: Workbench, tmp_path: Path) -> None:
    said = [plans("no such"), plans("nor this", ""), plans("model = 2")]
    on = stage(bench, tmp_path, extractor=said)
    assert targets(on, tmp_path) == [Target("model = 2", "better")]
    first, second, third = on.prompts("extractor")
    assert NOT_FOUND not in first
    assert NOT_FOUND in second
    assert NOT_FOUND in third


def test_one_block_that_is_found_is_enough(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, extractor=[plans("no such", "rows = 1\nmodel = 2")])
    assert targets(on, tmp_path) == [Target("rows = 1 \nmodel = 2", "better")]


def test_nobody_is_asked_for_ever(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, extractor=[plans("no such")] * 3)
    assert targets(on, tmp_path) == []
    assert on.counts["extractor"] == 3


def test_a_study_speaks_for_the_versions_that_follow(bench: Workbench, tmp_path: Path) -> None:
    search, studied = searching(stage(bench, tmp_path), tmp_path), Studied()
    child, grandchild = version_of(PARENT.key, "refine-00-0#0"), version_of("refine-00-0#0", "last")
    stranger = version_of("first-07#0", "other")
    search.attempts += [PARENT, child, grandchild, stranger]
    assert inherited(search, grandchild, studied) == ""
    studied.summary_of |= {PARENT.key: "The model matters.", child.key: ""}
    assert inherited(search, grandchild, studied) == "The model matters."
    studied.summary_of[child.key] = "The rows matter."
    assert inherited(search, grandchild, studied) == "The rows matter."
    assert inherited(search, stranger, studied) == ""
    # Its own is not asked for: whoever has one does not inherit.
    assert inherited(search, PARENT, studied) == ""


def test_plans_are_known_by_what_they_brought(bench: Workbench, tmp_path: Path) -> None:
    search = searching(stage(bench, tmp_path), tmp_path)
    first = PARENT.model_copy(
        update={"measured": Measured(score=0.5, standard_error=0.1, predictions="same")}
    )
    outcomes = {
        "helps": Measured(score=0.4, standard_error=0.1, predictions="other"),
        "harms": Measured(score=0.6, standard_error=0.1, predictions="worse"),
        "is void": Measured(score=0.5, standard_error=0.1, predictions="same"),
        "fails": Measured(),
    }
    search.attempts.append(first)
    for plan, measured in outcomes.items():
        item = version_of(first.key, plan)
        candidate = item.candidate.model_copy(update={"plan": plan})
        found = {"candidate": candidate, "measured": measured}
        search.attempts.append(item.model_copy(update=found))
    gains = dict(gains_of(search))
    assert gains == {
        "helps": pytest.approx(1.0),
        "harms": pytest.approx(-1.0),
        "is void": -1.0,
        "fails": -2.0,
    }


@dataclass
class Hurried(Search):
    """A search whose scripts take as long as they are said to."""

    took: float = 1.0
    now: float = 0.0
    allowed: list[float] = field(default_factory=list)
    told: list[float] = field(default_factory=list)

    def used(self) -> float:
        return self.now

    def trying(self, proposers: Mapping[str, Proposer[Candidate]], seconds: float) -> list[Tried]:
        made = []
        for name, proposer in proposers.items():
            assert isinstance(proposer, BlockProposer)
            self.told.append(proposer.variables["room"])
            self.allowed.append(seconds)
            circumstances = Circumstances(seconds=self.took)
            item = version_of(proposer.parent, name)
            made.append(item.model_copy(update={"circumstances": circumstances}))
        self.now += self.took
        return made


def hurried(on: Stage, folder: Path, *, took: float, workers: int = 1) -> Hurried:
    return Hurried(
        task=MleTask(folder=str(folder), inner_steps=4), context=on.context, problem=PROBLEM,
        work=str(folder), seconds=100.0, workers=workers, took=took, now=78.0,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("took", "workers", "tried"),
    [(1.0, 1, 4), (4.0, 1, 3), (9.0, 1, 1), (9.0, 4, 4), (6.0, 2, 4)],
)
def test_slow_versions_leave_the_time_that_is_kept(
    bench: Workbench, tmp_path: Path, took: float, workers: int, tried: int
) -> None:
    """Their parent took a second; that they take longer is seen after the first of them."""
    search = hurried(stage(bench, tmp_path), tmp_path, took=took, workers=workers)
    made = versions(search, [Step(0, PARENT, Target("model = 2", "better"))], kept=10.0)
    assert len(made) == tried
    assert search.now <= 90.0
    assert search.told == [VERSION_SHARE * search.allowed[0]] * tried


@dataclass
class Exhausted(Hurried):
    """A search in which whatever is made of these scripts was tried before."""

    old: frozenset[str] = frozenset()
    parents: list[str] = field(default_factory=list)

    def trying(self, proposers: Mapping[str, Proposer[Candidate]], seconds: float) -> list[Tried]:
        made = []
        for item, proposer in zip(
            super().trying(proposers, seconds), proposers.values(), strict=True
        ):
            assert isinstance(proposer, BlockProposer)
            self.parents.append(proposer.parent)
            if proposer.parent in self.old:
                refused = {"accepted": False, "findings": (TRIED_BEFORE,)}
                item = item.model_copy(update={**refused, "circumstances": Circumstances()})
            made.append(item)
        return made


@pytest.mark.parametrize(
    ("old", "refined"),
    [
        ({"best"}, ["best", "next", "next", "next", "next"]),
        ({"best", "next"}, ["best", "next"]),
        (set(), ["best", "best", "best", "best", "best"]),
    ],
)
def test_where_nothing_is_left_to_try_the_next_best_of_the_family_is_refined(
    bench: Workbench, tmp_path: Path, old: set[str], refined: list[str]
) -> None:
    on = stage(bench, tmp_path, extractor=[plans("model = 2")] * 5)
    search = Exhausted(
        task=MleTask(folder=str(tmp_path), inner_steps=2, outer_steps=5), context=on.context,
        problem=PROBLEM, work=str(tmp_path), seconds=100.0, old=frozenset(old), took=0.1,
    )  # fmt: skip
    scores = {"best": 0.3, "next": 0.4}
    for key, score in scores.items():
        found = {"key": key, "measured": Measured(score=score), "circumstances": Circumstances()}
        search.attempts.append(PARENT.model_copy(update=found))
    studied = Studied()
    studied.summary_of = dict.fromkeys(scores, "The model matters.")
    refine(search, studied, closing=lambda _parent: 10.0)
    assert list(dict.fromkeys(search.parents)) == list(dict.fromkeys(refined))
    assert search.parents[::2] == refined


@dataclass
class Watched(Hurried):
    """A search that tells which scripts had versions begun together."""

    together: list[list[str]] = field(default_factory=list)

    def trying(self, proposers: Mapping[str, Proposer[Candidate]], seconds: float) -> list[Tried]:
        made = super().trying(proposers, seconds)
        self.together.append([item.candidate.parent for item in made])
        return made


@pytest.mark.parametrize(
    ("seconds", "workers", "first"),
    [
        (0.1, 1, ["a"] * 2 + ["b"] * 2),
        # More families than these there are not.
        (0.1, 8, ["a"] * 2 + ["b"] * 2 + ["c"] * 2),
        # Where time is short, what one shows is heard before the next begins.
        (9.0, 8, ["a"] * 2),
    ],
)
def test_no_core_waits_for_the_slowest_version_where_time_is_plenty(
    bench: Workbench, tmp_path: Path, seconds: float, workers: int, first: list[str]
) -> None:
    on = stage(bench, tmp_path, extractor=[plans("model = 2")] * 8)
    search = Watched(
        task=MleTask(folder=str(tmp_path), inner_steps=2, outer_steps=4), context=on.context,
        problem=PROBLEM, work=str(tmp_path), seconds=100.0, workers=workers, took=0.1,
    )  # fmt: skip
    scores = {"a": 0.3, "b": 0.4, "c": 0.5}
    for key, score in scores.items():
        candidate = PARENT.candidate.model_copy(update={"origin": f"init:{key}"})
        found = {"key": key, "candidate": candidate, "measured": Measured(score=score)}
        spent = {"circumstances": Circumstances(seconds=seconds)}
        search.attempts.append(PARENT.model_copy(update={**found, **spent}))
    studied = Studied()
    studied.summary_of = dict.fromkeys(scores, "The model matters.")
    refine(search, studied, closing=lambda _parent: 10.0)
    assert search.together[0] == first
    assert sum(map(len, search.together)) == 4 * 2
    assert studied.steps == 4


def test_a_study_that_took_the_room_leaves_nothing_to_try(bench: Workbench, tmp_path: Path) -> None:
    search = hurried(stage(bench, tmp_path), tmp_path, took=1.0)
    step = Step(0, PARENT, Target("model = 2", "better"))
    assert versions(search, [step], kept=21.5) == []


def test_time_for_the_final_run_of_this_choice_is_kept_no_more(
    bench: Workbench, tmp_path: Path
) -> None:
    """A single quick script needs less than what is kept for several before the choice is made."""
    search = hurried(stage(bench, tmp_path), tmp_path, took=1.0)
    slower = PARENT.model_copy(update={"circumstances": Circumstances(seconds=5.0), "key": "x"})
    search.attempts += [PARENT, slower]
    choice = Choice(
        members=(PARENT,), weights=(1.0,), score=0.5, standard_error=0.1, holdout=None,
        standing=0.5, reason="alone", rows=(),
    )  # fmt: skip
    assert final_seconds(search, choice, PARENT) == pytest.approx(1.3 * 1.0 + 2.0)
    assert final_seconds(search, choice, slower) == pytest.approx(1.3 * 5.0 + 2.0)
    search.now = 99.0
    assert final_seconds(search, choice, PARENT) == 0.0


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_later_stretches_of_time_count_more(
    tmp_path: Path, bench: Workbench, direction: str
) -> None:
    search = replace(
        searching(stage(bench, tmp_path), tmp_path),
        problem=PROBLEM.model_copy(update={"direction": direction, "time": "day"}),
    )
    # As it was prepared: only the scheme matters here, and what a constant answer earns.
    search.__dict__["arena"] = SimpleNamespace(scheme="time")
    search.__dict__["constant_score"] = 5.0
    rising, falling = search.standing([1.0, 2.0, 4.0]), search.standing([4.0, 2.0, 1.0])
    assert search.better(falling, rising) == (direction == "minimize")
    search.__dict__["arena"] = SimpleNamespace(scheme="shuffled")
    assert search.standing([1.0, 2.0, 4.0]) == search.standing([4.0, 2.0, 1.0])


def test_one_hard_stretch_does_not_decide_about_all(tmp_path: Path, bench: Workbench) -> None:
    """Better by a quarter where it was hard for everyone, worse by a third wherever else."""
    search = replace(
        searching(stage(bench, tmp_path), tmp_path),
        problem=PROBLEM.model_copy(update={"time": "day"}),
    )
    search.__dict__["arena"] = SimpleNamespace(scheme="time")
    search.__dict__["constant_score"] = 1.0
    one, other = [0.64, 0.17, 0.13, 0.15], [0.48, 0.23, 0.17, 0.15]
    assert sum(other) < sum(one)
    assert search.better(search.standing(one), search.standing(other))
    # An answer that says nothing of how large errors are leaves plain means, for every script.
    search.__dict__["constant_score"] = None
    assert search.standing([0.0, 0.3]) == pytest.approx(0.2)
    assert search.standing([0.3, 0.3, 0.6]) == pytest.approx(0.45)


FOLDS = strategies.lists(strategies.floats(0, 100), min_size=3, max_size=3)


@example(scores=[0.0, 10.0, 10.0], more=[0.5, 1.0, 1.0])
@given(scores=FOLDS, more=FOLDS)
def test_whoever_is_worse_in_every_fold_is_not_better(
    scores: list[float], more: list[float]
) -> None:
    """Also if one error was nought: it has no ratio to others, but must not change the measure."""
    worse = [one + by + 1e-3 for one, by in zip(scores, more, strict=True)]
    small, weights = 0.02, (1, 2, 3)
    assert ratio_mean(scores, weights, small) < ratio_mean(worse, weights, small)
    plain = math.exp(fmean(map(math.log, worse), weights))
    if min(worse) > small:
        assert ratio_mean(worse, weights, small) == plain


def test_errors_that_are_all_small_count_by_their_differences() -> None:
    assert ratio_mean([0.0, 0.03], (1, 2), 0.1) == pytest.approx(0.02)
    assert ratio_mean([0.0], (1,), 0.1) == pytest.approx(0.0)
