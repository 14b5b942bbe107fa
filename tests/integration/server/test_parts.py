"""Parts of the server on their own: places, uploads, the list of damaged runs, the description."""

import io
import os
import sqlite3
import time
from pathlib import Path

import pytest
from pydantic import Field, JsonValue

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.kernel.errors import ProveoutError, UsageError
from proveout.kernel.types import Task
from proveout.server.access import Limits
from proveout.server.desk import Desk
from proveout.server.interactive import older
from proveout.server.places import PathKind, Places, path_fields
from proveout.server.shapes import RunFilter
from proveout.server.stream import Stream
from proveout.server.uploads import FRESH_SECONDS, Uploads
from proveout.server.workers import Busy
from proveout.settings import load
from proveout.testing.workspaces import own_environment


class Filed(Task):
    """A task of another app that names files in every way."""

    typed: Path = Path()
    perhaps: Path | None = None
    many: list[str] = Field(default_factory=list, json_schema_extra={"path": "file"})
    marked: str = Field(default="", json_schema_extra={"path": "output"})
    card: str = Field(default="", json_schema_extra={"path": "name"})
    text: str = ""


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("root", "uploads"):
        (tmp_path / name).mkdir()
    return Places(tmp_path / "root", tmp_path / "uploads")


def test_fields_that_name_files_are_known() -> None:
    assert path_fields(Filed) == {
        "typed": "file",
        "perhaps": "file",
        "many": "file",
        "marked": "output",
        "card": "name",
    }


def test_paths_become_absolute_and_other_fields_stay(places: Places) -> None:
    (places.root / "here.py").touch()
    given: dict[str, JsonValue] = {
        "typed": "a/b",
        "many": ["x", "y"],
        "text": "/etc/passwd",
        "card": "here.py",
    }
    told = places.confine(Filed, given)
    assert told["typed"] == str(places.root / "a" / "b")
    assert told["many"] == [str(places.root / "x"), str(places.root / "y")]
    assert told["text"] == "/etc/passwd"
    assert told["card"] == str(places.root / "here.py")
    assert places.confine(Filed, {"card": "xgboost"}) == {"card": "xgboost"}


@pytest.mark.parametrize(
    "given",
    [
        {"typed": "/etc/passwd"},
        {"perhaps": "../x"},
        {"many": ["fine", "../../x"]},
        {"marked": "/tmp"},
        {"card": "/etc/passwd"},
        {"card": "~"},
        {"typed": "a\0b"},
    ],
)
def test_paths_that_lead_outside_are_refused(places: Places, given: dict[str, JsonValue]) -> None:
    with pytest.raises(UsageError) as refused:
        places.confine(Filed, given)
    assert refused.value.code == "usage.outside_root"


def test_a_name_that_is_a_file_elsewhere_is_not_taken_for_a_word(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.py").touch()
    with pytest.raises(UsageError):
        places.confine(Filed, {"card": "secret.py"})


def test_a_name_that_no_file_can_have_is_a_word(places: Places) -> None:
    assert places.inside("a" * 3_000, "name") == "a" * 3_000
    with pytest.raises(UsageError, match="no upload"):
        places.inside("upload:" + "a" * 3_000)


@pytest.mark.parametrize("kind", ["image", "folder"])
def test_what_is_not_there_is_told_before_anything_begins(places: Places, kind: PathKind) -> None:
    with pytest.raises(UsageError, match="there is no such") as refused:
        places.inside("nowhere", kind)
    assert str(places.root) in refused.value.hint


def test_a_folder_holds_no_link_that_leads_outside(places: Places, tmp_path: Path) -> None:
    tables = places.root / "tables" / "deep"
    tables.mkdir(parents=True)
    (places.root / "train.csv").touch()
    (tables / "train.csv").symlink_to(places.root / "train.csv")
    assert places.inside("tables", "folder") == str(places.root / "tables")
    (tables / "secret.csv").symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(UsageError, match="secret.csv in tables is a link") as refused:
        places.inside("tables", "folder")
    assert refused.value.code == "usage.outside_root"


def test_models_from_files_are_confined(places: Places) -> None:
    assert places.model("openai:gpt-4o") == "openai:gpt-4o"
    assert places.model("recorded:tape.jsonl") == f"recorded:{places.root / 'tape.jsonl'}"
    with pytest.raises(UsageError):
        places.model("local:/models/x.gguf")


def test_uploads_are_named_by_their_content(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "up", Limits())
    one = uploads.keep(io.BytesIO(b"same"), "../../etc/pass wd.png")
    assert one == uploads.keep(io.BytesIO(b"same"), "pass wd.png")
    assert one.endswith("-pass-wd.png")
    assert [path.read_bytes() for path in (tmp_path / "up").iterdir()] == [b"same"]


def test_uploads_make_room_for_new_ones(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "up", Limits(upload_bytes=100, stored_bytes=250))
    first, second = (uploads.keep(io.BytesIO(bytes([n]) * 100), f"{n}.png") for n in (1, 2))
    with pytest.raises(ProveoutError, match="full"):
        # Both were sent just now: somebody may be about to use them.
        uploads.keep(io.BytesIO(b"3" * 100), "3.png")
    old = tmp_path / "up" / first.removeprefix("upload:")
    long_ago = time.time() - 2 * FRESH_SECONDS
    os.utime(old, (long_ago, long_ago))
    third = uploads.keep(io.BytesIO(b"3" * 100), "3.png")
    kept = {f"upload:{path.name}" for path in (tmp_path / "up").iterdir()}
    assert kept == {second, third}
    with pytest.raises(UsageError, match="more than"):
        uploads.keep(io.BytesIO(b"x" * 101), "4.png")
    assert len(list((tmp_path / "up").iterdir())) == 2


def test_a_damaged_run_is_listed_all_the_same(tmp_path: Path) -> None:
    with own_environment(tmp_path / "home"):
        desk = Desk(load({}), root=tmp_path)
        assert desk.rows(RunFilter()).total == 0
        SqliteJournal(desk.journal).close()
        connection = sqlite3.connect(desk.journal)
        connection.execute("INSERT INTO runs VALUES ('x-1', 'x', 5.0, 3, 'sha256:0')")
        connection.commit()
        connection.close()
        (line,) = desk.rows(RunFilter()).runs
        assert (line.run, line.state, line.summary) == ("x-1", "interrupted", "cannot be read")
        desk.close()


def test_event_streams_are_bounded(tmp_path: Path) -> None:
    desk = Desk(load({}), root=tmp_path)
    Stream(desk, 1).demand_room()
    with pytest.raises(Busy) as refused:
        Stream(desk, 0).demand_room()
    assert refused.value.retry_seconds > 0
    desk.close()


def test_the_description_is_told_in_older_words() -> None:
    given = {
        "maybe": {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "title": "T"},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        "one": {"const": "ok", "type": "string"},
        "file": {"type": "string", "contentMediaType": "application/octet-stream"},
        "shown": {"type": "string", "examples": ["last"]},
    }
    assert older(given) == {
        "maybe": {"type": "string", "maxLength": 3, "title": "T", "nullable": True},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": True},
        "one": {"enum": ["ok"], "type": "string"},
        "file": {"type": "string", "format": "binary"},
        "shown": {"type": "string", "example": "last"},
    }
