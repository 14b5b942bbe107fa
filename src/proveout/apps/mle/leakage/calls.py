"""Calls: of the program's own functions and classes, of libraries, of methods."""

import ast

from proveout.apps.mle.leakage import catalogue, estimators, functions, methods
from proveout.apps.mle.leakage.calling import Call, opaque
from proveout.apps.mle.leakage.frames import source_frame
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.values import UNKNOWN, Value

MOST_DEPTH = 3
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
ESTIMATOR_METHODS = catalogue.words(
    """
    fit fit_transform fit_predict predict predict_proba decision_function score fit_resample
    fit_sample partial_fit transform evaluate fit_on_texts texts_to_sequences texts_to_matrix
    adapt predict_log_proba
    """
)

LEARNING = catalogue.words(
    """
    fit fit_transform fit_predict fit_resample train_test_split scale minmax_scale robust_scale
    random_split
    """
)
"""Whatever is handed to these is data, even if nothing else shows it."""


def call(machine: Machine, node: ast.Call) -> Value:
    function = node.func
    if isinstance(function, ast.Attribute):
        owner = machine.evaluate(function.value)
        made = _arguments(machine, node, function.attr)
        # An argument may have changed what the method is called on.
        return _method(machine, machine.now(owner), made, function)
    target = machine.evaluate(function)
    made = _arguments(machine, node, target.name)
    return apply(machine, target, made)


def _arguments(machine: Machine, node: ast.Call, name: str) -> Call:
    args: list[Value] = []
    for argument in node.args:
        value = machine.evaluate(argument)
        if isinstance(argument, ast.Starred):
            args += value.items or (value,)
        else:
            args.append(value)
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value)
        if keyword.arg is None:
            kwargs.update(value.entries)
        else:
            kwargs[keyword.arg] = value
    fresh = [machine.now(value) for value in args]
    if name.rpartition(".")[2] in LEARNING:
        fresh = [machine.grounded(value, node.lineno) for value in fresh]
    return Call(node, name, fresh, {k: machine.now(v) for k, v in kwargs.items()}, list(node.args))


def apply(machine: Machine, target: Value, made: Call) -> Value:
    """Call a value."""
    if target.kind == "function":
        return follow(machine, target, made.args, made.kwargs) or opaque(made)
    if target.kind == "class":
        return _instantiate(machine, target, made)
    if target.kind == "object":
        return estimators.predict(machine, target, made)
    if target.kind == "instance":
        method = find_method(machine, target, "forward") or find_method(machine, target, "__call__")
        return _follow_method(machine, target, method, made) if method else opaque(made)
    if target.kind == "name":
        return functions.library(machine, replace_name(made, target.name))
    return opaque(made, target)


def replace_name(made: Call, name: str) -> Call:
    return Call(made.node, name, made.args, made.kwargs, made.arg_nodes)


def _method(machine: Machine, owner: Value, made: Call, function: ast.Attribute) -> Value:
    if owner.kind == "name":
        return functions.library(machine, replace_name(made, f"{owner.name}.{function.attr}"))
    if owner.kind == "instance":
        return _of_instance(machine, owner, made)
    if owner.kind == "object":
        return estimators.method(machine, owner, made)
    if owner.kind == "class":
        return opaque(made)
    stored = owner.entries.get(function.attr)
    if stored is not None and stored.kind == "function":
        return apply(machine, stored, made)
    if made.name in ESTIMATOR_METHODS and owner.kind in ("unknown", "scalar"):
        thing = machine.change(owner, owner._replace(kind="object", name=owner.name or "estimator"))
        return estimators.method(machine, thing, made)
    return methods.method(machine, owner, made)


def _of_instance(machine: Machine, owner: Value, made: Call) -> Value:
    method = find_method(machine, owner, made.name)
    if method is not None:
        return _follow_method(machine, owner, method, made)
    fit, transform = (find_method(machine, owner, name) for name in ("fit", "transform"))
    if made.name == "fit_transform" and fit and transform:
        _follow_method(machine, owner, fit, made)
        first = Call(made.node, "transform", made.args[:1], {})
        return _follow_method(machine, machine.now(owner), transform, first)
    stored = owner.entries.get(made.name)
    if stored is not None:
        return apply(machine, machine.now(stored), made)
    return opaque(made)


def _follow_method(machine: Machine, owner: Value, method: Value, made: Call) -> Value:
    definition = method.node
    static = isinstance(definition, ast.FunctionDef) and any(
        ast.unparse(mark) == "staticmethod" for mark in definition.decorator_list
    )
    first = [] if static else [machine.cells[machine.cell(owner)]]
    result = follow(machine, method, [*first, *made.args], made.kwargs)
    return opaque(made) if result is None else result


def find_method(machine: Machine, owner: Value, name: str) -> Value | None:
    definition = owner.node
    for _ in range(4):
        if not isinstance(definition, ast.ClassDef):
            return None
        for part in definition.body:
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and part.name == name:
                return Value(kind="function", name=name, node=part)
        parents = [machine.evaluate(base) for base in definition.bases]
        definition = next((parent.node for parent in parents if parent.kind == "class"), None)
    return None


def _library_parent(machine: Machine, target: Value) -> str:
    """What the program's class inherits its learning from, if not from itself."""
    if find_method(machine, target, "fit") or find_method(machine, target, "transform"):
        return ""
    for base in getattr(target.node, "bases", []):
        parent = machine.evaluate(base)
        if parent.kind == "name" and catalogue.meaning(parent.name) in ("model", "transformer"):
            return parent.name.rpartition(".")[2]
    return ""


def _instantiate(machine: Machine, target: Value, made: Call) -> Value:
    parent = _library_parent(machine, target)
    if parent:
        return Value(kind="object", name=parent, entries=made.kwargs)
    instance = Value(kind="instance", name=target.name, node=target.node)
    instance = machine.cells[machine.cell(instance)]
    fields, constants = _defaults(machine, target)
    defaults = {**constants, **fields}
    method = find_method(machine, instance, "__init__")
    if method is not None:
        machine.change(instance, instance._replace(entries=defaults))
        _follow_method(machine, machine.now(instance), method, made)
    else:
        given = {**dict(zip(fields, made.args, strict=False)), **made.kwargs}
        machine.change(instance, instance._replace(entries={**defaults, **given}))
    return machine.now(instance)


def read_property(machine: Machine, owner: Value, name: str) -> Value:
    """What a method that is read like an attribute returns."""
    method = find_method(machine, owner, name)
    if method is None:
        return UNKNOWN
    marks = [ast.unparse(mark) for mark in getattr(method.node, "decorator_list", [])]
    if not any(mark.endswith("property") for mark in marks):
        return UNKNOWN
    return follow(machine, method, [owner], {}) or UNKNOWN


def _defaults(machine: Machine, target: Value) -> tuple[dict[str, Value], dict[str, Value]]:
    """Annotated names in the body of a class (those of a data class), and the plain ones."""
    fields: dict[str, Value] = {}
    constants: dict[str, Value] = {}
    for part in getattr(target.node, "body", []):
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            value = _default(machine, part.value)
            fields[part.target.id] = machine.cells[machine.cell(value)]
        elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            value = machine.evaluate(part.value)
            constants[part.targets[0].id] = machine.cells[machine.cell(value)]
    return fields, constants


def _default(machine: Machine, node: ast.expr | None) -> Value:
    if node is None:
        return UNKNOWN
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "default_factory":
                made = ast.copy_location(ast.Call(keyword.value, [], []), node)
                return machine.evaluate(made)
            if keyword.arg == "default":
                return machine.evaluate(keyword.value)
    return machine.evaluate(node)


def follow(
    machine: Machine, function: Value, args: list[Value], kwargs: dict[str, Value]
) -> Value | None:
    """What a function of the program returns; none where following it would go too deep."""
    node = function.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return None
    if len(machine.calls) >= MOST_DEPTH or node in machine.calls:
        return None
    names = _bound_names(machine, node, args, kwargs)
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        return machine.inside(node, names, body)
    return machine.inside(node, names, node.body)


def _bound_names(
    machine: Machine, node: Definition, args: list[Value], kwargs: dict[str, Value]
) -> dict[str, Value]:
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    names: dict[str, Value] = {}
    for parameter, default in zip(reversed(positional), reversed(spec.defaults), strict=False):
        names[parameter.arg] = machine.evaluate(default)
    for parameter, given in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        names[parameter.arg] = UNKNOWN if given is None else machine.evaluate(given)
    for parameter, value in zip(positional, args, strict=False):
        names[parameter.arg] = value
    known = {parameter.arg for parameter in (*positional, *spec.kwonlyargs)}
    names.update({name: value for name, value in kwargs.items() if name in known})
    for name in known - set(names):
        names[name] = UNKNOWN
    if spec.vararg is not None:
        names[spec.vararg.arg] = Value(kind="sequence", items=tuple(args[len(positional) :]))
    if spec.kwarg is not None:
        rest = {name: value for name, value in kwargs.items() if name not in known}
        names[spec.kwarg.arg] = Value(kind="mapping", entries=rest)
    return names


def run_uncalled(machine: Machine, body: list[ast.stmt]) -> None:
    """Functions that nothing calls are entered with tables of their own."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            _enter_alone(machine, node, None)
        elif isinstance(node, ast.ClassDef):
            instance = Value(kind="instance", name=node.name, node=node)
            for part in node.body:
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    _enter_alone(machine, part, instance)


def _enter_alone(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: Value | None
) -> None:
    if node in machine.called or machine.log.exhausted:
        return
    spec = node.args
    parameters = [one.arg for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    names = {name: _argument(name) for name in parameters}
    if owner is not None and parameters:
        names[parameters[0]] = owner
    machine.stopped = False
    machine.inside(node, names, node.body)


TABLE_WORDS = (
    "df",
    "data",
    "x",
    "y",
    "train",
    "test",
    "valid",
    "val",
    "frame",
    "feature",
    "target",
)


def _argument(name: str) -> Value:
    lowered = name.lower()
    if any(part in TABLE_WORDS for part in lowered.split("_")) or lowered.startswith("df"):
        return source_frame(f"argument {name}")
    return UNKNOWN
