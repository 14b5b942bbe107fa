"""The catalogue: which models there are, when they fit, what they cost, how they start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from proveout.apps.mle.experts.card_values import (
    ABSOLUTE,
    SCALE,
    SERIES_SECONDS_PER_ROW,
    Parameters,
    boosting_cost,
    catboost_start,
    classes_only,
    few_rows,
    forest_cost,
    forest_start,
    has_table,
    histogram_start,
    is_series,
    lightgbm_start,
    likeness_cost,
    likeness_prior,
    linear_cost,
    linear_start,
    net_cost,
    net_start,
    quadratic_cost,
    random_lightgbm_start,
    support_start,
    table_prior,
    text_classes,
    text_cost,
    text_prior,
    xgboost_start,
)
from proveout.apps.mle.experts.ordered import ordered_cost, ordered_prior, ordered_start
from proveout.apps.mle.problem import Problem


@dataclass(frozen=True)
class Card:
    """A model family: what it is, and how it starts on a problem."""

    name: str
    title: str
    """What it is, for a person."""
    fit: str
    """The function in `blocks` that trains it."""
    family: str
    """Cards of a family make similar mistakes."""
    parameters: Callable[[Problem], Parameters]
    prior: Callable[[Problem], float]
    """How promising it is before anything ran, 0 to 1; nought: it does not fit."""
    cost: Callable[[Problem], float]
    """Seconds of one core for a whole script with five folds, roughly."""
    text: bool = False
    """Sees free text word by word."""
    clocked: bool = False
    """Stops in time, with fewer trees: what it costs is what it would like to have."""


ALL = (
    Card(
        "lightgbm",
        "LightGBM, gradient-boosted trees",
        "fit_lightgbm",
        "boosting",
        lightgbm_start,
        table_prior(0.9, 0.7),
        boosting_cost(1.0e-8, 1.2e-3, 400),
        clocked=True,
    ),
    Card(
        "catboost",
        "CatBoost, ordered boosting of symmetric trees",
        "fit_catboost",
        "catboost",
        catboost_start,
        table_prior(0.88, 0.8),
        boosting_cost(1.2e-8, 3e-3, 450),
        clocked=True,
    ),
    Card(
        "xgboost",
        "XGBoost, gradient-boosted trees",
        "fit_xgboost",
        "boosting",
        xgboost_start,
        table_prior(0.8, 0.6),
        boosting_cost(1.3e-8, 1.5e-3, 400),
        clocked=True,
    ),
    Card(
        "lightgbm_random",
        "LightGBM with cuts at random places",
        "fit_lightgbm",
        "random boosting",
        random_lightgbm_start,
        table_prior(0.65, 0.6),
        boosting_cost(1.0e-8, 1.2e-3, 500),
        clocked=True,
    ),
    Card(
        "lightgbm_ordered",
        "LightGBM on the places of classes in their order",
        "fit_lightgbm",
        "ordered boosting",
        ordered_start(lightgbm_start),
        ordered_prior(0.97, 0.9),
        ordered_cost(boosting_cost(1.0e-8, 1.2e-3, 400)),
        clocked=True,
    ),
    Card(
        "catboost_ordered",
        "CatBoost on the places of classes in their order",
        "fit_catboost",
        "ordered catboost",
        ordered_start(catboost_start),
        ordered_prior(0.95, 0.92),
        ordered_cost(boosting_cost(1.2e-8, 3e-3, 450)),
        clocked=True,
    ),
    Card(
        "extra_trees",
        "extremely randomised trees",
        "fit_extra_trees",
        "forest",
        forest_start,
        table_prior(0.6, 0.75),
        forest_cost,
    ),
    Card(
        "net",
        "small neural nets",
        "fit_net",
        "net",
        net_start,
        table_prior(0.5, 0.45),
        net_cost,
    ),
    Card(
        "linear",
        "logistic or ridge regression on scaled columns",
        "fit_linear",
        "linear",
        linear_start,
        table_prior(0.45, 0.7),
        linear_cost,
    ),
    Card(
        "histogram_boosting",
        "scikit-learn's boosting on histograms",
        "fit_histogram_boosting",
        "boosting",
        histogram_start,
        # LightGBM's way, without a clock and slower.
        table_prior(0.25),
        boosting_cost(1.5e-8, 3e-3, 300),
    ),
    Card(
        "random_forest",
        "random forest",
        "fit_random_forest",
        "forest",
        forest_start,
        table_prior(0.35),
        lambda p: 2 * forest_cost(p),
    ),
    Card(
        "neighbours",
        "nearest neighbours",
        "fit_neighbours",
        "neighbours",
        lambda p: {**SCALE, "n_neighbors": 5 if p.kind == "multiclass" else 20},
        few_rows(0.3, 30_000),
        quadratic_cost(2e-9),
    ),
    Card(
        "discriminant",
        "linear discriminants with shrinkage",
        "fit_discriminant",
        "density",
        lambda _: {**SCALE},
        classes_only(0.4, 100_000),
        linear_cost,
    ),
    Card(
        "curved_discriminant",
        "quadratic discriminants, regularised",
        "fit_discriminant",
        "density",
        # Shrunk by a fixed share: what is estimated may be none, and a class that never varies in
        # some column has no density then.
        lambda _: {**SCALE, "curved": True, "solver": "eigen", "shrinkage": 0.3},
        classes_only(0.1, 50_000),
        linear_cost,
    ),
    Card(
        "support_vectors",
        "support vectors with radial kernels",
        "fit_support_vectors",
        "kernel",
        support_start,
        few_rows(0.5, 8_000),
        quadratic_cost(2e-8),
    ),
    Card(
        "likeness",
        "logistic or ridge regression on likeness to training rows (kernels)",
        "fit_likeness",
        "kernel",
        lambda _: {**SCALE, "reach": 0.5, "anchors": 600, "strength": 100.0},
        likeness_prior,
        likeness_cost,
    ),
    Card(
        "gaussian_process",
        "Gaussian process",
        "fit_gaussian_process",
        "kernel",
        lambda _: {**SCALE, "rows": 1500},
        lambda p: 0.3 if p.kind == "regression" and has_table(p) and p.rows <= 2_000 else 0.0,
        lambda _: 30.0,
    ),
    Card(
        "text_bayes",
        "naive Bayes on weighted words",
        "fit_naive_bayes",
        "bayes",
        lambda _: {"words": 2, "alpha": 0.03},
        text_classes(0.95),
        text_cost(5e-6),
        text=True,
    ),
    Card(
        "text_ratio",
        "words weighted by naive Bayes, then logistic (NB-SVM)",
        "fit_text_linear",
        "text",
        lambda _: {"words": 2, "strength": 30.0, "smoothing": 0.1},
        text_classes(0.9),
        text_cost(1e-5),
        text=True,
    ),
    Card(
        "text_pieces",
        "logistic or ridge regression on pieces of words",
        "fit_text_linear",
        "pieces",
        lambda p: (
            {"pieces": 4, "strength": 1.0}
            if p.kind == "regression"
            else {"pieces": 4, "strength": 30.0, "smoothing": 0.1}
        ),
        text_prior(0.88),
        text_cost(3e-5),
        text=True,
    ),
    Card(
        "text_bayes_pieces",
        "naive Bayes on pieces of words",
        "fit_naive_bayes",
        "bayes",
        lambda _: {"pieces": 4, "alpha": 0.02},
        text_classes(0.6),
        text_cost(2e-5),
        text=True,
    ),
    Card(
        "text_linear",
        "logistic or ridge regression on words, and on the table if there is one",
        "fit_text_linear",
        "text",
        lambda p: {
            "words": 2,
            "strength": 30.0 if p.kind != "regression" else 1.0,
            "table": has_table(p),
        },
        text_prior(0.7, alone=0.5),
        text_cost(1e-5),
        text=True,
    ),
    Card(
        "naive",
        "what the series had last, or a season ago",
        "fit_naive",
        "naive",
        lambda _: {},
        # Among the first: whoever cannot beat it has learnt nothing of the series.
        lambda p: 0.62 if is_series(p) else 0.0,
        lambda p: 2.0 + SERIES_SECONDS_PER_ROW * p.rows,
    ),
    Card(
        "dummy",
        "the same answer for every row",
        "fit_dummy",
        "dummy",
        lambda p: {"strategy": "median" if p.metric in ABSOLUTE else "mean"},
        lambda _: 0.01,
        lambda _: 2.0,
    ),
)
CARDS: Mapping[str, Card] = {card.name: card for card in ALL}
