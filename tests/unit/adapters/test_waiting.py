"""Waiting for a coroutine from synchronous code: deadline, cancellation, nothing left behind."""

import asyncio
import gc
import os
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from proveout.adapters.models.waiting import wait
from proveout.kernel.errors import Interrupted, ModelBusy

NEVER = threading.Event()


async def soon(value: int, seconds: float = 0.0) -> int:
    await asyncio.sleep(seconds)
    return value


async def failing() -> int:
    await asyncio.sleep(0)
    message = "broken"
    raise LookupError(message)


def test_the_result_is_returned() -> None:
    assert wait(soon(3), timeout_seconds=5, cancel=NEVER) == 3


def test_an_error_is_passed_on() -> None:
    with pytest.raises(LookupError, match="broken"):
        wait(failing(), timeout_seconds=5, cancel=NEVER)


def test_too_long_is_busy() -> None:
    started = time.monotonic()
    with pytest.raises(ModelBusy, match=r"no answer within 0\.1 s"):
        wait(soon(3, 30), timeout_seconds=0.1, cancel=NEVER)
    assert time.monotonic() - started < 3


def test_no_time_at_all_is_busy() -> None:
    with pytest.raises(ModelBusy):
        wait(soon(3, 30), timeout_seconds=0, cancel=NEVER)


def test_a_cancelled_run_ends_the_wait() -> None:
    cancel = threading.Event()
    timer = threading.Timer(0.1, cancel.set)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Interrupted):
        wait(soon(3, 30), timeout_seconds=60, cancel=cancel)
    assert time.monotonic() - started < 3
    timer.join()


def test_after_cancellation_nothing_is_begun() -> None:
    begun: list[int] = []

    async def begin() -> None:
        begun.append(1)

    cancel = threading.Event()
    cancel.set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Interrupted):
            wait(begin(), timeout_seconds=5, cancel=cancel)
        gc.collect()
    assert begun == []


def test_a_result_that_arrived_is_kept_even_when_cancelled_meanwhile() -> None:
    cancel = threading.Event()

    async def cancelling() -> int:
        cancel.set()
        return 7

    assert wait(cancelling(), timeout_seconds=5, cancel=cancel) == 7


def test_a_call_may_tidy_up() -> None:
    tidied: list[str] = []

    async def careful() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(0.05)
            tidied.append("closed")

    with pytest.raises(ModelBusy):
        wait(careful(), timeout_seconds=0.05, cancel=NEVER)
    assert tidied == ["closed"]


def test_an_error_while_tidying_up_does_not_hide_the_time_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def clumsy() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            message = "dropped it"
            raise LookupError(message)

    with pytest.raises(ModelBusy):
        wait(clumsy(), timeout_seconds=0.05, cancel=NEVER)
    gc.collect()
    assert caplog.records == []


def test_a_client_that_gives_up_by_itself_is_busy() -> None:
    async def quitting() -> None:
        raise asyncio.CancelledError

    with pytest.raises(ModelBusy, match="gave the call up"):
        wait(quitting(), timeout_seconds=5, cancel=NEVER)


def test_forgotten_tasks_end_with_the_call() -> None:
    ended: list[str] = []

    async def background() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append("background")

    async def forgetful() -> int:
        task = asyncio.get_running_loop().create_task(background())
        await asyncio.sleep(0)
        assert not task.done()
        return 1

    assert wait(forgetful(), timeout_seconds=5, cancel=NEVER) == 1
    assert ended == ["background"]


def test_many_threads_wait_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        waits = [
            pool.submit(wait, soon(n, 0.1), timeout_seconds=30, cancel=NEVER) for n in range(16)
        ]
        assert [each.result() for each in waits] == list(range(16))


def test_it_works_inside_a_running_loop() -> None:
    async def notebook() -> int:
        with pytest.raises(ModelBusy):
            wait(soon(1, 30), timeout_seconds=0.05, cancel=NEVER)
        return wait(soon(5), timeout_seconds=5, cancel=NEVER)

    assert asyncio.run(notebook()) == 5


def test_no_thread_loop_or_descriptor_remains() -> None:
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("descriptors are counted in /proc")

    async def resolving() -> int:
        # A thread of the loop's own pool, as looking up a host name takes one.
        return await asyncio.to_thread(os.getpid)

    wait(resolving(), timeout_seconds=5, cancel=NEVER)
    threads, descriptors = threading.active_count(), len(list(folder.iterdir()))
    for _ in range(5):
        wait(resolving(), timeout_seconds=5, cancel=NEVER)
        with pytest.raises(ModelBusy):
            wait(soon(1, 30), timeout_seconds=0.01, cancel=NEVER)
    assert threading.active_count() == threads
    assert len(list(folder.iterdir())) == descriptors
