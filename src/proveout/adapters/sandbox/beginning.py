"""From a fresh fork to a script: prepares its place, gives up everything, begins.

The process is the first of its own pid namespace, so that the kernel ends whatever it started when
it ends. Without namespaces it adopts its orphans, and the fork server ends those it leaves.
"""

import json
import os
import signal
import socket
from typing import NoReturn

from proveout.adapters.sandbox import running, system
from proveout.adapters.sandbox.confinement import confine
from proveout.adapters.sandbox.orders import NAMESPACES, Order, Plan
from proveout.adapters.sandbox.rooms import furnish

HELLO, GO = b"here", b"go"


def become_script(plan: Plan, order: Order, descriptors: list[int], *, apart: bool) -> NoReturn:
    """Never returns. Descriptors: standard output, standard error, source, line to the supervisor.

    The line is ours alone: it is closed before the first foreign instruction.
    """
    output, errors, source, number = descriptors
    line = socket.socket(fileno=number)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        line.send(HELLO)
        if apart:
            gained = [NAMESPACES, *furnish(order, plan.readable)]
        else:
            system.prctl(system.PR_SET_CHILD_SUBREAPER, 1)
            gained = []
        if line.recv(16) != GO:
            os._exit(1)
        with os.fdopen(source, "rb") as file:
            text = file.read()
        line = _rearrange(output, errors, line)
        running.move_in(order)
        layers = confine(plan, order, gained)
        line.send(json.dumps({"layers": layers}).encode())
        line.close()
    except OSError as error:
        _complain(line, error)
    running.speak()
    running.seed(order.seed)
    os._exit(running.perform(order, text))


def _rearrange(output: int, errors: int, line: socket.socket) -> socket.socket:
    """A session of its own, and no descriptor but the standard three and the line."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    kept = os.dup(line.detach())
    for number, descriptor in enumerate((nothing, output, errors)):
        os.dup2(descriptor, number)
    os.dup2(kept, 3)
    system.close_from(4)
    return socket.socket(fileno=3)


def _complain(line: socket.socket, error: OSError) -> NoReturn:
    try:
        line.send(json.dumps({"failed": str(error)}).encode())
    finally:
        os._exit(1)
