"""Repairs: what they write, that they run to the same names, and that doubt means none."""

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
        START + "y = df['y']\nX = df\n" + END,
        START + "y = df.pop('y')\nX = df.rank()\n" + END,
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
    source = START + "y = df['y']\nX = df\n" + END
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
