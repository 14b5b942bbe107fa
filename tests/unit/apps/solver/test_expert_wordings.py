"""The intent of many wordings in eight languages, over a company that was made up for this."""

from pathlib import Path

import pytest

from proveout.apps.solver.experts.intents import BUILDS, intents
from proveout.apps.solver.experts.language import detect
from proveout.apps.solver.experts.reading import read
from proveout.apps.solver.proposing import plan_for, understand
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from tests.unit.apps.solver.tarnwerk import tarnwerk

GAZETTEER = Gazetteer(tarnwerk())
REQUESTER = "TW01_001"
LINES = [
    tuple(part.strip() for part in line.split("|", 1))
    for line in Path(__file__).with_name("wordings.txt").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize(("intent", "text"), LINES)
def test_a_wording_is_understood(intent: str, text: str) -> None:
    reading = read(text, REQUESTER, GAZETTEER)
    plan = plan_for(reading)
    asks = bool(plan.response_template.question)
    assert asks == (intent == "ASK"), plan.reading
    if not asks:
        assert understand(reading).name == intent


def test_every_intent_can_be_built() -> None:
    assert {it.build for it in intents()} == set(BUILDS)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who leads the project?", "en"),
        ("Wer leitet das Projekt?", "de"),
        ("Chi è il responsabile del progetto?", "it"),
        ("Qui est le chef du projet ?", "fr"),
        ("¿Quién es el jefe del proyecto?", "es"),
        ("Ko je rukovodilac na projektu?", "sr"),
        ("Ко је вођа пројекта?", "sr"),
        ("Кто руководит проектом?", "ru"),
        ("谁是这个项目的负责人？", "zh"),
        ("", "en"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert detect(text) == language
