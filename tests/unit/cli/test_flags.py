"""Flags from fields: every kind of field that a task may have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
import typer
from pydantic import BaseModel, Field
from typer.testing import CliRunner

from proveout.cli.flags import given, parameters, with_parameters
from proveout.kernel.errors import UsageError
from proveout.kernel.types import Task


class Area(BaseModel):
    left: int
    right: int


class Everything(Task):
    source: Path = Field(description="where it is", json_schema_extra={"positional": True})
    text: str = Field(default="", description="some words")
    count: int = Field(default=3, description="how many")
    share: float = Field(default=0.5, description="how much")
    exact: bool = Field(default=False, description="to the letter")
    folder: Path | None = Field(default=None, description="a place")
    mode: Literal["fast", "careful"] = Field(default="fast", description="how")
    limit: int | None = Field(default=None, description="at most")
    names: list[str] = Field(default_factory=list, description="of people")
    numbers: tuple[int, ...] = Field(default=(), description="to add")
    area: Area | None = Field(default=None, description="a part")
    table: dict[str, int] = Field(default_factory=dict, description="of counts")
    either: int | str = Field(default=0, description="a number or a word")
    two_words: str = Field(default="", description="a dash in its flag")


def called(task: type[Task] = Everything) -> tuple[typer.Typer, list[dict[str, Any]]]:
    """A command with the task's flags, and the fields it was called with."""
    seen: list[dict[str, Any]] = []

    def run(*, fields: dict[str, Any], loud: bool = False) -> None:
        """Run it."""
        seen.append({**given(task, fields), **({"loud": True} if loud else {})})

    app = typer.Typer(rich_markup_mode=None)
    app.command()(with_parameters(run, parameters(task)))
    return app, seen


def parse(*arguments: str) -> dict[str, Any]:
    app, seen = called()
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None:
        raise result.exception
    return seen[0]


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (("--text", "a b"), "text", "a b"),
        (("--text", ""), "text", ""),
        (("--text=-x"), "text", "-x"),
        (("--count", "-7"), "count", -7),
        (("--share", "1e-3"), "share", 0.001),
        (("--exact",), "exact", True),
        (("--no-exact",), "exact", False),
        (("--folder", "here"), "folder", Path("here")),
        (("--mode", "careful"), "mode", "careful"),
        (("--limit", "9"), "limit", 9),
        (("--names", "ann", "--names", "bob"), "names", ["ann", "bob"]),
        (("--numbers", "1", "--numbers", "2"), "numbers", [1, 2]),
        (("--area", '{"left": 1, "right": 2}'), "area", {"left": 1, "right": 2}),
        (("--table", '{"a": 1}'), "table", {"a": 1}),
        (("--either", "5"), "either", 5),
        (("--either", '"five"'), "either", "five"),
        (("--two-words", "x"), "two_words", "x"),
    ],
)
def test_a_field_is_read_from_its_flag(
    arguments: tuple[str, ...] | str, name: str, value: object
) -> None:
    words = (arguments,) if isinstance(arguments, str) else arguments
    fields = parse("place", *words)
    assert fields == {"source": Path("place"), name: value}
    assert Everything.model_validate(fields).source == Path("place")


def test_what_is_not_given_is_left_to_the_task() -> None:
    assert parse("place") == {"source": Path("place")}


def test_the_commands_own_flags_stay() -> None:
    assert parse("place", "--loud") == {"source": Path("place"), "loud": True}


def test_arguments_come_before_flags() -> None:
    found = parameters(Everything)
    assert found[0].name == "source"
    assert {parameter.name for parameter in found} == set(Everything.model_fields)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "source"),
        (("place", "--count", "many"), "--count"),
        (("place", "--share", "half"), "--share"),
        (("place", "--exact", "yes"), "yes"),
        (("place", "--numbers", "one"), "--numbers"),
        (("place", "--limit", "1.5"), "--limit"),
        (("place", "--unknown"), "--unknown"),
        (("place", "--names"), "--names"),
    ],
)
def test_a_value_of_the_wrong_kind_is_wrong_usage(arguments: tuple[str, ...], words: str) -> None:
    app, seen = called()
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 2
    assert words in result.output
    assert seen == []


@pytest.mark.parametrize("flag", ["--area", "--table", "--either"])
def test_nested_values_must_be_json(flag: str) -> None:
    with pytest.raises(UsageError, match=f"{flag} is not JSON"):
        parse("place", flag, "{left: 1}")


def test_help_tells_words_choices_defaults_and_json() -> None:
    app, _ = called()
    text = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output.split())
    for words in (
        "where it is",
        "how [fast | careful] [default: fast]",
        "how many [default: 3]",
        "a part (JSON)",
        "--exact / --no-exact",
        "--two-words",
    ):
        assert words in text


def test_a_required_field_is_a_required_flag() -> None:
    class Needed(Task):
        what: str = Field(description="must be given")
        parts: list[int] = Field(description="must be given too")

    app, seen = called(Needed)
    runner = CliRunner()
    assert runner.invoke(app, []).exit_code == 2
    assert runner.invoke(app, ["--what", "x"]).exit_code == 2
    assert runner.invoke(app, ["--what", "x", "--parts", "1"]).exit_code == 0
    assert seen == [{"what": "x", "parts": [1]}]


def test_the_command_keeps_its_name_and_words() -> None:
    def greet(*, fields: dict[str, Any]) -> None:
        """Say hello."""
        raise AssertionError(fields)

    dressed: Callable[..., None] = with_parameters(greet, parameters(Everything))
    assert (dressed.__name__, dressed.__doc__) == ("greet", "Say hello.")
