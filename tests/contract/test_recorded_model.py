"""`recorded` keeps the promises of a model while it records, and again when it replays."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from proveout.adapters.models.recorded import RecordedModel
from proveout.adapters.models.scripted import ScriptedModel
from proveout.kernel.ports import Model
from proveout.testing.model_contract import Conduct, ModelContract, Provider, call
from tests.contract.test_scripted_model import TestScriptedModel as Scripted
from tests.contract.test_scripted_model import scripted


class TestRecording(ModelContract):
    meets = frozenset(Conduct.__args__)  # type: ignore[attr-defined]
    sees_pictures = True

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.cassette = tmp_path / "cassette.jsonl"

    @contextmanager
    def backend(self, provider: Provider) -> Iterator[Model]:
        with Scripted().backend(provider) as inner:
            model = RecordedModel(self.cassette, inner)
            try:
                yield model
            finally:
                model.close()


class TestReplaying(ModelContract):
    meets = frozenset({"value", "text", "truncated", "empty", "refusal", "oversized"})

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.cassette = tmp_path / "cassette.jsonl"

    @contextmanager
    def backend(self, provider: Provider) -> Iterator[Model]:
        recorder = RecordedModel(self.cassette, ScriptedModel([scripted(provider)] * 2))
        recorder.ask(call(key="with a schema"), threading.Event())
        recorder.ask(call(key="without", schema=None), threading.Event())
        recorder.close()
        model = RecordedModel(self.cassette)
        try:
            yield model
        finally:
            model.close()
