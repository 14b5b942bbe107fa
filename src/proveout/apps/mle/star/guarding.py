"""What code knows about leaks in a script before a model is asked, and how often that saved asking.

Static first; where reading leaves doubts and the data are at hand, the script is run. Only what is
still open is a question for a model.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from proveout.apps.mle.leakage import Report, examine
from proveout.apps.mle.scripts.workshop import Door, run_in
from proveout.apps.mle.star.room import Room, room_in_force
from proveout.kernel.context import Context
from proveout.kernel.errors import ProveoutError
from proveout.kernel.ports import Cancel, ScriptJob, ScriptRun

Known = Literal["clean", "leaks", "open"]
TRIAL_SECONDS = 60.0
"""For all runs of one script; a search has many scripts."""
TRIAL_SHARE = 1 / 3
"""Of the time that the script itself may take."""
OFFLINE = "offline"
DETECTION = "mle/leakage_detection"
_saved: Counter[str] = Counter()


@dataclass(frozen=True)
class Looked:
    known: Known
    report: Report


@dataclass(frozen=True)
class _Borrowed:
    """The sandbox that this process has open anyway."""

    door: Door

    def run(self, job: ScriptJob, cancel: Cancel) -> ScriptRun:
        del cancel
        return run_in(self.door, job)

    def close(self) -> None:
        """Whoever opened it closes it."""


def look(context: Context, source: str) -> Looked:
    """Read the script; run it too, if reading leaves doubts and there are data to run it on."""
    report = examine(source)
    if report.leaks:
        return Looked("leaks", report)
    if report.unreadable or not _doubtful(report):
        return Looked("open" if report.unreadable else "clean", report)
    room = room_in_force()
    if room is None or not _costs(context, DETECTION) or not _worth_running(source, room):
        return Looked("open", report)
    tried = context.observe("leakage", lambda: _tried(context, source, room))
    report = Report.model_validate(tried)
    if report.leaks:
        return Looked("leaks", report)
    refuted = report.trials is not None and report.trials.verdict == "refuted"
    return Looked("clean" if refuted else "open", report)


def _doubtful(report: Report) -> bool:
    return bool(report.unsure) or any(
        leak.confidence == "suspect" and leak.harm != "low" for leak in report.findings
    )


def _worth_running(source: str, room: Room) -> bool:
    """It trains something, and reads a table that is there."""
    if "fit" not in source or not room.data.is_dir():
        return False
    names = [path.name for path in room.data.iterdir() if path.suffix in (".csv", ".parquet")]
    return any(name in source for name in names)


def _tried(context: Context, source: str, room: Room) -> JsonValue:
    from proveout.apps.mle.leakage import dynamic

    means = dynamic.Means(
        _Borrowed(context.ports.open_sandbox),
        seconds=min(TRIAL_SECONDS, room.limit(context, TRIAL_SECONDS) * TRIAL_SHARE),
    )
    try:
        folder = dynamic.read_folder(Path(room.data))
        report = dynamic.examine_by_running(source, folder, means)
    except ProveoutError:
        # Too large, or no sandbox here: reading has to do.
        report = examine(source)
    told: JsonValue = report.model_dump(mode="json")
    return told


def spare(context: Context, role: str) -> None:
    """A question that code answered; it counts where asking would have cost something."""
    if _costs(context, role):
        _saved[context.run] += 1


def _costs(context: Context, role: str) -> bool:
    """Offline the question is answered by the same code, at once."""
    return context.model_for(role).name != OFFLINE


def model_calls_saved(run: str) -> int:
    """How many questions about leaks code has answered in a run so far."""
    return _saved[run]


def tell_saved(context: Context) -> None:
    """Write the number down, once, at the end of the work."""
    saved = _saved.pop(context.run, 0)
    if saved:
        context.note(
            f"leakage: code was sure {saved} times where a model would have been asked",
            {"model_calls_saved": saved},
        )
