"""Aggregates over a large snapshot: by the sandbox, by SQLite alone, and by pandas if it is there.

pandas gets its table in memory for nothing: what is timed is the aggregation. The sandbox's time
holds parsing, the check of every name, a process of its own, and the hash of the result.
"""

import importlib
import sqlite3
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from proveout.apps.solver.plan import SqlStep
from proveout.apps.solver.sandbox.engine import SqlSandbox

REPEATS = 5
STATEMENTS = {
    "hours of everybody": "SELECT employee_id, SUM(hours_centi) AS hours FROM time_entries"
    " GROUP BY employee_id ORDER BY employee_id",
    "hours by project and billing": "SELECT project_id, billable, SUM(hours_centi) AS hours,"
    " COUNT(*) AS entries FROM time_entries GROUP BY project_id, billable"
    " ORDER BY project_id, billable",
    "ten busiest in a month": "SELECT employee_id, SUM(hours_centi) AS hours FROM time_entries"
    " WHERE date >= (SELECT date(MAX(date), '-30 days') FROM time_entries)"
    " GROUP BY employee_id ORDER BY hours DESC, employee_id LIMIT 10",
    "hours of one person": "SELECT billable, SUM(hours_centi) AS hours FROM time_entries"
    " WHERE employee_id = (SELECT MIN(employee_id) FROM time_entries) GROUP BY billable"
    " ORDER BY billable",
}


@dataclass(frozen=True)
class Aggregated:
    """Median seconds of one aggregate."""

    name: str
    sandbox: float
    sqlite: float
    pandas: float | None


def aggregated(database: Path) -> list[Aggregated]:
    """Each by all three in turn; their answers have to agree."""
    frame = _frame(database)
    plain = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return [_one(name, database, plain, frame) for name in STATEMENTS]
    finally:
        plain.close()


def _one(name: str, database: Path, plain: sqlite3.Connection, frame: Any | None) -> Aggregated:
    statement = STATEMENTS[name]
    wanted = sorted(_by_sandbox(database, statement))
    times: dict[str, list[float]] = {"sandbox": [], "sqlite": [], "pandas": []}
    for _ in range(REPEATS):
        times["sandbox"].append(_timed(partial(_by_sandbox, database, statement)))
        times["sqlite"].append(_timed(lambda: plain.execute(statement).fetchall()))
        if frame is not None:
            times["pandas"].append(_timed(partial(BY_PANDAS[name], frame)))
    if frame is not None and sorted(map(tuple, BY_PANDAS[name](frame))) != wanted:
        message = f"{name}: pandas and SQL disagree"
        raise RuntimeError(message)
    middle = {who: statistics.median(taken) for who, taken in times.items() if taken}
    return Aggregated(name, middle["sandbox"], middle["sqlite"], middle.get("pandas"))


def _by_sandbox(database: Path, statement: str) -> list[tuple[Any, ...]]:
    """A process per statement, as a plan has it; its processor time is limited for good."""
    step = SqlStep(statement=statement, kind="read", bind="answer")
    with SqlSandbox(database, frozenset({"time_entries"}), seconds=60.0) as sandbox:
        return [tuple(row) for row in sandbox.run(step).rows]


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _frame(database: Path) -> Any | None:
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        return None
    asked = "SELECT employee_id, project_id, billable, date, hours_centi FROM time_entries"
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return pandas.read_sql_query(asked, connection)
    finally:
        connection.close()


def _everybody(frame: Any) -> list[Any]:
    sums = frame.groupby("employee_id")["hours_centi"].sum()
    return [(name, int(hours)) for name, hours in sums.items()]


def _by_project(frame: Any) -> list[Any]:
    grouped = frame.groupby(["project_id", "billable"])["hours_centi"].agg(["sum", "count"])
    return [(*key, int(row["sum"]), int(row["count"])) for key, row in grouped.iterrows()]


def _busiest(frame: Any) -> list[Any]:
    pandas = importlib.import_module("pandas")
    since = (pandas.Timestamp(frame["date"].max()) - pandas.Timedelta(days=30)).date().isoformat()
    sums = frame[frame["date"] >= since].groupby("employee_id")["hours_centi"].sum().reset_index()
    ranked = sums.sort_values(["hours_centi", "employee_id"], ascending=[False, True]).head(10)
    return [(name, int(hours)) for name, hours in ranked.itertuples(index=False)]


def _one_person(frame: Any) -> list[Any]:
    own = frame[frame["employee_id"] == frame["employee_id"].min()]
    sums = own.groupby("billable")["hours_centi"].sum()
    return [(int(billable), int(hours)) for billable, hours in sums.items()]


BY_PANDAS: dict[str, Callable[[Any], list[Any]]] = {
    "hours of everybody": _everybody,
    "hours by project and billing": _by_project,
    "ten busiest in a month": _busiest,
    "hours of one person": _one_person,
}
