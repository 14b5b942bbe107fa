"""Questions that name somebody and a project: in whatever words, they ask for the role."""

import pytest

from proveout.apps.solver.experts.reading import read
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.proposing import plan_for
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from tests.unit.apps.solver.tarnwerk import tarnwerk

GAZETTEER = Gazetteer(tarnwerk())
REQUESTER = "TW01_001"


def plan(text: str) -> Plan:
    return plan_for(read(text, REQUESTER, GAZETTEER))


def tables(made: Plan) -> str:
    return " ".join(step.statement for step in made.sql)


@pytest.mark.parametrize(
    "text",
    [
        "What does Vogt do on Blade icing detector?",
        "What is Vogt responsible for on Blade icing detector?",
        "How is Vogt involved in Blade icing detector?",
        "What hat does Vogt wear in Blade icing detector?",
        "Is Vogt an engineer or a designer on Blade icing detector?",
        "Di cosa si occupa Vogt in Blade icing detector?",
        "Qu'est-ce que Vogt fait dans Blade icing detector ?",
        "¿De qué se encarga Vogt en Blade icing detector?",
        "Čime se Vogt bavi na projektu Blade icing detector?",
        "Что делает Vogt в проекте Blade icing detector?",
        "Vogt在Blade icing detector里做什么？",
    ],
)
def test_somebody_on_a_project_is_asked_for_by_role(text: str) -> None:
    made = plan(text)
    assert made.response_template.message.text.endswith("{answer.role*}")
    assert [it.args.get("within_project") for it in made.tool_calls][-1] == "$project.id"
    assert made.writes == ()


@pytest.mark.parametrize(
    "text",
    [
        "What do I do on Blade icing detector?",
        "Remind me what I am in Blade icing detector: engineer, designer, QA?",
        "What am I on the Blade icing detector for Mistral Wind Parks?",
        "Cosa faccio io in Blade icing detector?",
        "De quoi suis-je chargé dans Blade icing detector ?",
        "¿Qué hago en Blade icing detector?",
        "U kojoj sam ulozi na projektu Blade icing detector?",
        "Кто я в проекте Blade icing detector?",
        "我在Blade icing detector里做什么？",
    ],
)
def test_so_is_the_requester(text: str) -> None:
    made = plan(text)
    assert "JOIN me AS m" in tables(made)
    assert "{answer.role*}" in made.response_template.message.text


def test_words_for_assigned_hide_no_role() -> None:
    told = plan("¿En qué rol estoy asignado a Blade icing detector?").response_template.message.text
    assert "{answer.role*}" in told
    share = plan("What is my time slice on Blade icing detector?").response_template.message.text
    assert "role" not in share


@pytest.mark.parametrize(
    "text",
    [
        "When did Vogt join Blade icing detector?",
        "Why is Vogt on Blade icing detector?",
        "How many hours did Vogt log on Blade icing detector?",
        "What does Vogt earn on Blade icing detector?",
        "Vogt is now an engineer on Blade icing detector.",
        "What does Vogt do on Blade icing detector and on Hull fouling scanner?",
        "What did Vogt say to the newspapers yesterday about Blade icing detector?",
    ],
)
def test_other_questions_are_not_answered_by_a_role(text: str) -> None:
    assert "role" not in plan(text).response_template.message.text


def test_who_works_with_me_is_no_question_about_me() -> None:
    assert "me AS m" not in tables(plan("Who works with me on Blade icing detector?"))


@pytest.mark.parametrize(
    "text",
    [
        "Who calls the shots on Hull fouling scanner?",
        "Whose project is Hull fouling scanner?",
        "By whom is Hull fouling scanner led?",
        "Which of my colleagues leads Hull fouling scanner?",
        "Chi tiene le redini di Hull fouling scanner?",
        "Qui est aux commandes de Hull fouling scanner ?",
        "¿Quién manda en Hull fouling scanner?",
        "Čiji je projekat Hull fouling scanner?",
        "Под чьим руководством идёт Hull fouling scanner?",
        "Hull fouling scanner项目是谁说了算？",
    ],
)
def test_whoever_leads_is_asked_for_in_many_words(text: str) -> None:
    made = plan(text)
    assert "t.role = 'Lead'" in tables(made)
    assert len(made.sql) == 1


@pytest.mark.parametrize(
    "text",
    ["Who dislikes Hull fouling scanner?", "Who told the press of Hull fouling scanner?"],
)
def test_a_verb_that_nobody_knows_is_asked_back(text: str) -> None:
    assert plan(text).response_template.question


def test_the_main_contact_is_no_lead() -> None:
    made = plan("Koji je mejl glavnog kontakta kod klijenta projekta Hull fouling scanner?")
    assert "t.role = 'Lead'" not in tables(made)
    named = plan("Ko je glavni kontakt kod klijenta za Hull fouling scanner?")
    assert "k.contact_email" in tables(named)
