"""Where a metric is not defined, scripts and the harness leave out the same."""

import numpy as np
import pytest

from proveout.apps.mle.experts.blocks import scores
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.tables.metrics import METRICS

CLASSES = {"binary": ("no", "yes"), "multiclass": ("a", "b", "c"), "regression": ()}
GIVEN = np.random.default_rng(0).dirichlet([1, 1, 1], 12)


def alike(
    monkeypatch: pytest.MonkeyPatch, kind: str, metric: str, truth: np.ndarray, given: np.ndarray
) -> float:
    """The score, if both say the same."""
    labels = CLASSES[kind]
    targets = [f"t{place}" for place in range(1 if labels else truth.shape[1])]
    about = Problem.model_validate(
        {
            "name": "x", "kind": kind, "metric": metric, "labels": labels, "targets": targets,
            "direction": METRICS[metric].direction,
        }
    )  # fmt: skip
    # A written script carries this constant itself.
    monkeypatch.setattr(scores, "LABELS", labels)
    chosen = given.argmax(axis=1)
    found: float = getattr(scores, metric)(truth, given, chosen)
    assert found == pytest.approx(METRICS[metric].score(about, truth, given, chosen), nan_ok=True)
    return found


@pytest.mark.parametrize("metric", ["auc", "ap"])
@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_a_fold_with_one_class(monkeypatch: pytest.MonkeyPatch, kind: str, metric: str) -> None:
    truth = np.zeros(12, dtype=int)
    assert np.isnan(alike(monkeypatch, kind, metric, truth, GIVEN[:, : len(CLASSES[kind])]))


def test_nothing_but_the_class_that_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = np.ones(12, dtype=int)
    assert np.isnan(alike(monkeypatch, "binary", "auc", truth, GIVEN[:, :2]))
    assert alike(monkeypatch, "binary", "ap", truth, GIVEN[:, :2]) == 1.0


@pytest.mark.parametrize("metric", ["kappa", "mcc", "macro_f1", "balanced_accuracy", "f1"])
def test_one_class_that_is_chosen_throughout(monkeypatch: pytest.MonkeyPatch, metric: str) -> None:
    given = np.tile([0.9, 0.1], (12, 1))
    assert np.isfinite(alike(monkeypatch, "binary", metric, np.zeros(12, dtype=int), given))


@pytest.mark.parametrize("metric", ["auc", "ap"])
def test_a_rare_target_among_several(monkeypatch: pytest.MonkeyPatch, metric: str) -> None:
    truth = np.column_stack([np.arange(12) % 2, np.zeros(12), np.arange(12) % 3 == 0]).astype(float)
    assert np.isfinite(alike(monkeypatch, "regression", metric, truth, GIVEN))
    assert np.isnan(alike(monkeypatch, "regression", metric, np.zeros((12, 3)), GIVEN))


def test_a_target_that_does_not_vary(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = np.column_stack([np.arange(12.0), np.full(12, 3.0)])
    assert np.isfinite(alike(monkeypatch, "regression", "r2", truth, GIVEN[:, :2]))
    assert np.isnan(alike(monkeypatch, "regression", "r2", np.full((12, 1), 3.0), GIVEN[:, :1]))
