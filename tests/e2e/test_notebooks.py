"""The example notebooks, executed in a real kernel: no cell fails, what is shown is there."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
CELL_SECONDS = 240
"""For one cell, on a machine that has other things to do."""
LARGEST_SHOWN = 200_000
"""Characters of HTML that one result may add to a notebook."""
SHOWN = {
    "iqa": [["Accepted", "gaussian_blur", "data:image/jpeg;base64,"]],
    "solver": [["Accepted", "Proof", "employee.salary.write"]],
    "mle": [
        ["Not accepted", "leak.fit_before_split"],
        ["Accepted", "Selection report"],
        ["no leak found"],
    ],
}
"""What the HTML outputs of a notebook say, in order."""


def test_there_is_one_for_every_app() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(SHOWN)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_saved_without_outputs(path: Path) -> None:
    saved = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in saved["cells"] if cell["cell_type"] == "code"]
    assert cells
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert path.stat().st_size < 10_000


@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_of_a_notebook_runs_and_shows_its_result(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    work = tmp_path / "work"
    work.mkdir()
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(work)}},
    )
    began = time.monotonic()
    client.execute(env={**os.environ})
    print(f"{path.stem}: {time.monotonic() - began:.1f} s")  # noqa: T201 - shown with -s
    shown = list(_shown(notebook))
    assert len(shown) == len(SHOWN[path.stem])
    for html, wanted in zip(shown, SHOWN[path.stem], strict=True):
        assert len(html) < LARGEST_SHOWN
        assert "<script" not in html
        text = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
        for words in wanted:
            assert words in text


def _shown(notebook: Any) -> list[str]:
    """The HTML of every result; an error anywhere is a failure."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error", output
            html = output.get("data", {}).get("text/html")
            if html:
                found.append(html)
    return found
