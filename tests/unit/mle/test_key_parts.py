"""What the names of rows say: taken apart where that carries over to the test, and only there."""

import runpy
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from proveout.apps.mle import intake
from proveout.apps.mle.experts.features import usual_steps
from proveout.apps.mle.experts.ranking import first_recipe
from proveout.apps.mle.experts.steering import written
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.intake.key_telling import key_tells
from proveout.apps.mle.scripts.reading import parse_score
from proveout.apps.mle.tables.key_parts import key_numbers, key_prefixes
from tests.mle_tables import rows, write_task

COUNT, TEST = 900, 300
METRIC = "Predict `kind`. Submissions are ranked by accuracy."


def licences(seed: int = 0) -> pd.DataFrame:
    """Mostly the prefix says the kind; of plain numbers the larger ones are dogs."""
    chance = np.random.default_rng(seed)
    made = rows(COUNT + TEST, seed)
    number = chance.permutation(9 * len(made))[: len(made)] + 1_000
    prefix = chance.choice(["S", "s", "D-", ""], len(made))
    made.insert(0, "licence", [f"{a}{b}" for a, b in zip(prefix, number, strict=True)])
    cat = np.where(prefix == "", number < 5_000, np.isin(prefix, ["S", "s"]))
    made["kind"] = np.where(cat ^ (chance.random(len(made)) < 0.15), "cat", "dog")
    return made


def halves(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    return frame[:COUNT], frame[COUNT:].reset_index(drop=True)


def tells(keys: object, target: object) -> bool:
    """The first rows are the training file."""
    train, test = halves(pd.DataFrame({"key": keys, "y": target}))
    return key_tells(train, test.drop(columns="y"), "key", ("y",))


def noisy(values: NDArray[Any]) -> NDArray[Any]:
    spread = np.random.default_rng(9).normal(size=len(values))
    return np.asarray(values / values.std() + spread)


MIXED = np.random.default_rng(3).permutation(COUNT + TEST)
COUNTED = np.arange(COUNT + TEST)


@pytest.mark.parametrize(
    ("keys", "target"),
    [
        (MIXED + 70_000, noisy(MIXED)),
        (MIXED + 0.0, noisy(MIXED)),
        ([f"no {at:06}" for at in MIXED], np.where(noisy(MIXED) > 1.5, "late", "early")),
        ([f"{'AB'[at % 2]}{at}" for at in MIXED], noisy(MIXED % 2)),
        ([f"{at}-{at % 7}" for at in MIXED], noisy(MIXED % 7)),
    ],
)
def test_a_key_that_tells(keys: object, target: object) -> None:
    assert tells(keys, target)


HASHES = [md5(b"%d" % at).hexdigest() for at in MIXED]


@pytest.mark.parametrize(
    ("keys", "target"),
    [
        # Chance.
        (MIXED, np.random.default_rng(1).normal(size=len(MIXED))),
        (HASHES, noisy(MIXED)),
        ([f"{'AB'[at % 2]}{at}" for at in MIXED], noisy(np.random.default_rng(2).random(1200))),
        ([f"u{at}" for at in MIXED], ["same"] * len(MIXED)),
        # A training file in the order of its target; the test has the following numbers.
        (COUNTED, noisy(COUNTED)),
        ([f"r{at}" for at in COUNTED], COUNTED // 300),
        # Each file counts its own rows.
        ([*range(COUNT), *range(TEST)], noisy(COUNTED)),
        ([*(f"train {at}" for at in range(COUNT)), *(f"test {at}" for at in range(TEST))], COUNTED),
        # Whole stretches of numbers are of one file, but for a few rows.
        (np.argsort((COUNTED // 100) % 4 == 3, kind="stable"), noisy(np.sin(COUNTED / 60))),
        # Prefixes that training does not know.
        ([f"{'A' if at < 1000 else 'B'}{it}" for at, it in enumerate(MIXED)], noisy(MIXED)),
        # Names, and dates, that are features in any case.
        ([f"name {'abcdefgh'[at % 8] * (at // 8 + 1)}" for at in MIXED], noisy(MIXED)),
        (pd.date_range("1990-01-01", periods=1200)[MIXED].astype(str), noisy(MIXED)),
    ],
)
def test_a_key_that_does_not(keys: object, target: object) -> None:
    assert not tells(keys, target)


def test_few_rows_tell_nothing() -> None:
    train, test = pd.DataFrame({"key": range(0, 80, 2)}), pd.DataFrame({"key": range(1, 80, 2)})
    train["y"] = train["key"]
    assert not key_tells(train, test, "key", ("y",))
    assert not key_tells(train, test, "name", ("y",))


def test_names_are_taken_apart() -> None:
    keys = pd.Series(["S12", "s 7", "27.0", "B-2019/0007", "Ann", "-5", None])
    assert key_prefixes(keys)[:6].tolist() == ["S", "S ", "", "B-", "ANN", "-"]
    numbers = key_numbers(keys)
    assert numbers["number"].tolist()[:4] == [12, 7, 27, 2019]
    assert numbers["second number"].tolist()[3] == 7
    assert numbers["number"].isna().tolist()[4:] == [True, False, True]


def looked_at(folder: Path, toml: str = "") -> intake.Inspection:
    train, test = halves(licences())
    answer = pd.DataFrame({"licence": test["licence"], "kind": "dog"})
    return intake.look(
        write_task(folder, train, test.drop(columns="kind"), METRIC, answer, toml=toml)
    )


def test_it_is_told_and_may_be_refused(tmp_path: Path) -> None:
    looked = looked_at(tmp_path / "a")
    assert looked.problem.key_tells
    [told] = [it for it in looked.findings if it.code == "mle.data.key_tells"]
    assert (told.severity, told.where) == ("info", "licence")
    assert "key_parts" in usual_steps(looked.problem)
    refused = looked_at(tmp_path / "b", toml="key_tells = false\n").problem
    assert not refused.key_tells
    assert "key_parts" not in usual_steps(refused)


def test_not_where_rows_are_of_groups_or_in_order(tmp_path: Path) -> None:
    train, test = halves(licences().assign(herd=COUNTED // 10))
    folder = write_task(tmp_path, train, test.drop(columns="kind"), METRIC)
    assert intake.inspect(folder).groups == "herd"
    assert not intake.inspect(folder).key_tells
    (folder / "task.toml").write_text('groups = ""\ntime = "size"\nid_column = "licence"\n')
    assert not intake.inspect(folder).key_tells
    (folder / "task.toml").write_text('groups = ""\ntime = ""\nid_column = "licence"\n')
    assert intake.inspect(folder).key_tells


def test_a_problem_that_was_written_down_before_has_none(tmp_path: Path) -> None:
    path = tmp_path / "task.toml"
    intake.write_toml(looked_at(tmp_path).problem, path)
    assert intake.read_toml(path).key_tells
    kept = [line for line in path.read_text().splitlines() if "key_tells" not in line]
    path.write_text("\n".join(kept))
    assert not intake.read_toml(path).key_tells


def test_hidden_rows_keep_their_keys(tmp_path: Path) -> None:
    problem = looked_at(tmp_path / "task").problem
    train = pd.read_csv(tmp_path / "task" / "train.csv", dtype=str)
    # Told by hand, though one key is in both files: that one changes, no other does.
    test = pd.read_csv(tmp_path / "task" / "test.csv", dtype=str)
    test.loc[:250, "licence"] = train["licence"][:251]
    test.to_csv(tmp_path / "task" / "test.csv", index=False)
    (tmp_path / "task" / "sample_submission.csv").unlink()
    problem = problem.model_copy(update={"sample_file": ""})
    arena = Arena.prepare(problem, tmp_path / "task", tmp_path / "work")
    seen = pd.read_csv(arena.input / "test.csv", dtype=str)["licence"]
    assert seen.is_unique
    hidden = seen.iloc[arena.case().hidden]
    own = hidden.isin(train["licence"])
    assert 0 < (~own).sum() < own.sum()


def scored(source: str, folder: Path, arena: Arena, capsys: object) -> float:
    (folder / "final").mkdir(parents=True)
    (folder / "input").symlink_to(arena.input)
    (folder / "script.py").write_text(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        runpy.run_path(str(folder / "script.py"), run_name="__main__")
    assert isinstance(capsys, pytest.CaptureFixture)
    evaluation, _ = arena.judged(folder, parse_score(capsys.readouterr().out))
    assert [it for it in evaluation.findings if it.severity == "error"] == []
    assert evaluation.holdout_score is not None
    return evaluation.holdout_score


@pytest.mark.parametrize("card", ["lightgbm", "linear"])
def test_a_script_learns_from_it(
    tmp_path: Path, card: str, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = looked_at(tmp_path / "task").problem
    arena = Arena.prepare(problem, tmp_path / "task", tmp_path / "work")
    recipe = first_recipe(problem, card)
    source = written(problem, recipe)
    without = written(problem, recipe.with_first(recipe.members[0].having(drop=["key_parts"])))
    assert '"key_parts": key_parts(frame, like)' in source
    assert "key_prefixes" not in without
    with_it = scored(source, tmp_path / "one", arena, capsys)
    assert with_it > scored(without, tmp_path / "two", arena, capsys) + 0.1
