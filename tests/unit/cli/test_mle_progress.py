"""What a search shows while it goes: phase, best score, time left."""

import io
import json
from collections.abc import Mapping

import pytest
from rich.console import Console

from proveout.cli.mle_progress import Leader, phase_of, watching
from proveout.kernel.budget import Budget
from proveout.kernel.events import EvidenceObserved, ProposalMade, VerdictGiven
from proveout.kernel.run import AttemptRecord, Run
from proveout.kernel.types import Finding, Usage, Verdict

BLOBS: Mapping[str, bytes] = {
    "up": json.dumps({"direction": "maximize"}).encode(),
    "down": json.dumps({"direction": "minimize"}).encode(),
}


def problem(content: str) -> EvidenceObserved:
    return EvidenceObserved(key="@problem", content=content)


def judged(score: float, *codes: str) -> VerdictGiven:
    findings = tuple(Finding(code=code, message="wrong") for code in codes)
    return VerdictGiven(key="first-00#0", verdict=Verdict(findings=findings, score=score))


@pytest.mark.parametrize(("content", "best"), [("up", 0.9), ("down", 0.2)])
def test_the_best_score_is_kept_whatever_came_last(content: str, best: float) -> None:
    leader = Leader(BLOBS.__getitem__)
    for event in (problem(content), judged(0.5), judged(0.9), judged(0.2), judged(0.4)):
        leader.see(event)
    assert leader.best == best
    assert leader.caption == f"best {best}"


def test_what_was_not_accepted_is_not_the_best() -> None:
    leader = Leader(BLOBS.__getitem__)
    leader.see(problem("up"))
    leader.see(judged(0.99, "mle.score_not_earned"))
    assert leader.best is None
    assert leader.caption == ""


def test_without_a_direction_the_last_score_is_called_that() -> None:
    leader = Leader(BLOBS.__getitem__)
    leader.see(judged(0.9))
    leader.see(judged(0.5))
    assert leader.caption == "last 0.5"


def test_a_terminal_shows_phase_best_and_time_left() -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100, color_system=None)
    with watching(300.0, BLOBS.__getitem__, quiet=False, console=console) as watch:
        watch(problem("up"))
        watch(ProposalMade(key="refine-01-0#0", returns="Candidate", proposal={}))
        watch(judged(0.9))
        watch(judged(0.5))
    text = shown.getvalue()
    assert "refining" in text
    assert "best 0.9" in text
    assert "s left" in text
    assert "first-00#0" in text


@pytest.mark.parametrize(
    ("key", "phase"),
    [
        ("first-00#0", "models"),
        ("refine-01-2#0", "refining"),
        ("final#0", "final run"),
        ("pipeline/evaluate-init#0", "models"),
        ("pipeline/evaluate-merged~2#0", "merging"),
        ("pipeline/path-1/evaluate-refined~3#0", "refining"),
        ("pipeline/evaluate-ensemble#0", "blending"),
        ("pipeline/evaluate-final#0", "final run"),
        ("something#0", "something"),
    ],
)
def test_a_phase_has_a_name(key: str, phase: str) -> None:
    assert phase_of(key) == phase


def test_a_run_that_goes_on_shows_what_it_had_and_the_time_that_is_left() -> None:
    attempts = tuple(
        AttemptRecord(f"first-{n}#0", "Candidate", {}, Verdict(score=score), Usage(), (), 0.0, 0.0)
        for n, score in enumerate((0.9, 0.3, 0.5))
    )
    before = Run(
        id="run-1",
        app="mle",
        task=None,
        model="offline",
        seed=0,
        budget=Budget(),
        version="test",
        started_at=0.0,
        elapsed=100.0,
        events=9,
        state="interrupted",
        attempts=attempts,
        calls=(),
        notes=(),
        warnings=(),
        resumed=0,
        observed={"@problem": "down"},
    )
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100, color_system=None)
    with watching(300.0, BLOBS.__getitem__, quiet=False, before=before, console=console):
        pass
    assert "best 0.3" in shown.getvalue()
    assert "200 s left" in shown.getvalue()
