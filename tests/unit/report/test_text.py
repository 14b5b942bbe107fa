"""Neutral text, wording and prose: what every renderer builds on."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.kernel.panels import Cell, Page, Section, Text
from proveout.report.neutral import neutral, neutral_page
from proveout.report.prose import Block, Span, blocks
from proveout.report.wording import cell, count, moment, money, number, seconds, shortened, size


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\rb\r\nc", "a␍b\nc"),
        ("\x00\x7f\x9b", "␀␡<U+009B>"),
        ("user\u202eexe.txt", "user<U+202E>exe.txt"),
        ("half \ud83d", "half <U+D83D>"),
        ("Zoë 漢字 👩‍🔬", "Zoë 漢字 👩‍🔬"),
    ],
)
def test_what_is_dangerous_is_spelled_out(text: str, shown: str) -> None:
    assert neutral(text) == shown


@given(st.text(alphabet=st.characters(codec=None)))
def test_neutral_text_can_be_encoded_and_has_no_controls(text: str) -> None:
    safe = neutral(text)
    safe.encode("utf-8")
    assert all(sign in "\t\n" or ord(sign) >= 32 for sign in safe)
    assert neutral(safe) == safe


def test_a_page_is_neutral_everywhere() -> None:
    page = Page(
        title="\x1b", sections=(Section(title="\x1b", panels=(Text(title="\x1b", text="\x1b"),)),)
    )
    assert "\\u001b" not in neutral_page(page).model_dump_json()


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (1234567, None, "1,234,567"),
        (0.1 + 0.2, None, "0.3"),
        (-0.5, None, "−0.5"),
        (2.0, 3, "2.000"),
        (12345.678, None, "12,345.7"),
        (10**40, None, "1e+40"),
        (1e20, 2, "1.00e+20"),
        (math.nan, 2, "NaN"),
        (math.inf, None, "∞"),
        (-math.inf, None, "−∞"),
    ],
)
def test_numbers_read_well(value: float, digits: int | None, shown: str) -> None:
    assert number(value, digits) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), (True, "yes"), (False, "no"), ("x", "x"), (3, "3")]
)
def test_cells_read_well(value: Cell, shown: str) -> None:
    assert cell(value) == shown


def test_amounts_read_well() -> None:
    assert [money(0), money(0.01234), money(1234.5)] == ["$0.00", "$0.0123", "$1,234.50"]
    times = [0.424, 38, 59.7, 250, 7500]
    assert [seconds(t) for t in times] == ["0.42 s", "38 s", "60 s", "4 min 10 s", "2 h 05 min"]
    assert [size(n) for n in (12, 1700, 2_500_000)] == ["12 B", "1.7 kB", "2.5 MB"]
    assert [count(1, "row"), count(1200, "row"), count(2, "entry", "entries")] == [
        "1 row",
        "1,200 rows",
        "2 entries",
    ]
    assert moment(1_800_000_000) == "2027-01-15 08:00 UTC"
    assert moment(math.inf) == moment(1e30) == "unknown time"
    assert shortened("a\n  b " + "c" * 20, 10) == "a b ccccc…"


def test_prose_is_read_as_blocks() -> None:
    text = "One **strong** word\nand `code`.\n\n- first\n- **second**\nafter"
    assert blocks(text) == [
        Block(
            "paragraph",
            (
                (Span("One "), Span("strong", "strong"), Span(" word")),
                (Span("and "), Span("code", "code"), Span(".")),
            ),
        ),
        Block("list", ((Span("first"),), (Span("second", "strong"),))),
        Block("paragraph", ((Span("after"),),)),
    ]


def test_nothing_else_is_markup() -> None:
    text = "# no heading <b>no bold</b> [no](link) ** ` not closed"
    assert blocks(text) == [Block("paragraph", ((Span(text),),))]
    assert blocks("\n \n") == []
