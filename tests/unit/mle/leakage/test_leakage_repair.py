"""Repairs: what they write, that they run to the same names, and that doubt means none."""

import json
from pathlib import Path

import pytest

from proveout.apps.mle.leakage import correct, detection, difference, examine, repair
from proveout.apps.mle.leakage.repairing import changed_region

START = """import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, train_test_split
from sklearn.preprocessing import StandardScaler

df = pd.read_csv("rows.csv")
"""
END = """a, b, c, d = train_test_split(X, y, random_state=0)
model = LogisticRegression().fit(a, c)
print(model.score(b, d))
"""
SCALED = START + "y = df.pop('y')\nX = StandardScaler().fit_transform(df)\n" + END


def test_a_scaler_moves_below_the_split() -> None:
    repaired = repair(SCALED)
    assert repaired is not None
    assert "X = df\n" in repaired
    assert "a = fitted.fit_transform(a)\nb = fitted.transform(b)\n" in repaired
    assert not examine(repaired).leaks


def test_several_leaks_keep_their_order() -> None:
    source = (
        START
        + "df['a'] = df['a'].fillna(df['a'].mean())\n"
        + "y = df['y']\nX = df.drop('y', axis=1)\nX = StandardScaler().fit_transform(X)\n"
        + END
    )
    repaired = repair(source)
    assert repaired is not None
    assert not examine(repaired).leaks
    assert repaired.index("fillna") < repaired.index("fit_transform")


def test_a_target_split_off_is_grouped_by_the_key() -> None:
    source = (
        START
        + "df['rate'] = df.groupby('town')['y'].transform('mean')\n"
        + "y = df['y']\nX = df.drop(columns='y')\n"
        + END
    )
    repaired = repair(source)
    assert repaired is not None
    assert 'c.groupby(a["town"]).agg("mean")' in repaired


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    repaired = repair(SCALED.replace("model", "fitted"))
    assert repaired is not None
    assert "fitted_2 = StandardScaler()" in repaired


@pytest.mark.parametrize(
    "source",
    [
        "def (",
        "",
        START + "y = df.pop('y')\nX = df.rank()\n" + END,
        START
        + "df['b'] = df['a'].shift(-1)\ny = df.pop('y')\nX = df\n"
        + END.replace("random_state=0", "shuffle=False"),
        SCALED.replace("a, b, c, d = ", "parts = ").replace("fit(a, c)", "fit(*parts[::2])"),
    ],
)
def test_no_repair_where_none_is_certain(source: str) -> None:
    assert repair(source) is None


def test_only_the_lines_that_must_change_do() -> None:
    repaired = repair(SCALED)
    assert repaired is not None
    kept = [line for line in SCALED.splitlines() if "StandardScaler()" not in line]
    rest = iter(repaired.splitlines())
    assert all(line in rest for line in kept)
    assert difference(SCALED, repaired, "x.py").startswith("--- a/x.py\n+++ b/x.py\n")


def test_the_answers_of_the_role_fit_together() -> None:
    """REQ-SF-014, -019: the block is in the script, and its correction replaces it."""
    answers = detection(SCALED).answers
    assert [answer.leakage_status for answer in answers] == ["Yes Data Leakage"]
    block = answers[0].code_block
    assert block in SCALED
    new = correct(SCALED, block)
    assert new
    assert new != block
    assert not examine(SCALED.replace(block, new, 1)).leaks


def test_a_leak_without_repair_is_still_answered() -> None:
    source = START + "y = df.pop('y')\nX = df.rank()\n" + END
    (answer,) = detection(source).answers
    assert answer.leakage_status == "Yes Data Leakage"
    assert answer.code_block in source
    assert correct(source, answer.code_block) is None


def test_a_clean_script_gets_one_calm_answer() -> None:
    source = START + "y = df.pop('y')\nX = df\n" + END
    (answer,) = detection(source).answers
    assert answer.leakage_status == "No Data Leakage"
    assert answer.code_block in source


def test_a_foreign_block_is_corrected_too() -> None:
    block = SCALED[SCALED.index("y = df.pop") : SCALED.index("model =")]
    new = correct(SCALED, block)
    assert new is not None
    assert not examine(SCALED.replace(block, new, 1)).leaks


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nc\n"),
        ("a\nb\n", "a\nx\nb\n"),
        ("a\nb\nc\n", "a\nx\ny\nc\n"),
        ("a\n", "a\nb\n"),
    ],
)
def test_a_region_is_the_repair(before: str, after: str) -> None:
    region = changed_region(before, after)
    assert region is not None
    assert before.replace(*region, 1) == after


SEARCH = (
    START
    + """y = df.pop('y')
a, b, c, d = train_test_split(df, y, random_state=0)
best, top = None, 0
for strength in (1, 10):
    model = LogisticRegression(C=strength).fit(a, c)
    score = model.score(b, d)
    if score > top:
        best, top = strength, score
print(best, top)
"""
)
FOLDS = (
    START
    + """df['lag'] = df['a'].shift(1)
y = df.pop('y')
found = y * 0.0
for tr, te in KFold(5, shuffle=True).split(df, y):
    model = LogisticRegression().fit(df.iloc[tr], y.iloc[tr])
    found[te] = model.predict(df.iloc[te])
    print(model.score(df.iloc[te], y.iloc[te]))
"""
)


def test_what_was_chosen_is_scored_once_on_the_test_rows() -> None:
    repaired = repair(SEARCH)
    assert repaired is not None
    loop, after = repaired.split("for strength")[1].split("strength = best\n")
    assert "X_fit" in loop
    assert "(b, d)" not in loop
    assert after.count("model.score(b, d)") == 1
    assert "top = score\n" in after


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (SEARCH, "    score = model.score(b, d)", "    tried.append(score := model.score(b, d))"),
        (SEARCH, "best, top = strength, score", "best, top = model, score"),
        (FOLDS, "", ""),
        (SCALED.replace("StandardScaler().fit_transform(df)", "df.rank(pct=True)"), "", ""),
    ],
)
def test_no_repair_that_would_do_more(source: str, old: str, new: str) -> None:
    """Adding to a list twice, folds that would leave rows empty, ranks that need all rows."""
    changed = source.replace(old, new) if old else source
    assert changed == source or old
    assert examine(changed).leaks
    assert repair(changed) is None


@pytest.mark.parametrize(
    "between",
    [
        "df['b'] = df['a'] * 2",
        "df['b'] = df.a * 2",
        "df = df.dropna()",
    ],
)
def test_nothing_moves_over_statements_that_use_it(between: str) -> None:
    source = f"{START}df['a'] = df['a'].fillna(df['a'].mean())\n{between}\n"
    source += "y = df['y']\nX = df.drop('y', axis=1)\n" + END
    assert examine(source).leaks
    assert repair(source) is None


def test_a_column_that_is_named_in_between_stays_until_it_is_replaced() -> None:
    repaired = repair(
        START
        + "df['rate'] = df['town'].map(df.groupby('town')['y'].mean())\n"
        + "X = df[['rate', 'town', 'a']]\ny = df['y']\n"
        + END
    )
    assert repaired is not None
    assert repaired.index("df['rate'] = ") < repaired.index("a['rate'] = ")


def test_rows_of_one_kind_are_not_taken_for_the_training_rows() -> None:
    source = (
        START
        + "well = df[df['y'] == 0]\n"
        + "y = df['y']\nX = StandardScaler().fit_transform(df.drop('y', axis=1))\n"
        + "parts = train_test_split(X, y)\n"
        + "print(LogisticRegression().fit(*parts[::2]).score(*parts[1::2]))\n"
    )
    assert examine(source).leaks
    assert repair(source) is None


def test_what_is_needed_is_imported_above_its_use() -> None:
    start, late = (
        START.split("from sklearn.model_selection")[0],
        "from sklearn.metrics import auc\n",
    )
    repaired = repair(
        start
        + "df = pd.read_csv('rows.csv')\nmodel = LogisticRegression()\n"
        + "model.fit(df[['a']], df['y'])\nprint(model.score(df[['a']], df['y']))\n"
        + late
    )
    assert repaired is not None
    assert repaired.index("import train_test_split") < repaired.index(" = train_test_split(")


def test_time_folds_are_taken_where_nothing_stays_empty() -> None:
    repaired = repair(FOLDS.replace("    found[te] = model.predict(df.iloc[te])\n", ""))
    assert repaired is not None
    assert "TimeSeriesSplit(5).split(df, y)" in repaired
    assert "import TimeSeriesSplit, train_test_split" in repaired


def test_a_column_that_gives_the_target_away_goes_everywhere_or_nowhere() -> None:
    repaired = repair(
        START
        + "df['z'] = df['y'] * 2\n"
        + "tr, te = train_test_split(df, random_state=0)\n"
        + "model = LogisticRegression().fit(tr[['a', 'z']], tr['y'])\n"
        + "print(model.score(te[['a', 'z']], te['y']))\n"
    )
    assert repaired is not None
    assert "tr[['a']]" in repaired
    assert "te[['a']]" in repaired


def test_a_notebook_is_repaired_cell_by_cell() -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "source": ["%matplotlib inline\n", START]},
        {"cell_type": "markdown", "metadata": {}, "source": "é"},
        {
            "cell_type": "code",
            "metadata": {},
            "source": "y = df.pop('y')\nX = StandardScaler().fit_transform(df)",
        },
        {"cell_type": "code", "metadata": {}, "source": END.splitlines(keepends=True)},
    ]
    text = json.dumps({"cells": cells, "nbformat": 4}, indent=1, ensure_ascii=False) + "\n"
    repaired = repair(text, examine(text, filename="a.ipynb"))
    assert repaired is not None
    assert not examine(repaired, filename="a.ipynb").leaks
    made = json.loads(repaired)["cells"]
    assert made[:2] == json.loads(text)["cells"][:2]
    assert made[2]["source"] == "y = df.pop('y')\nX = df"
    assert made[3]["source"][1:4] == [
        "fitted = StandardScaler()\n",
        "a = fitted.fit_transform(a)\n",
        "b = fitted.transform(b)\n",
    ]
    assert len(repaired.splitlines()) - len(text.splitlines()) == 3


CORPUS = Path(__file__).parent / "corpus"
TABLES = {
    "scaler": ("train.csv", "a b target"),
    "scaler_wrong_frame_fitted": ("train.csv", "a b target"),
    "fillna_mean": ("houses.csv", "area rooms age price"),
    "fillna_numpy_median": ("houses.csv", "area rooms age price"),
    "clusters": ("homes.csv", "lat lon area price"),
    "encoders_and_frequency": ("shop.csv", "city colour size sold"),
    "mask_split_range_of_all": ("points.csv", "x y kind"),
    "sample_and_drop_refit": ("people.csv", "age hours rich"),
    "imputed_before_cv": ("input/data.csv", "a b label"),
    "cross_fit_numpy_normalised": ("input/train.csv", "a b y"),
    "risk_rate": ("policies.csv", "region age claim"),
    "dates_by_string_scaled_on_both": ("flow.csv", "day cars rain"),
    "column_transformer_outside": ("passengers.csv", "age fare sex port survived"),
}
LABELS = frozenset(["target", "kind", "sold", "rich", "label", "claim", "survived"])


@pytest.mark.parametrize("name", TABLES)
def test_what_was_repaired_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On made-up rows, with the real libraries."""
    pytest.importorskip("sklearn")
    file, columns = TABLES[name]
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    rows = [columns.replace(" ", ",")]
    for number in range(120):
        cells = (
            f"202{number % 3}-0{1 + number % 9}-11" if column == "day"
            else str(number % 2 if column in LABELS else (number * (7 + place)) % 23)
            for place, column in enumerate(columns.split())
        )  # fmt: skip
        rows.append(",".join(cells))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    repaired = repair((CORPUS / f"{name}.py.txt").read_text(encoding="utf-8"))
    assert repaired is not None
    exec(compile(repaired, name, "exec"), {"__name__": "__main__"})  # noqa: S102
    assert capsys.readouterr().out.strip()
