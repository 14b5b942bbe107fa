"""Evidence ready to be shown, as data: eight kinds of panel and the page that holds them.

An app returns panels and never writes HTML; every renderer knows these kinds and no others. Text
may come from models and data sets: nothing here is markup, renderers escape all of it. Values that
are not finite are allowed (a score can be NaN) and survive a round trip through JSON.
"""

import base64
import binascii
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, TypeAdapter, model_validator

from proveout.kernel.types import Finding, Frozen, Severity

Cell = str | bool | int | float | None
Status = Literal["accepted", "rejected", "pending"]
Direction = Literal["higher", "lower"]

DEEPEST_TREE = 50
"""Levels; deeper values could be built but not written as JSON."""


class Shown(Frozen):
    """A value of the page; NaN and infinities are written as strings, which JSON can hold."""

    model_config = ConfigDict(ser_json_inf_nan="strings")


class Titled(Shown):
    """What every panel has."""

    title: str
    note: str = ""
    """A caption: where it comes from, what was left out, how to read it."""


class Text(Titled):
    """Plain text. Blank lines part paragraphs; `- ` lists, `code` and **strong** are understood."""

    kind: Literal["text"] = "text"
    text: str
    severity: Severity | None = None


class Column(Shown):
    name: str
    align: Literal["auto", "left", "right", "center"] = "auto"
    """`auto` puts columns of numbers to the right and everything else to the left."""
    digits: int | None = Field(default=None, ge=0, le=12)
    """Decimal places, so that the points stand in one line; None shows what a number needs."""


class Bar(Shown):
    """Draws the numbers of one column as bars as well."""

    column: str
    full: float | None = None
    """The value of a full bar; None takes the largest in the column."""
    mark: float | None = None
    """A value to mark on every bar, such as the threshold of a warning."""


class Table(Titled):
    kind: Literal["table"] = "table"
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    bar: Bar | None = None
    more: int = Field(default=0, ge=0)
    """Rows that exist and were left out by whoever made the panel."""

    @model_validator(mode="after")
    def _rows_fit(self) -> Self:
        _require_width(self.rows, len(self.columns))
        if self.bar is not None and self.bar.column not in {c.name for c in self.columns}:
            message = f"the bars are for a column that is not there: {self.bar.column!r}"
            raise ValueError(message)
        return self


class Code(Titled):
    kind: Literal["code"] = "code"
    text: str
    language: str = "text"
    """A Pygments name; an unknown one is shown without colours."""
    first_line: int = Field(default=1, ge=0)
    highlight: tuple[int, ...] = ()
    """Numbers of the lines to point at, counted as they are shown."""


class Diff(Titled):
    kind: Literal["diff"] = "diff"
    before: str
    after: str
    language: str = "text"
    before_name: str = "before"
    after_name: str = "after"


class Series(Shown):
    name: str
    values: tuple[float | None, ...]
    """One per label; None leaves a gap."""
    errors: tuple[float | None, ...] = ()
    """Half widths of the error bars; empty for none."""
    joined: bool = True
    """Whether a `line` leads from each value to the next; otherwise they are dots."""

    @model_validator(mode="after")
    def _errors_fit(self) -> Self:
        if self.errors and len(self.errors) != len(self.values):
            message = f"{self.name!r} has {len(self.values)} values but {len(self.errors)} errors"
            raise ValueError(message)
        return self


class Reference(Shown):
    """A line to compare with: a baseline, a threshold."""

    value: float
    label: str = ""


class Range(Shown):
    """What a value can be, from `low` to `high`, and which end is the good one."""

    low: float
    high: float
    direction: Direction | None = None


class Chart(Titled):
    """`line` over ordered labels, `bars` per label, `range` per label on its own scale, `spark`."""

    kind: Literal["chart"] = "chart"
    form: Literal["line", "bars", "range", "spark"]
    series: tuple[Series, ...]
    labels: tuple[str, ...] = ()
    """Names along the x axis; empty counts from 1."""
    places: tuple[float, ...] = ()
    """Where the values of a `line` stand on the x axis, in ascending order; empty: evenly."""
    ranges: tuple[Range, ...] = ()
    """One per label, for `range` only."""
    x_label: str = ""
    y_label: str = ""
    reference: Reference | None = None
    direction: Direction | None = None
    """Which end of the y axis is better."""

    @model_validator(mode="after")
    def _series_fit(self) -> Self:
        lengths = {len(series.values) for series in self.series}
        if len(lengths) > 1:
            message = "the series of a chart have different lengths"
            raise ValueError(message)
        length = lengths.pop() if lengths else 0
        if self.labels and len(self.labels) != length:
            message = f"{len(self.labels)} labels for series of {length} values"
            raise ValueError(message)
        if self.places and (self.form != "line" or len(self.places) != length):
            message = "a line chart has one place per value or none, and no other chart has any"
            raise ValueError(message)
        if list(self.places) != sorted(self.places):
            message = "the places of a chart ascend"
            raise ValueError(message)
        if len(self.ranges) != (length if self.form == "range" else 0):
            message = "a range chart has one range per value, and no other chart has any"
            raise ValueError(message)
        return self

    @property
    def length(self) -> int:
        return len(self.series[0].values) if self.series else 0

    @property
    def names(self) -> tuple[str, ...]:
        """The labels, given or counted."""
        return self.labels or tuple(str(number) for number in range(1, self.length + 1))


class Node(Shown):
    label: str
    note: str = ""
    status: Status = "pending"
    score: float | None = None
    children: tuple["Node", ...] = ()


class Tree(Titled):
    kind: Literal["tree"] = "tree"
    nodes: tuple[Node, ...] = ()

    @model_validator(mode="after")
    def _not_too_deep(self) -> Self:
        level: tuple[Node, ...] = self.nodes
        for _ in range(DEEPEST_TREE):
            level = tuple(child for node in level for child in node.children)
        if level:
            message = f"a tree has at most {DEEPEST_TREE} levels"
            raise ValueError(message)
        return self


class Bitmap(Shown):
    """A picture by its bytes or by the id of a blob; of no kind that can carry script."""

    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"] = "image/png"
    base64: str = ""
    blob: str = ""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if bool(self.base64) == bool(self.blob):
            message = "a bitmap has either bytes or a blob id"
            raise ValueError(message)
        try:
            base64.b64decode(self.base64, validate=True)
        except (binascii.Error, ValueError) as error:
            message = f"the bytes of a bitmap are not base64: {error}"
            raise ValueError(message) from error
        return self


class Image(Titled):
    kind: Literal["image"] = "image"
    base: Bitmap
    overlay: Bitmap | None = None
    """A heat map of the same size, laid over the base by a slider."""
    caption: str = ""
    alt: str = ""
    """What a reader who cannot see it should know; the caption if empty."""


class Sql(Titled):
    kind: Literal["sql"] = "sql"
    query: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    more: int = Field(default=0, ge=0)
    """Rows of the answer that were left out by whoever made the panel."""

    @model_validator(mode="after")
    def _rows_fit(self) -> Self:
        _require_width(self.rows, len(self.columns))
        return self


Panel = Annotated[
    Text | Table | Code | Diff | Chart | Tree | Image | Sql, Field(discriminator="kind")
]
PANELS: TypeAdapter[Panel] = TypeAdapter(Panel)


class Fact(Shown):
    """A figure for the head of a page, ready to read."""

    name: str
    value: str


class Section(Shown):
    title: str
    panels: tuple[Panel, ...] = ()


class Case(Shown):
    """An attempt as a test report tells it."""

    group: str
    """The loop that it belongs to."""
    name: str
    status: Status
    findings: tuple[Finding, ...] = ()
    repaired: bool = False
    """Rejected, and a later attempt of the same loop was accepted."""
    seconds: float = 0.0


class Page(Shown):
    """What a reader sees: the verdict first, then the evidence."""

    title: str
    subtitle: str = ""
    status: Status = "pending"
    verdict: str = ""
    """One line: what was decided and why."""
    facts: tuple[Fact, ...] = ()
    sections: tuple[Section, ...] = ()
    cases: tuple[Case, ...] = ()
    footer: str = ""


def bitmap(
    content: bytes,
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"] = "image/png",
) -> Bitmap:
    """A bitmap that carries its bytes."""
    return Bitmap(media_type=media_type, base64=base64.b64encode(content).decode("ascii"))


def _require_width(rows: tuple[tuple[Cell, ...], ...], width: int) -> None:
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            message = f"row {number} has {len(row)} cells for {width} columns"
            raise ValueError(message)
