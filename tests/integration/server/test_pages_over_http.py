"""Pages as any HTTP client sees them, where there is no browser to look at them."""

import re
from pathlib import Path

import pytest

from tests.integration.server.serving import Served, problem
from tests.iqa_pictures import photo

HTML = {"Accept": "text/html"}
FOREIGN = {"Origin": "http://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
EXPRESSION = "[a-f]+-[0-9]{2,}(x|yz)"


@pytest.fixture(scope="module")
def run(served: Served) -> str:
    started = served.start(expression=EXPRESSION, shortest=12, variety=7)
    served.finish(started)
    return started


def text(served: Served, path: str, status: int = 200) -> str:
    answer = served.get(path, headers=HTML)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    return str(answer.text)


def paths(run: str) -> list[str]:
    return [
        "/runs",
        f"/runs/{run}",
        f"/runs/{run}?attempt=refine%230",
        f"/runs/{run}/attempt?key=refine%230",
        f"/runs/{run}/events",
        f"/runs/{run}/replay",
        f"/compare?run={run}&run={run}",
        "/new",
        "/new/pattern",
        f"/new/pattern?from={run}",
        "/lessons",
        "/sql?q=SELECT+1",
    ]


def test_no_page_needs_what_the_policy_forbids(served: Served, run: str) -> None:
    for path in paths(run):
        page = text(served, path)
        assert re.findall(r"<[^>]+\sstyle=", page) == [], path
        assert re.findall(r"<[^>]+\son[a-z]+=", page) == [], path
        assert re.findall(r"<script(?![^>]*\ssrc=)", page) == [], path
        assert re.findall(r"<style", page) == [], path
        assert re.findall(r"(?:href|src|action)=\"(?:https?:)?//", page) == [], path
        assert page.count("<h1") == 1, path


def test_pages_are_small(served: Served, run: str) -> None:
    """With style and script, without pictures."""
    shared = sum(
        len(served.get(address).content)
        for address in re.findall(r'"(/static/[^"]+)"', text(served, "/runs"))
    )
    for path in paths(run):
        assert shared + len(text(served, path).encode()) < 300_000, path


def test_styles_and_scripts_may_be_kept(served: Served) -> None:
    address = re.findall(r'"(/static/site.css\?[^"]+)"', text(served, "/new"))[0]
    answer = served.get(address)
    assert "immutable" in answer.headers["cache-control"]
    assert served.get("/static/unknown.css").status_code == 404
    assert served.get("/static/..%2Frouter.py").status_code == 404


def test_a_form_asks_before_it_starts(served: Served) -> None:
    before = served.get("/runs.json").json()["total"]
    fields = {"expression": EXPRESSION, "shortest": "12", "wish.model": "offline"}
    review = served.post("/new/pattern", data=fields, headers=HTML)
    assert "Start this run?" in review.text
    assert served.get("/runs.json").json()["total"] == before
    carried = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', review.text))
    assert carried["shortest"] == "12"
    answer = served.post("/new/pattern", data={**carried, "step": "start"}, headers=HTML)
    assert answer.status_code == 303
    assert re.fullmatch(r"/runs/pattern-\d{8}-\d{6}-\w+", answer.headers["location"])
    assert served.finish(answer.headers["location"].rpartition("/")[2])["accepted"]


def test_limits_reach_the_run(served: Served) -> None:
    fields = {"expression": EXPRESSION, "wish.rounds": "3", "wish.seed": "7", "step": "start"}
    answer = served.post("/new/pattern", data=fields, headers=HTML)
    run = served.finish(answer.headers["location"].rpartition("/")[2])
    assert run["seed"] == 7
    assert run["budget"]["rounds"]["limit"] == 3


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"expression": ""}, "This is needed."),
        ({"expression": "a", "shortest": "99"}, "At most 60."),
        ({"expression": "a", "wish.model": "gpt"}, "unknown model"),
        ({"expression": "(a"}, "not a regular expression"),
        ({"expression": "a", "wish.cost_usd": "-1"}, "these limits cannot be used"),
        ({"expression": "a", "wish.model": "recorded:/etc/passwd"}, "outside of the allowed"),
    ],
)
def test_mistakes_come_back_with_the_form(
    served: Served, fields: dict[str, str], words: str
) -> None:
    answer = served.post("/new/pattern", data={**fields, "step": "start"}, headers=HTML)
    assert answer.status_code == 422
    assert words in answer.text
    assert "<form" in answer.text


def test_a_picture_is_taken_and_carried(served: Served, tmp_path: Path) -> None:
    content = photo(tmp_path / "cup.png", blur=1.0).read_bytes()
    files = {"image.file": ("cup.png", content, "image/png")}
    review = served.post("/new/iqa", data={"query": "How good?"}, files=files, headers=HTML)
    carried = dict(re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', review.text))
    assert re.fullmatch(r"upload:[0-9a-f]{32}-cup\.png", carried["image"])
    changed = served.post("/new/iqa", data={**carried, "step": "edit"}, headers=HTML)
    assert "Chosen: cup.png" in changed.text


def test_a_path_outside_is_refused(served: Served) -> None:
    answer = served.post("/new/iqa", data={"image": "/etc/passwd"}, headers=HTML)
    assert answer.status_code == 422
    assert "outside of the allowed folder" in answer.text


@pytest.mark.parametrize("path", ["/new/pattern", "/runs/{run}/resume", "/runs/{run}/stop"])
def test_other_sites_start_nothing(served: Served, run: str, path: str) -> None:
    fields = {"expression": EXPRESSION, "step": "start"}
    before = served.get("/runs.json").json()["total"]
    answer = served.post(path.format(run=run), data=fields, headers=FOREIGN)
    assert answer.status_code == 403
    assert served.get("/runs.json").json()["total"] == before


def test_what_is_missing_has_a_page_and_a_twin(served: Served, run: str) -> None:
    for path in ("/runs/unknown-run", f"/runs/{run}/attempt?key=nothing%239", "/new/nothing"):
        assert "Not found" in text(served, path, 404)
        plain = path.partition("?")
        twin = served.get(f"{plain[0]}.json{plain[1]}{plain[2]}")
        assert twin.status_code == 404
        assert set(twin.json()["error"]) == {"code", "message", "hint"}


def test_an_address_that_leads_nowhere_has_a_page_for_people(served: Served) -> None:
    person = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    for path, status in (("/nowhere", 404), ("/static/nothing", 404), ("/iqa/assess", 405)):
        page = served.get(path, headers=person)
        assert page.status_code == status
        assert page.headers["content-type"].startswith("text/html")
        assert 'href="/runs"' in page.text
        told = problem(served.get(path), status)
        assert told["message"] in page.text
    assert served.get("/iqa/assess", headers=person).headers["allow"] == "POST"
    for path in ("/nowhere.json", "/api/v1/nowhere"):
        assert problem(served.get(path, headers=person), 404)["code"] == "not_found"


def test_a_page_may_be_asked_for_its_head(served: Served, run: str) -> None:
    for path in ("/runs", f"/runs/{run}", "/runs.json"):
        head = served.client.head(path)
        assert (head.status_code, head.content) == (200, b"")
    assert served.client.head("/iqa/assess").status_code == 405


def test_a_login_goes_on_inside_only(served: Served) -> None:
    for following in ("//evil.org", "/\\evil.org", "/\t/evil.org", "/\t/[", "https://evil.org", ""):
        answer = served.get("/login", params={"next": following})
        assert (answer.status_code, answer.headers["location"]) == (303, "/runs")


def test_the_first_page_is_the_list(served: Served) -> None:
    answer = served.get("/", headers=HTML)
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs")


def test_control_characters_are_spelled_out(served: Served) -> None:
    started = served.start(expression="a\u202eb|[xy]")
    served.finish(started)
    page = text(served, f"/runs/{started}")
    assert "\u202e" not in page
    assert "&lt;U+202E&gt;" in page


def test_events_come_in_pages(served: Served, run: str) -> None:
    every = served.get(f"/runs/{run}/events.json").json()
    assert [event["sequence"] for event in every] == list(range(1, len(every) + 1))
    later = served.get(f"/runs/{run}/events.json?after=10").json()
    assert later == every[10:]
    assert 'rel="prev"' in text(served, f"/runs/{run}/events?after=10")
    assert 'rel="prev"' not in text(served, f"/runs/{run}/events?after=nonsense")
