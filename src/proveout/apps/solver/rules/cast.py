"""Whom a text speaks of: departments by their registry names, and everyone else by role."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from proveout.apps.solver.rules.blocks import Page, sentences
from proveout.apps.solver.rules.ir import Audience
from proveout.apps.solver.rules.lexicon import FUNCTIONS, PEOPLE, members_of
from proveout.apps.solver.rules.text import phrase, plain, squeeze

_FUNCTION = {name: phrase(pattern) for name, pattern in FUNCTIONS.items()}
_FUNCTION_MEMBERS = {name: phrase(members_of(pattern)) for name, pattern in FUNCTIONS.items()}
_PERSON = tuple((who, phrase(pattern)) for who, pattern in PEOPLE)
_PLAIN_WORDS = frozenset({"hr", "leadership", "external", "finance"})
"""Functions whose words mean people wherever they stand; others must look like a name."""
_TEAM_WORD = re.compile(
    r"(department|team|staff|division|function|unit|people|office|colleagues)s?$"
)
_LISTING = re.compile(
    r"\bdepartments?\b|\bhow we are organi[sz]ed\b|\bcompany structure\b|^organi[sz]ation$"
    r"|^structure$"
)
_BARE = re.compile(
    r"(?:^|[^\w\s-]|\b(?:the|and|or|all|to|by|for|only|their|of|with|if|are|is))\s*$"
)
"""What stands before `managers` where no particular kind of manager is meant."""
_DEFINES = re.compile(
    r"\b(?:is the|are the|holds|we mean|are meant|is meant|means|consists? of|belongs? to|make up"
    r"|counts? as|(?:is|are) (?:our |an? )?externals?|form|forms)\b|:"
)
_EXECUTIVES = re.compile(r"\bexecutives?\b|\bexecutive team\b|\btop management\b")
_EXTERNALS = re.compile(
    r"\bexternals?\b|\bexternal (?:staff|people|employees)\b|\bcontractors\b|\bfreelancers\b"
)
_PROSE_LIST = re.compile(r"\bdepartments (?:are|is|include)(?: the following)?:?\s+([^.]+)\.")
_COUNT = re.compile(r"[\s:|*(-]*~?\d+\D*$")


@dataclass(frozen=True)
class Mention:
    audience: Audience
    start: int
    end: int


@dataclass(frozen=True)
class Cast:
    """The departments of one company, and how its wiki's words lead to them."""

    departments: tuple[str, ...] = ()
    executives: str = ""
    """The department that the wiki calls the executives, whatever its name."""
    externals: str = ""

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Everyone that the text names, from left to right, without overlaps."""
        folded = plain(text)
        found = [
            *self._by_name(folded),
            *self._by_function(text, folded),
            *_by_role(folded, self.named("leadership")),
        ]
        found.sort(key=lambda one: (one.start, -one.end))
        kept: list[Mention] = []
        for one in found:
            if not kept or one.start >= kept[-1].end:
                kept.append(one)
            elif one.end - one.start > kept[-1].end - kept[-1].start:
                kept[-1] = one
        return tuple(kept)

    def named(self, function: str) -> str:
        """The department with this function, if the wiki says so or exactly one has it."""
        if stated := {"leadership": self.executives, "external": self.externals}.get(function, ""):
            return stated
        names = [name for name in self.departments if function_of(name) == function]
        return names[0] if len(names) == 1 else ""

    def audience(self, department: str) -> Audience:
        """The audience that a department's name stands for."""
        if department == self.named("leadership"):
            return Audience(who="executive", department=department)
        if department == self.named("external"):
            return Audience(who="external", department=department)
        return Audience(who="department", department=department)

    def _by_name(self, folded: str) -> Iterable[Mention]:
        for name in self.departments:
            for found in _name_pattern(name).finditer(folded):
                yield Mention(self.audience(name), found.start(), found.end())

    def _by_function(self, text: str, folded: str) -> Iterable[Mention]:
        for function, pattern in _FUNCTION_MEMBERS.items():
            for found in pattern.finditer(folded):
                written = text[found.start() : found.end()]
                if not _means_people(function, written):
                    continue
                name = self.named(function)
                if function == "leadership":
                    audience = Audience(who="executive", department=name)
                elif function == "external":
                    audience = Audience(who="external", department=name)
                else:
                    audience = Audience(who="department", department=name or written.strip())
                yield Mention(audience, found.start(), found.end())


def _means_people(function: str, written: str) -> bool:
    """Whether a department's word is used as its name: `IT` is, `it` is not; `Sales` is."""
    core = written.strip()
    if function == "it":
        return bool(re.search(r"\bI(?:C?T|nformation Technology)\b", core))
    if function in _PLAIN_WORDS or _TEAM_WORD.search(core.lower()):
        return True
    return core[:1].isupper() and not core.isupper() or core in {"R&D", "QA", "HSE"}


def _by_role(folded: str, leadership: str) -> Iterable[Mention]:
    for who, pattern in _PERSON:
        # Line managers and the chief are not marked as such in the registry: only the leading
        # department is sure to hold them.
        executive = who in {"manager", "chief"}
        audience = Audience.model_validate(
            {"who": "executive", "department": leadership} if executive else {"who": who}
        )
        for found in pattern.finditer(folded):
            if who != "manager" or _BARE.search(folded[: found.start()]):
                yield Mention(audience, found.start(), found.end())


@lru_cache(maxsize=1024)
def function_of(department: str) -> str:
    """What a department does, by its name; empty if the name does not tell."""
    folded = plain(department)
    for function in ("external", "hr", "leadership", *FUNCTIONS):
        found = _FUNCTION[function].search(folded)
        if found and (function != "it" or "IT" in department or "nformation" in department):
            return function
    return ""


@lru_cache(maxsize=1024)
def _name_pattern(name: str) -> re.Pattern[str]:
    folded = squeeze(name).replace(" - ", " ")
    forms = [folded]
    if short := re.fullmatch(r"(.+?)\s*\((\w+)\)", folded):
        forms += [short[1], short[2]]
    joined = "|".join(
        " ".join("(?:&|and)" if word in {"&", "and"} else re.escape(word) for word in form.split())
        for form in forms
        if form != "it"
    )
    return phrase(members_of(joined))


def cast_of(pages: Sequence[Page], departments: Sequence[str] = ()) -> Cast:
    """The departments of a company, and which of them are the executives and the externals."""
    names = tuple(sorted({*departments} or {*departments_in(pages)}))
    cast = Cast(names)
    return Cast(names, _stated(pages, cast, _EXECUTIVES), _stated(pages, cast, _EXTERNALS))


def _stated(pages: Sequence[Page], cast: Cast, words: re.Pattern[str]) -> str:
    """The one department of a sentence that says who the executives, or the externals, are."""
    for page in sorted(pages, key=lambda one: one.path):
        for block in page.blocks:
            if block.kind not in {"paragraph", "item"}:
                continue
            for span in sentences(page.text, block.start, block.end):
                text = page.text[span.start : span.end]
                if not (_DEFINES.search(plain(text)) and words.search(plain(text))):
                    continue
                named = {one for one in cast.departments if _name_pattern(one).search(plain(text))}
                if len(named) == 1:
                    return named.pop()
    return ""


def departments_in(pages: Sequence[Page]) -> tuple[str, ...]:
    """Department names that pages list under a heading that speaks of departments."""
    found: dict[str, None] = {}
    for page in sorted(pages, key=lambda one: one.path):
        for index, block in enumerate(page.blocks):
            heading = plain(block.headings[-1]) if block.headings else ""
            if block.kind == "paragraph":
                for one in _PROSE_LIST.finditer(page.of(block)):
                    for name in _enumerated(one[1], pages):
                        _note(found, name)
            if block.kind == "item" and _LISTING.search(heading) and block.indent == 0:
                if not page.children(index):
                    _note(found, page.of(block))
            elif block.kind == "row" and block.header >= 0:
                _note_cell(found, page, index)
    return tuple(sorted(found))


def _enumerated(text: str, pages: Sequence[Page]) -> tuple[str, ...]:
    """The names of "A, B and C and D": of two readings, the one whose names recur elsewhere."""
    *first, tail = re.split(r",\s+(?:and\s+)?", text)
    words = re.split(r"\s+and\s+", tail)
    if len(words) < 3:
        return (*first, *words)
    cuts = [
        (" and ".join(words[:at]), " and ".join(words[at:])) for at in range(len(words) - 1, 0, -1)
    ]

    def known(names: tuple[str, str]) -> tuple[int, int]:
        alone = [re.compile(rf"(?<!\band ){re.escape(name)}(?! and\b)") for name in names]
        counts = [sum(len(one.findall(page.text)) for page in pages) for one in alone]
        return min(counts), sum(counts)

    return (*first, *max(cuts, key=known))


def _note_cell(found: dict[str, None], page: Page, index: int) -> None:
    block = page.blocks[index]
    header = page.blocks[block.header]
    if index == block.header:
        return
    for name, cell in zip(header.cells, block.cells, strict=False):
        if squeeze(page.cell(name)) in {"department", "departments", "home department"}:
            _note(found, page.cell(cell))


def _note(found: dict[str, None], text: str) -> None:
    """A short bold or bare name, perhaps with a headcount or an explanation after it."""
    bold = re.match(r"\s*(?:\*\*|__|`)(.+?)(?:\*\*|__|`)", text)
    name = bold[1] if bold else re.split(r"\s+[-–—]\s+(?=[a-z])|[:.]\s", text.strip(" .*"))[0]
    name = _COUNT.sub("", name).strip(" :.*")
    if name and len(name) <= 50 and len(name.split()) <= 6 and name[0].isupper():
        found.setdefault(name)
