"""Draws a Chart with matplotlib as an SVG that can live inside a page.

Matplotlib's SVG is taken apart and put together again: its style sheet would leak into the page,
its ids would clash with the next chart's, its style attributes are forbidden by the page's security
policy, its colours know neither light nor dark. What comes out has presentation attributes only,
ids under a prefix, and colours as CSS variables with a fallback.
"""

import io
import math
import threading
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.rcsetup import cycler

from proveout.kernel.panels import Chart, Series
from proveout.report.neutral import neutral
from proveout.report.shape import better, finite, part_of, thinned
from proveout.report.wording import number, shortened

# Stand-ins that matplotlib draws with; each becomes a variable of the page.
_INK, _FAINT, _REFERENCE = "#010101", "#020202", "#030303"
_SERIES = ("#040404", "#050505", "#060606", "#070707", "#080808", "#090909")
_VARIABLES = {
    _INK: "var(--muted, #57606a)",
    _FAINT: "var(--rule, #d0d7de)",
    _REFERENCE: "var(--ink, #1f2328)",
    **{
        stand_in: f"var(--series-{place}, {colour})"
        for place, (stand_in, colour) in enumerate(
            zip(
                _SERIES,
                ("#0b5cad", "#b35900", "#1a7f4b", "#8250df", "#c2255c", "#5c6670"),
                strict=True,
            ),
            start=1,
        )
    },
}
_DASHES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_MOST_NAMES = 12
_MOST_SERIES = 12
_WIDTH = 7.6
# Matplotlib reads these from global settings; they are set for the moment of drawing only.
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "proveout",
    "text.parse_math": False,
    "text.usetex": False,
    "axes.unicode_minus": True,
    "axes.formatter.use_mathtext": False,
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "path.simplify": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "axes.prop_cycle": cycler(color=_SERIES),
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _FAINT,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "grid.color": _FAINT,
    "grid.linewidth": 0.6,
}
_DRAWING = threading.Lock()

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"


def svg(chart: Chart, prefix: str = "chart") -> str:
    """The chart as one `<svg>` element; `prefix` keeps its ids apart from others on the page."""
    chart, _ = thinned(chart)
    with _DRAWING, mpl.rc_context(), warnings.catch_warnings():
        # A reader's own matplotlib settings must not change a report.
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        # A letter that the measuring font lacks is drawn by the reader's own font all the same.
        warnings.simplefilter("ignore")
        layout = ConstrainedLayoutEngine()
        figure = Figure(figsize=_size(chart), layout=layout)
        canvas = FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        _draw(axes, chart)
        # `savefig` would draw everything once more, only to find the layout.
        layout.execute(figure)
        figure.set_layout_engine("none")
        out = io.BytesIO()
        canvas.print_svg(out, metadata={"Date": None})  # type: ignore[no-untyped-call]
    return _adapted(out.getvalue(), chart, prefix)


def _size(chart: Chart) -> tuple[float, float]:
    if chart.form == "spark":
        return 3.6, 0.6
    if chart.form == "range":
        return _WIDTH, 0.25 + 0.3 * max(1, min(chart.length, 60))
    return _WIDTH, 2.7


def _draw(axes: Axes, chart: Chart) -> None:
    drawn = any(finite(value) is not None for s in chart.series for value in s.values)
    if not drawn:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "no values to draw", ha="center", va="center", color=_INK)
        return
    {"line": _line, "bars": _bars, "range": _ranges, "spark": _spark}[chart.form](axes, chart)


def _gaps(values: Iterable[float | None]) -> list[float]:
    return [math.nan if finite(value) is None else float(value or 0.0) for value in values]


def _line(axes: Axes, chart: Chart) -> None:
    places = chart.places or range(chart.length)
    # Marks on a line are not to hide the dots beside it.
    few = chart.length <= 60 and all(series.joined for series in chart.series)
    for index, series in enumerate(chart.series[:_MOST_SERIES]):
        style: dict[str, Any] = {
            "color": _SERIES[index % len(_SERIES)],
            "linestyle": _DASHES[index % len(_DASHES)] if series.joined else "None",
            "linewidth": 1.6,
            "marker": _MARKERS[index % len(_MARKERS)] if few or not series.joined else "None",
            "markersize": 4 if few else 3,
            "zorder": 2 if series.joined else 3,
            "label": _legend_name(series.name),
        }
        values = _gaps(series.values)
        if series.errors:
            axes.errorbar(places, values, yerr=_widths(series), capsize=3, **style)
        else:
            axes.plot(places, values, **style)
    _frame(axes, chart)


def _bars(axes: Axes, chart: Chart) -> None:
    several = chart.series[:_MOST_SERIES]
    # Few bars look better slim than wide.
    width = (0.8 if chart.length * len(several) > 6 else 0.5) / len(several)
    for index, series in enumerate(several):
        shift = (index - (len(several) - 1) / 2) * width
        places = [place + shift for place in range(chart.length)]
        axes.bar(
            places,
            _gaps(series.values),
            width=width * 0.92,
            color=_SERIES[index % len(_SERIES)],
            label=_legend_name(series.name),
            yerr=_widths(series) if series.errors else None,
            ecolor=_INK,
            capsize=3,
        )
    _frame(axes, chart)
    axes.spines["bottom"].set_visible(False)
    axes.axhline(0, color=_INK, linewidth=0.8)


def _spark(axes: Axes, chart: Chart) -> None:
    axes.set_axis_off()
    for index, series in enumerate(chart.series[:_MOST_SERIES]):
        values = _gaps(series.values)
        colour = _SERIES[index % len(_SERIES)]
        axes.plot(range(len(values)), values, color=colour, linewidth=1.4)
        last = max(place for place, value in enumerate([0.0, *values]) if not math.isnan(value))
        if last:
            axes.plot([last - 1], [values[last - 1]], marker="o", markersize=4, color=colour)
    axes.margins(x=0.02, y=0.15)


def _ranges(axes: Axes, chart: Chart) -> None:
    """Each value on its own scale: the track is what it can be, the end to reach for is named."""
    rows = min(chart.length, 60)
    for row, (name, bounds) in enumerate(zip(chart.names[:rows], chart.ranges, strict=False)):
        axes.plot([0, 1], [row, row], color=_FAINT, linewidth=6, solid_capstyle="round")
        axes.text(-0.5, row, _label(name, 26), ha="left", va="center", color=_REFERENCE)
        shown = []
        for index, series in enumerate(chart.series[:_MOST_SERIES]):
            place = part_of(series.values[row], bounds)
            if place is not None:
                marker, colour = _MARKERS[index % len(_MARKERS)], _SERIES[index % len(_SERIES)]
                axes.plot(
                    [place], [row], marker=marker, markersize=7, color=colour, linestyle="None"
                )
                shown.append(number(series.values[row] or 0.0))
        axes.text(1.03, row, " / ".join(shown), ha="left", va="center", color=_REFERENCE)
        ends = f"{number(bounds.low)} to {number(bounds.high)}"
        wish = f", {bounds.direction} is better" if bounds.direction else ""
        axes.text(1.2, row, ends + wish, ha="left", va="center", color=_INK)
    axes.set_xlim(-0.5, 1.75)
    axes.set_ylim(rows - 0.5, -0.6)
    axes.set_axis_off()
    _legend(axes, chart)


def _widths(series: Series) -> list[float]:
    return [abs(finite(value) or 0.0) for value in series.errors]


def _frame(axes: Axes, chart: Chart) -> None:
    if not chart.places:
        _name_places(axes, chart)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0, pad=5)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.set_xlabel(_label(chart.x_label, 60))
    told = [part for part in (_label(chart.y_label, 40), better(chart)) if part]
    axes.set_title(", ".join(told), loc="left", fontsize=9, color=_INK)
    level = finite(chart.reference.value) if chart.reference else None
    if chart.reference and level is not None:
        axes.axhline(level, color=_REFERENCE, linewidth=1, linestyle=(0, (5, 3)))
        axes.annotate(
            _label(chart.reference.label or number(level), 40),
            xy=(1, level),
            xycoords=("axes fraction", "data"),
            # Beside the plot: above the line it would stand on a bar.
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=_REFERENCE,
        )
    _legend(axes, chart)


def _name_places(axes: Axes, chart: Chart) -> None:
    step = max(1, math.ceil(chart.length / _MOST_NAMES))
    places = range(0, chart.length, step)
    names = [_label(chart.names[place], 18) for place in places]
    crowded = sum(map(len, names)) > 90
    axes.set_xticks(
        list(places), names, rotation=30 if crowded else 0, ha="right" if crowded else "center"
    )


def _legend(axes: Axes, chart: Chart) -> None:
    if len(chart.series) < 2:
        return
    if chart.form == "range":
        for index, series in enumerate(chart.series[:_MOST_SERIES]):
            axes.plot(
                [], [], linestyle="None", marker=_MARKERS[index % len(_MARKERS)],
                color=_SERIES[index % len(_SERIES)], label=_legend_name(series.name),
            )  # fmt: skip
    handles, labels = axes.get_legend_handles_labels()
    order = [_legend_name(series.name) for series in chart.series]
    # Matplotlib lists what has error bars last; a reader expects the order of the data.
    pairs = sorted(zip(handles, labels, strict=True), key=lambda pair: order.index(pair[1]))
    axes.legend(
        [handle for handle, _ in pairs], [label for _, label in pairs],
        loc="lower right", bbox_to_anchor=(1, 1), ncols=4, frameon=False, borderaxespad=0.2,
        handlelength=2.4,
    )  # fmt: skip


def _label(text: str, most: int) -> str:
    return shortened(neutral(text), most)


def _legend_name(name: str) -> str:
    """Matplotlib leaves names with a leading underscore out of the legend; ours are data."""
    text = _label(name, 30) or "unnamed"
    return f"\u200b{text}" if text.startswith("_") else text


def _adapted(drawn: bytes, chart: Chart, prefix: str) -> str:
    root = ET.fromstring(drawn)
    names: dict[str, str] = {}
    for element in root.iter():
        if "id" in element.attrib:
            names[element.attrib["id"]] = f"{prefix}-{len(names) + 1}"
    for element in root.iter():
        _unstyle(element)
        _rename(element, names)
    _prune(root)
    width, height = root.attrib["viewBox"].split()[2:]
    root.attrib.clear()
    root.attrib.update(
        {
            "xmlns": _SVG,
            "viewBox": f"0 0 {width} {height}",
            "class": f"chart {chart.form}",
            "role": "img",
            "aria-label": _label(chart.title, 120) or "chart",
            "stroke-linejoin": "round",
            "stroke-linecap": "butt",
        }
    )
    return ET.tostring(root, encoding="unicode")


def _prune(root: ET.Element) -> None:
    """Drop what nobody needs: metadata, style sheets, unused ids, empty groups, indentation."""
    values = [value for element in root.iter() for value in element.attrib.values()]
    used = {value[1:] for value in values if value.startswith("#")}
    used |= {value[5:-1] for value in values if value.startswith("url(#")}
    # Children come after their parents, so that a group emptied here is seen to be empty.
    for parent in reversed(list(root.iter())):
        if parent.attrib.get("id") not in used:
            parent.attrib.pop("id", None)
        parent.tail = None
        if len(parent):
            parent.text = None
        for child in list(parent):
            child.tag = child.tag.removeprefix(f"{{{_SVG}}}")
            hollow = child.tag in {"g", "defs"} and not len(child)
            if hollow or child.tag in {"metadata", "style"}:
                parent.remove(child)
    root.tag = "svg"


def _unstyle(element: ET.Element) -> None:
    """Style attributes become presentation attributes; fonts are left to the page."""
    declared = element.attrib.pop("style", "")
    for declaration in declared.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name == "font-size":
            element.attrib[name] = value.removesuffix("px")
        elif name and name not in {"font-family", "-inkscape-stroke"}:
            element.attrib[name] = value
    if element.attrib.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    for name in ("fill", "stroke"):
        if element.attrib.get(name) in _VARIABLES:
            element.attrib[name] = _VARIABLES[element.attrib[name]]


def _rename(element: ET.Element, names: dict[str, str]) -> None:
    attributes = element.attrib
    if "id" in attributes:
        attributes["id"] = names[attributes["id"]]
    for name in list(attributes):
        value = attributes[name]
        if name == f"{{{_XLINK}}}href":
            # The plain attribute is understood by every browser and needs no second namespace.
            attributes["href"] = "#" + names[attributes.pop(name)[1:]]
        elif value.startswith("url(#"):
            attributes[name] = f"url(#{names[value[5:-1]]})"
