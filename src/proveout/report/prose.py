"""Reads the little that a Text panel may say beyond words: paragraphs, lists, `code`, **strong**.

The result is data, so that each renderer can escape and style it in its own way. Anything else that
looks like markup stays the text that it is.
"""

import re
from itertools import groupby
from typing import Literal, NamedTuple

_SPAN = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*")


class Span(NamedTuple):
    text: str
    style: Literal["plain", "code", "strong"] = "plain"


class Block(NamedTuple):
    style: Literal["paragraph", "list"]
    items: tuple[tuple[Span, ...], ...]
    """The items of a list; the lines of a paragraph."""


def blocks(text: str) -> list[Block]:
    found: list[Block] = []
    for style, lines in groupby(text.split("\n"), key=_style):
        if style != "blank":
            found.append(Block(style, tuple(spans(_content(line, style)) for line in lines)))
    return found


def _style(line: str) -> Literal["blank", "paragraph", "list"]:
    if not line.strip():
        return "blank"
    return "list" if line.lstrip().startswith("- ") else "paragraph"


def _content(line: str, style: str) -> str:
    return line.strip().removeprefix("- ") if style == "list" else line


def spans(line: str) -> tuple[Span, ...]:
    """The line cut at its `code` and **strong** words."""
    cut: list[Span] = []
    end = 0
    for match in _SPAN.finditer(line):
        if match.start() > end:
            cut.append(Span(line[end : match.start()]))
        code, strong = match.groups()
        cut.append(Span(code, "code") if code is not None else Span(strong, "strong"))
        end = match.end()
    if end < len(line) or not cut:
        cut.append(Span(line[end:]))
    return tuple(cut)
