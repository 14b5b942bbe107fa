"""Notebooks as one program: code cells joined, magics made harmless, lines kept."""

import json
import re
from dataclasses import dataclass

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
        source = cell.get("source", "")
        joined = "".join(map(str, source)) if isinstance(source, list) else str(source)
        starts.append((len(lines) + 1, number))
        lines += _without_magics(joined)
    return Notebook("\n".join(lines) + "\n", tuple(starts))


def _without_magics(cell: str) -> list[str]:
    lines = cell.splitlines() or [""]
    if lines[0].startswith("%%") and not lines[0].startswith(("%%time", "%%capture")):
        return ["pass" if not position else "" for position in range(len(lines))]
    return [MAGIC.sub(r"\1pass  # \2", line) if _is_magic(line) else line for line in lines]


def _is_magic(line: str) -> bool:
    stripped = line.strip()
    return stripped.startswith(("%", "!")) or (
        stripped.endswith("?") and not stripped.startswith("#")
    )
