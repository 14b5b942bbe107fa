"""Each app from its form to its report, as a person sees it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.server.conftest import Keep, Opener, serious
from tests.integration.server.serving import Machine, Served
from tests.integration.solver_kit import company
from tests.iqa_pictures import photo
from tests.mle_tables import regression

WHOLE_RUN = 180_000
"""Milliseconds, on a busy machine."""
STEADY = 0.1
"""The layout shift below which a page counts as steady."""
DROP = """([target, bytes]) => {
  const carried = new DataTransfer();
  const content = new Uint8Array(bytes);
  carried.items.add(new File([content], "dropped.png", { type: "image/png" }));
  const drop = document.querySelector(target);
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const told = { dataTransfer: carried, bubbles: true, cancelable: true };
    drop.dispatchEvent(new DragEvent(kind, told));
  }
}"""


def begin(page: Page, served: Served, app: str, keep: Keep) -> str:
    """From a form that is filled in to the page of the run; the ceiling comes in between."""
    keep(page, f"form-{app}")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Start this run?")
    expect(page.locator(".verdict")).to_contain_text("Costs nothing")
    keep(page, f"review-{app}")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(re.compile(rf"{re.escape(served.url)}/runs/{app}-\d{{8}}-"))
    return page.url.rpartition("/")[2]


def watch(page: Page, app: str, keep: Keep) -> None:
    """Until the page itself says that the run has ended; nobody reloads it."""
    page.evaluate("window.untouched = true")
    expect(page.locator(".verdict strong")).to_have_text(
        re.compile("Accepted|Not accepted"), timeout=WHOLE_RUN
    )
    expect(page.get_by_role("link", name="Report")).to_be_visible()
    assert page.evaluate("window.untouched") is True
    assert page.evaluate("window.shifted") < STEADY
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        keep(page, f"run-{app}-{scheme}")
        assert serious(page) == []


def open_report(page: Page, visit: Opener, folder: Path, keep: Keep) -> Page:
    """The report as a file, opened from disk."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Report").click()
    download = waiting.value
    path = folder / download.suggested_filename
    download.save_as(path)
    report = visit()
    report.goto(path.as_uri())
    expect(report.locator(".verdict")).to_be_visible()
    keep(report, f"report-{path.stem.partition('-')[0]}")
    return report


def panels(page: Page) -> list[str]:
    return page.locator("section.panel > h3").all_inner_texts()


def test_the_example(served: Served, visit: Opener, keep: Keep, tmp_path: Path) -> None:
    page = visit()
    page.goto(f"{served.url}/new/pattern")
    page.get_by_label("Expression").fill("[a-f]+-[0-9]{2,}(x|yz)")
    page.get_by_label("Shortest").fill("12")
    run = begin(page, served, "pattern", keep)
    watch(page, "pattern", keep)
    expect(page.locator(".verdict")).to_contain_text("is accepted")
    # The result is shown first; a click on an attempt shows that one, without leaving the page.
    assert "Words" in panels(page)
    page.get_by_role("navigation", name="Attempts").get_by_text("plain").click()
    expect(page.locator(".chosen h2")).to_have_text("plain#0")
    expect(page.get_by_role("heading", name="Findings", exact=True)).to_be_visible()
    page.get_by_role("link", name="Open with prompt and evidence").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Attempt plain#0")
    assert {"Proposal", "Evidence", "Prompt and reply"} <= set(
        page.get_by_role("heading", level=2).all_inner_texts()
    )
    keep(page, "attempt")
    page.goto(f"{served.url}/runs/{run}")
    report = open_report(page, visit, tmp_path, keep)
    assert run in report.locator(".subtitle").inner_text()


def test_a_picture(served: Served, visit: Opener, keep: Keep, tmp_path: Path) -> None:
    page = visit()
    page.goto(f"{served.url}/new/iqa")
    picture = photo(tmp_path / "cup.png", blur=1.5).read_bytes()
    page.evaluate(DROP, ["[data-drop]", list(picture)])
    expect(page.get_by_role("img", name="The chosen picture, dropped.png")).to_be_visible()
    begin(page, served, "iqa", keep)
    expect(page.get_by_role("heading", level=1)).to_contain_text("iqa: dropped.png")
    watch(page, "iqa", keep)
    shown = panels(page)
    assert {"Question and answer", "Tool scores", "Tools on their own scales", "Plan"} <= set(shown)
    scales = page.locator(".scroll[aria-label='Tools on their own scales']")
    expect(scales).to_contain_text("1 to 5, higher is better")
    # The slider lays the map over the picture.
    figure = page.locator("figure.laid").first
    figure.get_by_role("slider").fill("0")
    assert figure.locator(".over").evaluate("one => one.style.opacity") == "0"
    figure.get_by_role("slider").fill("100")
    assert figure.locator(".over").evaluate("one => one.style.opacity") == "1"
    assert figure.locator("img").first.evaluate("one => one.naturalWidth") > 0
    report = open_report(page, visit, tmp_path, keep)
    assert report.locator("figure.laid").count() == page.locator("figure.laid").count()


def test_a_business_task(served: Served, visit: Opener, keep: Keep, tmp_path: Path) -> None:
    with company(tmp_path) as world:
        task = world.task("g.workload_of_person.1", service_url=world.url)
        page = visit()
        page.goto(f"{served.url}/new/solver")
        page.get_by_label("Text").fill(task["text"])
        page.get_by_label("Task url").fill(task["task_url"])
        page.get_by_label("Service url").fill(task["service_url"])
        begin(page, served, "solver", keep)
        watch(page, "solver", keep)
        shown = panels(page)
        assert {"Request and reply", "How the outcome was decided", "Proof", "Calls"} <= set(shown)
        assert any(title.startswith("SQL: ") for title in shown)
        assert any(title.startswith("Rows: ") for title in shown)
        proof = page.locator(".scroll[aria-label='Proof']")
        expect(proof).to_contain_text("✓")
        expect(proof).to_contain_text(".md")
        open_report(page, visit, tmp_path, keep)


@pytest.mark.timeout(400)
def test_a_table_stopped_and_resumed(
    served: Served, visit: Opener, keep: Keep, tmp_path: Path
) -> None:
    regression(served.root / "prices", count=160)
    page = visit()
    page.goto(f"{served.url}/new/mle")
    page.get_by_label("Folder").fill("prices")
    page.get_by_label("Out", exact=True).fill("prices-out")
    page.get_by_text("More about the task").click()
    page.get_by_label("Smoke").check()
    page.get_by_label("Most seconds").fill("30")
    begin(page, served, "mle", keep)
    steps = page.get_by_role("navigation", name="Attempts").locator("a")
    expect(steps.nth(1)).to_be_visible(timeout=WHOLE_RUN)
    keep(page, "run-mle-live")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".verdict strong")).to_have_text(
        re.compile("Interrupted|Accepted"), timeout=WHOLE_RUN
    )
    if page.get_by_role("button", name="Resume").count():
        page.get_by_role("button", name="Resume").click()
    watch(page, "mle", keep)
    shown = panels(page)
    assert {"What was chosen, and why", "Selection report", "Leaderboard", "Leakage"} <= set(shown)
    assert {"Scores as they came", "Which script came from which", "The script"} <= set(shown)
    # On a busy machine there may be no time for a study; where there was one, its bars are shown.
    answer = served.get(f"{page.url}.json").json()["outcome"]["answer"]
    studied = [one for one in answer["studies"] if len(one["scores"]) > 1]
    assert sum(title.startswith("Ablation of") for title in shown) == len(studied)
    open_report(page, visit, tmp_path, keep)


def test_a_replay_is_judged_again(served: Served, visit: Opener) -> None:
    run = served.start("pattern", expression="[xy]{3}")
    page = visit()
    page.goto(f"{served.url}/runs/{run}")
    page.get_by_role("link", name="Replay").click(timeout=WHOLE_RUN)
    page.get_by_role("button", name="Judge again").click()
    expect(page.locator(".verdict strong")).to_have_text("The same", timeout=WHOLE_RUN)


def test_mistakes_are_told_beside_their_fields(served: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{served.url}/new/pattern")
    page.get_by_label("Expression").fill("(a")
    page.get_by_label("Shortest").fill("99")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#f-expression-wrong")).to_contain_text("not a regular expression")
    expect(page.locator("#f-shortest-wrong")).to_be_visible()
    expect(page.get_by_label("Expression")).to_have_value("(a")
    expect(page.locator(".wrong")).to_have_count(2)
    context.close()


@pytest.mark.timeout(400)
def test_a_page_outlives_its_server(
    browser: Browser, keep: Keep, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Killed as nobody can refuse, then started again: the page finds its way back by itself."""
    machine = Machine(tmp_path_factory.mktemp("mortal"))
    # The browser complains about connections that are refused, so nobody listens to it here.
    context = browser.new_context()
    context.set_default_timeout(WHOLE_RUN)
    page = context.new_page()
    with machine.serving() as first:
        regression(machine.root / "prices", count=160)
        run = first.start("mle", folder="prices", out="prices-out")
        page.goto(f"{first.url}/runs/{run}")
        expect(page.locator(".steps ol:not(.whole) a").first).to_be_visible(timeout=WHOLE_RUN)
        first.kill()
    expect(page.locator("[data-told]")).to_contain_text("connection lost", timeout=WHOLE_RUN)
    with machine.serving("--port", first.url.rpartition(":")[2]):
        expect(page.locator(".verdict strong")).to_have_text("Interrupted", timeout=WHOLE_RUN)
        expect(page.locator("[data-told]")).to_have_text("")
        keep(page, "run-after-a-kill")
        page.get_by_role("button", name="Resume").click()
        expect(page.locator(".verdict strong")).to_have_text("Running", timeout=WHOLE_RUN)
        page.get_by_role("button", name="Stop").click()
        expect(page.locator(".verdict strong")).to_have_text(
            re.compile("Interrupted|Accepted"), timeout=WHOLE_RUN
        )
    context.close()
