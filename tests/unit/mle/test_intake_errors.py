"""What cannot be used says why; what cannot be told is asked, with the line that answers it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from proveout.apps.mle import intake
from tests.mle_tables import classes, regression, rows, write_task


def _table(folder: Path, name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    change(pd.read_csv(folder / name)).to_csv(folder / name, index=False)


def _empty(folder: Path) -> None:
    (folder / "train.csv").write_bytes(b"")


def _header_only(folder: Path) -> None:
    _table(folder, "test.csv", lambda frame: frame.head(0))


def _no_test(folder: Path) -> None:
    (folder / "test.csv").unlink()


def _no_train(folder: Path) -> None:
    (folder / "train.csv").unlink()


def _twice(folder: Path) -> None:
    text = (folder / "train.csv").read_text()
    (folder / "train.csv").write_text(text.replace("colour", "size", 1))


def _no_text(folder: Path) -> None:
    text = (folder / "train.csv").read_text().replace("blue", "bl\0é", 1)
    (folder / "train.csv").write_bytes(text.encode("latin-1"))


def _other_sample(folder: Path) -> None:
    _table(folder, "sample_submission.csv", lambda frame: frame.assign(id=frame["id"] + 10_000))


def _no_target(folder: Path) -> None:
    _table(folder, "train.csv", lambda frame: frame.assign(price=np.nan))


def _ragged(folder: Path) -> None:
    lines = (folder / "train.csv").read_text().splitlines()
    lines[5] += ",1,2,3"
    (folder / "train.csv").write_text("\n".join(lines))


def _shifted(folder: Path) -> None:
    lines = (folder / "train.csv").read_text().splitlines()
    (folder / "train.csv").write_text("\n".join([lines[0], *(f"0,{line}" for line in lines[1:])]))


def _bad_parquet(folder: Path) -> None:
    (folder / "train.csv").rename(folder / "train.parquet")


def _bad_gz(folder: Path) -> None:
    (folder / "test.csv").rename(folder / "test.csv.gz")


def _bad_toml(folder: Path) -> None:
    (folder / "task.toml").write_text("metric = ")


def _unknown_field(folder: Path) -> None:
    (folder / "task.toml").write_text('metrik = "rmse"\n')


def _unknown_metric(folder: Path) -> None:
    (folder / "task.toml").write_text('metric = "gut feeling"\n')


def _wrong_type(folder: Path) -> None:
    (folder / "task.toml").write_text('rows = "many"\n')


def _bad_json(folder: Path) -> None:
    (folder / "task.json").write_text("[1, 2")


def _list_json(folder: Path) -> None:
    (folder / "task.json").write_text("[]")


def _wrong_target(folder: Path) -> None:
    (folder / "task.toml").write_text('targets = ["cost"]\n')


def _wrong_groups(folder: Path) -> None:
    (folder / "task.toml").write_text('groups = "family"\n')


def _wrong_file(folder: Path) -> None:
    (folder / "task.toml").write_text('test_file = "../secret.csv"\n')


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (_empty, "empty"),
        (_header_only, "empty"),
        (_no_test, "ask_test"),
        (_no_train, "ask_train"),
        (_twice, "duplicate_columns"),
        (_no_text, "encoding"),
        (_other_sample, "sample_rows"),
        (_no_target, "target_missing"),
        (_ragged, "unreadable"),
        (_shifted, "ragged"),
        (_bad_parquet, "unreadable"),
        (_bad_gz, "unreadable"),
        (_bad_toml, "broken_task_file"),
        (_unknown_field, "unknown_field"),
        (_unknown_metric, "unknown_metric"),
        (_wrong_type, "broken_task_file"),
        (_bad_json, "broken_task_file"),
        (_list_json, "broken_task_file"),
        (_wrong_target, "no_target"),
        (_wrong_groups, "no_column"),
        (_wrong_file, "no_file"),
    ],
)
def test_defects_are_named(tmp_path: Path, harm: Callable[[Path], None], code: str) -> None:
    folder = regression(tmp_path)
    harm(folder)
    with pytest.raises(intake.IntakeError) as raised:
        intake.inspect(folder)
    assert raised.value.code == f"mle.intake.{code}"
    assert raised.value.exit_code == 2
    assert raised.value.hint


def test_no_folder_and_no_tables(tmp_path: Path) -> None:
    with pytest.raises(intake.IntakeError, match="not a folder"):
        intake.inspect(tmp_path / "nowhere")
    with pytest.raises(intake.IntakeError, match="no table"):
        intake.inspect(tmp_path)


def test_the_metric_is_asked_for(tmp_path: Path) -> None:
    folder = regression(tmp_path, description="Predict the price.")
    with pytest.raises(intake.IntakeError, match=r'task\.toml: metric = "rmse"'):
        intake.inspect(folder)


def test_two_metrics_are_no_answer(tmp_path: Path) -> None:
    folder = regression(tmp_path, description="We look at RMSE or perhaps at MAE, who knows.")
    with pytest.raises(intake.IntakeError, match="rmse, mae"):
        intake.inspect(folder)


def test_the_target_is_asked_for(tmp_path: Path) -> None:
    train, test = rows(50), rows(20, 1)
    train["one"], train["two"] = 1.5, 2.5
    with pytest.raises(intake.IntakeError, match="one, two") as raised:
        intake.inspect(write_task(tmp_path, train, test))
    assert "targets = " in raised.value.hint


def test_no_target_at_all(tmp_path: Path) -> None:
    with pytest.raises(intake.IntakeError, match="which column"):
        intake.inspect(write_task(tmp_path, rows(50), rows(20, 1)))


def test_a_named_target_settles_it(tmp_path: Path) -> None:
    train, test = rows(50), rows(20, 1)
    train["one"], train["two"] = train["signal"] * 2, 2.5
    text = "Metric: RMSE. The target is `one`; `two` was measured later."
    assert intake.inspect(write_task(tmp_path, train, test, text)).targets == ("one",)


def test_one_class_only(tmp_path: Path) -> None:
    folder = classes(tmp_path)
    _table(folder, "train.csv", lambda frame: frame.assign(late="yes"))
    with pytest.raises(intake.IntakeError, match="one class only"):
        intake.inspect(folder)


def test_words_under_a_metric_for_numbers(tmp_path: Path) -> None:
    folder = classes(tmp_path, description="Metric: RMSE")
    with pytest.raises(intake.IntakeError, match="not a number"):
        intake.inspect(folder)


def test_labels_that_nobody_gave(tmp_path: Path) -> None:
    folder = classes(tmp_path)
    (folder / "task.toml").write_text('labels = ["no", "maybe"]\n')
    with pytest.raises(intake.IntakeError, match="no given label: yes"):
        intake.inspect(folder)


def test_some_targets_are_missing(tmp_path: Path) -> None:
    folder = classes(tmp_path, description="Metric: accuracy")
    _table(
        folder,
        "train.csv",
        lambda frame: frame.assign(late=[np.nan, *(frame["late"][1:] == "yes").astype(int)]),
    )
    looked = intake.look(folder)
    assert looked.problem.labels == ("0", "1")
    assert "mle.data.target_missing" in {finding.code for finding in looked.findings}


def test_nothing_in_common(tmp_path: Path) -> None:
    train = pd.DataFrame({"a": range(30), "y": np.arange(30) / 7})
    test = pd.DataFrame({"b": range(10)})
    with pytest.raises(intake.IntakeError):
        intake.inspect(write_task(tmp_path, train, test, toml='targets = ["y"]\n'))
