"""A study, run for real: what matters stands out, what does not is within the controls."""

import re
import subprocess
import sys
from pathlib import Path

from proveout.apps.mle.experts.ablation import write

SCRIPT = """\
import random
SEED = 1
USE_SIGNAL = True
USE_NOTHING = True
random.seed(SEED)
score = 0.6 + (0.2 if USE_SIGNAL else 0.0) + random.gauss(0, 0.001)
with open("final/predictions.txt", "w") as out:
    out.write(open("input/train.csv").read())
print("Final Validation Performance:", score)
"""


def test_effect_and_noise_are_told(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "train.csv").write_text("a\n1\n")
    study = write(SCRIPT)
    assert study is not None
    ran = subprocess.run(
        [sys.executable, "-c", study], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    scores = dict(re.findall(r"^(.+?): (-?[\d.]+)$", ran.stdout, re.MULTILINE))
    base = float(scores["Baseline"])
    assert base - float(scores["USE_SIGNAL off"]) > 0.15
    noise = float(scores["Noise (standard deviation of the controls)"])
    assert 0 < noise < 0.01
    assert "Largest effect: USE_SIGNAL off" in ran.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["input"]


def test_variant_that_fails_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    script = SCRIPT.replace("USE_NOTHING = True", "USE_NOTHING = True\n1 / USE_NOTHING")
    (tmp_path / "input" / "train.csv").write_text("a\n1\n")
    study = write(script)
    assert study is not None
    ran = subprocess.run(
        [sys.executable, "-c", study], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert "USE_NOTHING off: failed (ZeroDivisionError" in ran.stdout
    assert "Largest effect: USE_SIGNAL off" in ran.stdout


def test_several_at_a_time_say_what_one_after_the_other_do(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "train.csv").write_text("a\n1\n")
    said = []
    for workers in (1, 3):
        study = write(SCRIPT, workers=workers)
        assert study is not None
        ran = subprocess.run(
            [sys.executable, "-c", study], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        assert ran.returncode == 0, ran.stderr
        said.append(ran.stdout)
    assert said[0] == said[1]
    assert "Baseline, seed +202" in said[0]


def test_what_there_is_no_time_for_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "train.csv").write_text("a\n1\n")
    slow = "import time\ntime.sleep(0.4)\n" + SCRIPT
    study = write(slow, seconds=0.1, workers=2)
    assert study is not None
    ran = subprocess.run(
        [sys.executable, "-c", study], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    # As many as run side by side at once are begun in any case.
    left_out = re.findall(r"^(.+?): left out, no time$", ran.stdout, re.MULTILINE)
    assert left_out == ["USE_NOTHING off", "Baseline, seed +101", "Baseline, seed +202"]
    assert "Largest effect: USE_SIGNAL off" in ran.stdout
