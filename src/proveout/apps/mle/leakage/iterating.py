"""Built-in functions over containers: counting, pairing, collecting, taking the best."""

from proveout.apps.mle.leakage import learning
from proveout.apps.mle.leakage.calling import Call
from proveout.apps.mle.leakage.loops import iterated_element
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.values import UNKNOWN, Value, alike, join_all


def length(machine: Machine, call: Call) -> Value:
    del machine
    value = call.args[0] if call.args else UNKNOWN
    return Value(kind="scalar", length_of=value.rows or value.length_of)


def enumerate_(machine: Machine, call: Call) -> Value:
    value = call.args[0] if call.args else UNKNOWN
    number = Value(kind="scalar")
    if value.kind == "sequence":
        pairs = [Value(kind="sequence", items=(number, item)) for item in value.items]
        return Value(kind="sequence", items=tuple(pairs))
    element = machine.now(iterated_element(value))
    return Value(kind="iterator", element=Value(kind="sequence", items=(number, element)))


def zip_(machine: Machine, call: Call) -> Value:
    lengths = {len(value.items) for value in call.args if value.kind == "sequence"}
    if len(lengths) == 1 and all(value.kind == "sequence" for value in call.args):
        rows = zip(*(value.items for value in call.args), strict=True)
        return Value(
            kind="sequence", items=tuple(Value(kind="sequence", items=row) for row in rows)
        )
    parts = tuple(machine.now(iterated_element(value)) for value in call.args)
    return Value(kind="iterator", element=Value(kind="sequence", items=parts))


def collect(machine: Machine, call: Call) -> Value:
    """`list`, `tuple`, `sorted`, …: the same elements."""
    if not call.args:
        made = Value(kind="mapping") if call.name == "dict" else Value(kind="sequence")
        return made._replace(entries=call.kwargs) if call.name == "dict" else made
    value = call.args[0]
    if call.name == "sorted":
        _note_choice(machine, call)
    return value if value.kind != "data" else alike(value, kind="index" if value.cuts else "data")


def next_(machine: Machine, call: Call) -> Value:
    return machine.now(iterated_element(call.args[0])) if call.args else UNKNOWN


def best(machine: Machine, call: Call) -> Value:
    """`max(scores)`, `np.argmax(scores)`, or the largest of many rows."""
    _note_choice(machine, call)
    if len(call.args) == 1 and call.args[0].is_data and not call.args[0].evaluations:
        if learning.is_across_columns(call.get(1, "axis")):
            return alike(call.args[0])
        return learning.statistic(call.node, call.args[0])
    return join_all(value._replace(kind="scalar", ref=None, items=()) for value in call.args)


def _note_choice(machine: Machine, call: Call) -> None:
    """By what the best is taken: what a key says of it, what was collected, or a running best."""
    events = _told_by_key(machine, call) or frozenset().union(
        *(part.evaluations for part in _compared(call))
    )
    if events:
        machine.choose(learning.span(call.node), events)


def _compared(call: Call) -> list[Value]:
    if len(call.args) > 1:
        # `best = max(best, score)`: each turn of the loop adds its own score.
        return [value for value in call.args if value.kind == "scalar"]
    value = call.args[0] if call.args else UNKNOWN
    if value.kind not in ("sequence", "iterator", "mapping"):
        return []
    parts = [*value.items, *value.entries.values(), *([value.element] if value.element else [])]
    return [piece for part in parts for piece in (part, *part.items, *part.entries.values())]


def _told_by_key(machine: Machine, call: Call) -> frozenset[int]:
    """Scores that `key=` computes of a candidate."""
    key = call.kwargs.get("key")
    if key is None or key.kind != "function" or len(call.args) != 1:
        return frozenset()
    candidate = machine.now(iterated_element(call.args[0]))
    told = machine.follow(key, [candidate], {})
    return told.evaluations if told is not None else frozenset()
