"""`proveout solver improve`: what failures teach, and the gate that a lesson must pass."""

import json as jsons
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from proveout.apps.solver import APP
from proveout.apps.solver.cases import Case, named, read_cases
from proveout.apps.solver.improving import (
    Cluster,
    Failure,
    candidates,
    clusters,
    wanted_outcome,
    withdrawal,
)
from proveout.apps.solver.metrics import TaskResult
from proveout.cli.output import say
from proveout.cli.session import workspace
from proveout.cli.solver_gate import TEACH, Gate, Teaching
from proveout.cli.solver_session import Fields, result_of
from proveout.kernel.errors import UsageError
from proveout.kernel.lessons import Patch
from proveout.kernel.types import Frozen

NO_GATE = "no recorded task that passed can be replayed, so nothing can be shown to be harmless"


class Material(NamedTuple):
    """What there is to learn from."""

    cases: dict[Path, Case]
    failures: tuple[Failure, ...]
    tasks: int


class GateReport(Frozen):
    """What became of the recorded tasks that had passed."""

    cases: int = 0
    same: int = 0
    changed: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


class OpenCase(Frozen):
    """A recorded failure, solved again with today's code."""

    case: str
    wanted: str
    """The outcome that the grader named; empty if that was not what was wrong."""
    now: str
    same: bool


class Improvement(Frozen):
    """The whole outcome of the loop around the benchmark."""

    tasks: int
    failed: int
    clusters: tuple[Cluster, ...]
    gate: GateReport
    open_cases: tuple[OpenCase, ...] = ()
    candidates: tuple[Patch, ...] = ()
    activated: tuple[Patch, ...] = ()
    rolled_back: tuple[Patch, ...] = ()
    held_back: str = ""
    """Why nothing could be activated, if that is so."""
    run: str = ""
    """The run in the journal by which the patches were activated or taken back."""
    regression_cases: str = ""


def improve_from(
    source: str,
    flags: Fields,
    *,
    out: Path | None = None,
    workers: int = 1,
    activate: bool = True,
) -> Improvement:
    """All that can be learned from recorded tasks, a results file or a run."""
    material = _material(source, flags)
    made = improvement(material, Gate(_for_gate(flags), workers), flags, activate=activate)
    if out is None:
        return made
    _write_regression(material, made.clusters, out)
    return made.model_copy(update={"regression_cases": str(out)})


def improvement(
    material: Material, gate: Gate, flags: Fields, *, activate: bool = True
) -> Improvement:
    """Clusters, the gate as it stands, and what became of each patch."""
    with workspace(flags) as opened:
        known = {item.patch.signature: item.patch for item in opened.journal.learned(APP.name)}
        active = tuple(known.values())
        tried = candidates(material.failures, APP.lessons)
        names = {folder: name for name, folder, _ in named(material.cases)}
        passed = {folder: case for folder, case in material.cases.items() if case.passed}
        endings = gate.endings(passed)
        sound = {folder: case for folder, case in passed.items() if endings[folder] == "same"}
        kept, fallen = _gated(gate, sound, active, tried)
        made = Improvement(
            tasks=material.tasks,
            failed=len(material.failures),
            clusters=clusters(material.failures),
            gate=GateReport(
                cases=len(passed),
                same=len(sound),
                changed=_those(names, endings, "changed"),
                stale=_those(names, endings, "stale"),
            ),
            open_cases=_open_cases(gate, material.cases, names),
            candidates=tried,
            activated=kept,
            rolled_back=fallen,
            held_back="" if sound or not tried else NO_GATE,
        )
        new = tuple(patch for patch in kept if patch.signature not in known)
        taken_back = tuple(withdrawal(patch) for patch in fallen if patch.signature in known)
        if not activate or not (new or taken_back):
            return made
        said = f"{len(new)} patches activated, {len(fallen)} rolled back"
        run = opened.start(TEACH, Teaching(patches=(*new, *taken_back), summary=said))
    return made.model_copy(update={"run": run.id})


def _gated(
    gate: Gate, sound: Mapping[Path, Case], active: Sequence[Patch], tried: Sequence[Patch]
) -> tuple[tuple[Patch, ...], tuple[Patch, ...]]:
    """Patches that the gate lets through, and those that it does not.

    All together first: only if the gate falls with all of them, it is asked about each.
    """
    if not sound or not tried:
        return (), ()
    others = [patch for patch in active if patch.signature not in {it.signature for it in tried}]
    if _holds(gate, sound, (*others, *tried)):
        return tuple(tried), ()
    kept: list[Patch] = []
    fallen: list[Patch] = []
    for patch in tried:
        holds = _holds(gate, sound, (*others, *kept, patch))
        (kept if holds else fallen).append(patch)
    return tuple(kept), tuple(fallen)


def _holds(gate: Gate, sound: Mapping[Path, Case], patches: Sequence[Patch]) -> bool:
    return all(ending == "same" for ending in gate.endings(sound, patches).values())


def _those(names: Mapping[Path, str], endings: Mapping[Path, str], wanted: str) -> tuple[str, ...]:
    return tuple(names[folder] for folder, ending in endings.items() if ending == wanted)


def _open_cases(
    gate: Gate, cases: Mapping[Path, Case], names: Mapping[Path, str]
) -> tuple[OpenCase, ...]:
    failed = {folder: case for folder, case in cases.items() if case.failed}
    again = gate.replayed(failed)
    return tuple(
        OpenCase(
            case=names[folder],
            wanted=wanted_outcome(case.codes),
            now=again[folder].outcome or again[folder].problem,
            same=again[folder].digest == case.digest,
        )
        for folder, case in failed.items()
    )


def _for_gate(flags: Fields) -> Fields:
    return {name: value for name, value in flags.items() if name != "journal.path"}


def _material(source: str, flags: Fields) -> Material:
    path = Path(source).expanduser()
    if path.is_dir():
        return _from_cases(path)
    if path.is_file():
        return _from_results(path)
    if path.suffix == ".json" or "/" in source:
        message = f"there is no {source}"
        raise UsageError(message, hint="name a folder of --record, a file of `bench --json`, a run")
    with workspace(flags, readonly=True) as opened:
        run = opened.read(opened.find(source))
    if run.app != APP.name:
        message = f"{run.id} is a run of {run.app}, not of the solver"
        raise UsageError(message, hint="see: proveout runs list")
    task: Fields = run.task if isinstance(run.task, dict) else {}
    if task.get("exchanges_to") and Path(str(task["exchanges_to"])).is_dir():
        return _from_cases(Path(str(task["exchanges_to"])))
    result = result_of(run.id, str(task.get("text", "")), run, 0.0)
    return Material({}, _failures([result]), 1)


def _from_cases(root: Path) -> Material:
    cases = read_cases(root)
    if not cases:
        message = f"{root} holds no recorded task"
        raise UsageError(message, hint="record with: proveout solver bench --record DIR")
    failures = tuple(
        Failure(case=name, family=case.family, codes=case.codes)
        for name, _, case in named(cases)
        if case.failed
    )
    return Material(cases, failures, len(cases))


def _from_results(path: Path) -> Material:
    try:
        value = jsons.loads(path.read_bytes())
        results = [TaskResult.model_validate(line) for line in value["failures"]]
        tasks = int(value["tasks"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        message = f"{path} is not what `solver bench --json` writes"
        raise UsageError(message, hint="proveout solver bench --json > bench.json") from error
    return Material({}, _failures(results), tasks)


def _failures(results: Iterable[TaskResult]) -> tuple[Failure, ...]:
    return tuple(
        Failure(
            case=result.spec,
            family=result.family,
            codes=(*result.codes, *([result.error.partition(":")[0]] if result.error else [])),
        )
        for result in results
        if result.error or (result.score is not None and result.score < 1.0)
    )


def _write_regression(material: Material, found: Sequence[Cluster], out: Path) -> None:
    """All that had passed, and of each cluster one case to be solved some day."""
    chosen = {cluster.cases[0] for cluster in found}
    for name, folder, case in named(material.cases):
        if case.passed or name in chosen:
            shutil.copytree(folder, out / name, dirs_exist_ok=True)


def tell(made: Improvement) -> None:
    say(f"{made.failed} of {made.tasks} tasks failed, {len(made.clusters)} clusters")
    for cluster in made.clusters[:20]:
        where = f"{cluster.family or 'no family'}: {cluster.code}, {len(cluster.cases)} tasks"
        say(f"  {where} → {cluster.change.kind} in {cluster.change.module}")
    gate = made.gate
    say(f"gate: {gate.same} of {gate.cases} recorded answers are the same today")
    for label, cases in (("answered otherwise", gate.changed), ("record again", gate.stale)):
        if cases:
            say(f"  {label}: {', '.join(cases[:10])}", style="yellow")
    for label, patches in (("activated", made.activated), ("rolled back", made.rolled_back)):
        for patch in patches:
            say(f"{label}: {patch.subject}: {patch.advice}")
    if made.held_back:
        say(f"nothing was activated: {made.held_back}", style="yellow")
