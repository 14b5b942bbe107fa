"""`paper` mode as a run: what the final script wrote is held to the same form as any submission."""

from pathlib import Path

import pytest

from proveout.apps.mle.flow import run
from proveout.apps.mle.task import MleTask
from proveout.kernel.ambient import using
from proveout.kernel.types import Outcome
from tests.unit.mle.spec_kit import fence, script
from tests.unit.mle.test_spec_pipeline import on_stage
from tests.workbench import Workbench

ROWS = 60
KEYS = [str(100 + row) for row in range(8)]


def table(folder: Path) -> Path:
    folder.mkdir()
    known = "\n".join(f"{row},{row % 7},{row % 2}" for row in range(ROWS))
    (folder / "train.csv").write_text(f"id,a,y\n{known}\n", encoding="utf-8")
    asked = "\n".join(f"{key},{place % 7}" for place, key in enumerate(KEYS))
    (folder / "test.csv").write_text(f"id,a\n{asked}\n", encoding="utf-8")
    sample = "\n".join(f"{key},0.5" for key in KEYS)
    (folder / "sample_submission.csv").write_text(f"id,y\n{sample}\n", encoding="utf-8")
    (folder / "description.md").write_text("Predict y. Metric: AUC.\n", encoding="utf-8")
    return folder


def submitted(bench: Workbench, folder: Path, cells: dict[str, float]) -> Outcome:
    text = "id,y\n" + "".join(f"{key},{value}\n" for key, value in cells.items())
    writes = f"open('final/submission.csv', 'w').write({text!r})\n"
    on = on_stage(bench, folder, test=fence(writes + script(0.7, "final")))
    task = MleTask(
        folder=str(table(folder / "task")), mode="paper", smoke=True, out=str(folder / "out")
    )
    with using(on.context):
        return run(task, on.context)


def test_a_submission_that_holds_is_handed_in(bench: Workbench, tmp_path: Path) -> None:
    made = submitted(bench, tmp_path, {key: place / 8 for place, key in enumerate(KEYS)})
    assert made.accepted
    assert made.summary == "auc 0.7 as printed by the final script"
    assert (tmp_path / "out" / "submission.csv").read_text(encoding="utf-8").startswith("id,y\n100")
    assert (tmp_path / "out" / "solution.py").is_file()


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({key: place / 8 for place, key in enumerate(KEYS[1:])}, "7 rows; the test file has 8"),
        ({f"x{key}": place / 8 for place, key in enumerate(KEYS)}, "8 unknown keys"),
        ({key: place / 2 for place, key in enumerate(KEYS)}, "probabilities from 0 to 3.5"),
        (dict.fromkeys(KEYS, 0.5), "that of the sample submission"),
    ],
)
def test_one_that_does_not_hold_is_none(
    bench: Workbench, tmp_path: Path, cells: dict[str, float], why: str
) -> None:
    made = submitted(bench, tmp_path, cells)
    assert not made.accepted
    assert made.summary.startswith("no submission: the one that the final script made cannot be")
    assert why in made.summary
    assert not (tmp_path / "out" / "submission.csv").exists()
    assert (tmp_path / "out" / "solution.py").is_file()
