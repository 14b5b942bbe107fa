"""Repaired scripts are run, before and after, on made-up tables with the real libraries."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.leakage import examine, repair
from proveout.apps.mle.leakage.catalogue import words

pytest.importorskip("sklearn")

Cells = np.ndarray[Any, Any]
CORPUS = Path(__file__).parent / "corpus"
HARNESS = {
    "input/train.csv": "id income age target",
    "input/test.csv": "id income age",
    "input/folds.csv": "fold",
}
TABLES: dict[str, dict[str, str]] = {
    "label_left_in_cv": {"input/data.csv": "a b label"},
    "target_kept": {"flats.csv": "area rooms price"},
    "log_target_original_kept": {"flats.csv": "area rooms price"},
    "answer_column": {"tickets.csv": "hours escalated"},
    "whole_frame_as_features": {"yields.csv": "rain sun kg"},
    "groups_ignored": {"scans.csv": "a b ill patient"},
    "lag_features": {"load.csv": "when load temp"},
    "lags_then_kfold": {"stock.csv": "close"},
    "centred_window": {"quake.csv": "signal time_to_failure"},
    "training_score": {"wine.csv": "a b quality"},
    "own_rows_scored": {"ads.csv": "tv radio sales"},
    "sample_twice": {"people.csv": "age hours rich"},
    "two_random_splits": {"d.csv": "p q z"},
    "mask_split_same_side": {"points.csv": "x y kind"},
    "harness_folds_trained_on_all": HARNESS,
    "harness_folds_train_and_test_median": HARNESS,
    "harness_time_folds_scaled_before": {
        "input/train.csv": "a b c sales",
        "input/folds.csv": "fold",
    },
    "tuned": {"cells.csv": "a b k"},
    "best_of_models": {"iris.csv": "a b species"},
    "optuna_style": {"bikes.csv": "a b count"},
    "threshold": {"mails.csv": "len links spam"},
    "quantile_bins": {"trips.csv": "km hour fare"},
    "zscore_scipy": {"ph.csv": "conc t rate"},
    "inplace_fill": {"titanic.csv": "Age Fare Name Ticket Survived"},
    "custom_transformer_on_all": {"wages.csv": "a b wage"},
    "trainer_class": {"rows.csv": "a b y"},
    "correlation_selection": {"cars.csv": "weight power mpg"},
    "importances": {"genes.csv": " ".join(f"g{n}" for n in range(60)) + " kind"},
    "oversampled_by_sample": {"events.csv": "a b alarm"},
    "late_insurance": {"insurance.csv": "policy_id age bmi charges"},
}
LABELS = words("label target escalated ill quality rich kind species spam k y Survived alarm")
ROWS = {"centred_window": 5200}
LEAST_SCORE, MOST_SCORE = -2.0, 1.0


def column(name: str, signal: Cells, rng: np.random.Generator) -> Cells:
    count = len(signal)
    if name in ("id", "policy_id"):
        return np.arange(count)
    if name == "when":
        return np.asarray(pd.date_range("2024-01-01", periods=count).astype(str))
    if name in ("Name", "Ticket"):
        return np.array([f"{name} {number}" for number in range(count)])
    if name == "fold":
        # In order of time; the first rows, -1, are in no fold.
        return np.arange(count) * 6 // count - 1
    if name == "patient":
        return np.arange(count) % 20
    if name in LABELS:
        return (signal + rng.normal(size=count) > 0).astype(int)
    return 20 + 3 * signal + rng.normal(size=count)


def make_tables(name: str, folder: Path) -> None:
    for file, columns in TABLES[name].items():
        rng = np.random.default_rng(0)
        signal = rng.normal(size=ROWS.get(name, 160))
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        table = pd.DataFrame({one: column(one, signal, rng) for one in columns.split()})
        table.to_csv(path, index=False)


def numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text)]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.filterwarnings("ignore")
def test_it_ran_and_it_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same kind of output as before, with finite numbers; no leak is left."""
    source = (CORPUS / f"{name}.py.txt").read_text(encoding="utf-8")
    repaired = repair(source)
    assert repaired is not None
    assert not examine(repaired).leaks
    make_tables(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    said = []
    for program in (source, repaired):
        np.random.seed(0)
        exec(compile(program, name, "exec"), {"__name__": "__main__"})  # noqa: S102
        said.append(numbers(capsys.readouterr().out))
    before, after = said
    assert len(before) == len(after) > 0
    assert all(math.isfinite(one) for one in after)


@pytest.mark.parametrize(
    "name", ["label_left_in_cv", "target_kept", "training_score", "whole_frame_as_features"]
)
@pytest.mark.filterwarnings("ignore")
def test_what_was_too_good_is_no_longer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (CORPUS / f"{name}.py.txt").read_text(encoding="utf-8")
    make_tables(name, tmp_path)
    monkeypatch.chdir(tmp_path)
    scores = []
    for program in (source, repair(source)):
        assert program is not None
        exec(compile(program, name, "exec"), {"__name__": "__main__"})  # noqa: S102
        scores.append(numbers(capsys.readouterr().out)[0])
    leaking, honest = scores
    assert LEAST_SCORE < honest < leaking - 0.05
    assert leaking <= MOST_SCORE


RATES = """import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, train_test_split

rows = pd.read_csv("rows.csv")
rows["rate"] = rows.groupby("street")["sold"].transform("mean")
X = {features}
y = rows["sold"]
{rest}"""
HELD_OUT = """X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))
"""
FOLDED = """for inside, outside in KFold(4).split(X):
    model = LogisticRegression().fit(X.iloc[inside], y.iloc[inside])
    print(model.score(X.iloc[outside], y.iloc[outside]))
"""


@pytest.mark.parametrize(
    ("features", "rest"),
    [
        ('rows[["age", "rate"]]', HELD_OUT),
        ('rows.drop(columns=["sold", "street"])', HELD_OUT),
        ('rows.drop(columns=["sold", "street"])', FOLDED),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_rate_by_a_key_that_is_no_feature_finds_its_key(
    features: str,
    rest: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The rows' index leads back to the table that still has the key."""
    source = RATES.format(features=features, rest=rest)
    rng = np.random.default_rng(3)
    table = {"age": rng.normal(size=240), "street": rng.integers(0, 60, 240)}
    pd.DataFrame({**table, "sold": rng.integers(0, 2, 240)}).to_csv(
        tmp_path / "rows.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    scores = []
    for program in (source, repair(source)):
        assert program is not None
        # Streets of the held-out rows that were never seen have no rate.
        program = program.replace(".map(sold_by_street)", ".map(sold_by_street).fillna(0.5)")
        program = program.replace('.agg("mean"))', '.agg("mean")).fillna(0.5)')
        exec(compile(program, "rates", "exec"), {"__name__": "__main__"})  # noqa: S102
        scores.append(np.mean(numbers(capsys.readouterr().out)))
    leaking, honest = scores
    # Labels are drawn by chance: nothing honest can be much better than half.
    assert honest < leaking - 0.05


def test_where_rows_were_numbered_anew_no_key_is_looked_up() -> None:
    features = 'rows.drop(columns=["sold", "street"]).reset_index(drop=True)'
    assert repair(RATES.format(features=features, rest=HELD_OUT)) is None
