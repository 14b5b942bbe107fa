"""Both ways to find the processes below one agree."""

import os
import subprocess
import sys

from proveout.adapters.sandbox import sweeping


def test_children_are_found_with_and_without_the_kernels_list() -> None:
    code = (
        "import subprocess, sys; subprocess.Popen(['sleep', '20']); print(1, flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        (grandchild,) = sweeping.descendants(child.pid)
        assert sweeping._scanned()[child.pid] == [grandchild]
        assert child.pid in sweeping._scanned()[os.getpid()]
        os.kill(grandchild, 9)


def test_nothing_is_below_a_process_that_is_not_there() -> None:
    assert sweeping.descendants(2**22 + 1) == []
