"""Functions of libraries: readers, splits, tables put together, statistics, scores."""

import ast
import json
from collections.abc import Callable

from proveout.apps.mle.leakage import (
    by_hand,
    catalogue,
    estimators,
    frames,
    iterating,
    learning,
    score_tables,
)
from proveout.apps.mle.leakage.calling import Call, opaque
from proveout.apps.mle.leakage.log import SplitEvent
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.rows import TEST, TRAIN, Cut, split_cuts, unfolded
from proveout.apps.mle.leakage.values import (
    MOST_ITEMS,
    UNKNOWN,
    Order,
    Value,
    alike,
    merged_taints,
    stepped,
    text_of,
)
from proveout.apps.mle.syntax import expression

Rule = Callable[[Machine, Call], Value]


def library(machine: Machine, call: Call) -> Value:
    last = call.name.rpartition(".")[2]
    rule = RULES.get(last)
    if rule is not None:
        return rule(machine, call)
    if catalogue.meaning(last) != "other":
        return Value(
            kind="object", name=last, items=tuple(call.args[:MOST_ITEMS]), entries=call.kwargs
        )
    if last in catalogue.READERS:
        return _read(call)
    if catalogue.is_dataset_loader(call.name):
        return _dataset(call, last)
    if last in catalogue.CROSS_VALIDATIONS:
        return estimators.cross_validate(machine, call, last)
    if catalogue.is_metric(call.name):
        return estimators.metric(machine, call)
    if last in catalogue.SPREADING and call.args:
        return learning.spread(call.node, call.args[0])
    if last in catalogue.STATISTICS and call.values:
        return _statistic(call, last)
    return opaque(call)


def _read(call: Call) -> Value:
    words = [
        part.value
        for argument in (*call.arg_nodes, *(keyword.value for keyword in call.node.keywords))[:1]
        for part in ast.walk(argument)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    known = call.args[0].const if call.args else None
    text = known if isinstance(known, str) else (words[-1] if words else "")
    name = text.replace("\\", "/").rstrip("/").rpartition("/")[2] or _place(call, "table")
    lowered = name.lower()
    frame = frames.source_frame(name, unlabelled="test" in lowered and "train" not in lowered)
    folds = "fold" in lowered
    return frame._replace(name="folds" if folds else "")


def _place(call: Call, noun: str) -> str:
    return f"{noun} of line {call.node.lineno}"


def _dataset(call: Call, last: str) -> Value:
    frame = frames.source_frame(f"{last}()")
    features, target = frame._replace(partial=True), frames.column(frame, "target")
    if last.startswith("make_") or call.flag("return_X_y") is True:
        return Value(kind="sequence", items=(features, target))
    return Value(
        kind="mapping",
        entries={"data": features, "target": target, "frame": frame},
        rows=frozenset(),
    )


def train_test_split(machine: Machine, call: Call) -> Value:
    state, size = call.flag("random_state"), call.flag("test_size")
    where = f"{call.node.lineno}:{call.node.col_offset}"
    key = f"split:{state}:{size}" if isinstance(state, int) else f"split:{where}"
    taken = {cut.key for value in call.args for cut in split_cuts(value.rows)}
    while key in taken:
        key += "'"
    sides = [frozenset({Cut(key, side, line=call.node.lineno)}) for side in (TRAIN, TEST)]
    items: list[Value] = []
    for value in call.args:
        moved = value._replace(
            taints=stepped(value.taints, call.node.lineno, "divided by the split")
        )
        items += [frames.take_rows(moved, cuts) for cuts in sides]
    shuffled = call.flag("shuffle", True) is not False
    for value in call.args[:1]:
        machine.log.splits.append(
            SplitEvent(learning.span(call.node), key, value, shuffled, "train_test_split")
        )
    return Value(kind="sequence", items=tuple(items))


def _random_split(machine: Machine, call: Call) -> Value:
    """`torch.utils.data.random_split(data, [n, m])`."""
    data = call.get(0, "dataset") or UNKNOWN
    if data.kind == "instance":
        data = next((item for item in data.entries.values() if item.rows), UNKNOWN)
    key = f"split:{call.node.lineno}:{call.node.col_offset}"
    lengths = call.get(1, "lengths")
    count = len(lengths.items) if lengths is not None and lengths.items else 2
    names = [TRAIN, TEST, *(frozenset({f"part {number}"}) for number in range(3, count + 1))]
    cuts = [frozenset({Cut(key, side, line=call.node.lineno)}) for side in names[:count]]
    event = SplitEvent(learning.span(call.node), key, data, True, "random_split")
    machine.log.splits.append(event)
    return Value(kind="sequence", items=tuple(frames.take_rows(data, cut) for cut in cuts))


def _concat(machine: Machine, call: Call) -> Value:
    whole = call.get(0, "objs")
    if whole is None:
        return UNKNOWN
    listed = [machine.now(item) for item in (whole.items or (whole,))]
    if whole.kind == "mapping":
        listed = [machine.now(item) for item in whole.entries.values()]
    if whole.element is not None and not whole.items:
        listed = [whole.element._replace(rows=unfolded(whole.element.rows))]
    axis = call.get(1, "axis")
    last = call.name.rpartition(".")[2]
    across = last in ("hstack", "column_stack") or learning.is_across_columns(axis)
    if across:
        return frames.beside(listed[0], *listed[1:]) if listed else UNKNOWN
    stacked = frames.stacked(listed, call.node.lineno)
    refs = [item.ref for item in listed if item.ref is not None]
    if len(refs) != len(set(refs)):
        return frames.tainted(
            stacked, learning.learnt(call.node, stacked, "resample", what="repeated rows")
        )
    return stacked


def _beside(machine: Machine, call: Call) -> Value:
    del machine
    tables = [value for value in call.values if value.is_data or value.taints]
    return frames.beside(tables[0], *tables[1:]) if tables else UNKNOWN


def _encode(machine: Machine, call: Call) -> Value:
    del machine
    value = call.get(0, "data", "values")
    if value is None:
        return UNKNOWN
    result = learning.spread(call.node, value, kind="encoder")
    if call.name.endswith("factorize"):
        return Value(kind="sequence", items=(result, Value(taints=result.taints)))
    return result


def _design(machine: Machine, call: Call) -> Value:
    """`patsy.dmatrix(formula, data)`: categories become columns."""
    data = call.get(1, "data") or UNKNOWN
    taints = learning.learnt(call.node, data, "encoder")
    made = frames.blurred(data, taints)._replace(partial=True, origins=frozenset())
    del machine
    target = alike(data, columns={}, origins=frozenset())
    pair = call.name.endswith("dmatrices")
    return Value(kind="sequence", items=(target, made)) if pair else made


def _discretise(machine: Machine, call: Call) -> Value:
    del machine
    value, bins = call.get(0, "x"), call.get(1, "bins", "q")
    if value is None:
        return UNKNOWN
    quantiles = call.name.endswith("qcut")
    if not quantiles and (bins is None or not isinstance(bins.const, int)):
        taints = bins.all_taints() if bins is not None else {}
        return frames.tainted(alike(value), taints)
    result = learning.spread(call.node, value)
    if call.flag("retbins") is True:
        return Value(kind="sequence", items=(result, Value(taints=result.taints)))
    return result


def _where(machine: Machine, call: Call) -> Value:
    del machine
    if len(call.args) >= 3:
        return frames.combined(call.args)
    chosen = call.args[0] if call.args else UNKNOWN
    index = chosen._replace(ref=None, kind="index", taints={})
    return index if call.name.endswith("flatnonzero") else Value(kind="sequence", items=(index,))


def _sized(machine: Machine, call: Call) -> Value:
    """Arrays as long as something else."""
    del machine
    size = call.args[0] if call.args else call.get(0, "shape", "size")
    if size is None:
        return Value(kind="data")
    if size.kind == "sequence" and size.items:
        size = size.items[0]
    return Value(kind="data", rows=size.length_of or size.rows, length_of=size.length_of)


def _positions(machine: Machine, call: Call) -> Value:
    """`np.arange(len(x))`, `np.random.permutation(n)`: positions of rows."""
    del machine
    given = call.args[-1] if len(call.args) == 1 else UNKNOWN
    if given.rows:
        return alike(given)
    return Value(kind="index", length_of=given.length_of)


def _difference(machine: Machine, call: Call) -> Value:
    """`np.setdiff1d(all_rows, train_rows)`."""
    del machine
    taken = call.args[1] if len(call.args) > 1 else UNKNOWN
    cuts = frozenset(cut.flipped() for cut in taken.cuts) if len(taken.cuts) == 1 else frozenset()
    return Value(kind="index", cuts=cuts)


def _attribute_named(machine: Machine, call: Call) -> Value:
    """`getattr(data, "train")`."""
    owner, name = call.get(0), call.get(1)
    stored = owner.entries.get(text_of(name) or "") if owner and name else None
    return machine.now(stored) if stored is not None else opaque(call)


def _literal(machine: Machine, call: Call) -> Value:
    """Settings that are written into the program as JSON."""
    text = text_of(call.args[0]) if call.args else None
    try:
        return machine.evaluate(expression(repr(json.loads(text or ""))))
    except ValueError:
        return opaque(call)


def _shuffle(machine: Machine, call: Call) -> Value:
    del machine
    items = tuple(alike(value, parts=(), order=Order.UNKNOWN) for value in call.args)
    return items[0] if len(items) == 1 else Value(kind="sequence", items=items)


def _resample(machine: Machine, call: Call) -> Value:
    del machine
    items = []
    for value in call.args:
        if call.flag("replace", True) is False:
            key = f"sample:{call.node.lineno}:{call.node.col_offset}"
            items.append(frames.take_rows(value, frozenset({Cut(key, line=call.node.lineno)})))
        else:
            items.append(
                frames.tainted(alike(value), learning.learnt(call.node, value, "resample"))
            )
    return items[0] if len(items) == 1 else Value(kind="sequence", items=tuple(items))


def _statistic(call: Call, last: str) -> Value:
    value = call.values[0]
    if value.evaluations or not value.is_data:
        return opaque(call)
    if learning.is_across_columns(call.get(1, "axis")):
        return alike(value, partial=True)
    supervised = last.startswith(("mutual_info", *_PAIRS))
    target = call.get(1, "y") if supervised else None
    result = learning.statistic(call.node, value, target)
    return Value(kind="sequence", items=(result, result)) if last in _PAIRS else result


_PAIRS = catalogue.words("f_classif f_regression chi2 spearmanr pearsonr kendalltau")


def _keep(machine: Machine, call: Call) -> Value:
    """The first argument in another dress."""
    value = call.args[0] if call.args else next(iter(call.kwargs.values()), UNKNOWN)
    if value.kind in ("mapping", "sequence") and call.name.endswith(("DataFrame", "Series")):
        scores = score_tables.of(machine, [value])
        if scores is not None:
            return scores
    if value.kind == "mapping":
        columns = [item for item in value.entries.values() if item.is_data or item.taints]
        if not columns:
            return Value(kind="data")
        rows = frozenset().union(*(item.rows for item in columns))
        taints = merged_taints(*(item.all_taints() for item in columns))
        return Value(kind="data", rows=rows, taints=taints, partial=True)
    if value.kind in ("sequence", "iterator"):
        parts = value.items or ((value.element,) if value.element is not None else ())
        rows = frozenset().union(*(part.rows for part in parts))
        if rows or call.name.endswith(("DataFrame", "Series")):
            return Value(kind="data", rows=rows, taints=value.all_taints(), partial=True)
    return alike(value)


def _path(machine: Machine, call: Call) -> Value:
    """`os.path.join(folder, "train.csv")`: the file's name is what matters."""
    del machine
    last = call.args[-1] if call.args else UNKNOWN
    return last if isinstance(last.const, str) else opaque(call)


def _select(machine: Machine, call: Call) -> Value:
    del machine
    return Value(kind="scalar") if call.args else UNKNOWN


RULES: dict[str, Rule] = {
    "train_test_split": train_test_split,
    "random_split": _random_split,
    "dmatrix": _design,
    "dmatrices": _design,
    "concat": _concat,
    "concatenate": _concat,
    "vstack": _concat,
    "hstack": _concat,
    "append": _concat,
    "column_stack": _beside,
    "merge": _beside,
    "get_dummies": _encode,
    "factorize": _encode,
    "cut": _discretise,
    "qcut": _discretise,
    "where": _where,
    "nonzero": _where,
    "flatnonzero": _where,
    "zeros": _sized,
    "ones": _sized,
    "empty": _sized,
    "full": _sized,
    "rand": _sized,
    "random": _sized,
    "uniform": _sized,
    "zeros_like": _sized,
    "arange": _positions,
    "range": _positions,
    "permutation": _positions,
    "setdiff1d": _difference,
    "shuffle": _shuffle,
    "resample": _resample,
    "len": iterating.length,
    "enumerate": iterating.enumerate_,
    "zip": iterating.zip_,
    "list": iterating.collect,
    "tuple": iterating.collect,
    "set": iterating.collect,
    "dict": iterating.collect,
    "sorted": iterating.collect,
    "reversed": iterating.collect,
    "tqdm": iterating.collect,
    "next": iterating.next_,
    "iter": iterating.collect,
    "max": iterating.best,
    "min": iterating.best,
    "argmax": iterating.best,
    "argmin": iterating.best,
    "to_datetime": _keep,
    "to_numeric": _keep,
    "DataFrame": _keep,
    "Series": _keep,
    "array": _keep,
    "asarray": _keep,
    "stack": _keep,
    "ravel": _keep,
    "squeeze": _keep,
    "csr_matrix": _keep,
    "int": _keep,
    "isinstance": _select,
    "join": _path,
    "Path": _path,
    "joinpath": _path,
    "print": _select,
    "Dataset": estimators.dataset,
    "DMatrix": estimators.dataset,
    "QuantileDMatrix": estimators.dataset,
    "Pool": estimators.dataset,
    "train": estimators.train,
    "cv": estimators.train,
    "clone": estimators.clone,
    "deepcopy": estimators.clone,
    "fmin": _select,
    "solve": by_hand.solve,
    "lstsq": by_hand.lstsq,
    "polyfit": by_hand.polyfit,
    "polyval": by_hand.polyval,
    "dot": by_hand.dot,
    "matmul": by_hand.dot,
    "getattr": _attribute_named,
    "loads": _literal,
    "literal_eval": _literal,
}
