"""Each repair is tried on a script that really fails; afterwards it really runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from proveout.apps.mle.experts.debugging import mended

BROKEN = {
    "an import that is missing": "print(np.zeros(2).sum())\n",
    "a keyword that was removed": (
        "import json\n\ndef fit(depth):\n    return depth\n\n"
        "print(fit(\n    depth=3,\n    gone=json.dumps([1]),\n))\n"
    ),
    "a metric that changed": (
        "from sklearn.metrics import mean_squared_error\n"
        "print(mean_squared_error([1.0], [3.0], squared=False))\n"
    ),
    "a name that numpy dropped": "import numpy as np\nprint(np.float(3))\n",
    "data in another folder": "print(open('../kaggle/train.csv').read())\n",
    "a folder that is not there": (
        "import pandas as pd\npd.DataFrame({'a': [1]}).to_csv('final/deep/a.csv')\n"
    ),
    "early stopping as a keyword": (
        "import lightgbm\nimport numpy as np\n"
        "model = lightgbm.LGBMRegressor(n_estimators=4, verbose=-1, n_jobs=1)\n"
        "x, y = np.arange(40.0).reshape(-1, 1), np.arange(40.0)\n"
        "model.fit(x, y, eval_set=[(x, y)], early_stopping_rounds=2)\n"
    ),
}


def run(source: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    path = folder / "solution.py"
    path.write_text(source)
    return subprocess.run(
        [sys.executable, str(path)], cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("name", BROKEN)
def test_mended_script_runs(name: str, tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "train.csv").write_text("a\n")
    failed = run(BROKEN[name], tmp_path)
    assert failed.returncode != 0
    fixed = mended(BROKEN[name], failed.stderr)
    assert fixed is not None
    again = run(fixed, tmp_path)
    assert again.returncode == 0, again.stderr


def test_slow_script_gets_fewer_trees() -> None:
    source = "model = Forest(n_estimators=900, depth=4, iterations=60)\n"
    assert mended(source, "timed out after 60 s") == (
        "model = Forest(n_estimators=300, depth=4, iterations=50)\n"
    )


@pytest.mark.parametrize(
    "traceback",
    ["", "ValueError: bad", "KeyError: 'x'", "NameError: name 'thing' is not defined"],
)
def test_what_is_not_known_is_left_alone(traceback: str) -> None:
    assert mended("print(1)\n", traceback) is None


def test_repair_never_breaks_a_script() -> None:
    """The keyword is not in the script at all: nothing to take out."""
    assert mended("f()\n", "TypeError: f() got an unexpected keyword argument 'x'") is None
