"""Runs one AutoML peer on a task folder: `python peers.py NAME FOLDER SECONDS OUT.csv`.

Stands alone, because it runs in an environment of its own: the peers pin other versions than we do.
It gets what ours gets: the folder, the time, and what task.json says; `train.csv` as it is.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd

AUTOGLUON_METRICS = {
    "rmse": "root_mean_squared_error",
    "mae": "mean_absolute_error",
    "accuracy": "accuracy",
    "logloss": "log_loss",
    "auc": "roc_auc",
    "ap": "average_precision",
    "qwk": "quadratic_kappa",
}
FLAML_METRICS = {"logloss": "log_loss", "auc": "roc_auc"}
PROBABILITIES = ("logloss", "auc", "ap")


def predict_autogluon(task: dict[str, Any], folder: Path, seconds: float) -> Any:
    from autogluon.tabular import TabularPredictor

    train, test = _tables(task, folder)
    kinds = {"regression": "regression", "binary": "binary", "multiclass": "multiclass"}
    predictor = TabularPredictor(
        label=task["target"],
        eval_metric=AUTOGLUON_METRICS.get(task["metric"]),
        problem_type=kinds.get(task["kind"]),
        path=str(folder / "autogluon"),
        verbosity=1,
    )
    predictor.fit(train, time_limit=seconds, presets="good_quality")
    if task["metric"] in PROBABILITIES:
        return predictor.predict_proba(test)
    return predictor.predict(test)


def predict_flaml(task: dict[str, Any], folder: Path, seconds: float) -> Any:
    from flaml import AutoML

    train, test = _tables(task, folder)
    learner = AutoML()
    kind = "regression" if task["kind"] == "regression" else "classification"
    metric = FLAML_METRICS.get(task["metric"], task["metric"])
    if metric == "log_loss" or (metric == "roc_auc" and task["kind"] == "multiclass"):
        metric = "log_loss"
    learner.fit(
        X_train=train.drop(columns=task["target"]),
        y_train=train[task["target"]],
        task=kind,
        metric=metric,
        time_budget=seconds,
        verbose=0,
        ensemble=True,
    )
    if task["metric"] in PROBABILITIES:
        return pd.DataFrame(learner.predict_proba(test), columns=learner.classes_)
    return pd.Series(learner.predict(test))


def _tables(task: dict[str, Any], folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    train = pd.read_csv(folder / "train.csv")
    test = pd.read_csv(folder / "test.csv")
    key = task.get("id_column")
    return train.drop(columns=[key], errors="ignore"), test.drop(columns=[key], errors="ignore")


def submission(task: dict[str, Any], folder: Path, predicted: Any) -> pd.DataFrame:
    """In the columns that the task wants."""
    test = pd.read_csv(folder / "test.csv", dtype=str)
    made = pd.DataFrame({task["id_column"]: test[task["id_column"]]})
    answers = [name for name in task["submission_columns"] if name != task["id_column"]]
    if isinstance(predicted, pd.DataFrame):
        by_label = {str(name): predicted[name].to_numpy() for name in predicted.columns}
        if len(answers) == 1:
            made[answers[0]] = by_label[str(task["labels"][1])]
        else:
            for name, label in zip(answers, task["labels"], strict=True):
                made[name] = by_label[str(label)]
    else:
        made[answers[0]] = predicted.to_numpy()
    return made


def main() -> None:
    name, folder, seconds, out = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    task = json.loads((folder / "task.json").read_text())
    began = time.monotonic()
    predict = {"autogluon": predict_autogluon, "flaml": predict_flaml}[name]
    submission(task, folder, predict(task, folder, seconds)).to_csv(out, index=False)
    print(f"{time.monotonic() - began:.1f}")


if __name__ == "__main__":
    main()
