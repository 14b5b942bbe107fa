"""What crosses a port says what it means and can travel."""

import pickle

import pytest

from proveout.kernel.ports import ScriptJob, ScriptLimits, ScriptRun


@pytest.mark.parametrize(
    ("ended_by", "timed_out"), [("", False), ("seconds", True), ("memory", False)]
)
def test_only_the_clock_times_a_script_out(ended_by: str, timed_out: bool) -> None:
    assert ScriptRun(exit_code=-1, ended_by=ended_by).timed_out is timed_out


def test_a_script_can_travel_to_another_process() -> None:
    job = ScriptJob(source="1", folder="/f", limits=ScriptLimits(seconds=1), seed=3)
    assert pickle.loads(pickle.dumps(job)) == job
