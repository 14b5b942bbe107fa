"""What predictions are worth: read with suspicion, scored with labels a script never saw."""

import os
import stat
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.problem import PREDICTIONS_FILE, Direction, Problem, Scheme
from proveout.apps.mle.tables.metrics import Metric
from proveout.kernel.types import Finding, Frozen

AGREES = 1e-4
"""Relative difference between the printed and the recomputed score that rounding explains."""
FEWEST_DECIMALS = 3
"""A score that was printed with so many decimals may be rounded in the last one."""
TOLERATED = 1e-6
"""Probabilities may leave 0…1 by this much."""
SUMS_TO_ONE = 1e-3
RESAMPLES = 60
MOST_RESAMPLED = 4_000
FAR = 4.0
"""Standard errors by which the hold-out may be worse than the folds before it is told."""
FAR_SHARE = 0.1
"""And by how much of the score."""
HEADER_BYTES = 4_096
SIGNIFICANT = 0.05


class Evaluation(Frozen):
    """What the harness computed itself."""

    score: float | None = None
    """Mean over folds; None if the predictions could not be scored."""
    standard_error: float = 0.0
    fold_scores: tuple[float, ...] = ()
    """Of the folds for which the metric is defined, in their order."""
    holdout_score: float | None = None
    """Never shown to proposers."""
    holdout_error: float = 0.0
    direction: Direction = "maximize"
    findings: tuple[Finding, ...] = ()

    @property
    def accepted(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)


class Comparison(Frozen):
    """The first against the second on the same folds."""

    difference: float
    """Above zero: the first is better, whatever the metric's direction."""
    standard_error: float
    p_value: float
    """Of a paired t test, corrected for folds that share their training rows."""

    @property
    def significant(self) -> bool:
        return self.p_value < SIGNIFICANT


@dataclass(frozen=True)
class Predictions:
    """What a script wrote, after all checks."""

    rows: NDArray[np.int64]
    predictions: NDArray[np.float64]
    test: NDArray[np.float64]
    decisions: NDArray[np.int64] | None = None
    test_decisions: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Case:
    """The side of the harness: everything that a script is not told."""

    problem: Problem
    metric: Metric
    scheme: Scheme
    fold: NDArray[np.int64]
    """Per row of train.csv."""
    truth: NDArray[Any]
    """Per row of train.csv."""
    test_rows: int
    hidden: NDArray[np.int64]
    """Positions in test.csv whose truth is known."""
    hidden_truth: NDArray[Any]

    @property
    def width(self) -> int:
        return len(self.problem.labels) or len(self.problem.targets)

    @property
    def count(self) -> int:
        return int(self.fold.max(initial=-1)) + 1


def _error(code: str, message: str, hint: str = "") -> Finding:
    return Finding(code=code, message=message, where=PREDICTIONS_FILE, hint=hint)


class Refused(Exception):  # noqa: N818 - carries a finding to whoever asked
    """Predictions that cannot be used, with the finding that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def load(out: Path, case: Case) -> tuple[Predictions, list[Finding]]:
    """Checked predictions; raises `Refused`."""
    raw = _arrays(out / PREDICTIONS_FILE, case)
    findings: list[Finding] = []
    validated = np.flatnonzero(case.fold >= 0)
    rows = _whole(raw, "rows", len(case.fold))
    predictions = _matrix(raw, "predictions", len(rows), case.width)
    test = _matrix(raw, "test", case.test_rows, case.width)
    decisions, test_decisions = (
        _whole(raw, name, case.width, length) if name in raw else None
        for name, length in (("decisions", len(rows)), ("test_decisions", case.test_rows))
    )
    kept = np.isin(rows, validated)
    seen = np.sort(rows[kept])
    if len(seen) != len(validated) or (seen != validated).any():
        lost = len(np.setdiff1d(validated, rows))
        twice = len(rows) - len(np.unique(rows))
        message = f"{lost} validated rows have no prediction, {twice} have more than one"
        hint = "Predict every row with fold >= 0 exactly once, by the model that did not see it."
        raise Refused(_error("mle.predictions.rows", message, hint))
    order = np.argsort(rows[kept], kind="stable")
    done = Predictions(
        rows=rows[kept][order],
        predictions=_shares(predictions[kept][order], case, "predictions", findings),
        test=_shares(test, case, "test", findings),
        decisions=decisions[kept][order] if decisions is not None else None,
        test_decisions=test_decisions,
    )
    return done, findings


def open_plain(path: Path, most: int) -> int:
    """A descriptor of an ordinary file of bounded size; links and devices are refused."""
    for part in (path.parent, path):
        if part.is_symlink():
            raise OSError(f"{part.name} is a link")  # noqa: EM102
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_size > most:
        os.close(handle)
        what = f"is larger than {most} bytes" if stat.S_ISREG(about.st_mode) else "is no plain file"
        raise OSError(f"{path.name} {what}")  # noqa: EM102
    return handle


def _arrays(path: Path, case: Case) -> dict[str, NDArray[Any]]:
    """Known arrays only, none larger than it can honestly be, nothing that executes."""
    cells = {
        "rows": len(case.fold),
        "predictions": len(case.fold) * case.width,
        "test": case.test_rows * case.width,
        "decisions": len(case.fold),
        "test_decisions": case.test_rows,
    }
    hint = "Write it with numpy.savez: rows, predictions and test, numbers only."
    if not os.path.lexists(path):
        raise Refused(_error("mle.predictions.missing", f"there is no {PREDICTIONS_FILE}", hint))
    bound = 8 * sum(cells.values()) + len(cells) * HEADER_BYTES
    try:
        handle = open_plain(path, bound)
        with os.fdopen(handle, "rb") as stream, zipfile.ZipFile(stream) as archive:
            found: dict[str, NDArray[Any]] = {}
            for item in archive.infolist():
                name = item.filename.removesuffix(".npy")
                if name not in cells:
                    continue
                if item.file_size > 16 * cells[name] + HEADER_BYTES:
                    raise ValueError(f"{name} is larger than it can be")  # noqa: EM102, TRY301
                with archive.open(item) as part:
                    found[name] = np.lib.format.read_array(part, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError, zipfile.BadZipFile, RuntimeError) as error:
        message = f"{PREDICTIONS_FILE} cannot be read: {str(error)[:200]}"
        raise Refused(_error("mle.predictions.unreadable", message, hint)) from None
    lost = [name for name in ("rows", "predictions", "test") if name not in found]
    if lost:
        message = f"{PREDICTIONS_FILE} lacks {', '.join(lost)}"
        raise Refused(_error("mle.predictions.shape", message, hint))
    return found


def _whole(raw: Mapping[str, NDArray[Any]], name: str, end: int, length: int = -1) -> NDArray[Any]:
    """Whole numbers from 0 to below `end`."""
    values = raw[name]
    fits = values.ndim == 1 and values.dtype.kind in "iu" and (length < 0 or len(values) == length)
    if not fits or (len(values) and not (values.min() >= 0 and values.max() < end)):
        message = f"{name} must be one column of whole numbers from 0 to {end - 1}"
        raise Refused(_error("mle.predictions.shape", message))
    return values.astype(np.int64)


def _matrix(raw: Mapping[str, NDArray[Any]], name: str, rows: int, width: int) -> NDArray[Any]:
    values = raw[name]
    if values.ndim == 1:
        values = values[:, None]
    if values.dtype.kind not in "fiu" or values.shape != (rows, width):
        message = f"{name} has shape {raw[name].shape}, wanted are ({rows}, {width}) numbers"
        hint = "One column per class, in the order of the labels, or one per target."
        raise Refused(_error("mle.predictions.shape", message, hint))
    values = values.astype(np.float64)
    bad = int((~np.isfinite(values)).any(axis=1).sum())
    if bad:
        message = f"{name}: {bad} rows are missing or infinite"
        raise Refused(_error("mle.predictions.values", message))
    return values


def _shares(
    values: NDArray[np.float64], case: Case, name: str, findings: list[Finding]
) -> NDArray[np.float64]:
    if case.problem.kind == "regression":
        return values
    if len(values) and (values.min() < -TOLERATED or values.max() > 1 + TOLERATED):
        message = f"{name}: values from {values.min():.3g} to {values.max():.3g}, no probabilities"
        raise Refused(_error("mle.predictions.values", message))
    clipped = np.clip(values, 0.0, 1.0)
    sums = clipped.sum(axis=1)
    off = np.abs(sums - 1) > SUMS_TO_ONE
    if (sums <= 0).any():
        message = f"{name}: {int((sums <= 0).sum())} rows have only zeros"
        raise Refused(_error("mle.predictions.values", message))
    if off.any():
        message = f"{name}: {int(off.sum())} rows did not add up to one and were normalised"
        findings.append(
            _error("mle.predictions.sums", message).model_copy(update={"severity": "warning"})
        )
        return np.asarray(clipped / sums[:, None])
    return clipped


def evaluate(
    out: Path, case: Case, printed: float | None, seed: int = 0
) -> tuple[Evaluation, Predictions | None]:
    """Scores per fold and on hidden rows, with every doubt; and what was scored, if it could be.

    Files are read once: what is kept afterwards is what was judged.
    """
    direction = case.problem.direction
    try:
        given, findings = load(out, case)
    except Refused as refused:
        return Evaluation(direction=direction, findings=(refused.finding,)), None
    fold = case.fold[given.rows]
    scores = [
        _score(case, case.truth[given.rows], given.predictions, given.decisions, fold == at)
        for at in range(case.count)
    ]
    known = [score for score in scores if not np.isnan(score)]
    if np.isinf(known).any():
        # Not to be left out like a fold that says nothing: it says that predictions are far off.
        message = f"the score is infinite on {int(np.isinf(known).sum())} of {len(scores)} folds"
        findings.append(Finding(code="mle.score_undefined", message=message))
        return Evaluation(direction=direction, findings=tuple(findings)), None
    if len(known) < len(scores):
        message = f"the metric is not defined on {len(scores) - len(known)} of {len(scores)} folds"
        severity: Any = "warning" if known else "error"
        hint = "Print the mean over the folds for which it is defined."
        findings.append(
            Finding(code="mle.score_undefined", message=message, severity=severity, hint=hint)
        )
    if not known:
        return Evaluation(direction=direction, findings=tuple(findings)), None
    score = float(np.mean(known))
    error = float(np.std(known, ddof=1) / np.sqrt(len(known))) if len(known) > 1 else 0.0
    findings += _about_printed(printed, score)
    hidden, hidden_error = _hidden(case, given, seed)
    if hidden is not None:
        findings += _about_hidden(case, (score, error, known), (hidden, hidden_error))
    evaluation = Evaluation(
        score=score,
        standard_error=error,
        fold_scores=tuple(known),
        holdout_score=hidden,
        holdout_error=hidden_error,
        direction=direction,
        findings=tuple(findings),
    )
    return evaluation, given


def _score(
    case: Case, truth: Any, given: Any, decisions: NDArray[Any] | None, chosen: NDArray[Any]
) -> float:
    decided = decisions[chosen] if decisions is not None else None
    return case.metric.score(case.problem, truth[chosen], given[chosen], decided)


def _about_printed(printed: float | None, score: float) -> list[Finding]:
    if printed is None:
        hint = "Print the phrase and the score exactly once."
        return [Finding(code="mle.score_missing", message="no score was printed", hint=hint)]
    if agrees(printed, score):
        return []
    message = f"printed {printed:.6g}, the predictions earn {score:.6g}"
    hint = "Print the mean over folds of the metric on that fold's own predictions."
    return [Finding(code="mle.score_not_earned", message=message, hint=hint)]


def agrees(printed: float, score: float) -> bool:
    """Equal up to rounding."""
    if not np.isfinite(printed):
        return False
    if abs(printed - score) <= AGREES * max(abs(printed), abs(score)) + 1e-9:
        return True
    decimals = len(repr(float(printed)).partition(".")[2])
    return decimals >= FEWEST_DECIMALS and abs(printed - score) <= 0.51 * 10.0**-decimals


def _hidden(case: Case, given: Predictions, seed: int) -> tuple[float | None, float]:
    """The score on hidden rows, and its standard error by resampling them."""
    if len(case.hidden) == 0:
        return None, 0.0
    truth, values = case.hidden_truth, given.test[case.hidden]
    decided = given.test_decisions[case.hidden] if given.test_decisions is not None else None
    every = np.arange(len(truth))
    score = _score(case, truth, values, decided, every)
    if not np.isfinite(score):
        return None, 0.0
    rng = np.random.default_rng([seed, len(truth)])
    size = min(len(truth), MOST_RESAMPLED)
    tries = [
        _score(case, truth, values, decided, rng.integers(0, len(truth), size))
        for _ in range(RESAMPLES)
    ]
    spread = float(np.nanstd(tries, ddof=1)) if np.isfinite(tries).sum() > 1 else 0.0
    return score, spread * float(np.sqrt(size / len(truth)))


def _about_hidden(
    case: Case, folds: tuple[float, float, list[float]], hidden: tuple[float, float]
) -> list[Finding]:
    """Told only if the hold-out is worse than chance explains; folds of time differ by nature."""
    (score, error, scores), (found, found_error) = folds, hidden
    sign = 1.0 if case.problem.direction == "maximize" else -1.0
    loss = sign * (score - found)
    validated = max(1, int((case.fold >= 0).sum()))
    # Five folds alone are a poor guide to their own spread: rows give a lower bound.
    noise = max(error, found_error * float(np.sqrt(len(case.hidden) / validated)))
    if case.scheme == "time":
        noise = max(noise, float(np.std(scores)))
    if loss <= FAR * float(np.hypot(noise, found_error)) or loss <= FAR_SHARE * abs(score):
        return []
    message = f"the folds gave {score:.6g}, hidden rows {found:.6g}"
    hint = "Look for rows or statistics that reach across folds, or for tuning on the folds."
    severity: Any = "warning" if case.scheme == "time" else "error"
    return [Finding(code="mle.holdout_disagrees", message=message, severity=severity, hint=hint)]


def compare(one: Evaluation, other: Evaluation) -> Comparison:
    """Paired over folds. Without folds in common the difference is that of the scores."""
    sign = 1.0 if one.direction == "maximize" else -1.0
    pairs = [
        sign * (left - right)
        for left, right in zip(one.fold_scores, other.fold_scores, strict=False)
        if np.isfinite(left) and np.isfinite(right)
    ]
    if len(one.fold_scores) != len(other.fold_scores) or len(pairs) < 2:
        known = one.score is not None and other.score is not None
        gap = sign * ((one.score or 0.0) - (other.score or 0.0)) if known else 0.0
        return Comparison(difference=gap, standard_error=0.0, p_value=1.0)
    # Only this: all of scipy.stats takes longer to load than a script.
    from scipy.special import stdtr

    gap, count = float(np.mean(pairs)), len(pairs)
    # Nadeau and Bengio: training sets overlap, so plain paired tests are too sure of themselves.
    error = float(np.std(pairs, ddof=1) * np.sqrt(1 / count + 1 / (count - 1)))
    if error == 0.0:
        return Comparison(difference=gap, standard_error=0.0, p_value=1.0 if gap == 0 else 0.0)
    chance = 2 * float(stdtr(count - 1, -abs(gap) / error))
    return Comparison(difference=gap, standard_error=error, p_value=chance)
