"""A real server, a real browser, and nothing else: any request that leaves the machine fails."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.integration.server.serving import Machine, Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCREENSHOTS = os.environ.get("PROVEOUT_SCREENSHOTS", "")
"""Where pictures of the pages are kept; read here, because tests see no variables of ours."""
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MEASURE_SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHROMIUM is None:
        reason = "no Chromium on this machine: apt-get install chromium"
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Machine(tmp_path_factory.mktemp("served")).serving(workers=2) as started:
        yield started


# Not for the whole session: the driver keeps an event loop in this thread, and others need theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield opened
        opened.close()


@dataclass
class Watched:
    """What happened in a browser that should not have."""

    foreign: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        context.on("request", lambda request: self._asked(request.url))
        context.on("page", self._opened)

    def _opened(self, page: Page) -> None:
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        local = parts.scheme in ("file", "data", "blob", "about")
        if not local and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            self.foreign.append(url)


Opener = Callable[..., Page]
Keep = Callable[[Page, str], None]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Opener]:
    """Opens pages in contexts of their own; what they did is judged when the test is over."""
    watched, contexts = Watched(), []

    def opened(
        width: int = 1280, height: int = 900, scheme: str = "light", *, script: bool = True
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=script,
            accept_downloads=True,
        )
        context.set_default_timeout(60_000)
        if script:
            context.add_init_script(MEASURE_SHIFTS)
        watched.watch(context)
        contexts.append(context)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()
    assert watched.foreign == []
    assert watched.complaints == []


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """Keeps a picture of a page."""
    folder = Path(SCREENSHOTS) if SCREENSHOTS else tmp_path / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)

    def kept(page: Page, name: str) -> None:
        page.screenshot(path=folder / f"{name}.png", full_page=True)

    return kept


def serious(page: Page) -> list[str]:
    """What an accessibility checker calls serious or critical."""
    response: Any = Axe().run(page).response
    assert len(response["passes"]) > 10
    found = response["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']][:3]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
