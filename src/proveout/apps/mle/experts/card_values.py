"""How models start on a problem, how promising they are and what they cost: rules of thumb."""

from collections.abc import Callable

from pydantic import JsonValue

from proveout.apps.mle.experts.measures import SHARES
from proveout.apps.mle.problem import Problem

Parameters = dict[str, JsonValue]
ABSOLUTE = ("mae", "mape", "smape", "medae")
"""Metrics that are best served by medians."""


WIDE = 40
"""Columns above which boosters take a part of them for each tree."""
MOST_FLAG_VALUES, FLAG_SAVES = 3, 0.7
"""A column with hardly any values, and the part of a whole one's cost that it does not have."""
WORDS_PER_COLUMN = 2.0
SCALING = 4e-6
"""Seconds for a number to be brought to the scale of smooth models, in all folds."""
SERIES_COLUMNS, SERIES_SECONDS_PER_ROW = 16, 5e-5
"""What lags and the calendar add, and how long they take to make, in all folds."""


def classes(problem: Problem) -> int:
    """Models that a multi-class boosting trains per round; targets for regression."""
    if problem.kind == "multiclass":
        return len(problem.labels)
    return max(1, len(problem.targets)) if problem.kind == "regression" else 1


def table_width(problem: Problem) -> int:
    """Columns a model sees, with what features are likely to add."""
    plain = [column for column in problem.features if column.kind not in ("text", "id", "constant")]
    dates = sum(column.kind == "date" for column in plain)
    return len(plain) + 6 * dates + min(20, len(plain)) + SERIES_COLUMNS * is_series(problem)


def cells(problem: Problem) -> int:
    return problem.rows * table_width(problem)


def cells_per_tree(problem: Problem) -> float:
    """Flags are bundled, and of many columns a tree looks at about half."""
    flags = sum(0 < column.unique <= MOST_FLAG_VALUES for column in problem.features)
    width = table_width(problem) - FLAG_SAVES * flags
    return problem.rows * (min(width, WIDE) + 0.5 * max(0.0, width - WIDE))


def is_series(problem: Problem) -> bool:
    """Whether lags and the like are made of earlier targets."""
    return bool(problem.time) and problem.kind == "regression"


def has_table(problem: Problem) -> bool:
    """Whether there is anything but free text."""
    return any(c.kind in ("number", "category", "boolean", "date") for c in problem.features)


def has_text(problem: Problem) -> bool:
    """Text of several words, worth looking at word by word."""
    return any(column.kind == "text" and column.words >= 3 for column in problem.features)


def boosting_cost(per_cell: float, per_tree: float, trees: int) -> Callable[[Problem], float]:
    def cost(problem: Problem) -> float:
        views = SERIES_SECONDS_PER_ROW * problem.rows * is_series(problem)
        per_step = per_tree + per_cell * cells_per_tree(problem)
        return 5 * trees * classes(problem) * per_step + views + 2.0

    return cost


def table_prior(value: float, small: float | None = None) -> Callable[[Problem], float]:
    """How promising on tables; with another value where rows are few."""

    def prior(problem: Problem) -> float:
        if not has_table(problem):
            return 0.0
        few = small is not None and problem.rows < 3_000
        return small if few and small is not None else value

    return prior


def lightgbm_start(problem: Problem) -> Parameters:
    regression = problem.kind == "regression"
    small = problem.rows < 3_000
    # Holidays are few: rows in order need small leaves, however many columns there are.
    wide = table_width(problem) > WIDE and not problem.time
    large = 64 if problem.time or (problem.rows > 10_000 and not wide) else 31
    chosen: Parameters = {
        "learning_rate": 0.05 if regression else 0.04,
        "num_leaves": 31 if small else (large if regression else 50),
        "min_data_in_leaf": (20 if wide else 5) if regression else (10 if small else 40),
        "bagging_fraction": 0.75,
        "bagging_freq": 1,
        "feature_fraction": 0.5 if wide else 0.7,
        "lambda_l2": 1.0,
        "rounds": 2000,
        "patience": 60,
    }
    if regression:
        chosen["objective"] = "l1" if problem.metric in ABSOLUTE else "l2"
    if problem.kind == "multiclass":
        chosen |= {"rounds": 600, "patience": 30, "num_leaves": 15 if small else 31}
        chosen |= {"learning_rate": 0.06}
    return chosen


def random_lightgbm_start(problem: Problem) -> Parameters:
    """Each cut is the best of a few random ones: weaker trees, more of them, other mistakes."""
    chosen = lightgbm_start(problem)
    return {**chosen, "extra_trees": True, "feature_fraction": 0.9, "min_data_in_leaf": 5}


def xgboost_start(problem: Problem) -> Parameters:
    regression = problem.kind == "regression"
    chosen: Parameters = {
        "eta": 0.05,
        "max_depth": 7 if regression and problem.rows > 5_000 else 5,
        "subsample": 0.7,
        "colsample_bytree": 0.7,
        "min_child_weight": 2.0,
        "lambda": 1.0,
        "rounds": 2000,
        "patience": 60,
    }
    if regression:
        absolute = problem.metric in ABSOLUTE
        chosen["objective"] = "reg:absoluteerror" if absolute else "reg:squarederror"
    if problem.kind == "multiclass":
        chosen |= {"rounds": 500, "patience": 30, "eta": 0.08}
    return chosen


def catboost_start(problem: Problem) -> Parameters:
    chosen: Parameters = {
        "learning_rate": 0.09,
        "depth": 7 if problem.kind == "regression" and problem.rows > 10_000 else 6,
        "iterations": 1500 if problem.rows < 50_000 else 600,
        "patience": 50,
        "l2_leaf_reg": 3.0,
        "random_strength": 1.0,
        # Statistics of single names: those of combinations cost far more than they brought.
        "max_ctr_complexity": 1,
    }
    if table_width(problem) > WIDE:
        # A sample of the columns at each step: quicker, and trees differ more.
        chosen["rsm"] = 0.5
    if problem.rows >= 50_000:
        chosen |= {"learning_rate": 0.12}
    if problem.kind == "regression":
        # Its absolute error hardly learns from weights; the logarithm's mean is the median nearly.
        median = problem.metric in ABSOLUTE and (is_series(problem) or problem.metric not in SHARES)
        chosen["loss_function"] = "MAE" if median else "RMSE"
    if problem.kind == "multiclass":
        chosen |= {"iterations": 400, "depth": 4, "learning_rate": 0.1, "patience": 30}
    return chosen


def histogram_start(problem: Problem) -> Parameters:
    chosen: Parameters = {
        "learning_rate": 0.06,
        "max_iter": 150 if problem.kind == "multiclass" else 400,
        "max_leaf_nodes": 31,
        "min_samples_leaf": 20,
        "l2_regularization": 1.0,
        "early_stopping": True,
        "n_iter_no_change": 30,
    }
    if problem.kind == "regression":
        chosen["loss"] = "absolute_error" if problem.metric in ABSOLUTE else "squared_error"
    return chosen


def forest_start(problem: Problem) -> Parameters:
    regression = problem.kind == "regression"
    chosen: Parameters = {
        "trees": 300 if problem.rows < 20_000 else 100,
        "min_samples_leaf": 2 if regression else (1 if problem.kind == "multiclass" else 5),
        "max_features": 0.5 if regression else "sqrt",
    }
    if problem.rows > 50_000:
        chosen["min_samples_leaf"] = 10
    return chosen


def forest_cost(problem: Problem) -> float:
    trees = 300 if problem.rows < 20_000 else 100
    per_row = 6e-7 + 5e-9 * table_width(problem)
    return float(3.0 + 5 * trees * problem.rows * per_row * classes(problem) ** 0.3)


SCALE: Parameters = {"scale": "power"}
"""How smooth models see numbers at first: with their distances, tails drawn in."""


def linear_start(problem: Problem) -> Parameters:
    if problem.kind == "multiclass":
        return {**SCALE, "strength": 10.0 if problem.rows < 20_000 else 2.0}
    # A value may be straight in the numbers as they are, a chance seldom is.
    scale: Parameters = {"scale": "every"} if problem.kind == "regression" else SCALE
    return {**scale, "strength": 1.0 if problem.rows < 3_000 else 0.3}


def linear_cost(problem: Problem) -> float:
    return 4.0 + 2e-6 * problem.rows * table_width(problem) * classes(problem)


def few_rows(value: float, most: int) -> Callable[[Problem], float]:
    def prior(problem: Problem) -> float:
        return value if has_table(problem) and problem.rows <= most else 0.0

    return prior


def classes_only(value: float, most: int) -> Callable[[Problem], float]:
    """For densities: classes, numbers, and not too many rows."""

    def prior(problem: Problem) -> float:
        numbers = sum(column.kind == "number" for column in problem.features)
        fits = problem.kind != "regression" and numbers >= 3 and problem.rows <= most
        bonus = 0.2 if problem.kind == "multiclass" and numbers >= 10 else 0.0
        return value + bonus if fits else 0.0

    return prior


def text_share(problem: Problem) -> float:
    """How much of what is known about a row is text: a column says as much as a few words do."""
    columns = sum(c.kind in ("number", "category", "boolean", "date") for c in problem.features)
    words = sum(column.words for column in problem.features if column.kind == "text")
    return words / (words + WORDS_PER_COLUMN * columns) if words else 0.0


def text_prior(value: float, alone: float = 0.2) -> Callable[[Problem], float]:
    """`alone`: what is left of it where nearly all is in the table, which most cards for text do
    not look at."""

    def prior(problem: Problem) -> float:
        if not has_text(problem):
            return 0.0
        return value * (alone + (1.0 - alone) * text_share(problem))

    return prior


def text_classes(value: float) -> Callable[[Problem], float]:
    fitting = text_prior(value)

    def prior(problem: Problem) -> float:
        return fitting(problem) if problem.kind != "regression" else 0.0

    return prior


def text_cost(per_word: float) -> Callable[[Problem], float]:
    def cost(problem: Problem) -> float:
        words = sum(max(column.words, 1.0) for column in problem.features if column.kind == "text")
        return 3.0 + per_word * problem.rows * words * max(2, classes(problem))

    return cost


def quadratic_cost(per_pair: float) -> Callable[[Problem], float]:
    def cost(problem: Problem) -> float:
        return 3.0 + per_pair * problem.rows**2 * table_width(problem)

    return cost


def likeness_prior(problem: Problem) -> float:
    """Most promising for several classes: trees would need a set for each of them."""
    return few_rows(0.55 if problem.kind == "multiclass" else 0.3, 8_000)(problem)


def likeness_cost(problem: Problem) -> float:
    return 3.0 + 1.2e-4 * problem.rows * classes(problem) + SCALING * cells(problem)


def net_cost(problem: Problem) -> float:
    """Small inputs cost little beside the layers behind them."""
    wider = max(1.0, (table_width(problem) + 64) / 120)
    return 5.0 + 3.6e-3 * problem.rows * wider


def net_start(problem: Problem) -> Parameters:
    chosen: Parameters = {
        **SCALE,
        "nets": 3,
        "hidden_layer_sizes": [128, 64] if problem.rows > 3_000 else [64],
        "alpha": 1e-3,
        "learning_rate_init": 2e-3,
        "batch_size": 128 if problem.rows < 20_000 else 512,
        "max_iter": 60,
    }
    if problem.kind == "multiclass" and problem.rows < 3_000:
        # A tenth kept back to stop early would be a few rows of each class, and missed elsewhere.
        chosen |= {"early_stopping": False, "alpha": 0.03, "max_iter": 150}
        chosen |= {"hidden_layer_sizes": [256], "activation": "tanh"}
    return chosen


def support_start(problem: Problem) -> Parameters:
    return {**SCALE, "C": 10.0 if problem.kind == "multiclass" else 1.0, "gamma": "scale"}
