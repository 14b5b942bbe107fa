"""The part of the rows that studies run on."""

from pathlib import Path

import numpy as np
import pandas as pd

from proveout.adapters.models.offline import OfflineModel
from proveout.apps.mle import intake
from proveout.apps.mle.search.ablating import MOST_ROWS, small_data
from proveout.apps.mle.search.searching import Search
from proveout.apps.mle.task import MleTask
from proveout.kernel.budget import Budget
from tests.mle_tables import write_task
from tests.workbench import Workbench

SERIES = 70


def test_of_each_series_the_latest_rows_are_kept(bench: Workbench, tmp_path: Path) -> None:
    """The file has one series after the other, as panels often have."""
    months = pd.date_range("2000-01-01", periods=132, freq="MS").strftime("%Y-%m-%d")
    frame = pd.DataFrame(
        {"shop": np.repeat(np.arange(SERIES), 132), "month": np.tile(months, SERIES)}
    )
    frame["shop"] = "s" + frame["shop"].astype(str)
    frame["sold"] = np.random.default_rng(0).normal(size=len(frame)).round(3)
    later = frame["month"] >= months[120]
    folder = write_task(
        tmp_path / "task", frame[~later], frame[later].drop(columns="sold"), "Metric: MAE."
    )
    problem = intake.inspect(folder)
    assert problem.time == "month"
    search = Search(
        task=MleTask(folder=str(folder)),
        context=bench.begin(OfflineModel(), budget=Budget(seconds=100, rounds=10)),
        problem=problem,
        work=str(tmp_path / "work"),
        seconds=100.0,
    )
    kept = pd.read_csv(small_data(search) / "train.csv")
    known = pd.read_csv(search.arena.input / "train.csv")
    assert len(kept) == MOST_ROWS < len(known)
    counts = kept["shop"].value_counts()
    assert len(counts) == SERIES
    assert counts.max() - counts.min() <= 1
    for shop, rows in kept.groupby("shop"):
        own = known.loc[known["shop"] == shop, "month"].sort_values()
        assert set(rows["month"]) == set(own.tail(len(rows)))
