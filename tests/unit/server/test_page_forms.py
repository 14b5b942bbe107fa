"""Inputs from a task's fields: any app's, without a line of its own."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field, JsonValue

from proveout.apps.iqa.task import IqaTask
from proveout.apps.mle.task import MleTask
from proveout.apps.solver.task import SolverTask
from proveout.kernel.errors import UsageError
from proveout.kernel.types import Task
from proveout.server.pages.forms import complaints, controls, fields_of, values_of
from proveout.testing.pattern.task import PatternTask


class Everything(Task):
    """A field of every kind."""

    name: str = Field(max_length=40, description="who it is for")
    story: str = Field(default="", max_length=10_000)
    age: int = Field(default=3, ge=1, le=9)
    share: float | None = Field(default=None, ge=0)
    loud: bool = True
    colour: Literal["red", "green"] = "green"
    lines: tuple[str, ...] = ()
    rows: dict[str, int] = Field(default_factory=dict)
    picture: str = Field(default="", json_schema_extra={"path": "image"})
    place: Path | None = None


def test_a_kind_of_input_for_every_kind_of_field() -> None:
    made = {control.name: control for control in controls(Everything, {})}
    assert {name: control.kind for name, control in made.items()} == {
        "name": "text",
        "story": "long",
        "age": "whole",
        "share": "number",
        "loud": "check",
        "colour": "choice",
        "lines": "lines",
        "rows": "json",
        "picture": "picture",
        "place": "text",
    }
    assert made["name"].required
    assert made["name"].help == "Who it is for."
    assert (made["age"].least, made["age"].most, made["age"].value) == (1, 9, "3")
    assert made["colour"].options == ("red", "green")
    assert made["loud"].value == "true"
    assert made["name"].most_letters == 40


def test_many_fields_are_shown_in_part() -> None:
    assert [one.name for one in controls(IqaTask, {}) if one.main] == ["image", "query", "choices"]
    assert all(one.main for one in controls(PatternTask, {}))


def test_what_was_sent_becomes_fields() -> None:
    sent = {
        "name": " Ada ",
        "age": "4",
        "share": "",
        "colour": "red",
        "lines": "one\r\n\r\ntwo ",
        "rows": '{"a": 1}',
    }
    fields = fields_of(Everything, sent)
    assert fields == {
        "name": "Ada",
        "age": "4",
        "loud": False,
        "colour": "red",
        "lines": ["one", "two"],
        "rows": {"a": 1},
    }
    made = Everything.model_validate(fields)
    assert (made.age, made.loud, made.lines, made.rows) == (4, False, ("one", "two"), {"a": 1})


@pytest.mark.parametrize(
    ("task", "fields"),
    [
        (PatternTask, {"expression": "a+", "shortest": 3, "longest": 40, "variety": 1}),
        (MleTask, {"folder": "data", "smoke": True, "mode": "paper", "models": 2}),
        (SolverTask, {"text": "Who\nleads it?", "task_url": "http://a/b", "rehearse": True}),
        (IqaTask, {"image": "upload:0-a.png", "choices": ["A. blur", "B. noise"]}),
    ],
)
def test_a_task_survives_its_form(task: type[Task], fields: dict[str, object]) -> None:
    """Shown again for another run, and sent as it is, it is the same task."""
    before = task.model_validate(fields)
    shown = values_of(task, before.model_dump(mode="json"))
    again = task.model_validate(fields_of(task, shown))
    assert again == before


def test_mistakes_belong_to_fields() -> None:
    wrong = complaints(PatternTask, {"expression": "(a", "shortest": "99"})
    assert set(wrong) == {"expression", "shortest"}
    assert wrong["expression"].startswith("not a regular expression")
    # Nobody in particular is to blame for two fields that do not fit.
    both = complaints(PatternTask, {"expression": "a", "shortest": "9", "longest": "3"})
    assert both == {"": "shortest must not exceed longest"}
    assert complaints(PatternTask, {"expression": "a"}) == {}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "This is needed."),
        ({"expression": ""}, "This is needed."),
        ({"expression": "a" * 999}, "At most 200 characters."),
    ],
)
def test_mistakes_are_told_in_words_for_people(fields: dict[str, JsonValue], words: str) -> None:
    assert complaints(PatternTask, fields)["expression"] == words


def test_numbers_are_told_in_words_for_people() -> None:
    given: dict[str, JsonValue] = {"expression": "a", "shortest": "many", "longest": "0"}
    wrong = complaints(PatternTask, given)
    assert wrong == {"shortest": "This must be a whole number.", "longest": "At least 1."}


def test_what_is_not_json_is_told() -> None:
    with pytest.raises(UsageError, match="rows is not JSON"):
        fields_of(Everything, {"name": "Ada", "rows": "{"})


def test_an_upload_is_shown_by_its_name() -> None:
    uploaded = controls(IqaTask, {"image": "upload:0123456789abcdef-my-cup.png"})[0]
    assert uploaded.uploaded
    assert uploaded.shown == "my-cup.png"
