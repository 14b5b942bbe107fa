"""Statistics of pandas that the program itself asks for, and boosters beside scikit-learn."""

import functools
import sys
from typing import Any

from .recording import Recorder

STATISTICS = (
    "mean", "median", "std", "var", "min", "max", "sum", "quantile", "mode", "corr", "corrwith",
    "value_counts", "rank", "describe", "transform", "agg", "aggregate", "apply", "skew",
)  # fmt: skip
BOOSTERS = ("lightgbm", "xgboost", "catboost")
MOST_KEPT = 400
"""Numbers of one statistic."""


def install(recorder: Recorder, source: str) -> None:
    """Import ahead what the program will use, so that it can be watched from its first line."""
    pandas = sys.modules.get("pandas")
    if pandas is not None:
        for kind in (pandas.DataFrame, pandas.Series, *_groups(pandas)):
            for name in STATISTICS:
                method = getattr(kind, name, None)
                if callable(method) and not hasattr(method, "watched"):
                    setattr(kind, name, _counted(method, name, recorder))
        for name in ("qcut", "cut"):
            setattr(pandas, name, _counted(getattr(pandas, name), name, recorder))
    for name in BOOSTERS:
        if name in source:
            _import(name)
    _one_process()
    if "lightgbm" in sys.modules and "lightgbm" in source:
        _watch_training(sys.modules["lightgbm"], recorder)


def _import(name: str) -> None:
    try:
        __import__(name)
    except ImportError:
        return


def _groups(pandas: Any) -> list[Any]:
    grouped = pandas.core.groupby
    return [grouped.DataFrameGroupBy, grouped.SeriesGroupBy, grouped.GroupBy]


def _counted(real: Any, name: str, recorder: Recorder) -> Any:
    """Noted only where the program is the direct caller."""

    @functools.wraps(real)
    def computed(*given: Any, **named: Any) -> Any:
        made = real(*given, **named)
        frame = sys._getframe(1)
        if frame.f_code.co_filename == recorder.program and not recorder.busy:
            given_to = recorder.matrix(_digest(given[0])) if given else None
            recorder.note("statistic", name, x=recorder.matrix(_few(made)), y=given_to)
        return made

    computed.watched = True  # type: ignore[attr-defined]
    return computed


def _few(made: Any) -> Any:
    if isinstance(made, (int, float)) or getattr(made, "shape", None) == ():
        return [float(made)] if not isinstance(made, str) else None
    return made[:MOST_KEPT] if hasattr(made, "__getitem__") and hasattr(made, "shape") else None


def _digest(table: Any) -> Any:
    """One number for all that a statistic was computed from."""
    pandas = sys.modules["pandas"]
    whole = getattr(table, "obj", table)
    try:
        return [float(pandas.util.hash_pandas_object(whole, index=False).sum() % 2**52)]
    except (TypeError, AttributeError, ValueError):
        return None


def _one_process() -> None:
    """Work that is spread over processes would be done out of sight."""
    joblib = sys.modules.get("joblib")
    if joblib is None:
        return
    real = joblib.Parallel.__init__

    @functools.wraps(real)
    def alone(self: Any, *given: Any, **named: Any) -> None:
        named["n_jobs"] = 1
        real(self, *given[1:], **named)

    joblib.Parallel.__init__ = alone


def _watch_training(lightgbm: Any, recorder: Recorder) -> None:
    """`lightgbm.train` and the booster that comes of it."""
    train, predict = lightgbm.train, lightgbm.Booster.predict

    @functools.wraps(train)
    def trained(params: Any, train_set: Any, *given: Any, **named: Any) -> Any:
        seen = not recorder.hidden()
        x = recorder.matrix(getattr(train_set, "data", None)) if seen else None
        y = recorder.matrix(getattr(train_set, "label", None)) if seen else None
        recorder.calls.append((id(train_set), "train", False))
        try:
            made = train(params, train_set, *given, **named)
        finally:
            recorder.calls.pop()
        if seen:
            number = recorder.note("fit", "lightgbm.train", x=x, y=y, label="")
            recorder.fitted[id(made)] = (number, made)
        return made

    @functools.wraps(predict)
    def predicted(self: Any, data: Any, *given: Any, **named: Any) -> Any:
        made = predict(self, data, *given, **named)
        if not recorder.hidden() and id(self) in recorder.fitted:
            of = recorder.fitted[id(self)][0]
            x, out = recorder.matrix(data), recorder.matrix(made)
            recorder.note("predict", "Booster.predict", of=of, x=x, y=None, out=out)
        return made

    lightgbm.train = trained
    lightgbm.Booster.predict = predicted
