"""Phrases to things: swapped, misspelt, transliterated, partial, paraphrased, and unknown ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proveout.apps.solver.resolve.folding import fold, tokens, within_one_edit
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from proveout.apps.solver.resolve.resolution import CustomerName, Names, PersonName
from tests.unit.apps.solver.tarnwerk import tarnwerk

GAZETTEER = Gazetteer(tarnwerk())


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Hannah Müller", "TW01_010"),
        ("Müller Hannah", "TW01_010"),
        ("Hannah Mueller", "TW01_010"),
        ("HANNAH MULLER", "TW01_010"),
        ("Luka Djordjevic", "TW01_007"),
        ("Лука Ђорђевић", "TW01_007"),
        ("Đorđevića Luke", "TW01_007"),
        ("Дмитрий Соколов", "TW01_008"),
        ("Meer, Anna van der", "TW01_009"),
        ("Anna Meer", "TW01_009"),
        ("Nunez Ortega Pablo", "TW01_005"),
        ("Thomas O’Brien", "TW01_015"),
        ("Brien Thomas O", "TW01_015"),
        ("Ayse Yilmaz", "TW01_016"),
        ("Frau Petra Novotna", "TW01_017"),
        ("Jonas Vogt's", "TW01_011"),
        ("Jonas Vogtt", "TW01_011"),
        ("TW01_013", "TW01_013"),
        ("Dubois", "TW01_004"),
        ("Hannah\u200b Müller", "TW01_010"),
    ],
)
def test_a_person_is_found_however_the_name_is_written(said: str, meant: str) -> None:
    found = GAZETTEER.person(said)
    assert (found.status, [it.id for it in found.candidates]) == ("found", [meant])


@pytest.mark.parametrize("said", ["Sofia", "Rinaldi", "Weber"])
def test_a_name_of_several_people_is_ambiguous(said: str) -> None:
    assert GAZETTEER.person(said).status == "ambiguous"


def test_a_team_makes_a_first_name_unique_and_never_adds_anybody() -> None:
    team = frozenset({"TW01_012", "TW01_003"})
    assert [it.id for it in GAZETTEER.person("Sofia", team).candidates] == ["TW01_012"]
    assert GAZETTEER.person("Hannah Müller", team).status == "missing"


@pytest.mark.parametrize(
    "said", ["Quentin Blackwood", "", "  ", "x", "Herr", "Hannah Schmidt-Vogel"]
)
def test_strangers_are_missing(said: str) -> None:
    assert GAZETTEER.person(said).status == "missing"


def test_two_people_of_one_name_stay_two() -> None:
    names = Names(people=(PersonName("a", "Ana Ilić"), PersonName("b", "Ana Ilic")))
    assert len(Gazetteer(names).person("Ilić Ana").candidates) == 2


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Blade icing detector", "proj_mistral_blade_icing"),
        ("Blade-icing-detector", "proj_mistral_blade_icing"),
        ("the ice detection project for rotor blades", "proj_mistral_blade_icing"),
        ("vibration measurement for Nordlys turbines", "proj_nordlys_turbine_vibration"),
        ("internal tool for reserving laboratory benches", "proj_int_lab_booking"),
        ("archived fouling scan of ferry hulls", "proj_baltic_hull_scan"),
        ("proj_danubia_sluice_gauge", "proj_danubia_sluice_gauge"),
    ],
)
def test_a_project_is_found_by_name_or_paraphrase(said: str, meant: str) -> None:
    found = GAZETTEER.project(said)
    assert (found.status, [it.id for it in found.candidates]) == ("found", [meant])


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Baltic Ferry Lines", "ambiguous"),
        ("the ferry project", "ambiguous"),
        ("Moon landing simulator", "missing"),
        ("", "missing"),
    ],
)
def test_what_fits_several_projects_or_none_is_said_so(said: str, status: str) -> None:
    assert GAZETTEER.project(said).status in {status, "missing"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Nordlys Hydropower Group", "cust_nordlys"),
        ("Norwegian hydro power operator Nordlys", "cust_nordlys"),
        ("Austrian ski lift builder", "cust_alpina"),
        ("Serbian waterways authority", "cust_danubia"),
    ],
)
def test_a_customer_is_found_by_description(said: str, meant: str) -> None:
    assert [it.id for it in GAZETTEER.customer(said).candidates] == [meant]


@pytest.mark.parametrize("said", ["Spanish Ministry of Defence", "Tokyo Metro", "Aurora Mining"])
def test_customers_that_do_not_exist_are_missing(said: str) -> None:
    assert GAZETTEER.customer(said).status == "missing"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("HR", "Human Resources (HR)"),
        ("finance department", "Finance"),
        ("R&D", "Research & Development"),
    ],
)
def test_a_department_is_found_by_a_part_or_its_initials(said: str, meant: str) -> None:
    assert [it.id for it in GAZETTEER.department(said).candidates] == [meant]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Optical design", "skill_optics"),
        ("skill_optics", "skill_optics"),
        ("metrology", "skill_metrology"),
        ("Norwegian", "skill_norwegian"),
    ],
)
def test_a_skill_is_found_by_id_label_or_part(said: str, meant: str) -> None:
    assert [it.id for it in GAZETTEER.skill(said).candidates] == [meant]


def test_ids_alone_name_skills_where_the_wiki_gives_no_labels() -> None:
    bare = Gazetteer(Names(skills=("skill_project_mgmt", "skill_crm", "skill_crm_systems")))
    for said, meant in (
        ("Project management", "skill_project_mgmt"),
        ("Customer relationship management", "skill_crm"),
        ("CRM system usage", "skill_crm_systems"),
    ):
        assert [it.id for it in bare.skill(said).candidates] == [meant]


def test_contacts_are_people_of_customers() -> None:
    assert [it.id for it in GAZETTEER.contact("Holm Astrid").candidates] == ["cust_nordlys"]
    empty = Gazetteer(Names(customers=(CustomerName("c", "No contact Ltd"),)))
    assert empty.contact("Anybody").status == "missing"


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_the_resolvers(text: str) -> None:
    for resolve in (
        GAZETTEER.person, GAZETTEER.project, GAZETTEER.customer, GAZETTEER.contact,
        GAZETTEER.department, GAZETTEER.location, GAZETTEER.skill, GAZETTEER.page,
    ):  # fmt: skip
        found = resolve(text)
        assert (found.status == "missing") == (not found.candidates)


@given(st.text(max_size=80))
def test_tokens_are_true_substrings(text: str) -> None:
    assert all(text[it.start : it.end] == it.raw and it.folded for it in tokens(text))


def test_folding_meets_in_the_middle() -> None:
    assert fold("Łódź") == fold("lodz")
    assert fold("ŠĆ\u200d") == "sc"
    assert within_one_edit("without", "withuot")
    assert not within_one_edit("abc", "cba")
