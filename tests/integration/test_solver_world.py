"""The synthetic company as others meet it: a process that speaks HTTP."""

import http.client
import json
from pathlib import Path
from urllib.error import URLError

import pytest

from proveout.apps.solver.world.server import parse_seeds
from tests.integration.solver_world_client import ok, post, world_process


def test_a_session_from_start_to_submission(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    with world_process("--seeds", "0-1", "--profile", "small", "--report", str(report)) as url:
        names = [row["id"] for row in ok(f"{url}/benchmarks/list")["benchmarks"]]
        assert names == ["world-0", "world-1", "store", "demo"]
        view = ok(f"{url}/benchmarks/view", benchmark="world-1")
        assert len(view["routes"]) == 24
        assert "expected" not in json.dumps(view)
        started = ok(f"{url}/sessions/start", benchmark="world-1", account_key="k", workspace="w")
        session = started["session_id"]
        tasks = ok(f"{url}/sessions/status", session_id=session)["tasks"]
        assert len(tasks) == started["task_count"] == len(view["specs"])
        first = tasks[0]
        assert (first["status"], first["score"]) == ("new", -1.0)
        task = first["task_id"]
        assert ok(f"{url}/tasks/start", task_id=task)["status"] == "in_progress"
        ok(f"{url}/tasks/log", task_id=task, model="none", duration_sec=0, completion="")
        ok(f"{url}/erc3-dev/{task}/respond", message="?", outcome="error_internal")
        graded = ok(f"{url}/tasks/complete", task_id=task)
        assert graded["status"] == "completed"
        assert graded["eval"]["score"] == 0.0
        again = ok(f"{url}/tasks/complete", task_id=task)
        assert again == {**graded, "status": "already_completed"}
        assert post(f"{url}/any-root/{task}/whoami")[0] == 400, "the task is over"
        assert ok(f"{url}/sessions/submit", session_id=session)["status"] == "evaluated"
        found = ok(f"{url}/sessions/search", account_key="k", workspace="w", status=["evaluated"])
        assert [row["completed_tasks"] for row in found["sessions"]] == [1]
        trail = ok(f"{url}/tasks/view", task_id=task)
        assert "/respond" in [row["text"] for row in trail["logs"]]
    (row,) = map(json.loads, report.read_text().splitlines())
    assert row["outcome"] == "error_internal"
    assert {"family", "wording", "leaks", "forbidden_writes", "calls", "logs"} <= set(row)


def test_grades_can_be_hidden_and_missing_telemetry_costs(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    with world_process("--hide-eval", "--report", str(report), "--families", "M") as url:
        task = ok(f"{url}/tasks/start", benchmark="demo", spec_id="demo-1")["task_id"]
        secret = ok(f"{url}/demo/{task}/secret")["value"]
        ok(f"{url}/demo/{task}/answer", answer=secret)
        assert ok(f"{url}/tasks/complete", task_id=task) == {"status": "completed", "eval": None}
        assert ok(f"{url}/tasks/view", task_id=task)["score"] == -1.0
    assert json.loads(report.read_text())["score"] == pytest.approx(0.9)


def test_the_shop_takes_one_right_checkout() -> None:
    with world_process("--families", "M", "--telemetry-penalty", "0") as url:
        task = ok(f"{url}/tasks/start", benchmark="store", spec_id="store-3")["task_id"]
        shop = f"{url}/store/{task}"
        status, answer = post(f"{shop}/products/list", offset=0, limit=6)
        assert (status, answer["error"]) == (400, "page limit exceeded: 6 > 5")
        assert ok(f"{shop}/products/list", offset=0, limit=5)["next_offset"] == 5
        ok(f"{shop}/basket/add", sku="sku-01", quantity=1)
        assert ok(f"{shop}/basket/add", sku="sku-02", quantity=1)["item_count"] == 2
        assert post(f"{shop}/basket/add", sku="sku-02", quantity=99)[0] == 400
        ok(f"{shop}/coupon/apply", coupon="LOYAL15")
        paid = ok(f"{shop}/basket/checkout")
        assert paid["total"] == pytest.approx(paid["subtotal"] * 0.85)
        assert ok(f"{url}/tasks/complete", task_id=task)["eval"]["score"] == 1.0


def test_hostile_requests_get_errors_and_nothing_breaks() -> None:
    with world_process("--families", "M") as url:
        host, port = url.removeprefix("http://").split(":")
        line = http.client.HTTPConnection(host, int(port), timeout=10)
        for body in (b"[1]", b"{", b"\xff\xfe", b"[" * 5000, b'"x"'):
            line.request("POST", "/benchmarks/list", body)
            answer = line.getresponse()
            assert answer.status == 400
            assert set(json.load(answer)) == {"status", "error", "code"}
        line.request("GET", "/benchmarks/list")
        answer = line.getresponse()
        assert answer.status == 405
        answer.read()
        line.close()
        assert post(f"{url}/erc3-dev/tsk-nothing/whoami")[0] == 404
        assert post(f"{url}/sessions/start", benchmark="no")[0] == 400
        assert post(f"{url}/tasks/start", benchmark="demo", spec_id=["x"])[0] == 400
        assert ok(f"{url}/tasks/start", benchmark="demo", spec_id="demo-1\t")["text"]


def test_faults_come_at_the_same_calls_every_time() -> None:
    seen = []
    for _ in range(2):
        with world_process("--families", "M", "--faults", "429=0.2,500=0.2,drop=0.2") as url:
            task = ok(f"{url}/tasks/start", benchmark="demo", spec_id="demo-1")["task_id"]
            found: list[int] = []
            for _ in range(30):
                try:
                    found.append(post(f"{url}/demo/{task}/secret")[0])
                except (URLError, http.client.HTTPException, ConnectionError):
                    found.append(0)
            seen.append(found)
    assert seen[0] == seen[1]
    assert {0, 200, 429, 500} == set(seen[0])


def test_a_large_company_is_paged_through_in_linear_time() -> None:
    with world_process("--profile", "large", "--families", "M", "--page-cap", "500") as url:
        view = ok(f"{url}/benchmarks/view", benchmark="world-0")
        spec = view["specs"][0]["id"]
        task = ok(f"{url}/tasks/start", benchmark="world-0", spec_id=spec)["task_id"]
        root = f"{url}/erc3-dev/{task}"
        first = ok(f"{root}/time/search", offset=0, limit=3)
        late = ok(f"{root}/time/search", offset=100_000, limit=3)
        assert late["total_hours"] == first["total_hours"] > 100_000
        assert late["next_offset"] == 100_003
        assert len(ok(f"{root}/time/search", offset=7, limit=500)["entries"]) == 500
        assert late["entries"][0]["date"] > first["entries"][0]["date"]
        assert ok(f"{root}/time/get", id=late["entries"][0]["id"])["entry"]["hours"]


@pytest.mark.parametrize(("text", "seeds"), [("4", (4,)), ("0-2", (0, 1, 2)), ("1,5-6", (1, 5, 6))])
def test_seed_ranges(text: str, seeds: tuple[int, ...]) -> None:
    assert parse_seeds(text) == seeds
