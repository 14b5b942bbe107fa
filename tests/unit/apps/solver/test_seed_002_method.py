"""The two functions of the method and what they rest on, against a company over HTTP."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.solver import Decision, ExperienceStore, Plan, SolverTask
from proveout.apps.solver.client import BenchmarkClient
from proveout.apps.solver.experience import lessons_of
from proveout.apps.solver.metrics import TaskResult
from proveout.apps.solver.solving import propose, validate
from proveout.cli.solver_acquire import acquire_all
from proveout.cli.solver_session import (
    GRACE,
    SECONDS_PER_TASK,
    Origin,
    Work,
    given_up,
    seconds_each,
    work_through,
)
from proveout.kernel.errors import UnknownName, UsageError

SEED = 13
BENCHMARK = f"world-{SEED}"


@pytest.fixture(scope="module")
def company() -> Iterator[str]:
    """A small company in a process of its own, which ends when its input does."""
    command = [sys.executable, "-m", "proveout.apps.solver.world.server"]
    command += ["--seed", str(SEED), "--profile", "small", "--families", "F,G,L,O,Q"]
    command += ["--port", "0", "--until-stdin-closes"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.stdin.close()


def task_of(company: str, spec: str) -> SolverTask:
    with BenchmarkClient(company) as service:
        started = service.start_new_task(BENCHMARK, spec)
        text = started.text or service.task_detail(started.task_id).text
    return SolverTask(text=text, task_url=f"{company}/erc3-dev/{started.task_id}")


def specs(company: str, family: str) -> list[str]:
    with BenchmarkClient(company) as service:
        known = [spec.id for spec in service.view_benchmark(BENCHMARK).specs]
    return [spec for spec in known if spec.startswith(f"{family}.")]


def decided(company: str, family: str) -> list[tuple[Plan, Decision]]:
    found = []
    for spec in specs(company, family):
        task = task_of(company, spec)
        plan = propose(task)
        found.append((plan, validate(task, plan)))
    return found


def test_propose_plans_and_validate_decides_the_same_again(company: str) -> None:
    for spec in specs(company, "g"):
        task = task_of(company, spec)
        plan = propose(task)
        assert Plan.model_validate_json(plan.model_dump_json()) == plan
        assert propose(task) == plan
        first, second = validate(task, plan), validate(task, plan)
        assert first == second
        assert first.ok
        assert first.response is not None


def test_every_decision_carries_trace_and_proof(company: str) -> None:
    kinds = set()
    for plan, decision in decided(company, "g") + decided(company, "o"):
        for entry in decision.trace:
            assert entry.tool in {call.name for call in plan.tool_calls}
            assert entry.digest.startswith("sha256:")
            assert entry.ok
        for proof in decision.proofs:
            kinds.add(proof.result)
            assert set(proof.identity) <= {
                "current_user", "is_public", "department", "location", "today", "wiki_sha1",
            }  # fmt: skip
            assert all(rule.quote or rule.profile for rule in proof.rules)
        outcome = decision.response.outcome if decision.response else ""
        if outcome == "denied_security":
            assert [proof.result for proof in decision.proofs][-1] == "deny"
    assert kinds == {"allow", "deny"}


def test_sums_and_rankings_come_from_sql_over_the_snapshot(company: str) -> None:
    answered = [
        (plan, decision)
        for plan, decision in decided(company, "f") + decided(company, "g")
        if decision.response and decision.response.outcome == "ok_answer"
    ]
    assert answered
    for plan, decision in answered:
        assert decision.from_snapshot
        assert decision.sql
        assert {step.bind for step in decision.sql} == {step.bind for step in plan.sql}
        assert all(step.digest for step in decision.sql)


def test_a_yes_or_no_is_nothing_else(company: str) -> None:
    for _, decision in decided(company, "l"):
        assert decision.response is not None
        if decision.response.outcome == "ok_answer":
            first, _, rest = decision.response.message.partition("\n")
            # What the rules want a guest to be told stands on a line of its own.
            assert first in {"Yes", "No"} or first.isalpha(), rest


def test_a_rehearsal_proves_and_changes_nothing(company: str) -> None:
    task = task_of(company, specs(company, "q")[0])
    rehearsed = task.model_copy(update={"rehearse": True})
    plan = propose(rehearsed)
    decision = validate(rehearsed, plan)
    assert decision.writes
    assert not any(write.sent for write in decision.writes)
    done = validate(task, plan)
    assert done.response == decision.response
    assert all(write.sent and write.verified for write in done.writes)
    assert [write.key for write in done.writes] == [write.key for write in decision.writes]


def test_experience_is_shown_to_the_proposer_and_to_nobody_else(company: str) -> None:
    store = ExperienceStore(lessons_of("expected outcome 'ok_answer', got 'denied_security'"))
    assert store.lessons()
    for spec in specs(company, "o"):
        task = task_of(company, spec)
        plain = validate(task, propose(task))
        learned = validate(task, propose(task, store))
        if plain.response and plain.response.outcome == "denied_security":
            assert learned.response is not None
            assert learned.response.outcome == "denied_security"
            assert learned.writes == ()


def test_a_chosen_set_of_tasks_runs_end_to_end_and_twice_the_same(
    company: str, tmp_path: Path
) -> None:
    chosen = [*specs(company, "g")[:2], *specs(company, "l")[:1]]
    service = Origin(company, BENCHMARK, "erc3-dev")

    def once(name: str) -> list[TaskResult]:
        flags = {"journal.path": str(tmp_path / name)}
        return work_through(service, specs=chosen, profile="wiki", workers=1, flags=flags)

    first, second = once("first.db"), once("second.db")
    assert [result.spec for result in first] == chosen
    assert all(result.error == "" and result.score is not None for result in first)
    kept = ("spec", "outcome", "score", "digest", "log")
    assert [[getattr(it, name) for name in kept] for it in first] == [
        [getattr(it, name) for name in kept] for it in second
    ]


def test_a_task_whose_solver_is_gone_is_answered_honestly_and_handed_in(company: str) -> None:
    service = Origin(company, BENCHMARK, "erc3-dev")
    with BenchmarkClient(company) as client:
        started = client.start_new_task(BENCHMARK, specs(company, "g")[0])
        work = Work(service, "g", started.task_id, "wiki", {})
        lost = given_up(work, "not done within 1 s")
        assert (lost.outcome, lost.error) == ("error_internal", "not done within 1 s")
        assert lost.score == 0.0
        assert client.task_detail(started.task_id).status == "completed"
    again = given_up(work, "not done within 1 s")
    assert again.outcome == "error_internal"
    nowhere = given_up(work._replace(task_id="tsk-nobody"), "the worker died")
    assert nowhere == TaskResult(spec="g", outcome="error_internal", error="the worker died")


def test_every_task_has_a_clock_of_its_own() -> None:
    assert seconds_each({}) == SECONDS_PER_TASK
    assert seconds_each({"budget.seconds": None}) == SECONDS_PER_TASK
    assert seconds_each({"budget.seconds": 5}) == 5 + GRACE
    assert seconds_each({"budget.seconds": 1e6}) == SECONDS_PER_TASK


def test_an_unknown_task_is_named(company: str, tmp_path: Path) -> None:
    service = Origin(company, BENCHMARK, "erc3-dev")
    flags = {"journal.path": str(tmp_path / "journal.db")}
    with pytest.raises(UnknownName, match="nobody"):
        work_through(service, specs=["nobody"], profile="wiki", workers=1, flags=flags)


def test_acquisition_leaves_rules_map_and_snapshot(company: str, tmp_path: Path) -> None:
    out = tmp_path / "company"
    told: Any = acquire_all(company, out, BENCHMARK, specs(company, "g")[0], "wiki", "erc3-dev")
    rules = json.loads((out / "rules.json").read_text(encoding="utf-8"))
    assert told["rules"] == len(rules["rules"]) > 0
    assert 0 < told["coverage"] <= 1
    assert json.loads((out / "api_map.json").read_text(encoding="utf-8"))
    for table in ("employees", "projects", "customers", "time_entries", "wiki_pages", "workload"):
        assert told[table] > 0, table
    with pytest.raises(UsageError, match="exists already"):
        acquire_all(company, out, BENCHMARK, "", "wiki", "erc3-dev")
