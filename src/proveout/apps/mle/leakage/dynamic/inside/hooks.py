"""Estimators, splitters, scorers and metrics of scikit-learn, and what follows its manners."""

import functools
import inspect
import sys
import types
from typing import Any

from .recording import Recorder

LEARNING = ("fit", "fit_transform", "fit_predict", "partial_fit", "fit_resample")
ASKING = ("predict", "predict_proba", "decision_function", "score")
THROUGH = ("Pipeline", "ColumnTransformer", "FeatureUnion", "SearchCV")
"""Their parts are seen at work; of all others only the whole is."""
MOST_STATE = 2_000
"""Numbers of what one transformer has learnt."""


def install(recorder: Recorder) -> None:
    try:
        import sklearn.base
        import sklearn.metrics
        import sklearn.model_selection
    except ImportError:
        return
    for kind in _all_below(sklearn.base.BaseEstimator):
        _watch(kind, recorder)
    _watch_new_ones(sklearn.base.BaseEstimator, recorder)
    catboost = sys.modules.get("catboost")
    for name in ("CatBoost", "CatBoostClassifier", "CatBoostRegressor"):
        if catboost is not None:
            _watch(getattr(catboost, name), recorder)
    _watch_splits(sklearn.model_selection, recorder)
    _watch_metrics(sklearn.metrics, recorder)


def _all_below(kind: Any) -> list[Any]:
    found, waiting = [], [kind]
    while waiting:
        for one in waiting.pop().__subclasses__():
            if one not in found:
                found.append(one)
                waiting.append(one)
    return found


def _watch_new_ones(kind: Any, recorder: Recorder) -> None:
    """Classes that are made later: the program's own, and those of modules not yet imported."""
    real = kind.__init_subclass__.__func__

    def made(cls: Any, /, **named: Any) -> None:
        real(cls, **named)
        _watch(cls, recorder)

    kind.__init_subclass__ = classmethod(made)


def _watch(kind: Any, recorder: Recorder) -> None:
    """The methods of a class and of those it inherits from, each once."""
    for one in kind.__mro__:
        for names, wrap in ((LEARNING, _learning), (ASKING, _asking)):
            for name in names:
                method = vars(one).get(name)
                inner = getattr(method, "fn", method)
                if not isinstance(inner, types.FunctionType) or hasattr(inner, "watched"):
                    continue
                made = wrap(inner, name, recorder)
                made.watched = True
                if inner is method:
                    setattr(one, name, made)
                elif method is not None:
                    # A method that exists only if a part has it.
                    method.fn = made


def _is_again(self: Any, recorder: Recorder) -> bool:
    """`fit_transform` calling `fit`, or a class calling its parent's method."""
    return bool(recorder.calls) and recorder.calls[-1][0] == id(self)


def _working(self: Any, recorder: Recorder) -> None:
    name = type(self).__name__
    recorder.calls.append((id(self), name, name.endswith(THROUGH)))


def _second(given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    for name in ("y", "Y", "y_true"):
        if name in named:
            return named[name]
    second = given[1] if len(given) > 1 else None
    return None if isinstance(second, dict) else second


def _first(given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return given[0] if given else named.get("X", named.get("raw_documents"))


def _learning(real: Any, name: str, recorder: Recorder) -> Any:
    @functools.wraps(real)
    def learnt(self: Any, *given: Any, **named: Any) -> Any:
        if recorder.hidden() or _is_again(self, recorder):
            return real(self, *given, **named)
        y = _second(given, named)
        model = y is not None and hasattr(self, "predict") and name != "fit_transform"
        x_seen, y_seen = recorder.matrix(_first(given, named)), recorder.matrix(y)
        number = recorder.note(
            "fit" if model else "learn",
            type(self).__name__,
            x=x_seen,
            y=y_seen,
            label=str(getattr(y, "name", "") or "")[:200],
        )
        _working(self, recorder)
        _reseed(2 * number)
        try:
            made = real(self, *given, **named)
        finally:
            recorder.calls.pop()
        _reseed(2 * number + 1)
        recorder.fitted[id(self)] = (number, self)
        if not model and number >= 0:
            recorder.events[number]["out"] = recorder.matrix(_state(self))
        if name == "fit_resample" and isinstance(made, tuple):
            recorder.note("resample", type(self).__name__, x=recorder.matrix(made[0]))
        return made

    return learnt


def _reseed(number: int) -> None:
    """How much chance a fit uses up may depend on its rows; what comes after must not."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(abs(number) % 2**32)


def _state(self: Any) -> list[float]:
    """The numbers that were learnt: attributes that end in an underscore, by name."""
    import numpy as np

    found: list[float] = []
    for name in sorted(vars(self)):
        if name.endswith("_") and len(found) < MOST_STATE:
            try:
                plain = np.asarray(vars(self)[name], dtype=np.float64).ravel()
            except (TypeError, ValueError):
                continue
            found += plain[: MOST_STATE - len(found)].tolist()
    return found


def _asking(real: Any, name: str, recorder: Recorder) -> Any:
    @functools.wraps(real)
    def asked(self: Any, *given: Any, **named: Any) -> Any:
        if recorder.hidden() or _is_again(self, recorder):
            made = real(self, *given, **named)
            _give_to_score(self, made, name, recorder)
            return made
        start = len(recorder.events)
        x = recorder.matrix(_first(given, named))
        y = recorder.matrix(_second(given, named)) if name == "score" else None
        _working(self, recorder)
        recorder.answers = None
        try:
            made = real(self, *given, **named)
        finally:
            recorder.calls.pop()
        of = recorder.fitted.get(id(self), (-1, None))[0]
        value = float(made) if name == "score" and isinstance(made, (int, float)) else None
        out = recorder.answers if name == "score" else recorder.matrix(made)
        what = f"{type(self).__name__}.{name}"
        kind = "score" if name == "score" else "predict"
        recorder.note(kind, what, of=of, x=x, y=y, out=out, value=_finite(value), first=start)
        return made

    return asked


def _give_to_score(self: Any, made: Any, name: str, recorder: Recorder) -> None:
    """The predictions that a score was computed from."""
    own = len(recorder.calls) == 1 and recorder.calls[0][0] == id(self)
    if own and name != "score" and not recorder.busy and recorder.answers is None:
        recorder.answers = recorder.matrix(made)


def _finite(value: float | None) -> float | None:
    return value if value is not None and abs(value) < 1e300 else None


def _watch_splits(library: Any, recorder: Recorder) -> None:
    for kind in list(vars(library).values()):
        for one in kind.__mro__ if inspect.isclass(kind) else ():
            method = vars(one).get("split")
            if isinstance(method, types.FunctionType) and not hasattr(method, "watched"):
                setattr(one, "split", _splitting(method, recorder))  # noqa: B010
    library.train_test_split = _dividing(library.train_test_split, recorder)


def _splitting(real: Any, recorder: Recorder) -> Any:
    @functools.wraps(real)
    def split(self: Any, X: Any, *given: Any, **named: Any) -> Any:
        if recorder.busy:
            yield from real(self, X, *given, **named)
            return
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        recorder.busy = True
        try:
            folds = list(real(self, X, *given, **named))
        finally:
            recorder.busy = False
        number = recorder.next_split()
        again = recorder.replayed(number, rows)
        for train, test in _as_before(folds, again):
            recorder.divided(type(self).__name__, number, rows, train, test)
            yield train, test

    split.watched = True  # type: ignore[attr-defined]
    return split


def _as_before(folds: list[Any], again: list[Any] | None) -> list[Any]:
    import numpy as np

    if again is None or len(again) != len(folds):
        return folds
    return [(np.asarray(a, dtype=int), np.asarray(b, dtype=int)) for a, b in again]


def _dividing(real: Any, recorder: Recorder) -> Any:
    @functools.wraps(real)
    def divided(*arrays: Any, **named: Any) -> Any:
        import numpy as np
        from sklearn.utils import _safe_indexing

        if not arrays:
            return real(*arrays, **named)
        rows = arrays[0].shape[0] if hasattr(arrays[0], "shape") else len(arrays[0])
        recorder.busy = True
        try:
            parts = list(real(*arrays, np.arange(rows), **named))
            test, train = parts.pop(), parts.pop()
            number = recorder.next_split()
            again = recorder.replayed(number, rows)
            if again:
                train, test = (np.asarray(side, dtype=int) for side in again[0])
                sides = (train, test)
                parts = [_safe_indexing(one, side) for one in arrays for side in sides]
        finally:
            recorder.busy = False
        recorder.divided("train_test_split", number, rows, train, test)
        return parts

    return divided


def _watch_metrics(library: Any, recorder: Recorder) -> None:
    for name, function in list(vars(library).items()):
        if not inspect.isfunction(function):
            continue
        if list(inspect.signature(function).parameters)[:1] == ["y_true"]:
            setattr(library, name, _measuring(function, recorder))
    scorer = library._scorer._Scorer
    scorer._score = _scoring(scorer._score, recorder)


def _measuring(real: Any, recorder: Recorder) -> Any:
    @functools.wraps(real)
    def measured(*given: Any, **named: Any) -> Any:
        made = real(*given, **named)
        if not recorder.hidden():
            y_true = given[0] if given else named.get("y_true")
            second = given[1] if len(given) > 1 else named.get("y_pred", named.get("y_score"))
            value = float(made) if isinstance(made, (int, float)) else None
            y, out = recorder.matrix(y_true), recorder.matrix(second)
            recorder.note("metric", real.__name__, y=y, out=out, value=_finite(value))
        return made

    return measured


def _scoring(real: Any, recorder: Recorder) -> Any:
    @functools.wraps(real)
    def scored(self: Any, caller: Any, estimator: Any, *given: Any, **named: Any) -> Any:
        start = len(recorder.events)
        made = real(self, caller, estimator, *given, **named)
        X, y_true = (*given, None, None)[:2]
        if not recorder.hidden() and y_true is not None:
            of = recorder.fitted.get(id(estimator), (-1, None))[0]
            x, y = recorder.matrix(X), recorder.matrix(y_true)
            value = float(made) if isinstance(made, (int, float)) else None
            recorder.note(
                "score", str(self), of=of, x=x, y=y, out=None, value=_finite(value), first=start
            )
        return made

    return scored
