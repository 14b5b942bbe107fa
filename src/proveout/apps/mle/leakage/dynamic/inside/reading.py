"""Finds a data file where it lies, whatever folder the program expects it in."""

import builtins
import functools
import os
import sys
from typing import Any

from .recording import Recorder

READERS = (
    "read_csv", "read_table", "read_parquet", "read_json", "read_excel", "read_feather",
    "read_pickle", "read_fwf",
)  # fmt: skip
ARRAYS = ("loadtxt", "genfromtxt", "load")


def install(recorder: Recorder, files: list[str]) -> None:
    """Wrap the usual doors; a file that exists is opened as asked."""
    for module, names in (("pandas", READERS), ("numpy", ARRAYS)):
        library = _imported(module)
        for name in names:
            if hasattr(library, name):
                setattr(library, name, _finding(getattr(library, name), recorder, files))
    builtins.open = _finding(builtins.open, recorder, files)


def _imported(name: str) -> Any:
    try:
        __import__(name)
    except ImportError:
        return None
    return sys.modules[name]


def _finding(real: Any, recorder: Recorder, files: list[str]) -> Any:
    @functools.wraps(real)
    def opened(*given: Any, **named: Any) -> Any:
        if given and isinstance(given[0], (str, os.PathLike)):
            place = os.fspath(given[0])
            if isinstance(place, str) and not os.path.exists(place):  # noqa: PTH110
                place = _meant(place, files) or place
                given = (place, *given[1:])
            for name in files:
                if isinstance(place, str) and place.endswith(name) and name not in recorder.read:
                    recorder.read.append(name)
        return real(*given, **named)

    return opened


def _meant(place: str, files: list[str]) -> str:
    """The data file with the longest common end of the path; at least the name must agree."""
    wanted = [part for part in place.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    best, length = "", 0
    for name in files:
        parts = name.split("/")
        common = 0
        while common < min(len(parts), len(wanted)) and parts[-1 - common] == wanted[-1 - common]:
            common += 1
        if common > length:
            best, length = os.path.join("input", name), common  # noqa: PTH118
    return best
