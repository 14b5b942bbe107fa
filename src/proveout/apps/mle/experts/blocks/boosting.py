"""Boosted trees. The number of trees is found with rows of the training part set aside."""

from typing import Any

import catboost
import lightgbm as lgb
import numpy as np
import pandas as pd
import xgboost
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from proveout.apps.mle.experts.blocks.part import Part, out_of_time, predicted, seen, two_columns
from proveout.apps.mle.experts.blocks.settings import LABELS, THREADS
from proveout.apps.mle.experts.blocks.views import (
    joined,
    name_columns,
    tree_view,
    with_fitted,
)


def numbered(rows: pd.DataFrame) -> pd.DataFrame:
    """Columns without names: some libraries refuse brackets and the like in them."""
    return rows.set_axis([f"f{position}" for position in range(rows.shape[1])], axis=1)


def trees_for_all(found: int, part: Part) -> int:
    """Trees for all training rows, if so many were best without those that told when to stop."""
    return int(found * len(part.stop) / (~part.stop).sum()) + 1


NARROWEST = 0.3
"""Of probabilities around a number, in classes: narrower ones leave no order within a class."""


def near_classes(values: np.ndarray, missed: np.ndarray) -> np.ndarray:
    """Probabilities of ordered classes around a number, as wide as it missed other rows."""
    width = max(float(np.sqrt(np.mean(missed**2))), NARROWEST)
    away = ((values[:, None] - np.arange(len(LABELS))) / width) ** 2
    likely = np.exp(0.5 * (away.min(axis=1, keepdims=True) - away))
    return likely / likely.sum(axis=1, keepdims=True)


def fit_lightgbm(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """LightGBM, with categories as they are; of ordered classes it learns the place."""
    x, *others = [numbered(rows) for rows in seen(part, tree_view)]
    settings = {"num_threads": THREADS, "seed": part.seed, "verbosity": -1, **options}
    rounds, patience = settings.pop("rounds"), settings.pop("patience")
    refit, ordered = settings.pop("refit", False), settings.pop("ordered", False)
    if LABELS and not ordered:
        settings["objective"] = "binary" if len(LABELS) == 2 else "multiclass"
        settings |= {} if len(LABELS) == 2 else {"num_class": len(LABELS)}

    def clock(env: Any) -> None:
        if out_of_time(part):
            raise lgb.callback.EarlyStopException(env.iteration, env.evaluation_result_list)

    learn = ~part.stop
    data = lgb.Dataset(x[learn], part.y[learn], weight=part.weight[learn])
    watch = data.create_valid(x[part.stop], part.y[part.stop], weight=part.weight[part.stop])
    calls: list[Any] = [lgb.early_stopping(patience, verbose=False), clock]
    model = lgb.train(settings, data, rounds, valid_sets=[watch], callbacks=calls)
    missed = part.y[part.stop] - np.asarray(model.predict(x[part.stop])) if ordered else None
    if refit and not out_of_time(part):
        trees = trees_for_all(model.best_iteration, part)
        model = lgb.train(settings, lgb.Dataset(x, part.y, weight=part.weight), trees)
    found = [model.predict(rows) for rows in others]
    if missed is not None:
        return [near_classes(np.asarray(values), missed) for values in found]
    if len(LABELS) == 2:
        return [two_columns(np.asarray(chance)) for chance in found]
    return [np.asarray(values).reshape(len(values), -1) for values in found]


class XgboostClock(xgboost.callback.TrainingCallback):
    """Ends training when the fit's time is up."""

    def __init__(self, part: Part) -> None:
        super().__init__()
        self.part = part

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        del model, epoch, evals_log
        return out_of_time(self.part)


def fit_xgboost(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """XGBoost with histograms, categories as they are."""
    x, *others = [numbered(rows) for rows in seen(part, tree_view)]
    settings = {"nthread": THREADS, "seed": part.seed, "tree_method": "hist", **options}
    rounds, patience = settings.pop("rounds"), settings.pop("patience")
    refit = settings.pop("refit", False)
    if LABELS:
        settings["objective"] = "binary:logistic" if len(LABELS) == 2 else "multi:softprob"
        settings |= {} if len(LABELS) == 2 else {"num_class": len(LABELS)}

    def matrix(rows: np.ndarray) -> xgboost.DMatrix:
        chosen = {"label": part.y[rows], "weight": part.weight[rows]}
        return xgboost.DMatrix(x[rows], enable_categorical=True, **chosen)

    model = xgboost.train(
        settings,
        matrix(~part.stop),
        rounds,
        evals=[(matrix(part.stop), "stop")],
        early_stopping_rounds=patience,
        verbose_eval=False,
        callbacks=[XgboostClock(part)],
    )
    # The clock may have ended it before there was a best one.
    trees = (0, getattr(model, "best_iteration", model.num_boosted_rounds() - 1) + 1)
    if refit and not out_of_time(part):
        trees = (0, trees_for_all(trees[1], part))
        model = xgboost.train(settings, matrix(np.ones(len(part.y), dtype=bool)), trees[1])
    found = [
        model.predict(xgboost.DMatrix(rows, enable_categorical=True), iteration_range=trees)
        for rows in others
    ]
    if len(LABELS) == 2:
        return [two_columns(np.asarray(chance)) for chance in found]
    return [np.asarray(values).reshape(len(values), -1) for values in found]


def names_view(part: Part) -> list[pd.DataFrame]:
    """For a model that has its own way with names: all of them, as strings."""
    words = [rows[name_columns(rows)].astype("str") for rows in part.tables]
    return joined([seen(part, with_fitted), words])


class CatboostClock:
    """Ends training when the fit's time is up."""

    def __init__(self, part: Part) -> None:
        self.part = part

    def after_iteration(self, info: Any) -> bool:
        del info
        return not out_of_time(self.part)


def fit_catboost(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """CatBoost: ordered statistics of names, symmetric trees; of ordered classes the place."""
    x, *others = seen(part, names_view)
    names = name_columns(x)
    settings = {
        "random_seed": part.seed,
        "thread_count": THREADS,
        "allow_writing_files": False,
        "verbose": False,
        **options,
    }
    patience, refit = settings.pop("patience"), settings.pop("refit", False)
    ordered = settings.pop("ordered", False)
    if LABELS and not ordered:
        settings["loss_function"] = "Logloss" if len(LABELS) == 2 else "MultiClass"

    def pool(rows: np.ndarray) -> catboost.Pool:
        weight = part.weight[rows]
        return catboost.Pool(x[rows], part.y[rows], weight=weight, cat_features=names)

    classes = LABELS and not ordered
    kind = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
    model = kind(**settings).fit(
        pool(~part.stop),
        eval_set=pool(part.stop),
        early_stopping_rounds=patience,
        callbacks=[CatboostClock(part)],
    )
    missed = part.y[part.stop] - model.predict(pool(part.stop)) if ordered else None
    if refit and not out_of_time(part):
        settings["iterations"] = trees_for_all(model.tree_count_, part)
        model = kind(**settings).fit(pool(np.ones(len(part.y), dtype=bool)))
    pools = [catboost.Pool(rows, cat_features=names) for rows in others]
    if missed is not None:
        return [near_classes(model.predict(rows), missed) for rows in pools]
    return predicted(model, pools)


def fit_histogram_boosting(part: Part, options: dict[str, Any]) -> list[np.ndarray]:
    """scikit-learn's boosting on histograms."""
    x, *others = [numbered(rows) for rows in seen(part, tree_view)]
    kind = HistGradientBoostingClassifier if LABELS else HistGradientBoostingRegressor
    model = kind(random_state=part.seed, categorical_features="from_dtype", **options)
    model.fit(x, part.y, sample_weight=part.weight)
    return predicted(model, others)
