"""Boosting whose time is up before it began still predicts, by the trees there are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.experts.blocks.boosting import fit_catboost, fit_lightgbm, fit_xgboost
from proveout.apps.mle.experts.blocks.part import Part

FITS: dict[str, tuple[Callable[[Part, dict[str, Any]], list[np.ndarray]], dict[str, Any]]] = {
    "lightgbm": (fit_lightgbm, {"rounds": 50, "patience": 5, "objective": "l2"}),
    "xgboost": (fit_xgboost, {"rounds": 50, "patience": 5, "objective": "reg:squarederror"}),
    "catboost": (fit_catboost, {"iterations": 50, "patience": 5, "loss_function": "RMSE"}),
}


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("name", FITS)
def test_time_is_up_at_once(name: str, *, refit: bool) -> None:
    rows = pd.DataFrame(np.random.default_rng(1).normal(size=(300, 3)), columns=["a", "b", "c"])
    days = pd.DataFrame(index=rows.index)
    part = Part(
        fit=rows,
        y=rows["a"].to_numpy(),
        others=[rows.head(20)],
        times=[days, days.head(20)],
        steps=(),
        weight=np.ones(300),
        stop=np.arange(300) % 8 == 0,
        keys=np.arange(300),
        deadline=0.0,
    )
    fit, options = FITS[name]
    (found,) = fit(part, {**options, "refit": refit})
    assert found.shape == (20, 1)
    assert np.isfinite(found).all()
