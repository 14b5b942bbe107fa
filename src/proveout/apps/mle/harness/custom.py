"""A metric of one's own: a function in a file that the task's owner names in `task.toml`.

It runs in this process, with this process's rights: it is the owner's code, like the task itself.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proveout.apps.mle.intake.errors import unusable
from proveout.apps.mle.problem import Problem
from proveout.apps.mle.tables.metrics import METRICS, Metric, Needs


def metric_of(problem: Problem, folder: Path) -> Metric:
    """The metric by which this problem is judged."""
    if problem.metric != "custom":
        named = METRICS[problem.metric]
        return Metric(named.name, problem.direction, named.needs, named.formula, named.words)
    function = _function(problem.custom_metric, folder)

    def formula(about: Problem, truth: NDArray[Any], given: Any, chosen: Any) -> float:
        wanted, offered = _as_told(about, truth, given, chosen)
        try:
            return float(function(wanted, offered))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            message = f"{about.custom_metric} failed: {type(error).__name__}: {error}"
            raise unusable(message, "custom_metric", "mend the function") from None

    need: Needs = "labels" if problem.submission == "value" else "probabilities"
    if problem.kind == "regression":
        need = "values"
    return Metric("custom", problem.direction, need, formula, problem.custom_metric)


def _as_told(problem: Problem, truth: NDArray[Any], given: Any, chosen: Any) -> tuple[Any, Any]:
    """Values or labels as the files have them; class numbers against probabilities."""
    if problem.kind == "regression":
        wanted = truth.reshape(len(given), -1)
        return (wanted[:, 0], given[:, 0]) if given.shape[1] == 1 else (wanted, given)
    if problem.submission == "value":
        names = np.array(problem.labels, dtype=object)
        return names[truth], names[chosen]
    return truth, given[:, 1] if problem.submission == "probability" else given


def _function(named: str, folder: Path) -> Callable[[Any, Any], Any]:
    file, _, name = named.rpartition(":")
    path = folder / file
    if not file or not path.is_file():
        message = f"the metric of one's own {named!r} is not there"
        raise unusable(message, "custom_metric", 'write custom_metric = "file.py:function"')
    spec = importlib.util.spec_from_file_location(f"proveout_custom_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (SyntaxError, ImportError, NameError, AttributeError, TypeError, ValueError) as error:
        message = f"{file} cannot be loaded: {error}"
        raise unusable(message, "custom_metric", "mend the file") from None
    found = getattr(module, name, None)
    if not callable(found):
        message = f"{file} has no function {name!r}"
        raise unusable(message, "custom_metric", "name a function (y_true, y_pred) -> float")
    function: Callable[[Any, Any], Any] = found
    return function
