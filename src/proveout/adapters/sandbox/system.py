"""The system calls that Python has no function for, by ctypes. Failures are `OSError`."""

import contextlib
import ctypes
import os
import platform
from collections.abc import Sequence

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 0x4000, 1 << 18
MNT_DETACH = 2
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE, _OPEN_TREE_CLOEXEC = 1, os.O_CLOEXEC
_MOVE_FROM_EMPTY, _MOVE_TO_EMPTY = 0x4, 0x40
_CAPABILITY_VERSION = 0x20080522

# These have the same number on every architecture; `pivot_root` has not.
_OPEN_TREE, _MOVE_MOUNT, _CLOSE_RANGE, _MOUNT_SETATTR = 428, 429, 436, 442
_PIDFD_SIGNAL, _PIDFD_OPEN = 424, 434
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

_libc = ctypes.CDLL(None, use_errno=True)


def _done(name: str, result: int) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _syscall(name: str, number: int, *arguments: object) -> int:
    wide = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    result: int = _libc.syscall(ctypes.c_long(number), *wide)
    return _done(name, result)


def _text(value: str | None) -> ctypes.c_char_p:
    return ctypes.c_char_p(None if value is None else os.fsencode(value))


def unshare(flags: int) -> None:
    _done("unshare", _libc.unshare(ctypes.c_int(flags)))


def setns(descriptor: int, kind: int) -> None:
    _done("setns", _libc.setns(ctypes.c_int(descriptor), ctypes.c_int(kind)))


def prctl(option: int, argument: int = 0, more: int = 0) -> None:
    rest = [ctypes.c_ulong(one) for one in (argument, more, 0, 0)]
    _done("prctl", _libc.prctl(ctypes.c_int(option), *rest))


def mount(source: str, target: str, kind: str | None, flags: int = 0, options: str = "") -> None:
    words = [_text(source), _text(target), _text(kind)]
    result: int = _libc.mount(*words, ctypes.c_ulong(flags), _text(options))
    _done(f"mount {target}", result)


def unmount(target: str) -> None:
    _done(f"umount {target}", _libc.umount2(_text(target), ctypes.c_int(MNT_DETACH)))


def pivot_root(new: str, old: str) -> None:
    number = _PIVOT_ROOT.get(platform.machine())
    if number is None:
        message = f"pivot_root is not known on {platform.machine()}"
        raise OSError(message)
    _syscall("pivot_root", number, _text(new), _text(old))


def copy_tree(path: str) -> int:
    """A descriptor of a detached copy of the mounts at `path`, to be put elsewhere."""
    flags = _OPEN_TREE_CLONE | _OPEN_TREE_CLOEXEC | _AT_RECURSIVE
    return _syscall(f"open_tree {path}", _OPEN_TREE, _AT_FDCWD, _text(path), flags)


def put_tree(tree: int, target: str) -> None:
    """Mount a detached tree at `target`; a link there is not followed."""
    place = os.open(target, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        flags = _MOVE_FROM_EMPTY | _MOVE_TO_EMPTY
        _syscall(f"move_mount {target}", _MOVE_MOUNT, tree, _text(""), place, _text(""), flags)
    finally:
        os.close(place)


def change_mount(
    place: str | int, *, add: int = 0, remove: int = 0, recursive: bool = False
) -> None:
    """Add and remove attributes of the mount at a path or of a detached tree."""
    attributes = (ctypes.c_uint64 * 4)(add, remove, 0, 0)
    start, path = (place, "") if isinstance(place, int) else (_AT_FDCWD, place)
    flags = _AT_RECURSIVE if recursive else 0
    flags |= _AT_EMPTY_PATH if isinstance(place, int) else 0
    size = ctypes.sizeof(attributes)
    where = (start, _text(path), flags)
    _syscall("mount_setattr", _MOUNT_SETATTR, *where, ctypes.byref(attributes), size)


def hold_process(number: int) -> int:
    """A descriptor of a process, readable once it has ended. (Not every Python was built on a
    system that had it, so it is called here.)"""
    return _syscall("pidfd_open", _PIDFD_OPEN, number, 0)


def signal_process(descriptor: int, sign: int) -> None:
    _syscall("pidfd_send_signal", _PIDFD_SIGNAL, descriptor, sign, ctypes.c_void_p(None), 0)


def close_from(lowest: int) -> None:
    """Close every descriptor from `lowest` up."""
    try:
        _syscall("close_range", _CLOSE_RANGE, lowest, 2**31 - 1, 0)
    except OSError:
        os.closerange(lowest, 65536)


def drop_capabilities() -> None:
    """Give up every privilege of this process, and of whatever it will execute."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            # Beyond the last one, or without the right to: `no_new_privs` then does the same.
            break
    with contextlib.suppress(OSError):
        # Kernels before 4.3 have no ambient set.
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _done("capset", _libc.capset(ctypes.byref(header), ctypes.byref(nothing)))


def landlock_version() -> int:
    """The version of Landlock that the kernel has, 0 for none."""
    try:
        return _syscall("landlock", _LANDLOCK_CREATE, ctypes.c_void_p(None), 0, 1)
    except OSError:
        return 0


def landlock_ruleset(words: Sequence[int]) -> int:
    """A new ruleset that handles these rights (files, network, scopes)."""
    attributes = (ctypes.c_uint64 * len(words))(*words)
    size = ctypes.sizeof(attributes)
    return _syscall("landlock", _LANDLOCK_CREATE, ctypes.byref(attributes), size, 0)


def landlock_allow(ruleset: int, rights: int, descriptor: int) -> None:
    """Allow `rights` beneath an open path."""

    class Beneath(ctypes.Structure):
        _pack_ = 1
        _layout_ = "ms"
        _fields_ = (("rights", ctypes.c_uint64), ("descriptor", ctypes.c_int32))

    rule = Beneath(rights, descriptor)
    _syscall("landlock rule", _LANDLOCK_ADD, ruleset, 1, ctypes.byref(rule), 0)


def landlock_restrict(ruleset: int) -> None:
    _syscall("landlock", _LANDLOCK_RESTRICT, ruleset, 0)


def install_filter(program: bytes) -> None:
    """A seccomp program, as eight-byte instructions, for this process and all that follow."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("start", ctypes.c_void_p))

    instructions = ctypes.create_string_buffer(program, len(program))
    whole = Program(len(program) // 8, ctypes.cast(instructions, ctypes.c_void_p))
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(whole))
