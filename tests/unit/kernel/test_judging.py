"""Judging here and elsewhere: the same checks, the same evidence, the same verdict."""

import pickle
from collections.abc import Callable

import pytest
from pydantic import JsonValue

from proveout.kernel.canonical import content_id
from proveout.kernel.errors import JournalError
from proveout.kernel.judging import (
    Elsewhere,
    JudgeWork,
    Observations,
    judge,
    judge_elsewhere,
)
from proveout.kernel.ports import Checked, Surroundings, verdict_of
from proveout.kernel.types import Finding, Malformed, Verdict
from tests.words import CHECKS, SAY, Word, WordTask
from tests.workbench import Speaker, Workbench, kinds, replies

ERROR = Finding(code="a.error", message="m")
WARNING = Finding(code="a.warning", message="m", severity="warning")


def saying(
    *findings: Finding, score: float | None = None, heard: list[str] | None = None
) -> Callable[[WordTask, Word, Surroundings], Checked]:
    def check(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
        del task, around
        if heard is not None:
            heard.append(proposal.word)
        return Checked(findings=findings, score=score)

    return check


def here(bench: Workbench, key: str = "#0") -> Observations:
    return Observations(bench.begin(Speaker(replies("x"))).record, key)


def test_checks_stop_at_the_first_error() -> None:
    heard: list[str] = []
    checks = [saying(WARNING, score=1), saying(ERROR), saying(heard=heard)]
    results = judge(WordTask(), Word(word="a"), checks, Elsewhere())
    assert [len(result.findings) for result in results] == [1, 1]
    assert heard == []


def test_no_checks_no_findings() -> None:
    assert judge(WordTask(), Word(word="a"), [], Elsewhere()) == []


def test_what_cannot_be_read_is_a_finding_and_no_check_sees_it() -> None:
    heard: list[str] = []
    (result,) = judge(WordTask(), Malformed(), [saying(heard=heard)], Elsewhere())
    assert [finding.code for finding in result.findings] == ["proposal.malformed"]
    assert heard == []


def test_the_last_score_counts() -> None:
    results = [Checked(score=1), Checked(score=2), Checked(findings=(WARNING,))]
    assert verdict_of(results, ["e"]) == Verdict(findings=(WARNING,), score=2, evidence=("e",))
    assert verdict_of([], []) == Verdict()


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_rejects(score: float) -> None:
    verdict = verdict_of([Checked(score=1.0), Checked(score=score)], [])
    assert not verdict.accepted
    assert verdict.score == 1.0
    assert [finding.code for finding in verdict.findings] == ["proposal.score_not_finite"]


def test_a_check_run_twice_finds_the_same(bench: Workbench) -> None:
    around = here(bench)
    proposals = [Word(word=word) for word in ("ab", "abcd", "ABCD", "abxx")]
    for proposal in proposals:
        task = WordTask(banned="x")
        first = judge(task, proposal, CHECKS, Elsewhere())
        assert judge(task, proposal, CHECKS, Elsewhere()) == first
    assert around.evidence == []


def test_two_checks_that_look_at_the_same_thing_see_the_same(bench: Workbench) -> None:
    answers = iter([1, 2])
    for around in (here(bench), Elsewhere()):
        seen: list[JsonValue] = [around.observe("it", lambda: next(answers)) for _ in range(2)]
        assert seen[0] == seen[1]


def test_bytes_are_kept_once_and_can_be_read(bench: Workbench) -> None:
    around, elsewhere = here(bench), Elsewhere()
    for surroundings in (around, elsewhere):
        names = {surroundings.keep(b"pixels", "image/png") for _ in range(2)}
        assert names == {content_id(b"pixels")}
        assert surroundings.content(content_id(b"pixels")) == b"pixels"
        with pytest.raises(JournalError):
            surroundings.content(content_id(b"never kept"))
    assert around.evidence == [content_id(b"pixels")]
    assert len(elsewhere.seen) == 1


def test_what_is_observed_is_what_json_can_hold(bench: Workbench) -> None:
    for around in (here(bench), Elsewhere()):
        assert around.observe("pair", lambda: (1, 2)) == [1, 2]  # type: ignore[arg-type, return-value]


def test_judging_elsewhere_gives_the_same_verdict_and_evidence(bench: Workbench) -> None:
    task, proposal = WordTask(banned="x"), Word(word="abxx")
    context = bench.begin(Speaker(replies("x")))
    around = Observations(context.record, "here#0")
    verdict = verdict_of(judge(task, proposal, CHECKS, around), around.evidence)
    work = pickle.loads(pickle.dumps(JudgeWork(task, proposal, CHECKS)))
    judged = pickle.loads(pickle.dumps(judge_elsewhere(work)))
    assert judged.enter(context.record, "there#0") == verdict
    assert len(verdict.evidence) == 2


def test_what_was_seen_elsewhere_is_written_down_in_its_order(bench: Workbench) -> None:
    context = bench.begin(Speaker(replies("x")))
    judged = judge_elsewhere(JudgeWork(WordTask(), Word(word="abcd"), CHECKS))
    judged.enter(context.record, "#0")
    context.ask(SAY, topic="t")
    evidence = bench.events("evidence.observed")
    assert kinds(evidence) == ["evidence.observed"] * 2
    assert [event.key for event in evidence] == ["#0:size", f"#0:{content_id(b'abcd')}"]
