"""The Landlock layer: which files a script may touch, and whom it may signal.

What the kernel's version cannot express is left out, never claimed: versions before 4 know no
network rules, versions before 6 no signals, and none so far denies UDP or unix sockets by path.
"""

import os
import stat
from collections.abc import Iterable, Sequence

from proveout.adapters.sandbox import system

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_ALL_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many of the file rights each version knows; later ones know as many as the last."""
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_NETWORK = 0b11
_SCOPES = 0b11
FIRST_WITH_NETWORK, FIRST_WITH_SIGNALS = 4, 6

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def restrict(readable: Iterable[str], writable: Sequence[str], *, network: bool) -> int:
    """Confine this process for ever; gives the version used, 0 if the kernel has none."""
    version = system.landlock_version()
    if version == 0:
        return 0
    known = (1 << _ALL_RIGHTS.get(version, 16)) - 1
    words = [known]
    if version >= FIRST_WITH_NETWORK:
        words.append(0 if network else _NETWORK)
    if version >= FIRST_WITH_SIGNALS:
        words.append(_SCOPES)
    ruleset = system.landlock_ruleset(words)
    for path in readable:
        _allow(ruleset, path, (_EXECUTE | _READ | _LIST) & known)
    for path in DEVICES:
        _allow(ruleset, path, (_READ | _WRITE | _TRUNCATE | _IOCTL) & known)
    for path in writable:
        _allow(ruleset, path, known)
    system.landlock_restrict(ruleset)
    os.close(ruleset)
    return version


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        # What is not there needs no rule.
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        system.landlock_allow(ruleset, rights, place)
    finally:
        os.close(place)
