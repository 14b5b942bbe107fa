import math

from hypothesis import given
from hypothesis import strategies as st

from proveout.kernel.panels import Bar, Chart, Column, Node, Range, Series, Sql, Table
from proveout.report.shape import (
    DiffLine,
    Piece,
    branches,
    difference,
    grid,
    part_of,
    thinned,
    values_table,
    with_bars,
)


def table(*rows: tuple[float | str | None, ...], **fields: object) -> Table:
    columns = [{"name": f"c{index}"} for index in range(len(rows[0]))]
    return Table.model_validate({"title": "t", "columns": columns, "rows": rows, **fields})


def test_numbers_stand_right_and_words_left() -> None:
    shaped = grid(table((1, "a", None), (2.5, 3, None)), 10)
    assert [column.align for column in shaped.columns] == ["right", "left", "left"]
    chosen = Table(title="t", columns=(Column(name="a", align="center"),), rows=((1,),))
    assert grid(chosen, 10).columns[0].align == "center"


def test_a_long_table_says_how_much_is_missing() -> None:
    shaped = grid(table(*((n,) for n in range(1000)), more=5), 20)
    assert len(shaped.rows) == 20
    assert shaped.more == "985 more rows not shown"
    one = grid(Sql(title="t", query="", columns=("a",), rows=((1,),), more=1), 20)
    assert one.more == "1 more row not shown"


def test_bars_are_parts_of_the_largest_or_of_a_full_value() -> None:
    shaped = grid(table((2,), (4,), (-1,), (None,), (math.nan,), bar={"column": "c0"}), 10)
    parts = [row[0].bar.part if row[0].bar else None for row in shaped.rows]
    assert parts == [0.5, 1.0, 0.0, None, None]
    marked = grid(table((90,), (50,), bar={"column": "c0", "full": 100, "mark": 80}), 10)
    bars = [row[0].bar for row in marked.rows]
    assert [(b.part, b.mark, b.over) for b in bars if b] == [(0.9, 0.8, True), (0.5, 0.8, False)]


def test_bars_need_something_to_measure() -> None:
    columns = (Column(name="a"), Column(name="b"))
    rows = ((True, 1), ("x", 2))
    shaped = grid(Table(title="t", columns=columns, rows=rows, bar=Bar(column="a")), 10)
    assert all(cell.bar is None for row in shaped.rows for cell in row)
    assert grid(table((0,), bar={"column": "c0"}), 10).rows[0][0].bar is None


def test_a_tree_is_told_from_top_to_bottom() -> None:
    nodes = (
        Node(label="a", children=(Node(label="b"), Node(label="c"))),
        Node(label="d"),
    )
    shown, left = branches(nodes, 10)
    assert [(b.node.label, b.depth, b.last) for b in shown] == [
        ("a", 0, False),
        ("b", 1, False),
        ("c", 1, True),
        ("d", 0, True),
    ]
    assert left == 0
    assert branches(nodes, 1)[1] == 3


def test_a_thinned_chart_keeps_both_ends() -> None:
    values = tuple(float(n) for n in range(5000))
    chart = Chart(
        title="c",
        form="range",
        series=(Series(name="s", values=values, errors=values),),
        ranges=(Range(low=0, high=1),) * 5000,
    )
    smaller, note = thinned(chart, 100)
    assert smaller.length == len(smaller.ranges) == len(smaller.series[0].errors) == 100
    assert (smaller.series[0].values[0], smaller.series[0].values[-1]) == (0.0, 4999.0)
    assert (smaller.names[0], smaller.names[-1]) == ("1", "5000")
    assert note == "100 of 5,000 points drawn"
    dots = Series(name="s", values=values, joined=False)
    thin = thinned(Chart(title="c", form="line", series=(dots,)), 10)[0].series[0]
    assert (thin.errors, thin.joined) == ((), False)
    assert thinned(smaller) == (smaller, "")


def test_the_values_of_a_chart_make_a_table() -> None:
    chart = Chart(
        title="c",
        form="range",
        series=(Series(name="a", values=(1, None), errors=(0.1, None)),),
        labels=("x", "y"),
        ranges=(Range(low=0, high=2, direction="lower"), Range(low=0, high=0)),
        x_label="metric",
    )
    found = values_table(chart)
    assert [c.name for c in found.columns] == ["metric", "a", "± a", "low", "high", "better"]
    assert found.rows == (("x", 1, 0.1, 0, 2, "lower"), ("y", None, None, 0, 0, None))
    barred = with_bars(chart)
    assert barred.rows[0][-1] == 50.0
    assert barred.rows[1][-1] is None


def test_only_a_single_series_is_drawn_as_bars() -> None:
    one = Series(name="a", values=(1,))
    assert with_bars(Chart(title="c", form="bars", series=(one,))).bar == Bar(column="a")
    assert with_bars(Chart(title="c", form="bars", series=(one, one))).bar is None


def test_a_value_has_a_place_in_its_range() -> None:
    assert part_of(5, Range(low=0, high=10)) == 0.5
    assert part_of(50, Range(low=0, high=10)) == 1.0
    assert part_of(math.nan, Range(low=0, high=10)) is None
    assert part_of(1, Range(low=-math.inf, high=10)) is None


def test_a_diff_marks_the_words_that_changed() -> None:
    found = difference("keep\nfit(max_iter=200)\n", "keep\nnew line here\nfit(max_iter=500)\n")
    assert found.lines == (
        DiffLine(" ", 1, 1, (Piece("keep"),)),
        DiffLine("-", 2, None, (Piece("fit(max_iter="), Piece("200", True), Piece(")"))),
        DiffLine("+", None, 2, (Piece("new line here"),)),
        DiffLine("+", None, 3, (Piece("fit(max_iter="), Piece("500", True), Piece(")"))),
    )
    assert (found.added, found.removed, found.note) == (2, 1, "")


def test_a_diff_leaves_out_what_is_far_from_a_change() -> None:
    lines = [str(n) for n in range(30)]
    found = difference("\n".join(lines), "\n".join(["x", *lines[1:15], "y", *lines[16:]]))
    gaps = [line.text for line in found.lines if line.sign == "@"]
    assert gaps == ["8 unchanged lines", "11 unchanged lines"]
    late = difference("\n".join(lines), "\n".join([*lines[:-1], "z"]))
    assert late.lines[0].text == "26 unchanged lines"


def test_equal_texts_have_no_difference() -> None:
    assert difference("a\nb", "a\nb").lines == ()
    assert difference("", "").lines == ()


def test_a_huge_diff_is_bounded_and_says_so() -> None:
    text = "\n".join(str(n) for n in range(5000))
    assert difference(text, text + "\nend").note == "2,001 more lines not compared"


def test_long_lines_and_long_changes_are_shown_whole() -> None:
    found = difference("a" * 500, "a" * 499 + "b")
    assert [line.pieces for line in found.lines] == [
        (Piece("a" * 500),),
        (Piece("a" * 499 + "b"),),
    ]
    many = difference(
        "\n".join(f"a {n}" for n in range(30)), "\n".join(f"b {n}" for n in range(30))
    )
    assert not any(piece.changed for line in many.lines for piece in line.pieces)


LINES = st.lists(st.text(alphabet="ab =1", max_size=6), max_size=12).map("\n".join)


@given(LINES, LINES)
def test_a_diff_holds_both_texts(before: str, after: str) -> None:
    found = difference(before, after)
    trimmed = before.endswith("\n") and after.endswith("\n")
    old = before.removesuffix("\n" if trimmed else "").split("\n")
    new = after.removesuffix("\n" if trimmed else "").split("\n")
    for line in found.lines:
        if line.before is not None:
            assert old[line.before - 1] == line.text
        if line.after is not None:
            assert new[line.after - 1] == line.text
    gone = {line.before for line in found.lines if line.sign == "-"}
    come = {line.after for line in found.lines if line.sign == "+"}
    assert [t for n, t in enumerate(old, 1) if n not in gone] == [
        t for n, t in enumerate(new, 1) if n not in come
    ]
