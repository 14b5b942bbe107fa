"""The vision model behind an agent, as `configs/model_backends.yaml` names it.

A backend is written `provider.model` there (`openai.gpt-4o`); the product's own spelling
`provider:model` is understood too. Calls go through the run's journal and budget wherever the
agents ask; this client is for code that wants to talk to a backend directly.
"""

import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from proveout.kernel.ambient import current
from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.ports import CallLimits, Model, ModelCall
from proveout.kernel.proposer import explain
from proveout.kernel.types import Frozen, Picture

AGENTS = ("planner", "executor", "summarizer")
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class BackendConfig(Frozen):
    """One section of the file."""

    backend: str = Field(min_length=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    top_p: float = Field(default=1.0, gt=0, le=1)
    max_tokens: int = Field(default=2048, ge=1, le=100_000)
    fallback_backend: str | None = None

    @property
    def spec(self) -> str:
        """The backend as `--model` takes it."""
        return spec_of(self.backend)

    @property
    def limits(self) -> CallLimits:
        return CallLimits(temperature=self.temperature, max_output_tokens=self.max_tokens)


class VlmClient:
    """Says one thing to a vision model and gives back its words."""

    def __init__(self, model: Model, limits: CallLimits, role: str) -> None:
        self.model = model
        self.limits = limits
        self._role = role

    def generate(self, prompt: str, images: Sequence[Picture] = ()) -> str:
        """The reply's text; pictures go along losslessly."""
        call = ModelCall(role=self._role, prompt=prompt, pictures=tuple(images), limits=self.limits)
        return self.model.ask(call, current("iqa").cancel).text


def create_vlm_client(agent: str = "summarizer", *, path: Path | None = None) -> VlmClient:
    """The client of an agent, as the configuration file says."""
    config = load_backends(path)[_known(agent)]
    model = current("iqa").ports.open_model(config.spec)
    return VlmClient(model, config.limits, f"iqa/{agent}")


def load_backends(path: Path | None = None) -> dict[str, BackendConfig]:
    """The sections of the configuration file: the one that ships, or the user's."""
    where = str(path or "configs/model_backends.yaml")
    text = _bundled() if path is None else _read(path)
    try:
        raw = yaml.safe_load(VARIABLE.sub(_variable, text))
    except yaml.YAMLError as error:
        message = f"{where} is not YAML: {error}"
        raise UsageError(message) from error
    if not isinstance(raw, dict):
        message = f"{where} must have a section for each of {', '.join(AGENTS)}"
        raise UsageError(message)
    return {_known(str(name)): _section(where, str(name), body) for name, body in raw.items()}


def spec_of(backend: str) -> str:
    """`openai.gpt-4o` and `openai:gpt-4o` name the same model; `offline` has no provider."""
    provider, dot, name = backend.partition(".")
    return f"{provider}:{name}" if dot and ":" not in provider else backend


def _section(where: str, name: str, body: Any) -> BackendConfig:
    try:
        return BackendConfig.model_validate(body)
    except ValidationError as error:
        message = f"section {name!r} of {where}: {explain(error)}"
        raise UsageError(message) from error


def _known(agent: str) -> str:
    if agent not in AGENTS:
        raise UnknownName(agent, noun="agent", known=AGENTS)
    return agent


def _bundled() -> str:
    folder = resources.files("proveout.apps.iqa.configs")
    return (folder / "model_backends.yaml").read_text(encoding="utf-8")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise UsageError(message) from error


def _variable(found: re.Match[str]) -> str:
    return os.environ.get(found[1], found[2] or "")
