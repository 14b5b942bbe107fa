"""Notebooks as one program: code cells joined, magics made harmless, lines kept."""

import difflib
import json
import re
from dataclasses import dataclass

LINE = re.compile(r"\bline (\d+)")
MAGIC = re.compile(r"^(\s*)([%!?]|.*\?\s*$)")


@dataclass(frozen=True, slots=True)
class Notebook:
    source: str
    starts: tuple[tuple[int, int], ...]
    """First line in the joined program, and number of the cell, in order."""

    def place(self, line: int) -> tuple[int, int]:
        """Cell (counted from one over all cells) and line in it."""
        cell, first = 1, 1
        for start, number in self.starts:
            if start > line:
                break
            cell, first = number, start
        return cell, line - first + 1

    def worded(self, text: str) -> str:
        """The text, with lines of the joined program told as cell and line."""

        def told(match: re.Match[str]) -> str:
            cell, line = self.place(int(match[1]))
            return f"cell {cell} line {line}"

        return LINE.sub(told, text)


def is_notebook(source: str, filename: str) -> bool:
    return filename.endswith(".ipynb") or (
        source.lstrip().startswith("{") and '"cells"' in source and '"nbformat"' in source
    )


def read_notebook(text: str) -> Notebook | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells = data.get("cells") if isinstance(data, dict) else None
    if not isinstance(cells, list):
        return None
    lines: list[str] = []
    starts: list[tuple[int, int]] = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        starts.append((len(lines) + 1, number))
        lines += _without_magics(_lines(cell))
    return Notebook("\n".join(lines) + "\n", tuple(starts))


def _without_magics(lines: list[str]) -> list[str]:
    if lines[0].startswith("%%") and not lines[0].startswith(("%%time", "%%capture")):
        return ["pass" if not position else "" for position in range(len(lines))]
    return [MAGIC.sub(r"\1pass  # \2", line) if _is_magic(line) else line for line in lines]


def _is_magic(line: str) -> bool:
    stripped = line.strip()
    return stripped.startswith(("%", "!")) or (
        stripped.endswith("?") and not stripped.startswith("#")
    )


def put_back(text: str, notebook: Notebook, program: str) -> str | None:
    """The notebook with a changed program in its cells; nothing else of it is touched.

    New lines go to the cell of the line above them. Magics keep the form that they had.
    """
    old, new = notebook.source.splitlines(), program.splitlines()
    cells: dict[int, list[str]] = {number: [] for _, number in notebook.starts}
    data = json.loads(text)
    original = {number: _lines(data["cells"][number - 1]) for number in cells}
    for _, first, last, new_first, new_last in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if old[first:last] == new[new_first:new_last]:
            for line in range(first, last):
                cell, place = notebook.place(line + 1)
                cells[cell].append(original[cell][place - 1])
        else:
            cell, _ = notebook.place(first + 1 if last > first else max(first, 1))
            cells[cell] += new[new_first:new_last]
    for number, lines in cells.items():
        if lines != original[number]:
            data["cells"][number - 1]["source"] = _as_written(data["cells"][number - 1], lines)
    indent = re.search(r"\n( +)", text)
    made = json.dumps(data, ensure_ascii=False, indent=len(indent[1]) if indent else None)
    made += "\n" if text.endswith("\n") else ""
    again = read_notebook(made)
    return made if again is not None and again.source.split() == program.split() else None


def _lines(cell: dict[str, object]) -> list[str]:
    source = cell.get("source", "")
    joined = "".join(map(str, source)) if isinstance(source, list) else str(source)
    return joined.splitlines() or [""]


def _as_written(cell: dict[str, object], lines: list[str]) -> str | list[str]:
    """As one text or as a list of lines, whichever the cell had."""
    joined = "\n".join(lines)
    return joined.splitlines(keepends=True) if isinstance(cell.get("source"), list) else joined
