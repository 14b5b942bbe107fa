"""The context in force, for functions that must be callable on their own.

Some specifications name plain functions (`summarizer_node(state, config)`, `run_phase1(task)`) with
no place for a context. Inside a run they find the run's own here; outside of one they get a fresh
context over a journal in memory, with the model that the settings name.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from proveout.kernel.context import Context

MAKER = "proveout.fresh:fresh_context"
"""Named, not imported: the kernel does not know who puts contexts together."""

_current: ContextVar[Context | None] = ContextVar("proveout_context", default=None)


@contextmanager
def using(context: Context) -> Iterator[Context]:
    """Make a context the one in force, for this thread or task."""
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)


def current(app: str) -> Context:
    """The context in force, or a fresh one for this app."""
    context = _current.get()
    if context is not None:
        return context
    module, _, name = MAKER.partition(":")
    return cast(Context, getattr(importlib.import_module(module), name)(app))
