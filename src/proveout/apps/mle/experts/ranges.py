"""Parameters worth moving, and between which ends."""

from collections.abc import Mapping

LIGHTGBM = {
    "num_leaves": (8, 160),
    "min_data_in_leaf": (2, 200),
    "feature_fraction": (0.3, 1.0),
    "bagging_fraction": (0.5, 1.0),
    "lambda_l2": (0.01, 30.0),
}
CATBOOST = {"depth": (4, 9), "l2_leaf_reg": (0.5, 30.0), "random_strength": (0.2, 5.0)}
SCALED: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "lightgbm": LIGHTGBM,
    "lightgbm_random": LIGHTGBM,
    "lightgbm_ordered": LIGHTGBM,
    "xgboost": {
        "max_depth": (3, 10),
        "min_child_weight": (0.5, 30.0),
        "colsample_bytree": (0.3, 1.0),
        "subsample": (0.5, 1.0),
        "lambda": (0.05, 30.0),
    },
    "catboost": CATBOOST,
    "catboost_ordered": CATBOOST,
    "extra_trees": {"min_samples_leaf": (1, 20)},
    "random_forest": {"min_samples_leaf": (1, 20)},
    "histogram_boosting": {
        "max_leaf_nodes": (8, 120),
        "min_samples_leaf": (5, 100),
        "l2_regularization": (0.01, 30.0),
    },
    "net": {"alpha": (1e-5, 1.0)},
    "likeness": {"strength": (1.0, 10_000.0), "reach": (0.1, 5.0)},
    "support_vectors": {"C": (0.1, 100.0)},
    "text_linear": {"strength": (0.1, 300.0)},
    "text_ratio": {"strength": (1.0, 300.0), "smoothing": (0.01, 3.0)},
    "text_pieces": {"strength": (0.1, 300.0), "smoothing": (0.01, 3.0)},
    "text_bayes": {"alpha": (0.003, 1.0)},
    "text_bayes_pieces": {"alpha": (0.003, 1.0)},
    "neighbours": {"n_neighbors": (3, 60)},
}
"""Parameters worth moving, with the ends they are kept between."""
