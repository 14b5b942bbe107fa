"""Leaks proved, and suspicions refuted, by running scripts in the sandbox on changed data."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.adapters.sandbox.local import LocalSandbox
from proveout.adapters.sandbox.sweeping import descendants
from proveout.apps.mle.leakage import Report, examine
from proveout.apps.mle.leakage.dynamic import (
    PROBES,
    Means,
    ProbeName,
    examine_by_running,
    read_folder,
)
from proveout.apps.mle.scripts.workshop import workshop
from proveout.apps.mle.star.guarding import look
from proveout.apps.mle.star.room import Room, entering
from proveout.apps.mle.star.safety import check_and_fix_leakage
from proveout.kernel.ambient import using
from proveout.kernel.ports import ScriptLimits
from proveout.runtime import SandboxDoor
from proveout.settings import SandboxSettings
from tests.integration.command import Desk
from tests.unit.mle.spec_kit import solution, stage
from tests.workbench import Workbench

ROWS = 120
HEAD = """import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
"""
CASES: dict[str, tuple[str, str, str]] = {
    "scaler before the split": (
        "leak.fit_before_split",
        """df = pd.read_csv("train.csv")
y = df.pop("y")
X = StandardScaler().fit_transform(df)
a, b, c, d = train_test_split(X, y, random_state=0)
print(LogisticRegression().fit(a, c).score(b, d))
""",
        """df = pd.read_csv("train.csv")
y = df.pop("y")
a, b, c, d = train_test_split(df, y, random_state=0)
s = StandardScaler().fit(a)
print(LogisticRegression().fit(s.transform(a), c).score(s.transform(b), d))
""",
    ),
    "mean of all rows": (
        "leak.statistic_before_split",
        """df = pd.read_csv("rows.csv")
df["b"] = df["b"].fillna(df["b"].mean())
tr, te = train_test_split(df, test_size=0.25, random_state=1)
m = LogisticRegression().fit(tr[["a", "b"]], tr["y"])
print(accuracy_score(te["y"], m.predict(te[["a", "b"]])))
""",
        """df = pd.read_csv("rows.csv")
tr, te = train_test_split(df, test_size=0.25, random_state=1)
middle = tr["b"].mean()
m = LogisticRegression().fit(tr[["a", "b"]].fillna(middle), tr["y"])
print(accuracy_score(te["y"], m.predict(te[["a", "b"]].fillna(middle))))
""",
    ),
    "median by NumPy, folds by hand": (
        "leak.statistic_before_split",
        """df = pd.read_csv("rows.csv")
X, y = df[["a", "b"]].to_numpy(), df["y"].to_numpy()
X = X - np.nanmedian(X, axis=0)
X = np.nan_to_num(X)
for tr, va in KFold(4, shuffle=True, random_state=0).split(X):
    m = LogisticRegression().fit(X[tr], y[tr])
    print((m.predict(X[va]) == y[va]).mean())
""",
        """df = pd.read_csv("rows.csv")
X, y = df[["a", "b"]].to_numpy(), df["y"].to_numpy()
for tr, va in KFold(4, shuffle=True, random_state=0).split(X):
    middle = np.nanmedian(X[tr], axis=0)
    m = LogisticRegression().fit(np.nan_to_num(X[tr] - middle), y[tr])
    print((m.predict(np.nan_to_num(X[va] - middle)) == y[va]).mean())
""",
    ),
    "imputer before cross-validation": (
        "leak.fit_before_split",
        """df = pd.read_csv("rows.csv")
X = SimpleImputer().fit_transform(df[["a", "b"]])
print(cross_val_score(LogisticRegression(), X, df["y"], cv=4).mean())
""",
        """df = pd.read_csv("rows.csv")
pipe = make_pipeline(SimpleImputer(), LogisticRegression())
print(cross_val_score(pipe, df[["a", "b"]], df["y"], cv=4).mean())
""",
    ),
    "target mean of a category": (
        "leak.target_statistic_outside_fold",
        """df = pd.read_csv("rows.csv")
df["rate"] = df["c"].map(df.groupby("c")["y"].mean())
print(cross_val_score(LogisticRegression(), df[["a", "rate"]], df["y"], cv=4).mean())
""",
        """df = pd.read_csv("rows.csv")
tr, te = train_test_split(df, random_state=0)
rate = tr.groupby("c")["y"].mean()
m = LogisticRegression().fit(tr[["a"]].assign(rate=tr["c"].map(rate)), tr["y"])
print(m.score(te[["a"]].assign(rate=te["c"].map(rate)), te["y"]))
""",
    ),
    "the target among the features": (
        "leak.target_as_feature",
        """df = pd.read_csv("rows.csv")
df["z"] = df["y"] * 3 + df["a"]
tr, te = train_test_split(df, random_state=0)
m = LogisticRegression().fit(tr[["a", "z"]], tr["y"])
print(m.score(te[["a", "z"]], te["y"]))
""",
        """df = pd.read_csv("rows.csv")
df["z"] = df["b"].fillna(0) * 3 + df["a"]
tr, te = train_test_split(df, random_state=0)
m = LogisticRegression().fit(tr[["a", "z"]], tr["y"])
print(m.score(te[["a", "z"]], te["y"]))
""",
    ),
    "selection on all rows": (
        "leak.selection_on_all_rows",
        """df = pd.read_csv("wide.csv")
y = df.pop("y")
X = SelectKBest(k=3).fit_transform(df, y)
print(cross_val_score(LogisticRegression(), X, y, cv=4).mean())
""",
        """df = pd.read_csv("wide.csv")
y = df.pop("y")
print(cross_val_score(make_pipeline(SelectKBest(k=3), LogisticRegression()), df, y, cv=4).mean())
""",
    ),
    "training and test file together": (
        "leak.train_test_concat",
        """train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
y = train.pop("y")
both = pd.concat([train, test])
both = (both - both.mean()) / both.std()
X, X_test = both[:len(train)], both[len(train):]
m = LogisticRegression().fit(X[:90], y[:90])
print(m.score(X[90:], y[90:]), m.predict(X_test)[:3])
""",
        """train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
y = train.pop("y")
middle, wide = train[:90].mean(), train[:90].std()
X, X_test = (train - middle) / wide, (test - middle) / wide
m = LogisticRegression().fit(X[:90], y[:90])
print(m.score(X[90:], y[90:]), m.predict(X_test)[:3])
""",
    ),
    "fitted on the test rows": (
        "leak.fit_on_test",
        """df = pd.read_csv("rows.csv")[["a", "b", "y"]].dropna()
a, b, c, d = train_test_split(df[["a", "b"]], df["y"], random_state=0)
m = LogisticRegression().fit(StandardScaler().fit_transform(a), c)
print(m.score(StandardScaler().fit_transform(b), d))
""",
        """df = pd.read_csv("rows.csv")[["a", "b", "y"]].dropna()
a, b, c, d = train_test_split(df[["a", "b"]], df["y"], random_state=0)
s = StandardScaler()
m = LogisticRegression().fit(s.fit_transform(a), c)
print(m.score(s.transform(b), d))
""",
    ),
    "rows on both sides": (
        "leak.overlap",
        """df = pd.read_csv("rows.csv")
tr, te = df.sample(frac=0.7, random_state=1), df.sample(frac=0.3, random_state=2)
m = LogisticRegression().fit(tr[["a"]], tr["y"])
print(m.score(te[["a"]], te["y"]))
""",
        """df = pd.read_csv("rows.csv")
tr = df.sample(frac=0.7, random_state=1)
te = df.drop(tr.index)
m = LogisticRegression().fit(tr[["a"]], tr["y"])
print(m.score(te[["a"]], te["y"]))
""",
    ),
    "scored on its own rows": (
        "leak.score_on_training_rows",
        """df = pd.read_csv("rows.csv")
m = RandomForestClassifier(10, random_state=0).fit(df[["a"]], df["y"])
print(accuracy_score(df["y"], m.predict(df[["a"]])))
""",
        """df = pd.read_csv("rows.csv")
m = RandomForestClassifier(10, random_state=0).fit(df[["a"]][:80], df["y"][:80])
print(accuracy_score(df["y"][80:], m.predict(df[["a"]][80:])))
print(accuracy_score(df["y"][:80], m.predict(df[["a"]][:80])))
""",
    ),
    "words of all texts": (
        "leak.fit_before_split",
        """df = pd.read_csv("texts.csv")
X = TfidfVectorizer().fit_transform(df["text"])
a, b, c, d = train_test_split(X, df["y"], random_state=0)
print(LogisticRegression().fit(a, c).score(b, d))
""",
        """df = pd.read_csv("texts.csv")
a, b, c, d = train_test_split(df["text"], df["y"], random_state=0)
v = TfidfVectorizer()
print(LogisticRegression().fit(v.fit_transform(a), c).score(v.transform(b), d))
""",
    ),
    "a window that looks ahead": (
        "leak.future_value",
        """df = pd.read_csv("rows.csv")
df["smooth"] = df["a"].rolling(9, center=True, min_periods=1).mean()
m = Ridge().fit(df[["smooth"]][:90], df["n"][:90])
print(m.score(df[["smooth"]][90:], df["n"][90:]))
""",
        """df = pd.read_csv("rows.csv")
df["smooth"] = df["a"].rolling(9, min_periods=1).mean()
m = Ridge().fit(df[["smooth"]][:90], df["n"][:90])
print(m.score(df[["smooth"]][90:], df["n"][90:]))
""",
    ),
    "rare rows repeated": (
        "leak.resample_before_split",
        """df = pd.read_csv("rows.csv")
rare = df[df["y"] == 1].sample(200, replace=True, random_state=0)
df = pd.concat([df[df["y"] == 0], rare])
tr, te = train_test_split(df, random_state=0)
m = LogisticRegression().fit(tr[["a"]], tr["y"])
print(m.score(te[["a"]], te["y"]))
""",
        """df = pd.read_csv("rows.csv")
tr, te = train_test_split(df, random_state=0)
rare = tr[tr["y"] == 1].sample(100, replace=True, random_state=0)
tr = pd.concat([tr[tr["y"] == 0], rare])
m = LogisticRegression().fit(tr[["a"]], tr["y"])
print(m.score(te[["a"]], te["y"]))
""",
    ),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    made = LocalSandbox()
    yield made
    made.close()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tables")
    dice = np.random.default_rng(3)
    a, b = dice.normal(size=ROWS), dice.normal(5, 2, size=ROWS)
    y = (a + 0.4 * dice.normal(size=ROWS) > 0).astype(int)
    rows = pd.DataFrame({"a": a.round(4), "b": b.round(4), "c": dice.choice(list("pqrs"), ROWS)})
    rows.loc[dice.random(ROWS) < 0.15, "b"] = np.nan
    rows.assign(y=y, n=(3 * a + b).round(3)).to_csv(place / "rows.csv", index=False)
    plain = pd.DataFrame({"a": a.round(4), "b": b.round(4)})
    plain.assign(y=y).to_csv(place / "train.csv", index=False)
    plain[::-1].to_csv(place / "test.csv", index=False)
    wide = pd.DataFrame(dice.normal(size=(ROWS, 12)).round(3), columns=[f"f{i}" for i in range(12)])
    wide.assign(y=y).to_csv(place / "wide.csv", index=False)
    words = np.array(["red", "blue", "green", "warm", "cold", "good", "bad", "late", "early"])
    texts = [" ".join(dice.choice(words, 6)) + f" w{at}" for at in range(ROWS)]
    pd.DataFrame({"text": texts, "y": y}).to_csv(place / "texts.csv", index=False)
    return place


def examined(
    source: str,
    data: Path,
    sandbox: LocalSandbox,
    *,
    probes: tuple[ProbeName, ...] = ("dependence",),
    seconds: float = 240.0,
    target: str = "",
) -> Report:
    limits = ScriptLimits(seconds=60.0, memory_bytes=2 * 2**30)
    means = Means(sandbox, seconds=seconds, probes=probes, limits=limits, target=target)
    return examine_by_running(source, read_folder(data), means, filename="script.py")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CASES)
def test_a_leak_is_proved(name: str, data: Path, sandbox: LocalSandbox) -> None:
    code, leaky, _ = CASES[name]
    report = examined(HEAD + leaky, data, sandbox)
    assert report.trials is not None
    assert report.trials.verdict == "proved", report.trials
    proofs = [leak for leak in report.leaks if leak.proved in ("dynamic", "both")]
    assert code in {leak.code for leak in proofs}, report
    told = next(leak for leak in proofs if leak.code == code).evidence[0]
    assert "line" in told
    assert any(sign.isdigit() for sign in told)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CASES)
def test_its_clean_twin_is_not_called_a_leak(name: str, data: Path, sandbox: LocalSandbox) -> None:
    _, _, clean = CASES[name]
    report = examined(HEAD + clean, data, sandbox)
    assert report.trials is not None
    assert report.trials.verdict == "refuted", report.trials
    assert report.leaks == (), report
    assert report.trials.held_out_rows >= 20


REFUTED = (
    HEAD
    + """df = pd.read_csv("rows.csv").dropna()
X = df[["a", "b"]].to_numpy()
middle = X.mean(axis=0)
tr, te = train_test_split(df, random_state=0)
X = tr[["a", "b"]].to_numpy() + 0 * middle
m = LogisticRegression().fit(X, tr["y"])
print(m.score(te[["a", "b"]].to_numpy(), te["y"]))
"""
)


@pytest.mark.timeout(600)
def test_a_suspicion_that_running_refutes_does_not_count(data: Path, sandbox: LocalSandbox) -> None:
    """The mean of all rows is multiplied by nothing: reading cannot see that, running can."""
    report = examined(REFUTED, data, sandbox)
    (leak,) = report.findings
    assert leak.code == "leak.statistic_before_split"
    assert "held-out rows" in leak.refuted
    assert not leak.counts
    assert report.leaks == ()


HOSTILE = {
    "endless": ("while True:\n    pass\n", "seconds"),
    "deletes": (
        "import os, shutil\nimport pandas as pd\nfor name in os.listdir('.'):\n"
        "    shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)\n"
        "pd.read_csv('rows.csv')\n",
        "did not run",
    ),
    "garbage": (
        "import os\nopen('record.json', 'w').write('{[')\nprint('x' * 10**6)\nos._exit(0)\n",
        "notes",
    ),
    "missing": ("import pandas as pd\npd.read_csv('nowhere.csv')\n", "nowhere.csv"),
    "silent": ("print(1)\n", "read no table"),
    "alone": ("import pandas as pd\npd.read_csv('rows.csv')\n", "no training"),
    "random": (
        HEAD + "import secrets\ndf = pd.read_csv('rows.csv')\n"
        "df['a'] += secrets.randbelow(1000)\ntr, te = train_test_split(df)\n"
        "print(LogisticRegression().fit(tr[['a']], tr['y']).score(te[['a']], te['y']))\n",
        "not deterministic",
    ),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_judged_is_undecided(name: str, data: Path, sandbox: LocalSandbox) -> None:
    source, why = HOSTILE[name]
    before = {path.name: path.read_bytes() for path in data.iterdir()}
    limits = ScriptLimits(seconds=10.0, memory_bytes=2**30)
    report = examine_by_running(
        source, read_folder(data), Means(sandbox, seconds=60.0, limits=limits)
    )
    assert report.trials is not None
    assert report.trials.verdict == "undecided"
    assert why in report.trials.why
    assert report.trials.runs <= 3
    assert {path.name: path.read_bytes() for path in data.iterdir()} == before


def test_nothing_is_left_running(sandbox: LocalSandbox) -> None:
    for server in sandbox._servers.values():
        assert descendants(server.process.pid)[1:] == []


def test_a_static_finding_stays_where_running_decides_nothing(
    data: Path, sandbox: LocalSandbox
) -> None:
    _, leaky, _ = CASES["scaler before the split"]
    broken = HEAD + leaky + "raise RuntimeError('stop')\n"
    report = examined(broken, data, sandbox)
    assert report.trials is not None
    assert report.trials.verdict == "undecided"
    assert "stop" in report.trials.why
    (leak,) = report.leaks
    assert (leak.proved, leak.refuted) == ("static", "")


SPLIT = """df = pd.read_csv("{file}")
tr, te = train_test_split(df, random_state=0)
m = RandomForestClassifier(20, random_state=0).fit(tr[{columns}], tr["y"])
print(accuracy_score(te["y"], m.predict(te[{columns}])))
"""


def made(place: Path, frame: pd.DataFrame) -> Path:
    place.mkdir(exist_ok=True)
    frame.to_csv(place / "own.csv", index=False)
    return place


def frame_of(rows: int, seed: int = 0) -> pd.DataFrame:
    dice = np.random.default_rng(seed)
    frame = pd.DataFrame(dice.normal(size=(rows, 4)).round(4), columns=list("abcd"))
    frame["y"] = (frame["a"] + 0.5 * dice.normal(size=rows) > 0).astype(int)
    return frame


def columns_of(names: Sequence[str]) -> str:
    return HEAD + SPLIT.format(file="own.csv", columns=list(names))


@pytest.mark.timeout(600)
def test_labels_that_are_shuffled_take_the_score_with_them(
    tmp_path: Path, sandbox: LocalSandbox
) -> None:
    place = made(tmp_path / "d", frame_of(160))
    report = examined(columns_of("abcd"), place, sandbox, probes=("labels",))
    assert report.leaks == ()
    leaky = HEAD + SPLIT.format(file="own.csv", columns=["a", "z"]).replace(
        "tr, te", "df['z'] = np.sin(df['y'] + 1) + df['b'] / 1e6\ntr, te", 1
    )
    report = examined(leaky, place, sandbox, probes=("labels",))
    proofs = {leak.code: leak for leak in report.leaks if leak.proved != "static"}
    (told,) = [it for leak in proofs.values() for it in leak.evidence if "shuffled" in it]
    assert "above chance" in told


@pytest.mark.timeout(600)
def test_a_column_that_gives_the_target_away_is_named(
    tmp_path: Path, sandbox: LocalSandbox
) -> None:
    frame = frame_of(200)
    frame["refund"] = frame["y"] * 20.5 + 3
    place = made(tmp_path / "d", frame)
    report = examined(columns_of(["a", "refund"]), place, sandbox, probes=("oracle",))
    (leak,) = report.leaks
    assert leak.code == "leak.single_feature_oracle"
    assert "'refund'" in leak.message
    unused = examined(columns_of("ab"), place, sandbox, probes=("oracle",))
    assert unused.leaks == ()
    assert [note.confidence for note in unused.notes] == ["suspect"]
    place = made(tmp_path / "e", frame_of(200))
    assert examined(columns_of("abcd"), place, sandbox, probes=("oracle",)).findings == ()


@pytest.mark.timeout(600)
def test_copies_on_both_sides_are_found(tmp_path: Path, sandbox: LocalSandbox) -> None:
    frame = frame_of(120)
    again = frame.iloc[:30].copy()
    again.loc[15:, list("abcd")] += 1e-4
    place = made(tmp_path / "d", pd.concat([frame, again]))
    report = examined(columns_of("abcd"), place, sandbox, probes=("twins",))
    (leak,) = report.leaks
    assert leak.code == "leak.repeated_rows"
    assert "exact" in leak.message
    assert "own.csv row" in leak.message
    place = made(tmp_path / "e", frame_of(150))
    assert examined(columns_of("abcd"), place, sandbox, probes=("twins",)).findings == ()


@pytest.mark.timeout(600)
def test_a_notebook_is_run_as_one_program(data: Path, sandbox: LocalSandbox) -> None:
    _, leaky, _ = CASES["scaler before the split"]
    lines = leaky.splitlines(keepends=True)
    cells = [HEAD, "".join(lines[:2]), "".join(lines[2:])]
    notebook = {
        "cells": [{"cell_type": "code", "source": cell} for cell in cells],
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
    }
    limits = ScriptLimits(seconds=60.0)
    means = Means(sandbox, probes=("dependence",), limits=limits)
    report = examine_by_running(
        json.dumps(notebook), read_folder(data), means, filename="book.ipynb"
    )
    (leak,) = report.leaks
    assert (leak.cell, leak.line, leak.proved) == (3, 1, "both")
    assert "cell 3 line" in leak.evidence[0]


@pytest.mark.timeout(600)
def test_long_tables_are_thinned_out_and_given_whole_if_that_fails(
    tmp_path: Path, sandbox: LocalSandbox
) -> None:
    place = made(tmp_path / "d", frame_of(700))
    source = (
        HEAD
        + """df = pd.read_csv("own.csv")
assert len(df) > 500
df["a"] = df["a"] - df["a"].mean()
m = LogisticRegression().fit(df[["a"]][:500], df["y"][:500])
print(m.score(df[["a"]][500:], df["y"][500:]))
"""
    )
    report = examined(source, place, sandbox)
    assert report.trials is not None
    assert report.trials.verdict == "proved"
    short = examined(source.replace("assert", "0 and").replace("500", "300"), place, sandbox)
    assert short.trials is not None
    assert short.trials.held_out_rows == 100


@pytest.mark.timeout(600)
def test_the_command(desk: Desk, tmp_path: Path, data: Path) -> None:
    _, leaky, clean = CASES["mean of all rows"]
    script = tmp_path / "train.py"
    script.write_text(HEAD + leaky, encoding="utf-8")
    done = desk.run("mle", "check", str(script), "--dynamic")
    assert done.code == 2
    assert "--data" in done.err
    wanted = ("--dynamic", "--data", str(data), "--probe", "dependence")
    done = desk.run("mle", "check", str(script), *wanted)
    assert done.code == 1, done
    assert "proved by reading and by running" in done.out
    script.write_text(HEAD + clean, encoding="utf-8")
    done = desk.run("mle", "check", str(script), *wanted, "--json")
    assert done.code == 0, done
    (told,) = done.data
    assert told["trials"]["verdict"] == "refuted"
    assert told["trials"]["target"] == "y"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--data", "."),
        ("--target", "y"),
        ("--dynamic", "--data", "nowhere"),
        ("--dynamic", "--data", ".", "--probe", "luck"),
    ],
)
def test_flags_that_make_no_sense_are_usage(
    desk: Desk, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    script = tmp_path / "train.py"
    script.write_text("x = 1\n", encoding="utf-8")
    done = desk.run("mle", "check", str(script), *arguments)
    assert done.code == 2
    assert "error" in done.err


def test_the_probes_have_names() -> None:
    assert PROBES == ("dependence", "labels", "oracle", "twins")


OUT_OF_SIGHT = """import importlib
import pandas as pd

rows = pd.read_csv("input/train.csv")
y = rows.pop("y")
values = rows.to_numpy()
middle = values[:{learnt}].mean(axis=0)
train = getattr(importlib.import_module("sklearn.linear_model"), "LogisticRegression")()
getattr(train, "fit")(values[:90] - middle, y[:90])
print("Final Validation Performance:", getattr(train, "score")(values[90:] - middle, y[90:]))
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("learnt", "known"), [("None", "leaks"), ("90", "clean")])
def test_before_an_evaluation_doubts_are_settled_by_running(
    bench: Workbench, tmp_path: Path, data: Path, learnt: str, known: str
) -> None:
    """Reading sees no training there; running does, and no model is asked whether it leaks."""
    source = OUT_OF_SIGHT.replace("{learnt}", "" if learnt == "None" else learnt)
    assert examine(source).unsure
    on = stage(bench, tmp_path, leakage_correction=["no idea", "none"])
    door = SandboxDoor(SandboxSettings())
    on.context.ports = replace(on.context.ports, open_sandbox=door)
    room = Room(folder=tmp_path / "work", data=data)
    with using(on.context), entering(room), workshop(door):
        assert look(on.context, source).known == known
        asyncio.run(check_and_fix_leakage(solution(source), backend=on.context))
    assert "leakage_detection" not in on.asked
    assert ("leakage_correction" in on.asked) == (known == "leaks")


VISITS = """import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_val_score
d = pd.read_csv("visits.csv", parse_dates=["seen_at"]).sort_values(["who", "seen_at"])
d["made"] = {made}
X = d[["a", "made"]]
print(cross_val_score(Ridge(), X, d["y"], cv=GroupKFold(4), groups=d["who"]).mean())
"""
LAGGED = 'd.groupby("who")["a"].shift(1).fillna(0)'
CENTRED = 'd["a"] - d.groupby("who")["a"].transform("mean")'


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of a file need not stand in the order of time."""
    place = tmp_path_factory.mktemp("visits")
    dice = np.random.default_rng(5)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(dice.permutation(120), unit="D")
    a = dice.normal(size=120).round(4)
    made = pd.DataFrame({"seen_at": days, "who": dice.integers(0, 12, 120), "a": a})
    made.assign(y=(a + dice.normal(size=120)).round(4)).to_csv(place / "visits.csv", index=False)
    return place


@pytest.mark.timeout(600)
def test_a_lag_is_no_proof_and_a_mean_over_later_rows_is_one(
    visits: Path, sandbox: LocalSandbox
) -> None:
    lagged = examined(VISITS.format(made=LAGGED), visits, sandbox)
    assert lagged.leaks == (), lagged
    centred = examined(VISITS.format(made=CENTRED), visits, sandbox)
    assert centred.leaks, centred


TWO_DRAWS = """import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
d = pd.read_csv("train.csv")
np.random.seed(1)
chosen = np.random.choice(len(d), size=int(0.7 * len(d)), replace=False)
others = {others}
m = LogisticRegression().fit(d.iloc[chosen][["a", "b"]], d.iloc[chosen]["y"])
print((m.predict(d.iloc[others][["a", "b"]]) == d.iloc[others]["y"].to_numpy()).mean())
"""


@pytest.mark.timeout(600)
def test_rows_that_were_drawn_twice_are_found_where_the_score_is_computed_by_hand(
    data: Path, sandbox: LocalSandbox
) -> None:
    drawn = "np.random.choice(len(d), size=len(d) - len(chosen), replace=False)"
    report = examined(TWO_DRAWS.format(others=drawn), data, sandbox)
    assert "leak.overlap" in report.codes, report
    rest = "np.setdiff1d(np.arange(len(d)), chosen)"
    report = examined(TWO_DRAWS.format(others=rest), data, sandbox)
    assert report.leaks == (), report
