"""Decisions that every renderer shares: what is shown, in which order, and what is left out.

Nothing is dropped silently: whatever bounds a panel returns how much it left out.
"""

import difflib
import math
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from proveout.kernel.panels import Bar, Cell, Chart, Column, Node, Range, Sql, Table
from proveout.report.wording import cell, count

Align = Literal["left", "right", "center"]
MOST_POINTS = 1000
MOST_DIFF_LINES = 4000
MOST_EXACT_LINES = 1000
MOST_MARKED_LINE = 400
MOST_PAIRS = 400
"""Comparisons of lines within one change: beyond it, the change is shown without marked words."""
ALIKE = 0.6
"""From which likeness on two lines are one line that changed."""
CONTEXT_LINES = 3


class GridBar(NamedTuple):
    """A bar as parts of its full length, each from 0 to 1."""

    part: float
    mark: float | None
    over: bool
    """Whether the value has passed the mark."""


class GridCell(NamedTuple):
    text: str
    bar: GridBar | None = None


class GridColumn(NamedTuple):
    name: str
    align: Align


class Grid(NamedTuple):
    """A table ready to be drawn: formatted, aligned, bounded."""

    columns: tuple[GridColumn, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    more: str
    """Says how many rows are not shown; empty if all are."""


def grid(table: Table | Sql, most: int) -> Grid:
    """The first `most` rows, formatted."""
    columns = (
        table.columns
        if isinstance(table, Table)
        else tuple(Column(name=name) for name in table.columns)
    )
    bar = table.bar if isinstance(table, Table) else None
    full = _full(table, columns, bar)
    rows = tuple(
        tuple(
            GridCell(cell(value, column.digits), _bar(value, column, bar, full))
            for value, column in zip(row, columns, strict=True)
        )
        for row in table.rows[:most]
    )
    left = len(table.rows) - len(rows) + table.more
    return Grid(
        tuple(
            GridColumn(column.name, _align(column, [row[index] for row in table.rows]))
            for index, column in enumerate(columns)
        ),
        rows,
        f"{count(left, 'more row')} not shown" if left else "",
    )


def _align(column: Column, values: Sequence[Cell]) -> Align:
    if column.align != "auto":
        return column.align
    given = [value for value in values if value is not None]
    return "right" if given and all(_is_number(value) for value in given) else "left"


def _is_number(value: Cell) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _full(table: Table | Sql, columns: Sequence[Column], bar: Bar | None) -> float:
    if bar is None:
        return 0.0
    if bar.full is not None:
        return bar.full
    index = [column.name for column in columns].index(bar.column)
    values = [
        float(value)
        for row in table.rows
        if isinstance(value := row[index], (int, float)) and math.isfinite(value)
    ]
    return max(values, default=0.0)


def _bar(value: Cell, column: Column, bar: Bar | None, full: float) -> GridBar | None:
    if bar is None or column.name != bar.column or not isinstance(value, (int, float)):
        return None
    if isinstance(value, bool) or not math.isfinite(value) or not full > 0:
        return None
    mark = bar.mark
    return GridBar(
        part=min(1.0, max(0.0, value / full)),
        mark=min(1.0, max(0.0, mark / full)) if mark is not None else None,
        over=mark is not None and value >= mark,
    )


class Branch(NamedTuple):
    depth: int
    node: Node
    last: bool
    """Whether no sibling follows."""


def branches(nodes: Sequence[Node], most: int) -> tuple[list[Branch], int]:
    """The tree from top to bottom, at most `most` nodes of it, and how many were left out."""
    shown: list[Branch] = []
    left = 0
    waiting = [Branch(0, node, index == 0) for index, node in enumerate(reversed(nodes))]
    while waiting:
        branch = waiting.pop()
        if len(shown) < most:
            shown.append(branch)
        else:
            left += 1
        children = branch.node.children
        waiting.extend(
            Branch(branch.depth + 1, child, index == 0)
            for index, child in enumerate(reversed(children))
        )
    return shown, left


def finite(value: float | None) -> float | None:
    """The value if it can be drawn on a scale."""
    return value if value is not None and math.isfinite(value) and abs(value) < 1e100 else None


def thinned(chart: Chart, most: int = MOST_POINTS) -> tuple[Chart, str]:
    """At most `most` points, evenly chosen, both ends kept; and a note if some are left out."""
    length = chart.length
    if length <= most:
        return chart, ""
    kept = [round(step * (length - 1) / (most - 1)) for step in range(most)]
    smaller = chart.model_copy(
        update={
            "labels": tuple(chart.names[index] for index in kept),
            "places": tuple(chart.places[index] for index in kept) if chart.places else (),
            "ranges": tuple(chart.ranges[index] for index in kept) if chart.ranges else (),
            "series": tuple(
                series.model_copy(
                    update={
                        "values": tuple(series.values[index] for index in kept),
                        "errors": tuple(series.errors[index] for index in kept)
                        if series.errors
                        else (),
                    }
                )
                for series in chart.series
            ),
        }
    )
    return smaller, f"{most:,} of {length:,} points drawn"


def values_table(chart: Chart) -> Table:
    """The chart's numbers, for readers who cannot see it and for formats that cannot draw it."""
    spread = {series.name: bool(series.errors) for series in chart.series}
    columns = [Column(name=chart.x_label or "")]
    for series in chart.series:
        columns.append(Column(name=series.name))
        columns.extend([Column(name=f"± {series.name}")] if spread[series.name] else [])
    if chart.ranges:
        columns.extend(Column(name=name) for name in ("low", "high", "better"))
    rows: list[tuple[Cell, ...]] = []
    for index, name in enumerate(chart.names):
        row: list[Cell] = [name]
        for series in chart.series:
            row.append(series.values[index])
            row.extend([series.errors[index]] if series.errors else [])
        if chart.ranges:
            bounds = chart.ranges[index]
            row.extend([bounds.low, bounds.high, bounds.direction])
        rows.append(tuple(row))
    return Table(title=chart.title, columns=tuple(columns), rows=tuple(rows))


def with_bars(chart: Chart) -> Table:
    """The numbers of a chart, drawn as bars where there is one series to draw."""
    table = values_table(chart)
    if len(chart.series) != 1:
        return table
    if chart.form != "range":
        return table.model_copy(update={"bar": Bar(column=chart.series[0].name)})
    place = "% of range"
    rows = tuple(
        (*row, _percent(value, bounds))
        for row, value, bounds in zip(table.rows, chart.series[0].values, chart.ranges, strict=True)
    )
    columns = (*table.columns, Column(name=place, digits=0))
    return Table(title=table.title, columns=columns, rows=rows, bar=Bar(column=place, full=100))


def part_of(value: float | None, bounds: Range) -> float | None:
    """Where a value stands between its bounds, from 0 to 1."""
    drawable, width = finite(value), finite(bounds.high - bounds.low)
    if drawable is None or not width:
        return None
    return min(1.0, max(0.0, (drawable - bounds.low) / width))


def _percent(value: float | None, bounds: Range) -> float | None:
    part = part_of(value, bounds)
    return None if part is None else 100 * part


def better(chart: Chart) -> str:
    return f"{chart.direction} is better" if chart.direction else ""


class Piece(NamedTuple):
    """Part of a line; `changed` if the other side reads differently here."""

    text: str
    changed: bool = False


class DiffLine(NamedTuple):
    sign: Literal["+", "-", " ", "@"]
    """`@` stands for unchanged lines that are not shown."""
    before: int | None
    after: int | None
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class Difference(NamedTuple):
    lines: tuple[DiffLine, ...]
    added: int
    removed: int
    note: str
    """Says what was not compared; empty if everything was."""


def difference(before: str, after: str) -> Difference:
    """A unified diff with three lines of context; changed words are told apart within a line."""
    if before.endswith("\n") and after.endswith("\n"):
        before, after = before[:-1], after[:-1]
    old, new = before.split("\n"), after.split("\n")
    left = max(0, len(old) - MOST_DIFF_LINES) + max(0, len(new) - MOST_DIFF_LINES)
    old, new = old[:MOST_DIFF_LINES], new[:MOST_DIFF_LINES]
    lines: list[DiffLine] = []
    shown = 0
    # Exact matching of long texts that repeat themselves takes minutes.
    long = max(len(old), len(new)) > MOST_EXACT_LINES
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=long)
    for group in matcher.get_grouped_opcodes(CONTEXT_LINES):
        lines.extend(_skipped(group[0][1] - shown))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines.extend(
                    DiffLine(" ", i + 1, j1 + i - i1 + 1, (Piece(old[i]),)) for i in range(i1, i2)
                )
            else:
                lines.extend(_replaced(old, new, (i1, i2), (j1, j2)))
        shown = group[-1][2]
    if lines:
        lines.extend(_skipped(len(old) - shown))
    return Difference(
        tuple(lines),
        sum(line.sign == "+" for line in lines),
        sum(line.sign == "-" for line in lines),
        f"{count(left, 'more line')} not compared" if left else "",
    )


def _skipped(amount: int) -> list[DiffLine]:
    text = count(amount, "unchanged line")
    return [DiffLine("@", None, None, (Piece(text),))] if amount > 0 else []


def _replaced(
    old: Sequence[str], new: Sequence[str], gone: tuple[int, int], come: tuple[int, int]
) -> list[DiffLine]:
    before: dict[int, tuple[Piece, ...]] = {i: (Piece(old[i]),) for i in range(*gone)}
    after: dict[int, tuple[Piece, ...]] = {j: (Piece(new[j]),) for j in range(*come)}
    if len(before) * len(after) <= MOST_PAIRS:
        for i, j, cut in _pairs(old, new, gone, come):
            before[i], after[j] = cut.before, cut.after
    return [
        *(DiffLine("-", i + 1, None, pieces) for i, pieces in before.items()),
        *(DiffLine("+", None, j + 1, pieces) for j, pieces in after.items()),
    ]


class _Cut(NamedTuple):
    """Two lines cut where they differ."""

    likeness: float
    before: tuple[Piece, ...] = ()
    after: tuple[Piece, ...] = ()


_APART = _Cut(0.0)


def _pairs(
    old: Sequence[str], new: Sequence[str], gone: tuple[int, int], come: tuple[int, int]
) -> list[tuple[int, int, _Cut]]:
    """Lines that became one another, in order, so that their likeness is greatest in sum."""
    cuts = {(i, j): _cut(old[i], new[j]) for i in range(*gone) for j in range(*come)}
    total: dict[tuple[int, int], float] = {}
    for i in range(gone[1], gone[0] - 1, -1):
        for j in range(come[1], come[0] - 1, -1):
            cut = cuts.get((i, j), _APART)
            pair = cut.likeness + total[i + 1, j + 1] if cut.likeness >= ALIKE else 0.0
            total[i, j] = max(pair, total.get((i + 1, j), 0.0), total.get((i, j + 1), 0.0))
    found = []
    i, j = gone[0], come[0]
    while i < gone[1] and j < come[1]:
        if total[i, j] == total[i + 1, j]:
            i += 1
        elif total[i, j] == total[i, j + 1]:
            j += 1
        else:
            found.append((i, j, cuts[i, j]))
            i, j = i + 1, j + 1
    return found


def _cut(before: str, after: str) -> _Cut:
    if max(len(before), len(after)) > MOST_MARKED_LINE:
        return _APART
    old, new = (re.findall(r"\w+|\s+|[^\w\s]", line) for line in (before, after))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        for side, words in ((left, old[i1:i2]), (right, new[j1:j2])):
            if words:
                side.append(Piece("".join(words), tag != "equal"))
    return _Cut(matcher.ratio(), tuple(left), tuple(right))
