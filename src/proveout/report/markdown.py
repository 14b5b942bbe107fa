"""A page as Markdown: readable as text, and safe where it is rendered.

Values are escaped so that they cannot become markup, links, pictures or HTML; what Markdown leaves
alone is left alone, because people read the text too. Fences are longer than any run of backticks
that they hold.
"""

import re
from typing import assert_never

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
from proveout.report.wording import STATUS_WORDS, count, number, size

MOST_ROWS = 200
MOST_NODES = 500
_SPECIAL = re.compile(
    r"[\\`\[|~@]|\](?=\()"  # code, links, cells, what is struck out, addresses of people
    r"|\*(?!(?<=\s\*)\s)"  # emphasis, unless it stands between spaces
    r"|(?<![^\W_])_|_(?![^\W_])"  # the same, unless it stands inside a word
    r"|<(?=[A-Za-z/!?])|&(?=#?\w+;)"  # tags, named characters
    r"|:(?=//)|(?<=www)\."  # addresses, which some readers make links of
    r"|\$(?=\S[^$]*\$)"  # formulas
)
_LEADING = re.compile(
    r"^(?:\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:\s|$)|#{1,6}(?:\s|$)|>|=+$|[:-][-: ]*$))"
)
"""Where a backslash keeps the beginning of a line from making it a list, a heading, a quotation or
a rule."""
_CLOSING = re.compile(r"(?<=\s)(?=#+$)")
"""Signs at the end of a heading, which would not be shown."""
_MARKS: dict[Status, str] = {"accepted": "accepted", "rejected": "rejected", "pending": "pending"}
_RULES = {"left": ":---", "right": "---:", "center": ":---:"}


def page_markdown(page: Page, blobs: Blobs = no_blobs) -> str:
    page = neutral_page(page)
    parts = [f"# {escaped(page.title)}"]
    if page.subtitle:
        parts.append(escaped(page.subtitle))
    parts.append(f"**{STATUS_WORDS[page.status]}.** {escaped(page.verdict)}".rstrip())
    if page.facts:
        parts.append("\n".join(f"- {escaped(f.name)}: {escaped(f.value)}" for f in page.facts))
    for section in page.sections:
        parts.append(f"## {escaped(section.title)}")
        parts.extend(_panel(panel, blobs) for panel in section.panels)
    if page.footer:
        parts.append(f"---\n\n{escaped(page.footer)}")
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """One line that reads as written, whatever it holds."""
    line = _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
    return _CLOSING.sub(r"\\", _LEADING.sub(r"\g<0>\\", line))


def fenced(text: str, language: str = "") -> str:
    """A code block that its text cannot leave."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    tag = language if re.fullmatch(r"[\w+#.-]+", language) else ""
    return f"{fence}{tag}\n{text.removesuffix(chr(10))}\n{fence}"


def _panel(panel: Panel, blobs: Blobs) -> str:
    parts = [f"### {escaped(panel.title)}", _body(panel, blobs)]
    if panel.note:
        parts.append(f"*{escaped(panel.note)}*")
    return "\n\n".join(parts)


def _body(panel: Panel, blobs: Blobs) -> str:
    match panel:
        case Text():
            return _text(panel)
        case Table():
            return _grid(shape.grid(panel, MOST_ROWS))
        case Code():
            told = ", ".join(str(line) for line in panel.highlight)
            pointed = f"\n\nLines to look at: {told}" if told else ""
            return fenced(panel.text, panel.language) + pointed
        case Diff():
            return _diff(panel)
        case Chart():
            return _chart(panel)
        case Tree():
            return _tree(panel)
        case Image():
            return _image(panel, blobs)
        case Sql():
            rows = _grid(shape.grid(panel, MOST_ROWS))
            return f"{fenced(panel.query, 'sql')}\n\n{rows}"
        case _:
            assert_never(panel)


def _text(panel: Text) -> str:
    parts = [f"**{panel.severity.capitalize()}**"] if panel.severity else []
    for block in blocks(panel.text):
        if block.style == "list":
            parts.append("\n".join(f"- {_spans(item)}" for item in block.items))
        else:
            parts.append("\\\n".join(_spans(line) for line in block.items))
    return "\n\n".join(parts) or "no text"


def _spans(spans: tuple[Span, ...]) -> str:
    told = []
    for span in spans:
        text = escaped(span.text)
        # Words that were parted by a space stay parted although escaping trims them.
        before = " " if span.text[:1].isspace() else ""
        after = " " if text and span.text[-1:].isspace() else ""
        if span.style == "code":
            told.append(f"`{span.text}`")
        elif span.style == "strong" and text:
            told.append(f"{before}**{text}**{after}")
        else:
            told.append(f"{before}{text}{after}")
    return "".join(told).strip()


def _grid(grid: shape.Grid) -> str:
    if not grid.rows:
        return grid.more or "no rows"
    lines = [
        "| " + " | ".join(escaped(column.name) or " " for column in grid.columns) + " |",
        "| " + " | ".join(_RULES[column.align] for column in grid.columns) + " |",
    ]
    for row in grid.rows:
        lines.append("| " + " | ".join(escaped(cell.text) for cell in row) + " |")
    table = "\n".join(lines)
    return f"{table}\n\n{grid.more}" if grid.more else table


def _diff(panel: Diff) -> str:
    found = shape.difference(panel.before, panel.after)
    if not found.lines:
        return "no difference"
    lines = [f"--- {panel.before_name}", f"+++ {panel.after_name}"]
    lines.extend(
        f"@@ {line.text} @@" if line.sign == "@" else f"{line.sign}{line.text}"
        for line in found.lines
    )
    block = fenced("\n".join(lines), "diff")
    return f"{block}\n\n{found.note}" if found.note else block


def _chart(panel: Chart) -> str:
    told = [escaped(panel.y_label)] if panel.y_label else []
    told += [shape.better(panel)] if panel.direction else []
    if panel.reference:
        label = escaped(panel.reference.label) or "reference"
        told.append(f"{label}: {number(panel.reference.value)}")
    table = _grid(shape.grid(shape.values_table(panel), MOST_ROWS))
    return f"{', '.join(told)}\n\n{table}" if told else table


def _tree(panel: Tree) -> str:
    found, left = shape.branches(panel.nodes, MOST_NODES)
    lines = []
    for branch in found:
        node = branch.node
        score = f" {number(node.score)}" if node.score is not None else ""
        note = f": {escaped(node.note)}" if node.note else ""
        lead = "  " * branch.depth
        lines.append(f"{lead}- {escaped(node.label)} **{_MARKS[node.status]}**{score}{note}")
    if left:
        lines.append(f"- {count(left, 'more entry', 'more entries')} not shown")
    return "\n".join(lines) or "nothing yet"


def _image(panel: Image, blobs: Blobs) -> str:
    """Described, not shown: many readers of Markdown refuse pictures inside the text."""
    told = [escaped(panel.alt or panel.caption)] if panel.alt or panel.caption else []
    for name, bitmap in (("picture", panel.base), ("overlay", panel.overlay)):
        if bitmap is not None:
            content = bytes_of(bitmap, blobs)
            what = f"{bitmap.media_type}, {size(len(content))}" if content else "not available"
            told.append(f"{name}: {what}")
    return "\n\n".join(told)
