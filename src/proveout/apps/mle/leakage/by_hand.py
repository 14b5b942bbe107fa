"""Models without a library: least squares by linear algebra, asked by a product of matrices."""

import ast

from proveout.apps.mle.leakage import estimators, frames
from proveout.apps.mle.leakage.calling import Call, opaque
from proveout.apps.mle.leakage.machine import Machine
from proveout.apps.mle.leakage.values import UNKNOWN, Fit, Value

LEAST_SQUARES = Value(kind="object", name="least squares")


def solve(machine: Machine, call: Call) -> Value:
    """`solve(X.T @ X, X.T @ y)`: the right side holds features too, so it is no target."""
    given = frames.combined(call.args)
    return _fitted(machine, call, given, None) if given.rows else opaque(call)


def lstsq(machine: Machine, call: Call) -> Value:
    """The coefficients come first of four."""
    x, y = call.get(0, "a"), call.get(1, "b")
    if x is None or not x.is_data:
        return opaque(call)
    return Value(kind="sequence", items=(_fitted(machine, call, x, y), UNKNOWN, UNKNOWN, UNKNOWN))


def polyfit(machine: Machine, call: Call) -> Value:
    x, y = call.get(0, "x"), call.get(1, "y")
    return opaque(call) if x is None or not x.is_data else _fitted(machine, call, x, y)


def polyval(machine: Machine, call: Call) -> Value:
    coefficients, x = call.get(0, "p"), call.get(1, "x")
    if coefficients is None or x is None or not is_model(coefficients):
        return opaque(call)
    return estimators.ask(machine, coefficients, call.node, x)


def dot(machine: Machine, call: Call) -> Value:
    """`np.dot(X, w)`, `X.dot(w)`."""
    found = product(machine, call.node, *call.args[:2]) if len(call.args) > 1 else None
    return found if found is not None else opaque(call)


def product(machine: Machine, node: ast.expr, left: Value, right: Value) -> Value | None:
    """What `X @ w` predicts; nothing if `w` was not fitted."""
    if not is_model(right) or not left.is_data:
        return None
    return estimators.ask(machine, right, node, left)


def is_model(value: Value) -> bool:
    return value.kind == "object" and value.name == LEAST_SQUARES.name and value.fit is not None


def _fitted(machine: Machine, call: Call, x: Value, y: Value | None) -> Value:
    event = estimators.note_fit(machine, LEAST_SQUARES, call, x, y)
    return LEAST_SQUARES._replace(fit=Fit(event, learnt=x.all_taints()))
