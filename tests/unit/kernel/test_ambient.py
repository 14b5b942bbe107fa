"""The context in force: the run's own inside a run, a fresh one outside."""

import threading

from proveout.kernel.ambient import current, using
from tests.workbench import Speaker, Workbench, replies


def test_the_context_in_force_is_found(bench: Workbench) -> None:
    outer = bench.begin(Speaker(replies("x")))
    inner = outer.branch("inner")
    with using(outer) as given:
        assert given is outer
        assert current("words") is outer
        with using(inner):
            assert current("words") is inner
        assert current("words") is outer


def test_outside_of_runs_there_is_a_fresh_one(bench: Workbench) -> None:
    with using(bench.begin(Speaker(replies("x")))) as ours:
        pass
    fresh = current("pattern")
    assert fresh is not ours
    assert fresh.app == "pattern"
    assert fresh.observe("size", lambda: 3) == 3


def test_threads_do_not_share_it(bench: Workbench) -> None:
    seen = []
    with using(bench.begin(Speaker(replies("x")))) as ours:
        thread = threading.Thread(target=lambda: seen.append(current("pattern")))
        thread.start()
        thread.join()
    assert seen[0] is not ours
