"""Places where the company is, from lists, tables and sentences about its sites."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from proveout.apps.solver.rules.blocks import Page, Span
from proveout.apps.solver.rules.building import Ground, make, source_of
from proveout.apps.solver.rules.ir import Rule
from proveout.apps.solver.rules.precedence import is_stale
from proveout.apps.solver.rules.statements import countable, is_aside
from proveout.apps.solver.rules.text import plain, squeeze

_PLACE_PAGE = re.compile(
    r"\b(?:locations?|sites?|offices?|branches|premises|where we are|plants?|factor(?:y|ies)"
    r"|addresses)\b"
)
_NAME = (
    r"[^\W\d_][\w'’.-]*"
    r"(?: (?:(?:de|la|am|an der|upon|sur|di|el|do|da|del|den|der) )?[^\W\d_a-z][\w'’.-]*)*"
)
"""Words in a row, each parted by a space: in only one way, so that no text takes for ever."""
_CITY_COUNTRY = re.compile(
    rf"^\W*(?:\*\*)?(?P<city>{_NAME})(?:\*\*)?\s*(?:\((?P<in>{_NAME})\)|,\s*(?P<of>{_NAME}))"
)
_NEAR = re.compile(
    rf"\b(?:near|close to|outside|just outside|on the edge of|next to|not far from"
    rf"|in the vicinity of)\s+(?P<a>{_NAME})"
)
_BETWEEN = re.compile(rf"\bbetween\s+(?P<a>{_NAME})\s+and\s+(?P<b>{_NAME})")
_BRACKET = re.compile(rf"\((?P<a>{_NAME})\)")
_IN = re.compile(r"\b(?:in|at)\s+(?P<a>[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*)*)")
_PLACE = re.compile(
    r"\b(?:in|at)\s+(?P<city>[^\W\d_a-z][^,;()]*?)(?:,\s*(?:near|close to|next to"
    r"|outside)\s+(?P<near>[^,;()]+?))?"
    r"(?:,\s*(?P<country>[^\W\d_a-z][^,.;()]*))?\.?$"
)
_LABELLED = re.compile(r"\*\*[^*]+\*\*:")
_LISTED = re.compile(
    r"\b(?:offices?|branches|sites?|plants?|locations?|present|based|operates?)\b[^.]*?\b(?:in|at"
    r"|:)\s"
)
_COUNTRIES = re.compile(
    r"albania|argentina|australia|austria|belgium|bosnia|brazil|bulgaria|canada|chile|china"
    r"|colombia|croatia|cyprus|czechia|denmark|egypt|estonia|finland|france|georgia|germany"
    r"|ghana|greece|hungary|iceland|india|indonesia|ireland|israel|italy|japan|kenya|latvia"
    r"|lithuania|luxembourg|malaysia|malta|mexico|montenegro|morocco|netherlands|nigeria"
    r"|norway|peru|philippines|poland|portugal|romania|scotland|serbia|singapore|slovakia"
    r"|slovenia|spain|sweden|switzerland|taiwan|thailand|tunisia|turkey|ukraine|uruguay"
    r"|vietnam|wales|england"
)
_TWO_WORDS = (
    "czech republic",
    "united kingdom",
    "united states",
    "south korea",
    "south africa",
    "new zealand",
    "north macedonia",
)
_COLUMNS = {
    "name": ("site", "name", "office", "location", "branch", "registry name"),
    "city": ("city", "town", "place", "where"),
    "country": ("country", "nation"),
    "near": ("near", "nearest city", "nearby", "close to"),
}


@dataclass(frozen=True)
class _Site:
    name: str
    city: str
    near: tuple[str, ...]
    country: str
    span: Span
    anchor: str


def match_sites(page: Page, ground: Ground) -> tuple[Rule, ...]:
    if is_stale(page) or is_aside(page):
        return ()
    found: dict[str, _Site] = {}
    for site in _sites(page):
        if site.city or site.near or site.country:
            found.setdefault(squeeze(site.name), site)
    return tuple(
        make(
            "site",
            re.sub(r"\W+", "_", squeeze(site.name)),
            source_of(page, site.anchor, site.span),
            ground,
            {"name": site.name, "city": site.city, "near": site.near, "country": site.country},
        )
        for site in found.values()
    )


def _sites(page: Page) -> Iterable[_Site]:
    about_page = bool(_PLACE_PAGE.search(plain(f"{page.title} {page.path.replace('_', ' ')}")))
    for index, block in enumerate(page.blocks):
        if not countable(page, block):
            continue
        heading = block.headings[-1] if block.headings else ""
        about = bool(_PLACE_PAGE.search(plain(" ".join(block.headings[1:])))) or about_page
        if not about:
            continue
        if block.kind == "row":
            yield from _row(page, index)
        elif (block.kind == "item" and block.indent == 0) or _LABELLED.match(page.of(block)):
            yield from _item(page, index, heading)
        elif block.kind == "paragraph":
            yield from _sentence(page, index, heading)


def _row(page: Page, index: int) -> Iterable[_Site]:
    block = page.blocks[index]
    if index == block.header:
        return
    header = [squeeze(page.cell(cell)) for cell in page.blocks[block.header].cells]
    cells = [page.cell(cell).strip(" *`") for cell in block.cells]
    found = {
        field: value
        for field, names in _COLUMNS.items()
        for name, value in zip(header, cells, strict=False)
        if name in names
    }
    if place := _PLACE.search(found.get("city", "")):
        near = tuple(re.split(r",\s*|\s+and\s+", place["near"])) if place["near"] else ()
        name = cells[0] if header[0].startswith(("location", "site", "name")) else place["city"]
        yield _Site(
            name,
            place["city"],
            near,
            found.get("country", ""),
            Span(block.start, block.end),
            block.anchor,
        )
        return
    if "city" in found or "country" in found:
        near = tuple(
            part.strip()
            for part in re.split(r",|\band\b", found.get("near", ""))
            if part.strip(" -")
        )
        name = found.get("name") or found.get("city", "")
        yield _Site(
            name,
            found.get("city", ""),
            near,
            found.get("country", ""),
            Span(block.start, block.end),
            block.anchor,
        )


def _item(page: Page, index: int, heading: str) -> Iterable[_Site]:
    block = page.blocks[index]
    text = page.of(block)
    span = Span(block.start, block.end)
    label = re.match(
        r"\s*(?:\*\*)?(?:location|address|place|where|city)\s*:(?:\*\*)?\s*", text, re.I
    )
    if label:
        rest = text[label.end() :]
        yield _Site(heading, _city(rest), _near(rest), _country(rest), span, block.anchor)
        return
    if place := _PLACE.search(
        re.sub(r"^\W*(?:\*\*)?[^:]{1,60}?:(?:\*\*)?", "", text) if ":" in text else ""
    ):
        near = tuple(re.split(r",\s*|\s+and\s+", place["near"])) if place["near"] else ()
        name = text.split(":", 1)[0].strip(" *")
        yield _Site(
            name, place["city"], near, place["country"] or _country(text), span, block.anchor
        )
        return
    head = re.split(r"(?<=\*\*)\s*[:–—-]|\s[–—-]\s|:\s", text, maxsplit=1)[0]
    found = _CITY_COUNTRY.match(head.strip()) or _CITY_COUNTRY.match(text)
    if found:
        country = found["in"] or found["of"] or ""
        if _country(country) or found["in"]:
            yield _Site(
                head.strip(" *:"),
                found["city"].strip(" *"),
                _near(text),
                _country(country) or "",
                span,
                block.anchor,
            )
            return
    if _country(text) or _near(text):
        yield _Site(
            head.strip(" *:"),
            _city(text[len(head) :] or text),
            _near(text),
            _country(text),
            span,
            block.anchor,
        )


def _sentence(page: Page, index: int, heading: str) -> Iterable[_Site]:
    block = page.blocks[index]
    text = page.of(block)
    span = Span(block.start, block.end)
    if not _LISTED.search(plain(text)) and not _NEAR.search(text):
        return
    pairs = list(
        re.finditer(
            rf"(?P<city>[^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*)*)\s*\((?P<in>{_NAME})\)", text
        )
    )
    for pair in pairs:
        if _country(pair["in"]):
            yield _Site(pair["city"], pair["city"], (), pair["in"], span, block.anchor)
    if not pairs and len(heading.split()) <= 6 and _country(text):
        yield _Site(heading, _city(text), _near(text), _country(text), span, block.anchor)


def _city(text: str) -> str:
    for pattern in (_BRACKET, _IN):
        for found in pattern.finditer(text):
            name = found["a"].strip(" .")
            if not _country(name) and name[0].isupper() and _is_name(name):
                return name
    return ""


def _is_name(name: str) -> bool:
    return not re.match(
        r"(?:Northern|Southern|Eastern|Western|Central|The|Industrial|A|An)\b", name
    )


def _near(text: str) -> tuple[str, ...]:
    if between := _BETWEEN.search(text):
        return (between["a"], between["b"])
    names = [one["a"] for one in _NEAR.finditer(text)]
    return tuple(name.strip(" .") for name in names if name[0].isupper() and not _country(name))


def _country(text: str) -> str:
    """The first country that the text names, as it is written there."""
    folded = plain(text)
    for name in _TWO_WORDS:
        if (at := folded.find(name)) >= 0:
            return text[at : at + len(name)]
    for word in re.finditer(r"[a-z]+", folded):
        if _COUNTRIES.fullmatch(word[0]):
            return text[word.start() : word.end()]
    return ""
