"""Verification says what is wrong and where."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import Damage, verify
from proveout.kernel.events import EvidenceObserved, LessonLearned, ModelCalled, PromptRendered
from proveout.kernel.lessons import Patch
from proveout.testing.journal_contract import RUN, STARTED, add, made

PATCH = Patch(operation="add_rule", topic="operational", subject="s", advice="a")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    opened = SqliteJournal(tmp_path / "journal.db")
    add(opened, STARTED)
    text, schema, picture = (opened.put(content) for content in (b"text", b"schema", b"picture"))
    rendered = PromptRendered(
        key="#0>r",
        role="r",
        model="m",
        template_id="t",
        prompt=text,
        schema_id=schema,
        pictures=(picture,),
    )
    add(opened, rendered)
    add(opened, ModelCalled(key="#0>r", role="r", model="m", text=text))
    add(opened, EvidenceObserved(key="#0:x", content=opened.put(b"evidence")))
    add(opened, LessonLearned(key="#0:s", app="app", patch=PATCH))
    add(opened, made("#0"))
    add(opened, STARTED, run="run-2")
    yield opened
    opened.close()


def found(journal: SqliteJournal, change: str, run: str = "") -> list[Damage]:
    journal.connection.execute(change)
    return verify(journal, run)


def test_a_sound_journal_is_a_proof(journal: SqliteJournal) -> None:
    assert verify(journal) == []
    assert verify(journal, RUN) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE events SET body = '{' WHERE sequence = 6", "event 6: cannot be read"),
        ("UPDATE events SET body = CAST(body AS BLOB) WHERE sequence = 6", "event 6: "),
        ("UPDATE events SET at = 9e999 WHERE sequence = 6", "event 6: cannot be read"),
        ("UPDATE events SET at = at + 1 WHERE sequence = 6", "event 6: its hash does not follow"),
        ("UPDATE events SET elapsed = 7 WHERE sequence = 6", "event 6: its hash does not follow"),
        ("UPDATE events SET parent = id WHERE sequence = 6", "event 6: its hash does not follow"),
        ("UPDATE events SET id = parent WHERE sequence = 6", "event 6: its hash does not follow"),
        ("UPDATE events SET key = '#9' WHERE sequence = 6", "event 6: its columns disagree"),
        ("UPDATE events SET kind = 'note' WHERE sequence = 6", "event 6: its columns disagree"),
        ("DELETE FROM events WHERE sequence = 3", "event 4: expected number 3"),
        ("DELETE FROM events WHERE sequence = 6", "the end of the chain"),
        ("UPDATE runs SET app = 'x' WHERE run = 'run-1'", "the end of the chain"),
        ("UPDATE runs SET started_at = 9 WHERE run = 'run-1'", "the end of the chain"),
        ("DELETE FROM runs WHERE run = 'run-1'", "the end of the chain"),
    ],
)
def test_damage_to_a_run_is_found_where_it_is(
    journal: SqliteJournal, change: str, message: str
) -> None:
    damage = found(journal, change, RUN)
    assert damage[0].run == RUN
    assert damage[0].message.startswith(message)
    assert verify(journal, "run-2") == [], "the other run is sound"


@pytest.mark.parametrize("content", ["text", "schema", "picture", "evidence"])
def test_a_missing_content_is_missed(journal: SqliteJournal, content: str) -> None:
    damage = found(journal, f"DELETE FROM blobs WHERE content = CAST('{content}' AS BLOB)")
    assert damage
    assert all("is missing" in item.message for item in damage)


@pytest.mark.parametrize("value", ["CAST('other' AS BLOB)", "'text'", "7"])
def test_a_changed_content_is_found(journal: SqliteJournal, value: str) -> None:
    change = f"UPDATE blobs SET content = {value} WHERE content = CAST('text' AS BLOB)"
    (damage,) = found(journal, change)
    assert "is not what its name says" in damage.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE patches SET count = 2", "was changed"),
        ("UPDATE patches SET count = 1.5", "was changed"),
        ("UPDATE patches SET patch = replace(patch, '\"a\"', '\"b\"')", "was changed"),
        ("UPDATE patches SET seal = 'x'", "was changed"),
        ("DELETE FROM patches", "not those that the events taught"),
    ],
)
def test_a_changed_lesson_is_found(journal: SqliteJournal, change: str, message: str) -> None:
    assert any(message in damage.message for damage in found(journal, change))


def test_a_lesson_whose_event_cannot_be_read_is_no_lesson(journal: SqliteJournal) -> None:
    messages = [
        d.message for d in found(journal, "UPDATE events SET body = '{}' WHERE sequence = 5")
    ]
    assert messages == [
        "event 5: cannot be read",
        "the lessons are not those that the events taught",
    ]


def test_an_event_that_poses_as_a_lesson_teaches_nothing(journal: SqliteJournal) -> None:
    messages = [
        d.message
        for d in found(journal, "UPDATE events SET kind = 'lesson.learned' WHERE sequence = 6")
    ]
    assert messages == ["event 6: its columns disagree with its content"]


def test_an_unknown_run_cannot_be_proved(journal: SqliteJournal) -> None:
    assert verify(journal, "never")


def test_a_run_without_events_is_found(journal: SqliteJournal) -> None:
    change = "INSERT INTO runs VALUES ('run-3', '', 0.0, 0, 'sha256:' || printf('%064d', 0))"
    assert [damage.run for damage in found(journal, change)] == ["run-3"]


def test_an_index_that_does_not_fit_is_found(journal: SqliteJournal) -> None:
    connection = journal.connection
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'key <> ''''', 'key = ''#0''')")
    connection.execute("PRAGMA writable_schema = RESET")
    assert any(damage.run == "" for damage in verify(journal))


def test_a_file_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    journal = SqliteJournal(path)
    add(journal, STARTED)
    for number in range(200):
        add(journal, made(f"#{number}", word="x" * 500), durable=number == 199)
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2 // 4096 * 4096] + bytes(len(whole) // 2))
    journal = SqliteJournal(path)
    damage = verify(journal)
    journal.close()
    assert any("cannot be read" in item.message for item in damage)
