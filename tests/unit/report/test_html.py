import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from proveout.kernel.errors import JournalError
from proveout.kernel.panels import (
    Bitmap,
    Chart,
    Code,
    Column,
    Diff,
    Image,
    Node,
    Page,
    Panel,
    Section,
    Series,
    Sql,
    Table,
    Text,
    Tree,
)
from proveout.report.highlight import MOST_CHARACTERS, html_lines
from proveout.report.html import MOST_CODE_LINES, MOST_NODES, MOST_ROWS, page_html
from proveout.report.view import page_of
from tests.unit.report.examples import accepted_run, panels, picture

VOID = {"meta", "link", "img", "input", "br"}


class Document(HTMLParser):
    """What a test wants to know about a page; fails on tags that do not close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def page_with(*shown: Panel) -> Page:
    return Page(title="p", sections=(Section(title="s", panels=shown),))


@pytest.fixture(scope="module")
def html() -> str:
    return page_html(page_of(accepted_run(), panels(), "verified, 22 links"))


def test_a_page_is_well_formed_and_the_same_every_time(html: str) -> None:
    assert Document(html).all("main")
    assert html == page_html(page_of(accepted_run(), panels(), "verified, 22 links"))


def test_a_page_names_no_outside_address(html: str) -> None:
    for tag, attributes in Document(html).tags:
        for name, value in attributes.items():
            if name in {"src", "href", "action", "srcset", "poster", "data", "formaction"}:
                assert value is not None
                assert value.startswith(("#", "data:")), (tag, name, value)
    addresses = set(
        re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"'<]*", re.sub(r"base64,[^\"]+", "", html))
    )
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"url\((?!#)", html)
    assert "@import" not in html


def test_the_policy_allows_only_what_is_in_the_file(html: str) -> None:
    document = Document(html)
    policy = next(m["content"] for m in document.all("meta") if m.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; img-src data:; ")
    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not any("style" in attributes for _, attributes in document.tags)
    assert not any(name.startswith("on") for _, attributes in document.tags for name in attributes)


def test_a_page_without_overlay_has_no_script() -> None:
    html = page_html(page_with(Text(title="t", text="x")))
    assert "<script" not in html
    assert "script-src &#39;none&#39;" in html


def test_a_page_can_be_used_by_keyboard_and_by_ear(html: str) -> None:
    document = Document(html)
    ids = [a["id"] for _, a in document.tags if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {a["href"] for a in document.all("a")}
    assert targets <= {f"#{name}" for name in ids}
    assert document.all("a")[0] == {"class": "skip", "href": "#content"}
    for landmark in ("header", "nav", "main", "footer"):
        assert len(document.all(landmark)) == 1
    assert all(a.get("scope") == "col" for a in document.all("th"))
    assert all(a.get("alt") for a in document.all("img"))
    assert all(a.get("aria-labelledby") in ids for a in document.all("section"))
    scrolling = [a for a in document.all("div") if "scroll" in (a.get("class") or "")]
    assert scrolling
    assert all(a["tabindex"] == "0" and a["aria-label"] for a in scrolling)
    slider = document.all("input")[0]
    assert (slider["type"], slider["aria-label"]) == ("range", "Strength of the overlay")
    assert document.all("html") == [{"lang": "en"}]
    assert len(document.all("h1")) == 1


def test_a_page_shows_every_kind_of_panel(html: str) -> None:
    text = Document(html).text
    for words in (
        "Accepted A script without leakage",
        "not read.",
        "target encoding",
        "train_test_split",
        "4 unchanged lines",
        "baseline 0.786",
        "employees/list",
        "Blur, strongest",
        "ORDER BY",
        "2 more rows not shown",
    ):
        assert words in text


def test_changed_lines_are_marked_by_sign_too(html: str) -> None:
    assert re.search(r'<tr class="added">.*?<td class="sign">\+</td>', html)
    assert re.search(r'<tr class="removed">.*?<td class="sign">−</td>', html)
    assert "<del>200</del>" in html
    assert "<ins>500</ins>" in html


def test_a_page_is_small(html: str) -> None:
    assert len(re.sub(r"base64,[^\"]+", "", html)) < 300_000


def test_pictures_come_from_blobs() -> None:
    content = picture(heat=False)
    shown = Image(title="i", base=Bitmap(blob="sha256:aa"), overlay=Bitmap(blob="sha256:bb"))
    html = page_html(page_with(shown), {"sha256:aa": content, "sha256:bb": content}.__getitem__)
    assert html.count(base64.b64encode(content).decode()) == 2
    half = page_html(page_with(shown), {"sha256:aa": content}.__getitem__)
    assert "overlay not available: sha256:bb" in half
    assert "data-overlay" not in half.split("</style>")[1].split("<script>")[0]


def test_a_missing_picture_does_not_stop_a_report() -> None:
    def damaged(content_id: str) -> bytes:
        message = f"{content_id} is damaged"
        raise JournalError(message)

    shown = page_with(Image(title="i", base=Bitmap(blob="sha256:aa")))
    assert "picture not available: sha256:aa" in page_html(shown, damaged)
    assert "picture not available: sha256:aa" in page_html(shown)


def test_empty_panels_say_that_they_are_empty() -> None:
    html = page_html(
        page_with(
            Text(title="", text=""),
            Table(title="", columns=()),
            Code(title="", text=""),
            Diff(title="", before="", after=""),
            Chart(title="", form="line", series=()),
            Tree(title=""),
            Sql(title="", query=""),
        )
    )
    text = Document(html).text
    for words in ("no text", "no rows", "no difference", "no values to draw", "nothing yet"):
        assert words in text
    assert Document(page_html(Page(title=""))).all("main")


def test_large_panels_are_bounded_and_say_so() -> None:
    html = page_html(
        page_with(
            Table(title="t", columns=(Column(name="n"),), rows=tuple((n,) for n in range(20_000))),
            Tree(title="t", nodes=tuple(Node(label=str(n)) for n in range(MOST_NODES + 1))),
            Code(title="c", text="x\n" * (MOST_CODE_LINES + 2)),
            Chart(title="c", form="line", series=(Series(name="s", values=(1.0,) * 2000),)),
        )
    )
    text = Document(html).text
    assert f"{20_000 - MOST_ROWS:,} more rows not shown" in text
    assert "1 more entry not shown" in text
    assert "2 more lines not shown" in text
    assert "1,000 of 2,000 points drawn" in text
    assert len(html) < 3_000_000


@pytest.mark.parametrize("language", ["python", "json", "sql", "nonsense", ""])
@pytest.mark.parametrize("text", ["", "a", "a\n", "\n\na\n", 'x = """1\n2"""\n# <b>', "\tif\n  x"])
def test_highlighting_keeps_every_line(text: str, language: str) -> None:
    lines = html_lines(text, language)
    assert [Document(line).text for line in lines] == [
        " ".join(x.split()) for x in text.split("\n")
    ]


def test_very_long_code_stays_plain() -> None:
    assert html_lines("<" * (MOST_CHARACTERS + 1), "python") == ["&lt;" * (MOST_CHARACTERS + 1)]


def contrast(first: str, second: str) -> float:
    """As WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_and_drawings_have_enough_contrast(scheme: int) -> None:
    import proveout.report

    sheet = (Path(proveout.report.__file__).parent / "templates" / "style.css").read_text()
    blocks = re.findall(r"\.pv \{(.*?)\}", sheet, re.DOTALL)
    colour = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", blocks[scheme]))
    pairs = [
        *((ink, "page") for ink in ("ink", "muted", "link", "good", "bad", "wait")),
        *((ink, "sunken") for ink in ("ink", "muted", "word", "name", "quoted", "digit", "aside")),
        *(
            (ink, "wait-wash")
            for ink in ("ink", "wait", "word", "name", "quoted", "digit", "aside")
        ),
        ("muted", "wait-wash"),
        *((ink, f"{ink}-wash") for ink in ("good", "bad")),
        *(("ink", f"{name}-{kind}") for name in ("good", "bad") for kind in ("wash", "mark")),
        *(("muted", f"{name}-wash") for name in ("good", "bad")),
        *(("ink", wash) for wash in ("info-wash", "wait-wash")),
        ("link", "info-wash"),
    ]
    for ink, paper in pairs:
        assert contrast(colour[ink], colour[paper]) >= 4.5, (ink, paper)
    for place in range(1, 7):
        assert contrast(colour[f"series-{place}"], colour["page"]) >= 3
    for bar in ("bar", "bar-over"):
        assert contrast(colour[bar], colour["track"]) >= 3
