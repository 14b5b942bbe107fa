"""Where the specified functions find their model: in the context in force, or in `backend=`.

await check_and_fix_leakage(solution)                      # the run's own, or the settings'
await check_and_fix_leakage(solution, backend=my_model)
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from proveout.kernel.ambient import current, using
from proveout.kernel.context import Context
from proveout.kernel.ports import Model
from proveout.kernel.proposer import ReturnT, Role
from proveout.kernel.types import Malformed

logger = logging.getLogger(__name__)
Backend = Context | Model


@contextmanager
def in_force(backend: Backend | None = None) -> Iterator[Context]:
    """The context to work in; nested calls find the same one."""
    context = backend if isinstance(backend, Context) else current("mle")
    if backend is not None and not isinstance(backend, Context):
        model: Model = backend
        context = replace(context, ports=replace(context.ports, model_for=lambda _role: model))
    with using(context):
        yield context


async def ask(role: Role[ReturnT], **variables: Any) -> ReturnT | None:
    """The role's answer, or None where it could not be read even when asked again.

    The question is put in a thread: paths that are refined side by side must not wait in turn.
    """
    context = current("mle")

    def put() -> ReturnT | Malformed:
        return context.ask(role, **variables)

    answer = await asyncio.to_thread(put)
    if isinstance(answer, Malformed):
        logger.warning("%s: no usable answer (%s)", role.name, answer.problem or answer.reason)
        return None
    return answer
