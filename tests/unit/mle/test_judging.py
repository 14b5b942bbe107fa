"""Nothing that a script writes is believed."""

import io
import os
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proveout.apps.mle import intake
from proveout.apps.mle.harness.arena import Arena
from proveout.apps.mle.harness.judging import Evaluation, agrees, compare, evaluate
from proveout.kernel.canonical import canonical
from tests.mle_tables import classes, honest, regression, submission_of, write_out

Arrays = dict[str, Any]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    place = tmp_path_factory.mktemp("classes")
    folder = classes(place / "task")
    return Arena.prepare(intake.inspect(folder), folder, place / "work")


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    place = tmp_path_factory.mktemp("numbers")
    folder = regression(place / "task")
    return Arena.prepare(intake.inspect(folder), folder, place / "work")


def codes(found: Evaluation, *, only_errors: bool = True) -> set[str]:
    return {it.code for it in found.findings if it.severity == "error" or not only_errors}


def made(arena: Arena, out: Path, change: Callable[[Arrays], Arrays] | None = None) -> Evaluation:
    arrays = honest(arena.case())
    frame = submission_of(arena.problem, arena.input / "test.csv", arrays["test"])
    score = arena.judge(write_out(out, arrays, frame), None).score
    if change:
        write_out(out, change(arrays), frame)
    return arena.judge(out, score)


def _fewer(arrays: Arrays) -> Arrays:
    return {**arrays, "rows": arrays["rows"][:-1], "predictions": arrays["predictions"][:-1]}


def _twice(arrays: Arrays) -> Arrays:
    rows = arrays["rows"].copy()
    rows[0] = rows[1]
    return {**arrays, "rows": rows}


def _outside(arrays: Arrays) -> Arrays:
    return {**arrays, "rows": arrays["rows"] + 1}


def _negative_row(arrays: Arrays) -> Arrays:
    return {**arrays, "rows": arrays["rows"] - 1}


def _fractions(arrays: Arrays) -> Arrays:
    return {**arrays, "rows": arrays["rows"].astype(float)}


def _wide(arrays: Arrays) -> Arrays:
    return {**arrays, "predictions": np.hstack([arrays["predictions"]] * 2)}


def _short_test(arrays: Arrays) -> Arrays:
    return {**arrays, "test": arrays["test"][:-1]}


def _holes(arrays: Arrays) -> Arrays:
    arrays["predictions"][3, 0] = np.nan
    return arrays


def _infinite(arrays: Arrays) -> Arrays:
    arrays["test"][3, 0] = np.inf
    return arrays


def _no_shares(arrays: Arrays) -> Arrays:
    return {**arrays, "predictions": arrays["predictions"] * 7 - 3}


def _zeros(arrays: Arrays) -> Arrays:
    arrays["predictions"][0] = 0.0
    return arrays


def _words(arrays: Arrays) -> Arrays:
    return {**arrays, "predictions": arrays["predictions"].astype(str)}


def _no_test(arrays: Arrays) -> Arrays:
    return {name: value for name, value in arrays.items() if name != "test"}


def _odd_decisions(arrays: Arrays) -> Arrays:
    return {**arrays, "decisions": np.full(len(arrays["rows"]), 2)}


def _complex(arrays: Arrays) -> Arrays:
    return {**arrays, "test": arrays["test"] + 1j}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_fewer, "rows"),
        (_twice, "rows"),
        (_outside, "shape"),
        (_negative_row, "shape"),
        (_fractions, "shape"),
        (_wide, "shape"),
        (_short_test, "shape"),
        (_holes, "values"),
        (_infinite, "values"),
        (_no_shares, "values"),
        (_zeros, "values"),
        (_no_test, "shape"),
        (_odd_decisions, "shape"),
        (_complex, "shape"),
    ],
)
def test_wrong_predictions(
    arena: Arena, tmp_path: Path, change: Callable[[Arrays], Arrays], code: str
) -> None:
    found = made(arena, tmp_path / "out", change)
    assert f"mle.predictions.{code}" in codes(found)
    assert found.score is None


def test_words_instead_of_numbers(arena: Arena, tmp_path: Path) -> None:
    assert codes(made(arena, tmp_path / "out", _words)) & {
        "mle.predictions.unreadable",
        "mle.predictions.shape",
    }


def test_shares_that_do_not_add_up_are_normalised(arena: Arena, tmp_path: Path) -> None:
    found = made(arena, tmp_path / "out", lambda it: {**it, "predictions": it["predictions"] / 2})
    assert "mle.predictions.sums" in codes(found, only_errors=False)
    assert found.accepted


def test_no_file_no_score(arena: Arena, tmp_path: Path) -> None:
    found = arena.judge(tmp_path, 0.9)
    assert codes(found) == {"mle.predictions.missing", "mle.submission.missing"}
    assert found.score is None


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere.npz"))
    path.symlink_to("elsewhere.npz")


def _folder_link(path: Path) -> None:
    path.parent.rename(path.parent.with_name("real"))
    path.parent.symlink_to("real")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _rubbish(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04 no archive")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def _huge(path: Path) -> None:
    with path.open("ab") as stream:
        stream.truncate(500_000_000)


def _bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("predictions.npy", b"\0" * 20_000_000)


def _false_header(path: Path) -> None:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("rows.npy", head.getvalue())


class _Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("evil",)


def _pickled(path: Path) -> None:
    head = io.BytesIO()
    np.save(head, np.array([_Evil()], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("rows.npy", head.getvalue())


def _bare_pickle(path: Path) -> None:
    path.write_bytes(pickle.dumps(_Evil()))


@pytest.mark.parametrize(
    "harm",
    [
        _link,
        _folder_link,
        _pipe,
        _rubbish,
        _folder,
        _truncated,
        _huge,
        _bomb,
        _false_header,
        _pickled,
        _bare_pickle,
    ],
)
def test_hostile_files(
    arena: Arena, tmp_path: Path, harm: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = write_out(tmp_path / "out", honest(arena.case()))
    harm(out / "final" / "predictions.npz")
    found = arena.judge(out, 0.9)
    assert "mle.predictions.unreadable" in codes(found)
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("printed", [0.99, float("nan"), float("inf"), -1.0])
def test_a_score_that_was_not_earned(arena: Arena, tmp_path: Path, printed: float) -> None:
    out = write_out(tmp_path / "out", honest(arena.case(), noise=2.0))
    found = arena.judge(out, printed)
    assert "mle.score_not_earned" in codes(found)
    assert found.score != printed


def test_no_score_was_printed(arena: Arena, tmp_path: Path) -> None:
    out = write_out(tmp_path / "out", honest(arena.case()))
    assert "mle.score_missing" in codes(arena.judge(out, None))


@pytest.mark.parametrize(
    ("printed", "score", "same"),
    [
        (0.8123, 0.81231, True),
        (0.049, 0.0492, True),
        (0.049, 0.0497, False),
        (0.5, 0.5004, False),
        (45829.3, 45829.34, True),
        (45829.0, 45900.0, False),
        (0.0, 0.0, True),
        (-0.2, -0.2000001, True),
    ],
)
def test_rounding_is_no_lie(printed: float, score: float, same: bool) -> None:
    assert agrees(printed, score) == same


def test_folds_that_promise_too_much(arena: Arena, numbers: Arena, tmp_path: Path) -> None:
    """Out-of-fold predictions that know the answer, test predictions that do not."""
    for at, place in enumerate((arena, numbers)):
        leaking = honest(place.case(), noise=0.05)
        leaking["test"] = honest(place.case(), noise=60.0)["test"]
        found = place.judge(write_out(tmp_path / str(at), leaking), None)
        assert "mle.holdout_disagrees" in codes(found)


def test_a_holdout_that_is_better_is_no_reproach(numbers: Arena, tmp_path: Path) -> None:
    arrays = honest(numbers.case(), noise=1.0)
    arrays["test"] = honest(numbers.case(), noise=0.1)["test"]
    found = numbers.judge(write_out(tmp_path / "out", arrays), None)
    assert "mle.holdout_disagrees" not in codes(found, only_errors=False)


@pytest.mark.parametrize("seed", range(12))
def test_honest_scripts_are_not_accused(numbers: Arena, tmp_path: Path, seed: int) -> None:
    arrays = honest(numbers.case(), noise=1.0, seed=seed)
    found = numbers.judge(write_out(tmp_path / "out", arrays), None)
    assert "mle.holdout_disagrees" not in codes(found, only_errors=False)


def test_rows_may_come_in_any_order(arena: Arena, tmp_path: Path) -> None:
    arrays = honest(arena.case())
    straight = arena.judge(write_out(tmp_path / "a", arrays), None)
    order = np.random.default_rng(0).permutation(len(arrays["rows"]))
    mixed = {**arrays, "rows": arrays["rows"][order], "predictions": arrays["predictions"][order]}
    assert arena.judge(write_out(tmp_path / "b", mixed), None).fold_scores == straight.fold_scores


def test_decisions_count_where_labels_do(tmp_path: Path) -> None:
    folder = classes(tmp_path / "task", description="Metric: accuracy")
    arena = Arena.prepare(intake.inspect(folder), folder, tmp_path / "work")
    case = arena.case()
    arrays = honest(case, noise=3.0)
    arrays["decisions"] = case.truth[arrays["rows"]]
    arrays["test_decisions"] = np.zeros(case.test_rows, dtype=int)
    arrays["test_decisions"][case.hidden] = case.hidden_truth
    found = arena.judge(write_out(tmp_path / "out", arrays), 1.0)
    assert (found.score, found.holdout_score) == (1.0, 1.0)


def _scored(*scores: float, direction: str = "maximize") -> Evaluation:
    return Evaluation.model_validate(
        {"score": float(np.mean(scores)), "fold_scores": scores, "direction": direction}
    )


def test_comparisons_are_paired() -> None:
    one, other = _scored(0.81, 0.91, 0.71, 0.86, 0.77), _scored(0.80, 0.90, 0.70, 0.84, 0.76)
    found = compare(one, other)
    assert found.difference == pytest.approx(0.012)
    assert found.significant
    assert compare(other, one).difference == pytest.approx(-0.012)
    assert compare(one, one).p_value == 1.0
    noisy = compare(one, _scored(0.9, 0.8, 0.75, 0.8, 0.8))
    assert not noisy.significant


def test_less_is_better_where_it_is() -> None:
    low, high = (_scored(*it, direction="minimize") for it in ((1.0, 1.1), (2.0, 2.2)))
    assert compare(low, high).difference > 0


def test_other_folds_cannot_be_compared() -> None:
    found = compare(_scored(0.8, 0.9), _scored(0.7, 0.8, 0.9))
    assert found.p_value == 1.0
    assert compare(Evaluation(), _scored(0.5)).difference == 0.0


def test_a_fold_of_one_class_is_told(arena: Arena, tmp_path: Path) -> None:
    case = arena.case()
    truth = case.truth.copy()
    truth[case.fold == 2] = 0
    out = write_out(tmp_path / "o", honest(case))
    found, given = evaluate(out, replace(case, truth=truth), None)
    assert given is not None
    assert "mle.score_undefined" in codes(found, only_errors=False)
    whole, _ = evaluate(out, case, None)
    assert found.fold_scores == tuple(np.delete(whole.fold_scores, 2))
    assert found.score == pytest.approx(np.mean(found.fold_scores))
    # It goes into the journal, which knows no NaN.
    assert canonical(found.model_dump(mode="json"))


def test_an_infinite_error_in_one_fold_is_no_gap(tmp_path: Path) -> None:
    """Left out like a fold that is not defined, it would make the worst script look good."""
    folder = regression(tmp_path / "task")
    case = Arena.prepare(intake.inspect(folder), folder, tmp_path / "work").case()
    arrays = honest(case)
    first = np.flatnonzero(case.fold[arrays["rows"]] == 0)[0]
    arrays["predictions"][first, 0] = 1e200
    found, given = evaluate(write_out(tmp_path / "o", arrays), case, None)
    assert given is None
    assert found.score is None
    assert "mle.score_undefined" in codes(found)
