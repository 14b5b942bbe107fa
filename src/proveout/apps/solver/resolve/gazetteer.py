"""What a phrase of a task means among everything the company has a name for."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Literal

from proveout.apps.solver.resolve.abilities import bare_id, covers
from proveout.apps.solver.resolve.folding import fold, within_one_edit, word_set, words
from proveout.apps.solver.resolve.index import Entry, PhraseIndex
from proveout.apps.solver.resolve.persons import People, Person
from proveout.apps.solver.resolve.places import SiteLike, country_words, locations_of
from proveout.apps.solver.resolve.resolution import Candidate, Names, Resolution

ACCEPT = 0.55
"""Share of a phrase's weight that an entry must account for."""
MARGIN = 0.06
"""Lead that the best entry needs over the second."""
MOST_CANDIDATES = 12
DULL = word_set(
    "the a an of for in on at to and or with our my your its their this that project projects "
    "customer customers company client der die das den dem des ein eine einen fur von im am und "
    "oder mit unser unsere projekt projekts kunde kunden firma il lo la le gli i un una di del "
    "della dei delle per con su progetto cliente azienda l les le du des et ou pour avec sur notre "
    "projet client entreprise el los las de en y o para nuestro proyecto empresa na za i sa od "
    "projekat projekta projektu klijent kompanija proekt proekta proekte klient dlya po s v k "
    "named called"
)
"""Words that never tell one entry from another."""


class Gazetteer:
    """All resolvers over one company. Built once per snapshot, lazily."""

    def __init__(self, names: Names, sites: Sequence[SiteLike] = ()) -> None:
        self.names = names
        self._sites = tuple(sites)

    @cached_property
    def people(self) -> People:
        return People([Person(it.id, it.name) for it in self.names.people])

    @cached_property
    def name_words(self) -> frozenset[str]:
        """Every part of every employee's name, folded."""
        return frozenset(word for it in self.names.people for word in words(it.name))

    @cached_property
    def contacts(self) -> People:
        return People([Person(it.id, it.contact) for it in self.names.customers if it.contact])

    @cached_property
    def projects(self) -> PhraseIndex:
        return PhraseIndex(
            [
                Entry(
                    it.id, it.name, f"{it.description} {_spoken(it.id)} {it.customer} {it.status}"
                )
                for it in self.names.projects
            ],
            DULL,
        )

    @cached_property
    def customers(self) -> PhraseIndex:
        return PhraseIndex(
            [
                Entry(
                    it.id,
                    it.name,
                    f"{it.brief} {_spoken(it.id)} {it.location} {country_words(it.location)}",
                )
                for it in self.names.customers
            ],
            DULL,
        )

    @cached_property
    def pages(self) -> PhraseIndex:
        return PhraseIndex([Entry(it, _spoken(it.removesuffix(".md"))) for it in self.names.pages])

    @cached_property
    def skills(self) -> tuple[str, ...]:
        """Ids seen in profiles, and those that only the wiki names."""
        named = (it for it in self.names.labels if not it.startswith("will"))
        return tuple(dict.fromkeys((*self.names.skills, *named)))

    @cached_property
    def wills(self) -> tuple[str, ...]:
        named = (it for it in self.names.labels if it.startswith("will"))
        return tuple(dict.fromkeys((*self.names.wills, *named)))

    @cached_property
    def _abilities(self) -> dict[str, PhraseIndex]:
        kinds = {"skill": self.skills, "will": self.wills, "": (*self.skills, *self.wills)}
        return {
            kind: PhraseIndex([Entry(it, self.label(it), bare_id(it)) for it in ids], _ABILITY_DULL)
            for kind, ids in kinds.items()
        }

    def label(self, ability: str) -> str:
        """The readable name of a skill or will."""
        return self.names.labels.get(ability) or _spoken(bare_id(ability))

    def person(self, text: str, within: frozenset[str] | None = None) -> Resolution:
        found = self.people.find(text, within)
        return _settled([Candidate(id=it, name=self.people.name(it), score=score)
                         for it, score in found])  # fmt: skip

    def contact(self, text: str) -> Resolution:
        found = self.contacts.find(text)
        return _settled([Candidate(id=it, name=self.contacts.name(it), score=score)
                         for it, score in found])  # fmt: skip

    def project(self, text: str) -> Resolution:
        return _ranked(text, self.projects, {it.id: it.name for it in self.names.projects})

    def customer(self, text: str) -> Resolution:
        return _ranked(text, self.customers, {it.id: it.name for it in self.names.customers})

    def department(self, text: str) -> Resolution:
        return _among(text, self.names.departments, _initials)

    def location(self, text: str) -> Resolution:
        """Registry locations; spellings of one site count as one answer."""
        found = locations_of(text, self.names.locations, self._sites)
        candidates = tuple(Candidate(id=it, name=it, score=1.0) for it in found)
        return Resolution(status="found" if found else "missing", candidates=candidates)

    def skill(self, text: str, kind: Literal["skill", "will", ""] = "") -> Resolution:
        index = self._abilities[kind]
        exact = [
            it
            for it in (*self.skills, *self.wills)
            if fold(text.strip()) in {fold(it), fold(bare_id(it)), fold(self.label(it))}
        ]
        wanted = [it for it in exact if not kind or it in self._of(kind)]
        if len(wanted) == 1:
            return _settled([Candidate(id=wanted[0], name=self.label(wanted[0]), score=1.0)])
        found = covers(words(text), self._of(kind))
        if found and (len(found) == 1 or found[0].size > found[1].size):
            id_ = found[0].id
            return _settled([Candidate(id=id_, name=self.label(id_), score=0.9)])
        return _ranked(text, index, {it: self.label(it) for it in self._of(kind)})

    def page(self, text: str) -> Resolution:
        return _ranked(text, self.pages, {it: it for it in self.names.pages})

    def _of(self, kind: str) -> tuple[str, ...]:
        if kind == "skill":
            return self.skills
        return self.wills if kind == "will" else (*self.skills, *self.wills)


_ABILITY_DULL = DULL | word_set(
    "skill skills will wills level interest ability knowledge in role motivation"
)


def _settled(candidates: Sequence[Candidate]) -> Resolution:
    if not candidates:
        return Resolution(status="missing")
    status: Literal["found", "ambiguous"] = "found" if len(candidates) == 1 else "ambiguous"
    return Resolution(status=status, candidates=tuple(candidates[:MOST_CANDIDATES]))


_MARKS = ".,;:!?\"'()"
_MIXED = re.compile(r"[A-Za-z][А-Яа-яЁё]|[А-Яа-яЁё][A-Za-z]")
"""Two alphabets in one word: it only looks like another."""


def _ranked(text: str, index: PhraseIndex, known: dict[str, str]) -> Resolution:
    """One clear winner, several that the words fit alike, or nothing that they fit."""
    stripped = text.strip()
    if stripped in known:
        return _settled([Candidate(id=stripped, name=known[stripped], score=1.0)])
    like_ids = [it.strip(_MARKS) for it in stripped.split() if "_" in it]
    if like_ids or _MIXED.search(stripped):
        # An id is meant or it is not: nothing that merely looks like one will do.
        cased = [key for key in known for it in like_ids if key.casefold() == it.casefold()]
        return _settled([Candidate(id=key, name=known[key], score=1.0) for key in cased])
    same = [key for key, name in known.items() if words(name) == words(stripped)]
    if len(same) == 1:
        return _settled([Candidate(id=same[0], name=known[same[0]], score=1.0)])
    ranked = index.rank(stripped)
    if not ranked or ranked[0][1] < ACCEPT:
        return Resolution(status="missing")
    best = ranked[0][1]
    close = [(key, score) for key, score in ranked if score >= ACCEPT and best - score < MARGIN]
    return _settled(
        [Candidate(id=key, name=known[key], score=round(score, 4)) for key, score in close]
    )


def _among(text: str, options: Iterable[str], also: Callable[[str], frozenset[str]]) -> Resolution:
    """A name out of a short list, by its words or its initials."""
    asked = [word for word in words(text) if word not in _DEPARTMENT_DULL]
    scored: list[tuple[float, str]] = []
    for option in dict.fromkeys(options):
        own = [word for word in words(option) if word not in _DEPARTMENT_DULL]
        if words(option) == words(text):
            return _settled([Candidate(id=option, name=option, score=1.0)])
        if not asked or not own:
            continue
        if {*asked, "".join(asked)} & also(option):
            scored.append((0.95, option))
            continue
        hits = sum(any(_near(word, other) for other in own) for word in asked)
        if hits == len(asked):
            scored.append((0.6 + 0.4 * hits / max(len(own), hits), option))
    best = max((score for score, _ in scored), default=0.0)
    close = [(score, option) for score, option in scored if best - score < 0.1]
    return _settled([Candidate(id=it, name=it, score=round(score, 4)) for score, it in close])


_DEPARTMENT_DULL = DULL | word_set(
    "department dept team division unit abteilung bereich reparto dipartimento ufficio service "
    "departement departamento odeljenje sektor otdel everyone people employees staff 部 门"
)


def _near(left: str, right: str) -> bool:
    if left == right:
        return True
    if len(left) < 5 or len(right) < 5:
        return False
    return within_one_edit(left, right) or left.startswith(right[:6]) and right.startswith(left[:6])


@lru_cache(maxsize=1024)
def _initials(name: str) -> frozenset[str]:
    """`Human Resources (HR)` is also HR; `IT & Digital` is also IT; `R&D …` is also RD."""
    parts = [word for word in words(name) if word not in DULL]
    short = {word for word in parts if len(word) == 2 and word in fold(name).split()}
    inside = name.partition("(")[2].partition(")")[0]
    letters = "".join(word[0] for word in parts)
    return frozenset({*short, fold(inside), letters}) - {""}


def _spoken(id_: str) -> str:
    """An id or path as words, without its technical first part."""
    text = id_.replace("/", " ").replace("_", " ").replace("-", " ")
    head, _, rest = text.partition(" ")
    return rest if head in {"proj", "prj", "project", "cust", "customer", "skill", "will"} else text
