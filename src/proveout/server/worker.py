"""A child process that carries out one order at a time.

It is warm: the apps are imported once. It ends when the server ends, however that ends: the pipe
closes, and the kernel is told to kill it when its parent is gone.
"""

import contextlib
import ctypes
import importlib
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection

from proveout import apps
from proveout.kernel.app import App
from proveout.kernel.errors import Interrupted, ProveoutError
from proveout.kernel.events import Event, RunResumed, RunStarted
from proveout.runtime import Workspace
from proveout.server.calls import TRIALS
from proveout.server.orders import Begun, Done, Failed, Message, Order, Ready, Stop
from proveout.watching import Watch

PR_SET_PDEATHSIG = 1
INTERRUPTED = "interrupted"
"""The code of a run that was asked to stop."""


class Worker:
    """Reads orders in one thread, carries them out in another, so that it can be stopped."""

    def __init__(self, connection: Connection, warm: Sequence[str] = ()) -> None:
        self._connection = connection
        self._warm = warm
        """Apps to load while there is nothing to do."""
        self._orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
        self._sending = threading.Lock()
        self._cancel = threading.Event()
        """The one of the run that is going on."""
        self._stopped: set[str] = set()
        """Runs that were stopped, perhaps before they began."""
        self._lock = threading.Lock()

    def work(self) -> None:
        """Until the server is gone."""
        threading.Thread(target=self._listen, daemon=True, name="orders").start()
        self._send(Ready())
        unloaded = [apps.find(name) for name in self._warm]
        while True:
            try:
                order = self._orders.get(block=not unloaded)
            except queue.Empty:
                warm(unloaded.pop(0))
                continue
            self._send(self._carried_out(order))

    def _listen(self) -> None:
        while True:
            try:
                told = self._connection.recv()
            except (EOFError, OSError):
                # Nobody is left to work for. What is written is written; the rest can be resumed.
                os._exit(0)
            if isinstance(told, Order):
                with self._lock:
                    # Whatever stopped the run before is over: it was ordered anew.
                    self._stopped.discard(told.run)
                self._orders.put(told)
            elif isinstance(told, Stop):
                with self._lock:
                    self._stopped.add(told.run)
                    self._cancel.set()

    def _send(self, message: Message) -> None:
        with self._sending:
            try:
                self._connection.send(message)
            except OSError:
                os._exit(0)

    def _carried_out(self, order: Order) -> Message:
        try:
            return Done(order.run, self._value(order))
        except (Interrupted, KeyboardInterrupt):
            return Failed(order.run, INTERRUPTED, "the run was asked to stop", "resume it")
        except ProveoutError as error:
            return Failed.by(order.run, error)
        except Exception as error:  # noqa: BLE001 - one bad run must not end a warm process
            # Its words may quote anything: they go to the server's log, not to a caller.
            traceback.print_exc()
            message = f"internal error: {type(error).__name__}"
            hint = "this is a defect; the server's log says more"
            return Failed(order.run, "internal", message, hint)

    def _value(self, order: Order) -> object:
        if order.kind == "call":
            return _named(order.function)(**order.fields)
        with Workspace(order.loaded, readonly=order.kind == "replay") as opened:
            with self._lock:
                self._cancel = opened.cancel
                if order.run in self._stopped:
                    raise Interrupted
            if order.kind == "replay":
                return opened.replay(order.run)
            if order.kind == "start":
                app = apps.find(order.app)
                task = opened.task(app, order.fields)
                if order.before:
                    # What is wrong with a task's files is told before a run is left behind.
                    _named(order.before)(task)
                run = opened.start(
                    app, task, seed=order.seed, run=order.run, watch=self._watch(order.run)
                )
            else:
                budget = opened.settings.budget
                run = opened.resume(order.run, budget=budget, watch=self._watch(order.run))
            return run.outcome

    def _watch(self, run: str) -> Watch:
        def watch(event: Event) -> None:
            if isinstance(event, (RunStarted, RunResumed)):
                self._send(Begun(run))

        return watch


def warm(app: App) -> None:
    """Import what its runs need, so that the first of them does not wait."""
    # What is missing or broken is told to whoever wants to use the app.
    with contextlib.suppress(ProveoutError, ImportError, OSError):
        app.load(app.flow)
        app.load(app.task)
        TRIALS.get(app.name, _nothing)()


def _nothing() -> None:
    """For apps that are ready once they are loaded."""


def _named(dotted: str) -> Callable[..., object]:
    module, _, name = dotted.partition(":")
    found: Callable[..., object] = getattr(importlib.import_module(module), name)
    return found


def _die_with_parent(parent: int) -> None:
    """A pipe that closes is not enough for a process that is busy in one long call."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def main() -> None:
    """`python -m proveout.server.worker FD PARENT APP…`: serve the pipe that was handed down."""
    descriptor, parent = int(sys.argv[1]), int(sys.argv[2])
    _die_with_parent(parent)
    # The server decides when its workers stop, not whoever presses Ctrl-C at its terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Worker(Connection(descriptor), sys.argv[3:]).work()


if __name__ == "__main__":
    main()
