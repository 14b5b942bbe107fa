"""A page as one HTML file that opens from a mail with the network off.

Everything is inside: styles, charts, pictures. The security policy allows exactly the style sheet
and the script that are in the file, by their hashes, and no address at all. Every value passes
Jinja's escaping; what is `Markup` here was made by Pygments, by matplotlib or by us.
"""

import base64
import hashlib
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from proveout.kernel.canonical import content_id
from proveout.kernel.panels import Bitmap, Chart, Image, Page
from proveout.report import shape
from proveout.report.blobs import Blobs, bytes_of, no_blobs
from proveout.report.charts import svg
from proveout.report.highlight import html_lines
from proveout.report.neutral import neutral_page
from proveout.report.prose import blocks
from proveout.report.wording import STATUS_MARKS, STATUS_WORDS, count, number

Source = Callable[[Bitmap], str]
"""The address of a picture, or nothing if it is gone."""
MOST_ROWS = 500
MOST_NODES = 1000
MOST_CODE_LINES = 5000


def page_html(page: Page, blobs: Blobs = no_blobs) -> str:
    """The whole file."""
    page = neutral_page(page)
    style = _template_text("style.css")
    script = _template_text("slider.js") if _has_overlay(page) else ""
    policy = [
        "default-src 'none'",
        "img-src data:",
        f"style-src '{_hash(style)}'",
        f"script-src '{_hash(script)}'" if script else "script-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            style=Markup(style),
            script=Markup(script),
            policy="; ".join(policy),
            **vocabulary(_inlined(blobs)),
        )
    )


def fragment_html(page: Page, blobs: Blobs = no_blobs) -> str:
    """The page as an element for another document: styles scoped, no script, no landmarks."""
    page = neutral_page(page)
    prefix = "pv" + content_id(page.model_dump_json().encode())[-10:]
    return (
        _environment()
        .get_template("fragment.html")
        .render(
            page=page,
            style=Markup(_template_text("style.css")),
            prefix=prefix,
            **vocabulary(_inlined(blobs)),
        )
    )


def _has_overlay(page: Page) -> bool:
    panels = (panel for section in page.sections for panel in section.panels)
    return any(isinstance(panel, Image) and panel.overlay is not None for panel in panels)


def _template_text(name: str) -> str:
    return (files("proveout.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("proveout.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _inlined(blobs: Blobs) -> Source:
    """Pictures as part of the file."""

    def source(bitmap: Bitmap) -> str:
        content = bytes_of(bitmap, blobs)
        if content is None:
            return ""
        return f"data:{bitmap.media_type};base64,{base64.b64encode(content).decode()}"

    return source


def vocabulary(source: Source) -> dict[str, Any]:
    """What the templates may call; pages that are served hand in another source of pictures."""
    return {
        "blocks": blocks,
        "branches": lambda nodes: shape.branches(nodes, MOST_NODES),
        "count": count,
        "difference": shape.difference,
        "grid_of": lambda table: shape.grid(table, MOST_ROWS),
        "lines": _lines,
        "marks": STATUS_MARKS,
        "number": number,
        "size": lambda _bitmap: None,
        "source": source,
        "svg": _drawing,
        "thinned": shape.thinned,
        "values": lambda chart: shape.grid(shape.values_table(chart), MOST_ROWS),
        "words": STATUS_WORDS,
    }


def _drawing(chart: Chart, prefix: str) -> Markup:
    return Markup(svg(chart, prefix))


def _lines(text: str, language: str) -> list[Markup]:
    """Highlighted lines; the last one says how many are left out, if any are."""
    plain = text.removesuffix("\n").split("\n")
    shown = html_lines("\n".join(plain[:MOST_CODE_LINES]), language)
    left = len(plain) - MOST_CODE_LINES
    if left > 0:
        shown.append(f"… {count(left, 'more line')} not shown")
    return [Markup(line) for line in shown]
