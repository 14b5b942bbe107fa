"""What decides about a script: it must compile, must not leak, must run, and must have earned its
score. The score is always the harness's own, from predictions for rows it chose."""

import ast
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.problem import SUBMISSION_FILE, Problem
from proveout.apps.mle.scripts.candidate import Candidate, Circumstances, Measured, packed
from proveout.apps.mle.scripts.reading import parse_score
from proveout.apps.mle.scripts.workshop import Door, run_in
from proveout.apps.mle.syntax import UNPARSABLE, outline, parsed
from proveout.apps.mle.task import MleTask
from proveout.apps.mle.vetting import examined
from proveout.kernel.canonical import content_id
from proveout.kernel.ports import Checked, ScriptJob, ScriptLimits, ScriptRun, Surroundings
from proveout.kernel.types import Finding

ENDING_WORDS = ("exit", "quit", "abort")
"""A program of plain letters without them need not be searched for what they are part of."""
TRIED_BEFORE = "mle.script.tried_before"
SHOWN_OUTPUT = 8_000
"""Characters of a script's output that are kept: its end, where errors and scores stand."""


def compiles(task: MleTask, proposal: Candidate, around: Surroundings) -> Checked:
    """Python, and nothing that ends the interpreter before the score is known."""
    del task, around
    plain = proposal.source.isascii() and not any(it in proposal.source for it in ENDING_WORDS)
    if plain and outline(proposal.source).parses:
        return Checked()
    try:
        tree = parsed(proposal.source)
    except UNPARSABLE as error:
        line = getattr(error, "lineno", 0) or 0
        finding = Finding(
            code="mle.script.syntax",
            message=f"line {line}: {error}",
            where=f"line {line}",
            hint="Return one complete Python script.",
        )
        return Checked(findings=(finding,))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    ending = next((call for call in calls if _ends_interpreter(call)), None)
    if ending is None:
        return Checked()
    finding = Finding(
        code="mle.script.exits",
        message=f"line {ending.lineno} ends the interpreter",
        where=f"line {ending.lineno}",
        hint="Let the script run to its end; do not call exit, quit or os._exit.",
    )
    return Checked(findings=(finding,))


def _ends_interpreter(call: ast.Call) -> bool:
    called = call.func
    if isinstance(called, ast.Name):
        return called.id in ("exit", "quit")
    return (
        isinstance(called, ast.Attribute)
        and isinstance(called.value, ast.Name)
        and (called.value.id, called.attr) in {("sys", "exit"), ("os", "_exit"), ("os", "abort")}
    )


def leaks_nothing(task: MleTask, proposal: Candidate, around: Surroundings) -> Checked:
    """Leaks that the static detector proves stop a script; what it suspects is told."""
    del task, around
    return Checked(findings=examined(proposal.source).as_findings())


@dataclass(frozen=True)
class Untried:
    """The same script again would only cost its time again."""

    tried: frozenset[str]
    """Content ids of sources."""

    def __call__(self, task: MleTask, proposal: Candidate, around: Surroundings) -> Checked:
        del task, around
        if content_id(proposal.source.encode()) not in self.tried:
            return Checked()
        finding = Finding(
            code=TRIED_BEFORE,
            message="this very script was tried before",
            hint="Change something that can make a difference.",
        )
        return Checked(findings=(finding,))


def untried(sources: Iterable[str]) -> Untried:
    return Untried(frozenset(content_id(source.encode()) for source in sources))


@dataclass(frozen=True)
class Executed:
    """Runs a script in the sandbox and recomputes its score."""

    problem: Problem
    folder: str
    """Of the task."""
    work: str
    """Where arena and work folders are."""
    seed: int
    limits: ScriptLimits
    door: Door
    full: bool = False
    """On all labelled rows and the real test rows: the final run."""

    def __call__(self, task: MleTask, proposal: Candidate, around: Surroundings) -> Checked:
        del task
        files: dict[str, bytes] = {}
        ran: list[ScriptRun] = []
        seen = around.observe("execution", lambda: self._execute(proposal, files, ran))
        around.observe("circumstances", lambda: _circumstances(ran), counts=False)
        assert isinstance(seen, dict)
        measured = Measured.model_validate(seen["measured"])
        for name in filter(None, (measured.predictions, measured.submission)):
            # In this order, executed or replayed: evidence is listed as it is come by.
            around.keep(files.get(name) or around.content(name), "application/octet-stream")
        findings = tuple(Finding.model_validate(item) for item in _listed(seen["findings"]))
        return Checked(findings=findings, score=measured.score)

    def _execute(
        self, proposal: Candidate, files: dict[str, bytes], runs: list[ScriptRun]
    ) -> JsonValue:
        arena = Arena.prepare(self.problem, Path(self.folder), Path(self.work), seed=self.seed)
        place = Path(self.work) / "scripts"
        place.mkdir(parents=True, exist_ok=True)
        # Of its own even if the same script runs twice at a time.
        folder = Path(tempfile.mkdtemp(dir=place))
        # Models forget to make it more often than not; that is no reason to lose a script.
        (folder / SUBMISSION_FILE).parent.mkdir()
        job = ScriptJob(
            source=proposal.source,
            folder=str(folder),
            data=str(arena.full_input if self.full else arena.input),
            limits=self.limits,
            seed=self.seed,
        )
        try:
            ran = run_in(self.door, job)
            runs.append(ran)
            measured, findings = self._judged(arena, folder, ran, files)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return {
            "measured": measured.model_dump(mode="json"),
            "findings": [finding.model_dump(mode="json") for finding in findings],
        }

    def _judged(
        self, arena: Arena, folder: Path, ran: ScriptRun, files: dict[str, bytes]
    ) -> tuple[Measured, tuple[Finding, ...]]:
        measured = Measured(
            printed=parse_score(ran.stdout),
            exit_code=ran.exit_code,
            ended_by=ran.ended_by,
            guarantees=ran.guarantees,
        )
        broken = _broken(ran, self.limits)
        if broken is not None:
            return measured, (broken,)
        evaluation, held = arena.judged(folder, measured.printed, full=self.full)
        kept = ""
        if held is not None:
            arrays = (held.predictions, held.test, held.decisions, held.test_decisions)
            kept = _filed(packed(held.rows, *arrays), files)
        path = folder / SUBMISSION_FILE
        known = {
            "score": evaluation.score,
            "standard_error": evaluation.standard_error,
            "fold_scores": evaluation.fold_scores,
            "holdout_score": evaluation.holdout_score,
            "holdout_error": evaluation.holdout_error,
            "predictions": kept,
            "submission": _filed(path.read_bytes(), files) if self.full and path.is_file() else "",
        }
        return measured.model_copy(update=known), evaluation.findings


def _circumstances(ran: list[ScriptRun]) -> JsonValue:
    """Nothing if the execution itself was read from the record."""
    return [
        Circumstances(
            seconds=run.seconds,
            cpu_seconds=run.cpu_seconds,
            peak_bytes=run.peak_bytes,
            stdout=run.stdout[-SHOWN_OUTPUT:],
            stderr=run.stderr[-SHOWN_OUTPUT:],
        ).model_dump(mode="json")
        for run in ran
    ]


def _filed(content: bytes, files: dict[str, bytes]) -> str:
    """What a script made is evidence, under the name of its content."""
    name = content_id(content)
    files[name] = content
    return name


def _broken(ran: ScriptRun, limits: ScriptLimits) -> Finding | None:
    if ran.ended_by:
        return Finding(
            code="mle.script.limit",
            message=f"ended: the bound {ran.ended_by} was reached",
            where=ran.ended_by,
            hint=f"Stay well below {limits.seconds:.0f} s and "
            f"{limits.memory_bytes // 2**20} MiB: fewer rows, trees or columns.",
        )
    if ran.exit_code != 0:
        last = ran.stderr.strip().splitlines()[-1:] or [f"exit code {ran.exit_code}"]
        return Finding(
            code="mle.script.failed",
            message=last[0][:500],
            hint="Mend the cause that the traceback names; do not hide it with try/except.",
        )
    return None


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


GATE = (compiles, leaks_nothing)
