"""Forests, linear models, distances, densities and nets."""

import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import SplineTransformer
from sklearn.svm import SVC, SVR

from proveout.apps.mle.experts.blocks.part import Part, all_classes, out_of_time, predicted, seen
from proveout.apps.mle.experts.blocks.recent import closest, recent_values
from proveout.apps.mle.experts.blocks.series import lagged_values
from proveout.apps.mle.experts.blocks.settings import LABELS, THREADS, TIMES
from proveout.apps.mle.experts.blocks.views import (
    dense_view,
    every_view,
    power_view,
    tree_view,
)

WORTH_A_STEP = 0.005
"""Share of the loss by which another strength is better or worse: less is chance."""


def quietly(fit: Callable[..., Any], *rows: Any, **more: Any) -> Any:
    """A bound on the steps is intended; that it was reached is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(*rows, **more)


def fit_dummy(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Says the same for every row: what any model must beat."""
    model = DummyClassifier(strategy="prior") if LABELS else DummyRegressor(**options)
    return predicted(model.fit(np.zeros((len(part.y), 1)), part.y), part.others)


def fit_naive(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Repeats the series: the lag or guess that was nearest to training rows, else the last."""
    del options
    tables = zip(lagged_values(part), recent_values(part), strict=True)
    own, *others = (pd.concat(both, axis=1).drop(columns="distance") for both in tables)
    lag = closest(own, part.y)
    usual = float(np.median(part.y))
    found = [rows[lag].fillna(rows["last known"]).fillna(usual) for rows in others]
    return [values.to_numpy(dtype="float64").reshape(-1, 1) for values in found]


def coded_view(part: Part) -> list[np.ndarray]:
    """Numbers only; names by their code; far below everything where a value is missing."""
    tables = [table.copy() for table in seen(part, tree_view)]
    for table in tables:
        for name in table.select_dtypes("category").columns:
            table[name] = table[name].cat.codes.astype("float64")
    return [table.fillna(-1e6).to_numpy(dtype="float32") for table in tables]


def fit_forest(part: Part, model: Any, trees: int) -> list[np.ndarray]:
    """Trees in batches, as many as the time allows."""
    x, *others = seen(part, coded_view)
    model.set_params(warm_start=True, n_estimators=0)
    while model.n_estimators < trees and not (model.n_estimators and out_of_time(part)):
        model.set_params(n_estimators=min(trees, model.n_estimators + 50))
        model.fit(x, part.y, sample_weight=part.weight)
    return predicted(model, others)


def fit_extra_trees(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Trees with cuts at random places: no single column can dominate."""
    settings = {"n_jobs": THREADS, "random_state": part.seed, **options}
    trees = settings.pop("trees")
    kind = ExtraTreesClassifier if LABELS else ExtraTreesRegressor
    return fit_forest(part, kind(**settings), trees)


def fit_random_forest(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Trees on resampled rows."""
    settings = {"n_jobs": THREADS, "random_state": part.seed, **options}
    trees = settings.pop("trees")
    kind = RandomForestClassifier if LABELS else RandomForestRegressor
    return fit_forest(part, kind(**settings), trees)


def scaled_as(part: Part, options: dict[str, Any]) -> tuple[list[np.ndarray], dict[str, Any]]:
    """The rows in the scale that the options ask for, and the other options."""
    settings = dict(options)
    views = {"ranks": dense_view, "power": power_view, "every": every_view}
    return seen(part, views[settings.pop("scale", "ranks")]), settings


def fit_linear(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Logistic or ridge regression; with splines, smooth curves instead of straight lines."""
    (x, *others), settings = scaled_as(part, options)
    knots, strength = settings.pop("knots", 0), settings.pop("strength", 1.0)
    if knots:
        curves = SplineTransformer(knots, degree=3, knots="quantile", extrapolation="linear")
        bent = np.array([len(np.unique(column[:2000])) > 3 * knots for column in x.T])
        if bent.any():
            curves.fit(x[:, bent])
            x, *others = [
                np.hstack([rows, curves.transform(rows[:, bent])]) for rows in [x, *others]
            ]
    return predicted(fitted_linear(part, x, best_strength(part, x, strength)), others)


def fitted_linear(part: Part, x: np.ndarray, strength: float, rows: Any = slice(None)) -> Any:
    """A logistic or ridge regression on these of the training rows."""
    model: Any = LogisticRegression(C=strength, max_iter=300) if LABELS else Ridge(1 / strength)
    return quietly(model.fit, x[rows], part.y[rows], sample_weight=part.weight[rows])


def best_strength(part: Part, x: np.ndarray, strength: float, factor: float = 10.0) -> float:
    """How far to trust the data: steps away from the given strength, as long as rows that are not
    learnt from are not told worse. How much of a table is noise is not known before."""
    trials = [(learn, watch) for learn, watch in trial_rows(part) if can_be_learnt(part.y[learn])]
    if not trials or out_of_time(part):
        return strength
    began = time.monotonic()
    trial_loss(part, x, strength, trials[:1])
    took = (time.monotonic() - began) * len(trials)
    # This strength, another one, and the fit on all rows.
    if time.monotonic() + 3.0 * took > part.deadline:
        return strength
    best, least = strength, trial_loss(part, x, strength, trials)
    # Further towards less trust than towards more: what looks better there is mostly chance.
    for step, most in ((1.0 / factor, 5), (factor, 1)):
        for number in range(1, 1 + most if best == strength else 1):
            if time.monotonic() + 2.0 * took > part.deadline:
                return best
            loss = trial_loss(part, x, strength * step**number, trials)
            if loss > (1.0 + WORTH_A_STEP) * least:
                break
            if loss < (1.0 - WORTH_A_STEP) * least:
                best, least = strength * step**number, loss
    return best


def trial_rows(part: Part, count: int = 3, parts: int = 8) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training rows to learn from and others to watch: the latest, those before, and so on, or
    whole groups of rows by chance."""
    if TIMES:
        days = part.times[0]["day"].to_numpy()
        edges = np.quantile(days, 1.0 - np.arange(count + 1) / parts)
        edges[0] = np.inf
        pairs = [(days < low, (days >= low) & (days < high)) for high, low in pairwise(edges)]
    else:
        keys, place = np.unique(part.keys, return_inverse=True)
        number = np.random.default_rng(part.seed).permutation(len(keys))[place] % parts
        pairs = [(number != at, number == at) for at in range(count)]
    # Most rows may be of one moment: the few before it do not tell how far to trust all.
    return [(learn, watch) for learn, watch in pairs if learn.mean() >= 0.5 and watch.any()]


def can_be_learnt(y: np.ndarray) -> bool:
    """Values, or more than one class."""
    return not LABELS or len(np.unique(y)) > 1


def trial_loss(part: Part, x: np.ndarray, strength: float, trials: list[Any]) -> float:
    """Log loss or squared error of the watched rows."""
    total = weights = 0.0
    for learn, watch in trials:
        model = fitted_linear(part, x, strength, learn)
        if LABELS:
            # A class that is not learnt is missed at any strength.
            watch = watch & np.isin(part.y, model.classes_)
        y, weight = part.y[watch], part.weight[watch]
        if LABELS:
            chances = all_classes(model.predict_proba(x[watch]), model.classes_)
            losses = -np.log(np.clip(chances[np.arange(len(y)), y.astype(int)], 1e-9, 1.0))
        else:
            losses = (y - model.predict(x[watch]).reshape(y.shape)) ** 2
        total, weights = total + float(weight @ losses), weights + float(weight.sum())
    return total / max(weights, 1e-12)


def fit_neighbours(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """What the nearest training rows say."""
    (x, *others), settings = scaled_as(part, options)
    kind = KNeighborsClassifier if LABELS else KNeighborsRegressor
    return predicted(kind(weights="distance", n_jobs=THREADS, **settings).fit(x, part.y), others)


def fit_discriminant(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """One bell shape for each class; widths shared, or shrunk and one for each class."""
    (x, *others), settings = scaled_as(part, options)
    if settings.pop("curved", False):
        model: Any = QuadraticDiscriminantAnalysis(**settings)
    else:
        model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", **settings)
    return predicted(model.fit(x.astype("float64"), part.y), others)


def fit_support_vectors(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Support vectors with radial kernels."""
    (x, *others), settings = scaled_as(part, options)
    settings = {"cache_size": 500, **settings}
    if LABELS:
        splits = KFold(3, shuffle=True, random_state=part.seed).split(x)
        model: Any = CalibratedClassifierCV(
            SVC(**settings), method="temperature", cv=list(splits), ensemble=False
        )
    else:
        model = SVR(**settings)
    return predicted(model.fit(x, part.y, sample_weight=part.weight), others)


def fit_likeness(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Logistic or ridge regression on how much a row is like some of the training rows."""
    (x, *others), settings = scaled_as(part, options)
    likeness = Nystroem(
        gamma=settings["reach"] / x.shape[1],
        n_components=min(settings["anchors"], len(x)),
        random_state=part.seed,
    ).fit(x)
    x, *others = [likeness.transform(rows) for rows in [x, *others]]
    strength = settings["strength"]
    model: Any = LogisticRegression(C=strength, max_iter=300) if LABELS else Ridge(1 / strength)
    return predicted(quietly(model.fit, x, part.y, sample_weight=part.weight), others)


def fit_gaussian_process(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """A smooth surface through the training rows, with its own noise."""
    (x, *others), settings = scaled_as(part, options)
    chosen = np.random.default_rng(part.seed).permutation(len(x))[: settings["rows"]]
    kernel = ConstantKernel(1.0) * RBF(np.sqrt(x.shape[1]))
    if LABELS:
        model: Any = GaussianProcessClassifier(kernel, random_state=part.seed)
    else:
        model = GaussianProcessRegressor(
            kernel + WhiteKernel(0.1), normalize_y=True, random_state=part.seed
        )
    return predicted(model.fit(x[chosen], part.y[chosen]), others)


def fit_net(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """Small neural nets, averaged; targets are scaled because nets start near nought."""
    (x, *others), settings = scaled_as(part, options)
    settings = {"early_stopping": True, "n_iter_no_change": 8, **settings}
    nets = settings.pop("nets")
    settings["batch_size"] = min(settings["batch_size"], len(part.y) // 2)
    middle, width = (0.0, 1.0) if LABELS else (part.y.mean(), part.y.std() + 1e-12)
    kind = MLPClassifier if LABELS else MLPRegressor
    total, made = [], 0
    while made < nets and not (made and out_of_time(part)):
        model = kind(random_state=part.seed + made, **settings)
        y = part.y if LABELS else (part.y - middle) / width
        quietly(model.fit, x, y, sample_weight=part.weight)
        total.append(predicted(model, others))
        made += 1
    return [np.mean(same, axis=0) * width + middle for same in zip(*total, strict=True)]
