"""A disk that is really full: a clear error, a whole journal, and a run that can be resumed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fault.sessions import Session, Sessions
from tests.fault.told import begin, tell

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and mounts are Linux's")


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A file system of its own, so small that it is full in the middle of a run."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "proveout-small", str(folder)]
    made = subprocess.run(mount, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"cannot mount here: {made.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def make_room(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=32m", str(folder)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
@pytest.mark.parametrize("kilobytes", [60, 160, 300, 460])
def test_run_stopped_by_a_full_disk_goes_on_when_there_is_room(
    forked: Sessions, tmp_path: Path, kilobytes: int
) -> None:
    undisturbed, _ = begin(forked, tmp_path / "undisturbed")
    folder = tmp_path / "small"
    with small_disk(folder, kilobytes):
        stopped = forked(Session(str(folder)))
        assert stopped.exit_code == 3
        assert "disk is full" in stopped.error
        assert list(folder.glob("locks/*")) == []
        make_room(folder)
        told = tell(folder)
        run = told.run.id if told else ""
        if told:
            assert told.run.outcome is None
            assert "then resume the run" in stopped.error
        assert forked(Session(str(folder), run)).exit_code == 0
        after = tell(folder)
        assert after is not None
        assert after.story == undisturbed.story


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_journal_on_a_full_disk_can_still_be_verified(forked: Sessions, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    with small_disk(folder, 300):
        assert forked(Session(str(folder))).exit_code == 3
        told = tell(folder)
        assert told is not None
        assert told.run.attempts


@pytest.mark.parametrize("limit", [100_000, 200_000, 400_000])
def test_run_stopped_by_a_file_limit_goes_on_without_it(
    forked: Sessions, folder: Path, limit: int
) -> None:
    undisturbed, _ = begin(forked, folder / "undisturbed")
    place = folder / "limited"
    place.mkdir()
    stopped = forked(Session(str(place), file_limit_bytes=limit))
    assert stopped.exit_code == 3
    assert "the journal could not be written" in stopped.error
    told = tell(place)
    assert told is not None
    assert told.run.outcome is None
    assert forked(Session(str(place), told.run.id)).exit_code == 0
    after = tell(place)
    assert after is not None
    assert after.story == undisturbed.story
