"""A script's folder, made ready before it runs and made safe to read after."""

import contextlib
import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from proveout.adapters.sandbox.orders import HOME, INPUT, MOST_FILES, SCRIPT, TEMPORARY
from proveout.kernel.errors import UsageError
from proveout.kernel.ports import ScriptJob

_MOST_LINKS = 200
_DEEPEST, _LONGEST = 64, 3000
"""Folders in folders, bytes of a path: what goes further is there to trip whoever reads it."""


@dataclass
class Workplace:
    """Use it as a context manager around the run."""

    job: ScriptJob
    mounted: bool
    """Whether the data will be mounted; otherwise a link leads to it."""
    folder: str = ""
    data: str = ""
    links: tuple[str, ...] = ()
    removed: list[str] = field(default_factory=list)
    """What lay in the folder afterwards that nobody should follow."""

    def __enter__(self) -> Self:
        Path(self.job.folder).mkdir(parents=True, exist_ok=True)
        self.folder = os.path.realpath(self.job.folder)
        if self.folder == "/":
            message = "a script cannot have the whole disk as its folder"
            raise UsageError(message)
        for name in (HOME, TEMPORARY):
            _clear(Path(self.folder, name))
            Path(self.folder, name).mkdir()
        _clear(Path(self.folder, SCRIPT))
        Path(self.folder, SCRIPT).write_bytes(self.job.source.encode("utf-8", "surrogatepass"))
        if self.job.data:
            self._link_data()
        return self

    def _link_data(self) -> None:
        self.data = os.path.realpath(self.job.data)
        if not Path(self.data).is_dir():
            message = f"there is no folder {self.job.data}"
            raise UsageError(message)
        inside = f"{self.data}/".startswith(f"{self.folder}/")
        place = Path(self.folder, INPUT)
        if inside and not (self.mounted and self.data == str(place)):
            message = f"{self.data} lies in the script's own folder, where it could be changed"
            raise UsageError(message, hint="keep data and work folders apart")
        self.links = tuple(_led_to(Path(self.data)))
        if place.is_symlink():
            place.unlink()
        if self.mounted:
            place.mkdir(exist_ok=True)
        elif place.is_dir() and any(place.iterdir()):
            message = f"{place} is in the way: the script is to find its data there"
            raise UsageError(message)
        else:
            _clear(place)
            place.symlink_to(self.data)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for name in (HOME, TEMPORARY):
            _clear(Path(self.folder, name))
        if self.job.data:
            place = Path(self.folder, INPUT)
            if place.is_symlink():
                place.unlink()
            elif place.is_dir() and not any(place.iterdir()):
                place.rmdir()
        self.removed += _make_safe(self.folder, self.mount_point)

    @property
    def mount_point(self) -> str:
        """Where the data was mounted; what lies beneath is not the script's. Empty if nowhere."""
        return str(Path(self.folder, INPUT)) if self.data and self.mounted else ""


def _led_to(folder: Path) -> Iterator[str]:
    """Where the links directly in a data folder lead, if that is outside of it."""
    links = [entry for entry in sorted(folder.iterdir()) if entry.is_symlink()]
    for link in links[:_MOST_LINKS]:
        target = os.path.realpath(link)
        if os.path.exists(target) and not target.startswith(f"{folder}/"):  # noqa: PTH110
            yield target


def _clear(path: Path) -> None:
    """Remove whatever is there. Deep folders are flattened, so that no path becomes too long and
    nothing here recurses; shut ones are opened."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    path.chmod(0o700)
    names = itertools.count()
    while folders := [entry for entry in _emptied(path) if entry.is_dir(follow_symlinks=False)]:
        for folder in folders:
            Path(folder.path).chmod(0o700)
            for inner in _emptied(Path(folder.path)):
                # Only folders are left in it, and one that is shut cannot be moved.
                Path(inner.path).chmod(0o700)
                os.rename(inner.path, _unused(path, names))  # noqa: PTH104
            Path(folder.path).rmdir()
    path.rmdir()


def _emptied(folder: Path) -> "list[os.DirEntry[str]]":
    """Remove the files of one folder; gives the folders in it."""
    with os.scandir(folder) as found:
        entries = list(found)
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            Path(entry.path).unlink()
    return [entry for entry in entries if entry.is_dir(follow_symlinks=False)]


def _unused(folder: Path, names: Iterator[int]) -> Path:
    return next(place for n in names if not os.path.lexists(place := folder / f"{n}"))


def _make_safe(folder: str, spared: str) -> Iterator[str]:
    """Remove pipes, sockets and links that lead out; what remains is plain and can be read."""
    waiting = [folder]
    seen = 0
    while waiting and seen < 10 * MOST_FILES:
        with contextlib.suppress(OSError):
            for entry in list(os.scandir(waiting.pop())):
                seen += 1
                mode = entry.stat(follow_symlinks=False).st_mode
                if _is_harmless(entry.path, mode, folder):
                    if stat.S_ISDIR(mode) and entry.path != spared:
                        waiting.append(entry.path)
                else:
                    _clear(Path(entry.path))
                    yield os.path.relpath(entry.path, folder)


def _is_harmless(path: str, mode: int, folder: str) -> bool:
    """Files and folders are opened up for their owner, and lose the bits that lend rights."""
    if path.count("/", len(folder)) > _DEEPEST or len(os.fsencode(path)) > _LONGEST:
        return False
    if stat.S_ISLNK(mode):
        return os.path.realpath(path).startswith(f"{folder}/")
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        return False
    wanted = stat.S_IMODE(mode) & 0o777 | (0o700 if stat.S_ISDIR(mode) else 0o600)
    if wanted != stat.S_IMODE(mode):
        os.chmod(path, wanted)  # noqa: PTH101 - the same call for both
    return True
