"""Pages and panels as the last line of a notebook cell."""

from dataclasses import dataclass, field

from proveout.kernel.panels import Page, Panel, Section
from proveout.report.blobs import Blobs, no_blobs
from proveout.report.html import fragment_html


@dataclass(frozen=True)
class Display:
    """Shows itself in a notebook: self-contained, without script, styles of its own."""

    page: Page
    blobs: Blobs = field(default=no_blobs, repr=False)

    def _repr_html_(self) -> str:
        return fragment_html(self.page, self.blobs)


def display(shown: Page | Panel, blobs: Blobs = no_blobs) -> Display:
    """A page, or one panel without the head of a page."""
    if isinstance(shown, Page):
        return Display(shown, blobs)
    return Display(Page(title="", sections=(Section(title="", panels=(shown,)),)), blobs)
