"""Typed mentions in a task text: ids, quotes, dates, amounts, and everything with a name.

Longest match first; what one mention covers is hidden from the next kind. A mention says which
words of the text are meant and what they may stand for; whether that is so is for the tools to say.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from proveout.apps.solver.experts.concepts import lexicon, signs
from proveout.apps.solver.experts.language import small_word
from proveout.apps.solver.resolve.abilities import covers
from proveout.apps.solver.resolve.dates import read_dates
from proveout.apps.solver.resolve.folding import Token, fold, similar, tokens, word_set, words
from proveout.apps.solver.resolve.gazetteer import DULL, Gazetteer
from proveout.apps.solver.resolve.index import NEAR, PhraseIndex
from proveout.apps.solver.resolve.persons import People
from proveout.apps.solver.resolve.places import spot_places
from proveout.apps.solver.resolve.quantities import numbers
from proveout.apps.solver.resolve.resolution import Resolution

Kind = Literal[
    "person", "contact", "project", "customer", "department", "location", "skill", "will",
    "page", "entry", "date", "number", "quote", "code",
]  # fmt: skip
LONGEST_TEXT = 20_000
"""Characters of a task that are read."""
_ANY_DAY = date(2000, 6, 15)
"""To find where a text speaks of days; which days is computed by the tool, from the real today."""

_ID = re.compile(r"(?<![\w./-])[A-Za-z0-9]+(?:[_-]?[A-Za-z0-9]+)*(?![\w/])")
_PATH = re.compile(r"(?<![\w/])(?:[\w-]+/)*[\w-]+(?:\.[\w-]+)*\.(?:md|txt|bak)\b(?:\.\w+)?")
_QUOTES = re.compile(
    r"\"([^\"\n]{1,600})\"|“([^”]{1,600})”|„([^“”]{1,600})[“”]|«([^»]{1,600})»|`([^`\n]{1,600})`"
    r"|(?<!\w)'([^'\n]{2,600}?)'(?!\w)|‘([^’]{1,600})’|「([^」]{1,600})」|《([^》]{1,600})》"
)
_CODE = re.compile(r"(?<![\w-])[A-Z]{2,}(?:-[A-Za-z0-9]+)+(?![\w-])")
_HEADS: dict[str, Kind] = {
    "proj": "project", "prj": "project", "cust": "customer", "skill": "skill", "will": "will",
    "te": "entry",
}  # fmt: skip


@dataclass(frozen=True)
class Mention:
    """Words of the text with what they may stand for."""

    kind: Kind
    text: str
    start: int
    end: int
    ids: tuple[str, ...] = ()
    """Candidates; none if the words have the form of the kind and nothing fits."""
    score: float = 1.0

    @property
    def certain(self) -> bool:
        return len(self.ids) == 1


def mentions(text: str, gazetteer: Gazetteer) -> tuple[Mention, ...]:
    """All mentions in the order of the text."""
    return tuple(sorted(_Spotter(text[:LONGEST_TEXT], gazetteer).all(), key=lambda it: it.start))


class _Spotter:
    """One pass over one text; `_free` tells which tokens are still without a meaning."""

    def __init__(self, text: str, gazetteer: Gazetteer) -> None:
        self._text = text
        self._gazetteer = gazetteer
        self._tokens = tokens(text)
        self._free = [True] * len(self._tokens)
        self._found: list[Mention] = []
        self._asks = lexicon().asks

    def all(self) -> list[Mention]:
        self._take(self._ids())
        self._take(self._paths())
        self._take(self._quotes())
        self._take(self._dates())
        self._take(self._codes())
        self._take(self._whole_departments())
        self._take(self._abilities())
        self._take(self._covered_abilities(loosely=False))
        self._take(self._whole_names(self._gazetteer.people, "person"))
        self._take(self._whole_names(self._gazetteer.contacts, "contact"))
        self._take(self._locations())
        self._subjects()
        self._take(self._covered_abilities(loosely=True))
        self._take(self._places())
        self._take(self._departments())
        self._take(self._single_names())
        self._take(self._numbers())
        return self._found

    def _take(self, found: Iterator[Mention]) -> None:
        for mention in list(found):
            inside = [
                place
                for place, token in enumerate(self._tokens)
                if token.start < mention.end and mention.start < token.end
            ]
            if all(self._free[place] for place in inside):
                self._found.append(mention)
                for place in inside:
                    self._free[place] = False

    def _mention(
        self, kind: Kind, first: int, last: int, ids: tuple[str, ...] = (), score: float = 1.0
    ) -> Mention:
        start, end = self._tokens[first].start, self._tokens[last - 1].end
        if self._text[end : end + 1] == ")" and "(" in self._text[start:end]:
            end += 1
        return Mention(kind, self._text[start:end], start, end, ids, score)

    def _ids(self) -> Iterator[Mention]:
        names = self._gazetteer.names
        known: dict[str, tuple[Kind, str]] = {}
        for it in names.projects:
            known[it.id.casefold()] = ("project", it.id)
        for person in names.people:
            known[person.id.casefold()] = ("person", person.id)
        for customer in names.customers:
            known[customer.id.casefold()] = ("customer", customer.id)
        for ability in self._gazetteer.skills:
            known[ability.casefold()] = ("skill", ability)
        for ability in self._gazetteer.wills:
            known[ability.casefold()] = ("will", ability)
        shapes = _shapes(known)
        for match in _ID.finditer(self._text):
            raw = match.group()
            kind, id_ = known.get(raw.casefold(), (_kind_of(raw), ""))
            kind = kind or next((it for shape, it in shapes if shape.fullmatch(raw)), None)
            if kind is not None:
                yield Mention(kind, raw, match.start(), match.end(), (id_,) if id_ else ())

    def _paths(self) -> Iterator[Mention]:
        for match in _PATH.finditer(self._text):
            ids = (match.group(),) if match.group() in self._gazetteer.names.pages else ()
            yield Mention("page", match.group(), match.start(), match.end(), ids)

    def _quotes(self) -> Iterator[Mention]:
        for match in _QUOTES.finditer(self._text):
            inside = next(group for group in match.groups() if group is not None)
            start = self._text.index(inside, match.start())
            yield self._quoted(inside, start) or Mention(
                "quote", inside, start, start + len(inside)
            )

    def _quoted(self, inside: str, start: int) -> Mention | None:
        """A quoted name is that name."""
        for kind, names in (
            ("project", [(it.id, it.name) for it in self._gazetteer.names.projects]),
            ("customer", [(it.id, it.name) for it in self._gazetteer.names.customers]),
            ("person", [(it.id, it.name) for it in self._gazetteer.names.people]),
            ("department", [(it, it) for it in self._gazetteer.names.departments]),
            ("location", [(it, it) for it in self._gazetteer.names.locations]),
            ("skill", self._labels(self._gazetteer.skills)),
            ("will", self._labels(self._gazetteer.wills)),
        ):
            ids = tuple(id_ for id_, name in names if words(name) == words(inside))
            if ids and len(inside) < 200:
                return Mention(_kind(kind), inside, start, start + len(inside), ids)
        known = self._gazetteer
        cover = next(iter(covers(words(inside), (*known.skills, *known.wills))), None)
        if cover is None or len(words(inside)) > _LONGEST_LABEL:
            return None
        ability: Kind = "skill" if cover.id in known.skills else "will"
        return Mention(ability, inside, start, start + len(inside), (cover.id,), 0.8)

    def _labels(self, ids: tuple[str, ...]) -> list[tuple[str, str]]:
        return [(it, self._gazetteer.label(it)) for it in ids]

    def _dates(self) -> Iterator[Mention]:
        offset = 0
        while offset < len(self._text):
            reading = read_dates(self._text[offset:], _ANY_DAY)
            if reading is None or reading.end == 0:
                return
            start, end = offset + reading.start, offset + reading.end
            yield Mention("date", self._text[start:end], start, end)
            offset = end

    def _codes(self) -> Iterator[Mention]:
        for match in _CODE.finditer(self._text):
            if any(char.isdigit() for char in match.group()):
                yield Mention("code", match.group(), match.start(), match.end())

    def _windows(self, names: list[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
        """Where the words of a name stand in the text one after another; longest names first."""
        keys = [token.folded for token in self._tokens]
        parted = sorted(
            ((tuple(t.folded for t in tokens(name)), id_) for id_, name in names),
            key=lambda item: -len(item[0]),
        )
        for wanted, id_ in parted:
            size = len(wanted)
            for first in range(len(keys) - size + 1) if size else ():
                if tuple(keys[first : first + size]) == wanted and all(
                    self._free[first : first + size]
                ):
                    yield first, first + size, id_

    def _whole_departments(self) -> Iterator[Mention]:
        names = self._gazetteer.names.departments
        for first, last, id_ in self._windows([(it, it) for it in names]):
            if last - first > 1 or not self._tokens[first].raw.islower():
                yield self._mention("department", first, last, (id_,))

    def _departments(self) -> Iterator[Mention]:
        for first, token in enumerate(self._tokens):
            if not self._free[first] or token.raw.islower():
                continue
            for size in (4, 3, 2, 1):
                if first + size > len(self._tokens) or not all(self._free[first : first + size]):
                    continue
                phrase = self._text[token.start : self._tokens[first + size - 1].end]
                if size > 1 and self._tokens[first + size - 1].folded in DULL:
                    continue
                found = self._gazetteer.department(phrase)
                if found.status == "found" and self._department_like(first, size, phrase):
                    yield self._mention(
                        "department", first, first + size, (found.candidates[0].id,), 0.8
                    )
                    break

    def _department_like(self, first: int, size: int, phrase: str) -> bool:
        """A part of a department's name counts beside the word, after `in` or `from`, or as HR."""
        near = self._tokens[max(0, first - 3) : first + size + 3]
        named = any(fold(it.raw).startswith(_DEPARTMENT_WORDS) for it in near)
        short = phrase.isupper() and len(phrase) <= 4
        led = first > 0 and self._tokens[first - 1].folded in _FROM_WORDS
        return named or short or (led and size == 1)

    def _abilities(self) -> Iterator[Mention]:
        names = self._gazetteer.names
        known = (("skill", self._gazetteer.skills), ("will", self._gazetteer.wills))
        for kind, ids in known:
            labelled = [(it, names.labels[it]) for it in ids if names.labels.get(it)]
            for first, last, id_ in self._windows(labelled):
                yield self._mention(_kind(kind), first, last, (id_,))

    def _covered_abilities(self, *, loosely: bool) -> Iterator[Mention]:
        """Abilities by the words of their ids, where the text speaks of abilities at all.

        One word is enough beside such speech; farther away it must not be a word of the request.
        """
        names = self._gazetteer
        said = [it for it in signs(self._tokens, self._free) if it.concept in _ABILITY_SIGNS]
        if not said:
            return
        keys = [
            token.folded if free else ""
            for token, free in zip(self._tokens, self._free, strict=True)
        ]
        for cover in covers(keys, (*names.skills, *names.wills)):
            near = any(
                it.first - cover.last <= _BESIDE and cover.first - it.last <= _BESIDE for it in said
            )
            ordinary = self._ordinary(self._tokens[cover.first])
            if cover.size > 1 or near or (loosely and not ordinary):
                kind = "skill" if cover.id in names.skills else "will"
                yield self._mention(_kind(kind), cover.first, cover.last, (cover.id,), 0.9)

    def _whole_names(self, people: People, kind: Kind) -> Iterator[Mention]:
        taken = [not free for free in self._free]
        for hit in people.spot(self._text, taken, lambda _: True):
            yield self._mention(kind, hit.first, hit.last, hit.ids, hit.score)

    def _single_names(self) -> Iterator[Mention]:
        taken = [not free for free in self._free]

        def ordinary(token: Token) -> bool:
            return self._ordinary(token)

        for hit in self._gazetteer.people.spot(self._text, taken, ordinary):
            yield self._mention("person", hit.first, hit.last, hit.ids, hit.score)

    def _locations(self) -> Iterator[Mention]:
        names = [(it, it) for it in self._gazetteer.names.locations]
        for first, last, id_ in self._windows(names):
            if last - first > 1 or not self._tokens[first].raw.islower():
                yield self._mention("location", first, last, (id_,))

    def _places(self) -> Iterator[Mention]:
        for _, start, end in spot_places(self._text):
            phrase = self._text[start:end]
            ids = tuple(it.id for it in self._gazetteer.location(phrase).candidates)
            near = self._text[max(0, start - 12) : start].rstrip().casefold()
            described = any(
                it.kind in {"customer", "project"} and it.end <= start and it.end + 12 >= start
                for it in self._found
            ) and near.endswith(_IN_WORDS)
            if not described:
                yield Mention("location", phrase, start, end, ids)

    def _subjects(self) -> None:
        """Projects and customers, by the stretches of text that speak of them most."""
        for _ in range(4):
            project, customer = self._aligned("project"), self._aligned("customer")
            if (
                project
                and customer
                and self._only_customer(project[1], customer[1])
                or project
                and customer
                and self._called(customer[1], "CUSTOMER")
            ):
                project = None
            best = max((it for it in (project, customer) if it), key=lambda it: it[0], default=None)
            if best is None:
                return
            self._take(iter([best[1]]))

    def _aligned(self, kind: Literal["project", "customer"]) -> tuple[float, Mention] | None:
        index: PhraseIndex = (
            self._gazetteer.projects if kind == "project" else self._gazetteer.customers
        )
        if not len(index):
            return None
        dull = frozenset(
            token.folded
            for token, free in zip(self._tokens, self._free, strict=True)
            if not free or self._ordinary(token)
        )
        for span in index.spans(self._tokens, dull, self._breaks())[:12]:
            first, last = self._trimmed(*self._grown(*self._trimmed(span.first, span.last)))
            if first >= last or not all(self._free[first:last]) or not self._telling(first, last):
                continue
            mention = self._mention(kind, first, last)
            found: Resolution = (
                self._gazetteer.project(mention.text)
                if kind == "project"
                else self._gazetteer.customer(mention.text)
            )
            ids = tuple(it.id for it in found.candidates)
            if not ids and not self._proper(first, last):
                continue
            score = found.candidates[0].score if ids else 0.0
            rank = span.gain * (1.0 if len(ids) == 1 else 0.7)
            return rank, Mention(kind, mention.text, mention.start, mention.end, ids, score)
        return None

    def _proper(self, first: int, last: int) -> bool:
        """Two words with capitals, not at the beginning of a sentence: somebody's name."""
        return sum(token.capital for token in self._tokens[max(first, 1) : last]) >= 2

    def _breaks(self) -> frozenset[int]:
        """Tokens before which a name cannot go on: after `or`, a colon, the end of a sentence."""
        pairs = zip(self._tokens, self._tokens[1:], strict=False)
        taken = {
            near for place, free in enumerate(self._free) if not free for near in (place, place + 1)
        }
        return frozenset(taken) | frozenset(
            place
            for place, (left, right) in enumerate(pairs, 1)
            if right.folded in _OR_WORDS
            or left.folded in _OR_WORDS
            or _END.search(self._text[left.end : right.start])
        )

    def _called(self, mention: Mention, concept: str) -> bool:
        """Whether the word for a thing stands right before its name."""
        before = [place for place, it in enumerate(self._tokens) if it.end <= mention.start]
        return any(
            it.concept == concept and before and it.last - 1 == before[-1]
            for it in signs(self._tokens, [True] * len(self._tokens))
        )

    def _only_customer(self, project: Mention, customer: Mention) -> bool:
        """Whether words taken for a project merely repeat the name of its customer."""
        if project.end <= customer.start or customer.end <= project.start or not customer.certain:
            return False
        said = [it for it in words(project.text) if it not in DULL]
        if any(it.startswith(_PROJECT_WORDS) for it in words(project.text)):
            return False
        name = set(words(self._gazetteer.customers.name(customer.ids[0])))
        if all(any(similar(it, own) >= NEAR for own in name) for it in said):
            return True
        longer = customer.end - customer.start >= project.end - project.start
        return longer and customer.score > max(project.score - 0.05, 0.7)

    def _trimmed(self, first: int, last: int) -> tuple[int, int]:
        while first < last and (self._tokens[first].folded in DULL or not self._free[first]):
            first += 1
        while last > first and (self._tokens[last - 1].folded in DULL or not self._free[last - 1]):
            last -= 1
        return first, last

    def _grown(self, first: int, last: int) -> tuple[int, int]:
        """A name goes on while capital letters do."""
        while last < len(self._tokens) and self._goes_on(last - 1, last, last):
            last += 1
        while first > 0 and first < last and self._goes_on(first - 1, first, first - 1):
            first -= 1
        return first, last

    def _goes_on(self, left: int, right: int, new: int) -> bool:
        token = self._tokens[new]
        between = self._text[self._tokens[left].end : self._tokens[right].start]
        return (
            self._free[new]
            and (token.capital or between == "-")
            and between in {" ", "-", " & "}
            and not self._ordinary(token)
            and (new > 0 or between == "-")
        )

    def _ordinary(self, token: Token) -> bool:
        return self._asks(token.folded) or small_word(token.folded)

    def _telling(self, first: int, last: int) -> bool:
        """A name needs two words of its own, or one that looks like a name."""
        own = [
            token
            for token in self._tokens[first:last]
            if not self._ordinary(token) and token.folded not in DULL and len(token.folded) > 1
        ]
        named = any(token.capital or not token.raw.isascii() for token in own)
        return len(own) > 1 or (named and len(own) == 1)

    def _numbers(self) -> Iterator[Mention]:
        for number in numbers(self._text):
            raw = self._text[number.start : number.end]
            yield Mention("number", raw, number.start, number.end)


_ABILITY_SIGNS = frozenset(
    {"SKILL", "WILL", "STRONG", "SKILLED", "EAGER", "LEVEL", "REFLECT", "AT_LEAST"}
)
_BESIDE = 2
_MOST_SHAPES = 12
_PROJECT_WORDS = ("project", "projekt", "progett", "projet", "proyect", "proekt")
_LONGEST_LABEL = 6
_OR_WORDS = word_set("or oder oppure ou ili versus vs или либо 或")
_END = re.compile(r"[?!:;。？！：；\n]|\.\s")
_DEPARTMENT_WORDS = ("depart", "abteil", "bereich", "repart", "dipart", "odelj", "sektor", "otdel",
                     "division", "部")  # fmt: skip
_FROM_WORDS = word_set("from in aus im dal dalla nel nella du dans de del en iz u v iz of")
_IN_WORDS = ("in", "in the", "aus", "from", "en", "nei", "aux", "in den", "u", "based in")


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


def _kind(name: str) -> Kind:
    table: dict[str, Kind] = {
        "project": "project", "customer": "customer", "person": "person", "skill": "skill",
        "department": "department", "location": "location", "will": "will",
    }  # fmt: skip
    return table[name]
