"""Circumstances are written down like evidence, but no verdict rests on them."""

import json
from itertools import count

import pytest
from pydantic import JsonValue

from proveout.kernel.budget import Elapsed
from proveout.kernel.events import Note
from proveout.kernel.judging import JudgeWork, Observations, judge_elsewhere
from proveout.kernel.ports import Checked, Surroundings
from proveout.kernel.record import LiveRecord, ReplayRecord
from proveout.kernel.types import Frozen, Task
from tests.workbench import STARTED, Workbench

NUMBERS = count(1)


class Nothing(Frozen):
    """A proposal about nothing."""


def timed(task: Task, proposal: Nothing, around: Surroundings) -> Checked:
    del task, proposal
    seconds: JsonValue = around.observe("seconds", lambda: next(NUMBERS), counts=False)
    assert around.observe("seconds", lambda: "never", counts=False) == seconds
    around.observe("answer", lambda: 42)
    return Checked(score=1.0)


@pytest.fixture
def record(bench: Workbench) -> LiveRecord:
    elapsed = Elapsed(bench.clock.monotonic)
    made = LiveRecord(bench.journal(), "run", clock=bench.clock, elapsed=elapsed)
    made.open(STARTED)
    return made


def test_circumstances_are_no_evidence_but_can_be_read(record: LiveRecord) -> None:
    around = Observations(record, "a#0")
    timed(Task(), Nothing(), around)
    assert [json.loads(record.get(name)) for name in around.evidence] == [42]
    assert json.loads(record.observed("a#0:seconds") or b"") >= 1
    assert record.observed("a#0:nobody looked") is None


def test_the_same_from_an_engine(record: LiveRecord, bench: Workbench) -> None:
    judged = judge_elsewhere(JudgeWork(Task(), Nothing(), (timed,)))
    verdict = judged.enter(record, "b#0")
    assert [json.loads(record.get(name)) for name in verdict.evidence] == [42]
    seen = record.observed("b#0:seconds")
    assert seen is not None
    record.append(Note(key="!", text="to disk"), durable=True)
    replay = ReplayRecord(bench.journal(), "run", Elapsed(bench.clock.monotonic, virtual=True))
    assert replay.observed("b#0:seconds") == seen
    assert replay.observed("b#0:nobody looked") is None
