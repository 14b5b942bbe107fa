"""Messages from typed values: strict forms, plain figures, nothing re-read as a template."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.apps.solver.plan import MessageRule
from proveout.apps.solver.sandbox.engine import Rows
from proveout.apps.solver.validating.grounding import Ground, visible
from proveout.apps.solver.validating.leaks import loose_values
from proveout.apps.solver.validating.message import (
    MOST_LISTED,
    asks_for_words,
    fill,
    fitting_tokens,
    render,
    table,
    worded,
)
from proveout.apps.solver.validating.phrases import PHRASES, phrase
from proveout.apps.solver.validating.refusal import PlanRefused
from proveout.apps.solver.words import OUTCOMES

BINDS = {
    "x": Rows(("id", "n", "day"), (("a", 55000, "2025-04-07"), ("b", 900, "2025-04-08"))),
    "one": Rows(("n", "day"), ((1250, "2025-04-07"),)),
    "none": Rows(("n",)),
    "nothing": Rows(("n",), ((None,),)),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{one.n}", "1250"),
        ("{one.n:fte}", "1.3"),
        ("{one.n:hours}", "12.5"),
        ("{one.day:date:%d-%m-%Y}", "07-04-2025"),
        ("{x.id*}", "a, b"),
        ("{x.n*}", "55000, 900"),
        ("{none.n*}", ""),
        ("plain", "plain"),
    ],
)
def test_values_are_shown_as_asked_for(text: str, expected: str) -> None:
    assert fill(text, BINDS) == expected


@pytest.mark.parametrize(
    ("milli", "shown"), [(0, "0.0"), (900, "0.9"), (1800, "1.8"), (250, "0.3"), (1000, "1.0")]
)
def test_parts_of_a_job_have_one_decimal(milli: int, shown: str) -> None:
    assert worded(milli, "fte") == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(55000, "55000"), (6.5, "6.5"), (4.0, "4"), (1e21, "1000000000000000000000"), (-0.0, "0"),
     (True, "true"), ("a\n b\u202e", "a b")],
)  # fmt: skip
def test_figures_are_plain(value: float | str, shown: str) -> None:
    assert worded(value) == shown


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "template"),
        ("{x}", "template"),
        ("{x.id", "template"),
        ("{{x.id}}", "template"),
        ("{x.__class__.y}", "template"),
        ("{x.id!r}", "template"),
        ("{x.other}", "unknown_column"),
        ("{x.id:fte}", "format"),
        ("{x.id:upper}", "format"),
        ("{one.n:date:%d}", "format"),
        ("{one.day:date:%s%n}", "format"),
        ("{x.id:date:%d}", "format"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused(text: str, code: str) -> None:
    with pytest.raises(PlanRefused) as refused:
        fill(text, BINDS)
    assert refused.value.finding.code == f"solver.reply.{code}"


@given(st.text(max_size=60))
def test_what_a_value_holds_is_never_read_as_a_template(value: str) -> None:
    binds = {"v": Rows(("text",), ((f"{{v.text}}{value}",),)), "w": Rows(("s",), (("secret",),))}
    assert fill("<{v.text}>", binds) == f"<{' '.join(visible('{v.text}' + value).split())}>"


@given(st.text(alphabet="|\\\n\r ab`", max_size=20))
def test_a_cell_stays_in_its_cell(value: str) -> None:
    lines = table(Rows(("c",), ((value,),))).split("\n")
    assert len(lines) == 3
    unescaped = lines[2].replace("\\\\", "").replace("\\|", "")
    assert unescaped.count("|") == 2


def test_long_lists_are_counted_to_the_end() -> None:
    many = Rows(("id",), tuple((f"e{number}",) for number in range(MOST_LISTED + 7)))
    assert fill("{m.id*}", {"m": many}).endswith("(+7)")
    assert table(many).splitlines()[-1] == "| … (+7) |"


def test_a_yes_or_no_is_the_whole_message() -> None:
    yes_no = MessageRule(form="yes_no", truth="x", tokens=("Ja", "Nein"), text="Novi Sad: ")
    assert render(yes_no, BINDS) == "Ja"
    assert render(yes_no.model_copy(update={"truth": "none"}), BINDS) == "Nein"
    assert render(yes_no.model_copy(update={"truth": "nothing"}), BINDS) == "Nein"


@pytest.mark.parametrize(
    "text",
    [
        "Are you in Rome? Answer Yes or No",
        "Are you in Rome (Yes/No)",
        "Sind Sie dort tätig? Nein/Ja",
        "你们在罗马有办公室吗?是/否",
        "Answer Yes if either location is present, or No",
        "Siete a Roma? Sì o No",
    ],
)
def test_a_task_that_offers_two_words_is_recognised(text: str) -> None:
    assert asks_for_words(Ground(text))


@pytest.mark.parametrize(
    "text", ["Who leads it?", "Is there no lead? Tell me.", "Janek and Neinhard", "Say yes to life"]
)
def test_other_tasks_are_free(text: str) -> None:
    assert not asks_for_words(Ground(text))


@pytest.mark.parametrize(
    ("tokens", "text", "fits"),
    [
        (("Yes", "No"), "", True),
        (("No", "Yes"), "Yes or No", False),
        (("Ja", "Nein"), "", True),
        (("Present", "Absent"), "Say Present or Absent", True),
        (("Present", "Absent"), "Say something", False),
        (("Yes", "Yes"), "Yes", False),
        (("", "No"), "No", False),
    ],
)
def test_answer_words(tokens: tuple[str, str], text: str, fits: bool) -> None:
    assert fitting_tokens(tokens, Ground(text)) is fits


@pytest.mark.parametrize(
    ("words", "loose"),
    [
        ("The lead is named here.", ()),
        ("It is 7.", ("a figure",)),
        ("It is 55000 as you said.", ()),
        ("Write to a.b@c.example", ("an address",)),
        ("Ask BwFV_123", ("an id", "a figure")),
        ("Your skill_x", ("an id",)),
        ("[click](javascript:x)", ("a location on the web",)),
    ],
)
def test_words_of_a_proposer_hold_no_values(words: str, loose: tuple[str, ...]) -> None:
    assert loose_values(words, Ground("Is it 55000?")) == loose


@pytest.mark.parametrize("language", [*PHRASES, "xx", ""])
def test_there_are_words_for_every_outcome(language: str) -> None:
    for outcome in OUTCOMES:
        assert phrase(outcome, language)
