"""Settings, the only place that reads the environment and files.

Later wins: defaults, the user's file, the project's file (`proveout.toml`, or `[tool.proveout]` in
`pyproject.toml`), `PROVEOUT_*` variables (`__` between levels), flags. Unknown names are errors,
and every value knows where it came from.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from proveout.kernel.budget import Budget
from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.proposer import explain
from proveout.kernel.types import Frozen

OWN_VARIABLES = frozenset(
    {
        "PROVEOUT_HOME",
        "PROVEOUT_CONFIG",
        "PROVEOUT_DEBUG",
        "PROVEOUT_LOCAL_MODEL",
        "PROVEOUT_SERVER_TOKEN",
    }
)
"""Variables of ours that are not settings."""
SECRET_NAME = re.compile("API_KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL")
"""In the name of a variable, in capitals."""
PASSWORD = re.compile(r"://[^/@\s]*:([^/@\s]+)@")
"""In an address with a user's name."""


class ModelSettings(Frozen):
    name: str = "offline"
    """`offline`, `claude[:NAME]`, `openai:NAME`, `local[:FILE]`, `recorded:FILE`, …"""
    roles: dict[str, str] = Field(default_factory=dict)
    """Another model for single roles: `"mle/extractor" = "claude:haiku"`."""
    base_url: str = ""
    """Of an OpenAI-compatible server."""
    local_model: str = ""
    """The GGUF file that a plain `local` stands for."""
    concurrency: int | None = Field(default=None, ge=1, le=64)
    record: str = ""
    """A cassette that every reply is written to."""
    prices: dict[str, tuple[float, float]] = Field(default_factory=dict)
    """USD per million input and output tokens, by model name."""


class JournalSettings(Frozen):
    path: str = ""
    """Empty: `journal.db` in the user's data folder."""


class EngineSettings(Frozen):
    name: str = "threads"
    """`inline`, `threads` or `processes`."""
    workers: int = Field(default=2, ge=1, le=256)


class ExperienceSettings(Frozen):
    scope: Literal["auto", "all", "run", "none"] = "auto"
    """Whose lessons reach proposers: of all runs, of this run alone, none.

    `auto` is `all`, but `run` where replies are recorded or replayed: lessons of other runs would
    change the prompts that a cassette knows.
    """


class PromptSettings(Frozen):
    folder: str = ""
    """Files here (`app/role.md`) replace those of the apps."""


class SandboxSettings(Frozen):
    require: tuple[str, ...] = ("no_network", "writes_confined")
    """Guarantees without which no script is run; `proveout doctor` lists those of this machine."""
    allow_network: bool = False
    """Let scripts reach the network, with everything that they can see."""
    warm: bool = True
    """Start scripts from a process that has imported the usual libraries already."""


class TelemetrySettings(Frozen):
    endpoint: str = Field(default="", pattern=r"^(https?://\S+)?$")
    """Where traces of runs are sent (OTLP over HTTP), `http://localhost:4318`; empty: nowhere."""


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        extra="forbid", frozen=True, env_prefix="PROVEOUT_", env_nested_delimiter="__"
    )
    model: ModelSettings = ModelSettings()
    budget: Budget = Budget()
    journal: JournalSettings = JournalSettings()
    engine: EngineSettings = EngineSettings()
    prompts: PromptSettings = PromptSettings()
    experience: ExperienceSettings = ExperienceSettings()
    sandbox: SandboxSettings = SandboxSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    apps: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Each app's own section, validated by the app."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load` hands in: it reads the sources itself, to know the origin of values."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)


@dataclass(frozen=True)
class Loaded:
    """Settings with their origins: dotted names to `default`, a file, a variable or `flag`."""

    settings: Settings
    origins: Mapping[str, str]

    def rows(self) -> list[tuple[str, Any, str]]:
        """Every setting, its value and where that came from, without secrets."""
        rows = []
        for path, value in _leaves(self.settings.model_dump(mode="json")):
            name = ".".join(path)
            shown = PASSWORD.sub("://…@", value) if isinstance(value, str) else value
            rows.append((name, shown, self.origins.get(name, "default")))
        return rows


def load(flags: Mapping[str, Any] | None = None, folder: Path | None = None) -> Loaded:
    """Read every source; `flags` are dotted names given on the command line."""
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, values in _sources(flags or {}, folder or Path.cwd()):
        for path, value in _leaves(values):
            name = ".".join(path)
            if isinstance(value, str) and not _is_text(value):
                message = f"bad setting in {origin}: {name} is not text"
                raise UsageError(message)
            _put(merged, path, value)
            origins[name] = origin
    try:
        return Loaded(Settings.model_validate(merged), origins)
    except ValidationError as error:
        raise _complaint(error, origins) from error


def home() -> Path:
    """The folder for journal and locks."""
    given = os.environ.get("PROVEOUT_HOME")
    if given:
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "proveout"


def secrets(settings: Settings | None = None) -> tuple[str, ...]:
    """Values of variables that look like secrets, passwords in addresses: never journalled."""
    found = {
        value
        for name, value in os.environ.items()
        if len(value) >= 8 and SECRET_NAME.search(name.upper())
    }
    if settings is not None:
        found.update(PASSWORD.findall(settings.model_dump_json()))
    return tuple(sorted(found, key=len, reverse=True))


def _sources(flags: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    user = os.environ.get("PROVEOUT_CONFIG")
    config = os.environ.get("XDG_CONFIG_HOME")
    base = Path(config) if config else Path.home() / ".config"
    yield from _file(Path(user) if user else base / "proveout" / "config.toml")
    yield from _file(folder / "pyproject.toml", "tool", "proveout")
    yield from _file(folder / "proveout.toml")
    yield from _environment()
    given: dict[str, Any] = {}
    for name, value in flags.items():
        if value is not None:
            _put(given, name.split("."), value)
    yield "flag", given


def _file(path: Path, *table: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        values: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        message = f"{path} cannot be read: {error}"
        raise UsageError(message) from error
    for name in table:
        values = values.get(name, {})
        if not isinstance(values, dict):
            message = f"{path}: {name!r} is not a table"
            raise UsageError(message)
    if values:
        yield str(path), values


def _environment() -> Iterator[tuple[str, dict[str, Any]]]:
    names = [n for n in os.environ if n.startswith("PROVEOUT_") and n not in OWN_VARIABLES]
    known = {f"PROVEOUT_{name.upper()}" for name in Settings.model_fields}
    for name in names:
        if name.split("__")[0] not in known:
            raise UnknownName(name, noun="variable", known=[*known, *OWN_VARIABLES])
    if names:
        try:
            yield "environment", EnvSettingsSource(Settings)()
        except SettingsError as error:
            message = f"bad setting in environment: {error}"
            hint = "a whole section is given as JSON, a single value as PROVEOUT_SECTION__NAME"
            raise UsageError(message, hint=hint) from error


def _leaves(
    values: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Values with the names that lead to them; a name may hold a dot (`gpt-4.1`)."""
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, (*path, name))
        else:
            yield (*path, name), value


def _put(values: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        values = values.setdefault(part, {})
        if not isinstance(values, dict):
            # A value stands where a table belongs: it stays, for the validation to name it.
            return
    values[path[-1]] = value


def _is_text(value: str) -> bool:
    """Arguments that are not UTF-8 arrive as half characters, which no journal can hold."""
    return not any("\ud800" <= letter <= "\udfff" for letter in value)


def _complaint(error: ValidationError, origins: Mapping[str, str]) -> UsageError:
    first = error.errors(include_url=False, include_input=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    place = f"{name}."
    # The fault may lie deeper or higher than what stands in a source.
    near = (o for n, o in origins.items() if place.startswith(f"{n}.") or n.startswith(place))
    origin = next(near, "settings")
    if first["type"] == "extra_forbidden":
        known = [".".join(path) for path, _ in _leaves(Settings().model_dump(mode="json"))]
        return UnknownName(name, noun=f"setting in {origin}:", known=known)
    return UsageError(f"bad setting in {origin}: {explain(error)}")
