"""Executes a source as if `python script.py` had been called, in a process that was forked."""

import atexit
import faulthandler
import io
import linecache
import os
import random
import sys
import tempfile
import threading
import traceback
import types
from types import CodeType
from typing import Any

from proveout.adapters.sandbox.orders import HOME, SCRIPT, TEMPORARY, Order

_INTERRUPTED = 130


def move_in(order: Order) -> None:
    """The work folder is the current one, holds home and temporary files, and is imported from."""
    os.chdir(order.folder)
    os.environ.update(
        HOME=order.place(HOME), TMPDIR=order.place(TEMPORARY), PWD=order.folder, MPLBACKEND="Agg"
    )
    tempfile.tempdir = None
    sys.path.insert(0, order.folder)
    sys.argv = [order.place(SCRIPT)]


def speak() -> None:
    """Fresh streams on the standard descriptors. A line is out at once: what was printed before a
    script is ended explains why."""
    output, errors = (
        io.TextIOWrapper(
            open(number, "wb", closefd=False),  # noqa: SIM115, PTH123 - lives as long as the process
            encoding="utf-8",
            errors="backslashreplace",
            line_buffering=True,
        )
        for number in (1, 2)
    )
    entered = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115, PTH123
    for name, stream in (("stdin", entered), ("stdout", output), ("stderr", errors)):
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    faulthandler.enable(2)


def seed(number: int) -> None:
    """A fork shares its parent's generators; every script gets its own, known start."""
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number % 2**32)


def perform(order: Order, source: bytes) -> int:
    """Run it as `__main__`; gives the exit code. Tracebacks show its lines, and none of ours."""
    name = order.place(SCRIPT)
    text = source.decode("utf-8", "replace")
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=name, __builtins__=__builtins__, __cached__=None)
    sys.modules["__main__"] = module
    try:
        code = _execute(compile(source, name, "exec", dont_inherit=True), module.__dict__)
    except (SyntaxError, ValueError) as error:
        traceback.print_exception(type(error), error, None)
        code = 1
    return _finish(code)


def _execute(code: CodeType, names: dict[str, Any]) -> int:
    try:
        exec(code, names)  # noqa: S102 - the purpose of this package
    except SystemExit as leaving:
        return _exit_code(leaving.code)
    except BaseException as error:  # noqa: BLE001 - whatever it raises is its own affair
        trace = error.__traceback__
        _report(error, trace.tb_next if trace else None)
        return _INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _report(error: BaseException, trace: types.TracebackType | None) -> None:
    try:
        sys.excepthook(type(error), error.with_traceback(trace), trace)
    except BaseException:  # noqa: BLE001 - the script may have replaced the hook, or closed stderr
        faulthandler.dump_traceback(2)


def _exit_code(given: object) -> int:
    if given is None:
        return 0
    if isinstance(given, int):
        return given & 0xFF
    print(given, file=sys.stderr)  # noqa: T201 - what the interpreter does
    return 1


def _finish(code: int) -> int:
    """What an interpreter does at its end: wait for threads, run exit functions, flush."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    except BaseException as error:  # noqa: BLE001 - as above
        _report(error, error.__traceback__)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            code = code or 120
    return code
