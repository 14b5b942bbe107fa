"""The system-call filter, as a small BPF program.

A list of what no training script needs and every escape does: other processes' memory, namespaces,
mounts, kernel modules, io_uring (which would walk around the filter), and sockets other than unix.
"""

import errno
import platform
import struct
from dataclasses import dataclass

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_NEW_NAMESPACES = 0x7E020000
_UNIX, _DATAGRAM = 1, 2
_SET_DUMPABLE = 4
_FOREIGN_NUMBERS = 0x40000000
"""Where the second numbering of x86-64 begins."""

_CLONE3 = 435
# The same everywhere: io_uring (three), open_tree to fspick, mount_setattr, pidfd_getfd,
# process_madvise.
_SHARED = (425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 438, 440)


@dataclass(frozen=True)
class _Calls:
    """Numbers of one architecture."""

    audit: int
    denied: tuple[int, ...]
    clone: int
    prctl: int
    socket: int
    socketpair: int
    connect: int
    sendto: int


# In this order: ptrace, process_vm_readv and writev, unshare, setns, mount, umount2, pivot_root,
# chroot, bpf, perf_event_open, add_key, request_key, keyctl, userfaultfd, kexec_load, _file_load,
# init_, delete_ and finit_module, personality, quotactl, swapon, swapoff, reboot, acct, kcmp,
# name_to_ and open_by_handle_at, settimeofday, clock_settime.
_X86 = _Calls(
    audit=0xC000003E,
    denied=(
        *(101, 310, 311, 272, 308, 165, 166, 155, 161, 321, 298, 248, 249, 250, 323, 246, 320),
        *(175, 176, 313, 135, 179, 167, 168, 169, 163, 312, 303, 304, 164, 227),
        # iopl, ioperm, modify_ldt
        *(172, 173, 154),
    ),
    clone=56,
    prctl=157,
    socket=41,
    socketpair=53,
    connect=42,
    sendto=44,
)
_ARM = _Calls(
    audit=0xC00000B7,
    denied=(
        *(117, 270, 271, 97, 268, 40, 39, 41, 51, 280, 241, 217, 218, 219, 282, 104, 294),
        *(105, 106, 273, 92, 60, 224, 225, 142, 89, 272, 264, 265, 170, 112),
    ),
    clone=220,
    prctl=167,
    socket=198,
    socketpair=199,
    connect=203,
    sendto=206,
)
_MACHINES = {"x86_64": _X86, "aarch64": _ARM}


def program(*, network: bool, sockets_hidden: bool) -> bytes | None:
    """The filter, or None where the machine's numbers are not known.

    Where foreign unix sockets are out of sight anyway, a script may connect to its own.
    """
    calls = _MACHINES.get(platform.machine())
    if calls is None:
        return None
    lines = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, calls.audit, 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_ABOVE, _FOREIGN_NUMBERS, 0, 1),
        _step(_RETURN, _KILL),
        *_deny(_CLONE3, errno.ENOSYS),
    ]
    for number in (*calls.denied, *_SHARED):
        lines += _deny(number, errno.EPERM)
    lines += _deny_if(calls.clone, 0, _ANY_BIT, _NEW_NAMESPACES)
    lines += _deny_if(calls.prctl, 0, _EQUAL, _SET_DUMPABLE)
    if not network:
        lines += _deny_unless(calls.socket, 0, _UNIX)
        lines += _deny_unless(calls.socketpair, 0, _UNIX)
    if not (network or sockets_hidden):
        lines += _deny(calls.connect, errno.EPERM)
        lines += _deny_if(calls.sendto, 4, _ABOVE, 1)
        for number in (calls.socket, calls.socketpair):
            lines += _deny_if(number, 1, _EQUAL, _DATAGRAM, mask=0xF)
    lines.append(_step(_RETURN, _ALLOW))
    return b"".join(lines)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _deny(number: int, error: int) -> list[bytes]:
    return [_step(_EQUAL, number, 0, 1), _step(_RETURN, _FAIL | error)]


def _deny_if(
    number: int, argument: int, test: int, value: int, *, mask: int = 0xFFFFFFFF
) -> list[bytes]:
    """Deny a call whose argument's lower half passes the test."""
    body = [
        _step(_LOAD, _ARGUMENTS + 8 * argument),
        _step(_AND, mask),
        _step(test, value, 0, 1),
        _step(_RETURN, _FAIL | errno.EPERM),
        _step(_LOAD, _NUMBER),
    ]
    return [_step(_EQUAL, number, 0, len(body)), *body]


def _deny_unless(number: int, argument: int, value: int) -> list[bytes]:
    body = [
        _step(_LOAD, _ARGUMENTS + 8 * argument),
        _step(_EQUAL, value, 1, 0),
        _step(_RETURN, _FAIL | errno.EPERM),
        _step(_LOAD, _NUMBER),
    ]
    return [_step(_EQUAL, number, 0, len(body)), *body]
