"""Metrics against scikit-learn's, and names in prose against what they mean."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies
from sklearn import metrics as known

from proveout.apps.mle.problem import Kind, Problem
from proveout.apps.mle.tables.metrics import METRICS
from proveout.apps.mle.tables.prose import spoken_of, standing


def problem(kind: Kind, count: int = 1) -> Problem:
    labels = tuple(str(at) for at in range(count)) if kind != "regression" else ()
    return Problem(
        name="p", kind=kind, metric="rmse", direction="minimize", targets=("y",), labels=labels
    )


BINARY, MANY, NUMBERS = problem("binary", 2), problem("multiclass", 4), problem("regression")


@given(strategies.integers(0, 10_000), strategies.booleans())
def test_two_classes_as_scikit_learn_has_them(seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    truth = np.append(rng.integers(0, 2, 40), [0, 1])
    share = rng.random(42).round(1 if ties else 6)
    both = np.column_stack([1 - share, share])
    chosen = both.argmax(axis=1)

    def ours(name: str) -> float:
        return METRICS[name].score(BINARY, truth, both)

    assert ours("auc") == pytest.approx(known.roc_auc_score(truth, share))
    assert ours("ap") == pytest.approx(known.average_precision_score(truth, share))
    assert ours("brier") == pytest.approx(known.brier_score_loss(truth, share))
    assert ours("f1") == pytest.approx(known.f1_score(truth, chosen, zero_division=0))
    assert ours("mcc") == pytest.approx(known.matthews_corrcoef(truth, chosen))
    assert ours("accuracy") == pytest.approx(known.accuracy_score(truth, chosen))


@given(strategies.integers(0, 10_000))
def test_many_classes_as_scikit_learn_has_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.append(rng.integers(0, 4, 60), range(4))
    shares = rng.dirichlet(np.ones(4), 64)
    chosen = shares.argmax(axis=1)
    expected = {
        "auc": known.roc_auc_score(truth, shares, multi_class="ovr"),
        "logloss": known.log_loss(truth, shares),
        "macro_f1": known.f1_score(truth, chosen, average="macro"),
        "micro_f1": known.f1_score(truth, chosen, average="micro"),
        "weighted_f1": known.f1_score(truth, chosen, average="weighted"),
        "balanced_accuracy": known.balanced_accuracy_score(truth, chosen),
        "kappa": known.cohen_kappa_score(truth, chosen, labels=range(4)),
        "qwk": known.cohen_kappa_score(truth, chosen, labels=range(4), weights="quadratic"),
    }
    for name, value in expected.items():
        assert METRICS[name].score(MANY, truth, shares) == pytest.approx(value), name


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("rmse", known.root_mean_squared_error),
        ("mse", known.mean_squared_error),
        ("mae", known.mean_absolute_error),
        ("medae", known.median_absolute_error),
        ("mape", known.mean_absolute_percentage_error),
        ("r2", known.r2_score),
        ("rmsle", known.root_mean_squared_log_error),
    ],
)
def test_numbers(name: str, reference: Callable[[Any, Any], float]) -> None:
    rng = np.random.default_rng(1)
    truth, value = rng.random((50, 1)) * 9, rng.random((50, 1)) * 9
    assert METRICS[name].score(NUMBERS, truth, value) == pytest.approx(reference(truth, value))
    two = np.hstack([truth, value])
    mean = (reference(truth, value) + reference(value, truth)) / 2
    assert METRICS[name].score(NUMBERS, two, two[:, ::-1]) == pytest.approx(mean)


def test_logloss_clips_and_then_divides() -> None:
    shares = np.array([[0.0, 1.0, 0.0, 0.0], [0.2, 0.2, 0.2, 0.2]])
    score = METRICS["logloss"].score(MANY, np.array([0, 1]), shares)
    wanted = (-np.log(1e-15 / (1 - 1e-15 + 3e-15)) - np.log(0.25)) / 2
    assert score == pytest.approx(wanted)


def test_decisions_come_before_the_largest_share() -> None:
    shares = np.array([[0.9, 0.1], [0.8, 0.2]])
    truth = np.array([1, 1])
    assert METRICS["accuracy"].score(BINARY, truth, shares) == 0
    assert METRICS["accuracy"].score(BINARY, truth, shares, np.array([1, 1])) == 1


@pytest.mark.parametrize("name", ["auc", "ap"])
def test_not_defined_is_not_a_number(name: str) -> None:
    shares = np.full((3, 2), 0.5)
    assert np.isnan(METRICS[name].score(BINARY, np.zeros(3, dtype=int), shares))
    assert np.isnan(METRICS[name].score(BINARY, np.zeros(0, dtype=int), shares[:0]))


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_knows_its_better_end(name: str) -> None:
    metric = METRICS[name]
    rng = np.random.default_rng(0)
    about = NUMBERS if metric.needs == "values" else BINARY
    truth = rng.integers(0, 2, 200) if about is BINARY else rng.random(200) + 1
    good = np.eye(2)[truth] * 0.8 + 0.1 if about is BINARY else truth[:, None] * 1.01
    bad = rng.permutation(good)
    assert metric.better(metric.score(about, truth, good), metric.score(about, truth, bad))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Submissions are judged on the area under the receiver operating characteristic", "auc"),
        ("ROC-AUC", "auc"),
        ("roc_auc_score", "auc"),
        ("area under the precision-recall curve", "ap"),
        ("Root Mean Squared Logarithmic Error (RMSLE)", "rmsle"),
        ("root-mean-square deviation", "rmse"),
        ("MCRMSE, the mean columnwise root mean squared error", "rmse"),
        ("Multi-class logarithmic loss", "logloss"),
        ("categorical cross-entropy", "logloss"),
        ("macro-averaged F1 score", "macro_f1"),
        ("F1 (weighted): weighted F1-score", "weighted_f1"),
        ("balanced accuracy", "balanced_accuracy"),
        ("Percentage of correctly classified images", "accuracy"),
        ("Quadratic Weighted Kappa", "qwk"),
        ("Matthews' correlation coefficient", "mcc"),
        ("Median Absolute Error", "medae"),
        ("sMAPE", "smape"),
        ("coefficient of determination R²", "r2"),
        ("Cohen's kappa with quadratic weights", "qwk"),
        ("the average of the individual AUCs of each column", "auc"),
        ("area under the precision–recall curve", "ap"),
        ("the F₁ score, averaged with equal weight over the classes (macro)", "macro_f1"),
        ("the unweighted mean of the per-class F1 scores", "macro_f1"),
        ("F1 score, micro averaged", "micro_f1"),
        ("RMSE between the logarithm of the price and its forecast", "rmsle"),
        ("RMSE of log1p", "rmsle"),
        ("RMSE and log loss", "rmse"),
        ("mean absolute percent error", "mape"),
        ("weighted mean absolute error", ""),
        ("pinball loss", ""),
        ("MAP@3, the mean average precision at 3", ""),
        ("top-5 accuracy", ""),
        ("a maelstrom of opinions about romance", ""),
        ("", ""),
    ],
)
def test_metrics_in_prose(text: str, name: str) -> None:
    assert standing(text) == name


def test_metrics_that_are_not_computed_are_spoken_of() -> None:
    assert spoken_of("The pinball loss, a kind of mean absolute error") == ["pinball loss", "mae"]
    assert spoken_of("F1 for every class; macro F1 counts") == ["macro_f1"]


def test_a_longer_name_hides_the_shorter_one_inside() -> None:
    assert spoken_of("root mean squared error, not accuracy") == ["rmse", "accuracy"]
