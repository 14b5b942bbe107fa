"""Folds and hold-out: nothing straddles, nothing depends on chance, tiny data still work."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies

from proveout.apps.mle import intake
from proveout.apps.mle.problem import Column, Kind, Problem
from proveout.apps.mle.tables.folds import HELD_OUT, NEVER, Folds, choose, united
from tests.mle_tables import rows


def problem(kind: Kind = "regression", **more: str) -> Problem:
    columns = ("signal", "size", "colour", "weight")
    plain = Problem(
        name="p",
        kind=kind,
        metric="rmse",
        direction="minimize",
        targets=("y",),
        labels=("a", "b") if kind == "binary" else (),
        columns=tuple(Column(name=name, kind="number") for name in columns),
    )
    return plain.model_copy(update=more)


def labelled(count: int, kind: Kind = "regression", seed: int = 0) -> pd.DataFrame:
    frame = rows(count, seed)
    rng = np.random.default_rng(seed + 1)
    frame["y"] = rng.random(count) if kind == "regression" else rng.choice(["a", "b"], count)
    return frame


def whole(found: Folds, count: int) -> None:
    """Every row is in exactly one place, every fold is used."""
    assert len(found.search) == len(found.full) == count
    assert set(found.full[found.full >= 0]) == set(range(found.full_count))
    assert set(found.search[found.search >= 0]) == set(range(found.count))
    assert not (found.full == HELD_OUT).any()


@given(strategies.integers(2, 1200), strategies.sampled_from(["regression", "binary"]))
def test_any_size_gives_whole_folds(count: int, kind: Kind) -> None:
    found = choose(problem(kind), labelled(count, kind), rows(30, 9), seed=3)
    whole(found, count)
    assert found.holdout.any() == (count >= 300)


def test_the_same_seed_gives_the_same_folds() -> None:
    train, test = labelled(500), rows(50, 9)
    one, again, other = (choose(problem(), train, test, seed=seed) for seed in (1, 1, 2))
    assert (one.search == again.search).all()
    assert (one.full == again.full).all()
    assert (one.search != other.search).any()


def test_classes_are_spread_evenly() -> None:
    train = labelled(1000, "binary")
    train["y"] = ["a"] * 950 + ["b"] * 50
    found = choose(problem("binary"), train, rows(50, 9))
    assert found.scheme == "stratified"
    rare = found.search[train["y"] == "b"]
    assert (rare == HELD_OUT).sum() in (7, 8)
    assert np.ptp(np.bincount(rare[rare >= 0], minlength=5)) <= 1


@pytest.mark.parametrize(
    ("kind", "count", "folds"),
    [
        ("regression", 299, 5),
        ("regression", 300, 10),
        ("regression", 12_000, 10),
        ("regression", 13_000, 5),
        ("binary", 400, 10),
    ],
)
def test_tiny_tables_have_more_folds(kind: Kind, count: int, folds: int) -> None:
    found = choose(problem(kind), labelled(count, kind), rows(30, 9))
    assert (found.count, found.full_count) == (folds, folds)
    assert "mle.folds.fewer" not in {finding.code for finding in found.findings}


def test_a_fold_needs_some_of_every_class_to_mean_something() -> None:
    train = labelled(1000, "binary")
    for rare, folds in ((99, 5), (100, 10)):
        train["y"] = ["a"] * (1000 - rare) + ["b"] * rare
        assert choose(problem("binary"), train, rows(30, 9)).count == folds


def test_a_rare_class_means_fewer_folds() -> None:
    train = labelled(100, "binary")
    train["y"] = ["a"] * 97 + ["b"] * 3
    found = choose(problem("binary"), train, rows(50, 9))
    assert found.count == 3
    assert "mle.folds.fewer" in {finding.code for finding in found.findings}


def test_classes_that_hardly_occur_cost_no_fold() -> None:
    train = labelled(400, "binary")
    train["y"] = [*"abcd"] * 97 + ["e"] * 2 + ["f"] * 4 + [*"ghijkl"]
    wanted = problem("multiclass").model_copy(update={"labels": tuple("abcdefghijkl")})
    found = choose(wanted, train, rows(50, 9))
    assert (found.count, found.full_count) == (5, 5)
    for folds in (found.search, found.full):
        for fold in range(5):
            assert set("abcd") <= set(train["y"][folds == fold])
        # Whoever is there twice is learnt from whenever it is asked for.
        assert len(set(folds[388:390])) == 2


def test_where_all_classes_are_small_the_common_ones_set_the_number_of_folds() -> None:
    train = labelled(120, "binary")
    train["y"] = [f"c{at % 40}" for at in range(120)]
    wanted = problem("multiclass").model_copy(update={"labels": tuple(sorted(set(train["y"])))})
    found = choose(wanted, train, rows(50, 9))
    assert found.count == 3
    assert "mle.folds.fewer" in {finding.code for finding in found.findings}


def test_no_class_is_hidden_whole() -> None:
    train = labelled(400, "binary")
    train["y"] = ["a"] * 398 + ["b", "b"]
    for seed in range(20):
        found = choose(problem("binary"), train, rows(50, 9), seed=seed)
        assert not found.holdout[398:].any()
        assert set(found.search[398:]) == {0, 1}


def test_keys_that_share_rows_make_one_group() -> None:
    one, other = np.array([0, 0, 1, 2, 3]), np.array([5, 6, 6, 7, 7])
    joined = united([one, other], 5)
    assert len(set(joined[:3])) == 1
    assert len(set(joined[3:])) == 1
    assert joined[0] != joined[4]
    assert (united([], 3) == [0, 1, 2]).all()


def test_very_many_groups_are_dealt_out_evenly() -> None:
    train = labelled(50_000).assign(family=np.arange(50_000) // 2)
    found = choose(problem(groups="family"), train, rows(60, 99).assign(family=-1))
    assert (found.search[::2] == found.search[1::2]).all()
    sizes = np.bincount(found.search[found.search >= 0])
    assert np.ptp(sizes) <= 0.02 * sizes.min()


def test_the_holdout_shrinks_with_size() -> None:
    train = labelled(50_000)
    found = choose(problem(), train, rows(50, 9), holdout=0.5)
    assert 18_000 < found.holdout.sum() < 26_000
    assert choose(problem(), train, rows(50, 9), holdout=0).holdout.sum() == 0


@given(strategies.integers(0, 50))
def test_groups_never_straddle(seed: int) -> None:
    train = labelled(600, seed=seed)
    train["family"] = np.random.default_rng(seed).integers(0, 90, 600)
    found = choose(problem(groups="family"), train, rows(60, 99).assign(family=-1), seed=seed)
    assert found.scheme == "grouped"
    whole(found, 600)
    assert train.groupby("family").apply(lambda some: len(set(found.search[some.index])) == 1).all()
    sizes = np.bincount(found.search[found.search >= 0])
    assert sizes.max() < 1.3 * sizes.min()


@pytest.mark.parametrize("huge", [1000, 1700])
def test_a_huge_group_is_not_what_is_hidden(huge: int) -> None:
    others = np.arange(2000 - huge) // 50 + 1
    train = labelled(2000).assign(family=np.append(np.zeros(huge, dtype=int), others))
    found = choose(problem(groups="family"), train, rows(60, 99).assign(family=-1))
    assert not found.holdout[:huge].any()
    assert 50 <= found.holdout.sum() <= 400
    whole(found, 2000)


def test_missing_group_values_are_groups_of_their_own() -> None:
    train = labelled(400).assign(family=[None] * 300 + [f"f{at // 4}" for at in range(100)])
    found = choose(problem(groups="family"), train, rows(60, 99).assign(family="x"))
    assert len(set(found.full[:300])) == 10


def test_three_groups_are_three_folds() -> None:
    train = labelled(400).assign(region=["n", "s", "w", "w"] * 100)
    found = choose(problem(groups="region"), train, rows(60, 99).assign(region="e"), holdout=0)
    assert found.count == 3


@pytest.mark.parametrize("groups", [2, 3, 5])
def test_no_fold_is_empty_where_groups_are_few(groups: int) -> None:
    """A group that is hidden is none to validate on; of two groups none is hidden."""
    train = labelled(600).assign(region=np.arange(600) % groups)
    found = choose(problem(groups="region"), train, rows(60, 99).assign(region=-1))
    whole(found, 600)
    assert (found.count, found.full_count) == (max(2, groups - 1), groups)
    assert found.holdout.any() == (groups > 2)


def test_copies_stay_together_unless_the_test_has_them_too() -> None:
    once = labelled(300)
    train = pd.concat([once, once.head(150)], ignore_index=True)
    found = choose(problem(), train, rows(80, 99))
    assert found.scheme == "grouped"
    assert (found.search[:150] == found.search[300:]).all()
    assert "mle.folds.repeats" in {finding.code for finding in found.findings}
    same_at_test = choose(problem(), train, once.head(80).drop(columns="y"))
    assert same_at_test.scheme == "shuffled"


def test_few_coarse_columns_repeat_by_nature() -> None:
    train = labelled(500)[["colour", "y"]]
    found = choose(problem(), train, rows(100, 9)[["colour"]])
    assert found.scheme == "shuffled"


def in_time(train_days: int, test_days: int, per_day: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    days = pd.date_range("2020-01-01", periods=train_days + test_days).repeat(per_day)
    train = labelled(train_days * per_day)
    train["day"] = days[: len(train)].strftime("%Y-%m-%d")
    test = rows(test_days * per_day, 7)
    test["day"] = days[len(train) :].strftime("%Y-%m-%d")
    shuffled = train.sample(frac=1, random_state=0).reset_index(drop=True)
    return shuffled, test


@pytest.mark.parametrize(("train_days", "test_days"), [(400, 30), (400, 90), (300, 200), (120, 1)])
def test_time_folds_only_look_ahead(train_days: int, test_days: int) -> None:
    train, test = in_time(train_days, test_days)
    found = choose(problem(time="day"), train, test)
    assert found.scheme == "time"
    whole(found, len(train))
    days = pd.to_datetime(train["day"])
    for fold in (found.search, found.full):
        for number in range(fold.max() + 1):
            assert days[(fold < number) & (fold != HELD_OUT)].max() < days[fold == number].min()
    assert days[found.holdout].min() > days[~found.holdout].max()
    assert (found.search == NEVER).sum() >= 5


def test_the_first_training_rows_have_every_class() -> None:
    train, test = in_time(400, 30)
    days = pd.to_datetime(train["day"])
    train["y"] = np.where(days > days.min() + pd.Timedelta(days=270), "b", "a")
    found = choose(problem("binary", time="day"), train, test)
    assert found.count < 5
    assert set(train["y"][found.search == NEVER]) == {"a", "b"}


def test_windows_are_as_long_as_the_test() -> None:
    train, test = in_time(400, 40)
    found = choose(problem(time="day"), train, test)
    days = pd.to_datetime(train["day"])
    spans = [days[found.search == at].nunique() for at in range(found.count)]
    assert spans == [40] * 5
    assert days[found.holdout].nunique() == 40


def test_stretches_hold_whole_steps() -> None:
    """Rows of three years, the fourth to be predicted: half a year would hold no row."""
    train = pd.DataFrame({"year": np.repeat([2001, 2002, 2003], 300), "y": np.arange(900.0)})
    test = pd.DataFrame({"year": np.full(50, 2004)})
    found = choose(problem(time="year"), train, test)
    assert train["year"][found.holdout].unique().tolist() == [2003]
    assert train["year"][found.search == 0].unique().tolist() == [2002]
    assert train["year"][found.search == NEVER].unique().tolist() == [2001]
    assert train["year"][found.full == 0].unique().tolist() == [2003]
    assert "mle.folds.short_windows" not in {finding.code for finding in found.findings}


def test_a_test_longer_than_training_is_told() -> None:
    train, test = in_time(100, 300)
    found = choose(problem(time="day"), train, test)
    assert "mle.folds.short_windows" in {finding.code for finding in found.findings}
    assert found.count >= 2


def test_uneven_times_still_fill_every_window() -> None:
    train, test = labelled(500), rows(50, 9)
    train["t"] = np.append(np.arange(20), np.linspace(1000, 1010, 480))
    test["t"] = np.linspace(1011, 1020, 50)
    found = choose(problem(time="t"), train, test)
    whole(found, 500)
    sizes = np.bincount(found.search[found.search >= 0])
    assert sizes.min() >= 5


@pytest.mark.parametrize("stray", [1, 15])
def test_a_few_rows_from_long_before_change_nothing(stray: int) -> None:
    """A hundred and twenty years of nothing are no reason for windows of two years."""
    train, test = in_time(400, 30, per_day=5)
    plain = choose(problem(time="day"), train, test)
    oldest = train["day"].sort_values(kind="stable").index[:stray]
    train.loc[oldest, "day"] = "1900-01-01"
    found = choose(problem(time="day"), train, test)
    assert (found.search == plain.search).all()
    assert (found.full == plain.full).all()


@pytest.mark.parametrize("last", [1, 900])
def test_rows_that_become_ever_more_are_not_nearly_all_hidden(last: int) -> None:
    """Nor is one moment split, however many rows it has."""
    train, test = labelled(2000), rows(50, 9)
    # A tenth of the rows is evenly old, all others are of the last twentieth of the time.
    times = np.append(np.linspace(0, 950, 200), np.linspace(951, 1000, 1800))
    times[len(times) - last :] = 1000
    test["t"] = np.linspace(1001, 1100, 50)
    found = choose(problem(time="t"), train.assign(t=times), test)
    whole(found, 2000)
    assert found.holdout.sum() == max(600, last)
    assert times[~found.holdout].max() < times[found.holdout].min()


def test_missing_and_equal_times() -> None:
    train, test = labelled(400), rows(50, 9).assign(t=9.0)
    train["t"] = np.where(np.arange(400) % 10 == 0, np.nan, np.arange(400) // 100)
    found = choose(problem(time="t"), train, test)
    assert (found.search[train["t"].isna()] == NEVER).all()
    train["t"] = 1.0
    whole(choose(problem(time="t"), train, test, holdout=0), 400)


def test_the_scheme_follows_from_inspection(tmp_path: Path) -> None:
    train, test = in_time(200, 20)
    train.to_csv(tmp_path / "train.csv", index=False)
    test.to_csv(tmp_path / "test.csv", index=False)
    (tmp_path / "readme.md").write_text("Scored by MAE.")
    found = intake.inspect(tmp_path)
    assert choose(found, train, test).scheme == "time"
