"""Flags made from a task's fields, so that an app never writes a command line.

A field becomes `--its-name`; a field marked `json_schema_extra={"positional": True}` becomes an
argument. Lists repeat the flag; anything nested is given as JSON.
"""

import inspect
import json
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from proveout.kernel.errors import UsageError
from proveout.kernel.types import Task

SIMPLE = (bool, int, float, str, Path)


def parameters(task: type[Task]) -> list[inspect.Parameter]:
    """One parameter per field, arguments first."""
    found = [_parameter(name, field) for name, field in task.model_fields.items()]
    return sorted(found, key=lambda parameter: not _positional(task.model_fields[parameter.name]))


def given(task: type[Task], values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that were given, in the shape that the task expects."""
    fields: dict[str, Any] = {}
    for name, field in task.model_fields.items():
        value = values.get(name)
        if value is None or (isinstance(value, list) and not value):
            continue
        fields[name] = _from_json(name, value) if _kind(field) is None else value
    return fields


def with_parameters(
    function: Callable[..., None], extra: list[inspect.Parameter]
) -> Callable[..., None]:
    """The function as it looks with these parameters before its own."""
    own = [p for p in inspect.signature(function).parameters.values() if p.name != "fields"]

    def called(**values: Any) -> None:
        names = {parameter.name for parameter in extra}
        fields = {name: values.pop(name) for name in names & set(values)}
        function(fields=fields, **values)

    called.__signature__ = inspect.Signature([*extra, *own])  # type: ignore[attr-defined]
    called.__doc__ = function.__doc__
    called.__name__ = function.__name__
    return called


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    kind = _kind(field)
    annotation: Any = str if kind is None else kind
    required = field.is_required()
    help_text = _help(field, nested=kind is None)
    if _positional(field):
        about: Any = typer.Argument(help=help_text, show_default=False)
    else:
        flag = f"--{name.replace('_', '-')}"
        names = (f"{flag}/--no-{flag[2:]}",) if annotation is bool else (flag,)
        about = typer.Option(*names, help=help_text, show_default=False)
    if get_origin(annotation) is list or not required:
        annotation = annotation | None
    default = inspect.Parameter.empty if required else None
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[annotation, about],
    )


def _kind(field: FieldInfo) -> Any:
    """The type that the command line reads: simple, list of simple, or None for JSON."""
    wanted = field.annotation
    if get_origin(wanted) in (Union, types.UnionType):
        parts = [part for part in get_args(wanted) if part is not type(None)]
        wanted = parts[0] if len(parts) == 1 else None
    if wanted in SIMPLE:
        return wanted
    if get_origin(wanted) is Literal:
        return str
    if get_origin(wanted) in (list, tuple) and get_args(wanted)[0] in SIMPLE:
        return list[get_args(wanted)[0]]  # type: ignore[misc]
    return None


def _help(field: FieldInfo, *, nested: bool) -> str:
    text = field.description or ""
    if get_origin(field.annotation) is Literal:
        text += f" [{' | '.join(map(str, get_args(field.annotation)))}]"
    if nested:
        text += " (JSON)"
    if not field.is_required() and field.default not in (None, "", ()):
        text += f" [default: {field.get_default(call_default_factory=False)}]"
    return text.strip()


def _positional(field: FieldInfo) -> bool:
    extra = field.json_schema_extra
    return isinstance(extra, dict) and bool(extra.get("positional"))


def _from_json(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except json.JSONDecodeError as error:
        message = f"--{name.replace('_', '-')} is not JSON: {error}"
        raise UsageError(message) from error
