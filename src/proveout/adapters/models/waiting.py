"""Waiting for one asynchronous client call from synchronous code.

The kernel has one colour of function; several provider packages have only the other. Each call gets
an event loop of its own, in the calling thread, that ends with the call: nothing is shared between
threads, so nothing can be left behind or waited for in the wrong place.
"""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from proveout.kernel.errors import Interrupted, ModelBusy
from proveout.kernel.ports import Cancel

T = TypeVar("T")

POLL_SECONDS = 0.05
"""How late a cancellation may be noticed. Polling needs no second thread."""
GRACE_SECONDS = 5.0
"""How long a cancelled call may tidy up before it is cancelled again."""


def wait(coroutine: Coroutine[Any, Any, T], *, timeout_seconds: float, cancel: Cancel) -> T:
    """The coroutine's result; `ModelBusy` when it takes too long, `Interrupted` when cancelled."""
    watched = _watched(coroutine, timeout_seconds, cancel)
    if _a_loop_is_running():
        return _in_a_thread(watched)
    return _in_a_loop(watched)


async def _watched(coroutine: Coroutine[Any, Any, T], timeout_seconds: float, cancel: Cancel) -> T:
    if cancel.is_set():
        coroutine.close()
        raise Interrupted
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_seconds
    task = loop.create_task(coroutine)
    try:
        while not task.done():
            left = deadline - loop.time()
            if left <= 0:
                message = f"no answer within {timeout_seconds:g} s"
                raise ModelBusy(message, hint="raise the time limit or try again later")
            await asyncio.wait({task}, timeout=min(left, POLL_SECONDS))
            if cancel.is_set() and not task.done():
                raise Interrupted
        return _outcome(task)
    finally:
        await _ended(task)


def _outcome(task: asyncio.Task[T]) -> T:
    if task.cancelled():
        message = "the client gave the call up by itself"
        raise ModelBusy(message)
    return task.result()


async def _ended(task: asyncio.Task[T]) -> None:
    """A second cancellation reaches clean-ups that themselves wait for a silent provider."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE_SECONDS)
    if not task.cancelled():
        # Retrieved, so that asyncio does not report it as forgotten.
        task.exception()


def _in_a_loop(watched: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner() as runner:
        return runner.run(watched)


def _a_loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _in_a_thread(watched: Coroutine[Any, Any, T]) -> T:
    """Notebooks call from inside their own loop, which cannot be entered twice in one thread."""
    with ThreadPoolExecutor(1, thread_name_prefix="proveout-waiting") as pool:
        return pool.submit(_in_a_loop, watched).result()
