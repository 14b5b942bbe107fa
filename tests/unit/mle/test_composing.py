"""Submissions that are made of predictions at hand hold what any submission is held to."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.harness.composing import composed
from tests.mle_tables import regression


@pytest.mark.parametrize(
    ("metric", "least", "most"), [("rmsle", 0.0, 3.0), ("auc", 0.0, 1.0), ("rmse", -2.0, 3.0)]
)
def test_blends_that_go_too_far_are_cut(
    tmp_path: Path, metric: str, least: float, most: float
) -> None:
    folder = regression(tmp_path / "task", count=120)
    problem = intake.inspect(folder)
    arena = Arena.prepare(problem, folder, tmp_path / "work")
    said = replace(arena, problem=problem.model_copy(update={"metric": metric}))
    values = np.linspace(-2.0, 3.0, arena.case().test_rows)[:, None]
    values[arena.real_rows[0]], values[arena.real_rows[-1]] = -2.0, 3.0
    made = pd.read_csv(io.BytesIO(composed(said, values)))
    answers = made[problem.targets[0]]
    assert (answers.min(), answers.max()) == (least, most)
