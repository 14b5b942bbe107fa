"""What the client does when the API is slow, broken, busy, or talks nonsense."""

import socket

import pytest

from proveout.apps.solver.client import (
    ApiError,
    CompanyClient,
    Garbled,
    GaveUp,
    HttpTransport,
    NotFound,
    Patience,
    Rejected,
    ServerFault,
    Throttled,
    Unreachable,
)
from proveout.apps.solver.client.requests import EmployeeUpdate, Respond, StatusUpdate, WikiUpdate
from proveout.kernel.errors import UnknownName, UsageError
from tests.unit.apps.solver.client_loopback import (
    LoopbackApi,
    Naps,
    Said,
    SmallCompany,
    client_of,
    in_turn,
    person,
    refusal,
)

ME = {"current_user": "a_1", "today": "2031-02-03", "wiki_sha1": "f00d"}


def test_a_burst_of_faults_is_sat_out_on_a_read() -> None:
    naps = Naps()
    with LoopbackApi(in_turn(refusal(500), refusal(503), Said(b"<html>", 502), Said(ME))) as api:
        client = client_of(api, sleep=naps)
        assert client.who_am_i().current_user == "a_1"
    assert naps.seconds == [0.25, 0.5, 1.0]
    assert client.trail.records[-1].tries == 4


def test_reads_are_tried_a_bounded_number_of_times() -> None:
    with LoopbackApi(in_turn(refusal(500, "boom"))) as api:
        with pytest.raises(ServerFault, match="boom"):
            client_of(api).who_am_i()
        assert len(api.seen) == 4


def test_the_api_is_asked_no_more_after_several_failures_in_a_row() -> None:
    with LoopbackApi(in_turn(refusal(500))) as api:
        client = client_of(api, tries=2, most_failures=2)
        for _ in range(2):
            with pytest.raises(ServerFault):
                client.who_am_i()
        with pytest.raises(GaveUp):
            client.list_wiki()
        assert len(api.seen) == 4


def test_what_is_merely_missing_does_not_count_as_a_failure() -> None:
    with LoopbackApi(in_turn(refusal(404, "Not found"))) as api:
        client = client_of(api, most_failures=2)
        for number in range(5):
            with pytest.raises(NotFound):
                client.get_employee(f"a_{number}")


def test_a_busy_api_is_given_the_time_it_asks_for_within_bounds() -> None:
    naps = Naps()
    busy = (refusal(429, Retry_After="3"), refusal(429, Retry_After="3600"))
    with LoopbackApi(in_turn(*busy, Said(ME))) as api:
        client_of(api, sleep=naps, longest_wait=4.0).who_am_i()
    assert naps.seconds == [3.0, 4.0]


@pytest.mark.parametrize("header", ["soon", "-5", "nan", "Wed, 99 Foo", "inf"])
def test_an_odd_wish_to_wait_does_no_harm(header: str) -> None:
    naps = Naps()
    with LoopbackApi(in_turn(refusal(429, Retry_After=header), Said(ME))) as api:
        client_of(api, sleep=naps).who_am_i()
    assert 0.0 <= naps.seconds[0] <= 5.0


@pytest.mark.parametrize(
    "first", [refusal(500), refusal(503), Said(b"{", 200), Said({}, 200, hangs=True)]
)
def test_a_write_that_may_have_happened_is_never_sent_again(first: Said) -> None:
    with LoopbackApi(in_turn(first, Said({}))) as api:
        client = client_of(api, timeout_seconds=0.3)
        with pytest.raises(ApiError):
            client.update_project_status(StatusUpdate(id="p", status="paused"))
        assert len(api.seen) == 1


def test_a_write_that_was_turned_away_is_sent_again() -> None:
    with LoopbackApi(in_turn(refusal(429), Said({}))) as api:
        client_of(api).provide_agent_response(Respond(message="m", outcome="ok_answer"))
        assert len(api.seen) == 2


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    naps = Naps()
    transport = HttpTransport(f"http://127.0.0.1:{port}/erc3-dev/tsk-secret")
    client = CompanyClient(transport, patience=Patience(sleep=naps))
    with pytest.raises(Unreachable) as caught:
        client.update_wiki(WikiUpdate(file="a.md", content=""))
    transport.close()
    # Nothing was sent, so it was safe to try again.
    assert len(naps.seconds) == 3
    assert "tsk-secret" not in str(caught.value)
    assert "is the server at" in caught.value.hint


def test_silence_ends_after_the_time_limit() -> None:
    with LoopbackApi(in_turn(Said({}, hangs=True))) as api:
        client = client_of(api, timeout_seconds=0.2, tries=2)
        with pytest.raises(Unreachable, match="no answer"):
            client.who_am_i()
        assert len(api.seen) == 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>fine</html>",
        b"[]",
        b'"text"',
        b"null",
        b'{"today": NaN}',
        b'{"current_user": "\\ud800", "today": "2031-02-03"}',
        b"[" * 5_000,
        b'{"today": "2031-02-30"}',
        b'{"today": 20310203}',
        b'{"current_user": ["a"], "today": "2031-02-03"}',
        b"{}",
        b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
    ],
)
def test_nonsense_is_an_error_of_ours(content: bytes) -> None:
    with LoopbackApi(in_turn(Said(content))) as api, pytest.raises(Garbled):
        client_of(api).who_am_i()


@pytest.mark.parametrize(
    "odd",
    [
        {"salary": 10**30},
        {"salary": 1.5},
        {"salary": "much"},
        {"skills": [{"name": "x", "level": 2**70}]},
        {"skills": "all"},
        {"id": None},
        {"name": 7},
    ],
)
def test_values_that_no_registry_holds_are_nonsense_too(odd: dict[str, object]) -> None:
    answer = in_turn(Said({"employee": {**person("a_1", "Ann"), **odd}}))
    with LoopbackApi(answer) as api, pytest.raises(Garbled):
        client_of(api).get_employee("a_1")


def test_an_endless_answer_is_cut_off() -> None:
    with LoopbackApi(in_turn(Said(b" " * 3_000_000))) as api:
        transport = api.transport(most_bytes=100_000)
        with pytest.raises(Garbled, match="exceeds 100000 bytes"):
            CompanyClient(transport).who_am_i()


def test_unknown_fields_and_nulls_are_harmless() -> None:
    answer = {"employee": {**person("a_1", "Ann"), "shoe_size": 44, "email": None, "skills": None}}
    with LoopbackApi(in_turn(Said(answer))) as api:
        found = client_of(api).get_employee("a_1")
    assert (found.email, found.skills) == ("", ())


def test_whoever_has_no_name_is_a_guest() -> None:
    with LoopbackApi(in_turn(Said({**ME, "current_user": "", "is_public": False}))) as api:
        assert client_of(api).who_am_i().is_public


def test_reads_are_remembered_until_something_is_written() -> None:
    company = SmallCompany(people=[person("a_1", "Ann")], pages={"a.md": "one"})
    with LoopbackApi(company) as api:
        client = client_of(api)
        assert client.get_employee("a_1") == client.get_employee("a_1")
        assert client.load_wiki("a.md").content == "one"
        assert len(api.seen) == 2 == client.trail.count
        client.update_wiki(WikiUpdate(file="a.md", content="two"))
        assert client.load_wiki("a.md").content == "two"


def test_a_failed_write_forgets_what_was_read_too() -> None:
    answers = in_turn(Said({"file": "a", "content": "1"}), refusal(500), Said({"file": "a"}))
    with LoopbackApi(answers) as api:
        client = client_of(api)
        assert client.load_wiki("a").content == "1"
        with pytest.raises(ServerFault):
            client.update_wiki(WikiUpdate(file="a", content=""))
        assert client.load_wiki("a").content == ""


def test_found_false_is_not_found() -> None:
    none = in_turn(Said({"project": None, "found": False}))
    with LoopbackApi(none) as api, pytest.raises(NotFound):
        client_of(api).get_project("p")


def test_equal_calls_leave_equal_records() -> None:
    company = SmallCompany(people=[person("a_1", "Ann", salary=1)])
    with LoopbackApi(company) as api:
        one, two = client_of(api), client_of(api)
        one.get_employee("a_1")
        two.get_employee("a_1")
    record = one.trail.records[-1]
    assert record.route == "/employees/get"
    assert record.request == {"id": "a_1"}
    assert record.ids == ("a_1",)
    assert record.digest.startswith("sha256:")
    assert one.trail.digest == two.trail.digest


def test_failures_are_on_record() -> None:
    with LoopbackApi(in_turn(refusal(400, "skills must be objects"))) as api:
        client = client_of(api)
        with pytest.raises(Rejected):
            client.update_employee_info(EmployeeUpdate(employee="a", salary=1))
    assert client.trail.records[-1].error == "solver.api.rejected"
    assert client.trail.records[-1].status == 400


def test_what_is_not_given_is_not_sent() -> None:
    with LoopbackApi(in_turn(Said({"employee": person("a_1", "Ann")}))) as api:
        client_of(api).update_employee_info(EmployeeUpdate(employee="a_1", salary=7))
        assert api.seen == [("/employees/update", {"employee": "a_1", "salary": 7})]


def test_dispatch_checks_what_it_sends() -> None:
    with LoopbackApi(in_turn(Said({}))) as api:
        client = client_of(api)
        with pytest.raises(UsageError, match="status"):
            client.dispatch("/projects/status/update", {"id": "p", "status": "deleted"})
        with pytest.raises(UnknownName):
            client.dispatch("/projects/delete", {"id": "p"})
        assert api.seen == []
        client.dispatch("/projects/status/update", {"id": "p", "status": "idea"})
        assert api.seen == [("/projects/status/update", {"id": "p", "status": "idea"})]


@pytest.mark.parametrize("url", ["", "ftp://x", "localhost:80", "http://"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(UsageError):
        HttpTransport(url)


def test_text_of_any_script_arrives_as_it_is() -> None:
    words = "Нови Сад – 鹿特丹 \u0000 \u202e “x”"
    with LoopbackApi(in_turn(Said({}))) as api:
        client_of(api).update_wiki(WikiUpdate(file="a.md", content=words))
        assert api.seen[0][1]["content"] == words


def test_the_complaint_is_passed_on_in_part_only() -> None:
    long = in_turn(Said({"error": "x" * 10_000}, 400))
    with LoopbackApi(long) as api, pytest.raises(Rejected) as caught:
        client_of(api).list_wiki()
    assert len(str(caught.value)) < 400


def test_throttling_that_does_not_end_is_an_error() -> None:
    with LoopbackApi(in_turn(refusal(429))) as api, pytest.raises(Throttled):
        client_of(api).list_wiki()
