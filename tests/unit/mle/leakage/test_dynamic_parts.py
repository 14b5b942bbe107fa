"""The parts that the dynamic prover is made of, each by itself."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle.leakage import Leak, Report, examine
from proveout.apps.mle.leakage.dynamic import changing, coding, giving_away, roles, shuffling, twins
from proveout.apps.mle.leakage.dynamic.comparing import (
    differing_rows,
    first_difference,
    same_runs,
)
from proveout.apps.mle.leakage.dynamic.evidence import Outcome, Witness
from proveout.apps.mle.leakage.dynamic.inside.matrices import DIRECT, MIXED, as_matrix
from proveout.apps.mle.leakage.dynamic.merging import merged
from proveout.apps.mle.leakage.dynamic.record import Event, Record, read_record
from proveout.apps.mle.leakage.dynamic.tables import (
    Table,
    labelled,
    read_folder,
    sampled,
    unlabelled,
)
from proveout.apps.mle.leakage.dynamic.universe import universe
from proveout.apps.mle.leakage.formats import as_data, as_html, as_sarif, as_text, summary
from proveout.kernel.errors import UsageError


def table(**columns: list[str]) -> Table:
    return Table("own.csv", pd.DataFrame(columns, dtype=object))


def numbered(rows: int) -> Table:
    return table(
        id=[str(at) for at in range(rows)],
        size=[f"{at * 7 % rows}.25" for at in range(rows)],
        count=[str(at * 3 % rows) for at in range(rows)],
        kind=["abc"[at % 3] for at in range(rows)],
        when=[f"2024-01-{1 + at % 28:02}" for at in range(rows)],
        words=[f"one two three four {at}" for at in range(rows)],
    )


# Codes


@pytest.mark.parametrize("rows", [1, 2, 3, 50, 252, 400])
def test_every_row_has_a_code_of_its_own(rows: int) -> None:
    book = coding.codes(rows)
    assert len({code.tobytes() for code in book}) == rows
    assert len(set(book.sum(axis=1))) == 1
    assert list(coding.decoded(book, book)) == list(range(rows))


def test_a_mixture_of_two_rows_is_no_row() -> None:
    book = coding.codes(200)
    for one, two in ((0, 1), (3, 150), (198, 199)):
        mixed = (book[one] | book[two])[None, :]
        assert coding.decoded(mixed, book)[0] == coding.UNKNOWN
    assert coding.decoded(np.ones((1, book.shape[1]), bool), book)[0] == coding.UNKNOWN
    assert coding.decoded(np.zeros((1, book.shape[1]), bool), book)[0] == coding.UNKNOWN


# Changing


def test_kinds_of_columns() -> None:
    rows = numbered(60)
    kinds = {name: changing.kind_of(rows, name) for name in rows.columns}
    assert kinds == {
        "id": "fixed",
        "size": "number",
        "count": "number",
        "kind": "choice",
        "when": "fixed",
        "words": "text",
    }


@pytest.mark.parametrize("way", ["across", "away"])
def test_changes_are_seen_and_keep_types_and_categories(way: changing.Way) -> None:
    rows = numbered(60)
    mask = np.arange(60) >= 30
    columns = changing.changeable(rows, without="", timely=True)
    made = changing.changed(rows, mask, columns, way)
    for name in ("size", "count", "kind", "words"):
        before, after = rows.column(name), made.column(name)
        assert list(before[:30]) == list(after[:30])
        assert np.mean(before[30:] != after[30:]) > 0.6, name
    assert all("." not in cell for cell in made.column("count"))
    assert set(made.column("kind")) == {"a", "b", "c"}
    assert list(made.column("id")) == list(rows.column("id"))
    assert list(made.column("when")) == list(rows.column("when"))


def test_missing_cells_stay_missing_and_first_categories_stay() -> None:
    rows = table(size=["1.5", "", *map(str, range(30))], kind=["a", "b", *["a"] * 30])
    made = changing.changed(rows, np.ones(32, bool), ["size", "kind"], "away")
    assert made.column("size")[1] == ""
    assert list(made.column("kind")[:2]) == ["a", "b"]


def test_a_number_goes_to_the_other_side_of_any_threshold_between() -> None:
    rows = table(size=[str(at) for at in range(40)])
    made = changing.changed(rows, np.ones(40, bool), ["size"], "across", target="size")
    before = changing.numbers(rows.column("size"))
    after = changing.numbers(made.column("size"))
    assert before is not None
    assert after is not None
    assert all((after > 19.5) != (before > 19.5))


# Tables


def test_a_folder_is_read_thinned_and_copied(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": range(50), "y": [0, 1] * 25})
    (tmp_path / "deep").mkdir()
    frame.to_csv(tmp_path / "train.csv", index=False, sep=";")
    frame.drop(columns="y").to_csv(tmp_path / "deep" / "test.csv", index=False)
    frame.to_parquet(tmp_path / "more.parquet")
    (tmp_path / "notes.md").write_text("hello")
    (tmp_path / "empty.csv").write_text("")
    folder = read_folder(tmp_path)
    assert {one.name: len(one) for one in folder.tables} == {
        "deep/test.csv": 50,
        "more.parquet": 50,
        "train.csv": 50,
    }
    assert set(folder.others) == {"notes.md", "empty.csv"}
    assert [one.name for one in labelled(folder, "y")] == ["more.parquet", "train.csv"]
    assert [one.name for one in unlabelled(folder, "y")] == ["deep/test.csv"]
    part = sampled(folder, 10)
    place = tmp_path / "copy"
    part.copy_to(place)
    again = pd.read_csv(place / "train.csv", sep=";")
    assert list(again.columns) == ["a", "y"]
    assert (again["a"].iloc[0], again["a"].iloc[-1], len(again)) == (0, 49, 10)
    assert pd.read_parquet(place / "more.parquet")["a"].dtype.kind == "i"
    assert (place / "notes.md").read_text() == "hello"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        read_folder(tmp_path / "nowhere")


def test_rows_of_several_tables_are_counted_on(tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        pd.DataFrame({"a": range(30), "y": [0, 1] * 15}).to_csv(tmp_path / name, index=False)
    world = universe(read_folder(tmp_path), "y")
    assert world.size == 60
    assert world.place(0) == "one.csv row 1"
    assert world.place(31) == "two.csv row 2"
    mask = world.mask(np.asarray([45, 46]))
    data, differing = world.changed(mask, ["y"], "across")
    assert list(differing) == [45, 46]
    assert list(data.table("one.csv").column("y")) == list(world.tables[0].column("y"))


# What is noted


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (np.zeros((5, 3)), (5, 3)),
        (np.zeros(5), (5, 1)),
        (np.zeros((5, 4, 4)), (5, 16)),
        (np.zeros((5, 100)), (5, DIRECT + MIXED)),
        (pd.DataFrame({"a": [1, 2], "b": ["x", None]}), (2, 2)),
        (pd.Series(["x", "y"]), (2, 1)),
        (["red", "blue"], (2, 1)),
        (pd.to_datetime(pd.Series(["2024-01-01"])), (1, 1)),
        (pd.DataFrame({"a": pd.Categorical(["x", "y"])}), (2, 1)),
    ],
)
def test_anything_tabular_becomes_numbers(value: object, shape: tuple[int, int]) -> None:
    found = as_matrix(value)
    assert found is not None
    assert found[0].shape == shape
    assert found[0].dtype == np.float64


@pytest.mark.parametrize("value", [None, "text", {"a": 1}, 3.5, np.zeros((0, 2)), object()])
def test_what_is_no_table_is_not(value: object) -> None:
    assert as_matrix(value) is None


def test_wide_matrices_show_a_change_in_any_column() -> None:
    wide = np.zeros((4, 300))
    other = wide.copy()
    other[2, 299] = 1.0
    one, two = as_matrix(wide), as_matrix(other)
    assert one is not None
    assert two is not None
    changed = differing_rows(one[0], two[0])
    assert changed is not None
    assert list(changed) == [False, False, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"events": 3}',
        '{"events": [{"kind": "fit"}], "read": [], "failure": "", "full": false, "numbers": 0}',
        "[" * 100_000,
    ],
)
def test_notes_that_cannot_be_read_say_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "record.json").write_text(text)
    (tmp_path / "record.bin").write_bytes(b"12345")
    found = read_record(tmp_path)
    assert found.events == ()
    assert found.failure


def test_a_matrix_that_points_nowhere_is_none(tmp_path: Path) -> None:
    far = {"at": 10**9, "rows": 10**6, "columns": 8, "width": 8}
    event = {"kind": "fit", "line": 1, "name": "m", "inside": [], "x": far, "y": far}
    told = {"events": [event], "read": [], "failure": "", "full": False, "numbers": 0}
    (tmp_path / "record.json").write_text(json.dumps(told))
    (tmp_path / "record.bin").write_bytes(b"")
    (found,) = read_record(tmp_path).events
    assert found.x is None
    assert found.y is None


def event(kind: str, x: object = None, y: object = None, line: int = 1, label: str = "") -> Event:
    def matrix(value: object) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None:
        return None if value is None else np.asarray(value, dtype=float).reshape(-1, 1)

    return Event(
        kind=kind, line=line, name="Model", of=-1, x=matrix(x), y=matrix(y), out=None, width=1,
        first=-1, value=None, label=label, inside=(),
    )  # fmt: skip


def test_two_runs_are_the_same_only_if_they_saw_the_same() -> None:
    one = Record((event("fit", [1, 2], [0, 1]),))
    assert same_runs(one, one)
    assert not same_runs(one, Record((event("fit", [1, 3], [0, 1]),)))
    assert not same_runs(one, Record((event("fit", [1, 2], [0, 0]),)))
    assert not same_runs(one, Record((event("fit", [1, 2], [0, 1], line=2),)))
    assert not same_runs(one, Record(()))
    assert first_difference(one.events[0], event("fit", [1, 5]), 1) == "column 1: 2 became 5"


def test_the_target_is_looked_for_by_name_then_by_values(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": range(20), "goal": [0.5, 1.25] * 10, "word": ["x", "y"] * 10})
    frame.to_csv(tmp_path / "t.csv", index=False)
    folder = read_folder(tmp_path)
    named = roles.candidates(Record((event("fit", [1, 2], [0.5, 1.25], label="word"),)), folder)
    assert named[:2] == ["word", "goal"]
    assert roles.candidates(Record((event("fit", [1, 2], [0.5, 1.25]),)), folder)[0] == "goal"
    assert roles.candidates(Record((event("learn", [1, 2]),)), folder) == []


def test_a_column_that_moves_no_target_is_none() -> None:
    base = Record((event("fit", [1, 2], [0, 1]),))
    assert roles.moves_target(base, Record((event("fit", [1, 2], [1, 0]),)))
    assert not roles.moves_target(base, Record((event("fit", [5, 6], [0, 1]),)))
    assert not roles.moves_target(base, Record(failure="it ended"))


# Data checks


def test_an_oracle_is_named_and_a_good_feature_is_not() -> None:
    dice = np.random.default_rng(0)
    y = dice.integers(0, 2, 200)
    rows = table(
        twice=[f"{v * 2}.5" for v in y],
        good=[f"{v + dice.normal():.3f}" for v in y],
        y=[str(v) for v in y],
    )
    assert [name for name, _ in giving_away.oracles(rows, "y")] == ["twice"]
    assert giving_away.oracles(rows, "absent") == []


def test_an_oracle_of_a_number() -> None:
    dice = np.random.default_rng(0)
    y = dice.normal(size=300)
    rows = table(
        same=[f"{3 * v + 1:.5f}" for v in y],
        noisy=[f"{v + dice.normal():.3f}" for v in y],
        y=[f"{v:.5f}" for v in y],
    )
    assert [name for name, _ in giving_away.oracles(rows, "y")] == ["same"]


def test_twins_exact_near_and_by_chance() -> None:
    dice = np.random.default_rng(0)
    grid = dice.normal(size=(100, 4)).round(5)
    grid[60:65] = grid[:5]
    grid[65:70] = grid[5:10] + 1e-5
    names = "abcd"
    rows = table(**{name: [f"{v:.6f}" for v in grid[:, at]] for at, name in enumerate(names)})
    trained, held = np.arange(50), np.arange(50, 100)
    found = twins.twins(rows, "y", trained, held)
    assert found.exact == [(60 + at, at) for at in range(5)]
    assert found.near == [(65 + at, 5 + at) for at in range(5)]
    assert found.worth_telling
    coarse = table(a=[str(at % 2) for at in range(100)], b=[str(at % 3) for at in range(100)])
    common = twins.twins(coarse, "y", trained, held)
    assert len(common.exact) == 50
    assert not common.worth_telling


def answered(y: list[float], out: list[float]) -> Record:
    asked = replace(event("score", y=y), out=np.asarray(out, dtype=float).reshape(-1, 1))
    return Record((asked,))


def test_agreement_is_measured_above_chance() -> None:
    dice = np.random.default_rng(0)
    y = dice.normal(size=80)
    good = shuffling._agreement(answered(list(y), list(y + 0.2 * dice.normal(size=80))), [0])
    luck = shuffling._agreement(answered(list(y), list(dice.normal(size=80))), [0])
    flat = shuffling._agreement(answered(list(y), [3.0] * 80), [0])
    assert good is not None
    assert luck is not None
    assert flat is not None
    assert good[0] > 0.9
    assert good[1] <= shuffling.RARE
    assert luck[1] > shuffling.RARE
    assert (flat[0], flat[1]) == (0.0, 1.0)


@pytest.mark.parametrize("values", [[0.0, 1.0], [2.0, 5.0, 9.0]])
def test_agreement_of_classes(values: list[float]) -> None:
    y = [values[at % len(values)] for at in range(90)]
    same = shuffling._agreement(answered(y, y), [0])
    other = shuffling._agreement(
        answered(y, [values[at % 7 % len(values)] for at in range(90)]), [0]
    )
    assert same is not None
    assert same[1] <= shuffling.RARE
    assert other is not None
    assert other[1] > shuffling.RARE


# Merging

SCRIPT = """import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
df = pd.read_csv("rows.csv")
y = df.pop("y")
X = StandardScaler().fit_transform(df)
a, b, c, d = train_test_split(X, y)
print(LogisticRegression().fit(a, c).score(b, d))
"""
SEEN = Witness(
    "features", "leak.fit_before_split", 7, "changing 30 rows changed 90", seen=frozenset({7})
)


def judged(outcome: Outcome, source: str = SCRIPT) -> Report:
    return merged(examine(source, filename="a.py"), outcome, source)


def only(report: Report) -> Leak:
    (leak,) = report.findings
    return leak


def test_what_both_see_is_proved_twice() -> None:
    leak = only(judged(Outcome(witnesses=[SEEN], tried={"features"})))
    assert (leak.proved, leak.confidence, leak.counts) == ("both", "certain", True)
    assert leak.evidence == (SEEN.told,)


def test_silence_refutes_what_was_tried() -> None:
    report = judged(Outcome(tried={"features", "same rows"}, runs=15, held_out=30))
    assert only(report).refuted
    assert report.leaks == ()
    assert "refuted by running" in as_text(report)
    assert "1 refuted by running" in summary(report)
    sarif = json.dumps(as_sarif([report], "1"))
    assert '"suppressions": [{"kind": "external"' in sarif
    assert "refuted by running" in as_html([report])
    assert as_data(report)["leaks"] == 0


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(tried={"features"}).undecided("time"),
        Outcome(tried={"same rows"}),
        Outcome(tried={"features"}, saw=frozenset({7})),
        Outcome(
            tried={"features"},
            witnesses=[Witness("features", "leak.statistic_before_split", 6, "x", frozenset({6}))],
        ),
    ],
)
def test_nothing_else_refutes(outcome: Outcome) -> None:
    """Not a failure, not another probe, not a fit that saw the rows, not a proof elsewhere."""
    report = judged(outcome)
    assert [leak.refuted for leak in report.findings if leak.code == "leak.fit_before_split"] == [
        ""
    ]
    assert "leak.fit_before_split" in report.codes


def test_a_run_that_failed_is_never_called_clean() -> None:
    clean = SCRIPT.replace("StandardScaler().fit_transform(df)", "df")
    report = judged(Outcome().undecided("it was ended"), clean)
    assert summary(report) == "a.py: no leak found by reading, undecided by running"
    assert "it was ended" in as_text(report)
    assert report.trials is not None
    assert as_data(report)["trials"] == report.trials.model_dump(mode="json")


def test_what_only_running_shows_is_a_finding_with_its_block() -> None:
    clean = SCRIPT.replace("StandardScaler().fit_transform(df)", "df")
    leak = only(judged(Outcome(witnesses=[SEEN], tried={"features"}), clean))
    assert (leak.proved, leak.line, leak.block) == ("dynamic", 7, "X = df")
    assert "proved by running" in as_text(judged(Outcome(witnesses=[SEEN]), clean))


def test_a_comment_sets_aside_what_running_shows() -> None:
    clean = SCRIPT.replace("StandardScaler().fit_transform(df)", "df  # proveout: ignore")
    report = judged(Outcome(witnesses=[SEEN]), clean)
    assert report.findings == ()
    assert len(report.ignored) == 1


def test_a_symptom_is_evidence_beside_a_proof_and_a_finding_alone() -> None:
    symptom = Witness("check", "leak.survives_shuffled_labels", 9, "still 0.4 above chance")
    both = only(judged(Outcome(witnesses=[SEEN, symptom], tried={"features"})))
    assert both.evidence == (SEEN.told, symptom.told)
    clean = SCRIPT.replace("StandardScaler().fit_transform(df)", "df")
    assert only(judged(Outcome(witnesses=[symptom]), clean)).code == symptom.code
