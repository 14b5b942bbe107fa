"""Begins the program under watch: the hooks first, then its own lines, then the notes are kept."""

import json
import os
import sys
import traceback
from typing import Any

from . import bundled, hooks, libraries, reading
from .recording import Recorder

PROGRAM = "program.py"
ORDERS = "orders.json"


def perform(names: dict[str, Any]) -> None:
    """Execute the program in the names of `__main__`."""
    place = os.path.abspath(PROGRAM)  # noqa: PTH100
    with open(place, encoding="utf-8") as file:  # noqa: PTH123
        source = file.read()
    with open(ORDERS, encoding="utf-8") as file:  # noqa: PTH123
        orders = json.load(file)
    recorder = Recorder(place, orders["splits"])
    reading.install(recorder, orders["files"])
    bundled.install(recorder, orders["files"])
    libraries.install(recorder, source)
    hooks.install(recorder)
    names["__file__"] = place
    try:
        exec(compile(source, place, "exec", dont_inherit=True), names)  # noqa: S102
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            recorder.failure = f"it ended itself with {leaving.code}"
    finally:
        error = sys.exception()
        if error is not None:
            recorder.failure = "".join(traceback.format_exception_only(error)).strip()
        recorder.write()
