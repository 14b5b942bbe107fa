"""Sessions, tasks, grading, telemetry, and the two small benchmarks."""

import pytest

from proveout.apps.solver.client import BenchmarkClient, Patience, ServerFault
from tests.unit.apps.solver.client_loopback import (
    Body,
    LoopbackApi,
    Naps,
    Said,
    in_turn,
    refusal,
)

KEY = "key-canary-4711"


def service(api: LoopbackApi) -> BenchmarkClient:
    return api.service(account_key=KEY, patience=Patience(sleep=Naps()))


def test_the_key_travels_in_two_bodies_and_stays_out_of_every_record() -> None:
    started = Said({"session_id": "ssn-1", "task_count": 2})
    with LoopbackApi(in_turn(started, Said({"sessions": None}), refusal(500))) as api:
        client = service(api)
        assert client.start_session("bench", workspace="w", flags=["compete_local"]).task_count == 2
        assert client.search_sessions() == ()
        with pytest.raises(ServerFault) as caught:
            client.session_status("ssn-1")
        sent = [body.get("account_key") for _, body in api.seen]
    assert sent == [KEY, KEY, *[None] * 4]
    told = "".join(record.model_dump_json() for record in client.trail.records)
    assert KEY not in told + str(caught.value) + repr(client)
    assert "***" in told


def test_a_session_from_start_to_end() -> None:
    status = {
        "status": "open",
        "new": 1,
        "tasks": [{"spec_id": "t102\t", "task_id": "tsk-1", "task_text": "Hello", "score": -1.0}],
        "flags": None,
    }
    answers = {
        "/sessions/status": status,
        "/tasks/start": {"task_id": "tsk-1", "session_id": None, "text": "Hello"},
        "/tasks/complete": {"status": "completed", "eval": {"score": 1, "logs": "fine"}},
        "/sessions/submit": {"status": "evaluated"},
        "/tasks/view": {"task_id": "tsk-1", "logs": [{"type": "api", "body": {"any": 1}}]},
        "/tasks/log": {},
        "/get_key": {"account_key": KEY},
        "/benchmarks/list": {"benchmarks": [{"id": "b", "tasks": 3}]},
        "/benchmarks/view": {"id": "b", "specs": [{"id": "t1 "}], "routes": None},
    }
    with LoopbackApi(lambda path, _: Said(answers[path])) as api:
        client = service(api)
        task = client.session_status("ssn-1").tasks[0]
        assert task.spec_id == "t102"
        assert client.start_task(task.task_id).text == "Hello"
        assert client.start_new_task("b", "t1").task_id == "tsk-1"
        evaluation = client.complete_task("tsk-1").eval
        assert evaluation is not None
        assert evaluation.score == 1.0
        assert client.submit_session("ssn-1") == "evaluated"
        assert client.task_detail("tsk-1").logs[0].type == "api"
        assert client.get_key("a@example.org") == KEY
        assert client.list_benchmarks()[0].tasks == 3
        assert client.view_benchmark("b").specs[0].id == "t1"


def test_grades_may_be_hidden() -> None:
    with LoopbackApi(in_turn(Said({"status": "completed", "eval": None}))) as api:
        assert service(api).complete_task("tsk-1").eval is None


def test_that_no_model_was_asked_is_reported_too() -> None:
    with LoopbackApi(in_turn(Said({}))) as api:
        service(api).log_llm("tsk-1")
        path, body = api.seen[0]
    assert path == "/tasks/log"
    assert (body["prompt_tokens"], body["completion_tokens"], body["duration_sec"]) == (0, 0, 0.0)
    assert body["model"]
    assert body["completion"] == ""


def test_status_is_asked_anew_each_time() -> None:
    with LoopbackApi(in_turn(Said({"status": "open"}), Said({"status": "done"}))) as api:
        client = service(api)
        assert [client.session_status("s").status for _ in range(2)] == ["open", "done"]


def test_completing_is_safe_to_repeat_but_starting_a_session_is_not() -> None:
    with LoopbackApi(in_turn(refusal(502), Said({"status": "already_completed"}))) as api:
        assert service(api).complete_task("tsk-1").status == "already_completed"
    once = in_turn(refusal(502), Said({"session_id": "s"}))
    with LoopbackApi(once) as api, pytest.raises(ServerFault):
        service(api).start_session("bench")


def test_a_task_lives_below_its_api_root() -> None:
    with LoopbackApi(in_turn(Said({"paths": None}))) as api:
        service(api).company("tsk-1").list_wiki()
        api.service(api_root="/erc3/").company("tsk-2").list_wiki()
        assert [path for path, _ in api.seen] == [
            "/erc3-dev/tsk-1/wiki/list",
            "/erc3/tsk-2/wiki/list",
        ]


def test_the_shop() -> None:
    products = [
        {"sku": f"s{number}", "name": "n", "available": 1, "price": 2} for number in range(7)
    ]

    def answers(path: str, body: Body) -> Said:
        match path.removeprefix("/store/tsk-1"):
            case "/products/list":
                if body["limit"] > 5:
                    return refusal(400, f"page limit exceeded: {body['limit']} > 5")
                after = body["offset"] + body["limit"]
                rows = products[body["offset"] : after]
                return Said({"products": rows, "next_offset": after if after < 7 else -1})
            case "/basket/view" | "/basket/checkout":
                return Said({"items": None, "subtotal": 2, "coupon": None, "total": 2})
            case "/basket/add" | "/basket/remove":
                return Said({"line_count": 1, "item_count": body["quantity"]})
        return Said({})

    with LoopbackApi(answers) as api:
        shop = service(api).store("tsk-1")
        assert [it.sku for it in shop.all_products()] == [it["sku"] for it in products]
        assert shop.add_to_basket("s1", 2).item_count == 2
        assert shop.remove_from_basket("s1", 1).item_count == 1
        shop.apply_coupon("X")
        shop.remove_coupon()
        assert shop.view_basket().items == ()
        assert shop.check_out().total == 2.0


def test_the_demonstration() -> None:
    with LoopbackApi(in_turn(Said({"value": "s3"}), Said({}))) as api:
        demo = service(api).demo("tsk-1")
        demo.provide_answer(demo.get_secret())
        assert api.seen[-1] == ("/demo/tsk-1/answer", {"answer": "s3"})
