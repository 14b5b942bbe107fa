"""The regression gate: recorded tasks solved again, without the API, with other experience in hand.

Each task is an ordinary run in a journal of its own, so proposer, prompts and experience work as
they do in life; only the API answers from the recording.
"""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from proveout.adapters.engine.local import open_engine
from proveout.apps.solver.cases import Case, digest_of
from proveout.cli.solver_session import Fields
from proveout.kernel.app import App
from proveout.kernel.context import Context
from proveout.kernel.errors import ProveoutError
from proveout.kernel.events import LessonLearned
from proveout.kernel.lessons import Patch
from proveout.kernel.types import Outcome, Task

SECONDS_PER_CASE = 300.0
NOWHERE = "http://127.0.0.1/recorded"
"""The address of a task whose API is a file."""
Ending = Literal["same", "changed", "stale"]
"""Stale: the recording does not hold what is asked for now."""


class Teaching(Task):
    """Patches that go into the experience of the solver."""

    patches: tuple[Patch, ...] = ()
    summary: str = ""


TEACH = App(
    name="improve",
    summary="Puts patches into the experience of the solver.",
    task="proveout.cli.solver_gate:Teaching",
    flow="proveout.cli.solver_gate:teach",
)
"""A run like any other in the journal; it is started by `solver improve` only."""


def teach(task: Teaching, context: Context) -> Outcome:
    """Every patch becomes an event: later runs find it where they find all experience."""
    for patch in task.patches:
        context.record.append(LessonLearned(key=patch.signature, app="solver", patch=patch))
    return Outcome(accepted=True, summary=task.summary or f"{len(task.patches)} patches")


class Trial(NamedTuple):
    """One recorded task, as it travels to a worker."""

    folder: str
    text: str
    profile: str
    patches: tuple[Patch, ...]
    flags: Fields


class Replayed(NamedTuple):
    """What solving a case again came to."""

    digest: str = ""
    outcome: str = ""
    problem: str = ""


def replay_case(trial: Trial) -> Replayed:
    """Solve a recorded task with these patches, and nothing else, as experience."""
    from proveout import apps
    from proveout.runtime import Workspace
    from proveout.settings import load

    app = apps.find("solver")
    fields = {
        "text": trial.text,
        "task_url": NOWHERE,
        "profile": trial.profile,
        "exchanges_from": trial.folder,
    }
    with TemporaryDirectory(prefix="proveout-gate-") as place:
        own = {"journal.path": str(Path(place) / "journal.db"), "experience.scope": "all"}
        try:
            with Workspace(load({**trial.flags, **own})) as opened:
                if trial.patches:
                    opened.start(TEACH, Teaching(patches=trial.patches))
                run = opened.start(app, opened.task(app, fields))
        except ProveoutError as error:
            return Replayed(problem=error.code)
    answer = run.outcome.answer if run.outcome else None
    told: Fields = answer if isinstance(answer, dict) else {}
    response: Fields = told.get("response") or {}
    return Replayed(digest_of(told), str(response.get("outcome", "")))


class Gate:
    """Solves cases again; `workers` of them at a time."""

    def __init__(self, flags: Fields, workers: int = 1) -> None:
        self._flags = flags
        self._workers = workers

    def replayed(
        self, cases: Mapping[Path, Case], patches: Sequence[Patch] = ()
    ) -> dict[Path, Replayed]:
        trials = [
            Trial(str(folder), case.text, case.profile, tuple(patches), self._flags)
            for folder, case in cases.items()
        ]
        # In processes of their own even one at a time: only those can be ended when they hang.
        engine = open_engine("processes", self._workers)
        found: dict[int, Replayed] = {}
        try:
            for done in engine.run(
                replay_case, trials, timeout_seconds=SECONDS_PER_CASE, cancel=threading.Event()
            ):
                found[done.index] = done.value or Replayed(problem="engine")
        finally:
            engine.close()
        return {folder: found[place] for place, folder in enumerate(cases)}

    def endings(
        self, cases: Mapping[Path, Case], patches: Sequence[Patch] = ()
    ) -> dict[Path, Ending]:
        """How each case compares with its recording."""
        again = self.replayed(cases, patches)
        return {folder: _ending(case, again[folder]) for folder, case in cases.items()}


def _ending(case: Case, now: Replayed) -> Ending:
    if now.problem:
        return "stale"
    return "same" if now.digest == case.digest else "changed"
