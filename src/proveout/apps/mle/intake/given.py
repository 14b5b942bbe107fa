"""What is said outright: `task.toml` (which always wins), `task.json`, then the description."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from proveout.apps.mle.intake.errors import TASK_FILE, IntakeError, unusable
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.tables.metrics import METRICS
from proveout.apps.mle.tables.prose import standing

JSON_FILE = "task.json"
_OTHER_NAMES = {
    "id": "id_column",
    "target": "targets",
    "target_column": "targets",
    "target_columns": "targets",
    "label": "targets",
    "label_column": "targets",
    "evaluation_metric": "metric",
    "task_type": "kind",
    "problem_type": "kind",
    "classes": "labels",
    "group": "groups",
    "group_column": "groups",
    "time_column": "time",
    "train_file": "train_files",
    "sample_submission": "sample_file",
}
_KINDS = {
    "binary": "binary",
    "binary_classification": "binary",
    "multiclass": "multiclass",
    "multi_class": "multiclass",
    "multiclass_classification": "multiclass",
    "regression": "regression",
}
_DIRECTIONS = {
    "max": "maximize",
    "maximise": "maximize",
    "maximize": "maximize",
    "higher": "maximize",
    "min": "minimize",
    "minimise": "minimize",
    "minimize": "minimize",
    "lower": "minimize",
}
_SEQUENCES = ("targets", "labels", "submission_columns", "copied", "train_files")


def given_in(folder: Path) -> dict[str, Any]:
    """Fields of `Problem` that a person or a machine has written down."""
    known: dict[str, Any] = {}
    for place in ("", "input", "data"):
        path = folder / place / JSON_FILE
        if path.is_file():
            known = _fields(_json(path), path, strict=False)
            break
    path = folder / TASK_FILE
    if path.is_file():
        known.update(_fields(_toml(path), path, strict=True))
    return known


def _json(path: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _broken(path, error) from None
    if not isinstance(value, dict):
        raise _broken(path, "it is not an object")
    return value


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _broken(path, error) from None


def _broken(path: Path, reason: object) -> IntakeError:
    what = "broken_task_file"
    return unusable(f"{path.name} cannot be read: {reason}", what, "mend or delete the file")


def _fields(raw: Mapping[str, Any], path: Path, *, strict: bool) -> dict[str, Any]:
    """Under `Problem`'s names; unknown ones are an error in our own file, ignored elsewhere."""
    fields: dict[str, Any] = {}
    for name, value in raw.items():
        field = _OTHER_NAMES.get(name, name)
        if field in Problem.model_fields:
            fields[field] = _value(field, value, path)
        elif strict:
            message = f"{path.name}: there is no field {name!r}"
            known = ", ".join(sorted(Problem.model_fields))
            raise unusable(message, "unknown_field", f"known fields: {known}")
    return fields


def _value(field: str, value: Any, path: Path) -> Any:
    if field in _SEQUENCES:
        items = value if isinstance(value, list) else [value]
        return tuple(_spelled(item) for item in items)
    if field == "metric" and str(value) != "custom":
        return _named(field, value, standing(str(value)), METRICS, path)
    if field == "kind":
        plain = re.sub(r"[\s-]+", "_", str(value).lower())
        return _named(field, value, _KINDS.get(plain, ""), set(_KINDS.values()), path)
    if field == "direction":
        found = _DIRECTIONS.get(str(value).lower().split()[0] if str(value).split() else "", "")
        return _named(field, value, found, set(_DIRECTIONS.values()), path)
    if field in ("columns", "dropped", "tables"):
        return tuple(value) if isinstance(value, list) else value
    return value


def _named(field: str, value: Any, found: str, known: Any, path: Path) -> str:
    if not found:
        message = f"{path.name}: {field} = {value!r} is not known"
        raise unusable(message, f"unknown_{field}", f"known: {', '.join(sorted(known))}")
    return found


def _spelled(value: Any) -> str:
    """As the training file would spell it: JSON has `true` where tables have `True`."""
    return str(value)


def read_toml(path: Path) -> Problem:
    """A problem that was written down whole."""
    try:
        return Problem.model_validate(_fields(_toml(path), path, strict=True))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        message = f"{path.name}: {place}: {first['msg']}"
        raise unusable(message, "broken_task_file", "mend the file") from None


def write_toml(problem: Problem, path: Path) -> None:
    """Every field, in the order of `Problem`, tables of columns last."""
    plain = problem.model_dump(mode="json")
    tables = {name: value for name, value in plain.items() if _is_tables(value)}
    lines = [
        "# What this task is, as far as code could tell. Correct what is wrong: a value that",
        "# stands here always wins. A line that is deleted is worked out again.",
    ]
    lines += [f"{name} = {_written(value)}" for name, value in plain.items() if name not in tables]
    for name, rows in tables.items():
        for row in rows:
            lines += ["", f"[[{name}]]"]
            lines += [f"{key} = {_written(value)}" for key, value in row.items()]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _written(value: Any) -> str:
    """A value in TOML; a JSON string is a TOML string but for two control characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(_written(item) for item in value) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def direction_in(text: str) -> str:
    """For metrics of one's own: whether more or less is wanted."""
    up = re.search(r"(higher|larger|greater|more) is better|maximi[sz]", text, re.IGNORECASE)
    down = re.search(r"(lower|smaller|less) is better|minimi[sz]", text, re.IGNORECASE)
    return "" if bool(up) == bool(down) else "maximize" if up else "minimize"
