"""Text from models and data sets, made to break out: it must arrive as text in every format."""

import io
import json
import re
import xml.etree.ElementTree as ET
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from rich.console import Console

from proveout.kernel.panels import (
    Bitmap,
    Case,
    Chart,
    Code,
    Column,
    Diff,
    Fact,
    Image,
    Node,
    Page,
    Reference,
    Section,
    Series,
    Sql,
    Table,
    Text,
    Tree,
)
from proveout.kernel.types import Finding
from proveout.report.export import FORMATS, Format, render
from proveout.report.notebook import display
from proveout.report.terminal import show
from tests.unit.report.test_html import Document

MARKUP = '</style></script><script>alert(1)</script><img src=x onerror=alert(1)>"\'&amp; onclick="x'
TEMPLATE = "{{ 7*7 }}{% raw %}${7*7}"
CONTROLS = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x00\x9b1m\rgone\u202e"
RICH = "[bold red]loud[/] [link=http://example.org]x[/link] :boom:"
TEXTS = [MARKUP, TEMPLATE, CONTROLS, RICH, "日本語 Ωmega 👩‍🔬", "a" * 5000, "\ud800"]


def page_of_text(text: str) -> Page:
    """The text in every field that takes one."""
    finding = Finding(code=text, message=text, where=text, hint=text)
    shown = (
        Text(title=text, note=text, text=f"{text}\n\n- {text}\n- `{text}` **{text}**"),
        Table(title=text, note=text, columns=(Column(name=text),), rows=((text,),)),
        Code(title=text, note=text, text=text, language=text),
        Code(title=text, text=text, language="python"),
        Diff(
            title=text, note=text, before=text, after=text + "x", before_name=text, after_name=text
        ),
        Chart(
            title=text,
            note=text,
            form="line",
            series=(Series(name=text, values=(1.0,)), Series(name=text, values=(2.0,))),
            labels=(text,),
            x_label=text,
            y_label=text,
            reference=Reference(value=1.0, label=text),
        ),
        Tree(
            title=text,
            note=text,
            nodes=(Node(label=text, note=text, children=(Node(label=text),)),),
        ),
        Image(title=text, note=text, base=Bitmap(blob=text or "x"), caption=text, alt=text),
        Sql(title=text, note=text, query=text, columns=(text,), rows=((text,),)),
    )
    return Page(
        title=text,
        subtitle=text,
        status="rejected",
        verdict=text,
        facts=(Fact(name=text, value=text),),
        sections=(Section(title=text, panels=shown), Section(title=text)),
        cases=(Case(group=text, name=text, status="rejected", findings=(finding,)),),
        footer=text,
    )


@cache
def rendered(text: str, form: Format) -> str:
    return render(page_of_text(text), form)


def fields(model: type[BaseModel]) -> set[str]:
    return {name for name, field in model.model_fields.items() if field.annotation is str}


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_text_adds_no_element_and_no_attribute(text: str) -> None:
    html = rendered(text, "html")
    document = Document(html)
    assert not document.all("script")
    assert not any(name.startswith("on") for _, a in document.tags for name in a)
    harmless = {tag for tag, _ in Document(rendered("x", "html")).tags}
    assert {tag for tag, _ in document.tags} <= harmless | {"span", "ins", "del", "br"}
    assert not any(str(a.get("src", "")).startswith("http") for a in document.all("img"))


def test_the_hostile_page_fills_every_plain_field() -> None:
    given = page_of_text("MARK").model_dump_json()
    models = (Page, Section, Fact, Text, Table, Code, Tree, Node, Sql, Diff, Series, Reference)
    for name in {name for model in models for name in fields(model)} - {"kind", "language"}:
        assert re.search(rf'"{name}":"[^"]*MARK', given), name


def test_markup_arrives_as_text() -> None:
    html = rendered(MARKUP, "html")
    assert "<script>alert" not in html
    assert "onerror=alert(1)&gt;" in html


def test_templates_in_data_are_not_evaluated() -> None:
    for form in FORMATS:
        assert "49" not in re.sub(r"#\w+|[\d.]+rem|sha256-\S+", "", page_body(form))
    assert "{{ 7*7 }}{% raw %}" in page_body("html")


def page_body(form: Format) -> str:
    text = Page(
        title=TEMPLATE,
        sections=(Section(title=TEMPLATE, panels=(Text(title="t", text=TEMPLATE),)),),
    )
    return render(text, form).partition("</head>")[2] or render(text, form)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_format_carries_control_characters(form: Format, text: str) -> None:
    out = rendered(text, form)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", out)
    out.encode("utf-8")


def test_a_terminal_is_not_steered() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system="truecolor")
    show(page_of_text(CONTROLS), console)
    # Only colours and weights, which are our own.
    assert set(re.findall(r"\x1b[^m]*.", out.getvalue())) <= set(
        re.findall(r"\x1b\[[\d;]*m", out.getvalue())
    )
    assert "\x07" not in out.getvalue()
    assert "␛]0;owned" in out.getvalue()


def test_rich_markup_in_data_is_text() -> None:
    out = io.StringIO()
    console = Console(file=out, width=400, force_terminal=True, color_system="truecolor")
    show(page_of_text(RICH), console)
    plain = re.sub(r"\x1b\[[\d;]*m", "", out.getvalue())
    assert "[bold red]loud[/]" in plain
    assert ":boom:" in plain
    assert "\x1b]8;" not in out.getvalue()


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_junit_stays_well_formed(text: str) -> None:
    root = ET.fromstring(rendered(text, "xml"))
    assert root.get("failures") == "2"
    assert [element.tag for element in root.iter("script")] == []


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_json_stays_readable(text: str) -> None:
    assert json.loads(rendered(text, "json"))["status"] == "rejected"


def test_markdown_holds_no_html_and_no_links() -> None:
    text = render(page_of_text(MARKUP + " [a](http://example.org) ![b](c) <http://d>"), "md")
    outside = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", text)
    outside = re.sub(r"`[^`\n]+`", "", outside)
    assert not re.search(r"(?<!\\)<[a-z/]", outside)
    assert not re.search(r"(?<!\\)\]\(", outside)


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet=st.characters(codec=None), max_size=40))
def test_any_text_is_safe_in_every_format(text: str) -> None:
    page = Page(
        title=text,
        verdict=text,
        sections=(
            Section(
                title=text,
                panels=(
                    Text(title=text, text=text),
                    Code(title=text, text=text, language="python"),
                    Diff(title=text, before=text, after=text[::-1]),
                    Table(title=text, columns=(Column(name=text),), rows=((text,),)),
                    Tree(title=text, nodes=(Node(label=text, note=text),)),
                ),
            ),
        ),
        cases=(Case(group=text, name=text, status="pending"),),
    )
    assert not Document(render(page, "html")).all("script")
    assert Document(display(page)._repr_html_()).tags
    assert ET.fromstring(render(page, "xml")).tag == "testsuites"
    assert json.loads(render(page, "json"))["status"] == "pending"
    assert render(page, "txt").rstrip()
    assert render(page, "md").startswith("# ")
