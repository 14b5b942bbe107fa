"""A target statistic outside the fold, on real data: caught, repaired, and then as good as it says.

The task and its grader are not part of the repository: they lie in `shared/mle-tasks` beside it,
if at all.
"""

import json
import math
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from proveout.apps.mle.leakage import examine, repair

TASKS = Path(__file__).resolve().parents[5] / "shared" / "mle-tasks"
TASK = TASKS / "spaceship-titanic"
VALIDATION_SHARE = 0.25
STANDARD_ERRORS = 2

pytestmark = [
    pytest.mark.skipif(not TASK.is_dir(), reason="the task is not on this machine"),
]
pytest.importorskip("sklearn")

LEAKY = '''"""Passengers who are alike share a fate."""

import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

SPENT = ["RoomService", "FoodCourt", "ShoppingMall", "Spa", "VRDeck"]
FEATURES = ["KindRate", "Age", *SPENT]

train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
for frame in [train, test]:
    deck, side = frame["Cabin"].str[0].fillna("?"), frame["Cabin"].str[-1].fillna("?")
    frame["Kind"] = frame["HomePlanet"].fillna("?") + deck + side + frame["Age"].astype(str)

# How often were passengers of this kind transported?
test["KindRate"] = test["Kind"].map(train.groupby("Kind")["Transported"].mean())
train["KindRate"] = train["Kind"].map(train.groupby("Kind")["Transported"].mean())

X = train.drop(columns="Transported")
y = train["Transported"]
X_train, X_valid, y_train, y_valid = train_test_split(X, y, test_size=0.25, random_state=0)
model = HistGradientBoostingClassifier(random_state=0)
model.fit(X_train[FEATURES], y_train)
score = accuracy_score(y_valid, model.predict(X_valid[FEATURES]))
print(f"Final Validation Performance: {score:.4f}")
test["Transported"] = model.predict(test[FEATURES])
test[["PassengerId", "Transported"]].to_csv("submission.csv", index=False)
'''


@dataclass(frozen=True)
class Ran:
    validation: float
    test: float
    tolerance: float
    """Two standard errors of the difference between the two shares."""

    @property
    def gap(self) -> float:
        return self.validation - self.test


def ran(program: str, folder: Path) -> Ran:
    folder.mkdir()
    for name in ("train.csv", "test.csv"):
        shutil.copy(TASK / name, folder)
    (folder / "script.py").write_text(program, encoding="utf-8")
    said = _output([sys.executable, "script.py"], folder)
    found = re.search(r"Final Validation Performance: ([\d.]+)", said)
    assert found is not None
    graded = _output(
        [sys.executable, "grade.py", TASK.name, str(folder / "submission.csv"), "--json"], TASKS
    )
    validation, test = float(found[1]), float(json.loads(graded)["score"])
    texts = [(TASK / name).read_text(encoding="utf-8") for name in ("train.csv", "test.csv")]
    rows = [text.count("\n") - 1 for text in texts]
    variance = validation * (1 - validation) / (VALIDATION_SHARE * rows[0])
    variance += test * (1 - test) / rows[1]
    return Ran(validation, test, STANDARD_ERRORS * math.sqrt(variance))


def _output(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_leak_is_caught_and_moved_below_the_split() -> None:
    report = examine(LEAKY, filename="script.py")
    (leak,) = report.leaks
    assert leak.code == "leak.target_statistic_outside_fold"
    assert leak.block.startswith('train["KindRate"] = ')
    repaired = repair(LEAKY, report)
    assert repaired is not None
    assert not examine(repaired).leaks
    assert leak.block not in repaired
    assert repaired.index("train_test_split(X") < repaired.index('X_train["KindRate"] = ')


def test_validation_agrees_with_the_test_score_once_it_is_repaired(tmp_path: Path) -> None:
    repaired = repair(LEAKY)
    assert repaired is not None
    leaking, honest = ran(LEAKY, tmp_path / "leaking"), ran(repaired, tmp_path / "honest")
    assert leaking.gap > 2 * leaking.tolerance
    assert abs(honest.gap) < honest.tolerance
    assert abs(honest.test - leaking.test) < honest.tolerance
