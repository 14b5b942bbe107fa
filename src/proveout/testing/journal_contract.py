"""What every journal promises, wherever it keeps its events.

Subclass `JournalContract` and say how a journal is opened at a place; opening the same place twice
must give two independent connections to the same events.
"""

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from proveout.kernel.budget import Budget
from proveout.kernel.canonical import GENESIS, content_id
from proveout.kernel.errors import JournalError
from proveout.kernel.events import Event, EvidenceObserved, Note, ProposalMade, RunStarted
from proveout.kernel.ports import Journal

RUN = "run-1"
STARTED = RunStarted(app="app", task={"n": 1}, model="m", seed=0, budget=Budget(), version="1")


def made(key: str, word: str = "aha") -> ProposalMade:
    return ProposalMade(key=key, returns="Word", proposal={"word": word})


def add(journal: Journal, event: Event, *, run: str = RUN, durable: bool = True) -> str:
    return journal.append(run, event, at=1.25, elapsed=0.5, durable=durable)


class JournalContract:
    """About twenty promises."""

    def open(self, place: Path, secrets: Sequence[str] = ()) -> AbstractContextManager[Journal]:
        """A new connection to the journal at `place`."""
        raise NotImplementedError

    def test_what_is_durable_is_seen_by_another_connection(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal, self.open(tmp_path) as other:
            add(journal, STARTED)
            add(journal, made("#0"))
            assert [row.event for row in other.read(RUN)] == [STARTED, made("#0")]
            found = other.find(RUN, "proposal.made", "#0")
            assert found is not None
            assert found.event == made("#0")

    def test_what_waits_becomes_durable_with_the_next_durable_event(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal, self.open(tmp_path) as other:
            add(journal, STARTED, durable=False)
            add(journal, made("#0"), durable=False)
            add(journal, made("#1"))
            keys = [row.event.key for row in other.read(RUN)]
            assert keys == ["", "#0", "#1"]

    def test_what_waits_is_found_by_its_own_run_at_once(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            add(journal, STARTED)
            add(journal, made("#0"), durable=False)
            found = journal.find(RUN, "proposal.made", "#0")
            assert found is not None
            assert found.event == made("#0")

    def test_closing_loses_nothing(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            add(journal, STARTED, durable=False)
            name = journal.put(b"content")
        with self.open(tmp_path) as journal:
            assert [row.event for row in journal.read(RUN)] == [STARTED]
            assert journal.get(name) == b"content"

    def test_events_form_a_chain_in_order(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            names = [add(journal, STARTED), *(add(journal, made(f"#{n}")) for n in range(5))]
            rows = list(journal.read(RUN))
        assert [row.sequence for row in rows] == [1, 2, 3, 4, 5, 6]
        assert [row.id for row in rows] == names
        assert [row.parent for row in rows] == [GENESIS, *names[:-1]]
        assert len(set(names)) == 6
        assert {(row.run, row.at, row.elapsed) for row in rows} == {(RUN, 1.25, 0.5)}

    def test_the_same_events_have_the_same_names(self, tmp_path: Path) -> None:
        names = []
        for place in (tmp_path / "a", tmp_path / "b"):
            with self.open(place) as journal:
                names.append([add(journal, STARTED), add(journal, made("#0"))])
        assert names[0] == names[1]

    def test_another_connection_continues_the_chain(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            first = add(journal, STARTED)
        with self.open(tmp_path) as journal:
            add(journal, made("#0"))
            assert [row.parent for row in journal.read(RUN)] == [GENESIS, first]

    def test_reading_begins_after_a_number(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            add(journal, STARTED)
            for number in range(1200):
                add(journal, made(f"#{number}"), durable=number == 1199)
            assert len(list(journal.read(RUN))) == 1201
            assert [row.sequence for row in journal.read(RUN, after=1199)] == [1200, 1201]
            assert list(journal.read(RUN, after=1201)) == []
            assert list(journal.read("no such run")) == []

    def test_a_step_is_found_by_run_kind_and_key(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            add(journal, STARTED)
            add(journal, made("#0"))
            add(journal, Note(key="#0", text="same key, other kind"), durable=False)
            assert journal.find(RUN, "proposal.made", "#1") is None
            assert journal.find(RUN, "verdict.given", "#0") is None
            assert journal.find("run-2", "proposal.made", "#0") is None
            for kind in ("proposal.made", "note"):
                found = journal.find(RUN, kind, "#0")
                assert found is not None
                assert found.event.kind == kind

    def test_events_without_a_key_are_not_found_but_read(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            add(journal, STARTED, durable=False)
            assert journal.find(RUN, "run.started", "") is None
            add(journal, Note(text="a"))
            add(journal, Note(text="b"))
            assert journal.find(RUN, "note", "") is None
            assert len(list(journal.read(RUN))) == 3

    def test_runs_do_not_meet(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            for run in ("run-1", "run-2"):
                add(journal, STARTED, run=run, durable=False)
                add(journal, made("#0", word=run), run=run)
            for run in ("run-1", "run-2"):
                assert [row.run for row in journal.read(run)] == [run, run]
                found = journal.find(run, "proposal.made", "#0")
                assert found is not None
                assert found.event == made("#0", word=run)

    def test_any_text_survives(self, tmp_path: Path) -> None:
        strange = "ü – \u0000 \u2028 \U0001f600 '\"\\ {} %s ; --"
        with self.open(tmp_path) as journal:
            add(journal, STARTED)
            add(journal, made(f"#0:{strange}", word=strange))
        with self.open(tmp_path) as journal:
            found = journal.find(RUN, "proposal.made", f"#0:{strange}")
            assert found is not None
            assert found.event == made(f"#0:{strange}", word=strange)

    def test_contents_are_named_by_what_they_are(self, tmp_path: Path) -> None:
        contents = [b"", b"abc", bytes(range(256)) * 5000]
        with self.open(tmp_path) as journal:
            names = [journal.put(content) for content in contents]
            assert names == [content_id(content) for content in contents]
            assert [journal.put(content) for content in contents] == names
            assert [journal.get(name) for name in names] == contents
            add(journal, STARTED)
            assert [journal.get(name) for name in names] == contents
        with self.open(tmp_path) as journal:
            assert [journal.get(name) for name in names] == contents
            assert journal.put(b"abc") == names[1]

    def test_contents_are_durable_with_the_next_durable_event(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal, self.open(tmp_path) as other:
            add(journal, STARTED)
            name = journal.put(b"content")
            add(journal, EvidenceObserved(key="#0:x", content=name))
            assert other.get(name) == b"content"

    def test_a_content_that_was_never_kept_is_an_error(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal, pytest.raises(JournalError):
            journal.get(content_id(b"never kept"))

    def test_a_step_cannot_be_done_twice(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            add(journal, STARTED)
            add(journal, made("#0"))
            with pytest.raises(JournalError) as caught:
                add(journal, made("#0", word="other"))
            assert caught.value.code == "journal.step_twice"
            with pytest.raises(JournalError):
                add(journal, made("#1"))
        with self.open(tmp_path) as journal:
            assert [row.event for row in journal.read(RUN)] == [STARTED, made("#0")]

    def test_a_run_has_one_writer(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as first, self.open(tmp_path) as second:
            add(first, STARTED)
            add(second, made("#0"))
            with pytest.raises(JournalError):
                add(first, made("#1"))
        with self.open(tmp_path) as journal:
            assert [row.event for row in journal.read(RUN)] == [STARTED, made("#0")]

    def test_two_writers_of_two_runs_do_not_mind_each_other(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as first, self.open(tmp_path) as second:
            for journal, run in ((first, "run-1"), (second, "run-2")):
                add(journal, STARTED, run=run)
            for number in range(5):
                add(first, made(f"#{number}"), run="run-1")
                add(second, made(f"#{number}"), run="run-2")
            assert len(list(first.read("run-2"))) == len(list(second.read("run-1"))) == 6

    def test_many_threads_may_write(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal:
            add(journal, STARTED)

            def write(branch: int) -> None:
                for number in range(20):
                    name = journal.put(f"{branch} {number}".encode())
                    event = EvidenceObserved(key=f"b{branch}#{number}", content=name)
                    add(journal, event, durable=number % 5 == 0)

            threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            add(journal, Note(key="end", text="t"))
            rows = list(journal.read(RUN))
        assert [row.sequence for row in rows] == list(range(1, 83))
        assert all(row.parent == before.id for before, row in zip(rows, rows[1:], strict=False))

    def test_it_can_be_read_while_it_is_written(self, tmp_path: Path) -> None:
        with self.open(tmp_path) as journal, self.open(tmp_path) as other:
            add(journal, STARTED)
            for number in range(5):
                add(journal, made(f"#{number}"))
                assert len(list(other.read(RUN))) == number + 2

    def test_secrets_are_left_out(self, tmp_path: Path) -> None:
        secret = 'sk-"quoted"-ü-key'
        with self.open(tmp_path, [secret]) as journal:
            add(journal, STARTED)
            name = journal.put(f"before {secret} after".encode())
            assert journal.get(name) == b"before [secret] after"
            add(journal, made(f"#0:{secret}", word=secret))
            for waiting in (False, True):
                add(journal, Note(key=f"{secret}{waiting}", text="t"), durable=not waiting)
                found = journal.find(RUN, "note", f"{secret}{waiting}")
                assert found is not None
        with self.open(tmp_path) as journal:
            rows = list(journal.read(RUN))
            assert all(secret not in repr(row) for row in rows)
            assert rows[1].event == made("#0:[secret]", word="[secret]")
