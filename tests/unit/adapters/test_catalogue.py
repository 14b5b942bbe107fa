"""Names on the command line and the back ends that they open."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from proveout.adapters.models.catalogue import ModelOptions, known_models, open_model
from proveout.kernel.errors import JournalError, PrerequisiteError, UnknownName, UsageError
from proveout.testing.model_contract import call


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.json"
    path.write_text('[{"text": "from the script, with a key: sk-1"}]')
    return path


def test_offline_opens_the_experts() -> None:
    model = open_model("offline")
    assert (model.name, model.ask(call(), threading.Event()).value) == (
        "offline",
        {"word": "aab", "length": 3},
    )


def test_a_script_is_opened_under_the_name_that_was_given(script: Path) -> None:
    model = open_model(f"scripted:{script}")
    assert model.name == f"scripted:{script}"
    assert model.ask(call(), threading.Event()).text.startswith("from the script")


def test_what_was_recorded_is_replayed_without_the_model(script: Path, tmp_path: Path) -> None:
    cassette = tmp_path / "cassette.jsonl"
    options = ModelOptions(record=cassette, api_key="sk-1")
    recording = open_model(f"scripted:{script}", options)
    said = recording.ask(call(), threading.Event()).text
    recording.close()
    replaying = open_model(f"recorded:{cassette}")
    assert (recording.name, replaying.name) == (f"scripted:{script}", f"recorded:{cassette}")
    assert said.endswith("sk-1")
    assert replaying.ask(call(), threading.Event()).text == said.replace("sk-1", "[secret]")


def test_two_models_may_record_to_one_cassette(script: Path, tmp_path: Path) -> None:
    cassette = tmp_path / "cassette.jsonl"
    models = [open_model(f"scripted:{script}", ModelOptions(record=cassette)) for _ in range(2)]
    for number, model in enumerate(models):
        model.ask(call(prompt=f"question {number}"), threading.Event())
        model.close()
    replaying = open_model(f"recorded:{cassette}")
    for number in range(2):
        assert replaying.ask(call(prompt=f"question {number}", key=""), threading.Event()).text


def test_a_damaged_cassette_is_not_recorded_to(script: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("{\n")
    with pytest.raises(JournalError, match="line 1 of"):
        open_model(f"scripted:{script}", ModelOptions(record=damaged))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("offlin", "did you mean 'offline'?"),
        ("opnai:gpt", "did you mean 'openai'?"),
        ("recoded:x", "did you mean 'recorded'?"),
        ("", "known: "),
        ("gpt-5", "known: anthropic"),
    ],
)
def test_an_unknown_name_is_met_with_a_suggestion(name: str, hint: str) -> None:
    with pytest.raises(UnknownName, match="unknown model") as error:
        open_model(name)
    assert error.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("spec", "options", "problem"),
    [
        ("offline:gpt", ModelOptions(), "offline takes no name"),
        ("scripted", ModelOptions(), "scripted needs a file"),
        ("recorded:", ModelOptions(), "recorded needs a file"),
        ("http://127.0.0.1:8000/v1", ModelOptions(), "names a server but no model"),
        ("offline", ModelOptions(record=Path("c")), "offline has nothing to record"),
        ("recorded:a", ModelOptions(record=Path("c")), "recorded has nothing to record"),
        ("openai:", ModelOptions(), "names no model"),
    ],
)
def test_a_name_that_cannot_be_meant_is_a_usage_error(
    spec: str, options: ModelOptions, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        open_model(spec, options)


def test_a_path_that_is_no_model_is_explained(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    with pytest.raises(PrerequisiteError, match="cannot be read"):
        open_model(f"local:{tmp_path}/absent.gguf")
    (tmp_path / "text.gguf").write_text("not a model")
    with pytest.raises(PrerequisiteError, match="is not a GGUF file"):
        open_model(f"local:{tmp_path}/text.gguf")
    with pytest.raises(PrerequisiteError, match="is not a GGUF file"):
        open_model("local", ModelOptions(local_model=tmp_path / "text.gguf"))


def test_providers_are_opened_by_their_names() -> None:
    pytest.importorskip("pydantic_ai", reason="the extra `chat` is not installed")
    pytest.importorskip("openai", reason="the extra `chat` is not installed")
    spec = "openai:some@http://127.0.0.1:9/v1"
    model = open_model(spec, ModelOptions(concurrency=1))
    assert (model.name, model.paid) == (spec, True)
    model.close()


def test_claude_is_opened_by_its_name() -> None:
    pytest.importorskip("claude_agent_sdk", reason="the extra `claude` is not installed")
    for spec in ("claude", "claude:haiku"):
        model = open_model(spec, ModelOptions(concurrency=1, api_key="a key that is never sent"))
        assert (model.name, model.paid) == (spec, True)
        model.close()


def test_every_kind_is_known() -> None:
    assert {"offline", "scripted", "recorded", "local", "claude", "openai", "anthropic"} <= set(
        known_models()
    )


def test_options_do_not_show_secrets() -> None:
    assert "hush" not in repr(ModelOptions(api_key="hush", secrets=("hush",)))


def test_opening_the_experts_imports_no_provider() -> None:
    program = (
        "import sys\n"
        "from proveout.adapters.models.catalogue import open_model\n"
        "open_model('offline')\n"
        "heavy = {'pydantic_ai', 'openai', 'claude_agent_sdk', 'xllamacpp', 'asyncio'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert done.stderr.strip() == ""
