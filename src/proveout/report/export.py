"""A page as a file: the format follows from the file's name.

Renderers are named, not imported, so that a command that only prints does not pay for matplotlib
and Jinja.
"""

import importlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, cast, get_args

from rich.console import Console

from proveout.kernel.errors import UnknownName, UsageError
from proveout.kernel.panels import Page
from proveout.report.blobs import Blobs, no_blobs
from proveout.report.junit import page_junit
from proveout.report.markdown import page_markdown
from proveout.report.neutral import neutral_page
from proveout.report.terminal import show

Format = Literal["html", "md", "json", "xml", "txt"]
FORMATS: tuple[Format, ...] = get_args(Format)
TEXT_WIDTH = 80
_NOUN = "report format"
_EXTENSIONS: Mapping[str, Format] = {
    **{f".{name}": name for name in FORMATS},
    ".htm": "html",
    ".markdown": "md",
}
_HTML = ("proveout.report.html", "page_html")


def render(page: Page, form: Format, blobs: Blobs = no_blobs) -> str:
    """The page in one of the formats: `xml` is JUnit, `txt` is what a terminal shows."""
    match form:
        case "html":
            module, name = _HTML
            loaded = getattr(importlib.import_module(module), name)
            return cast(Callable[[Page, Blobs], str], loaded)(page, blobs)
        case "md":
            return page_markdown(page, blobs)
        case "json":
            return neutral_page(page).model_dump_json(indent=2) + "\n"
        case "xml":
            return page_junit(page)
        case "txt":
            return _plain_text(page, blobs)
        case _:
            raise UnknownName(form, noun=_NOUN, known=FORMATS)


def format_of(path: Path) -> Format:
    """The format that a file name asks for."""
    try:
        return _EXTENSIONS[path.suffix.lower()]
    except KeyError:
        raise UnknownName(path.suffix or path.name, noun=_NOUN, known=_EXTENSIONS) from None


def write(page: Page, path: Path, blobs: Blobs = no_blobs) -> Path:
    """Write the page where and as `path` says; a reader sees the old file or the new one, whole."""
    content = render(page, format_of(path), blobs)
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(content, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        if part.parent.is_dir():
            part.unlink(missing_ok=True)
        message = f"cannot write the report to {path}: {error.strerror}"
        raise UsageError(message, hint="name a place where you may write") from error
    return path


def _plain_text(page: Page, blobs: Blobs) -> str:
    out = io.StringIO()
    console = Console(
        file=out,
        width=TEXT_WIDTH,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
        highlight=False,
    )
    show(page, console, blobs)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())
