import re

from proveout.kernel.panels import Text
from proveout.report.notebook import display
from proveout.report.view import page_of
from tests.unit.report.examples import accepted_run, panels, picture
from tests.unit.report.test_html import Document


def test_a_page_shows_itself_as_one_element() -> None:
    html = display(page_of(accepted_run(), panels()))._repr_html_()
    document = Document(html)
    assert document.tags[0] == ("div", {"class": "pv"})
    assert "Accepted A script without leakage" in document.text
    assert not document.all("script")
    assert not document.all("main")


def test_a_panel_shows_itself_without_a_head() -> None:
    html = display(Text(title="only this", text="x"))._repr_html_()
    assert "only this" in html
    assert not Document(html).all("h1")


def test_every_rule_is_scoped() -> None:
    html = display(Text(title="t", text="x"))._repr_html_()
    (sheet,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
    plain = [part.strip() for group in selectors if "@" not in group for part in group.split(",")]
    assert plain
    assert all(part.startswith((".pv", "body.pv")) for part in plain)


def test_without_script_both_pictures_are_shown() -> None:
    image = next(panel for panel in panels() if panel.kind == "image")
    html = display(image, lambda _: picture(heat=False))._repr_html_()
    document = Document(html)
    assert len(document.all("img")) == 2
    assert "laid" not in html.split("</style>")[1]
    assert repr(display(image)).startswith("Display(page=")


def test_different_fragments_share_no_id() -> None:
    charts = [panel for panel in panels() if panel.kind == "chart"][:2]
    ids = [set(re.findall(r' id="([^"]+)"', display(chart)._repr_html_())) for chart in charts]
    assert ids[0]
    assert not ids[0] & ids[1]
