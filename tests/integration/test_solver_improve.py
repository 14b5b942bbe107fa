"""The outer loop: recorded tasks, clusters, a gate, and patches that it lets through or not."""

import json
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.solver import APP
from proveout.apps.solver.cases import Case, digest_of, read_cases, write_case
from proveout.apps.solver.experience import codes_of
from proveout.apps.solver.improving import Failure, candidates, clusters
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.solving import propose
from proveout.apps.solver.task import SolverTask
from proveout.cli.solver_gate import TEACH, Teaching
from proveout.kernel.lessons import Patch
from proveout.testing.workspaces import workspace
from tests.integration.command import Desk
from tests.integration.solver_kit import company

PASSED = ("g.workload_of_person.1", "d.nonsense.1")
OBEYED = "g.workload_of_person.2"


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three recorded tasks: two that count as passed, one as failed. Their company is gone."""
    folder = tmp_path_factory.mktemp("recordings")
    with company(folder) as served, workspace(folder / "home") as opened:
        for spec in (*PASSED, OBEYED):
            fields = served.task(spec, exchanges_to=str(folder / "cases" / spec))
            run = opened.start(APP, opened.task(APP, fields))
            assert run.outcome is not None
            assert isinstance(run.outcome.answer, dict)
            failed = spec == OBEYED
            answer: dict[str, Any] = run.outcome.answer
            case = Case(
                name=spec,
                text=fields["text"],
                family="G workload",
                score=0.0 if failed else 1.0,
                response=answer["response"],
                digest=digest_of(answer),
                codes=("link.extra", "outcome.ok_answer.ok_not_found") if failed else (),
            )
            write_case(folder / "cases" / spec, case)
    return folder / "cases"


def improved(desk: Desk, source: Path, *more: str) -> Any:
    done = desk.run("solver", "improve", str(source), "--json", *more)
    assert done.code in (0, 1), done.err
    return done.data


def lessons(desk: Desk) -> list[str]:
    done = desk.run("lessons", "list", "solver", "--json")
    return [lesson["subject"] for lesson in done.data]


def test_patches_pass_the_gate_and_later_runs_find_them(desk: Desk, recordings: Path) -> None:
    out = desk.folder / "regression"
    data = improved(desk, recordings, "--out", str(out), "--report", str(desk.folder / "page.html"))
    assert data["gate"] == {"cases": 2, "same": 2, "changed": [], "stale": []}
    assert [cluster["code"] for cluster in data["clusters"]] == [
        "link.extra",
        "outcome.ok_answer.ok_not_found",
    ]
    assert data["clusters"][0]["change"]["kind"] == "link rule"
    assert data["rolled_back"] == []
    assert set(lessons(desk)) == {"graded.link.extra", "graded.outcome"}
    assert len(read_cases(out)) == 3
    page = (desk.folder / "page.html").read_text()
    assert "validating/links.py" in page
    assert desk.run("runs", "verify").code == 0
    again = improved(desk, out)
    assert again["gate"]["same"] == 2
    assert again["run"] == "", "what is active already is not activated again"


def test_the_same_recordings_teach_the_same(desk: Desk, recordings: Path) -> None:
    first, second = (improved(desk, recordings, "--dry-run") for _ in range(2))
    assert first == second
    assert lessons(desk) == []


def test_a_changed_answer_is_a_regression(desk: Desk, recordings: Path, tmp_path: Path) -> None:
    (folder, case), *_ = read_cases(recordings).items()
    place = tmp_path / "cases" / folder.name
    place.mkdir(parents=True)
    (place / "exchanges.jsonl").write_bytes((folder / "exchanges.jsonl").read_bytes())
    write_case(place, case.model_copy(update={"score": 1.0, "digest": "sha256:other"}))
    done = desk.run("solver", "improve", str(tmp_path / "cases"), "--json")
    assert done.code == 1
    assert len(done.data["gate"]["changed"]) == 1


def test_a_recording_that_lacks_an_answer_is_told_to_be_stale(
    desk: Desk, recordings: Path, tmp_path: Path
) -> None:
    folder, case = next((f, c) for f, c in read_cases(recordings).items() if c.name == PASSED[0])
    place = tmp_path / "cases" / folder.name
    place.mkdir(parents=True)
    lines = (folder / "exchanges.jsonl").read_text().splitlines(keepends=True)
    kept = [line for line in lines if '"/projects' not in line and '"/employees' not in line]
    (place / "exchanges.jsonl").write_text("".join(kept))
    write_case(place, case)
    data = improved(desk, tmp_path / "cases")
    assert len(data["gate"]["stale"]) == 1
    assert data["activated"] == []


def plan_of(case: Path) -> Plan:
    """What the expert says to a recorded task."""
    (about,) = read_cases(case).values()
    address = "http://127.0.0.1/recorded"
    return propose(SolverTask(text=about.text, task_url=address, exchanges_from=str(case)))


def test_a_patch_that_makes_a_model_worse_is_rolled_back(
    desk: Desk, recordings: Path, tmp_path: Path
) -> None:
    """A model that is right until it is told anything: no patch may be kept."""
    known = Patch(
        operation="add_rule",
        topic="response_contract",
        subject="graded.link.extra",
        advice="Link only what answers the question: not the requester, not whom others were "
        "compared to.",
        role="solver/propose",
    )
    with workspace(desk.folder / "home") as opened:
        opened.start(TEACH, Teaching(patches=(known,)))
    assert lessons(desk) == ["graded.link.extra"]
    cases = tmp_path / "cases"
    for folder, case in read_cases(recordings).items():
        if case.name in (PASSED[0], OBEYED):
            place = cases / folder.name
            place.mkdir(parents=True)
            (place / "exchanges.jsonl").write_bytes((folder / "exchanges.jsonl").read_bytes())
            write_case(place, case)
    right = plan_of(cases / PASSED[0]).model_dump(mode="json")
    wrong = {**right, "tool_calls": [], "sql": [], "response_template": {"question": "What?"}}
    wrong["response_template"]["outcome"] = "none_clarification_needed"
    ledger = tmp_path / "script.json"
    replies: list[Any] = [{"value": right}, *[{"value": wrong}] * 20]
    ledger.write_text(json.dumps({"replies": replies, "ledger": "given.jsonl"}), encoding="utf-8")
    options = ("--model", f"scripted:{ledger}", "--rounds", "1")
    data = improved(desk, cases, *options)
    assert data["gate"]["same"] == 1
    assert data["activated"] == []
    assert {patch["subject"] for patch in data["rolled_back"]} == {
        "graded.link.extra",
        "graded.outcome",
    }
    assert data["run"]
    assert lessons(desk) == [], "what was active before is taken back"


def test_results_without_recordings_activate_nothing(desk: Desk) -> None:
    failure = {
        "spec": "3/a.lead.1",
        "family": "A",
        "score": 0.0,
        "log": "",
        "codes": ["write.extra", "solver.sql.syntax"],
    }
    path = desk.write("bench.json", {"tasks": 4, "failures": [failure]})
    data = improved(desk, path)
    assert data["failed"] == 1
    assert data["held_back"]
    assert {change["change"]["kind"] for change in data["clusters"]} == {"tool patch"}
    assert lessons(desk) == []


@pytest.mark.parametrize("source", ["nowhere.json", ".", "no-such-run"])
def test_what_cannot_be_learned_from_is_the_callers_mistake(desk: Desk, source: str) -> None:
    done = desk.run("solver", "improve", source)
    assert done.code == (3 if source == "no-such-run" else 2), "there is no journal to look in"
    assert "Traceback" not in done.err


def test_nothing_of_a_task_gets_into_clusters_or_patches() -> None:
    private = "Jonas Weiss 123456"
    log = (
        f"expected message to contain '{private}'\n"
        f"expected employee link to '{private}' not found\n"
        f"expected outcome 'ok_answer', got '{private}'"
    )
    failures = [Failure(case="1", family="A", codes=codes_of(log))]
    made = [*clusters(failures), *candidates(failures, APP.lessons)]
    assert made
    assert private not in json.dumps([it.model_dump(mode="json") for it in made])
