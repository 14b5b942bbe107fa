"""From a name on the command line to a back end. Each is imported when it is asked for.

offline                 the roles' own experts
scripted:FILE           replies from a TOML or JSON file
recorded:FILE           replies from a cassette
local[:PATH.gguf]       a llama.cpp model on this machine
claude[:NAME]           the Claude Agent SDK
PROVIDER:NAME[@URL]     openai, anthropic, google, …; with a URL any compatible server
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from proveout.adapters.models.prices import Price
from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.ports import Model


@dataclass(frozen=True)
class ModelOptions:
    """What may be said about a model besides its name. Each back end takes what concerns it."""

    record: Path | None = None
    """Cassette that every reply is written to."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Texts that must not enter a cassette; the key below is one without being listed."""
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    concurrency: int | None = None
    """Calls in flight at once; None leaves it to the back end."""
    prices: Mapping[str, Price] | None = None
    local_model: Path | None = None
    """What a plain `local` stands for, before PROVEOUT_LOCAL_MODEL and the model in a wheel."""


PLAIN = ModelOptions()


def open_model(spec: str, options: ModelOptions = PLAIN) -> Model:
    """The back end that `spec` names; with `record` one that keeps what it replies."""
    kind, _, rest = spec.partition(":")
    if options.record is not None and kind in UNRECORDABLE:
        message = f"{kind} has nothing to record"
        raise UsageError(message, hint="record a model that is asked: --model NAME --record FILE")
    if kind in ("http", "https"):
        message = f"{spec!r} names a server but no model"
        raise UsageError(message, hint=f"write openai:NAME@{spec}")
    opened = OPENERS[kind](spec, rest, options) if kind in OPENERS else _chat(spec, options)
    return _recorded_to(options, opened) if options.record else opened


def known_models() -> tuple[str, ...]:
    """What may stand before the colon."""
    from proveout.adapters.models.endpoint import PROVIDERS

    return (*OPENERS, *PROVIDERS)


def _offline(spec: str, rest: str, options: ModelOptions) -> Model:  # noqa: ARG001
    from proveout.adapters.models.offline import OfflineModel

    if spec != "offline":
        message = f"offline takes no name, but {rest!r} was given"
        raise UsageError(message, hint="write --model offline")
    return OfflineModel()


def _scripted(spec: str, rest: str, options: ModelOptions) -> Model:  # noqa: ARG001
    from proveout.adapters.models.scripted import open_script

    return open_script(_file(spec, rest), name=spec)


def _recorded(spec: str, rest: str, options: ModelOptions) -> Model:
    from proveout.adapters.models.recorded import RecordedModel

    return RecordedModel(_file(spec, rest), secrets=_secrets(options), name=spec)


def _local(spec: str, rest: str, options: ModelOptions) -> Model:
    from proveout.adapters.models.local import LocalModel, find_model

    if rest:
        return LocalModel(Path(rest).expanduser(), name=spec)
    return LocalModel(options.local_model or find_model(os.environ), name="local")


def _claude(spec: str, rest: str, options: ModelOptions) -> Model:  # noqa: ARG001
    from proveout.adapters.models.claude import claude_model

    # The configured URL is that of another kind of server, which must never see this key.
    given = {"ANTHROPIC_API_KEY": options.api_key} if options.api_key else {}
    return claude_model(
        spec,
        concurrency=2 if options.concurrency is None else options.concurrency,
        environment={**os.environ, **given},
        prices=options.prices,
    )


def _chat(spec: str, options: ModelOptions) -> Model:
    from proveout.adapters.models.chat import chat_model
    from proveout.adapters.models.endpoint import PROVIDERS

    kind = spec.partition(":")[0]
    if kind not in PROVIDERS:
        noun = "model"
        raise UnknownName(kind, noun=noun, known=known_models())
    return chat_model(
        spec,
        base_url=options.base_url,
        api_key=options.api_key,
        concurrency=4 if options.concurrency is None else options.concurrency,
        prices=options.prices,
    )


OPENERS: Mapping[str, Callable[[str, str, ModelOptions], Model]] = {
    "offline": _offline,
    "scripted": _scripted,
    "recorded": _recorded,
    "local": _local,
    "claude": _claude,
}
UNRECORDABLE = frozenset({"offline", "recorded"})
"""Experts read data instead of a prompt; a recording of a recording is a copy."""


def _recorded_to(options: ModelOptions, inner: Model) -> Model:
    from proveout.adapters.models.recorded import RecordedModel

    assert options.record is not None
    try:
        return RecordedModel(options.record, inner, secrets=_secrets(options))
    except BaseException:
        inner.close()
        raise


def _secrets(options: ModelOptions) -> tuple[str, ...]:
    return (*options.secrets, *([options.api_key] if options.api_key else ()))


def _file(spec: str, rest: str) -> Path:
    if not rest:
        message = f"{spec.partition(':')[0]} needs a file"
        raise UsageError(message, hint=f"write {spec.partition(':')[0]}:FILE")
    return Path(rest).expanduser()
