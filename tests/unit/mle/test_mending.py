"""Scripts that failed: who is asked about them, and when nobody is asked again."""

from pathlib import Path

from proveout.apps.mle.problem import Problem
from proveout.apps.mle.scripts.candidate import Candidate, Circumstances, Measured, Tried
from proveout.apps.mle.search.mending import mend
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.task import MleTask
from tests.unit.mle.spec_kit import stage
from tests.workbench import Workbench

PROBLEM = Problem(
    name="boats", kind="regression", metric="rmse", direction="minimize", targets=("y",)
)


def failed(key: str, complaint: str) -> Tried:
    return Tried(
        key=f"{key}#0",
        candidate=Candidate(source=f"{key} = 1", origin=f"init:{key}"),
        measured=Measured(exit_code=1),
        circumstances=Circumstances(seconds=0.1, stderr=f"Traceback\n{complaint}\n"),
        accepted=False,
        findings=("mle.script.failed",),
    )


def test_what_nobody_can_mend_is_asked_once_for_each_reason(
    bench: Workbench, tmp_path: Path
) -> None:
    made = [
        failed("a", "TypeError: '<' not supported"),
        failed("b", "TypeError: '<' not supported"),
        failed("c", "KeyError: 'x'"),
    ]
    unchanged = [f"```python\n{made[at].candidate.source}\n```" for at in (0, 2)]
    on = stage(bench, tmp_path, debugger=unchanged)
    search = Search(
        task=MleTask(folder=str(tmp_path)),
        context=on.context,
        problem=PROBLEM,
        work=str(tmp_path),
        seconds=100.0,
        attempts=list(made),
    )
    mend(search, made, 10.0)
    assert on.counts["debugger"] == 2
    assert search.attempts == made
