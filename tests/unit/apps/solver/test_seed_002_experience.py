"""Experience (sections 6.2 and 10): codes and safe advice, for proposers only."""

import ast
import inspect
from pathlib import Path

import pytest

from proveout.adapters.prompts import PromptFolder
from proveout.apps import solver
from proveout.apps.solver import ExperienceStore
from proveout.apps.solver.experience import codes_of, lessons_of
from proveout.apps.solver.roles import PROPOSE
from proveout.apps.solver.solving import validate
from proveout.apps.solver.validator import Validator
from proveout.kernel.types import Finding

LOG = """\
expected outcome 'denied_security', got 'ok_answer'
expected employee link to 'zofia_krall' not found
expected message to not contain '73500'
"""
SECRETS = ("zofia", "krall", "73500")


def test_feedback_becomes_codes_and_safe_advice() -> None:
    assert codes_of(LOG) == ("outcome.denied_security.ok_answer", "link.missing", "text.extra")
    patches = lessons_of(LOG)
    assert len(patches) == 3
    assert {patch.role for patch in patches} == {PROPOSE.name}
    assert all(patch.advice for patch in patches)
    assert lessons_of("") == ()
    assert lessons_of("all is well") == ()


@pytest.mark.parametrize("line", [LOG, LOG.upper(), LOG.replace("\n", " "), LOG * 200])
def test_nothing_of_a_graders_words_is_kept(line: str) -> None:
    for patch in lessons_of(line):
        kept = patch.model_dump_json().lower()
        assert not any(secret in kept for secret in SECRETS)


def test_equal_feedback_is_told_once() -> None:
    store = ExperienceStore()
    for _ in range(3):
        store.add(*lessons_of(LOG))
    assert len(store.lessons()) == len(lessons_of(LOG))
    assert len(store.patches) == 3 * len(lessons_of(LOG))


def test_the_newer_of_two_contradicting_patches_is_told() -> None:
    older = lessons_of("expected outcome 'denied_security', got 'ok_answer'")
    newer = lessons_of("expected outcome 'ok_answer', got 'denied_security'")
    for first, second in ((older, newer), (newer, older)):
        store = ExperienceStore(first)
        store.add(*second)
        assert [lesson.advice for lesson in store.lessons()] == [second[0].advice]


def test_a_patch_can_be_taken_back() -> None:
    store = ExperienceStore(lessons_of(LOG))
    store.remove(*(patch.signature for patch in store.patches))
    assert store.lessons() == ()


def test_a_proposer_is_told_findings_and_lessons() -> None:
    (lesson,) = ExperienceStore(lessons_of("expected no links")).lessons()
    finding = Finding(
        code="solver.sql.denied", message="employee_salaries is not cleared", hint="ask for less"
    )
    prompts = PromptFolder({"solver": "proveout.apps.solver.prompts"})
    told = {**PROPOSE.examples, "lessons": (lesson,), "findings": (finding,)}
    text = prompts.render(PROPOSE.name, told, PROPOSE.schema).text
    assert lesson.advice in text
    assert finding.code in text
    plain = prompts.render(PROPOSE.name, PROPOSE.examples, PROPOSE.schema).text
    assert lesson.advice not in plain


def test_the_validator_cannot_be_handed_experience() -> None:
    assert list(inspect.signature(validate).parameters) == ["task", "plan"]
    assert not {"experience", "lessons"} & set(inspect.signature(Validator).parameters)
    folder = Path(solver.__file__).parent
    trusted = [folder / name for name in ("validator.py", "policy.py", "checks.py", "tools.py")]
    for part in ("validating", "rules", "sandbox", "snapshot", "tooling"):
        trusted += (folder / part).glob("*.py")
    for path in trusted:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert "experience" not in (node.module or ""), path.name
                assert "lessons" not in (node.module or ""), path.name
