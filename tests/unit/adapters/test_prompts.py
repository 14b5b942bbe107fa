"""Prompt files: what an app ships, what a user puts on top, and what neither may do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proveout.adapters.prompts import MOST_CHARACTERS, PromptFolder
from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.lessons import Lesson
from proveout.kernel.ports import Prompts
from proveout.kernel.types import Finding
from proveout.testing.prompts_contract import PromptsContract
from tests.words import Word, WordTask

PACKAGES = {"words": "tests.word_prompts"}
ROUND: Mapping[str, Any] = {
    "task": WordTask(letters=5),
    "round": 1,
    "findings": (Finding(code="a.b", message="too short", where="line 3", hint="Longer."),),
    "previous": Word(word="ü"),
    "lessons": (
        Lesson(
            signature="s",
            kind="rule",
            topic="operational",
            subject="a.b",
            advice="Count.",
            count=2,
            patches=(),
        ),
    ),
}


class TestPromptFolder(PromptsContract):
    role = "words/say"
    variables = {"topic": "time"}

    def prompts(self) -> Prompts:
        return PromptFolder(PACKAGES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "words").mkdir()
    return tmp_path


def written(folder: Path, text: str | bytes, name: str = "say") -> PromptFolder:
    """Prompts with the user's own file on top."""
    content = text.encode() if isinstance(text, str) else text
    (folder / "words" / f"{name}.md").write_bytes(content)
    return PromptFolder(PACKAGES, folder)


def said(prompts: PromptFolder, **variables: Any) -> str:
    return prompts.render("words/say", variables, None).text


def test_the_front_matter_is_not_sent() -> None:
    prompts = PromptFolder(PACKAGES)
    assert prompts.read("words/propose").about == {"title": "Propose a word"}
    text = prompts.render("words/propose", {**ROUND, "findings": (), "lessons": ()}, None).text
    assert text == "Round 1: propose a word of at least 5 letters.\n"


def test_findings_and_lessons_are_told() -> None:
    text = PromptFolder(PACKAGES).render("words/propose", ROUND, None).text
    assert "- `a.b` at line 3: too short" in text
    assert "Longer." in text
    assert '"word": "ü"' in text
    assert "- Count. (`a.b`, seen 2 times)" in text
    first = PromptFolder(PACKAGES).render("words/propose", {**ROUND, "previous": None}, None)
    assert "previous proposal was:" not in first.text


def test_names_are_those_of_the_files() -> None:
    assert PromptFolder(PACKAGES).names() == ["words/propose", "words/say"]
    with pytest.raises(UnknownName, match="did you mean 'words/say'"):
        PromptFolder(PACKAGES).read("words/sai")


def test_the_users_file_replaces_the_apps(folder: Path) -> None:
    prompts = written(folder, "Mine: {{ topic }}")
    assert said(prompts, topic="t") == "Mine: t\n"
    assert prompts.read("words/say").overridden
    assert not prompts.read("words/propose").overridden
    shipped = PromptFolder(PACKAGES).render("words/say", {"topic": "t"}, None)
    mine = prompts.render("words/say", {"topic": "t"}, None)
    assert mine.template_id != shipped.template_id


def test_line_ends_of_other_systems_are_understood(folder: Path) -> None:
    prompts = written(folder, "+++\r\ntitle = 'x'\r\n+++\r\nMine\r\n{{ topic }}\r\n")
    assert prompts.read("words/say").about == {"title": "x"}
    assert said(prompts, topic="t") == "Mine\nt\n"


@pytest.mark.parametrize("role", ["words/../secret", "../secret", "words/.hidden", "words/"])
def test_no_file_outside_of_the_folder_is_read(folder: Path, role: str) -> None:
    (folder / "secret.md").write_text("hush")
    (folder / "words" / ".hidden.md").write_text("hush")
    (folder.parent / "secret.md").write_text("hush")
    with pytest.raises(UnknownName):
        PromptFolder(PACKAGES, folder).read(role)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{{ topic", "mistake in line 1"),
        ("a\n{% if %}", "mistake in line 2"),
        ("{{ unknown }}", "'unknown' is undefined"),
        ("{{ topic.missing.more }}", "cannot be rendered"),
        ("{{ 1 / 0 }}", "cannot be rendered"),
        ("{{ topic + 1 }}", "cannot be rendered"),
        ("{{ topic.__class__.__mro__ }}", "cannot be rendered"),
        ("{{ [].append(1) }}", "cannot be rendered"),
        ("{% include '_nothing' %}", "includes '_nothing'"),
        ("{% include '../word_prompts/say' %}", "does not exist"),
        ("{% include 'words/say' %}", "does not exist"),
        ("{% include 'words/../x' %}", "does not exist"),
        ("+++\nnot toml\n+++\n", "not TOML"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_mistake_in_a_prompt_is_told_to_its_author(
    folder: Path, text: str | bytes, told: str
) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        said(written(folder, text), topic="t")
    assert "words/say" in str(caught.value)


def test_an_app_has_pieces_of_its_own(folder: Path) -> None:
    written(folder, "piece of {{ topic }}", name="_piece")
    prompts = written(folder, "A {% include 'words/_piece' %}")
    assert said(prompts, topic="cake") == "A piece of cake\n"


def test_values_can_be_spelled_as_json(folder: Path) -> None:
    prompts = written(folder, "{{ topic | json }}")
    assert said(prompts, topic={"b": "ü", "a": 1}) == '{\n  "a": 1,\n  "b": "ü"\n}\n'


def test_a_prompt_has_a_most_length(folder: Path) -> None:
    prompts = written(folder, "{{ topic }}")
    assert len(said(prompts, topic="x" * MOST_CHARACTERS)) == MOST_CHARACTERS + 1
    with pytest.raises(UsageError, match="is the most"):
        said(prompts, topic="x" * (MOST_CHARACTERS + 1))
