import math
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proveout.kernel.panels import Chart, Range, Reference, Series
from proveout.report.charts import svg
from tests.unit.report.examples import panels

CHARTS = [panel for panel in panels() if isinstance(panel, Chart)]
FORMS = ("line", "bars", "range", "spark")


def texts(drawn: str) -> list[str]:
    return [
        element.text or ""
        for element in ET.fromstring(drawn).iter()
        if element.tag.endswith("text")
    ]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.form)
def test_a_chart_is_well_formed_and_the_same_every_time(chart: Chart) -> None:
    drawn = svg(chart)
    assert drawn == svg(chart)
    root = ET.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["aria-label"] == chart.title


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.form)
def test_a_chart_leaves_style_and_addresses_to_the_page(chart: Chart) -> None:
    drawn = svg(chart)
    assert "<style" not in drawn
    assert "style=" not in drawn
    assert "<metadata" not in drawn
    assert re.findall(r"https?://[^\"]*", drawn) == ["http://www.w3.org/2000/svg"]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.form)
def test_every_colour_is_a_variable_of_the_page(chart: Chart) -> None:
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg(chart)))
    assert colours
    assert all(colour == "none" or colour.startswith("var(--") for colour in colours)


def test_two_charts_on_a_page_share_no_id() -> None:
    first, second = svg(CHARTS[0], "a"), svg(CHARTS[0], "b")
    ids = [set(re.findall(r' id="([^"]+)"', drawn)) for drawn in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for drawn, known in zip((first, second), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]+)\)", drawn)) <= known
        assert set(re.findall(r'href="#([^"]+)"', drawn)) <= known


def test_words_stay_words() -> None:
    shown = texts(svg(CHARTS[0]))
    for words in (
        "accuracy, higher is better",
        "validation",
        "training",
        "baseline 0.786",
        "encode",
    ):
        assert words in shown


def test_a_range_tells_value_bounds_and_direction() -> None:
    chart = next(chart for chart in CHARTS if chart.form == "range")
    shown = texts(svg(chart))
    assert {"BRISQUE", "38.2", "0 to 100, lower is better"} <= set(shown)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("values", [(), (None, None), (math.nan, math.inf)])
def test_nothing_to_draw_is_said(form: str, values: tuple[float | None, ...]) -> None:
    chart = Chart.model_validate(
        {
            "title": "c",
            "form": form,
            "series": [{"name": "s", "values": values}],
            "ranges": [{"low": 0, "high": 1}] * len(values) if form == "range" else [],
        }
    )
    assert texts(svg(chart)) == ["no values to draw"]
    assert texts(svg(Chart(title="c", form="line", series=()))) == ["no values to draw"]


def test_names_from_data_are_not_mathematics_nor_hidden() -> None:
    chart = Chart(
        title='<script>"&',
        form="line",
        series=(
            Series(name="_hidden", values=(1, 2)),
            Series(name=r"$\frac{1}{", values=(2, 1)),
            Series(name="", values=(3, 1)),
        ),
        labels=("<b>", "漢字 \x1b[31m"),
        x_label="$x",
        reference=Reference(value=math.nan, label="nowhere"),
    )
    shown = texts(svg(chart))
    assert {"\u200b_hidden", r"$\frac{1}{", "unnamed", "<b>", "漢字 ␛[31m", "$x"} <= set(shown)
    assert "nowhere" not in shown


def test_a_long_axis_is_thinned() -> None:
    values = tuple(math.sin(n / 50) for n in range(3000))
    shown = texts(svg(Chart(title="c", form="line", series=(Series(name="s", values=values),))))
    assert len(shown) < 30
    named = Chart(
        title="c",
        form="bars",
        series=(Series(name="s", values=(1,) * 8),),
        labels=tuple(f"a rather long name {n}" for n in range(8)),
        reference=Reference(value=0.5),
    )
    assert "rotate(-30" in svg(named)
    assert "0.5" in texts(svg(named))


def test_values_stand_at_their_places() -> None:
    """A point at nine tenths of the way is drawn there, whatever its number."""
    values = Series(name="s", values=(1.0, 2.0, 3.0))
    chart = Chart(title="c", form="line", series=(values,), labels=("0", "9", "10"))
    even, placed = (svg(it) for it in (chart, chart.model_copy(update={"places": (0, 9, 10)})))
    assert _middle_of(even) == pytest.approx(0.5, abs=0.01)
    assert _middle_of(placed) == pytest.approx(0.9, abs=0.01)
    assert {"0", "2", "8", "10"} <= set(texts(placed))
    many = Chart(
        title="c",
        form="line",
        series=(Series(name="s", values=tuple(range(3000))),),
        places=tuple(range(3000)),
    )
    assert {"500", "2500"} <= set(texts(svg(many)))


def test_what_is_not_joined_is_dots() -> None:
    """However many they are; a line of so many has no marks."""

    def drawn(*, joined: bool) -> str:
        values = tuple(math.sin(n) for n in range(100))
        series = (Series(name="s", values=values, joined=joined),)
        return svg(Chart(title="c", form="line", series=series))

    line, dots = drawn(joined=True), drawn(joined=False)
    assert (line.count("<use"), dots.count("<use")) == (0, 100)
    assert len(max(re.findall(r' d="([^"]*)"', dots), key=len)) < 500 < len(line)


def test_a_line_beside_dots_has_no_marks_to_hide_them() -> None:
    values = (1.0, 2.0, 3.0)
    line, dots = Series(name="l", values=values), Series(name="d", values=values, joined=False)
    both = svg(Chart(title="c", form="line", series=(dots, line)))
    assert both.index("<use") > both.index("stroke-dasharray")
    # Three dots, and one in the legend.
    assert both.count("<use") == 4


def test_the_name_of_a_level_stands_beside_the_bars() -> None:
    bars = Series(name="s", values=(0.2, -1.0, 0.3))
    reference = Reference(value=0.0, label="unchanged")
    drawn = svg(Chart(title="c", form="bars", series=(bars,), reference=reference))
    level = re.search(r"<path [^>]*dasharray[^>]*>", drawn)
    name = re.search(r"<text[^>]*>unchanged", drawn)
    assert level is not None
    assert name is not None
    assert _places_in(name[0])[0] > max(_places_in(level[0]))


def _places_in(element: str) -> list[float]:
    """How far to the right an element is, or each end of a line."""
    return [float(it) for it in re.findall(r'(?:x="|translate\(|[ML] )([0-9.]+)', element)]


def _middle_of(drawn: str) -> float:
    """Where the second of three marks is, from the first to the last."""
    marks = re.findall(r'<use x="([0-9.]+)"', drawn)
    first, middle, last = sorted(map(float, marks))
    return (middle - first) / (last - first)


def test_several_ranges_have_a_legend() -> None:
    chart = Chart(
        title="c",
        form="range",
        series=(Series(name="first", values=(0.1, None)), Series(name="second", values=(0.9, 0.2))),
        labels=("a", "b"),
        ranges=(Range(low=0, high=1), Range(low=1, high=1)),
    )
    assert {"first", "second", "0.1 / 0.9"} <= set(texts(svg(chart)))


def test_a_spark_may_start_with_gaps() -> None:
    chart = Chart(
        title="c",
        form="spark",
        series=(Series(name="a", values=(None, 1.0)), Series(name="b", values=(None, None))),
    )
    assert texts(svg(chart)) == []


def test_drawing_leaves_the_settings_alone_and_can_be_done_by_threads() -> None:
    before = dict(mpl.rcParams)
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(svg, [CHARTS[0], CHARTS[1]] * 2))
    assert drawn == [svg(CHARTS[0]), svg(CHARTS[1])] * 2
    assert dict(mpl.rcParams) == before


def test_settings_of_the_user_do_not_change_a_chart() -> None:
    expected = svg(CHARTS[0])
    with mpl.rc_context({"lines.linewidth": 9, "axes.facecolor": "red", "font.size": 30}):
        assert svg(CHARTS[0]) == expected
        assert mpl.rcParams["font.size"] == 30


NUMBERS = st.one_of(st.none(), st.floats(), st.floats(-1e3, 1e3))


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(FORMS), st.lists(NUMBERS, min_size=1, max_size=4), st.floats())
def test_any_numbers_can_be_drawn(form: str, values: list[float | None], level: float) -> None:
    chart = Chart.model_validate(
        {
            "title": "c",
            "form": form,
            "series": [{"name": "s", "values": values, "errors": values}],
            "ranges": [{"low": level, "high": 1}] * len(values) if form == "range" else [],
            "reference": {"value": level},
        }
    )
    assert ET.fromstring(svg(chart)).tag.endswith("svg")
