"""Pages and panels as the last line of a notebook cell.

A `Display` is the whole page; a `Glance` is what one wants to see at once, small enough to be saved
with a notebook. Both are self-contained and without script.
"""

import io
import re
from dataclasses import dataclass, field
from importlib.resources import files

from proveout.kernel.panels import Bitmap, Code, Diff, Image, Page, Panel, Section, Table, bitmap
from proveout.report.blobs import Blobs, bytes_of, no_blobs
from proveout.report.html import fragment_html

MOST_PANELS = 7
MOST_LINES = 40
"""Longer code and longer differences are left to the report."""
MOST_ROWS = 12
LARGEST_PICTURE = (420, 420)
_LIGHT = re.compile(r"^\.pv \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_DARK = re.compile(r"^@media \(prefers-color-scheme: dark\) \{\s*\.pv \{(.*?)\}", re.DOTALL | re.M)
_CHOSEN = {
    _LIGHT: ('body[data-jp-theme-light="true"] .pv', "body.vscode-light .pv"),
    _DARK: ('body[data-jp-theme-light="false"] .pv', "body.vscode-dark .pv"),
}
"""How notebooks say which theme is on; without a word, the system's preference counts."""


@dataclass(frozen=True)
class Display:
    """Shows itself in a notebook: self-contained, without script, styles of its own."""

    page: Page
    blobs: Blobs = field(default=no_blobs, repr=False)

    def _repr_html_(self) -> str:
        return fragment_html(self.page, self.blobs)


@dataclass(frozen=True)
class Glance:
    """Shows the verdict and the first evidence; `more` tells how to see the rest."""

    page: Page
    blobs: Blobs = field(default=no_blobs, repr=False)
    more: str = ""

    def _repr_html_(self) -> str:
        panels = self.page.sections[0].panels if self.page.sections else ()
        shown = tuple(self._shown(panels))
        short = self.page.model_copy(
            update={"sections": (Section(title="", panels=shown),), "footer": self.more}
        )
        return f"{fragment_html(short, self.blobs)}<style>{_themes()}</style>"

    def _shown(self, panels: tuple[Panel, ...]) -> list[Panel]:
        kept: list[Panel] = []
        pictured = False
        for panel in panels:
            if isinstance(panel, Image):
                small = None if pictured else self._small(panel)
                pictured = pictured or small is not None
                kept += [small] if small is not None else []
            elif isinstance(panel, Table):
                kept.append(_first_rows(panel))
            elif not _is_long(panel):
                kept.append(panel)
        return kept[:MOST_PANELS]

    def _small(self, image: Image) -> Image | None:
        base = self._reduced(image.base)
        if base is None:
            return None
        over = self._reduced(image.overlay) if image.overlay else None
        return image.model_copy(update={"base": base, "overlay": over})

    def _reduced(self, picture: Bitmap) -> Bitmap | None:
        """The picture at the size of a thumbnail; nothing where it or Pillow is missing."""
        content = bytes_of(picture, self.blobs)
        if content is None:
            return None
        try:
            from PIL import Image as Pillow
        except ModuleNotFoundError:
            return None
        out = io.BytesIO()
        try:
            with Pillow.open(io.BytesIO(content)) as opened:
                opened.thumbnail(LARGEST_PICTURE)
                opened.convert("RGB").save(out, "JPEG", quality=80)
        except OSError:
            # What cannot be shown must not keep the rest from being shown.
            return None
        return bitmap(out.getvalue(), "image/jpeg")


def display(shown: Page | Panel, blobs: Blobs = no_blobs) -> Display:
    """A page, or one panel without the head of a page."""
    if isinstance(shown, Page):
        return Display(shown, blobs)
    return Display(Page(title="", sections=(Section(title="", panels=(shown,)),)), blobs)


def _first_rows(table: Table) -> Table:
    left = max(0, len(table.rows) - MOST_ROWS)
    return table.model_copy(update={"rows": table.rows[:MOST_ROWS], "more": table.more + left})


def _is_long(panel: Panel) -> bool:
    text = panel.text if isinstance(panel, Code) else ""
    if isinstance(panel, Diff):
        text = f"{panel.before}\n{panel.after}"
    return text.count("\n") > MOST_LINES


def _themes() -> str:
    """Room around, and the colours once more for notebooks that have a theme of their own."""
    style = (files("proveout.report") / "templates" / "style.css").read_text(encoding="utf-8")
    rules = [".pv { padding: .8rem 1rem; }"]
    for colours, selectors in _CHOSEN.items():
        found = colours.search(style)
        variables = re.findall(r"--[\w-]+: #\w+;", found[1]) if found else []
        rules.append(f"{', '.join(selectors)} {{ {' '.join(variables)} }}")
    return "\n".join(rules)
