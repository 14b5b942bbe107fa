"""Where a chat model is reached and as whom, from its name on the command line."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from urllib.parse import urlsplit

from proveout.kernel.errors import PrerequisiteError, UnknownName, UsageError

INSTALL = 'pip install "proveout[chat]"'


@dataclass(frozen=True)
class Endpoint:
    """A model at an address."""

    provider: str
    model: str
    base_url: str | None = None
    api_key: str = field(default="", repr=False)


@dataclass(frozen=True)
class Access:
    """What a provider needs to be reached."""

    package: str
    variables: tuple[str, ...]
    """Environment variables that may hold its key, the preferred one first."""
    movable: bool = False
    """Whether it can be reached at another URL."""


PROVIDERS: Mapping[str, Access] = {
    "openai": Access("openai", ("OPENAI_API_KEY",), movable=True),
    "anthropic": Access("anthropic", ("ANTHROPIC_API_KEY",), movable=True),
    "google": Access("google.genai", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), movable=True),
    "cerebras": Access("openai", ("CEREBRAS_API_KEY",)),
    "deepseek": Access("openai", ("DEEPSEEK_API_KEY",)),
    "fireworks": Access("openai", ("FIREWORKS_API_KEY",)),
    "openrouter": Access("openai", ("OPENROUTER_API_KEY",)),
    "together": Access("openai", ("TOGETHER_API_KEY",)),
}


def endpoint_of(spec: str, *, base_url: str | None = None, api_key: str | None = None) -> Endpoint:
    """What `provider:model` or `provider:model@URL` stands for, once everything needed is there.

    A key from the environment goes only to the provider's own address: a server that is named by
    URL gets `api_key` or none.
    """
    provider, model, url = parse(spec)
    url = base_url or url
    access = PROVIDERS[provider]
    if url is not None:
        _check_url(url, provider, access)
    _require(access, provider)
    return Endpoint(provider, model, url, api_key or _key(spec, access, url))


def parse(spec: str) -> tuple[str, str, str | None]:
    """Provider, model and URL of a specification such as `openai:NAME@http://host:port/v1`."""
    provider, _, rest = spec.partition(":")
    if provider not in PROVIDERS:
        noun = "model provider"
        raise UnknownName(provider, noun=noun, known=PROVIDERS)
    model, url = rest, None
    if match := re.search(r"@(?=https?://)", rest):
        model, url = rest[: match.start()], rest[match.end() :]
    if not model.strip():
        message = f"{spec!r} names no model"
        raise UsageError(message, hint=f"write {provider}:NAME")
    return provider, model, url


def _check_url(url: str, provider: str, access: Access) -> None:
    if not access.movable:
        message = f"{provider} has one address only; {url!r} cannot be used with it"
        raise UsageError(message, hint="for a server of your own write openai:NAME@URL")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        message = f"{url!r} is not an http or https URL"
        raise UsageError(message)
    if parts.username or parts.password or parts.query:
        # Names are journalled and shown.
        message = "a model's URL must not hold a user, a password or a query"
        raise UsageError(message, hint="give the key apart from the URL")


def _require(access: Access, provider: str) -> None:
    for package in ("pydantic_ai", "openai", access.package):
        if not _is_installed(package):
            message = f"{provider} needs the package {package!r}"
            raise PrerequisiteError(message, hint=INSTALL, code="prerequisite.extra")


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        # The parent of a dotted name is missing.
        return False


def _key(spec: str, access: Access, url: str | None) -> str:
    if url is not None:
        # Clients insist on a key, and would look for one in the environment.
        return "no-key-given"
    for variable in access.variables:
        if os.environ.get(variable):
            return os.environ[variable]
    message = f"no API key for {spec}"
    hint = f"set {' or '.join(access.variables)}"
    raise PrerequisiteError(message, hint=hint, code="prerequisite.key")
