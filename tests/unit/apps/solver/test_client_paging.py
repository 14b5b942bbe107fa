"""Lists are read to the end, or it is said that they could not be."""

import pytest
from pydantic import ValidationError

from proveout.apps.solver.client import Garbled, ListingOff, Rejected, ServerFault
from proveout.apps.solver.client.requests import EmployeesList, EmployeesSearch
from tests.unit.apps.solver.client_loopback import (
    Body,
    LoopbackApi,
    Said,
    SmallCompany,
    client_of,
    in_turn,
    person,
    refusal,
)


def people(count: int) -> list[Body]:
    return [person(f"a_{number:03}", f"Ann {number}") for number in range(count)]


@pytest.mark.parametrize("cap", [1, 3, 4, 5, 10, 1_000])
@pytest.mark.parametrize("count", [0, 1, 5, 36])
def test_every_row_once_whatever_the_cap(cap: int, count: int) -> None:
    with LoopbackApi(SmallCompany(people=people(count), cap=cap)) as api:
        found = [it.id for it in client_of(api).all_employees()]
        assert found == [f"a_{number:03}" for number in range(count)]
        refused = 0 if cap >= 1_000 else 1
        assert len(api.seen) == max(1, -(-count // cap)) + refused


def test_the_cap_is_learnt_once() -> None:
    with LoopbackApi(SmallCompany(people=people(7), cap=3)) as api:
        client = client_of(api)
        list(client.all_employees())
        list(client.all_projects())
        list(client.all_employees(EmployeesSearch(query="Ann")))
        limits = [body["limit"] for _, body in api.seen]
    assert limits == [1000, *[3] * (len(limits) - 1)]


def test_a_smaller_cap_elsewhere_is_learnt_too() -> None:
    def answers(path: str, body: Body) -> Said:
        cap = 2 if path == "/customers/list" else 4
        return SmallCompany(people=people(5), customers=people(5), cap=cap)(path, body)

    with LoopbackApi(answers) as api:
        client = client_of(api)
        assert len(list(client.all_employees())) == 5
        assert len(list(client.all_customers())) == 5


@pytest.mark.parametrize("cap", [-1, 0])
def test_a_listing_that_is_switched_off(cap: int) -> None:
    with LoopbackApi(in_turn(refusal(400, f"page limit exceeded: 1000 > {cap}"))) as api:
        client = client_of(api)
        for _ in range(3):
            with pytest.raises(ListingOff):
                list(client.all_employees())
        assert len(api.seen) == 1


def test_a_refusal_without_a_number_leads_to_small_pages() -> None:
    def answers(path: str, body: Body) -> Said:
        if body["limit"] > 5:
            return refusal(400, "too many")
        return SmallCompany(people=people(8), cap=5)(path, body)

    with LoopbackApi(answers) as api:
        assert len(list(client_of(api).all_employees())) == 8


def test_a_refusal_for_another_reason_is_an_error() -> None:
    with LoopbackApi(in_turn(refusal(400, "bad filter"))) as api:
        with pytest.raises(Rejected, match="bad filter"):
            list(client_of(api).all_employees())
        assert len(api.seen) == 2


def test_a_cap_that_contradicts_itself_does_not_loop() -> None:
    odd = in_turn(refusal(400, "page limit exceeded: 5 > 1000"))
    with LoopbackApi(odd) as api, pytest.raises(Garbled):
        list(client_of(api).all_employees())


def test_paging_that_does_not_advance_is_an_error() -> None:
    page = Said({"employees": people(2), "next_offset": 0})
    with LoopbackApi(in_turn(page)) as api, pytest.raises(Garbled, match="does not advance"):
        list(client_of(api).all_employees())


def test_no_rows_end_the_list_even_if_the_api_says_go_on() -> None:
    with LoopbackApi(in_turn(Said({"employees": None, "next_offset": 0}))) as api:
        assert list(client_of(api).all_employees()) == []
        assert len(api.seen) == 1


class Endless(SmallCompany):
    """Never says that it has come to the end; offsets behind it are a fault."""

    broken_at = 10**6

    def __call__(self, path: str, body: Body) -> Said:
        said = super().__call__(path, body)
        if body["offset"] >= self.broken_at:
            return refusal(500, "out of memory")
        if said.status == 200:
            return Said({**said.content, "next_offset": body["offset"] + body["limit"]})
        return said


@pytest.mark.parametrize("count", [3, 10, 12])
def test_a_fault_past_the_end_is_the_end(count: int) -> None:
    with LoopbackApi(Endless(people=people(count), cap=5)) as api:
        assert len(list(client_of(api).all_employees())) == count


@pytest.mark.parametrize("broken_at", [0, 4, 6])
def test_a_fault_in_the_middle_is_not_the_end(broken_at: int) -> None:
    company = Endless(people=people(12), cap=5)
    company.broken_at = broken_at
    with LoopbackApi(company) as api, pytest.raises(ServerFault):
        list(client_of(api).all_employees())


def test_no_rows_cannot_be_asked_for() -> None:
    with pytest.raises(ValidationError):
        EmployeesList(limit=0)
    with pytest.raises(ValidationError):
        EmployeesList(offset=-1)


def test_one_page_respects_a_smaller_wish() -> None:
    with LoopbackApi(SmallCompany(people=people(9), cap=5)) as api:
        page = client_of(api).list_employees(EmployeesList(offset=2, limit=3))
        assert [it.id for it in page.employees] == ["a_002", "a_003", "a_004"]
        assert page.next_offset == 5
