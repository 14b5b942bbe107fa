"""What every app promises. A new app subclasses it in three lines and has its tests:

    class TestPattern(AppContract):
        app = APP
        tasks = ({"expression": "a+b"}, {"expression": "[0-9]{4}", "variety": 3})

All runs are offline or scripted, in a journal of their own; nothing of the user's is read.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
from pydantic import BaseModel, ValidationError

from proveout import apps
from proveout.adapters.journal.verify import verify
from proveout.cli.flags import parameters
from proveout.kernel.app import App
from proveout.kernel.canonical import canonical
from proveout.kernel.errors import Interrupted, UsageError
from proveout.kernel.events import Event, VerdictGiven
from proveout.kernel.panels import Page
from proveout.kernel.ports import Brief
from proveout.kernel.proposer import Role
from proveout.kernel.run import Run
from proveout.report.export import FORMATS, render
from proveout.report.view import page_of
from proveout.runtime import Workspace
from proveout.testing.workspaces import workspace

HEAVY = ("fastapi", "jinja2", "langgraph", "matplotlib", "pandas", "pydantic_settings", "torch")
"""Packages that naming an app must not import: every command line does it."""
TOLD = ("task", "round", "findings", "previous", "lessons", "seed")
"""Example variables that a brief holds itself; the rest are the flow's own."""
AGENT_FIELDS = frozenset({"description", "prompt", "tools", "model"})
"""What a role may say in an `AgentDefinition` of the Claude Agent SDK."""
GARBAGE = ("I would say {word", "", "{}", "[]", "null", '{"no": "such", "field": 1}', "x" * 50_000)


@dataclass(frozen=True)
class Finished:
    """A workspace with one offline run per task."""

    opened: Workspace
    runs: tuple[Run, ...]


class AppContract:
    """About forty promises. `app` and `tasks` are all it needs."""

    app: ClassVar[App]
    tasks: ClassVar[Sequence[Mapping[str, Any]]]
    """Fields of tasks that the app's experts can solve."""
    hopeless: ClassVar[Mapping[str, Any] | None] = None
    """Fields of a task that nobody can solve within `rounds`."""
    rounds: ClassVar[int] = 12
    import_seconds: ClassVar[float] = 0.5
    """Processor time in which the app must be named; a desk takes a tenth of it."""
    briefs: ClassVar[Mapping[str, Brief]] = {}
    """Inputs of experts that need more than the role's example variables, by role."""

    @pytest.fixture(scope="class")
    @classmethod
    def finished(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
        folder = tmp_path_factory.mktemp(cls.app.name)
        with workspace(folder, budget__rounds=cls.rounds) as opened:
            yield Finished(opened, tuple(cls._start(opened, task) for task in cls.tasks))

    @classmethod
    def _start(cls, opened: Workspace, fields: Mapping[str, Any], **more: Any) -> Run:
        return opened.start(cls.app, opened.task(cls.app, fields), **more)

    def _roles(self) -> Sequence[Role[Any]]:
        roles: Sequence[Role[Any]] = self.app.load(self.app.roles) if self.app.roles else ()
        return roles

    def _brief(self, role: Role[Any]) -> Brief:
        if role.name in self.briefs:
            return self.briefs[role.name]
        told = {name: value for name, value in role.examples.items() if name in TOLD}
        own = {name: value for name, value in role.examples.items() if name not in TOLD}
        return Brief(**{"task": None, **told}, variables=own)

    # What it declares

    def test_it_is_found_by_its_name(self) -> None:
        assert apps.find(self.app.name) is self.app
        assert self.app.name.isidentifier()
        assert self.app.summary
        assert "\n" not in self.app.summary

    def test_naming_it_is_quick_and_imports_nothing_heavy(self) -> None:
        module = self.app.task.partition(":")[0]
        code = (
            "import json, sys, time\n"
            "import proveout.kernel.lessons, proveout.kernel.app\n"
            "began = time.process_time()\n"
            f"import {module}\n"
            "seconds = time.process_time() - began\n"
            "print(json.dumps([seconds, sorted(sys.modules)]))\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
        )
        seconds, modules = json.loads(done.stdout)
        assert set(HEAVY).isdisjoint(modules)
        assert seconds < self.import_seconds

    def test_its_parts_can_be_loaded(self) -> None:
        assert callable(self.app.load(self.app.flow))
        assert issubclass(self.app.load(self.app.task), BaseModel)
        assert not self.app.panels or callable(self.app.load(self.app.panels))

    def test_every_finding_code_is_dotted_under_its_name_and_explained(self) -> None:
        for code, explanation in self.app.findings.items():
            assert code.startswith(f"{self.app.name}.")
            assert code == code.strip().lower()
            assert explanation.strip()

    def test_every_lesson_rule_matches_a_documented_code(self) -> None:
        for pattern in self.app.lessons:
            assert any(fnmatchcase(code, pattern) for code in self.app.findings), pattern

    # The task

    def test_a_task_is_frozen(self, finished: Finished) -> None:
        task = finished.opened.task(self.app, self.tasks[0])
        name = next(iter(type(task).model_fields))
        with pytest.raises(ValidationError, match="frozen"):
            setattr(task, name, getattr(task, name))

    def test_a_task_comes_back_from_json(self, finished: Finished) -> None:
        for fields in self.tasks:
            task = finished.opened.task(self.app, fields)
            written = canonical(task)
            assert type(task).model_validate_json(written) == task
            assert finished.opened.task(self.app, json.loads(written)) == task

    def test_an_unknown_field_is_the_callers_mistake(self, finished: Finished) -> None:
        with pytest.raises(UsageError, match="no_such_field"):
            finished.opened.task(self.app, {**self.tasks[0], "no_such_field": 1})

    def test_a_missing_field_is_the_callers_mistake(self, finished: Finished) -> None:
        fields = self.app.load(self.app.task).model_fields
        for name in [name for name, field in fields.items() if field.is_required()]:
            others = {key: value for key, value in self.tasks[0].items() if key != name}
            with pytest.raises(UsageError, match=name):
                finished.opened.task(self.app, others)

    @pytest.mark.parametrize("wrong", [object(), float("nan"), "\udcff", {"a": object()}])
    def test_a_field_of_the_wrong_kind_is_the_callers_mistake(
        self, finished: Finished, wrong: object
    ) -> None:
        for name in self.app.load(self.app.task).model_fields:
            with pytest.raises(UsageError):
                finished.opened.task(self.app, {**self.tasks[0], name: wrong})

    def test_every_field_has_a_flag_with_words(self) -> None:
        task = self.app.load(self.app.task)
        assert {parameter.name for parameter in parameters(task)} == set(task.model_fields)
        silent = [name for name, field in task.model_fields.items() if not field.description]
        assert silent == []

    # The roles

    def test_roles_are_named_after_the_app(self) -> None:
        names = [role.name for role in self._roles()]
        assert len(names) == len(set(names))
        assert all(name.startswith(f"{self.app.name}/") for name in names)

    def test_every_role_has_a_prompt_and_every_prompt_a_role(self, finished: Finished) -> None:
        prompts = finished.opened.prompts().names()
        own = {name for name in prompts if name.startswith(f"{self.app.name}/")}
        assert own == {role.name for role in self._roles()}

    def test_no_prompt_holds_a_schema_written_by_hand(self) -> None:
        if not self.app.prompts:
            pytest.skip("no prompts")
        for entry in resources.files(self.app.prompts).iterdir():
            if entry.name.endswith(".md"):
                assert '"properties"' not in entry.read_text(encoding="utf-8")

    def test_every_prompt_renders_with_its_examples(self, finished: Finished) -> None:
        for role in self._roles():
            text = finished.opened.prompts().render(role.name, role.examples, role.schema).text
            assert text.strip()
            assert ("```json" in text) >= (role.schema is not None)

    def test_a_variable_that_is_missing_is_an_error(self, finished: Finished) -> None:
        for role in self._roles():
            if role.examples:
                with pytest.raises(UsageError, match="cannot be rendered"):
                    finished.opened.prompts().render(role.name, {}, role.schema)

    def test_every_schema_is_sound(self) -> None:
        for role in self._roles():
            if role.schema is not None:
                schema = json.loads(canonical(dict(role.schema)))
                assert schema["type"] == "object"
                _assert_sound(schema, schema)

    def test_every_role_can_work_offline(self) -> None:
        assert [role.name for role in self._roles() if role.expert is None] == []

    def test_experts_return_what_the_role_returns(self) -> None:
        for role in self._roles():
            assert role.expert is not None
            answer = role.expert(self._brief(role))
            assert isinstance(answer, role.returns)
            if isinstance(answer, BaseModel):
                assert type(answer).model_validate_json(canonical(answer)) == answer

    def test_experts_say_the_same_to_the_same_brief(self) -> None:
        for role in self._roles():
            assert role.expert is not None
            assert role.expert(self._brief(role)) == role.expert(self._brief(role))

    def test_every_role_is_an_agent_definition(self) -> None:
        for role in self._roles():
            definition = role.agent_definition("the prompt", model="haiku")
            assert set(definition) <= AGENT_FIELDS
            assert definition["prompt"] == "the prompt"
            assert str(definition["description"]).strip()
            assert json.loads(json.dumps(definition)) == definition

    # Runs

    def test_a_run_without_model_or_network_is_accepted(self, finished: Finished) -> None:
        for run in finished.runs:
            assert run.outcome is not None
            assert run.outcome.accepted, run.outcome.summary
            assert run.state == "ended"
            assert run.outcome.summary

    def test_a_run_without_a_model_costs_nothing(self, finished: Finished) -> None:
        assert [run.usage.calls for run in finished.runs] == [0] * len(finished.runs)
        assert sum(run.usage.cost_usd for run in finished.runs) == 0

    def test_every_attempt_was_judged(self, finished: Finished) -> None:
        for run in finished.runs:
            assert run.attempts
            assert [attempt.key for attempt in run.attempts if attempt.verdict is None] == []

    def test_the_journal_verifies(self, finished: Finished) -> None:
        assert verify(finished.opened.journal) == []

    def test_a_replay_gives_the_same_verdicts(self, finished: Finished) -> None:
        for run in finished.runs:
            replayed = finished.opened.replay(run.id)
            assert replayed.faithful, replayed
            assert replayed.judged == len(run.attempts)

    def test_every_check_says_the_same_when_it_looks_again(self, finished: Finished) -> None:
        for run in finished.runs:
            again = finished.opened.replay(run.id, execute=True)
            assert again.differences == ()
            assert again.judged == len(run.attempts)

    def test_the_same_seed_gives_the_same_run(self, finished: Finished, tmp_path: Path) -> None:
        with workspace(tmp_path, budget__rounds=self.rounds) as opened:
            for task, before in zip(self.tasks, finished.runs, strict=True):
                run = self._start(opened, task)
                assert run.outcome == before.outcome
                assert _verdicts(run) == _verdicts(before)

    def test_resuming_a_finished_run_changes_nothing(self, finished: Finished) -> None:
        for run in finished.runs:
            assert finished.opened.resume(run.id) == run

    def test_a_stopped_run_goes_on_to_the_same_end(
        self, finished: Finished, tmp_path: Path
    ) -> None:
        with workspace(tmp_path, budget__rounds=self.rounds) as opened:

            def stop(event: Event) -> None:
                if isinstance(event, VerdictGiven):
                    opened.cancel.set()

            try:
                run = self._start(opened, self.tasks[0], watch=stop)
            except Interrupted:
                opened.cancel.clear()
                run = opened.resume(opened.find("last"))
            assert run.outcome == finished.runs[0].outcome
            assert verify(opened.journal) == []

    @pytest.mark.parametrize("engine", ["inline", "threads", "processes"])
    def test_every_engine_gives_the_same_answer(
        self, finished: Finished, tmp_path: Path, engine: str
    ) -> None:
        with workspace(tmp_path, engine__name=engine, budget__rounds=self.rounds) as opened:
            assert self._start(opened, self.tasks[0]).outcome == finished.runs[0].outcome

    @pytest.mark.parametrize("bound", ["rounds", "calls", "tokens", "cost_usd", "seconds"])
    def test_a_budget_of_nothing_ends_a_run_in_order(self, tmp_path: Path, bound: str) -> None:
        with workspace(tmp_path, **{f"budget__{bound}": 0}) as opened:
            run = self._start(opened, self.tasks[0])
            assert run.state == "ended"
            assert run.outcome is not None
            assert run.outcome.accepted or run.spent
            assert opened.replay(run.id).faithful

    def test_a_hopeless_task_ends_with_findings(self, tmp_path: Path) -> None:
        if self.hopeless is None:
            pytest.skip("no hopeless task is known")
        with workspace(tmp_path, budget__rounds=min(self.rounds, 6)) as opened:
            run = self._start(opened, self.hopeless)
            assert run.outcome is not None
            assert not run.outcome.accepted
            assert run.findings
            assert set(run.findings) <= set(self.app.findings)
            assert opened.replay(run.id).faithful

    def test_every_code_that_occurs_is_documented(self, finished: Finished) -> None:
        occurred = {code for run in finished.runs for code in run.findings}
        assert occurred <= set(self.app.findings)

    # Models that misbehave

    @pytest.mark.parametrize("text", GARBAGE, ids=lambda text: text[:20] or "empty")
    def test_garbage_from_a_model_becomes_findings(self, tmp_path: Path, text: str) -> None:
        run = self._scripted(tmp_path, {"text": text})
        assert run.state == "ended"
        assert run.outcome is not None
        malformed = {code for code in run.findings if code.startswith("proposal.")}
        assert set(run.findings) - malformed <= set(self.app.findings)

    @pytest.mark.parametrize("stop", ["refusal", "length", "oversized"])
    def test_a_model_that_never_answers_ends_with_a_verdict(
        self, tmp_path: Path, stop: str
    ) -> None:
        run = self._scripted(tmp_path, {"text": "", "stop": stop})
        assert run.outcome is not None
        assert not run.outcome.accepted

    def _scripted(self, folder: Path, reply: Mapping[str, Any]) -> Run:
        script = folder / "script.json"
        script.write_text(json.dumps([reply] * 400), encoding="utf-8")
        with workspace(folder, model__name=f"scripted:{script}", budget__rounds=4) as opened:
            run = self._start(opened, self.tasks[0])
            assert verify(opened.journal) == []
            assert opened.replay(run.id).faithful
            return run

    # What is shown

    @pytest.mark.parametrize("form", FORMATS)
    def test_its_page_renders(self, finished: Finished, form: Any) -> None:
        for run in finished.runs:
            text = render(self._page(finished, run), form, finished.opened.journal.get)
            assert self.app.name in text
            if form == "json":
                assert json.loads(text)
            if form == "xml":
                assert ElementTree.fromstring(text).tag == "testsuites"

    def test_its_panels_are_the_same_every_time(self, finished: Finished) -> None:
        for run in finished.runs:
            assert finished.opened.panels(run) == finished.opened.panels(run)

    def _page(self, finished: Finished, run: Run) -> Page:
        return page_of(run, finished.opened.panels(run), finished.opened.chain_state(run.id))


def _verdicts(run: Run) -> dict[str, Any]:
    return {attempt.key: attempt.verdict for attempt in run.attempts}


def _assert_sound(schema: Any, root: Mapping[str, Any]) -> None:
    """What providers stumble over: references into nowhere, required names without properties."""
    if isinstance(schema, list):
        for item in schema:
            _assert_sound(item, root)
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("$ref"), str):
        name = schema["$ref"].removeprefix("#/$defs/")
        assert name in root.get("$defs", {})
    if isinstance(schema.get("required"), list):
        assert set(schema["required"]) <= set(schema.get("properties", {}))
    for value in schema.values():
        _assert_sound(value, root)
