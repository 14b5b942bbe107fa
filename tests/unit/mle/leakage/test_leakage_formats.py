"""What a linter says: text, JSON, SARIF, annotations; and the command with its exit codes."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from proveout.apps.mle.leakage import examine
from proveout.apps.mle.leakage.formats import (
    as_data,
    as_github,
    as_html,
    as_sarif,
    as_text,
    summary,
)
from proveout.cli.mle_check import add

LEAKY = """import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
df = pd.read_csv("rows.csv")
y = df.pop("y")
X = StandardScaler().fit_transform(df)
a, b, c, d = train_test_split(X, y)
print(LogisticRegression().fit(a, c).score(b, d))
"""
CLEAN = LEAKY.replace("StandardScaler().fit_transform(df)", "df")
CELLS = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", *LEAKY.splitlines(True)[:6]]},
        {"cell_type": "code", "source": "!ls\n" + "".join(LEAKY.splitlines(True)[6:])},
    ],
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
}


def command() -> typer.Typer:
    group = typer.Typer()
    add(group)
    group.command("other")(lambda: None)
    return group


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(command(), ["check", *arguments])
    return done.exit_code, done.stdout


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    path = tmp_path / "leaky.py"
    path.write_text(LEAKY, encoding="utf-8")
    return path


def test_the_text_draws_the_way(leaky: Path) -> None:
    shown = as_text(examine(LEAKY, filename=str(leaky)))
    marks = [line.strip()[:1] for line in shown.splitlines()]
    drawn = [mark for mark in marks if mark and mark in "●│▼"]
    assert (drawn[0], drawn[-1]) == ("●", "▼")
    assert set(drawn[1:-1]) == {"│"}
    assert shown.splitlines()[-1] == f"{leaky}: 1 leak"


def test_sarif_names_rules_places_and_flows() -> None:
    data = as_sarif([examine(LEAKY, filename="a.py")], "1.2")
    text = json.dumps(data)
    assert json.loads(text)["version"] == "2.1.0"
    run_ = json.loads(text)["runs"][0]
    (result,) = run_["results"]
    rules = run_["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "leak.fit_before_split"
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 7, "endLine": 7}
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) >= 3


def test_sarif_keeps_what_a_comment_ignores() -> None:
    source = LEAKY.replace(
        "transform(df)", "transform(df)  # proveout: ignore[fit_before_split] no"
    )
    data = json.loads(json.dumps(as_sarif([examine(source)], "1")))
    assert data["runs"][0]["results"][0]["suppressions"] == [{"kind": "inSource"}]


def test_annotations_escape_what_would_end_them() -> None:
    found = as_github(examine(LEAKY, filename="a,b:c.py"))
    assert found.startswith(
        "::error file=a%2Cb%3Ac.py,line=7,endLine=7,title=leak.fit_before_split::"
    )
    assert "\n" not in found


def test_html_escapes() -> None:
    page = as_html([examine(LEAKY.replace("rows.csv", "<b>.csv"), filename="<i>")])
    assert "<b>.csv" not in page
    assert "&lt;b&gt;.csv" in page
    assert "&lt;i&gt;" in page


def test_html_draws_one_station_for_each_line() -> None:
    page = as_html([examine(LEAKY, filename="a.py"), examine(CLEAN, filename="b.py")])
    assert "<h1>1 leak in 2 files</h1>" in page
    stations = page.split('<ol class="way">')[1].split("</ol>")[0]
    assert [line.split("</b>")[0] for line in stations.split("<li><b>")[1:]] == [
        "line 7",
        "line 8",
        "line 9",
    ]
    assert "<pre>X = StandardScaler().fit_transform(df)</pre>" in stations


def test_a_notebook_tells_cell_and_line() -> None:
    report = examine(json.dumps(CELLS), filename="a.ipynb")
    (leak,) = report.leaks
    assert (leak.cell, leak.line) == (3, 2)
    assert leak.path[0].cell == 3
    assert "cell 3:2" in as_text(report)
    assert "the split at cell 3 line 3" in leak.message
    assert as_data(report)["leaks"] == 1
    assert "1 leak" in summary(report)


def test_exit_codes(tmp_path: Path, leaky: Path) -> None:
    clean, broken = tmp_path / "clean.py", tmp_path / "broken.py"
    clean.write_text(CLEAN, encoding="utf-8")
    broken.write_text("def (", encoding="utf-8")
    assert run(str(clean))[0] == 0
    assert run(str(leaky))[0] == 1
    assert run(str(broken))[0] == 3
    assert run(str(broken), str(leaky))[0] == 1
    assert run()[0] == 2


def test_a_folder_is_searched(tmp_path: Path, leaky: Path) -> None:
    hidden = tmp_path / ".venv"
    hidden.mkdir()
    (hidden / "leaky.py").write_text(LEAKY, encoding="utf-8")
    code, shown = run(str(leaky.parent), "--json")
    assert code == 1
    assert [Path(row["file"]).name for row in json.loads(shown)] == ["leaky.py"]


def test_fix_writes_and_diff_does_not(leaky: Path) -> None:
    code, shown = run(str(leaky), "--diff")
    assert code == 1
    assert "+b = fitted.transform(b)" in shown
    assert leaky.read_text(encoding="utf-8") == LEAKY
    code, shown = run(str(leaky), "--fix")
    assert code == 0
    assert "fitted.transform(b)" in leaky.read_text(encoding="utf-8")


def test_machine_formats_are_pure(leaky: Path) -> None:
    assert json.loads(run(str(leaky), "--sarif")[1])["runs"]
    assert run(str(leaky), "--github")[1].startswith("::error ")
