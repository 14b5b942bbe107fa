"""Objects that learn: transformers, models, pipelines, searches, splitters, resamplers."""

import ast

from proveout.apps.mle.leakage import catalogue, frames, learning, loops
from proveout.apps.mle.leakage.calling import Call, opaque
from proveout.apps.mle.leakage.log import Evaluation, FitEvent, SplitEvent
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.rows import NO_ROWS, Piece, Rows, describe
from proveout.apps.mle.leakage.values import (
    NO_TAINTS,
    UNKNOWN,
    Fit,
    TaintKind,
    Taints,
    Value,
    alike,
    gathered,
    merged_taints,
    stepped,
)

FITTING = catalogue.words("fit partial_fit fit_on_texts adapt")
APPLYING = catalogue.words(
    "transform texts_to_sequences texts_to_matrix inverse_transform kneighbors"
)
PREDICTING = catalogue.words(
    "predict predict_proba decision_function predict_log_proba forecast predict_generator"
)
WATCHED = ("eval_set", "valid_sets", "validation_data", "evals", "X_val")


def method(machine: Machine, owner: Value, call: Call) -> Value:
    name = call.name
    if name in FITTING:
        return _fit(machine, owner, call)
    if name in ("fit_transform", "fit_predict"):
        fitted = _fit(machine, owner, call)
        if kind_of(owner) == "model" and name == "fit_predict":
            return predict(machine, fitted, call)
        return _apply(fitted, call)
    if name in APPLYING:
        return _apply(owner, call)
    if name in PREDICTING:
        return predict(machine, owner, call)
    if name in ("score", "evaluate"):
        return _score(machine, owner, call)
    if name in ("fit_resample", "fit_sample"):
        return _resample(call)
    if name in ("split", "get_n_splits"):
        return _split(machine, owner, call) if name == "split" else UNKNOWN
    if name in ("get_support", "get_feature_names_out", "get_feature_importance"):
        return Value(taints=_carried(owner, call.node.lineno))
    if name in ("set_params", "compile", "set_output", "to"):
        return owner
    return Value(taints=merged_taints(*(value.all_taints() for value in call.values)))


def kind_of(owner: Value) -> catalogue.Meaning:
    """What the object is; a pipeline is what its last part is."""
    found = catalogue.meaning(owner.name)
    if found != "pipeline":
        return found
    return "model" if _holds_model(owner, 0) else "transformer"


def _holds_model(value: Value, depth: int) -> bool:
    if depth > 6:
        return False
    if value.kind == "object" and catalogue.meaning(value.name) in ("model", "search"):
        return True
    parts = (*value.items, *value.entries.values())
    return any(_holds_model(part, depth + 1) for part in parts)


def _fit(machine: Machine, owner: Value, call: Call) -> Value:
    x, y = call.get(0, "X", "x", "train_data") or UNKNOWN, call.get(1, "y")
    if not call.args and len(owner.items) > 1 and owner.name in catalogue.MADE_WITH_ROWS:
        y, x = owner.items[:2]
    meaning = kind_of(owner)
    if meaning == "other":
        meaning = "model" if y is not None and call.name != "fit_transform" else "transformer"
    if meaning == "stateless":
        return owner
    if y is None and "label" in x.entries:
        y = x.entries["label"]
    learnt_before = x.all_taints()
    if meaning in ("model", "search"):
        event = note_fit(machine, owner, call, x, y)
        what = f"{owner.name}.{call.name}"
        taints = learning.learnt(call.node, x, "fit", target=y, what=what)
        fit = Fit(event, next(iter(taints), None), learnt_before)
    else:
        taints = _transformer_taint(owner, call, meaning, x, y)
        fit = Fit(-1, next(iter(taints), None), learnt_before)
    fitted = owner._replace(fit=fit)
    return machine.change(owner, fitted)


def _only_encodes(owner: Value) -> bool:
    """A column transformer or a pipeline of nothing but encoders."""
    inner = _meanings(owner, 0)
    return bool(inner) and set(inner) <= {"encoder", "stateless"}


def _meanings(value: Value, depth: int) -> list[catalogue.Meaning]:
    """Of the estimators inside of another."""
    found: list[catalogue.Meaning] = []
    for part in (*value.items, *value.entries.values()) if depth <= 6 else ():
        deeper = _meanings(part, depth + 1)
        if part.kind == "object" and not deeper:
            found.append(catalogue.meaning(part.name))
        found += deeper
    return found


def _transformer_taint(owner: Value, call: Call, meaning: str, x: Value, y: Value | None) -> Taints:
    kind: TaintKind = "fit"
    if meaning == "encoder" or _only_encodes(owner):
        kind = "encoder"
    elif meaning == "selector":
        kind = "selection"
    supervised = meaning in ("selector", "target_encoder")
    target = y if supervised and y is not None and y.is_data else None
    return learning.learnt(call.node, x, kind, target=target, what=f"{owner.name}.{call.name}")


def note_fit(machine: Machine, owner: Value, call: Call, x: Value, y: Value | None) -> int:
    rows = x.rows or (y.rows if y is not None else NO_ROWS)
    machine.log.fits.append(
        FitEvent(
            learning.span(call.node), owner.name, x, y, rows, machine.log.tick(),
            stops_early_on=_watched(owner, call),
        )
    )  # fmt: skip
    return len(machine.log.fits) - 1


def _watched(owner: Value, call: Call) -> Rows:
    """Rows by which training is stopped early."""
    options = {*call.kwargs, *owner.entries}
    # CatBoost keeps the iteration that is best on the watched rows without being asked.
    if not (options & {"early_stopping_rounds", "callbacks"} or owner.name.startswith("CatBoost")):
        return NO_ROWS
    watched = [call.kwargs[name] for name in WATCHED if name in call.kwargs]
    found: set[Piece] = set()
    for value in watched:
        for part in (value, *value.items, *(inner for item in value.items for inner in item.items)):
            found |= part.rows
    return frozenset(found)


def _carried(owner: Value, line: int) -> Taints:
    """What the output of a fitted object depends on."""
    if owner.fit is None:
        return NO_TAINTS
    own: Taints = NO_TAINTS
    if owner.fit.taint is not None:
        taint = owner.fit.taint
        where = describe(taint.rows)
        own = {taint: ((taint.span.line, f"`{taint.what}` learns from {where}"),)}
    return merged_taints(own, stepped(owner.fit.learnt, line, f"learnt by `{owner.name}`"))


def _apply(owner: Value, call: Call) -> Value:
    x = call.get(0, "X", "x") or UNKNOWN
    if catalogue.meaning(owner.name) == "stateless":
        return frames.blurred(x)
    return frames.blurred(x, _carried(owner, call.node.lineno))


def _inputs(x: Value) -> Value:
    """`predict([a, b])`: several inputs for the same rows."""
    together = x.kind == "sequence" and x.items and all(item.rows for item in x.items)
    return gathered(x) if together else x


def predict(machine: Machine, owner: Value, call: Call) -> Value:
    x = _inputs(call.get(0, "X", "x", "data") or UNKNOWN)
    if kind_of(owner) in ("clusterer", "transformer", "encoder"):
        return _apply(owner, call)
    return ask(machine, owner, call.node, x) if x.is_data else Value(taints=x.all_taints())


def ask(machine: Machine, owner: Value, node: ast.expr, x: Value) -> Value:
    """Predictions for these rows."""
    event = evaluate(machine, owner, node, x, scored=False)
    taints = merged_taints(x.all_taints(), _carried(owner, node.lineno))
    return Value(
        kind="data", rows=x.rows, parts=x.parts, taints=taints, evaluations=frozenset({event})
    )


def evaluate(machine: Machine, owner: Value, node: ast.expr, x: Value, *, scored: bool) -> int:
    fits = (owner.fit.event,) if owner.fit is not None and owner.fit.event >= 0 else ()
    event = Evaluation(
        learning.span(node), fits, x, x.rows, machine.log.tick(), scored=scored,
        shown=node.lineno if scored else 0, label=_label(node),
    )  # fmt: skip
    machine.log.evaluations.append(event)
    return len(machine.log.evaluations) - 1


def _label(node: ast.expr) -> str:
    first = node.args[:1] if isinstance(node, ast.Call) else []
    return ast.unparse(first[0])[:40] if first else ""


def _score(machine: Machine, owner: Value, call: Call) -> Value:
    x = _inputs(call.get(0, "X", "x") or UNKNOWN)
    if not x.is_data:
        return Value(kind="scalar", taints=x.all_taints())
    event = evaluate(machine, owner, call.node, x, scored=True)
    return Value(kind="scalar", evaluations=frozenset({event}))


def metric(machine: Machine, call: Call) -> Value:
    events = frozenset().union(*(value.evaluations for value in call.values))
    for event in events:
        found = machine.log.evaluations[event]
        found.scored = True
        found.shown = found.shown or call.node.lineno
    return Value(kind="scalar", evaluations=events)


def inner_score(machine: Machine, owner: Value, node: ast.Attribute) -> Value:
    """`best_score_`: a search has cross-validated on the rows it was fitted on."""
    if owner.fit is None or owner.fit.event < 0 or node.attr == "oob_score_":
        return Value(kind="scalar")
    fit = machine.log.fits[owner.fit.event]
    event = Evaluation(
        learning.span(node), (owner.fit.event,), fit.x, fit.rows, machine.log.tick(), crossed=True,
        scored=True, shown=node.lineno,
    )  # fmt: skip
    machine.log.evaluations.append(event)
    return Value(kind="scalar", evaluations=frozenset({len(machine.log.evaluations) - 1}))


def cross_validate(machine: Machine, call: Call, name: str) -> Value:
    owner = call.get(0, "estimator") or UNKNOWN
    x, y = call.get(1, "X") or UNKNOWN, call.get(2, "y")
    if owner.kind != "object":
        owner = Value(kind="object", name=owner.name or "estimator")
    rows = x.rows or (y.rows if y is not None else NO_ROWS)
    machine.log.fits.append(
        FitEvent(learning.span(call.node), owner.name, x, y, rows, machine.log.tick())
    )
    number = len(machine.log.fits) - 1
    machine.log.evaluations.append(
        Evaluation(
            learning.span(call.node), (number,), x, rows, machine.log.tick(), crossed=True,
            scored=name != "cross_val_predict", shown=call.node.lineno,
        )
    )  # fmt: skip
    event = len(machine.log.evaluations) - 1
    splitter = call.kwargs.get("cv")
    if splitter is not None and splitter.kind == "object":
        _note_split(machine, splitter, call.node, x, grouped="groups" in call.kwargs)
    if name == "cross_val_predict":
        return Value(kind="data", rows=rows, evaluations=frozenset({event}))
    return Value(kind="scalar", evaluations=frozenset({event}))


def _resample(call: Call) -> Value:
    x, y = call.get(0, "X") or UNKNOWN, call.get(1, "y") or UNKNOWN
    function = call.node.func
    what = ast.unparse(function)[-60:] if isinstance(function, ast.Attribute) else "resample"
    taints = learning.learnt(call.node, x, "resample", what=what)
    return Value(
        kind="sequence",
        items=(frames.tainted(alike(x), taints), frames.tainted(alike(y), taints)),
    )


def _split(machine: Machine, owner: Value, call: Call) -> Value:
    x = call.get(0, "X") or UNKNOWN
    if kind_of(owner) != "splitter" and owner.name not in ("estimator", ""):
        return UNKNOWN
    _note_split(machine, owner, call.node, x, grouped=call.get(2, "groups") is not None)
    return Value(
        kind="iterator", element=loops.sides(owner, _folds(owner, call.node), call.node.lineno)
    )


def _folds(splitter: Value, node: ast.expr) -> str:
    """The same for the same folds: a splitter that does not throw dice gives them again."""
    shuffled = splitter.entries.get("shuffle", UNKNOWN).const is True
    fixed = isinstance(splitter.entries.get("random_state", UNKNOWN).const, int)
    random = shuffled or splitter.name in catalogue.SHUFFLING_SPLITTERS
    if splitter.ref is not None and (fixed or not random):
        return f"folds:{splitter.ref}"
    return f"folds:{node.lineno}:{node.col_offset}"


def _note_split(
    machine: Machine, splitter: Value, node: ast.expr, x: Value, *, grouped: bool
) -> None:
    name = splitter.name
    shuffle = splitter.entries.get("shuffle", UNKNOWN).const is True
    machine.log.splits.append(
        SplitEvent(
            learning.span(node),
            _folds(splitter, node),
            x,
            shuffle or name in catalogue.SHUFFLING_SPLITTERS,
            name,
            ignored_groups=grouped
            and catalogue.meaning(name) == "splitter"
            and name not in catalogue.GROUP_SPLITTERS,
        )
    )


def dataset(machine: Machine, call: Call) -> Value:
    """`lgb.Dataset(x, label=y)`, `xgb.DMatrix(x, y)`, `Pool(x, y)`."""
    del machine
    x, y = call.get(0, "data"), call.get(1, "label")
    if x is None:
        return UNKNOWN
    entries = {"label": y} if y is not None else {}
    return alike(x, entries=entries)


def train(machine: Machine, call: Call) -> Value:
    """`lgb.train(params, data)` and `xgb.cv(params, data)`."""
    x = call.get(1, "train_set", "dtrain", "pool")
    if x is None or not x.is_data:
        return opaque(call)
    root = call.name.partition(".")[0]
    owner = Value(kind="object", name=f"{root}.Booster")
    y = x.entries.get("label")
    event = note_fit(machine, owner, call, x, y)
    taints = learning.learnt(call.node, x, "fit", target=y, what=call.name)
    fitted = owner._replace(fit=Fit(event, next(iter(taints), None), x.all_taints()))
    if call.name.endswith(".cv"):
        evaluate(machine, fitted, call.node, x, scored=True)
        machine.log.evaluations[-1].crossed = True
        return Value(kind="scalar", evaluations=frozenset({len(machine.log.evaluations) - 1}))
    return fitted


def clone(machine: Machine, call: Call) -> Value:
    del machine
    value = call.args[0] if call.args else UNKNOWN
    fresh = call.name.endswith("clone")
    return value._replace(ref=None, fit=None if fresh else value.fit)
