"""Train the two kinds of model that the product can evaluate, and turn them into plain arrays.

Needs scikit-learn and LightGBM (the `mle` extra); the product needs neither.
"""

from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier, MLPRegressor

from proveout.apps.iqa.fitted_models import Doubles, squeezed

Arrays = dict[str, NDArray[np.generic]]
COMMON: dict[str, Any] = {
    "extra_trees": True,
    "min_child_samples": 8,
    "subsample": 0.7,
    "subsample_freq": 1,
    "reg_lambda": 3.0,
    "n_jobs": 1,
    "random_state": 7,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
    "max_bin": 63,
}


def scaling(table: Doubles) -> Arrays:
    """Centre and spread of each squeezed feature."""
    flat = squeezed(table)
    low, middle, high = np.percentile(flat, [10, 50, 90], axis=0)
    spread = np.maximum((high - low) / 2.56, flat.std(axis=0) * 0.3)
    return {
        "scaling.centre": middle.astype(np.float32),
        "scaling.spread": np.maximum(spread, 1e-3).astype(np.float32),
    }


def scaled(table: Doubles, arrays: Arrays) -> Doubles:
    centre, spread = arrays["scaling.centre"], arrays["scaling.spread"]
    return np.clip((squeezed(table) - np.asarray(centre)) / np.asarray(spread), -4, 4)


def boosted_scores(
    table: Doubles, target: Doubles, weight: Doubles, *, rounds: int = 1500, leaves: int = 20
) -> lightgbm.LGBMRegressor:
    model = lightgbm.LGBMRegressor(
        n_estimators=rounds, num_leaves=leaves, learning_rate=24 / rounds, colsample_bytree=0.25,
        **COMMON,
    )  # fmt: skip
    return model.fit(table.astype(np.float32), target, sample_weight=weight)


def boosted_names(
    table: Doubles, label: NDArray[np.int64], weight: Doubles, *, rounds: int = 220, leaves: int = 8
) -> lightgbm.LGBMClassifier:
    model = lightgbm.LGBMClassifier(
        n_estimators=rounds, num_leaves=leaves, learning_rate=0.075, colsample_bytree=0.2, **COMMON
    )
    return model.fit(table.astype(np.float32), label, sample_weight=weight)


def boosted_pair(
    table: Doubles, label: NDArray[np.int64], weight: Doubles, *, rounds: int = 800, leaves: int = 8
) -> lightgbm.LGBMClassifier:
    """Of two classes, with an output for each, as the product evaluates them."""
    model = lightgbm.LGBMClassifier(
        objective="multiclass", num_class=2, n_estimators=rounds, num_leaves=leaves,
        learning_rate=0.03, colsample_bytree=0.4, **COMMON,
    )  # fmt: skip
    return model.fit(table.astype(np.float32), label, sample_weight=weight)


def network_scores(
    table: Doubles, target: Doubles, weight: Doubles, seed: int, width: int = 48
) -> MLPRegressor:
    model = MLPRegressor(
        hidden_layer_sizes=(width, 24), alpha=3e-1, learning_rate_init=2e-3, max_iter=60,
        batch_size=128, random_state=seed,
    )  # fmt: skip
    return model.fit(table, target, sample_weight=weight)


def network_names(
    table: Doubles, label: NDArray[np.int64], weight: Doubles, seed: int, width: int = 96
) -> MLPClassifier:
    model = MLPClassifier(
        hidden_layer_sizes=(width,), alpha=1e-1, learning_rate_init=2e-3, max_iter=50,
        batch_size=128, random_state=seed,
    )  # fmt: skip
    return model.fit(table, label, sample_weight=weight)


def network_arrays(model: MLPClassifier | MLPRegressor, prefix: str) -> Arrays:
    arrays: Arrays = {f"{prefix}.layers": np.array(len(model.coefs_))}
    for number, (weight, offset) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        arrays[f"{prefix}.w{number}"] = weight.astype(np.float16)
        arrays[f"{prefix}.b{number}"] = offset.astype(np.float32)
    return arrays


def tree_arrays(model: lightgbm.LGBMModel, prefix: str) -> Arrays:
    """Nodes of every tree, padded to the largest tree; leaves point at themselves."""
    dump = model.booster_.dump_model()
    per_round = int(dump["num_tree_per_iteration"])
    trees = [_nodes(tree["tree_structure"]) for tree in dump["tree_info"]]
    size = max(len(nodes) for nodes, _ in trees)
    shape = (len(trees), size)
    feature, left, right = (np.zeros(shape, np.int16) for _ in range(3))
    threshold, value = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    for row, (nodes, _) in enumerate(trees):
        for place, (at, limit, below, above, leaf) in enumerate(nodes):
            feature[row, place], threshold[row, place] = at, limit
            left[row, place], right[row, place], value[row, place] = below, above, leaf
    return {
        f"{prefix}.feature": feature,
        f"{prefix}.threshold": threshold,
        f"{prefix}.left": left.astype(np.int8 if size < 128 else np.int16),
        f"{prefix}.right": right.astype(np.int8 if size < 128 else np.int16),
        f"{prefix}.value": value.astype(np.float16),
        f"{prefix}.output": (np.arange(len(trees)) % per_round).astype(np.int16),
        f"{prefix}.start": np.zeros(per_round),
        f"{prefix}.depth": np.array(max(depth for _, depth in trees)),
    }


Node = tuple[int, float, int, int, float]


def _nodes(root: dict[str, object]) -> tuple[list[Node], int]:
    nodes: list[Node] = []
    deepest = 0

    def add(node: dict[str, object], depth: int) -> int:
        nonlocal deepest
        deepest = max(deepest, depth)
        place = len(nodes)
        if "split_feature" not in node:
            nodes.append((0, 0.0, place, place, float(str(node.get("leaf_value", 0.0)))))
            return place
        nodes.append((0, 0.0, 0, 0, 0.0))
        below, above = node["left_child"], node["right_child"]
        assert isinstance(below, dict)
        assert isinstance(above, dict)
        first, second = add(below, depth + 1), add(above, depth + 1)
        at, limit = int(str(node["split_feature"])), float(str(node["threshold"]))
        nodes[place] = (at, limit, first, second, 0.0)
        return place

    add(root, 0)
    return nodes, deepest
