"""A work folder before and after: nothing that a script left there leads anywhere else."""

import os
from pathlib import Path

import pytest

from proveout.adapters.sandbox.workplace import Workplace
from proveout.kernel.errors import UsageError
from proveout.kernel.ports import ScriptJob


def test_the_whole_disk_is_no_work_folder() -> None:
    with (
        pytest.raises(UsageError, match="whole disk"),
        Workplace(ScriptJob(source="", folder="/"), mounted=True),
    ):
        pass


def test_links_left_by_an_earlier_script_are_not_followed(tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    (outside / "kept").write_text("1")
    for name in (".home", ".tmp", "input"):
        (work / name).symlink_to(outside)
    (work / "script.py").symlink_to(outside / "kept")
    job = ScriptJob(source="2", folder=str(work), data=str(outside))
    with Workplace(job, mounted=True):
        assert (work / "script.py").read_text() == "2"
        assert not (work / ".home").is_symlink()
    assert (outside / "kept").read_text() == "1"
    assert sorted(path.name for path in work.iterdir()) == ["script.py"]


def test_data_without_mounts_is_a_link_that_goes_away(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    job = ScriptJob(source="", folder=str(tmp_path / "w"), data=str(tmp_path / "data"))
    with Workplace(job, mounted=False):
        assert (tmp_path / "w/input").resolve() == tmp_path / "data"
    assert not (tmp_path / "w/input").is_symlink()
    assert (tmp_path / "data").is_dir()


@pytest.mark.parametrize("mounted", [True, False])
def test_data_in_the_work_folder_could_be_changed(tmp_path: Path, mounted: bool) -> None:
    (tmp_path / "data").mkdir()
    job = ScriptJob(source="", folder=str(tmp_path), data=str(tmp_path / "data"))
    with pytest.raises(UsageError, match="own folder"), Workplace(job, mounted):
        pass


def test_data_may_lie_where_it_will_be_mounted(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input/a.csv").write_text("1")
    job = ScriptJob(source="", folder=str(tmp_path), data=str(tmp_path / "input"))
    with Workplace(job, mounted=True) as workplace:
        assert workplace.data == str(tmp_path / "input")
    assert (tmp_path / "input/a.csv").read_text() == "1"


def test_a_folder_in_the_way_of_the_data_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "w/input").mkdir(parents=True)
    (tmp_path / "w/input/mine").write_text("1")
    job = ScriptJob(source="", folder=str(tmp_path / "w"), data=str(tmp_path / "data"))
    with pytest.raises(UsageError, match="in the way"), Workplace(job, mounted=False):
        pass
    assert (tmp_path / "w/input/mine").read_text() == "1"


def test_only_plain_files_remain(tmp_path: Path) -> None:
    workplace = Workplace(ScriptJob(source="", folder=str(tmp_path)), mounted=True)
    with workplace:
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "out").symlink_to("/etc")
        (tmp_path / "loop").symlink_to("loop")
        (tmp_path / "plain").write_text("1")
        (tmp_path / "in").symlink_to("plain")
    assert sorted(workplace.removed) == ["out", "pipe"]
    assert {path.name for path in tmp_path.iterdir()} >= {"plain", "in", "script.py"}
