"""Which intent explains a text best: every concept and mention it accounts for speaks for it,
every one it leaves over against it. The intents themselves are data, in `intents.toml`.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import resources

from pydantic import TypeAdapter

from proveout.apps.solver.experts import changes, company, facts, lists, pages, people, work
from proveout.apps.solver.experts.concepts import Sign
from proveout.apps.solver.experts.draft import Draft
from proveout.apps.solver.experts.questions import only_asks
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.experts.relations import asks_own_role, asks_role
from proveout.apps.solver.experts.untrusted import has_code
from proveout.apps.solver.resolve.folding import word_set, words
from proveout.apps.solver.resolve.quantities import number_words, numbers
from proveout.kernel.types import Frozen

Build = Callable[[Reading, Draft], None]

_LIGHT = word_set(
    "LINK ONLY TIE NONE IF AVERAGE COMPARE HOW_WORD POINT SELF STAY NEW WHO WHICH WHERE LIST "
    "ALL AND EITHER ME NOT DO_NOT UPDATE ADD CHECK DEFAULT STATUS HOW_MANY YOU_WE PAGE ENTRY "
    "TABLE CONTENT SUM FEWER MORE TIE_NONE TIE_BOTH TIE_WORK AT_LEAST APPROVED DRAFT "
    "SUBMITTED TRAINING OPS OTHER JOIN DEAL READ_ABOUT VACATION PERCENT EVERYBODY PROFILE "
    "LEVEL CREATE BOTH LOWER EXCEPT REPLACE IDEA APPLY HIGHER ACTIVATE MANAGED EMPLOYEE TEAM "
    "MEETING QA DESIGNER FREE CEO SHALL REACH DAY_WORD OURS OUR_SIDE"
)
"""Words that many intents use, or that mean little by themselves."""
_ASIDE = frozenset({"OURS", "OUR_SIDE"})
"""Words that speak for an intent that needs them, and against none."""
_LIGHT_WEIGHT = 0.35
_LEFT_OVER = 0.6
"""What an unexplained concept costs, as a share of what an explained one gives."""
_GUESS = 1.0
"""What it costs to take unknown words for a name."""
_UNUSED = 0.8
"""What a mention costs that an intent has no use for."""
_PASSIVE = frozenset({"number", "quote", "code", "date"})
_NAMED = 0.5
"""Score of unknown words above which they look like a name."""


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
    writes: bool = False
    """Whether it changes something: a mere question is never taken for it."""


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
    """Not one person's workload, not a tie broken by workload, not the time put into a project."""
    if not reading.has("BUSY", "WORKLOAD", "FREE", "SLICE") and reading.of("skill", "will"):
        return False
    ranked = not reading.people() or reading.has("MOST", "LEAST", "FREE")
    return ranked and not (people.ties_by_work(reading) and reading.of("skill", "will"))


def _abilities(reading: Reading) -> bool:
    """The text speaks of abilities, so unknown words may be the name of one."""
    return reading.has("SKILL", "WILL", "SKILLED", "EAGER", "LEVEL", "TRAINING") and not (
        reading.people() or reading.has("SALARY", "PROJECT", "COACH")
    )


def _many_salaries(reading: Reading) -> bool:
    return reading.has("HIGHER", "LOWER") or not (reading.people() or reading.has("MY"))


def _oneself(reading: Reading) -> bool:
    alone = all(map(reading.is_requester, reading.people()))
    others = reading.of("contact", "customer") or reading.has("ALL", "EMPLOYEE")
    listed = reading.has("PROJECT") and not reading.of("project")
    if listed and any(role != "Lead" for role in people.roles_named(reading)):
        return False  # Which projects have such a role is asked, not what the requester is.
    return alone and (reading.has("MY") or not others)


_HEARSAY = word_set("wants heard hears says said claims thinks hopes wishes believes rumour rumor")


def _spoken_salary(reading: Reading) -> bool:
    """A figure that a salary is to have or to move by; a question is no order."""
    signed = any(it.signed for it in numbers(reading.text))
    orders = reading.has("MORE", "FEWER", "ADD", "SHALL", "NEW", "LOG", "CREATE") or signed
    asked = reading.text.rstrip(" .!").endswith(("?", "？"))
    asked = asked or any(token.folded in _HEARSAY for token in reading.tokens)
    stated = any(changes.set_to(reading, it.start) for it in reading.of("number"))
    return (orders or stated or any(it in reading.text for it in ("->", "="))) and not asked


_LEAST_AMOUNT = 100
_LEAST_PAY = 10_000


_YEARLY = word_set("a year per annually yearly all anno par an al ano godisnje god")


def _gets_pay(reading: Reading) -> bool:
    """`Karl gets 73000`: so much is a year's pay, if nothing else is said."""
    found = numbers(reading.text)
    alone = len(found) == 1 and not found[0].percent and found[0].value >= _LEAST_PAY
    people = {it.ids for it in reading.people()}
    told = all(set(words(it.text)) <= _YEARLY for it in reading.residue)
    return alone and len(people) == 1 and told and not reading.of("quote", "page")


def _claimed_pay(reading: Reading) -> bool:
    """An amount that somebody is said to have approved: whether the notes say so is looked up."""
    found = numbers(reading.text)
    least = _LEAST_AMOUNT if reading.has("SALARY") else _LEAST_PAY
    stated = len(found) == 1 and (found[0].percent or found[0].value >= least)
    told = reading.has("RAISE", "REDUCE", "UPDATE", "SHALL", "NEW")
    told = told or any(changes.set_to(reading, it.start) for it in reading.of("number"))
    return stated and told and not reading.of("quote", "page") and "?" not in reading.text


def _like_a_salary(reading: Reading) -> bool:
    """`Hand her a 5000 raise`: too much for a level, and nothing else that could be raised."""
    named = reading.of("skill", "will", "project", "quote", "page")
    found = numbers(reading.text)
    return not named and any(it.percent or abs(it.value) >= _LEAST_AMOUNT for it in found)


def _worded_note(reading: Reading) -> bool:
    """A note that only `should` be there must be quoted; `Note for …` needs its colon."""
    if reading.of("skill", "will") and reading.of("number"):
        return False  # A level is told as well, and must not be lost.
    decided = reading.has("APPROVAL", "APPROVED") or (reading.has("CEO") and reading.has("SALARY"))
    if not reading.of("quote") and decided:
        return False  # `If the notes hold an approval, update …` writes no note.
    if reading.has("ADD", "UPDATE", "REPLACE", "CREATE", "LOG", "JOIN"):
        return True
    return bool(reading.of("quote")) and (reading.has("SHALL") or ":" in reading.text)


def _ordered(reading: Reading) -> bool:
    """A raise is to be carried out; `tell me whether` and `do not apply` are no such orders."""
    told = reading.has("LIST") and not reading.has("IF", "APPLY", "UPDATE", "SHALL", "LOG", "ADD")
    return not told and not reading.negated("APPLY")


def _left_to_notes(reading: Reading) -> bool:
    """The amount is what the notes say: the text gives neither one nor a note to write."""
    return _ordered(reading) and not reading.of("quote") and not numbers(reading.text)


def _stated_level(reading: Reading) -> bool:
    """A level needs a number, and something that says what to do with it."""
    counted = bool(reading.of("number") or number_words(reading.text))
    counted = counted or changes.ONE_STEP.search(reading.text) is not None
    if reading.has(
        "UPDATE", "RAISE", "REDUCE", "LEVEL", "REFLECT", "ADD", "SHALL", "CREATE", "LOG"
    ):
        return counted
    signed = any(it.signed for it in numbers(reading.text))
    directed = any(changes.set_to(reading, it.start) for it in reading.of("number"))
    listed = reading.has("HIGHER", "LOWER") or (reading.has("NOTE") and reading.of("quote"))
    return signed or directed or bool(counted and reading.people() and listed)


def _not_workload(reading: Reading) -> bool:
    """Words for `busy` that are words for `takes part` as well ask for no workload."""
    return set(reading.where("BUSY")) <= set(reading.where("INVOLVED"))


_PLURAL = word_set(
    "projects engagements initiatives projekte projekten progetti projets proyectos projekti"
    " projekata projektima proekty proektov proektami proektah"
)
_SOME = word_set("a an any each every some no one ein eine einem einen un uno una une ein neki")


def _any_project(reading: Reading) -> bool:
    """Leads of projects at large; `the … project` is one that was not understood."""
    if reading.beside("PROJECT") or reading.of("quote"):
        return False
    for sign in reading.signs:
        if sign.concept == "PROJECT":
            word = reading.tokens[sign.first].folded
            before = reading.tokens[sign.first - 1].folded if sign.first else ""
            if word not in _PLURAL and before not in _SOME and word.isascii():
                return False
    return True


_STATES = word_set(
    "paused archived active exploring closed suspended exploratory pausiert pausierte pausierten"
    " aktiv aktive aktiven archiviert archivierte attivo attiva sospeso archiviato actif active"
    " suspendu archive activo activa suspendido archivado aktivan pauziran arhiviran aktivnyi"
    " priostanovlennyi arhivnyi"
)


def _ordered_status(reading: Reading) -> bool:
    """A phase is to be entered; `the paused project` only says which one is meant."""
    if reading.has("UPDATE", "SHALL", "NEW", "STATUS", "TRANSFER", "SWAP", "ADD", "CREATE"):
        return True
    concepts = {"PAUSE", "ACTIVATE", "ARCHIVE", "EXPLORING", "IDEA"}
    said = [it for it in reading.signs if it.concept in concepts]
    if any(it.last - it.first > 1 or not _names_state(reading, it) for it in said):
        return True
    return "?" not in reading.text and any(_led_into(reading, it) for it in said)


_INTO = word_set("to as into be auf als zu zur a en à come como su na u kao v на в 为 成 到")
"""Words between a thing and the phase that it is to enter."""


def _led_into(reading: Reading, sign: Sign) -> bool:
    """`… to paused`, after the project it is about."""
    project = reading.first("project")
    if project is None or sign.first == 0:
        return False
    before = reading.tokens[sign.first - 1]
    return project.end <= before.start and before.folded in _INTO


def _names_state(reading: Reading, sign: Sign) -> bool:
    return reading.tokens[sign.first].folded in _STATES


def _asked_day(reading: Reading) -> bool:
    """A question for a day: by its words, or by a picture of how to write it."""
    return reading.has("DATE_ASK") or bool(reading.of("date") and company.pictured(reading.text))


TESTS: Mapping[str, Callable[[Reading], bool]] = {
    "people.busy": _busy_people,
    "people.salary": _many_salaries,
    "people.able": lambda reading: bool(reading.of("skill", "will")) or _abilities(reading),
    "people.strong": lambda reading: bool(reading.of("skill", "will")) or _abilities(reading),
    "people.leads": _any_project,
    "self": _oneself,
    "role": asks_role,
    "self.role": asks_own_role,
    "person.levels": _stated_level,
    "person.salary": lambda reading: bool(reading.of("number")),
    "person.salary.said": _spoken_salary,
    "person.note": _worded_note,
    "person.salary.bare": _like_a_salary,
    "person.salary.gets": _gets_pay,
    "person.salary.claimed": _claimed_pay,
    "date": _asked_day,
    "projects": _not_workload,
    "project.status": _ordered_status,
    "slice": lambda reading: not reading.of("date"),
    "team.swap": lambda reading: not reading.negated("SWAP"),
    "person.approval": _ordered,
    "person.approval.noted": _left_to_notes,
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
    writes = [{**entry, "writes": True} for entry in table["write"]]
    return TypeAdapter(tuple[Intent, ...]).validate_python((*table["read"], *writes))


def matches(reading: Reading) -> list[Match]:
    """Every intent that fits, the best explanation first."""
    code = has_code(reading.text)
    if code and not reading.of("quote"):
        return []
    asks = only_asks(reading)
    # Quoted code may be stored; nobody and nothing is called so, and no question is about it.
    fitting = (it for it in intents() if not (it.writes and asks) and (it.writes or not code))
    found = [it for it in (_match(intent, reading) for intent in fitting) if it]
    return sorted(found, key=lambda it: -it.score)


def weighty(concept: str) -> bool:
    """Whether a concept means something by itself."""
    return concept not in _LIGHT


def _nameable(reading: Reading, options: set[str]) -> bool:
    """Unknown words that may be a name; of a person only if they are written like one."""
    phrase = reading.unknown_name()
    return phrase is not None and ("person" not in options or phrase.score > _NAMED)


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
        if not mentioned & options and not ("name" in options and _nameable(reading, options)):
            return None
        sure = mentioned & options or (intent.beside and reading.beside(intent.beside))
        guessed += not sure
        wanted |= mentioned & options
    test = TESTS.get(intent.name)
    if test is not None and not test(reading):
        return None
    explained = needed | (concepts & word_set(intent.explains))
    left = frozenset(concepts - explained - _ASIDE)
    used = mentioned & (wanted | word_set(intent.takes))
    score = sum(map(_weight, explained)) - _LEFT_OVER * sum(map(_weight, left)) + len(used)
    score -= _UNUSED * len(mentioned - used - _PASSIVE) + _GUESS * guessed
    return Match(intent=intent, score=score + intent.bonus, left=left)
