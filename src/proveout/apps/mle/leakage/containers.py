"""Methods of lists, dictionaries and lists of column names."""

from proveout.apps.mle.leakage.calling import Call
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.values import (
    MOST_ITEMS,
    UNKNOWN,
    Value,
    alike,
    constant,
    join_all,
    names_of,
)


def of_columns(owner: Value, call: Call) -> Value:
    """`df.columns.drop("target")`, `.difference([…])`, `.tolist()`."""
    names = names_of(call.args[0]) if call.args else None
    if call.name in ("drop", "difference") and names:
        kept = {name: column for name, column in owner.columns.items() if name not in names}
        return alike(owner, columns=kept, dropped=owner.dropped | set(names))
    if call.name in ("tolist", "to_list", "copy"):
        return alike(owner)
    if call.name in ("get_loc", "str", "isin"):
        return UNKNOWN
    return alike(owner, partial=True)


def of_container(machine: Machine, owner: Value, call: Call) -> Value:
    name = call.name
    given = call.args[0] if call.args else UNKNOWN
    if name in ("append", "add", "insert") and call.args:
        added = machine.cells[machine.cell(call.args[-1])]
        items = owner.items if added in owner.items else (*owner.items, added)
        element = None if owner.element is None else join_all([owner.element, added])
        machine.change(owner, owner._replace(items=items[-MOST_ITEMS:], element=element))
        return UNKNOWN
    if name == "extend":
        items = (*owner.items, *given.items)[:MOST_ITEMS]
        machine.change(owner, owner._replace(items=items))
        return UNKNOWN
    if name == "remove":
        kept = tuple(item for item in owner.items if item.const != given.const)
        machine.change(owner, owner._replace(items=kept))
        return UNKNOWN
    if name == "values":
        return Value(kind="sequence", items=tuple(owner.entries.values())[:MOST_ITEMS])
    if name == "keys":
        return Value(kind="sequence", items=tuple(constant(key) for key in owner.entries))
    if name == "items":
        pairs = [
            Value(kind="sequence", items=(constant(key), value))
            for key, value in owner.entries.items()
        ]
        return Value(kind="sequence", items=tuple(pairs[:MOST_ITEMS]))
    if name in ("get", "pop", "setdefault"):
        key = given.const
        if isinstance(key, str) and key in owner.entries:
            return machine.now(owner.entries[key])
    if name == "update":
        machine.change(owner, owner._replace(entries={**owner.entries, **given.entries}))
        return UNKNOWN
    if name == "copy":
        return owner._replace(ref=None)
    whole = join_all(machine.now(item) for item in (*owner.items, *owner.entries.values()))
    return Value(taints=owner.all_taints(), evaluations=whole.evaluations)
