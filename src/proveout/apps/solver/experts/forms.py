"""Mentions by their form alone: ids, paths, quotes, days, codes, amounts."""

import re
from collections.abc import Iterator
from datetime import date

from proveout.apps.solver.experts.canvas import Canvas
from proveout.apps.solver.experts.mention import Kind, Mention
from proveout.apps.solver.resolve.abilities import covers
from proveout.apps.solver.resolve.dates import read_dates
from proveout.apps.solver.resolve.folding import words
from proveout.apps.solver.resolve.quantities import numbers as numbers_in

_ANY_DAY = date(2000, 6, 15)
"""To find where a text speaks of days; which days is computed by the tool, from the real today."""
# Possessive: what follows decides once, or a long id with an odd letter would take for ever.
_ID = re.compile(r"(?<![\w./-])[A-Za-z0-9]++(?:[_-][A-Za-z0-9]++)*+(?![\w/])")
_PATH = re.compile(r"(?<![\w/-])(?:[\w-]++/)*+[\w-]+(?:\.[\w-]+)*\.(?:md|txt|bak)\b(?:\.\w+)?")
_QUOTES = re.compile(
    r"\"([^\"\n]{1,600})\"|“([^”]{1,600})”|„([^“”]{1,600})[“”]|«([^»]{1,600})»|`([^`\n]{1,600})`"
    r"|(?<!\w)'([^'\n]{2,600}?)'(?!\w)|‘([^’]{1,600})’|「([^」]{1,600})」|《([^》]{1,600})》"
)
_CODE = re.compile(r"(?<![\w-])[A-Z]{2,}(?:-[A-Za-z0-9]+)+(?![\w-])")
_HEADS: dict[str, Kind] = {
    "proj": "project", "prj": "project", "cust": "customer", "skill": "skill", "will": "will",
    "te": "entry",
}  # fmt: skip
_MOST_SHAPES = 12
_MOST_DATES = 40
"""Days of a text that are looked for; no request names more."""
_LONGEST_LABEL = 6
_SMALL_WORDS = 2
"""Words such as `in` that a name may have beside those of its id."""


def ids(canvas: Canvas) -> Iterator[Mention]:
    names = canvas.gazetteer.names
    known: dict[str, tuple[Kind, str]] = {}
    for it in names.projects:
        known[it.id.casefold()] = ("project", it.id)
    for person in names.people:
        known[person.id.casefold()] = ("person", person.id)
    for customer in names.customers:
        known[customer.id.casefold()] = ("customer", customer.id)
    known |= {key: it for key, it in _abilities(canvas).items() if not key.isalpha()}
    shapes = _shapes(known)
    for match in _ID.finditer(canvas.text):
        raw = match.group()
        kind, id_ = known.get(raw.casefold(), (_kind_of(raw), ""))
        kind = kind or next((it for shape, it in shapes if shape.fullmatch(raw)), None)
        if kind is not None:
            yield Mention(kind, raw, match.start(), match.end(), (id_,) if id_ else ())


def plain_ids(canvas: Canvas) -> Iterator[Mention]:
    """Abilities whose ids are plain words; a longer name that holds the word comes first."""
    known = {key: it for key, it in _abilities(canvas).items() if key.isalpha()}
    for match in _ID.finditer(canvas.text):
        found = known.get(match.group().casefold())
        if found is not None:
            yield Mention(found[0], match.group(), match.start(), match.end(), (found[1],))


def _abilities(canvas: Canvas) -> dict[str, tuple[Kind, str]]:
    found: dict[str, tuple[Kind, str]] = {}
    for ability in canvas.gazetteer.skills:
        found[ability.casefold()] = ("skill", ability)
    for ability in canvas.gazetteer.wills:
        found[ability.casefold()] = ("will", ability)
    return found


def paths(canvas: Canvas) -> Iterator[Mention]:
    for match in _PATH.finditer(canvas.text):
        ids = (match.group(),) if match.group() in canvas.gazetteer.names.pages else ()
        yield Mention("page", match.group(), match.start(), match.end(), ids)


def quotes(canvas: Canvas) -> Iterator[Mention]:
    for match in _QUOTES.finditer(canvas.text):
        inside = next(group for group in match.groups() if group is not None)
        start = canvas.text.index(inside, match.start())
        yield _quoted(canvas, inside, start) or Mention("quote", inside, start, start + len(inside))


def _quoted(canvas: Canvas, inside: str, start: int) -> Mention | None:
    """A quoted name is that name."""
    kinds: tuple[tuple[Kind, list[tuple[str, str]]], ...] = (
        ("project", [(it.id, it.name) for it in canvas.gazetteer.names.projects]),
        ("customer", [(it.id, it.name) for it in canvas.gazetteer.names.customers]),
        ("person", [(it.id, it.name) for it in canvas.gazetteer.names.people]),
        ("department", [(it, it) for it in canvas.gazetteer.names.departments]),
        ("location", [(it, it) for it in canvas.gazetteer.names.locations]),
        ("skill", canvas.labels(canvas.gazetteer.skills)),
        ("will", canvas.labels(canvas.gazetteer.wills)),
    )
    for kind, names in kinds:
        ids = tuple(id_ for id_, name in names if words(name) == words(inside))
        if ids and len(inside) < 200:
            return Mention(kind, inside, start, start + len(inside), ids)
    known = canvas.gazetteer
    cover = next(iter(covers(words(inside), (*known.skills, *known.wills))), None)
    if cover is None or len(words(inside)) > min(_LONGEST_LABEL, cover.size + _SMALL_WORDS):
        return None
    ability: Kind = "skill" if cover.id in known.skills else "will"
    return Mention(ability, inside, start, start + len(inside), (cover.id,), 0.8)


def dates(canvas: Canvas) -> Iterator[Mention]:
    offset = 0
    for _ in range(_MOST_DATES):
        reading = read_dates(canvas.text[offset:], _ANY_DAY)
        if reading is None or reading.end == 0:
            return
        start, end = offset + reading.start, offset + reading.end
        yield Mention("date", canvas.text[start:end], start, end)
        offset = end


def codes(canvas: Canvas) -> Iterator[Mention]:
    for match in _CODE.finditer(canvas.text):
        if any(char.isdigit() for char in match.group()):
            yield Mention("code", match.group(), match.start(), match.end())


def numbers(canvas: Canvas) -> Iterator[Mention]:
    for number in numbers_in(canvas.text):
        raw = canvas.text[number.start : number.end]
        yield Mention("number", raw, number.start, number.end)


def _shapes(known: dict[str, tuple[Kind, str]]) -> list[tuple[re.Pattern[str], Kind]]:
    """The forms of the company's ids: letters as they are, any digits for digits."""
    shapes: dict[str, Kind] = {}
    for id_, (kind, _) in known.items():
        if len(shapes) >= _MOST_SHAPES:
            break
        shape = re.sub(r"\d+", r"\\d+", re.escape(id_))
        if shape.endswith("\\d+"):
            shapes.setdefault(shape, kind)
    return [(re.compile(shape, re.IGNORECASE), kind) for shape, kind in shapes.items()]


def _kind_of(raw: str) -> Kind | None:
    """What an id that nobody knows would be, by its form."""
    head, joint, _ = raw.partition("_")
    if not joint:
        return None
    head = head.casefold()
    if head in _HEADS:
        return _HEADS[head]
    return "person" if re.fullmatch(r"[A-Za-z0-9]+_\d+", raw) else None
