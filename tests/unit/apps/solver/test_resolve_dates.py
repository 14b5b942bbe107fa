"""Days, places and numbers as people write them."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.apps.solver.resolve.dates import resolve_dates
from proveout.apps.solver.resolve.places import locations_of, same_place
from proveout.apps.solver.resolve.quantities import numbers, read_number

TODAY = "2025-05-20"


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("yesterday", "2025-05-19", "2025-05-19"),
        ("gestern", "2025-05-19", "2025-05-19"),
        ("јуче", "2025-05-19", "2025-05-19"),
        ("вчера", "2025-05-19", "2025-05-19"),
        ("昨天", "2025-05-19", "2025-05-19"),
        ("the day before yesterday", "2025-05-18", "2025-05-18"),
        ("vorgestern", "2025-05-18", "2025-05-18"),
        ("two days before yesterday", "2025-05-17", "2025-05-17"),
        ("a week ago", "2025-05-13", "2025-05-13"),
        ("vor einer Woche", "2025-05-13", "2025-05-13"),
        ("una settimana fa", "2025-05-13", "2025-05-13"),
        ("il y a sept jours", "2025-05-13", "2025-05-13"),
        ("hace 3 días", "2025-05-17", "2025-05-17"),
        ("pre tri dana", "2025-05-17", "2025-05-17"),
        ("неделю назад", "2025-05-13", "2025-05-13"),
        ("三天前", "2025-05-17", "2025-05-17"),
        ("last week", "2025-05-12", "2025-05-18"),
        ("letzten Monat", "2025-04-01", "2025-04-30"),
        ("in March 2025", "2025-03-01", "2025-03-31"),
        ("5 March 2025", "2025-03-05", "2025-03-05"),
        ("am 5. März 2025", "2025-03-05", "2025-03-05"),
        ("1 December 2024 and 2024-12-31", "2024-12-01", "2024-12-31"),
        ("between 2025-03-01 and 2025-03-31", "2025-03-01", "2025-03-31"),
        ("10.05.2025", "2025-05-10", "2025-05-10"),
        ("2025年3月5日", "2025-03-05", "2025-03-05"),
        ("Q1 2025", "2025-01-01", "2025-03-31"),
        ("29.02.2024", "2024-02-29", "2024-02-29"),
        ("back 3 days from today", "2025-05-17", "2025-05-17"),
        ("Today minus 3 days", "2025-05-17", "2025-05-17"),
        ("heute vor einer Woche", "2025-05-13", "2025-05-13"),
        ("this day last week", "2025-05-13", "2025-05-13"),
        ("a fortnight ago", "2025-05-06", "2025-05-06"),
        ("twelve days ago", "2025-05-08", "2025-05-08"),
        ("a month ago", "2025-04-20", "2025-04-20"),
        ("last Friday", "2025-05-16", "2025-05-16"),
        ("letzten Dienstag", "2025-05-13", "2025-05-13"),
        ("в прошлую пятницу", "2025-05-16", "2025-05-16"),
        ("上周五", "2025-05-16", "2025-05-16"),
        ("the 3rd of March", "2025-03-03", "2025-03-03"),
        ("3-го марта", "2025-03-03", "2025-03-03"),
        ("the first of May", "2025-05-01", "2025-05-01"),
        ("between 3 and 17 March 2025", "2025-03-03", "2025-03-17"),
        ("vom 3. bis 17. März 2025", "2025-03-03", "2025-03-17"),
        ("dal 3 al 17 marzo", "2025-03-03", "2025-03-17"),
        ("between March and May 2024", "2024-03-01", "2024-05-31"),
        ("2025-03", "2025-03-01", "2025-03-31"),
        ("first quarter of 2025", "2025-01-01", "2025-03-31"),
        ("last quarter", "2025-01-01", "2025-03-31"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("since 3 March 2025", "2025-03-03", "2025-05-20"),
        ("from 2025-03-01 until yesterday", "2025-03-01", "2025-05-19"),
        ("what's 5 days before today", "2025-05-15", "2025-05-15"),
    ],
)
def test_words_for_days(said: str, first: str, last: str) -> None:
    assert resolve_dates(said, TODAY) == (first, last)


@pytest.mark.parametrize(
    "said",
    [
        *("2025-02-31", "31 February 2025", "29.02.2025", "soon", "", "may I"),
        *("99999999999 days ago", "the last 7 days", "back then"),
    ],
)
def test_days_that_do_not_exist_are_none(said: str) -> None:
    assert resolve_dates(said, TODAY) is None


@given(st.text(max_size=60))
def test_no_text_breaks_the_date_reader(text: str) -> None:
    found = resolve_dates(text, TODAY)
    assert found is None or found[0] <= found[1]


@dataclass(frozen=True)
class Site:
    name: str
    city: str = ""
    near: tuple[str, ...] = ()
    country: str = ""


HEAD = Site("Headquarters & Italian Works", near=("Milan", "Bergamo"), country="Italy")
PLANT = Site("Serbian Plant", "Novi Sad", country="Serbia")
OFFICE = Site("Vienna Office – Austria", "Vienna", country="Austria")


@pytest.mark.parametrize(
    ("asked", "site", "there"),
    [
        ("Wien", OFFICE, True),
        ("维也纳", OFFICE, True),
        ("Austria", OFFICE, True),
        ("Österreich", OFFICE, True),
        ("Vienna Office – Austria", OFFICE, True),
        ("Graz", OFFICE, False),
        ("Germany", OFFICE, False),
        ("Нови Сад", PLANT, True),
        ("Novom Sadu", PLANT, True),
        ("Belgrade", PLANT, False),
        ("Serbian Plant", PLANT, True),
        ("Milano", HEAD, True),
        ("Bergamo", HEAD, True),
        ("Rome", HEAD, False),
        ("Atlantis", HEAD, False),
    ],
)
def test_where_the_company_is(asked: str, site: Site, there: bool) -> None:
    assert same_place(asked, site) is there


def test_a_city_leads_to_the_registry_through_the_sites() -> None:
    registry = ("HQ – Italy", "HQ - Italy", "Serbian Plant", "Vienna Office – Austria")
    sites = (HEAD, PLANT, OFFICE)
    assert locations_of("Milano", registry, sites) == ("HQ – Italy", "HQ - Italy")
    assert locations_of("Novi Sad", registry, sites) == ("Serbian Plant",)
    assert locations_of("Wien", registry, sites) == ("Vienna Office – Austria",)
    assert locations_of("Tokyo", registry, sites) == ()


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("1,000", 1000),
        ("1.000", 1000),
        ("1 000", 1000),
        ("2,5", 2.5),
        ("2.5", 2.5),
        ("1.234,5", 1234.5),
    ],
)
def test_separators(said: str, value: float) -> None:
    read = read_number(said)
    assert read is not None
    assert float(read) == value


def test_only_plain_numbers_count() -> None:
    assert numbers("0x10 1e3 2^63x AB_151 v2") == () or all(
        it.value in {2, 63} for it in numbers("0x10 1e3 2^63x AB_151 v2")
    )
    percent, amount = numbers("by 20 percent or 5000")
    assert (percent.percent, amount.percent) == (True, False)
    assert numbers("记录昨天的3小时")[0].value == 3
