"""What a script's process gives up, in order, before the first line that is not ours."""

import os
import resource
import signal

from proveout.adapters.sandbox import landlock, seccomp, system
from proveout.adapters.sandbox.orders import LANDLOCK, NAMESPACES, SECCOMP, Order, Plan
from proveout.adapters.sandbox.rooms import SHARED_MEMORY, TEMPORARY_FOLDER

_OPEN_FILES = 4096
_SPARE_BYTES = 2**30


def confine(plan: Plan, order: Order, gained: list[str]) -> list[str]:
    """Apply every layer that there is; tells which, together with those of the keeper."""
    apart = NAMESPACES in gained
    layers = list(gained)
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    _bound(plan, order, apart=apart)
    system.drop_capabilities()
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if LANDLOCK not in plan.without:
        readable = [*plan.readable, "/proc", *order.links, *([order.data] if order.data else [])]
        writable = [order.folder, *((SHARED_MEMORY, TEMPORARY_FOLDER) if apart else ())]
        if apart and order.data:
            # The data is mounted inside of the folder, read-only; the rule is for its own name.
            readable.append(order.place("input"))
        version = landlock.restrict(readable, writable, network=plan.network)
        if version:
            layers += [LANDLOCK, f"{LANDLOCK}-{version}"]
    program = seccomp.program(network=plan.network, sockets_hidden=apart)
    if program is not None and SECCOMP not in plan.without:
        try:
            system.install_filter(program)
            layers.append(SECCOMP)
        except OSError:
            pass  # nosec: not listed, so not promised
    missing = set(order.layers) - set(layers)
    if missing:
        message = f"could not be applied this time: {', '.join(sorted(missing))}"
        raise OSError(message)
    return layers


def _bound(plan: Plan, order: Order, *, apart: bool) -> None:
    """Limits of single processes. Of address space there is none: libraries reserve far more than
    they use, so the supervisor measures instead."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, order.disk_bytes)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_DATA, 2 * order.memory_bytes + _SPARE_BYTES)
    if plan.most_tasks and not apart and os.geteuid() != 0:
        _limit(resource.RLIMIT_NPROC, plan.most_tasks + order.processes)


def _limit(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (bound, bound))
