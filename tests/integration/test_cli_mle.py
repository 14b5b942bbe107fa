"""`proveout mle` as its user meets it: files, mistakes, scripts that cheat."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from proveout.apps.mle.samples import write_task
from proveout.runtime import Workspace
from proveout.settings import load

HONEST = """\
import os
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

train = pd.read_csv("input/train.csv")
test = pd.read_csv("input/test.csv")
fold = pd.read_csv("input/folds.csv")["fold"].to_numpy()
columns = ["wind", "swell", "crew"]
y = train["late"].to_numpy()
out = np.zeros((len(train), 2))
held = np.zeros((len(test), 2))
scores = []
for k in range(fold.max() + 1):
    model = LogisticRegression().fit(train.loc[fold != k, columns], y[fold != k])
    out[fold == k] = model.predict_proba(train.loc[fold == k, columns])
    held += model.predict_proba(test[columns]) / (fold.max() + 1)
    scores.append(roc_auc_score(y[fold == k], out[fold == k, 1]))
#CHEAT#
os.makedirs("final", exist_ok=True)
np.savez("final/predictions.npz", rows=np.arange(len(train)), predictions=out, test=held)
pd.DataFrame({"trip": test["trip"], "late": held[:, 1]}).to_csv("final/submission.csv", index=False)
print("Final Validation Performance:", np.mean(scores))
"""


def mle(*arguments: str, cwd: Path, seconds: int = 150) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "proveout", "mle", *arguments]
    home = {"PROVEOUT_HOME": str(cwd / "home")}
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **home},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


@pytest.fixture
def task(tmp_path: Path) -> Path:
    return write_task(tmp_path / "boats")


def searched(task: Path, *more: str) -> tuple[dict[str, Any], Path]:
    """A smoke run with a script of one's own; the run as JSON, and the folder of its files."""
    out = task.parent / "out"
    done = mle(
        "run",
        str(task),
        "--out",
        str(out),
        "--smoke",
        "--json",
        "--journal",
        str(task.parent / "journal.db"),
        *more,
        cwd=task.parent,
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout), out


def attempt_of(run: dict[str, Any], name: str) -> dict[str, Any]:
    found = [it for it in run["attempts"] if it["proposal"].get("origin", "").endswith(f":{name}")]
    assert found, [it["proposal"].get("origin") for it in run["attempts"]]
    return dict(found[0])


def test_a_search_leaves_a_script_that_makes_its_submission_again(task: Path) -> None:
    run, out = searched(task)
    assert run["accepted"]
    for name in ("submission.csv", "solution.py", "solution.ipynb", "report.html"):
        assert (out / name).stat().st_size > 0
    lines = (out / "submission.csv").read_text().splitlines()
    assert len(lines) == 301
    subprocess.run([sys.executable, "solution.py"], cwd=out, check=True, timeout=100)
    again = (out / "final" / "submission.csv").read_text().splitlines()
    assert again[0] == lines[0] == "trip,late"
    for mine, theirs in zip(lines[1:], again[1:], strict=True):
        assert mine.split(",")[0] == theirs.split(",")[0]
        assert float(mine.split(",")[1]) == pytest.approx(float(theirs.split(",")[1]), abs=1e-6)
    assert json.loads((out / "solution.ipynb").read_text())["nbformat"] == 4


def test_a_script_of_ones_own_takes_part(task: Path) -> None:
    script = task.parent / "mine.py"
    script.write_text(HONEST)
    run, _ = searched(task, "--card", str(script))
    verdict = attempt_of(run, "mine")["verdict"]
    assert verdict["findings"] == []
    assert 0.6 < verdict["score"] < 0.95


def test_a_score_that_was_not_earned_is_refused(task: Path) -> None:
    script = task.parent / "liar.py"
    script.write_text(HONEST.replace("#CHEAT#", "scores = [0.999]"))
    run, _ = searched(task, "--card", str(script))
    codes = {finding["code"] for finding in attempt_of(run, "liar")["verdict"]["findings"]}
    assert "mle.score_not_earned" in codes
    assert run["outcome"]["score"] < 0.95


def test_labels_copied_into_predictions_do_not_pay(task: Path) -> None:
    """The folds are fooled, the hidden rows are not."""
    cheat = "out = np.column_stack([1 - y, y]).astype(float)\nscores = [1.0]"
    script = task.parent / "copier.py"
    script.write_text(HONEST.replace("#CHEAT#", cheat))
    run, _ = searched(task, "--card", str(script))
    verdict = attempt_of(run, "copier")["verdict"]
    codes = {finding["code"] for finding in verdict["findings"]}
    assert codes & {"mle.holdout_disagrees", "mle.leak.target_as_feature"}
    assert run["outcome"]["score"] < 0.95


def test_a_person_steps_in_at_a_pause_point(task: Path) -> None:
    """Models and blocks are told; what is said then holds from then on, in a replay as well."""
    script = task.parent / "mine.py"
    script.write_text(HONEST)
    journal, out = str(task.parent / "journal.db"), task.parent / "out"
    asked = ("run", str(task), "--out", str(out), "--smoke", "--journal", journal)
    paused = mle(*asked, "--pin", "never seen", "--pause", cwd=task.parent)
    assert paused.returncode == 130, paused.stderr
    assert len((out / "submission.csv").read_text().splitlines()) == 301
    assert "no block is called 'never seen'; there are: load, features" in paused.stderr
    told = paused.stderr.splitlines()
    assert any(line.endswith(" init:catboost") and float(line.split()[0]) > 0.6 for line in told)
    assert any(line.startswith("blocks: load, features, ") for line in told)
    assert told[-1].endswith(f"mle run {' '.join(asked[1:])} --resume")
    for mistake in (("--forbid", "never seen"), ("--card", "no such card")):
        wrong = mle(*asked, "--resume", *mistake, cwd=task.parent)
        assert wrong.returncode == 2, wrong.stderr
        assert f"'{mistake[1]}'" in wrong.stderr
    run, _ = searched(task, "--resume", "--card", str(script), "--pin", "features")
    assert attempt_of(run, "mine")["key"] == "card-0#0"
    refined = [it for it in run["attempts"] if it["key"].startswith("refine-")]
    assert {it["proposal"]["origin"] for it in refined} == {"refine:features"}
    assert (run["task"]["pin"], run["task"]["card"]) == ("features", str(script))
    assert sum(it["key"] == "first-00#0" for it in run["attempts"]) == 1
    with Workspace(load({"journal.path": journal}), readonly=True) as opened:
        assert opened.replay(run["run"]).faithful


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "nowhere", "--out", "out"), "is not a folder"),
        (("run", "empty", "--out", "out"), "no table"),
        (("run", "empty", "--out", "out", "--resume"), "a new one begins"),
        (("run", "empty", "--out", "out", "--mode", "paper", "--pin", "model"), "takes no pin"),
        (("run", "empty", "--out", "out", "--mode", "paper", "--pause"), "takes no pause"),
        (("run", "boats", "--out", "/proc/none/such"), "cannot write to"),
        (("run", "boats", "--out", "out", "--card", "no such card", "--smoke"), "no such card"),
        (("init", "empty"), "no table"),
    ],
)
def test_mistakes_are_explained(task: Path, arguments: tuple[str, ...], words: str) -> None:
    (task.parent / "empty").mkdir()
    done = mle(*arguments, cwd=task.parent)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_metric_and_a_table_of_ones_own(tmp_path: Path) -> None:
    """The loss that a script prints is the user's function; facts come from a Parquet file."""
    chance = random.Random(5)
    task = tmp_path / "shops"
    task.mkdir()
    (task / "metric.py").write_text(
        "def pinball(y_true, y_pred):\n"
        "    gap = y_true - y_pred\n"
        "    return float((gap * 0.7).clip(0).mean() + (-gap * 0.3).clip(0).mean())\n"
    )
    (task / "task.toml").write_text(
        'metric = "custom"\ncustom_metric = "metric.py:pinball"\n'
        'direction = "minimize"\ntargets = ["price"]\n'
    )
    pd.DataFrame({"shop": ["a", "b", "c"], "size": [1.0, 2.0, 5.0]}).to_parquet(
        task / "facts.parquet"
    )
    rows = pd.DataFrame(
        {
            "id": range(500),
            "x": [round(chance.random(), 4) for _ in range(500)],
            "shop": [chance.choice("abc") for _ in range(500)],
        }
    )
    size = rows["shop"].map({"a": 1.0, "b": 2.0, "c": 5.0})
    rows["price"] = 3 * rows["x"] + size + [chance.gauss(0, 0.1) for _ in range(500)]
    rows[:400].to_csv(task / "train.csv", index=False)
    rows[400:].drop(columns="price").to_csv(task / "test.csv", index=False)
    run, out = searched(task)
    assert run["accepted"]
    assert "facts.parquet" in (out / "solution.py").read_text()
    guess = pd.read_csv(out / "submission.csv")["price"].to_numpy()
    assert abs(guess - rows["price"][400:].to_numpy()).mean() < 0.5


def test_init_writes_what_it_saw_once(task: Path) -> None:
    assert mle("init", str(task), cwd=task.parent).returncode == 0
    text = (task / "task.toml").read_text()
    assert 'metric = "auc"' in text
    assert '"fine"' in text
    assert mle("init", str(task), cwd=task.parent).returncode == 2
    assert mle("init", str(task), "--force", cwd=task.parent).returncode == 0
