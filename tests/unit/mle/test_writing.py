"""Files of the arena: every row is spelled out once and reads back as it was."""

from pathlib import Path

import pandas as pd

from proveout.apps.mle.harness.writing import Lines

TABLE = pd.DataFrame(
    {
        "plain": ["a", "b", "c"],
        "odd, name": ['say "no"', "two\nlines", ""],
        "number": ["1.50", "007", "-0"],
        "gap": ["x", None, "z"],
    }
)


def test_the_same_bytes_as_any_writer_of_tables(tmp_path: Path) -> None:
    Lines(TABLE).write(tmp_path / "ours.csv")
    TABLE.to_csv(tmp_path / "theirs.csv", index=False, lineterminator="\n")
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "theirs.csv").read_bytes()


def test_some_rows_in_any_order(tmp_path: Path) -> None:
    lines = Lines(TABLE)
    lines.write(tmp_path / "some.csv", (lines.rows[at] for at in (2, 0)))
    found = pd.read_csv(tmp_path / "some.csv", dtype=str, keep_default_na=False)
    assert found["plain"].tolist() == ["c", "a"]
    assert found["odd, name"].tolist() == ["", 'say "no"']


def test_a_column_of_its_own_may_be_empty(tmp_path: Path) -> None:
    Lines(pd.DataFrame({"only": ["", "a"]})).write(tmp_path / "one.csv")
    assert pd.read_csv(tmp_path / "one.csv", keep_default_na=False)["only"].tolist() == ["", "a"]


def test_a_return_does_not_end_a_row(tmp_path: Path) -> None:
    Lines(pd.DataFrame({"a": ["one\rtwo", "three\r\nfour"], "n": [1, 2]})).write(tmp_path / "r.csv")
    found = pd.read_csv(tmp_path / "r.csv")
    assert found["a"].tolist() == ["one\ntwo", "three\nfour"]
    assert found["n"].tolist() == [1, 2]
