"""Form inputs made from a task's fields, so that an app never writes a form."""

import json
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Union, cast, get_args, get_origin

from annotated_types import Ge, Le, MaxLen
from pydantic import JsonValue, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from proveout.kernel.errors import UsageError
from proveout.kernel.types import Task
from proveout.server.places import UPLOADED, path_kind

Kind = Literal["text", "long", "whole", "number", "check", "choice", "lines", "json", "picture"]
LONG_LETTERS = 4_000
"""A text that may be longer than this gets several lines."""
FEW = 5
"""So many fields are shown at once; of more, the first three and those that must be given."""
FIRST = 3
WORDS: Mapping[str, str] = {
    "missing": "This is needed.",
    "string_too_short": "This is needed.",
    "string_too_long": "At most {max_length} characters.",
    "string_pattern_mismatch": "This has not the form that is asked for.",
    "int_parsing": "This must be a whole number.",
    "float_parsing": "This must be a number.",
    "greater_than_equal": "At least {ge}.",
    "less_than_equal": "At most {le}.",
}
"""What is wrong with an input, by pydantic's name for it."""
QUOTED = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Control:
    """One input with its words and its value."""

    name: str
    kind: Kind
    label: str
    help: str = ""
    required: bool = False
    main: bool = True
    value: str = ""
    options: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    most_letters: int | None = None
    default: str = ""
    wrong: str = ""

    @property
    def id(self) -> str:
        return "f-" + self.name.replace(".", "-")

    @property
    def uploaded(self) -> bool:
        return self.value.startswith(UPLOADED)

    @property
    def shown(self) -> str:
        """An uploaded file by the name that it had."""
        return self.value.partition("-")[2] if self.uploaded else self.value


def controls(
    task: type[Task], values: Mapping[str, str], wrong: Mapping[str, str] | None = None
) -> list[Control]:
    """One per field, in their order, with what was typed before."""
    made = []
    few = len(task.model_fields) <= FEW
    for place, (name, field) in enumerate(task.model_fields.items()):
        kind = kind_of(field)
        made.append(
            Control(
                name=name,
                kind=kind,
                label=name.replace("_", " ").capitalize().replace("url", "URL"),
                help=_help(field, kind),
                required=field.is_required(),
                main=few or place < FIRST or field.is_required(),
                value=values.get(name, _default(field)),
                options=_options(field),
                least=_bound(field, Ge, "ge"),
                most=_bound(field, Le, "le"),
                most_letters=cast(int | None, _bound(field, MaxLen, "max_length"))
                if kind in ("text", "long")
                else None,
                default=_default(field),
                wrong=(wrong or {}).get(name, ""),
            )
        )
    return made


def kind_of(field: FieldInfo) -> Kind:
    """The input that a field's type asks for; JSON where nothing else fits."""
    place = path_kind(field)
    if place is not None:
        return "picture" if place == "image" else "text"
    wanted = _bare(field.annotation)
    if get_origin(wanted) is Literal:
        return "choice"
    if get_origin(wanted) in (list, tuple) and get_args(wanted)[:1] == (str,):
        return "lines"
    simple: dict[object, Kind] = {bool: "check", int: "whole", float: "number"}
    if wanted is str:
        most = _bound(field, MaxLen, "max_length")
        return "long" if most is not None and most > LONG_LETTERS else "text"
    return simple.get(wanted, "json")


def values_of(task: type[Task], fields: Mapping[str, JsonValue]) -> dict[str, str]:
    """Fields of a task as their inputs show them."""
    return {
        name: _typed(kind_of(field), fields[name])
        for name, field in task.model_fields.items()
        if fields.get(name) is not None
    }


def fields_of(task: type[Task], sent: Mapping[str, str]) -> dict[str, JsonValue]:
    """What a form sent, in the shape that the task expects; what was left empty is left out."""
    fields: dict[str, JsonValue] = {}
    for name, field in task.model_fields.items():
        kind, text = kind_of(field), sent.get(name, "").replace("\r\n", "\n")
        if kind == "check":
            fields[name] = text == "true"
        elif kind == "lines":
            fields[name] = [line.strip() for line in text.split("\n") if line.strip()]
        elif kind == "json" and text.strip():
            fields[name] = _parsed(name, text)
        elif text.strip() or field.is_required():
            fields[name] = text if kind == "long" else text.strip()
    return fields


def complaints(task: type[Task], fields: Mapping[str, JsonValue]) -> dict[str, str]:
    """What is wrong, by field; under the empty name what no single field is to blame for."""
    try:
        task.model_validate(dict(fields))
    except ValidationError as error:
        return {
            str(one["loc"][0]) if one["loc"] else "": _worded(one)
            for one in reversed(error.errors(include_url=False, include_input=False))
        }
    return {}


def _worded(error: ErrorDetails) -> str:
    """In the words of a form."""
    words = WORDS.get(error["type"])
    if words is None:
        return str(error["msg"]).removeprefix("Value error, ")
    return words.format(**error.get("ctx", {}))


def _bare(annotation: object) -> object:
    """The type without `| None`."""
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        return parts[0] if len(parts) == 1 else None
    return annotation


def _bound(field: FieldInfo, kind: type[Ge | Le | MaxLen], name: str) -> float | None:
    found = [getattr(one, name) for one in field.metadata if isinstance(one, kind)]
    return cast(float | None, found[0] if found else None)


def _options(field: FieldInfo) -> tuple[str, ...]:
    wanted = _bare(field.annotation)
    return tuple(map(str, get_args(wanted))) if get_origin(wanted) is Literal else ()


def _default(field: FieldInfo) -> str:
    if field.is_required() or field.default_factory is not None:
        return ""
    return _typed(kind_of(field), field.default)


def _typed(kind: Kind, value: object) -> str:
    if kind == "check":
        return "true" if value else ""
    if kind == "lines" and isinstance(value, list | tuple):
        return "\n".join(map(str, value))
    if kind == "json":
        return "" if value in (None, (), []) else json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def _help(field: FieldInfo, kind: Kind) -> str:
    text = QUOTED.sub(r"“\1”", field.description or "").strip()
    text = text[:1].upper() + text[1:]
    extra = {"lines": "One per line.", "json": "As JSON."}.get(kind, "")
    place = path_kind(field)
    if place in ("folder", "file", "output"):
        extra = "A path on the server, inside its allowed folder."
    return f"{text.rstrip('.')}. {extra}".strip() if text else extra


def _parsed(name: str, text: str) -> JsonValue:
    try:
        return cast(JsonValue, json.loads(text))
    except ValueError as error:
        message = f"{name.replace('_', ' ')} is not JSON: {error}"
        raise UsageError(message) from error
