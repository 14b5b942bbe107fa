"""The benchmark on a corpus of four files: labels of files, labels of pairs, and the tables."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.leakage.corpus import half_of, labelled, scripts
from benchmarks.leakage.places import lines_of

ROOT = Path(__file__).resolve().parents[4]
LEAKY = """import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
df = pd.read_csv("rows.csv")
y = df.pop("y")
X = StandardScaler().fit_transform(df)
a, b, c, d = train_test_split(X, y)
model = LogisticRegression().fit(a, c)
print(model.score(b, d))
print(model.score(a, c))
"""
CLEAN = LEAKY.replace("StandardScaler().fit_transform(df)", "df")
FIT_LINE, SCORE_LINE = 9, 10
FIT, SCORE_B, SCORE_A = 8, 9, 11
"""Numbers of the calls in the order in which they are evaluated, counted from two."""
LABELS = """file,overlap,preprocessing,multi_test
leaky.py,0,1,
clean.py,0,0,0
"""
PAIRS = f""";File;pair;overlap GT;preproc GT
0;other;$invo{FIT}_$invo{SCORE_B}_[, ]_[, ];0;1
1;other;$invo{FIT}_$invo{SCORE_A}_[, ]_[, ];1;0
2;other;$invo70_$invo71_[, ]_[, ];1;0
"""
THEIRS = f""",File,overlap GT,preproc GT,pair,overlap theirs,preproc theirs
0,other,0,1,"$invo{FIT}_$invo{SCORE_B}_[, ]_[, ]",1,0
"""


def corpus(folder: Path) -> Path:
    for name, text in {
        "code/leaky.py": LEAKY,
        "code/clean.py": CLEAN,
        "code/other.py": LEAKY,
        "labels.csv": LABELS,
        "more/pairs.csv": PAIRS,
        "more/theirs.csv": THEIRS,
    }.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_labels_of_files_and_of_pairs_are_read(tmp_path: Path) -> None:
    found = labelled(corpus(tmp_path))
    assert set(scripts(tmp_path)) == {"leaky", "clean", "other"}
    by_key = {(one.file, one.calls): one for one in found}
    assert by_key["leaky", None].labels == {"overlap": False, "preprocessing": True}
    pair = by_key["other", (FIT, SCORE_B)]
    assert pair.labels == {"overlap": False, "preprocessing": True}
    assert pair.theirs == {"overlap": True, "preprocessing": False}
    assert len(found) == 5


def test_numbers_of_calls_lead_to_lines() -> None:
    tree = ast.parse(LEAKY)
    assert lines_of(tree, (FIT, SCORE_B)) == (FIT_LINE, SCORE_LINE)
    joined = f"if True:\n    n = 1\n{LEAKY}"
    # One call more was counted where the branch joins: the only place that fits is taken.
    moved = (FIT_LINE + 2, SCORE_LINE + 2)
    assert lines_of(ast.parse(joined), (FIT + 1, SCORE_B + 1)) == moved
    assert lines_of(tree, (FIT + 1, SCORE_B + 1)) is None
    assert lines_of(tree, (70, 71)) is None


def test_half_of_the_names_are_kept_for_the_report() -> None:
    halves = [half_of(f"nb_{number}") for number in range(400)]
    assert 150 < halves.count("report") < 250


def test_the_tables(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.leakage", str(corpus(tmp_path)), "--wrong"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in done.stdout.splitlines()
        if re.match(r"\| (overlap|preprocessing|multi_test) ", line)
    ]
    counts = {(number, row[0], row[1]): row[2:6] for number, row in enumerate(rows)}
    ours = [value for key, value in counts.items() if key[2] == "Proveout, leaks"]
    # Files: overlap (missed in `other`, whose score on training rows stands beside an honest one),
    # preprocessing, multi-test; then pairs: overlap, preprocessing.
    assert ours == [
        ["0", "0", "1", "2"],
        ["2", "0", "0", "1"],
        ["0", "0", "0", "1"],
        ["1", "0", "0", "1"],
        ["1", "0", "0", "1"],
    ]
    theirs = [row[2:6] for row in rows if row[1].startswith("published")]
    assert theirs == [["0", "1", "0", "0"], ["0", "0", "1", "0"]]
    assert "pairs 3, of which their lines are known 2" in done.stdout


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.leakage", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no labelled scripts" in done.stderr
