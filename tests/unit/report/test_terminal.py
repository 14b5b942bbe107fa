import io
import math
import os
import re
import subprocess
import sys

import pytest
from inline_snapshot import snapshot
from rich.console import Console

from proveout.kernel.panels import (
    Bitmap,
    Chart,
    Code,
    Column,
    Diff,
    Image,
    Node,
    Page,
    Panel,
    Section,
    Series,
    Sql,
    Table,
    Text,
    Tree,
)
from proveout.report.terminal import show, show_panel
from proveout.report.view import page_of
from tests.unit.report.examples import accepted_run, panels


def printed(page: Page, *, width: int = 80, encoding: str = "utf-8", colour: bool = False) -> str:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        legacy_windows=False,
    )
    show(page, console)
    out.flush()
    return raw.getvalue().decode(encoding)


def panel_text(panel: Panel) -> str:
    out = io.StringIO()
    show_panel(panel, Console(file=out, width=80, color_system=None, legacy_windows=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def test_the_last_line_is_the_verdict() -> None:
    lines = printed(page_of(accepted_run())).rstrip().splitlines()
    assert lines[0].startswith("mle: titanic · accuracy · higher")
    assert lines[-1] == "Accepted. A script without leakage that scores 0.8117; 4 attempts in 33 s."


def test_a_page_fits_eighty_columns() -> None:
    text = printed(page_of(accepted_run(), panels()))
    assert max(len(line) for line in text.splitlines()) <= 80
    assert text == printed(page_of(accepted_run(), panels()))


def test_an_ascii_terminal_gets_ascii() -> None:
    text = printed(page_of(accepted_run(), panels()), encoding="ascii")
    assert text.isascii()
    assert "candidate-2" in text
    assert "Zo\\xeb" in text


def test_no_colour_is_honoured() -> None:
    script = (
        "import sys; from rich.console import Console; from proveout.kernel.panels import Page;"
        "from proveout.report.terminal import show;"
        "show(Page(title='t', verdict='v', status='rejected'),"
        " Console(force_terminal=True, color_system='truecolor'))"
    )
    for no_color, coloured in (("1", False), ("", True)):
        environment = {**os.environ, "NO_COLOR": no_color, "TERM": "xterm-256color"}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert bool(re.search(r"\x1b\[[\d;]*3[0-9]", done.stdout)) is coloured


def test_a_tree() -> None:
    tree = next(panel for panel in panels() if isinstance(panel, Tree))
    assert panel_text(tree) == snapshot("""\
Plan
  acquire accepted
  ├─ employees/list accepted 1  74 rows
  └─ projects/get rejected  404
  write pending  waits for the proof\
""")


def test_a_deeper_tree_draws_its_lines() -> None:
    leaf = Node(label="leaf")
    inner = Node(label="inner", children=(leaf,))
    tree = Tree(title="t", nodes=(Node(label="root", children=(inner, inner)),))
    assert panel_text(tree) == snapshot("""\
t
  root pending
  ├─ inner pending
  │  └─ leaf pending
  └─ inner pending
     └─ leaf pending\
""")


def test_a_table_with_bars() -> None:
    table = next(panel for panel in panels() if isinstance(panel, Table))
    assert panel_text(table) == snapshot("""\
Ablation
  component            score            loss without it   kept
  ────────────────────────────────────────────────────────────
  target encoding     0.8117    0.0312 ████████████████   yes
  scaling             0.8034    0.0083 ████░░░░░░░░░░░░   yes
  cabin letter        0.8119   −0.0002 ░░░░░░░░░░░░░░░░    no
  interaction terms      NaN                               no
  Each component was replaced by nothing and the script executed again.\
""")


def test_a_diff() -> None:
    diff = Diff(title="d", before="a = 1\nb\n", after="a = 2\nb\n")
    assert panel_text(diff) == snapshot("""\
d
  before → after  +1 −1
  - a = 1
  + a = 2
    b\
""")


def test_charts() -> None:
    for chart in panels():
        if isinstance(chart, Chart) and chart.form == "range":
            assert panel_text(chart) == snapshot("""\
Image metrics
            this image   low   high   better            % of range
  ────────────────────────────────────────────────────────────────
  MUSIQ           0.61     0      1   higher   61 ██████████░░░░░░
  BRISQUE         38.2     0    100   lower    38 ██████░░░░░░░░░░
  PSNR            27.9    10     50   higher   45 ███████░░░░░░░░░\
""")
        if isinstance(chart, Chart) and chart.form == "line":
            assert panel_text(chart) == snapshot("""\
Score per round
  validation ▁▃ ▇█ 0.71 → 0.8117, from 0.71 to 0.8117
  training ▁▄▅▇█ 0.75 → 0.845, from 0.75 to 0.845
  accuracy, higher is better, baseline 0.786\
""")


def test_a_long_curve_fits_and_flat_or_missing_ones_are_told() -> None:
    values = tuple(math.sin(n / 100) for n in range(1000))
    chart = Chart(
        title="c",
        form="spark",
        series=(
            Series(name="wave", values=values),
            Series(name="flat", values=(1.0,) * 1000),
            Series(name="none", values=(None,) * 1000),
        ),
    )
    text = panel_text(chart)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "none: no values to draw" in text


@pytest.mark.parametrize(
    ("panel", "words"),
    [
        (Text(title="t", text=""), "no text"),
        (Table(title="t", columns=()), "no rows"),
        (Diff(title="t", before="", after=""), "no difference"),
        (Tree(title="t"), "nothing yet"),
        (Chart(title="t", form="line", series=()), "t"),
        (Code(title="t", text=""), "t"),
        (Sql(title="t", query=""), "no rows"),
        (Image(title="t", base=Bitmap(blob="sha256:aa")), "picture: not available"),
    ],
)
def test_empty_panels_say_that_they_are_empty(panel: Panel, words: str) -> None:
    assert words in panel_text(panel)


@pytest.mark.parametrize(
    ("panel", "words"),
    [
        (
            Table(title="t", columns=(Column(name="n"),), rows=tuple((n,) for n in range(20_000))),
            "19,980 more rows not shown",
        ),
        (Sql(title="t", query="q", columns=("n",), rows=((1,),), more=7), "7 more rows not shown"),
        (Code(title="t", text="x\n" * 100), "40 more lines not shown"),
        (Diff(title="t", before="a\n" * 200, after="b\n" * 200), "320 more lines not shown"),
        (
            Diff(title="t", before="a\n" * 5000, after="b\n" + "a\n" * 4999),
            "more lines not compared",
        ),
        (
            Tree(title="t", nodes=tuple(Node(label="n") for _ in range(61))),
            "1 more entry not shown",
        ),
    ],
    ids=["table", "sql", "code", "diff", "long diff", "tree"],
)
def test_large_panels_are_bounded_and_say_so(panel: Panel, words: str) -> None:
    text = panel_text(panel)
    assert words in text
    assert len(text.splitlines()) < 120


def test_colours_do_not_change_the_words() -> None:
    page = Page(title="t", sections=(Section(title="s", panels=tuple(panels())),))
    coloured = re.sub(r"\x1b\[[\d;]*m", "", printed(page, colour=True))
    assert [line.rstrip() for line in coloured.splitlines()] == [
        line.rstrip() for line in printed(page).splitlines()
    ]
