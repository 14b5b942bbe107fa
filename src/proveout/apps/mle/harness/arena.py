"""Where scripts compete: data prepared once, truth out of their reach, every result recomputed."""

import json
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proveout.apps.mle.harness import submission
from proveout.apps.mle.harness.building import Build, digest, sources, write_manifest
from proveout.apps.mle.harness.custom import metric_of
from proveout.apps.mle.harness.judging import Case, Evaluation, Predictions, evaluate
from proveout.apps.mle.intake.errors import unusable
from proveout.apps.mle.problem import TEST_FILE, Problem, Scheme, as_it_stands
from proveout.apps.mle.tables.folds import HELD_OUT
from proveout.kernel.types import Finding

VERSION = 1


@dataclass(frozen=True)
class Arena:
    """A prepared problem. `input` is for the search, `full_input` for the final run."""

    problem: Problem
    folder: Path
    """Of the task."""
    root: Path
    seed: int
    scheme: Scheme
    findings: tuple[Finding, ...] = ()
    """Why folds are as they are, and which columns are not used."""

    @classmethod
    def prepare(
        cls,
        problem: Problem,
        folder: Path,
        work: Path,
        seed: int = 0,
        holdout: float = 0.15,
        folds: int = 5,
    ) -> "Arena":
        """Write the files, or open those that were written for the same task and settings."""
        folder, root = Path(folder), Path(work) / "arena"
        wanted = {
            "version": VERSION,
            "problem": problem.model_dump(mode="json"),
            "seed": seed,
            "holdout": holdout,
            "folds": folds,
        }
        if not (root / "arena.json").is_file():
            _build(problem, folder, root, wanted)
        facts = json.loads((root / "arena.json").read_text("utf-8"))
        if {name: facts.get(name) for name in wanted} != wanted:
            message = f"{root} was prepared for another task, or with other settings"
            raise unusable(message, "other_arena", "choose another folder, or delete this one")
        _check_sources(problem, folder, facts["sources"])
        return cls(
            problem=problem,
            folder=folder,
            root=root,
            seed=seed,
            scheme=facts["scheme"],
            findings=tuple(Finding.model_validate(item) for item in facts["findings"]),
        )

    @property
    def input(self) -> Path:
        return self.root / "input"

    @property
    def full_input(self) -> Path:
        return self.root / "full_input"

    @cached_property
    def _kept(self) -> dict[str, NDArray[Any]]:
        path = self.root / "truth.npz"
        return _arrays(path, path.stat().st_mtime_ns)

    @cached_property
    def _cases(self) -> tuple[Case, Case]:
        """For the search, and for the final run."""
        kept = self._kept
        search, full, truth, order = (kept[it] for it in ("search", "full", "truth", "order"))
        known = search != HELD_OUT
        rows = len(order) - int((~known).sum())
        hidden = np.flatnonzero(order >= rows)
        searching = Case(
            problem=self.problem,
            metric=metric_of(self.problem, self.folder),
            scheme=self.scheme,
            fold=search[known],
            truth=truth[known],
            test_rows=len(order),
            hidden=hidden,
            hidden_truth=truth[order[hidden] - rows],
        )
        none = np.zeros(0, dtype=np.int64)
        whole = replace(
            searching, fold=full, truth=truth, test_rows=rows, hidden=none, hidden_truth=truth[:0]
        )
        return searching, whole

    @property
    def real_rows(self) -> NDArray[np.int64]:
        """Positions in the search's test.csv of the real test rows, in their own order."""
        order = self._kept["order"]
        rows = len(order) - len(self.case().hidden)
        return np.argsort(order, kind="stable")[:rows]

    def case(self, *, full: bool = False) -> Case:
        """Labels, folds and metric, for whoever blends predictions. Never for a script."""
        return self._cases[1 if full else 0]

    @property
    def groups(self) -> NDArray[np.int64]:
        """Of the rows of the search's train.csv: a number, the same for rows kept together."""
        kept = self._kept
        groups = kept.get("groups", np.arange(len(kept["search"])))
        return np.asarray(groups[kept["search"] != HELD_OUT], dtype=np.int64)

    def judge(self, out: Path, printed: float | None, full: bool = False) -> Evaluation:
        """Recompute the score of what a script wrote under `out`, and check its submission."""
        return self.judged(out, printed, full=full)[0]

    def judged(
        self, out: Path, printed: float | None, full: bool = False
    ) -> tuple[Evaluation, Predictions | None]:
        """The same, with the predictions that were scored."""
        found, given = evaluate(Path(out), self.case(full=full), printed, self.seed)
        about = submission.check(self.problem, Path(out), self._expected(full=full), given)
        return found.model_copy(update={"findings": (*found.findings, *about)}), given

    def refusals(self, out: Path) -> tuple[Finding, ...]:
        """What makes the submission for the real test rows under `out` invalid."""
        found = submission.check(self.problem, out, self._expected(full=True))
        return tuple(finding for finding in found if finding.severity == "error")

    def _expected(self, *, full: bool) -> submission.Expected:
        folder = self.full_input if full else self.input
        key = self.problem.id_column
        path = folder / TEST_FILE
        ids = _ids(path, key, path.stat().st_mtime_ns) if key else ()
        copied = {
            name: _ids(path, as_it_stands(name), path.stat().st_mtime_ns)
            for name in self.problem.copied
        }
        return submission.Expected(
            ids=ids,
            copied=copied,
            rows=self.case(full=full).test_rows,
            sample=folder / "sample_submission.csv" if self.problem.sample_file else None,
        )


@lru_cache(maxsize=2)
def _arrays(path: Path, changed: int) -> dict[str, NDArray[Any]]:
    """Read once, and not to be changed by anyone: every script is judged by them."""
    del changed
    with np.load(path, allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


@lru_cache(maxsize=4)
def _ids(path: Path, key: str, changed: int) -> tuple[str, ...]:
    """Keys of the test rows, read once: every script is held to them."""
    del changed
    keys = pd.read_csv(path, usecols=[key], dtype=str, keep_default_na=False)[key]
    return tuple(keys.str.strip())


def _build(problem: Problem, folder: Path, root: Path, wanted: dict[str, Any]) -> None:
    """Beside its place first: whoever finds the place finds it complete."""
    used = sources(problem, folder)
    root.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".arena-", dir=root.parent))
    try:
        build = Build(problem, folder, scratch)
        chosen = build.write(wanted["seed"], wanted["holdout"], wanted["folds"])
        findings = (*build.findings, *chosen.findings)
        facts = {
            **wanted,
            "scheme": chosen.scheme,
            "findings": [finding.model_dump(mode="json") for finding in findings],
            "sources": {name: [*about, digest(folder / name)] for name, about in used.items()},
        }
        write_manifest(scratch, facts)
        if not (root / "arena.json").is_file():
            shutil.rmtree(root, ignore_errors=True)
            # Fails if another process was quicker, and then its files are just as good.
            with suppress(OSError):
                scratch.replace(root)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _check_sources(problem: Problem, folder: Path, before: dict[str, list[Any]]) -> None:
    """Same size and time, or at least the same bytes, as when the files were made."""
    for name, (size, at) in sources(problem, folder).items():
        known = before.get(name, [-1, -1, ""])
        if [size, at] != known[:2] and digest(folder / name) != known[2]:
            message = f"{name} has changed since the run began"
            raise unusable(message, "changed", "begin a new run in another folder")
