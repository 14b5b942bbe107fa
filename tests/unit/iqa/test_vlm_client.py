"""The configuration of vision models, and the client made from it, on a loopback server."""

from pathlib import Path

import pytest

from proveout.apps.iqa.vlm_client import create_vlm_client, load_backends, spec_of
from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.types import Picture
from proveout.testing.model_contract import PIXEL, Provider
from tests.loopback.server import LoopbackServer


def test_the_bundled_file_has_the_section_of_the_specification() -> None:
    section = load_backends()["summarizer"]
    assert section.backend == "openai.gpt-4o"
    assert (section.temperature, section.max_tokens) == (0.0, 512)
    assert section.spec == "openai:gpt-4o"


@pytest.mark.parametrize(
    ("backend", "spec"),
    [
        ("openai.gpt-4o", "openai:gpt-4o"),
        ("anthropic.claude-3.5-sonnet", "anthropic:claude-3.5-sonnet"),
        ("openai:gpt-4.1", "openai:gpt-4.1"),
        ("offline", "offline"),
    ],
)
def test_both_spellings_of_a_backend_name_the_same_model(backend: str, spec: str) -> None:
    assert spec_of(backend) == spec


@pytest.mark.parametrize(
    "text", ["- a list", "summarizer: 3", "summarizer: {backend: ''}", "summarizer: {backend: [}"]
)
def test_a_bad_file_gets_a_clear_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "backends.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="backends.yaml"):
        load_backends(path)


def test_an_unknown_agent_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="summarizer"):
        create_vlm_client("summariser")


def test_variables_are_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "backends.yaml"
    path.write_text("planner: {backend: '${MY_BACKEND:-openai.small}'}", encoding="utf-8")
    assert load_backends(path)["planner"].spec == "openai:small"
    monkeypatch.setenv("MY_BACKEND", "google.gemini-x")
    assert load_backends(path)["planner"].spec == "google:gemini-x"


def test_the_client_speaks_to_the_backend_with_pictures(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_ai", reason="the extra `chat` is not installed")
    provider = Provider(conduct="text", text="quite sharp")
    with LoopbackServer(provider, "openai") as server:
        path = tmp_path / "backends.yaml"
        path.write_text(
            f"summarizer: {{backend: 'openai:gpt-4o@{server.url}/v1', max_tokens: 99}}",
            encoding="utf-8",
        )
        client = create_vlm_client("summarizer", path=path)
        said = client.generate("Is it sharp?", [Picture("image/png", PIXEL)])
    assert said == "quite sharp"
    assert "iVBORw0KGgo" in str(provider.seen[-1])
    assert "99" in str(provider.seen[-1])
