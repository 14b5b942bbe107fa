"""What is looped over: one element of it, and whether it gives folds."""

from proveout.apps.mle.leakage import catalogue
from proveout.apps.mle.leakage.rows import TEST, TRAIN, Cut
from proveout.apps.mle.leakage.values import UNKNOWN, Value, join_all


def is_over_folds(value: Value) -> bool:
    element = iterated_element(value)
    return any(
        cut.folds for item in (element, *element.items, *_nested(element)) for cut in item.cuts
    )


def _nested(value: Value) -> list[Value]:
    return [inner for item in value.items for inner in item.items]


def iterated_element(value: Value) -> Value:
    """One element of what is looped over."""
    if value.element is not None:
        return value.element
    if value.kind == "object":
        # Splitters of old could be looped over directly.
        return sides(value, f"folds:{value.ref}")
    if value.kind == "sequence":
        return join_all(value.items)
    if value.kind == "mapping":
        return Value(kind="scalar")
    if value.kind == "grouped":
        return Value(kind="sequence", items=(Value(kind="scalar"), value._replace(kind="data")))
    if value.rows:
        return Value(kind="row", taints=value.taints, origins=value.origins)
    return Value(taints=value.taints)


def sides(splitter: Value, key: str, line: int = 0) -> Value:
    """The two sets of positions that a splitter gives at each turn."""
    if catalogue.meaning(splitter.name) != "splitter" and splitter.name != "estimator":
        return UNKNOWN
    cuts = (Cut(key, side, line=line, folds=True) for side in (TRAIN, TEST))
    parts = tuple(Value(kind="index", cuts=frozenset({cut})) for cut in cuts)
    return Value(kind="sequence", items=parts)
