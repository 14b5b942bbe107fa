"""A person steps in: what is wanted is written down where it is read, and holds from there on."""

import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.candidate import Candidate, Circumstances, Measured, Tried
from proveout.apps.mle.search.person import PAUSE, block_names, listen, step_in, tell_unknown
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.task import MleTask
from proveout.kernel.context import Context
from proveout.kernel.errors import Interrupted, UnknownName
from proveout.kernel.events import Event, Note
from tests.workbench import Speaker, Workbench, replies

PROBLEM = Problem(
    name="boats", kind="regression", metric="rmse", direction="minimize", targets=("y",)
)
MARKED = "import os\n\n# == load ==\nx = 1\n\n# == model:tree ==\ny = 2\n"
PLAIN = "import os\n\ndef weigh(rows):\n    return rows\n\nprint(weigh([]))\n"


def searching(context: Context, **wanted: str) -> Search:
    return Search(
        task=MleTask(folder="boats"),
        context=context,
        problem=PROBLEM,
        work="work",
        seconds=100.0,
        wanted=dict(wanted),
    )


def pins(search: Search, points: int) -> list[str]:
    """What is pinned after each of some pause points."""
    found = []
    for _ in range(points):
        step_in(search)
        found.append(search.task.pin)
    return found


def test_points_that_were_passed_stand(bench: Workbench) -> None:
    """Killed, and resumed with something else: that holds from where nobody had read before."""
    assert pins(searching(bench.begin(OfflineModel()), pin="load"), 2) == ["load", "load"]
    again = searching(bench.resume(OfflineModel()), pin="model")
    assert pins(again, 4) == ["load", "load", "model", "model"]
    assert pins(searching(bench.resume(OfflineModel())), 4) == ["load", "load", "model", "model"]
    replayed = searching(bench.replay(), pin="whatever")
    assert pins(replayed, 4) == ["load", "load", "model", "model"]


def test_a_pause_point_is_paused_at_once(bench: Workbench) -> None:
    """Whoever watches stops the run there; when it goes on, it gets to the next one."""
    seen: list[str] = []

    def watch(event: Event) -> None:
        if event.key.startswith(f"@{PAUSE}"):
            seen.append(event.key)
            bench.cancel.set()

    for session in range(3):
        begin = bench.resume if session else bench.begin
        search = searching(begin(OfflineModel(), watch=watch), pin=f"{session}")
        bench.cancel.clear()
        with pytest.raises(Interrupted):
            pins(search, 4)
    assert seen == ["@pause", "@pause~2", "@pause~3"]
    bench.cancel.clear()
    assert pins(searching(bench.resume(OfflineModel()), pin="end"), 4) == ["1", "2", "end", "end"]


def test_a_card_that_nobody_knows_is_not_written_down(bench: Workbench) -> None:
    wrong = searching(bench.begin(OfflineModel()), card="no such card")
    with pytest.raises(UnknownName, match="no such card"):
        listen(wrong)
    right = searching(bench.resume(OfflineModel()), card="linear")
    assert listen(right)
    assert right.task.card == "linear"


def test_a_model_may_know_what_experts_do_not(bench: Workbench) -> None:
    search = searching(bench.begin(Speaker(replies("said"))), card="TabPFN")
    assert listen(search)
    assert not listen(search)


def test_blocks_have_names() -> None:
    assert block_names([MARKED, MARKED, PLAIN]) == ["load", "model:tree", "def weigh(rows):"]
    assert block_names([]) == []


def test_a_block_that_is_nowhere_is_told(bench: Workbench) -> None:
    seen: list[Event] = []
    search = searching(bench.begin(OfflineModel(), watch=seen.append))
    search.task = search.task.model_copy(update={"pin": "modle", "forbid": "load"})
    tell_unknown(search)
    search.attempts.append(
        Tried(
            key="first-00#0",
            candidate=Candidate(source=MARKED, origin="init:tree"),
            measured=Measured(score=0.5),
            circumstances=Circumstances(seconds=1.0),
            accepted=True,
        )
    )
    tell_unknown(search)
    notes = [it.text for it in seen if isinstance(it, Note)]
    assert notes == ["no block is called 'modle'; there are: load, model:tree"]
