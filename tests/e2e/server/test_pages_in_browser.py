"""Every page: for everybody, in light and dark, without script, by keyboard, on a phone."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.server.conftest import Keep, Opener, serious
from tests.integration.server.serving import Machine, Served

EXPRESSION = "[a-f]+-[0-9]{2,}(x|yz)"
PAGES = {
    "runs": "/runs",
    "runs-none": "/runs?text=nothing-fits-this",
    "run": "/runs/{run}",
    "run-attempt": "/runs/{run}?attempt=refine%231",
    "attempt": "/runs/{run}/attempt?key=refine%231",
    "events": "/runs/{run}/events",
    "replay": "/runs/{run}/replay",
    "compare": "/compare?run={run}&run={other}",
    "compare-empty": "/compare",
    "new": "/new",
    "form-pattern": "/new/pattern?from={run}",
    "form-iqa": "/new/iqa",
    "form-solver": "/new/solver",
    "form-mle": "/new/mle",
    "lessons": "/lessons",
    "sql": "/sql?q=SELECT+kind,+count(*)+AS+times+FROM+events+GROUP+BY+kind",
    "doctor": "/doctor",
}
WIDEST = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SECRET = "a-token-that-is-long-enough"
HTML = {"Accept": "text/html"}
JSON = {"Accept": "application/json"}


@pytest.fixture(scope="module")
def runs(served: Served) -> tuple[str, str]:
    """Two finished runs with rejected attempts."""
    begun = [
        served.start("pattern", expression=EXPRESSION, shortest=length, variety=7)
        for length in (12, 20)
    ]
    for run in begun:
        served.finish(run)
    return begun[0], begun[1]


@pytest.fixture
def addresses(served: Served, runs: tuple[str, str]) -> dict[str, str]:
    return {
        name: served.url + path.format(run=runs[0], other=runs[1]) for name, path in PAGES.items()
    }


@pytest.mark.timeout(300)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_read_by_everybody(
    visit: Opener, keep: Keep, addresses: dict[str, str], scheme: str
) -> None:
    page = visit(scheme=scheme)
    for name, address in addresses.items():
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        expect(page.get_by_role("main")).to_have_count(1)
        keep(page, f"{name}-{scheme}")
        assert serious(page) == [], name


@pytest.mark.timeout(300)
def test_no_page_is_wider_than_a_phone(
    visit: Opener, keep: Keep, addresses: dict[str, str]
) -> None:
    page = visit(width=360, height=740)
    for name, address in addresses.items():
        page.goto(address)
        keep(page, f"{name}-phone")
        assert page.evaluate(WIDEST) <= 0, name


def test_every_page_has_a_twin(served: Served, addresses: dict[str, str]) -> None:
    for name, address in addresses.items():
        path, mark, query = address.removeprefix(served.url).partition("?")
        if name == "doctor":
            # Its lines change with the machine: free space, for one.
            continue
        by_ending = served.get(f"{path}.json{mark}{query}").json()
        by_header = served.get(f"{path}{mark}{query}", headers=JSON).json()
        for twin in (by_ending, by_header):
            if name == "sql":
                assert twin.pop("seconds") >= 0
        assert by_ending == by_header, name
        assert by_ending, name


def test_the_way_from_the_list_to_an_attempt_needs_no_mouse(
    served: Served, visit: Opener, runs: tuple[str, str]
) -> None:
    page = visit()
    page.goto(f"{served.url}/runs?text={runs[0]}")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) != "none"
    page.keyboard.press("Enter")
    until_focused(page, "tbody a")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{served.url}/runs/{runs[0]}")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until_focused(page, ".steps ol:not(.whole) a")
    assert page.evaluate(outline) != "none"
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"\?attempt="))
    until_focused(page, ".chosen .actions a", most=60)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Attempt")


def until_focused(page: Page, selector: str, most: int = 40) -> None:
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    pytest.fail(f"{selector} was not reached by Tab")


@pytest.mark.usefixtures("runs")
def test_without_script_everything_is_there(served: Served, visit: Opener, keep: Keep) -> None:
    page = visit(script=False)
    page.goto(f"{served.url}/new")
    page.get_by_role("link", name="pattern").click()
    page.get_by_label("Expression").fill(EXPRESSION)
    page.get_by_label("Shortest").fill("14")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_label("Shortest")).to_have_value("14")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Start", exact=True).click()
    # A browser without script loads the page again by itself until the run has ended.
    expect(page.locator(".verdict strong")).to_have_text("Accepted", timeout=60_000)
    expect(page.get_by_role("link", name="Report")).to_be_visible()
    keep(page, "run-without-script")
    page.goto(f"{served.url}/runs?app=pattern")
    boxes = page.get_by_role("checkbox")
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_role("button", name="Compare two chosen").click()
    expect(page.get_by_role("heading", name="Figures")).to_be_visible()


def test_a_run_that_goes_on_reloads_itself_without_script(
    served: Served, runs: tuple[str, str]
) -> None:
    """A finished run does not; the tag is for browsers without script only."""
    finished = served.get(f"/runs/{runs[0]}", headers=HTML).text
    assert "http-equiv" not in finished
    slow = served.start("pattern", expression=EXPRESSION, shortest=40, variety=12)
    page = served.get(f"/runs/{slow}", headers=HTML).text
    going = 'data-stream="' in page
    reloading = '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page
    assert going is reloading


def test_the_filter_is_the_address(served: Served, visit: Opener, runs: tuple[str, str]) -> None:
    page = visit()
    page.goto(f"{served.url}/runs")
    page.get_by_label("Search in id, task and answer").fill(runs[1][-6:])
    page.get_by_label("App").select_option("pattern")
    page.get_by_label("State").select_option("accepted")
    page.get_by_role("button", name="Filter").click()
    assert f"text={runs[1][-6:]}" in page.url
    assert "app=pattern" in page.url
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("State").select_option("interrupted")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("No run fits.")).to_be_visible()
    page.goto(f"{served.url}/runs?limit=1")
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".paging")).to_contain_text("2 to 2 of")
    page.get_by_role("link", name="Newer").click()
    expect(page.locator(".paging")).to_contain_text("1 to 1 of")


def test_a_query_only_reads(served: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{served.url}/sql")
    page.get_by_role("link", name="Findings, most frequent first").click()
    expect(page.locator(".scroll[aria-label='Answer']")).to_contain_text("pattern.")
    page.get_by_label("Query").fill("DELETE FROM runs")
    page.get_by_role("button", name="Run the query").click()
    expect(page.get_by_role("alert")).to_contain_text("only reading is allowed")
    page.get_by_label("Query").fill("SELECT something FROM somewhere")
    page.get_by_role("button", name="Run the query").click()
    expect(page.get_by_role("alert")).to_contain_text("no such table")
    context.close()


def test_what_is_not_there_is_told(served: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    answer = page.goto(f"{served.url}/runs/pattern-19990101-000000-abcdef")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("Not found")
    answer = page.goto(f"{served.url}/runs?state=odd")
    assert answer is not None
    assert answer.status == 400
    context.close()


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Machine(tmp_path_factory.mktemp("locked")).serving(token=SECRET) as started:
        yield started


def test_a_server_with_a_token_asks_for_it(locked: Served, browser: Browser, keep: Keep) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{locked.url}/lessons")
    assert page.url == f"{locked.url}/login?next=%2Flessons"
    assert serious(page) == []
    keep(page, "login")
    page.get_by_label("Token").fill("a-wrong-token-of-that-length")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text(re.compile("not the token"))
    page.get_by_label("Token").fill(SECRET)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{locked.url}/lessons")
    page.get_by_role("button", name="Log out").click()
    page.goto(f"{locked.url}/runs")
    assert "/login" in page.url
    context.close()


def test_a_login_leads_nowhere_else(locked: Served, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{locked.url}/login?next=%2F%2Felsewhere.example%2Fx")
    page.get_by_label("Token").fill(SECRET)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{locked.url}/runs")
    context.close()


def test_what_models_write_stays_text(served: Served, visit: Opener) -> None:
    """Markup in a task is shown, never obeyed, and the policy would refuse it anyway."""
    nasty = "<img src=x onerror=alert(1)>"
    run = served.start("pattern", expression=nasty)
    page = visit()
    page.goto(f"{served.url}/runs/{run}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img")
    assert page.locator("img[src='x']").count() == 0
    assert served.get(f"/runs/{run}.json").json()["task"]["expression"] == nasty
