"""An assessment as one call from Python, on whatever holds a picture.

    from proveout.apps.iqa import assess
    assess(array, query="Is it noisy?")["final_answer"]

Nothing is kept: for a journal, resume and reports there is `proveout.run("iqa", image=…)`.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from proveout.apps.iqa.flow import run
from proveout.apps.iqa.intake import Source, load
from proveout.apps.iqa.pictures import png
from proveout.apps.iqa.task import IqaTask
from proveout.kernel.ambient import current, using
from proveout.kernel.errors import UsageError
from proveout.kernel.proposer import explain


def assess(
    image: Source,
    query: str = "",
    *,
    choices: Sequence[str] = (),
    reference: Source | None = None,
    compare: Source | None = None,
    box: Sequence[float] | str | None = None,
    mask: Source | None = None,
) -> dict[str, Any]:
    """What `proveout iqa assess --json` says, of a path, bytes, an array or a Pillow image.

    Raises:
        UsageError: where a picture cannot be read, or a region does not fit it.
    """
    given = {"image": image, "reference": reference, "compare": compare, "mask": mask}
    with TemporaryDirectory(prefix="proveout-iqa-") as folder:
        fields: dict[str, Any] = {
            name: _path(source, Path(folder) / name)
            for name, source in given.items()
            if source is not None
        }
        fields |= {"choices": tuple(choices), "box": box} | ({"query": query} if query else {})
        try:
            task = IqaTask.model_validate(fields)
        except ValidationError as error:
            message = f"this cannot be assessed: {explain(error)}"
            raise UsageError(message) from error
        context = current("iqa")
        with using(context):
            outcome = run(task, context)
    answer: dict[str, Any] = dict(outcome.answer) if isinstance(outcome.answer, dict) else {}
    answer.pop("pictures", None)
    if "compared_with" in answer and not isinstance(compare, str | Path):
        answer["compared_with"] = {**answer["compared_with"], "image": ""}
    return {"accepted": outcome.accepted, **answer}


def _path(source: Source, place: Path) -> str:
    """Where the picture is; what has no place yet is put there, bytes as they are."""
    if isinstance(source, str | Path):
        return str(source)
    if isinstance(source, bytes | bytearray | memoryview):
        place.write_bytes(bytes(source))
    else:
        place.write_bytes(png(load(source).rgb))
    return str(place)
