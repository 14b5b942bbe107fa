"""Which files a task may name: those inside the allowed root, and what was uploaded.

A field of a task says that it names a place: its type is `Path`, or it is marked with
`json_schema_extra={"path": KIND}`. The kinds: `image` and `file` (read), `folder` (read),
`output` (written), `name` (a file, or a word that means something else to the app).
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from pydantic import JsonValue
from pydantic.fields import FieldInfo

from proveout.kernel.errors import UsageError
from proveout.kernel.types import Task

PathKind = Literal["image", "file", "folder", "output", "name"]
KINDS: tuple[PathKind, ...] = get_args(PathKind)
UPLOADED = "upload:"
"""What a file that was uploaded is called: this and its id."""
MOST_ENTRIES = 10_000
"""Of a folder, whose links are looked at."""
MODELS_FROM_FILES = frozenset({"local", "recorded", "scripted"})


@dataclass(frozen=True)
class Places:
    """The folders that tasks may reach into."""

    root: Path
    uploads: Path

    def confine(self, task: type[Task], fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The fields with every path made absolute; a path that leads outside is refused."""
        confined = dict(fields)
        for name, kind in path_fields(task).items():
            value = confined.get(name)
            if isinstance(value, str) and value:
                confined[name] = self.inside(value, kind)
            elif isinstance(value, Sequence) and not isinstance(value, str):
                confined[name] = [
                    self.inside(one, kind) if isinstance(one, str) else one for one in value
                ]
        return confined

    def inside(self, value: str, kind: PathKind = "file") -> str:
        """The absolute path that a value means, or `UsageError` if it may not be named."""
        if value.startswith(UPLOADED):
            found = self._resolved(self.uploads, value.removeprefix(UPLOADED))
            if found.parent != self.uploads.resolve() or not _is_file(found):
                message = f"there is no upload {value!r}"
                raise UsageError(message, hint="upload the file again", code="usage.no_upload")
            # What is used is not removed to make room for others.
            found.touch()
            return str(found)
        found = self._resolved(self.root, value)
        if not self._is_inside(found):
            hint = f"name a path inside {self.root}, or start the server with another --root"
            message = f"{value!r} is outside of the allowed folder"
            raise UsageError(message, hint=hint, code="usage.outside_root")
        if kind == "name" and not _is_there(found):
            return self._word(value)
        if kind in ("image", "folder") and not _is_there(found):
            what = "folder" if kind == "folder" else "file"
            message = f"{value}: there is no such {what}"
            hint = f"check the path; it is looked for in {self.root}"
            raise UsageError(message, hint=hint, code="usage.missing_path")
        if kind == "folder":
            self._demand_links_inside(found)
        return str(found)

    def plain(self, message: str) -> str:
        """A message in which uploads have the names that they had when they were sent."""
        return re.sub(rf"{re.escape(str(self.uploads))}/[0-9a-f]+-", "", message)

    def model(self, spec: str) -> str:
        """A model that is read from a file is confined like any other file."""
        family, colon, name = spec.partition(":")
        if family in MODELS_FROM_FILES and name:
            return f"{family}{colon}{self.inside(name)}"
        return spec

    def _is_inside(self, found: Path) -> bool:
        """Of a path whose links have been followed."""
        allowed = (self.root.resolve(), self.uploads.resolve())
        return any(found.is_relative_to(folder) for folder in allowed)

    def _demand_links_inside(self, folder: Path) -> None:
        """An app reads what a folder holds: its links are names of files, too."""
        entries = (
            Path(place) / name
            for place, folders, names in os.walk(folder)
            for name in (*folders, *names)
        )
        for entry in islice(entries, MOST_ENTRIES):
            if entry.is_symlink() and not self._is_inside(self._resolved(folder, str(entry))):
                message = f"{entry.name} in {folder.name} is a link that leads outside"
                hint = "put a copy in its place, or start the server with another --root"
                raise UsageError(message, hint=hint, code="usage.outside_root")

    def _word(self, value: str) -> str:
        """A word that the app must not be able to take for a file elsewhere."""
        try:
            elsewhere = _is_there(Path(value).expanduser())
        except (RuntimeError, ValueError):
            elsewhere = True
        if elsewhere:
            message = f"{value!r} is outside of the allowed folder"
            hint = f"name a path inside {self.root}"
            raise UsageError(message, hint=hint, code="usage.outside_root")
        return value

    def _resolved(self, folder: Path, value: str) -> Path:
        try:
            return (folder / value).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            message = f"{value!r} is not a path"
            hint = f"name a path inside {self.root}"
            raise UsageError(message, hint=hint, code="usage.outside_root") from error


def _is_there(path: Path) -> bool:
    """What no file system can name is not there."""
    try:
        return path.exists()
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    return _is_there(path) and path.is_file()


def path_fields(task: type[Task]) -> dict[str, PathKind]:
    """The fields of a task that name places."""
    found = {name: path_kind(field) for name, field in task.model_fields.items()}
    return {name: kind for name, kind in found.items() if kind is not None}


def path_kind(field: FieldInfo) -> PathKind | None:
    extra = field.json_schema_extra
    marked = extra.get("path") if isinstance(extra, dict) else None
    if marked in KINDS:
        return marked
    kinds = (field.annotation, *get_args(field.annotation))
    return "file" if Path in kinds else None
