"""The namespace layer: a root of its own in which only what was allowed exists, read-only.

The fork server enters once (`enter_root`); what is outside stays reachable for it under `OUTSIDE`.
Each script's keeper then copies the mounts, adds the work folder, and lets go of the outside.
"""

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from proveout.adapters.sandbox import system
from proveout.adapters.sandbox.landlock import DEVICES
from proveout.adapters.sandbox.orders import INPUT, MOST_FILES, PID_MAX, PRIVATE_PROC, Order

OUTSIDE = "/.outside"
SHARED_MEMORY, TEMPORARY_FOLDER = "/dev/shm", "/tmp"
_STAGES = ("/tmp", "/var", "/usr")
_TOP_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ALWAYS = system.CLONE_NEWNS | system.CLONE_NEWIPC | system.CLONE_NEWUTS
_LOWEST_PID_MAX = 301
"""The kernel's own; numbers below are not given out again once used."""


def leave_the_others(*, network: bool) -> None:
    """Own namespaces for this process (one thread only) and, for pids, its children."""
    flags = _ALWAYS | system.CLONE_NEWPID | (0 if network else system.CLONE_NEWNET)
    user, group = os.geteuid(), os.getegid()
    try:
        system.unshare(flags | system.CLONE_NEWUSER)
    except OSError:
        if user != 0:
            raise
        # Root may do without a user namespace.
        system.unshare(flags)
        return
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    with contextlib.suppress(OSError):
        # Of this namespace only: nobody in it makes another one.
        Path("/proc/sys/user/max_user_namespaces").write_text("0")


def enter_root(readable: Iterable[str]) -> None:
    """Make a root of the given paths and go there."""
    system.mount("none", "/", None, system.MS_REC | system.MS_PRIVATE)
    wanted = [*_outermost(readable), *DEVICES, "/proc"]
    trees = {path: system.copy_tree(os.path.realpath(path)) for path in wanted if _exists(path)}
    links = {path: str(Path(path).readlink()) for path in _TOP_LINKS if Path(path).is_symlink()}
    stage = next(path for path in _STAGES if Path(path).is_dir())
    flags = system.MS_NOSUID | system.MS_NODEV
    system.mount("tmpfs", stage, "tmpfs", flags, "mode=755")
    for path, tree in trees.items():
        _put(tree, stage + path)
        os.close(tree)
    for path, target in links.items():
        Path(stage + path).symlink_to(target)
    for path in (OUTSIDE, SHARED_MEMORY, TEMPORARY_FOLDER):
        Path(stage + path).mkdir(parents=True, exist_ok=True)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        Path(stage + "/dev", name).symlink_to(f"/proc/self/fd{target}")
    system.pivot_root(stage, stage + OUTSIDE)
    os.chdir("/")
    attributes = system.MOUNT_ATTR_RDONLY | system.MOUNT_ATTR_NOSUID
    system.change_mount("/", add=attributes, recursive=True)
    # Places for work folders are made in it later; each script's copy is closed again.
    system.change_mount("/", remove=system.MOUNT_ATTR_RDONLY)


def furnish(order: Order, readable: Iterable[str]) -> list[str]:
    """In a fresh copy of the mounts, add what one script works with; tells the layers gained."""
    system.unshare(system.CLONE_NEWNS | system.CLONE_NEWIPC)
    flags = system.MS_NOSUID | system.MS_NODEV
    size = max(order.memory_bytes // 2, 2**20)
    options = f"size={size},mode=1777,nr_inodes={MOST_FILES}"
    for place in (SHARED_MEMORY, TEMPORARY_FOLDER):
        system.mount("tmpfs", place, "tmpfs", flags, options)
    for path in readable:
        if path.startswith((f"{SHARED_MEMORY}/", f"{TEMPORARY_FOLDER}/")):
            # An interpreter may lie where scripts now have their own files.
            _bring_in(path, path)
    _bring_in(order.folder, order.folder, writable=True)
    for path in order.links:
        _bring_in(path, path)
    if order.data:
        _bring_in(order.data, order.place(INPUT))
    gained = _private_proc(order.processes)
    system.unmount(OUTSIDE)
    system.change_mount("/", add=system.MOUNT_ATTR_RDONLY)
    return gained


def _bring_in(path: str, target: str, *, writable: bool = False) -> None:
    tree = system.copy_tree(OUTSIDE + path)
    try:
        if writable:
            system.change_mount(tree, remove=system.MOUNT_ATTR_RDONLY)
        _put(tree, target)
    finally:
        os.close(tree)


def _private_proc(processes: int) -> list[str]:
    """A view of its own processes only, and a bound on their number that nothing can outrun."""
    try:
        system.mount("proc", "/proc", "proc", system.MS_NOSUID | system.MS_NODEV)
    except OSError:
        # Forbidden where parts of it are masked; the outer one remains, and others' secrets in it
        # are protected by the user namespace.
        return []
    gained = [PRIVATE_PROC]
    try:
        # Threads have numbers too. The exact count of processes is the supervisor's business.
        bound = _LOWEST_PID_MAX + 64 + 4 * processes
        Path("/proc/sys/kernel/pid_max").write_text(str(bound))
        gained.append(PID_MAX)
        # The low numbers count as used, so that the bound is as tight as it looks.
        Path("/proc/sys/kernel/ns_last_pid").write_text(str(_LOWEST_PID_MAX))
    except OSError:
        pass  # nosec: an older kernel; the supervisor's count and RLIMIT_NPROC remain
    system.change_mount("/proc", add=system.MOUNT_ATTR_RDONLY)
    return gained


def _put(tree: int, target: str) -> None:
    """Mount it there, on a place made for it if there is none."""
    place = Path(target)
    if not os.path.lexists(target):
        place.parent.mkdir(parents=True, exist_ok=True)
        if stat.S_ISDIR(os.fstat(tree).st_mode):
            place.mkdir()
        else:
            place.touch()
    system.put_tree(tree, target)


def _outermost(paths: Iterable[str]) -> list[str]:
    """Both names of each path (as given, without links), without those inside of another."""
    both = {name for path in paths for name in (str(Path(path)), os.path.realpath(path))}
    kept: list[str] = []
    for path in sorted(both - {"/"}):
        through_link = any(path == link or path.startswith(f"{link}/") for link in _links())
        if not through_link and not any(path.startswith(f"{one}/") for one in kept):
            kept.append(path)
    return kept


def _links() -> list[str]:
    return [path for path in _TOP_LINKS if Path(path).is_symlink()]


def _exists(path: str) -> bool:
    return os.access(path, os.F_OK)
