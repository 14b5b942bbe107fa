"""The apps as single calls from Python."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import proveout
from proveout import shortcuts
from proveout.testing.workspaces import own_environment
from tests.iqa_pictures import photo

CLEAN = "import pandas as pd\n\ntable = pd.read_csv('a.csv')\nprint(len(table))\n"
LEAKY = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

table = pd.read_csv("train.csv")
X, y = table.drop(columns=["y"]), table["y"]
X = StandardScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y)
print(LogisticRegression().fit(X_train, y_train).score(X_test, y_test))
"""


def test_a_picture_may_be_a_path_bytes_an_array_or_an_image(tmp_path: Path) -> None:
    path = photo(tmp_path / "photo.png", blur=2.0)
    pixels: Any = np.asarray(Image.open(path).convert("RGB"))
    with own_environment(tmp_path / "home"):
        results = [
            proveout.assess(path),
            proveout.assess(path.read_bytes()),
            proveout.assess(pixels),
            proveout.assess(Image.fromarray(pixels)),
        ]
        kept = list((tmp_path / "home" / "pictures").iterdir())
        again = proveout.show(results[2].run.id)
        with proveout.Workspace() as opened:
            assert opened.replay(results[2].run.id).faithful
    assert all(result.accepted for result in results)
    assert len({result["quality_score"] for result in results}) == 1
    assert len(kept) == 2, "the same content is kept once"
    assert again.answer == results[2].answer


def test_a_question_options_and_a_reference(tmp_path: Path) -> None:
    clean, blurred = photo(tmp_path / "a.png"), photo(tmp_path / "b.png", blur=2.5)
    with own_environment(tmp_path / "home"):
        result = proveout.assess(
            blurred, "Which is it?", choices=["A. noise", "B. blur"], reference=clean
        )
        html = result._repr_html_()
        whole = result.report._repr_html_()
        saved = result.save(tmp_path / "report.html")
    assert result["final_answer"] == "B"
    assert len(html) < 200_000
    assert len(html) < len(whole)
    assert f"run {result.run.id}" in html
    assert saved.stat().st_size > len(html)


def test_a_picture_that_cannot_be_read_leaves_no_run(tmp_path: Path) -> None:
    with own_environment(tmp_path / "home"):
        with pytest.raises(proveout.ProveoutError, match="no such file"):
            proveout.assess(tmp_path / "missing.png")
        with pytest.raises(proveout.ProveoutError):
            proveout.assess(b"not a picture")
        with proveout.Workspace() as opened:
            assert opened.journal.runs() == []


def test_kept_pictures_are_few(tmp_path: Path) -> None:
    with own_environment(tmp_path / "home"):
        for number in range(shortcuts.MOST_PICTURES + 5):
            shortcuts._path(bytes([number % 256, number // 256]))
        assert len(list((tmp_path / "home" / "pictures").iterdir())) == shortcuts.MOST_PICTURES


def test_a_result_without_parts_has_none(tmp_path: Path) -> None:
    with own_environment(tmp_path / "home"):
        result = proveout.run("pattern", expression="a+b")
    assert isinstance(result["word"], str)
    with pytest.raises(KeyError):
        result["nothing"]


def test_a_script_is_checked_from_its_text_or_its_file(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(LEAKY)
    for found in (proveout.check(LEAKY), proveout.check(path), proveout.check(str(path))):
        assert [leak.code for leak in found.leaks] == ["leak.fit_before_split"]
        html = found._repr_html_()
        assert "1 leak" in html
        assert "StandardScaler" in html
    clean = proveout.check(CLEAN)
    assert clean.leaks == ()
    assert "no leak found" in clean._repr_html_()
    assert "could not be judged" in proveout.check("def\n")._repr_html_()
    assert clean.save(tmp_path / "check.md").read_text().startswith("# Leakage of script")


def test_a_script_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(proveout.ProveoutError, match="cannot be read"):
        proveout.check(tmp_path / "none.py")
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
    with pytest.raises(proveout.ProveoutError, match="not a text in UTF-8"):
        proveout.check(tmp_path / "latin.py")
