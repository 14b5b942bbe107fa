"""Runs the program on versions of its data: same seeds, same splits, a bounded number of times."""

import ast
import json
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path, PurePosixPath

from proveout.apps.mle.leakage.dynamic.record import Record, read_record
from proveout.apps.mle.leakage.dynamic.tables import Folder
from proveout.kernel.ports import Sandbox, ScriptJob, ScriptLimits

RUNNER = "from _watch.start import perform\nperform(globals())\n"
INSIDE = "proveout.apps.mle.leakage.dynamic.inside"
LONGEST_SAID = 300


class Spent(Exception):
    """No more runs, or no more time: what is known so far has to do."""


@dataclass
class Trial:
    """One program, its sandbox, and how much may still be tried."""

    program: str
    sandbox: Sandbox
    limits: ScriptLimits
    seed: int = 0
    most_runs: int = 60
    seconds: float = 300.0
    clock: Callable[[], float] = time.monotonic
    runs: int = 0
    splits: list[dict[str, object]] = field(default_factory=list)
    """Repeated in every run once they are known."""
    _began: float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    @property
    def spent(self) -> float:
        return self.clock() - self._began

    def run(self, data: Folder) -> Record:
        """One run on that data; raises `Spent` if it may not be."""
        left = self.seconds - self.spent
        if self.runs >= self.most_runs or left <= 0:
            raise Spent
        self.runs += 1
        with tempfile.TemporaryDirectory(prefix="proveout-leak-") as place:
            folder = Path(place, "work")
            self._furnish(folder, data)
            job = ScriptJob(
                source=RUNNER,
                folder=str(folder),
                limits=self.limits.model_copy(
                    update={"seconds": max(1.0, min(self.limits.seconds, left))}
                ),
                seed=self.seed,
            )
            ran = self.sandbox.run(job, threading.Event())
            if ran.ended_by:
                return Record(failure=f"it was ended: the bound on {ran.ended_by} was reached")
            record = read_record(folder)
        if ran.exit_code == 0 or (record.events and record.failure):
            return record
        said = ran.stderr.strip().splitlines()
        return Record(failure=said[-1][:LONGEST_SAID] if said else f"exit code {ran.exit_code}")

    def _furnish(self, folder: Path, data: Folder) -> None:
        folder.mkdir()
        data.copy_to(folder / "input")
        for asked, name in _places(self.program, data):
            target = folder / asked
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / "input" / name, target)
        (folder / "program.py").write_text(self.program, encoding="utf-8")
        orders = {"splits": self.splits, "files": data.files}
        (folder / "orders.json").write_text(json.dumps(orders), encoding="utf-8")
        watch = folder / "_watch"
        watch.mkdir()
        for part in resources.files(INSIDE).iterdir():
            if part.name.endswith(".py"):
                (watch / part.name).write_text(part.read_text(encoding="utf-8"), encoding="utf-8")


def _places(program: str, data: Folder) -> list[tuple[str, str]]:
    """Where the program's own words expect data files, as far as that is inside its folder."""
    try:
        texts = [node.value for node in ast.walk(ast.parse(program)) if _is_text(node)]  # type: ignore[attr-defined]
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = []
    for text in dict.fromkeys(texts):
        path = PurePosixPath(text)
        if path.is_absolute() or ".." in path.parts or len(text) > 200 or "\0" in text:
            continue
        for name in data.files:
            if text == name or text.endswith(f"/{name}") or name.endswith(f"/{text}"):
                found.append((text, name))
                break
    return found


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(node.value)
