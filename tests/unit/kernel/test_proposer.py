"""Roles, and the ladder by which a reply becomes a proposal or a finding."""

import json
from typing import Any

import pytest
from pydantic import Field, JsonValue

from proveout.kernel.lessons import Lesson
from proveout.kernel.ports import Brief, Reply
from proveout.kernel.proposer import SHOWN_TEXT, Reading, Role, RoleProposer, read_reply
from proveout.kernel.types import Frozen, Malformed, Picture
from tests.words import PROPOSE, SAY, Word, WordTask
from tests.yardstick import PASSES, passes


class Plan(Frozen):
    steps: int = Field(ge=0)
    note: JsonValue = None
    weight: float = 0.0


def read(text: str = "", **fields: Any) -> Plan | Malformed:
    return read_reply(Reply(text=text, **fields), Plan)


def problem(answer: Plan | Malformed) -> str:
    assert isinstance(answer, Malformed)
    return answer.problem


@pytest.mark.parametrize(
    "reply",
    [
        Reply(value={"steps": 3}),
        Reply(value={"plan": {"steps": 3}}),
        Reply(text='{"steps": 3}'),
        Reply(text='```json\n{"steps": 3}\n```'),
        Reply(text='```\r\n{"steps": 3}\r\n```'),
        Reply(text='Sure! ```\n{"steps": 3}\n``` Anything else?'),
        Reply(text='I would say {"steps": 3}, because [it] fits.'),
        Reply(text='First {broken: then} {"steps": 3}'),
        Reply(text='{"steps": -1} or rather {"steps": 3}'),
        Reply(text='[1, 2] {"steps": 3}'),
        Reply(text='{"steps": 7, "steps": 8} {"steps": 3}'),
        Reply(text='```json\n{"steps": "many"}\n```\nno: {"steps": 3}'),
        Reply(value={"steps": "many"}, text='{"steps": 3}'),
        Reply(text='{"steps": 3} and then it was cut', stop="length"),
    ],
    ids=range(14),
)
def test_the_value_is_found(reply: Reply) -> None:
    assert read_reply(reply, Plan) == Plan(steps=3)


def test_the_native_value_is_trusted_before_the_text() -> None:
    assert read('{"steps": 1}', value={"steps": 2}) == Plan(steps=2)


def test_a_fenced_value_is_trusted_before_prose() -> None:
    assert read('{"steps": 1}\n```\n{"steps": 2}\n```') == Plan(steps=2)


@pytest.mark.parametrize(
    "text",
    [
        '{"steps": 1, "steps": 1}',
        '{"steps": 1, "note": NaN}',
        '{"steps": 1, "note": -Infinity}',
        '{"steps": 1, "weight": 1e999}',
        '{"steps": 1, "weight": "NaN"}',
        '{"steps": 1, "note": "\\ud800"}',
        '{"steps": 1, "note": {"\\ud800": 1}}',
        '{"steps": 1, "note": ' + "[" * 400 + "]" * 400 + "}",
        '{"steps": 1' + "0" * 5000 + "}",
        '{"steps": 1, "extra": 2}',
        '{"steps": 1',
        "nothing at all",
    ],
)
def test_what_cannot_be_read_or_kept_is_malformed(text: str) -> None:
    answer = read(text)
    assert isinstance(answer, Malformed)
    assert answer.reason == "malformed"
    assert answer.problem
    assert answer.text == text[:SHOWN_TEXT]


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_native_value_that_json_cannot_hold_is_malformed(number: float) -> None:
    assert "JSON cannot hold" in problem(read(value={"steps": 1, "weight": number}))


def test_the_problem_names_the_place_but_not_the_input() -> None:
    told = problem(read('{"steps": -5, "weight": "hush hush"}'))
    assert "steps: " in told
    assert "weight: " in told
    assert "hush" not in told
    assert problem(read("[1]")).startswith("value: ")


def test_of_many_problems_the_first_ten_are_told() -> None:
    text = json.dumps({f"extra{n}": n for n in range(50)})
    assert len(problem(read(text)).splitlines()) == 10


def test_the_first_candidates_problem_is_told() -> None:
    assert "steps" in problem(read('{"steps": "x"} {"weight": 1}'))


def test_deep_nesting_in_a_native_value_is_malformed() -> None:
    deep: JsonValue = 1
    for _ in range(100_000):
        deep = [deep]
    reply = Reply.model_construct(text="x", value={"steps": 1, "note": deep}, stop="end")
    assert problem(read_reply(reply, Plan)) == "the value is nested too deeply"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 199 + "1," * 1_000_000,
        '{"steps": ["' + "x" * 2_000_000,
        "```" + "\n" * 2_000_000,
        "```json\n" * 250_000,
        "```a " * 400_000,
        "{" * 2_000_000,
        "lorem ipsum {dolor} " * 100_000,
        '{"steps": 1, "steps": 2} ' * 80_000,
        "[" * 150 + "NaN," * 400_000,
    ],
    ids=range(11),
)
def test_a_hostile_text_is_read_quickly(text: str) -> None:
    assert isinstance(read(text), Malformed)
    assert passes(text, lambda: read(text)) < PASSES


def test_two_megabytes_of_prose_around_a_value_are_no_obstacle() -> None:
    prose = "word " * 200_000
    text = prose + '{"steps": 3}' + prose
    assert read(text) == Plan(steps=3)
    assert passes(text, lambda: read(text)) < PASSES


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text="I will not.", stop="refusal"), "refused"),
        (Reply(text='{"steps": 3}', stop="refusal"), "refused"),
        (Reply(text="x", stop="oversized"), "oversized"),
        (Reply(text='{"steps": ', stop="length"), "truncated"),
        (Reply(), "empty"),
        (Reply(text=" \n"), "empty"),
        (Reply(text="", value=[]), "malformed"),
    ],
)
def test_the_reason_is_told_apart(reply: Reply, reason: str) -> None:
    answer = read_reply(reply, Plan)
    assert isinstance(answer, Malformed)
    assert answer.reason == reason


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(text=" said "), " said "),
        (Reply(text=" "), Malformed(reason="empty")),
        (Reply(text="half a", stop="length"), Malformed(reason="truncated", text="half a")),
        (Reply(text="no", stop="refusal"), Malformed(reason="refused", text="no")),
    ],
)
def test_free_text_is_taken_as_it_is(reply: Reply, expected: str | Malformed) -> None:
    assert read_reply(reply, str) == expected


def test_a_role_knows_the_schema_of_what_it_returns() -> None:
    schema = PROPOSE.schema
    assert schema is not None
    assert schema["required"] == ["word"]
    assert SAY.schema is None
    assert Reading(text="t").text == "t"


def test_an_agent_definition_names_only_what_is_set() -> None:
    assert PROPOSE.agent_definition("p") == {"description": "Proposes a word.", "prompt": "p"}
    armed = Role(name="a/b", returns=str, description="d", tools=("Read",))
    assert armed.agent_definition("p", model="opus") == {
        "description": "d",
        "prompt": "p",
        "tools": ["Read"],
        "model": "opus",
    }


def lesson(role: str) -> Lesson:
    return Lesson(
        signature=f"s{role}",
        kind="rule",
        topic="operational",
        subject="s",
        advice="a",
        role=role,
        count=1,
        patches=(),
    )


def test_a_role_is_told_the_lessons_that_are_meant_for_it() -> None:
    told: list[Brief] = []

    def ask(role: Role[Any], brief: Brief) -> Word:
        assert role is PROPOSE
        told.append(brief)
        return Word(word="aha")

    pictures = (Picture("image/png", b"1"), Picture("image/png", b"2"))
    proposer = RoleProposer(PROPOSE, {"style": "own"}, pictures[1:])
    brief = Brief(
        task=WordTask(),
        round=2,
        lessons=(lesson(""), lesson("words/propose"), lesson("words/other")),
        variables={"style": "flow", "more": 1},
        pictures=pictures[:1],
        seed=7,
    )
    assert proposer.returns is Word
    assert proposer.propose(brief, ask) == Word(word="aha")
    assert [it.role for it in told[0].lessons] == ["", "words/propose"]
    assert told[0].variables == {"style": "own", "more": 1}
    assert told[0].pictures == pictures
    assert (told[0].task, told[0].round, told[0].seed) == (WordTask(), 2, 7)
