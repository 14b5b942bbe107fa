"""Append-only JSON lines: durable, mended after a crash, one writer."""

from pathlib import Path

import pytest

from proveout.adapters.models.lines import LineWriter, read_lines
from proveout.kernel.errors import JournalError, PrerequisiteError


def test_what_is_appended_is_read_in_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "lines.jsonl"
    with LineWriter(path) as lines:
        lines.append({"ä": [1, None]})
        lines.append("two")
    assert read_lines(path) == [{"ä": [1, None]}, "two"]
    assert path.read_text().splitlines()[0] == '{"ä": [1, null]}'


@pytest.mark.parametrize("torn", ['{"two', '"', "\x00\x00"])
def test_a_torn_last_line_is_left_out_and_then_dropped(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"one": 1}\n' + torn)
    assert read_lines(path) == [{"one": 1}]
    with LineWriter(path) as lines:
        lines.append(2)
    assert path.read_text() == '{"one": 1}\n2\n'


def test_a_last_line_without_its_break_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('"one"\n\n"two"')
    with LineWriter(path) as lines:
        lines.append("three")
    assert read_lines(path) == ["one", "two", "three"]


def test_every_cut_of_a_file_leaves_its_complete_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    whole = b'{"a": 1}\n{"b": "\xc3\xa4"}\n'
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        # A line is complete with its last bracket; the break after it may be lost.
        assert len(read_lines(path)) == (length >= 8) + (length >= len(whole) - 1)


def test_damage_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('1\n{"broken\n3\n')
    with pytest.raises(JournalError, match="line 2 of"):
        read_lines(path)


def test_a_second_writer_is_refused_until_the_first_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    with (
        LineWriter(path),
        pytest.raises(PrerequisiteError, match="being written by another process"),
    ):
        LineWriter(path)
    with LineWriter(path) as lines:
        lines.append(1)
    assert read_lines(path) == [1]
