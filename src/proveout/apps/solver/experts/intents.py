"""Which intent explains a text best: every concept and mention it accounts for speaks for it,
every one it leaves over against it. The intents themselves are data, in `intents.toml`.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import resources

from pydantic import TypeAdapter

from proveout.apps.solver.experts import changes, company, facts, lists, pages, people, work
from proveout.apps.solver.experts.draft import Draft
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.resolve.folding import word_set
from proveout.apps.solver.resolve.quantities import number_words
from proveout.kernel.types import Frozen

Build = Callable[[Reading, Draft], None]

_LIGHT = word_set(
    "LINK ONLY TIE NONE IF AVERAGE COMPARE HOW_WORD POINT SELF STAY NEW WHO WHICH WHERE LIST "
    "ALL AND EITHER ME NOT DO_NOT UPDATE ADD CHECK DEFAULT STATUS HOW_MANY YOU_WE PAGE ENTRY "
    "TABLE CONTENT SUM FEWER MORE TIE_NONE TIE_BOTH TIE_WORK AT_LEAST APPROVED DRAFT "
    "SUBMITTED TRAINING OPS OTHER JOIN DEAL READ_ABOUT VACATION PERCENT EVERYBODY PROFILE "
    "LEVEL CREATE BOTH LOWER EXCEPT REPLACE IDEA APPLY HIGHER ACTIVATE MANAGED EMPLOYEE TEAM "
    "MEETING QA DESIGNER FREE CEO"
)
"""Words that many intents use, or that mean little by themselves."""
_LIGHT_WEIGHT = 0.35
_LEFT_OVER = 0.6
"""What an unexplained concept costs, as a share of what an explained one gives."""
_GUESS = 1.0
"""What it costs to take unknown words for a name."""
_UNUSED = 0.8
"""What a mention costs that an intent has no use for."""
_PASSIVE = frozenset({"number", "quote", "code", "date"})


class Intent(Frozen):
    """One entry of `intents.toml`."""

    name: str
    build: str
    needs: tuple[str, ...]
    explains: str = ""
    kinds: tuple[str, ...] = ()
    takes: str = ""
    never: str = ""
    beside: str = ""
    """A concept; unknown words right beside it are surely meant as a name."""
    bonus: float = 0.0


class Match(Frozen):
    intent: Intent
    score: float
    left: frozenset[str]
    """Concepts that stay unexplained."""


BUILDS: Mapping[str, Build] = {
    "company.sites": company.sites,
    "company.day": company.day,
    "company.wiki": company.wiki,
    "people.search": people.search,
    "people.coaches": people.coaches,
    "facts.person": facts.person,
    "facts.own": facts.own,
    "facts.project": facts.project,
    "facts.customer": facts.customer,
    "facts.salary_test": facts.salary_test,
    "facts.copied_salary": facts.copied_salary,
    "lists.projects": lists.projects,
    "lists.customers": lists.customers,
    "lists.rank_customers": lists.rank_customers,
    "lists.compare": lists.compare,
    "lists.hours": lists.hours,
    "lists.team_abilities": lists.team_abilities,
    "lists.missing_abilities": lists.missing_abilities,
    "lists.person_abilities": lists.person_abilities,
    "work.log_time": work.log_time,
    "work.void_entry": work.void_entry,
    "work.status": work.status,
    "work.swap": work.swap,
    "work.team": work.team,
    "changes.note": changes.note,
    "changes.levels": changes.levels,
    "changes.salary": changes.salary,
    "changes.approved_salary": changes.approved_salary,
    "changes.profile": changes.profile,
    "pages.change": pages.change,
}


def _busy_people(reading: Reading) -> bool:
    """Not one person's workload, and not a tie broken by workload."""
    ranked = not reading.people() or reading.has("MOST", "LEAST", "FREE")
    return ranked and not (reading.has("TIE_WORK") and reading.of("skill", "will"))


def _abilities(reading: Reading) -> bool:
    """The text speaks of abilities, so unknown words may be the name of one."""
    return reading.has("SKILL", "WILL", "SKILLED", "EAGER", "LEVEL", "TRAINING") and not (
        reading.people() or reading.has("SALARY", "PROJECT", "COACH")
    )


def _many_salaries(reading: Reading) -> bool:
    return reading.has("HIGHER", "LOWER") or not (reading.people() or reading.has("MY"))


def _oneself(reading: Reading) -> bool:
    alone = all(map(reading.is_requester, reading.people()))
    others = reading.of("contact", "customer") or reading.has("LIST", "ALL")
    return alone and (reading.has("MY") or not others)


TESTS: Mapping[str, Callable[[Reading], bool]] = {
    "people.busy": _busy_people,
    "people.salary": _many_salaries,
    "people.able": lambda reading: bool(reading.of("skill", "will")) or _abilities(reading),
    "people.strong": lambda reading: bool(reading.of("skill", "will")) or _abilities(reading),
    "people.leads": lambda reading: not (reading.beside("PROJECT") or reading.of("quote")),
    "self": _oneself,
    "person.levels": lambda reading: bool(reading.of("number") or number_words(reading.text)),
    "salary.copied": lambda reading: not reading.of("quote") and ":" not in reading.text,
}
"""Conditions by intent that words alone cannot state."""


@lru_cache(maxsize=1)
def intents() -> tuple[Intent, ...]:
    """All intents, reads first."""
    text = resources.files(__package__).joinpath("intents.toml").read_text(encoding="utf-8")
    for name, concepts in tomllib.loads(text)["shared"].items():
        text = text.replace(f"${name} ", f"{concepts} ").replace(f'${name}"', f'{concepts}"')
    table = tomllib.loads(text)
    return TypeAdapter(tuple[Intent, ...]).validate_python((*table["read"], *table["write"]))


def matches(reading: Reading) -> list[Match]:
    """Every intent that fits, the best explanation first."""
    found = [it for it in (_match(intent, reading) for intent in intents()) if it]
    return sorted(found, key=lambda it: -it.score)


def weighty(concept: str) -> bool:
    """Whether a concept means something by itself."""
    return concept not in _LIGHT


def _weight(concept: str) -> float:
    return _LIGHT_WEIGHT if concept in _LIGHT else 1.0


def _match(intent: Intent, reading: Reading) -> Match | None:
    """How well an intent explains a reading; None if something it needs is not there."""
    concepts = reading.concepts
    if concepts & word_set(intent.never):
        return None
    needed: set[str] = set()
    for choice in intent.needs:
        present = concepts & set(choice.split("|"))
        if not present:
            return None
        needed |= present
    mentioned = {str(it.kind) for it in reading.mentions}
    wanted: set[str] = set()
    guessed = 0
    for choice in intent.kinds:
        options = set(choice.split("|"))
        if not mentioned & options and not ("name" in options and reading.unknown_name()):
            return None
        sure = mentioned & options or (intent.beside and reading.beside(intent.beside))
        guessed += not sure
        wanted |= mentioned & options
    test = TESTS.get(intent.name)
    if test is not None and not test(reading):
        return None
    explained = needed | (concepts & word_set(intent.explains))
    left = frozenset(concepts - explained)
    used = mentioned & (wanted | word_set(intent.takes))
    score = sum(map(_weight, explained)) - _LEFT_OVER * sum(map(_weight, left)) + len(used)
    score -= _UNUSED * len(mentioned - used - _PASSIVE) + _GUESS * guessed
    return Match(intent=intent, score=score + intent.bonus, left=left)
