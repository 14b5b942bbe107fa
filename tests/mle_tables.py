"""Small task folders, made on the spot, for tests of `mle`."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from proveout.apps.mle.harness.judging import Case
from proveout.apps.mle.problem import Problem


def rows(count: int, seed: int = 0) -> pd.DataFrame:
    """Features with a little of everything; `signal` is what targets are made from."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "signal": rng.normal(size=count).round(4),
            "size": rng.integers(0, 50, count),
            "colour": rng.choice(["red", "green", "blue"], count),
            "weight": np.where(rng.random(count) < 0.1, np.nan, rng.random(count).round(4)),
        }
    )


def write_task(
    folder: Path,
    train: pd.DataFrame,
    test: pd.DataFrame,
    description: str = "# Task\n\n## Metric\n\nRoot mean squared error.\n",
    sample: pd.DataFrame | None = None,
    toml: str = "",
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    train.to_csv(folder / "train.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    (folder / "description.md").write_text(description, "utf-8")
    if sample is not None:
        sample.to_csv(folder / "sample_submission.csv", index=False)
    if toml:
        (folder / "task.toml").write_text(toml, "utf-8")
    return folder


def regression(folder: Path, count: int = 400, **more: Any) -> Path:
    """`id`, four features, target `price`; the sample says 1.0 throughout."""
    train, test = rows(count), rows(count // 4, seed=1)
    train.insert(0, "id", range(count))
    test.insert(0, "id", range(count, count + len(test)))
    train["price"] = (3 * train["signal"] + train["size"] / 10).round(3)
    sample = pd.DataFrame({"id": test["id"], "price": 1.0})
    return write_task(folder, train, test, sample=sample, **more)


def classes(
    folder: Path, count: int = 600, description: str = "Metric: area under the ROC curve"
) -> Path:
    """`id`, four features, target `late` (yes or no)."""
    train, test = rows(count), rows(count // 3, seed=1)
    train.insert(0, "id", [f"r{at}" for at in range(count)])
    test.insert(0, "id", [f"t{at}" for at in range(len(test))])
    noise = np.random.default_rng(5).normal(size=count)
    train["late"] = np.where(train["signal"] + noise > 0.5, "yes", "no")
    sample = pd.DataFrame({"id": test["id"], "late": 0.5})
    return write_task(folder, train, test, description, sample)


def honest(case: Case, noise: float = 0.5, seed: int = 0) -> dict[str, Any]:
    """Predictions as an honest script would have them: the truth, blurred, on every row alike."""
    rng = np.random.default_rng(seed)
    validated = np.flatnonzero(case.fold >= 0)
    test_truth = np.zeros((case.test_rows, *case.truth.shape[1:]), dtype=case.truth.dtype)
    test_truth[case.hidden] = case.hidden_truth
    made = {}
    for name, truth in (("predictions", case.truth[validated]), ("test", test_truth)):
        if case.problem.kind == "regression":
            made[name] = truth + rng.normal(scale=noise, size=truth.shape)
        else:
            raw = np.eye(len(case.problem.labels))[truth] + rng.exponential(
                noise, (len(truth), case.width)
            )
            made[name] = raw / raw.sum(axis=1, keepdims=True)
    return {"rows": validated, **made}


def write_out(out: Path, arrays: dict[str, Any], submission: pd.DataFrame | None = None) -> Path:
    (out / "final").mkdir(parents=True, exist_ok=True)
    np.savez(out / "final" / "predictions.npz", **arrays)
    if submission is not None:
        submission.to_csv(out / "final" / "submission.csv", index=False)
    return out


def submission_of(problem: Problem, test_file: Path, test: Any) -> pd.DataFrame:
    """The submission that belongs to predictions for test rows."""
    frame = pd.read_csv(test_file, dtype=str, keep_default_na=False)
    made = pd.DataFrame(index=range(len(frame)))
    if problem.id_column:
        made[problem.id_column] = frame[problem.id_column]
    names = [name for name in problem.submission_columns if name != problem.id_column]
    if problem.submission == "probability":
        made[names[0]] = test[:, 1]
    elif problem.kind != "regression" and problem.submission == "value":
        made[names[0]] = np.array(problem.labels)[test.argmax(axis=1)]
    else:
        for at, name in enumerate(names):
            made[name] = test[:, at]
    return made
