"""Append-only JSON lines: durable, mended after a crash, writers take turns."""

import subprocess
import sys
from pathlib import Path

import pytest

from proveout.adapters.models.lines import LineWriter, read_lines
from proveout.kernel.errors import JournalError


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


def test_a_file_that_cannot_grow_or_be_made_says_so(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from proveout.adapters.models.lines import LineWriter\n"
        "from proveout.kernel.errors import JournalError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))\n"
        "lines = LineWriter(Path(sys.argv[1]))\n"
        "lines.append('fits')\n"
        "try: lines.append('y' * 100)\n"
        "except JournalError as error: sys.exit(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=60
    )
    assert done.stderr.strip().endswith("lines.jsonl cannot be written: File too large")
    assert read_lines(path) == ["fits"]
    with pytest.raises(JournalError, match="below a file cannot be written"):
        LineWriter(path / "below a file")


def test_writers_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    program = (
        "import sys; from pathlib import Path\n"
        "from proveout.adapters.models.lines import LineWriter\n"
        "with LineWriter(Path(sys.argv[1])) as lines:\n"
        "    for number in range(50): lines.append([sys.argv[2], number, 'x' * 5000])\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in ("a", "b")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    for name in ("a", "b"):
        mine = [line for line in read_lines(path) if isinstance(line, list) and line[0] == name]
        assert [line[1] for line in mine] == list(range(50))
