"""A Markdown page as blocks: paragraphs, list items and table rows, each with its place."""

import re
from dataclasses import dataclass, field, replace
from typing import Literal

LONGEST_HEADING = 160
"""Characters of a heading that count; the rest is cut off, in anchors too."""
BlockKind = Literal["paragraph", "item", "row", "code", "quote", "meta"]

_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_RULE = re.compile(r"\s{0,3}([-*_])\s*(?:\1\s*){2,}$")
_DELIMITER = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")


@dataclass(frozen=True)
class Span:
    start: int
    end: int


@dataclass(frozen=True)
class Block:
    page: str
    kind: BlockKind
    start: int
    end: int
    headings: tuple[str, ...]
    indent: int = 0
    parent: int = -1
    """Of an item: the index of the item, or of the introducing paragraph, that it hangs under."""
    cells: tuple[Span, ...] = ()
    header: int = -1
    """Of a table row: the index of the row with the column names; its own for that row itself."""

    @property
    def anchor(self) -> str:
        return " > ".join(self.headings)


@dataclass(frozen=True)
class Page:
    path: str
    text: str
    blocks: tuple[Block, ...]

    def of(self, block: Block) -> str:
        return self.text[block.start : block.end]

    def cell(self, span: Span) -> str:
        return self.text[span.start : span.end]

    @property
    def title(self) -> str:
        return self.blocks[0].headings[0] if self.blocks and self.blocks[0].headings else ""

    def tree_end(self, index: int) -> int:
        """Where the block with everything that hangs under it ends."""
        end = self.blocks[index].end
        for other, block in enumerate(self.blocks[index + 1 :], index + 1):
            if block.parent == index:
                end = max(end, self.tree_end(other))
        return end

    def children(self, index: int) -> tuple[int, ...]:
        return tuple(n for n, block in enumerate(self.blocks) if block.parent == index)


@dataclass
class _Reader:
    path: str
    text: str
    blocks: list[Block] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    open_end: bool = False
    """The last block may go on in the next line."""
    fence: str = ""
    comment: bool = False

    def path_of_headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.headings)

    def add(self, kind: BlockKind, start: int, end: int, **more: int) -> None:
        self.blocks.append(
            Block(self.path, kind, start, end, self.path_of_headings(), **more)  # type: ignore[arg-type]
        )
        self.open_end = True

    def extend(self, end: int) -> None:
        self.blocks[-1] = replace(self.blocks[-1], end=end)


def parse_page(path: str, text: str) -> Page:
    """Read a page. Never fails: what is not understood is a paragraph."""
    reader = _Reader(path, text)
    lines = _lines(text)
    position = _front_matter(reader, lines)
    while position < len(lines):
        position += _line(reader, lines, position)
    return Page(path, text, tuple(reader.blocks))


def _lines(text: str) -> list[tuple[int, str]]:
    result = []
    start = 0
    for line in text.splitlines(keepends=True):
        result.append((start, line.rstrip("\r\n")))
        start += len(line)
    return result


def _front_matter(reader: _Reader, lines: list[tuple[int, str]]) -> int:
    if not lines or lines[0][1].strip() not in {"---", "+++"}:
        return 0
    mark = lines[0][1].strip()
    for number, (start, line) in enumerate(lines[1:40], 1):
        if line.strip() == mark:
            reader.add("meta", 0, start + len(line))
            reader.open_end = False
            return number + 1
    return 0


def _line(reader: _Reader, lines: list[tuple[int, str]], at: int) -> int:
    """Take in one line, or a table's first two; how many were taken."""
    start, line = lines[at]
    end = start + len(line.rstrip())
    if _fenced(reader, start, end, line):
        return 1
    if not line.strip() or _RULE.match(line):
        reader.open_end = False
        return 1
    if heading := _HEADING.match(line):
        level = len(heading[1])
        reader.headings = [known for known in reader.headings if known[0] < level]
        reader.headings.append((level, heading[2].strip()[:LONGEST_HEADING]))
        reader.open_end = False
        return 1
    if line.lstrip().startswith(">"):
        _continue_or_add(reader, "quote", start, end)
        return 1
    if "|" in line and (_is_table(lines, at) or _in_table(reader)):
        return _row(reader, lines, at)
    return _prose(reader, start, end, line)


def _fenced(reader: _Reader, start: int, end: int, line: str) -> bool:
    fence = _FENCE.match(line)
    if reader.fence:
        reader.extend(end)
        if fence and fence[1] == reader.fence:
            reader.fence, reader.open_end = "", False
        return True
    if fence:
        reader.fence = fence[1]
        reader.add("code", start, end)
        return True
    if reader.comment or line.lstrip().startswith("<!--"):
        _continue_or_add(reader, "code", start, end)
        reader.comment = "-->" not in line
        reader.open_end = reader.comment
        return True
    return False


def _continue_or_add(reader: _Reader, kind: BlockKind, start: int, end: int) -> None:
    if reader.open_end and reader.blocks and reader.blocks[-1].kind == kind:
        reader.extend(end)
    else:
        reader.add(kind, start, end)


def _is_table(lines: list[tuple[int, str]], at: int) -> bool:
    return at + 1 < len(lines) and bool(_DELIMITER.match(lines[at + 1][1]))


def _in_table(reader: _Reader) -> bool:
    return reader.open_end and bool(reader.blocks) and reader.blocks[-1].kind == "row"


def _row(reader: _Reader, lines: list[tuple[int, str]], at: int) -> int:
    start, line = lines[at]
    first = not _in_table(reader)
    header = len(reader.blocks) if first else reader.blocks[-1].header
    reader.add("row", start, start + len(line.rstrip()), header=header)
    reader.blocks[-1] = replace(reader.blocks[-1], cells=_cells(start, line))
    return 2 if first else 1


def _cells(start: int, line: str) -> tuple[Span, ...]:
    result = []
    for part in re.finditer(r"(?:\\\||[^|])+", line):
        content = part[0].strip()
        if not content and part.start() == 0:
            continue
        offset = start + part.start() + len(part[0]) - len(part[0].lstrip())
        result.append(Span(offset, offset + len(content)))
    if result and result[-1].start == result[-1].end and line.rstrip().endswith("|"):
        pass  # An empty last cell is a cell.
    return tuple(result)


def _prose(reader: _Reader, start: int, end: int, line: str) -> int:
    item = _ITEM.match(line)
    last = reader.blocks[-1] if reader.blocks else None
    if item:
        indent = len(item[1].expandtabs(4))
        parent = _parent(reader, indent)
        reader.add("item", start + item.end(), end, indent=indent, parent=parent)
    elif reader.open_end and last is not None and last.kind in {"paragraph", "item"}:
        reader.extend(end)
    elif line.startswith(("    ", "\t")) and not (last and last.kind == "item"):
        _continue_or_add(reader, "code", start, end)
    elif line.startswith(" ") and last is not None and last.kind == "item":
        # A paragraph inside an item.
        reader.add("paragraph", end - len(line.strip()), end, parent=len(reader.blocks) - 1)
    else:
        reader.add("paragraph", end - len(line.strip()), end)
    return 1


def _parent(reader: _Reader, indent: int) -> int:
    """The nearest less indented item of the list, or the paragraph that introduces the list."""
    headings = reader.path_of_headings()
    for index in range(len(reader.blocks) - 1, -1, -1):
        block = reader.blocks[index]
        if block.headings != headings or block.kind not in {"item", "paragraph"}:
            return -1
        if block.kind == "item" and block.indent < indent:
            return index
        if block.kind == "item" and block.indent == indent:
            return block.parent
        if block.kind == "paragraph" and block.parent < 0:
            introduces = reader.text[block.start : block.end].rstrip(" *_").endswith(":")
            return index if introduces else -1
    return -1


_SENTENCE_END = re.compile(
    r"[.!?。](?:[\"'”’)*`_]*)(?=\s+[\"'“‘(*`_\[]*[^\W_a-z]|\s*$)|\n(?=\s*\n)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|approx|incl|no|dr|mr|ms|vs|dept|p\.a)\.|\b[A-Z]\.)$", re.I
)


def sentences(text: str, start: int, end: int) -> tuple[Span, ...]:
    """Spans of the sentences in `text[start:end]`, without surrounding space."""
    result = []
    begin = start
    for stop in _SENTENCE_END.finditer(text, start, end):
        if _ABBREVIATION.search(text[begin : stop.start() + 1]):
            continue
        result.append(_trim(text, begin, stop.end()))
        begin = stop.end()
    result.append(_trim(text, begin, end))
    return tuple(span for span in result if span.end > span.start)


def _trim(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return Span(start + len(part) - len(part.lstrip()), start + len(part.rstrip()))
