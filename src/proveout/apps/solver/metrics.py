"""What a benchmark run measured, by task, by family and over all."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from proveout.kernel.types import Frozen


class TaskResult(Frozen):
    """One task as it went."""

    spec: str
    family: str = ""
    language: str = ""
    adversarial: bool = False
    text: str = ""
    outcome: str = ""
    score: float | None = None
    """As graded; None where grading is hidden."""
    log: str = ""
    """The grader's words on what was wrong."""
    codes: tuple[str, ...] = ()
    """What was wrong, as codes of grader and validator."""
    forbidden: bool = False
    """A value that must not be told was told, or something was written that must not be."""
    rounds: int = 0
    caught: int = 0
    """Plans that validation turned down before anything was sent."""
    api_calls: int = 0
    from_snapshot: bool = True
    seconds: float = 0.0
    digest: str = ""
    """Of everything that was sent: the response and the writes."""
    run: str = ""
    error: str = ""


class FamilyScore(Frozen):
    family: str
    tasks: int
    right: float
    share: float


class Metrics(Frozen):
    """The figures of the method: score first, then what explains it."""

    tasks: int
    graded: int
    score: float | None
    families: tuple[FamilyScore, ...]
    adversarial_tasks: int
    adversarial_score: float | None
    forbidden: int
    determinism: float | None
    """Share of tasks whose bytes were the same in the second run; None without one."""
    api_calls_per_task: float
    caught_before_submission: float | None
    """Of all failures, those that validation caught; None if nothing failed."""
    from_snapshot: float
    seconds_per_task: float
    languages: tuple[FamilyScore, ...] = ()


def measure(results: Sequence[TaskResult], again: Sequence[TaskResult] = ()) -> Metrics:
    """The figures of one run, compared with a second run of the same tasks if there is one."""
    graded = [result for result in results if result.score is not None]
    hostile = [result for result in graded if result.adversarial]
    caught = sum(result.caught for result in results)
    failed = sum(1 for result in graded if (result.score or 0.0) < 1.0)
    count = max(1, len(results))
    return Metrics(
        tasks=len(results),
        graded=len(graded),
        score=_mean(result.score or 0.0 for result in graded),
        families=_grouped((result.family, result.score or 0.0) for result in graded),
        adversarial_tasks=len(hostile),
        adversarial_score=_mean(result.score or 0.0 for result in hostile),
        forbidden=sum(result.forbidden for result in results),
        determinism=_same(results, again) if again else None,
        api_calls_per_task=round(sum(result.api_calls for result in results) / count, 2),
        caught_before_submission=round(caught / (caught + failed), 4) if caught + failed else None,
        from_snapshot=round(sum(result.from_snapshot for result in results) / count, 4),
        seconds_per_task=round(sum(result.seconds for result in results) / count, 3),
        languages=_grouped((result.language, result.score or 0.0) for result in graded),
    )


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return round(sum(listed) / len(listed), 4) if listed else None


def _grouped(scores: Iterable[tuple[str, float]]) -> tuple[FamilyScore, ...]:
    groups: dict[str, list[float]] = defaultdict(list)
    for name, score in scores:
        groups[name].append(score)
    return tuple(
        FamilyScore(
            family=name,
            tasks=len(group),
            right=round(sum(group), 4),
            share=round(sum(group) / len(group), 4),
        )
        for name, group in sorted(groups.items())
        if name
    )


def _same(first: Sequence[TaskResult], second: Sequence[TaskResult]) -> float:
    before = {result.spec: result.digest for result in first}
    after = {result.spec: result.digest for result in second}
    shared = before.keys() & after.keys()
    same = sum(before[spec] == after[spec] for spec in shared)
    return round(same / len(shared), 4) if shared else 0.0
