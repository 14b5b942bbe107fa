"""A page in the scroll-back of a terminal: plain lines, 80 columns, the verdict last.

Everything that comes from the page is printed as `Text`, never as rich markup, after its control
characters were made visible. On a terminal that knows ASCII only, the few signs used here have
plain substitutes.
"""

from typing import assert_never

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table as RichTable
from rich.text import Text as Words

from proveout.kernel.panels import (
    Chart,
    Code,
    Diff,
    Image,
    Page,
    Panel,
    Sql,
    Status,
    Table,
    Text,
    Tree,
)
from proveout.report import shape
from proveout.report.blobs import Blobs, bytes_of, no_blobs
from proveout.report.neutral import neutral_page
from proveout.report.prose import Span, blocks
from proveout.report.wording import STATUS_WORDS, count, number, shortened, size

MOST_ROWS = 20
MOST_NODES = 60
MOST_CODE_LINES = 60
MOST_DIFF_LINES = 80
BAR_WIDTH = 16
_STYLES: dict[Status, str] = {"accepted": "green", "rejected": "red", "pending": "yellow"}
_SEVERITIES = {"error": "red", "warning": "yellow", "info": "blue"}
_SPANS = {"plain": "", "code": "cyan", "strong": "bold"}
_SIGNS = {"+": "green", "-": "red", " ": "", "@": "dim"}
_STEPS = "▁▂▃▄▅▆▇█"
_PLAIN = str.maketrans(
    {
        "█": "#", "░": ".", "│": "|", "├": "|", "└": "`", "─": "-", "●": "o", "·": "-", "…": "...",
        "×": "x", "±": "+/-", "−": "-", "→": "->", "▸": ">", "∞": "inf",
        **{step: str(place) for place, step in enumerate(_STEPS[:-1], start=1)},
    }
)  # fmt: skip


def show(page: Page, console: Console, blobs: Blobs = no_blobs) -> None:
    """Print the page; its last line is the verdict."""
    screen = _Screen(console, blobs)
    page = neutral_page(page)
    screen.line(page.title, "bold")
    if page.subtitle:
        screen.line(page.subtitle, "dim")
    for section in page.sections:
        console.print()
        console.rule(screen.words(section.title, "bold"), align="left", style="dim")
        for panel in section.panels:
            console.print()
            screen.panel(panel)
    console.print()
    if page.facts:
        facts = " · ".join(f"{fact.name} {fact.value}" for fact in page.facts)
        screen.line(facts, "dim")
    verdict = screen.words(f"{STATUS_WORDS[page.status]}. ", f"bold {_STYLES[page.status]}")
    verdict.append_text(screen.words(page.verdict))
    console.print(verdict, soft_wrap=False)


def show_panel(panel: Panel, console: Console, blobs: Blobs = no_blobs) -> None:
    """Print one panel, as it stands on a page."""
    _Screen(console, blobs).panel(panel)


class _Screen:
    """The console and what it can show."""

    def __init__(self, console: Console, blobs: Blobs) -> None:
        self._console = console
        self._blobs = blobs
        self._ascii = console.options.ascii_only

    def words(self, text: str, style: str = "") -> Words:
        if self._ascii:
            text = text.translate(_PLAIN).encode("ascii", "backslashreplace").decode("ascii")
        return Words(text, style=style)

    def line(self, text: str, style: str = "") -> None:
        self._console.print(self.words(text, style))

    def panel(self, panel: Panel) -> None:
        self.line(panel.title, "bold")
        self._console.print(Padding(self._body(panel), (0, 0, 0, 2)))
        if panel.note:
            self._console.print(Padding(self.words(panel.note, "dim"), (0, 0, 0, 2)))

    def _body(self, panel: Panel) -> RenderableType:
        match panel:
            case Text():
                return self._text(panel)
            case Table():
                return self._grid(shape.grid(panel, MOST_ROWS))
            case Code():
                return self._code(panel.text, panel.language, panel.first_line, panel.highlight)
            case Diff():
                return self._diff(panel)
            case Chart():
                return self._chart(panel)
            case Tree():
                return self._tree(panel)
            case Image():
                return self._image(panel)
            case Sql():
                query = self._code(panel.query, "sql", 1, ())
                return Group(query, self._grid(shape.grid(panel, MOST_ROWS)))
            case _:
                assert_never(panel)

    def _text(self, panel: Text) -> RenderableType:
        parts: list[RenderableType] = []
        if panel.severity:
            style = f"bold {_SEVERITIES[panel.severity]}"
            parts.append(self.words(panel.severity.capitalize(), style))
        for block in blocks(panel.text):
            lead = "- " if block.style == "list" else ""
            parts.extend(self._spans(lead, item) for item in block.items)
        return Group(*(parts or [self.words("no text", "dim")]))

    def _spans(self, lead: str, spans: tuple[Span, ...]) -> Words:
        line = self.words(lead)
        for span in spans:
            line.append_text(self.words(span.text, _SPANS[span.style]))
        return line

    def _grid(self, grid: shape.Grid) -> RenderableType:
        if not grid.rows:
            return self.words(grid.more or "no rows", "dim")
        table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
        for index, column in enumerate(grid.columns):
            table.add_column(
                self.words(column.name, "dim"),
                justify=column.align,
                overflow="fold",
                min_width=1,
                no_wrap=any(row[index].bar for row in grid.rows),
            )
        for row in grid.rows:
            table.add_row(*(self._cell(cell) for cell in row))
        return Group(table, self.words(grid.more, "dim")) if grid.more else table

    def _cell(self, cell: shape.GridCell) -> Words:
        if cell.bar is None:
            return self.words(cell.text)
        text = self.words(f"{cell.text} ")
        return text.append_text(self._bar(cell.bar.part, cell.bar.mark, over=cell.bar.over))

    def _bar(self, part: float, mark: float | None = None, *, over: bool = False) -> Words:
        filled = round(part * BAR_WIDTH)
        signs = list("█" * filled + "░" * (BAR_WIDTH - filled))
        if mark is not None:
            signs[min(BAR_WIDTH - 1, int(mark * BAR_WIDTH))] = "│"
        return self.words("".join(signs), "yellow" if over else "cyan")

    def _code(self, text: str, language: str, first: int, hot: tuple[int, ...]) -> RenderableType:
        lines = text.removesuffix("\n").split("\n")
        shown = "\n".join(lines[:MOST_CODE_LINES])
        if self._ascii:
            shown = self.words(shown).plain
        syntax = Syntax(
            shown,
            language,
            theme="ansi_dark",
            background_color="default",
            line_numbers=True,
            start_line=first,
            # Rich points at lines with a sign that is not ASCII.
            highlight_lines=set() if self._ascii else set(hot),
            word_wrap=True,
        )
        told = [f"look at: {', '.join(map(str, hot))}"] if hot and self._ascii else []
        left = len(lines) - MOST_CODE_LINES
        told += [f"{count(left, 'more line')} not shown"] if left > 0 else []
        return Group(syntax, *(self.words(words, "dim") for words in told))

    def _diff(self, panel: Diff) -> RenderableType:
        found = shape.difference(panel.before, panel.after)
        if not found.lines:
            return self.words("no difference", "dim")
        names = f"{panel.before_name} → {panel.after_name}  +{found.added} −{found.removed}"
        lines = RichTable.grid(padding=(0, 1, 0, 0))
        for line in found.lines[:MOST_DIFF_LINES]:
            style = _SIGNS[line.sign]
            sign = "…" if line.sign == "@" else line.sign
            lines.add_row(self.words(sign, style), self.words(line.text, style))
        parts: list[RenderableType] = [self.words(names, "dim"), lines]
        left = len(found.lines) - MOST_DIFF_LINES
        if left > 0:
            parts.append(self.words(f"{count(left, 'more line')} not shown", "dim"))
        if found.note:
            parts.append(self.words(found.note, "dim"))
        return Group(*parts)

    def _chart(self, panel: Chart) -> RenderableType:
        if panel.form in ("bars", "range"):
            body = self._grid(shape.grid(shape.with_bars(panel), MOST_ROWS))
        else:
            body = Group(*(self._curve(series.name, series.values) for series in panel.series))
        told = [part for part in (panel.y_label, shape.better(panel)) if part]
        if panel.reference:
            told.append(panel.reference.label or f"reference {number(panel.reference.value)}")
        return Group(body, self.words(", ".join(told), "dim")) if told else body

    def _curve(self, name: str, values: tuple[float | None, ...]) -> Words:
        drawable = [v for value in values if (v := shape.finite(value)) is not None]
        if not drawable:
            return self.words(f"{shortened(name, 20)}: no values to draw", "dim")
        low, high = min(drawable), max(drawable)
        width = max(10, min(50, self._console.width - 30))
        picked = values
        if len(values) > width:
            picked = tuple(values[round(i * (len(values) - 1) / (width - 1))] for i in range(width))
        text = self.words(f"{shortened(name, 20)} ")
        text.append_text(self.words("".join(_step(value, low, high) for value in picked), "cyan"))
        ends = f" {number(drawable[0])} → {number(drawable[-1])}"
        return text.append_text(self.words(f"{ends}, from {number(low)} to {number(high)}", "dim"))

    def _tree(self, panel: Tree) -> RenderableType:
        found, left = shape.branches(panel.nodes, MOST_NODES)
        parts: list[Words] = []
        trail: list[bool] = []
        for branch in found:
            del trail[branch.depth :]
            lead = "".join("   " if last else "│  " for last in trail[1:])
            if branch.depth:
                lead += "└─ " if branch.last else "├─ "
            trail.append(branch.last)
            node = branch.node
            line = self.words(f"{lead}{node.label} ")
            line.append_text(self.words(node.status, _STYLES[node.status]))
            if node.score is not None:
                line.append_text(self.words(f" {number(node.score)}", "bold"))
            line.append_text(self.words(f"  {node.note}" if node.note else "", "dim"))
            parts.append(line)
        if left:
            told = count(left, "more entry", "more entries")
            parts.append(self.words(f"{told} not shown", "dim"))
        return Group(*(parts or [self.words("nothing yet", "dim")]))

    def _image(self, panel: Image) -> RenderableType:
        told = []
        for name, bitmap in (("picture", panel.base), ("overlay", panel.overlay)):
            if bitmap is not None:
                content = bytes_of(bitmap, self._blobs)
                what = f"{bitmap.media_type}, {size(len(content))}" if content else "not available"
                told.append(f"{name}: {what}")
        line = self.words("; ".join(told) + " (shown in the HTML report)", "dim")
        return Group(self.words(panel.caption), line) if panel.caption else line


def _step(value: float | None, low: float, high: float) -> str:
    drawable = shape.finite(value)
    if drawable is None:
        return " "
    part = (drawable - low) / (high - low) if high > low else 0.5
    return _STEPS[min(len(_STEPS) - 1, int(part * len(_STEPS)))]
