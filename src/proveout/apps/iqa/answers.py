"""What every caller of an assessment needs: its files known to be good, its answer as data."""

from pydantic import JsonValue

from proveout.apps.iqa.task import IqaTask
from proveout.kernel.types import Outcome, Task


def demand_pictures(task: Task) -> None:
    """Every file of a task can be read: known before a run begins, so that none is left behind.

    Raises:
        UsageError: about the first that cannot, or about a marked region that does not fit.
    """
    from proveout.apps.iqa.drawing import MARKED
    from proveout.apps.iqa.evidence import frame_of, region_of

    if not isinstance(task, IqaTask):
        return
    for path in task.pictures.values():
        frame_of(path)
    if task.drawn:
        for path in filter(None, (task.image, task.compare)):
            region_of(path, MARKED, task.drawn)


def answer_data(image: str, run: str, outcome: Outcome | None) -> dict[str, JsonValue]:
    """What a caller wants of a run: the answer with its place in the journal."""
    answer = outcome.answer if outcome else None
    body = dict(answer) if isinstance(answer, dict) else {}
    body.pop("pictures", None)
    accepted = outcome is not None and outcome.accepted
    return {"image": image, "run": run, "accepted": accepted, **body}
