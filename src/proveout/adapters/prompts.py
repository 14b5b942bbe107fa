"""Prompt files: Markdown with a few lines of TOML on top, rendered by sandboxed Jinja2.

A prompt named `app/role` is the file `role.md` in the app's `prompts` folder; a file of the same
name under the user's folder (`<folder>/app/role.md`) replaces it. An undefined variable is an
error. The JSON schema of the return type is appended by code: nobody writes it by hand.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, TemplateError, TemplateNotFound, TemplateSyntaxError
from jinja2.loaders import FunctionLoader
from jinja2.meta import find_referenced_templates
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import JsonValue

from proveout.kernel.canonical import content_id
from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.ports import RenderedPrompt

FENCE = "+++"
MOST_CHARACTERS = 2_000_000
PARTS = "proveout.adapters.prompt_parts"
"""Pieces every app may include: `{% include "_feedback" %}`, `{% include "_lessons" %}`.

An app's own pieces are files that begin with an underscore: `{% include "app/_piece" %}`.
"""


@dataclass(frozen=True)
class PromptFile:
    """A prompt as it stands on disk."""

    role: str
    text: str
    """The template, without the front matter."""
    about: Mapping[str, Any]
    """The front matter."""
    overridden: bool
    """Whether it comes from the user's folder."""


class PromptFolder:
    """The prompts of all apps, with the user's on top."""

    def __init__(self, packages: Mapping[str, str], user_folder: Path | None = None) -> None:
        self._packages = packages
        self._user_folder = user_folder
        self._jinja = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined,
            loader=FunctionLoader(self._include),
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._jinja.filters["json"] = _to_json

    def names(self) -> list[str]:
        """Every prompt, as `app/role`."""
        found = set()
        for app, package in self._packages.items():
            for entry in resources.files(package).iterdir():
                if entry.name.endswith(".md") and not entry.name.startswith("_"):
                    found.add(f"{app}/{entry.name.removesuffix('.md')}")
        return sorted(found)

    def read(self, role: str) -> PromptFile:
        """The file that is in force for a role."""
        app, _, name = role.partition("/")
        if app not in self._packages or not name or "/" in name or name.startswith("."):
            raise UnknownName(role, noun="prompt", known=self.names())
        own = self._user_folder / app / f"{name}.md" if self._user_folder else None
        if own is not None and own.is_file():
            return _parse(role, own.read_bytes(), overridden=True)
        entry = resources.files(self._packages[app]) / f"{name}.md"
        if not entry.is_file():
            raise UnknownName(role, noun="prompt", known=self.names())
        return _parse(role, entry.read_bytes(), overridden=False)

    def render(
        self, role: str, variables: Mapping[str, Any], schema: Mapping[str, JsonValue] | None
    ) -> RenderedPrompt:
        prompt = self.read(role)
        try:
            text = self._jinja.from_string(prompt.text).render(variables).strip()
        except TemplateNotFound as error:
            message = f"prompt {role!r} includes {error.name!r}, which does not exist"
            raise UsageError(message) from error
        except TemplateSyntaxError as error:
            message = f"prompt {role!r} has a mistake in line {error.lineno}: {error.message}"
            raise UsageError(message) from error
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            message = f"prompt {role!r} cannot be rendered: {error}"
            raise UsageError(message, hint="every variable it uses must be given") from error
        if len(text) > MOST_CHARACTERS:
            message = (
                f"prompt {role!r} is {len(text)} characters long; {MOST_CHARACTERS} is the most"
            )
            raise UsageError(message)
        if schema is not None:
            text += f"\n\n{SCHEMA_REQUEST}\n\n```json\n{json.dumps(dict(schema), indent=2)}\n```"
        return RenderedPrompt(text + "\n", content_id(self._whole(prompt.text).encode()))

    def _whole(self, text: str) -> str:
        """A template with the pieces that it includes: what two runs are compared by."""
        names = find_referenced_templates(self._jinja.parse(text))
        return "\n".join([text, *(self._include(name) or "" for name in names if name)])

    def _include(self, name: str) -> str | None:
        """A piece that every app may use (`_feedback`), or one of an app's own (`app/_piece`)."""
        app, slash, piece = name.partition("/")
        if not slash:
            return _text(resources.files(PARTS) / f"{name}.md")
        if not piece.startswith("_") or "/" in piece or app not in self._packages:
            return None
        own = self._user_folder / app / f"{piece}.md" if self._user_folder else None
        if own is not None and own.is_file():
            return own.read_text(encoding="utf-8")
        return _text(resources.files(self._packages[app]) / f"{piece}.md")


def _text(entry: Traversable) -> str | None:
    return entry.read_text(encoding="utf-8") if entry.is_file() else None


SCHEMA_REQUEST = "Reply with one JSON value that is valid under this JSON schema, and nothing else:"


def _parse(role: str, content: bytes, *, overridden: bool) -> PromptFile:
    about: dict[str, Any] = {}
    try:
        text = content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        message = f"prompt {role!r} is not UTF-8 text: {error}"
        raise UsageError(message) from error
    if text.startswith(FENCE):
        head, _, text = text.removeprefix(FENCE).partition(f"\n{FENCE}\n")
        try:
            about = tomllib.loads(head)
        except tomllib.TOMLDecodeError as error:
            message = f"the front matter of prompt {role!r} is not TOML: {error}"
            raise UsageError(message) from error
    return PromptFile(role=role, text=text.strip() + "\n", about=about, overridden=overridden)


def _to_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=_plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    message = f"{type(value).__name__} cannot be written as JSON"
    raise TypeError(message)
