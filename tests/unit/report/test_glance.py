"""What a result shows of itself in a notebook: little, and readable in every theme."""

import io
import re

from PIL import Image as Pillow

from proveout.kernel.panels import (
    Bitmap,
    Code,
    Column,
    Image,
    Page,
    Panel,
    Section,
    Table,
    Text,
    bitmap,
)
from proveout.report.notebook import LARGEST_PICTURE, MOST_PANELS, MOST_ROWS, Glance
from proveout.report.view import page_of
from tests.unit.report.examples import accepted_run, panels
from tests.unit.report.test_html import Document


def glance(*shown: Panel, more: str = "") -> str:
    page = Page(
        title="a page",
        sections=(
            Section(title="first", panels=shown),
            Section(title="second", panels=(Text(title="later", text="not at a glance"),)),
        ),
    )
    return Glance(page, more=more)._repr_html_()


def noise(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Pillow.effect_noise((width, height), 80).save(out, "PNG")
    return out.getvalue()


def test_a_glance_is_the_head_and_the_first_section() -> None:
    html = glance(Text(title="evidence", text="here"), more="the rest is in the report")
    assert "a page" in html
    assert "evidence" in html
    assert "not at a glance" not in html
    assert "the rest is in the report" in html
    assert not Document(html).all("script")


def test_a_whole_run_is_shown_small() -> None:
    html = Glance(page_of(accepted_run(), panels()))._repr_html_()
    assert "Accepted" in html
    assert len(html) < 200_000


def test_pictures_are_reduced_and_only_the_first_is_shown() -> None:
    large = noise(1600, 1200)
    picture = Image(title="where", base=bitmap(large), overlay=bitmap(large))
    html = glance(picture, picture)
    assert len(html) < len(large) / 2
    sources = [tag["src"] for tag in Document(html).all("img")]
    assert len(sources) == 2, "the picture and its overlay"
    assert all((source or "").startswith("data:image/jpeg;base64,") for source in sources)
    assert LARGEST_PICTURE == (420, 420)


def test_a_picture_that_is_gone_is_left_out() -> None:
    for base in (Bitmap(blob="sha256:gone"), bitmap(b"no picture at all")):
        assert not Document(glance(Image(title="where", base=base))).all("img")


def test_long_code_long_tables_and_many_panels_are_cut() -> None:
    code = Code(title="the script", text="x = 1\n" * 500)
    rows = tuple((number,) for number in range(500))
    table = Table(title="numbers", columns=(Column(name="n"),), rows=rows)
    html = glance(code, table, *(Text(title=f"note {n}", text="x") for n in range(20)))
    assert "the script" not in html
    assert len(Document(html).all("tr")) <= MOST_ROWS + 2
    assert f"{500 - MOST_ROWS} more" in html
    assert f"note {MOST_PANELS - 2}" in html
    assert f"note {MOST_PANELS - 1}" not in html


def test_a_notebook_with_a_theme_of_its_own_gets_its_colours() -> None:
    themes = re.findall(r"<style>(.*?)</style>", glance(), re.DOTALL)[1]
    light = re.search(r'data-jp-theme-light="true"[^{]*\{(.*?)\}', themes)
    dark = re.search(r'data-jp-theme-light="false"[^{]*\{(.*?)\}', themes)
    assert light is not None
    assert dark is not None
    names = [re.findall(r"(--[\w-]+): (#\w+)", found[1]) for found in (light, dark)]
    assert {name for name, _ in names[0]} == {name for name, _ in names[1]}
    colours = [dict(found) for found in names]
    assert colours[0]["--page"] != colours[1]["--page"]
    assert colours[0]["--ink"] != colours[1]["--ink"]
