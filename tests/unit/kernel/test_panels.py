import math

import pytest
from pydantic import ValidationError

from proveout.kernel.panels import (
    DEEPEST_TREE,
    PANELS,
    Bar,
    Bitmap,
    Chart,
    Code,
    Column,
    Image,
    Node,
    Page,
    Panel,
    Range,
    Section,
    Series,
    Sql,
    Table,
    Text,
    Tree,
    bitmap,
)
from tests.unit.report.examples import panels


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: f"{panel.kind}-{panel.title}")
def test_every_kind_survives_json(panel: Panel) -> None:
    again = PANELS.validate_json(PANELS.dump_json(panel))
    assert PANELS.dump_json(again) == PANELS.dump_json(panel)
    assert type(again) is type(panel)


def test_the_examples_hold_all_eight_kinds() -> None:
    kinds = {panel.kind for panel in panels()}
    assert kinds == {"text", "table", "code", "diff", "chart", "tree", "image", "sql"}


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValidationError, match="union_tag_invalid"):
        PANELS.validate_python({"kind": "html", "title": "x", "text": "<b>"})


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        PANELS.validate_python({"kind": "text", "title": "x", "text": "", "html": "<b>"})


def test_a_panel_cannot_be_changed() -> None:
    panel = Text(title="x", text="y")
    with pytest.raises(ValidationError, match="frozen"):
        panel.text = "z"  # type: ignore[misc]


def test_cells_keep_their_types() -> None:
    cells = ("1", True, 1, 1.5, None)
    table = Table(title="t", columns=tuple(Column(name=c) for c in "abcde"), rows=(cells,))
    again = Table.model_validate_json(table.model_dump_json())
    assert [type(cell) for cell in again.rows[0]] == [str, bool, int, float, type(None)]


def test_a_score_that_is_not_a_number_survives_json() -> None:
    node = Node.model_validate_json(Node(label="a", score=math.nan).model_dump_json())
    assert node.score is not None
    assert math.isnan(node.score)


def test_a_row_of_the_wrong_width_is_refused() -> None:
    with pytest.raises(ValidationError, match="row 2 has 1 cells for 2 columns"):
        Table(title="t", columns=(Column(name="a"), Column(name="b")), rows=((1, 2), (1,)))
    with pytest.raises(ValidationError, match="row 1 has 1 cells for 0 columns"):
        Sql(title="t", query="SELECT 1", rows=((1,),))


def test_bars_need_their_column() -> None:
    with pytest.raises(ValidationError, match="column that is not there: 'b'"):
        Table(title="t", columns=(Column(name="a"),), bar=Bar(column="b"))


def test_error_bars_fit_their_values() -> None:
    with pytest.raises(ValidationError, match="2 values but 1 errors"):
        Series(name="s", values=(1, 2), errors=(0.1,))


def test_series_of_one_chart_have_one_length() -> None:
    with pytest.raises(ValidationError, match="different lengths"):
        Chart(
            title="c",
            form="line",
            series=(Series(name="a", values=(1,)), Series(name="b", values=())),
        )


def test_labels_fit_the_series() -> None:
    with pytest.raises(ValidationError, match="1 labels for series of 2 values"):
        Chart(title="c", form="bars", series=(Series(name="a", values=(1, 2)),), labels=("x",))


@pytest.mark.parametrize(("form", "ranges"), [("range", 0), ("range", 2), ("line", 1)])
def test_only_a_range_chart_has_ranges_and_one_per_value(form: str, ranges: int) -> None:
    with pytest.raises(ValidationError, match="one range per value"):
        Chart.model_validate(
            {
                "title": "c",
                "form": form,
                "series": [{"name": "a", "values": [1]}],
                "ranges": [{"low": 0, "high": 1}] * ranges,
            }
        )


@pytest.mark.parametrize(
    ("form", "places", "problem"),
    [
        ("line", (1.0,), "one place per value"),
        ("bars", (1.0, 2.0), "one place per value"),
        ("line", (2.0, 1.0), "ascend"),
    ],
)
def test_only_a_line_has_places_and_they_ascend(
    form: str, places: tuple[float, ...], problem: str
) -> None:
    chart = {"title": "c", "form": form, "series": [{"name": "a", "values": [1, 2]}]}
    with pytest.raises(ValidationError, match=problem):
        Chart.model_validate({**chart, "places": places})
    placed = Chart.model_validate({**chart, "form": "line", "places": (1.0, 1.0)})
    assert placed.places == (1.0, 1.0)


def test_a_chart_counts_where_it_has_no_labels() -> None:
    assert Chart(title="c", form="spark", series=(Series(name="a", values=(5, 6)),)).names == (
        "1",
        "2",
    )
    assert Chart(title="c", form="spark", series=()).names == ()
    named = Chart(title="c", form="line", series=(Series(name="a", values=(5,)),), labels=("x",))
    assert named.names == ("x",)


def test_a_tree_is_as_deep_as_json_can_hold() -> None:
    node = Node(label="leaf")
    for _ in range(DEEPEST_TREE - 1):
        node = Node(label="branch", children=(node,))
    tree = Tree(title="t", nodes=(node,))
    assert Tree.model_validate_json(tree.model_dump_json()) == tree
    with pytest.raises(ValidationError, match="at most 50 levels"):
        Tree(title="t", nodes=(Node(label="one more", children=(node,)),))


def test_a_bitmap_has_one_source() -> None:
    assert Bitmap(blob="sha256:aa").base64 == ""
    assert bitmap(b"abc").base64 == "YWJj"
    for wrong in ({}, {"blob": "sha256:aa", "base64": "YWJj"}):
        with pytest.raises(ValidationError, match="either bytes or a blob id"):
            Bitmap.model_validate(wrong)


def test_bytes_of_a_bitmap_are_base64() -> None:
    with pytest.raises(ValidationError, match="not base64"):
        Bitmap(base64='"><script>')
    with pytest.raises(ValidationError, match="not base64"):
        Bitmap(base64="é")


def test_a_bitmap_cannot_carry_script() -> None:
    with pytest.raises(ValidationError, match="literal_error"):
        Bitmap.model_validate({"blob": "sha256:aa", "media_type": "image/svg+xml"})


def test_a_page_survives_json() -> None:
    chart = Chart(
        title="r",
        form="range",
        series=(Series(name="a", values=(0.5,)),),
        ranges=(Range(low=0, high=1, direction="lower"),),
    )
    image = Image(title="i", base=Bitmap(blob="sha256:aa"))
    page = Page(
        title="p",
        sections=(
            Section(
                title="s",
                panels=(chart, image, Code(title="c", text="")),
            ),
        ),
    )
    assert Page.model_validate_json(page.model_dump_json()) == page
