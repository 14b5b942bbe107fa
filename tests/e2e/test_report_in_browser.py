"""The report as a person opens it: from disk, in a browser, with nowhere to connect to."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image as Pillow

from proveout.report.export import write
from proveout.report.view import page_of
from tests.unit.report.examples import accepted_run, panels

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on this machine: apt-get install chromium"
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    return write(page_of(accepted_run(), panels(), "verified, 22 links"), folder / "report.html")


def browse(report: Path, profile: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Chromium on the report, with everything written to its console on stderr."""
    assert CHROMIUM is not None
    return subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            # Every name leads nowhere: what the page needs must be in the page.
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            f"--user-data-dir={profile}",
            *options,
            report.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What the page wrote to the console: errors, and refusals of the security policy."""
    return [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_the_report_opens_without_a_complaint(report: Path, tmp_path: Path) -> None:
    done = browse(report, tmp_path, "--dump-dom")
    assert complaints(done) == []
    assert "Accepted</strong> A script without leakage" in done.stdout
    # The script ran, although the policy forbids every script but this one.
    assert re.search(r'<figure data-overlay="" class="laid">', done.stdout)
    assert 'class="over" style="opacity: 0.55;"' in done.stdout
    assert done.stdout.count("<svg") >= 5


def test_a_script_that_is_not_ours_is_refused(report: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.html"
    intruder = '<script>document.title = "owned"</script></body>'
    changed.write_text(report.read_text().replace("</body>", intruder))
    done = browse(changed, tmp_path / "profile", "--dump-dom")
    assert "<title>owned" not in done.stdout
    assert any("Content Security Policy" in line for line in complaints(done))


def test_light_and_dark_are_both_drawn(report: Path, tmp_path: Path) -> None:
    corners = []
    for scheme in (1, 0):
        shot = tmp_path / f"{scheme}.png"
        browse(
            report,
            tmp_path / f"profile-{scheme}",
            f"--blink-settings=preferredColorScheme={scheme}",
            "--window-size=900,1200",
            "--hide-scrollbars",
            f"--screenshot={shot}",
        )
        with Pillow.open(shot) as image:
            corners.append(image.convert("RGB").getpixel((5, 5)))
            colours = image.convert("RGB").getcolors(900 * 1200)
            assert colours is not None
            assert len(colours) > 50
    assert corners == [(255, 255, 255), (13, 17, 23)]


def test_nothing_is_wider_than_a_phone(report: Path, tmp_path: Path) -> None:
    # A headless window cannot be that narrow, but a column can; the policy is taken out because it
    # would refuse the script that measures.
    probe = tmp_path / "probe.html"
    text = report.read_text()
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    measure = (
        "<script>document.title = [...document.querySelectorAll('.sheet *')]"
        ".filter(e => !e.closest('.scroll') && !e.closest('svg'))"
        ".filter(e => e.getBoundingClientRect().right > 380 && !e.matches('.skip, .unseen'))"
        ".map(e => e.tagName + '.' + e.className).join() || 'fits'</script></body>"
    )
    narrow = "<style>.pv .sheet { max-width: 380px; margin: 0; }</style></head>"
    probe.write_text(text.replace("</head>", narrow).replace("</body>", measure))
    done = browse(probe, tmp_path / "profile", "--dump-dom")
    assert re.findall(r"<title>(.*?)</title>", done.stdout) == ["fits"]
