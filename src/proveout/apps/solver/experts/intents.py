"""Which intent explains a text best: every concept and mention it accounts for speaks for it,
every one it leaves over against it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from proveout.apps.solver.experts import changes, company, facts, lists, pages, people, work
from proveout.apps.solver.experts.draft import Draft, Unclear
from proveout.apps.solver.experts.mentions import Kind
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.resolve.folding import word_set
from proveout.apps.solver.resolve.quantities import number_words

Build = Callable[[Reading, Draft], None]

_LIGHT = word_set(
    "LINK ONLY TIE NONE IF AVERAGE COMPARE HOW_WORD POINT SELF STAY NEW WHO WHICH WHERE LIST ALL AND EITHER ME NOT DO_NOT UPDATE ADD CHECK DEFAULT STATUS HOW_MANY "
    "YOU_WE PAGE ENTRY TABLE CONTENT SUM FEWER MORE TIE_NONE TIE_BOTH TIE_WORK AT_LEAST APPROVED "
    "DRAFT SUBMITTED TRAINING OPS OTHER JOIN DEAL READ_ABOUT VACATION PERCENT EVERYBODY PROFILE "
    "LEVEL CREATE BOTH LOWER EXCEPT REPLACE IDEA APPLY HIGHER ACTIVATE MANAGED EMPLOYEE TEAM "
    "MEETING QA DESIGNER FREE CEO"
)
"""Words that many intents use, or that mean little by themselves."""
_LEFT_OVER = 0.6
"""What an unexplained concept costs, as a share of what an explained one gives."""


_GUESS = 1.0
"""What it costs to take unknown words for a name."""


@dataclass(frozen=True)
class Intent:
    name: str
    build: Build
    needs: tuple[str, ...]
    """Each is a choice of concepts, `A|B`; one of every choice must be there."""
    explains: str = ""
    """Further concepts that it can account for."""
    kinds: tuple[str, ...] = ()
    """Mentions that must be there, as choices; `name` is any word that may be a name."""
    takes: str = ""
    """Mentions that it can account for beside those."""
    never: str = ""
    """Concepts that rule it out."""
    bonus: float = 0.0
    beside: str = ""
    """A concept; unknown words right beside it are surely meant as a name."""
    test: Callable[[Reading], bool] = lambda _: True
    """A last condition that words alone cannot state."""


@dataclass(frozen=True)
class Match:
    intent: Intent
    score: float
    left: frozenset[str]
    """Concepts that stay unexplained."""


def weight(concept: str) -> float:
    return 0.35 if concept in _LIGHT else 1.0


def match(intent: Intent, reading: Reading) -> Match | None:
    """How well an intent explains a reading; None if something it needs is not there."""
    concepts = reading.concepts
    if concepts & set(intent.never.split()):
        return None
    needed: set[str] = set()
    for choice in intent.needs:
        present = concepts & set(choice.split("|"))
        if not present:
            return None
        needed |= present
    present_kinds = {str(it.kind) for it in reading.mentions}
    wanted: set[str] = set()
    guessed = 0
    for choice in intent.kinds:
        options = set(choice.split("|"))
        hit = present_kinds & options
        if not hit and not ("name" in options and reading.unknown_name()):
            return None
        guessed += not hit and not (intent.beside and reading.beside(intent.beside))
        wanted |= hit
    if not intent.test(reading):
        return None
    explained = needed | (concepts & set(intent.explains.split()))
    left = frozenset(concepts - explained)
    score = sum(map(weight, explained)) - _LEFT_OVER * sum(map(weight, left))
    taken = present_kinds & (wanted | set(intent.takes.split()))
    loose = present_kinds - taken - _PASSIVE
    score += len(taken) - 0.8 * len(loose) - _GUESS * guessed + intent.bonus
    return Match(intent, score, left)


_PASSIVE: frozenset[Kind] = frozenset({"number", "quote", "code", "date"})

_ASK = "HOW_WORD POINT SELF NEW WHO WHICH LIST WHERE HOW_MANY TABLE ALL EMPLOYEE ME YOU_WE"
_PICK = "LINK ONLY TIE NONE AND EITHER BOTH TIE_WORK TIE_BOTH TIE_NONE SUM MORE FEWER"
_TEAM = "TEAM INVOLVED EMPLOYEE ROLE PROJECT"
_ROLE_WORDS = "ENGINEER|DESIGNER|QA|OPS|OTHER"

READS: tuple[Intent, ...] = (
    Intent(
        "site",
        company.sites,
        ("OPERATE", "YES_NO|YOU_WE"),
        f"{_ASK} AND EITHER BOTH NOT",
        kinds=("location|name",),
        never="LEAD SALARY DEPARTMENT BUSY SKILLED HOURS",
        bonus=0.5,
    ),
    Intent(
        "site",
        company.sites,
        ("YES_NO",),
        f"{_ASK} OPERATE INVOLVED AND EITHER BOTH NOT",
        kinds=("location",),
        never="LEAD SALARY PROJECT",
    ),
    Intent(
        "site.list",
        company.sites,
        ("OPERATE", "WHERE|LIST|WHICH"),
        _ASK,
        never="WIKI SKILLED EMAIL LEAD EMPLOYEE SKILL WILL STRONG PROJECT CUSTOMER SALARY BUSY",
    ),
    Intent(
        "date",
        company.day,
        ("DATE_ASK",),
        f"{_ASK} YES_NO",
        takes="date",
        never="LOG HOURS PROJECT SALARY",
        bonus=0.5,
    ),
    # People chosen by conditions.
    Intent(
        "people.busy",
        people.search,
        ("BUSY|WORKLOAD|FREE|SLICE", "MOST|LEAST|FREE|BUSY"),
        f"{_ASK} {_PICK} MOST LEAST BUSY WORKLOAD SLICE DEPARTMENT OPERATE PROJECT TEAM WILL "
        "SKILL EAGER VACATION FREE INVOLVED STRONG",
        takes="department location skill will",
        never="SWAP LOG",
        test=lambda r: (
            (not r.people() or r.has("MOST", "LEAST", "FREE"))
            and not (r.has("TIE_WORK") and r.of("skill", "will"))
        ),
    ),
    Intent(
        "people.able",
        people.search,
        ("MOST|LEAST|SKILLED|EAGER",),
        f"{_ASK} {_PICK} SKILL WILL SKILLED EAGER SEND TRAINING "
        "OUTSIDE PROJECT TEAM MOST LEAST STRONG INVOLVED OPERATE DEPARTMENT LEVEL WORKLOAD BUSY",
        kinds=("skill|will",),
        takes="location project department",
        never="UPDATE REFLECT",
    ),
    Intent(
        "people.strong",
        people.search,
        ("STRONG|AT_LEAST",),
        f"{_ASK} {_PICK} SKILL WILL SKILLED EAGER TRAINING CUSTOMER OPERATE DEPARTMENT LEVEL "
        "MOST PROJECT OUTSIDE LEAD TEAM",
        kinds=("skill|will",),
        bonus=0.4,
        takes="location department project number",
        never="REFLECT NOTE",
    ),
    Intent(
        "people.salary",
        people.search,
        (
            "SALARY",
            "HIGHER|LOWER|MOST|LEAST|LEAD|ALL|EMPLOYEE"
            "|EVERYBODY|LIST|DEPARTMENT|OPERATE|AVERAGE|SUM",
        ),
        f"{_ASK} {_PICK} LEAD PROJECT HIGHER LOWER MOST LEAST MY EVERYBODY DEPARTMENT OPERATE "
        "AVERAGE SUM",
        takes="person department location",
        never="RAISE REDUCE APPROVAL UPDATE NOTE",
        test=lambda r: r.has("HIGHER", "LOWER") or not (r.people() or r.has("MY")),
    ),
    Intent(
        "people.list",
        people.search,
        ("WHO|EMPLOYEE|LIST",),
        f"{_ASK} {_PICK} OPERATE DEPARTMENT INVOLVED EVERYBODY LEAD",
        kinds=("location|department",),
        never="SALARY EMAIL PHONE NOTE UPDATE ADD YES_NO",
    ),
    Intent(
        "people.mine",
        people.search,
        ("WHO|EMPLOYEE|LIST", "MY", "PROJECT|TEAM", "INVOLVED|TEAM"),
        f"{_ASK} {_PICK} INVOLVED TEAM",
        never="SALARY ROLE",
    ),
    Intent(
        "people.projects",
        people.search,
        ("WHO|EMPLOYEE", "PROJECT", "MOST|LEAST"),
        f"{_ASK} {_PICK} INVOLVED LEAD DEPARTMENT OPERATE",
        takes="department location",
        never="CUSTOMER SKILL WILL WORKLOAD SLICE BUSY",
    ),
    Intent(
        "people.leads",
        people.search,
        ("LEAD", "LIST|WHO|ALL", "PROJECT|EMPLOYEE"),
        f"{_ASK} {_PICK} PROJECT",
        takes="department location",
        bonus=-0.6,
        test=lambda r: r.beside("PROJECT") is None,
    ),
    Intent(
        "slice",
        facts.project,
        ("SLICE|WORKLOAD|BUSY", "MOST|LEAST"),
        f"{_ASK} {_TEAM} MOST LEAST WORKLOAD SLICE BUSY",
        kinds=("project",),
    ),
    Intent(
        "coach",
        lambda r, d: people.coaches(r, d, _person(r, d)),
        ("COACH",),
        f"{_ASK} SKILL WILL EMPLOYEE SKILLED TRAINING LEVEL HIGHER RAISE MOST",
        kinds=("person|name",),
        bonus=0.5,
    ),
    # One thing.
    Intent(
        "person",
        facts.person,
        ("DEPARTMENT|EMAIL|PHONE|SALARY|WORKLOAD|CONTACT|ROLE|SLICE|WHERE|BUSY",),
        f"{_ASK} DEPARTMENT EMAIL PHONE SALARY WORKLOAD CONTACT PROJECT ROLE AND OPERATE SLICE "
        "TEAM BUSY INVOLVED ALL CUSTOMER",
        kinds=("person|contact|name",),
        takes="project contact",
        never="MOST LEAST LEAD RAISE REDUCE HIGHER LOWER NOTE APPROVAL LOG SWAP COACH MY UPDATE",
    ),
    Intent(
        "person.pays",
        facts.salary_test,
        ("SALARY", "HIGHER|LOWER|MORE|FEWER"),
        f"{_ASK} YES_NO HIGHER LOWER MORE FEWER MOST LEAST",
        kinds=("person", "number"),
        never="RAISE REDUCE LEAD LIST",
        bonus=0.5,
    ),
    Intent(
        "self",
        facts.own,
        ("MY|SELF", "DEPARTMENT|EMAIL|SALARY|WORKLOAD|ROLE|SLICE|BUSY"),
        f"{_ASK} MY DEPARTMENT EMAIL SALARY WORKLOAD ROLE PROJECT SLICE OPERATE TEAM INVOLVED "
        "ME BUSY HOW_MANY AND",
        takes="project person",
        never="RAISE REDUCE HIGHER LOWER NOTE APPROVAL LOG SWAP CONTACT UPDATE",
        bonus=0.6,
        test=lambda r: (
            all(map(r.is_requester, r.people()))
            and (r.has("MY") or not (r.of("contact", "customer") or r.has("LIST", "ALL")))
        ),
    ),
    Intent(
        "project",
        facts.project,
        (f"LEAD|CUSTOMER|CONTACT|EMAIL|ACCOUNT_MANAGER|TEAM|ROLE|STATUS|INVOLVED|{_ROLE_WORDS}",),
        f"{_ASK} {_TEAM} LEAD CUSTOMER CONTACT EMAIL ACCOUNT_MANAGER STATUS ENGINEER DESIGNER QA "
        "OPS OTHER DEPARTMENT AND MANAGED PHONE",
        kinds=("project",),
        takes="customer",
        never="UPDATE RAISE SWAP PAUSE ARCHIVE ORDER MOST LEAST SKILL WILL MY",
    ),
    Intent(
        "project",
        facts.project,
        ("PROJECT", "LEAD|CUSTOMER|CONTACT|ACCOUNT_MANAGER|STATUS|TEAM"),
        f"{_ASK} {_TEAM} LEAD CUSTOMER CONTACT EMAIL ACCOUNT_MANAGER STATUS DEPARTMENT AND",
        kinds=("name",),
        bonus=-0.6,
        beside="PROJECT",
        never="UPDATE RAISE SWAP PAUSE ARCHIVE ORDER MOST LEAST SKILL WILL MY HIGHER",
    ),
    Intent(
        "customer",
        facts.customer,
        ("CONTACT|EMAIL|ACCOUNT_MANAGER|STATUS|DEAL|PHONE|MANAGED",),
        f"{_ASK} CONTACT EMAIL ACCOUNT_MANAGER STATUS DEAL CUSTOMER AND MANAGED PHONE EMPLOYEE "
        "OPERATE LEAD",
        kinds=("customer|name",),
        takes="contact location",
        bonus=0.1,
        never="DELETE UPDATE CREATE MOST LEAST PROJECT",
    ),
    # Lists.
    Intent(
        "projects",
        lists.projects,
        ("PROJECT", "INVOLVED|LEAD|TEAM|BOTH|LIST|WHICH|HOW_MANY"),
        f"{_ASK} LEAD INVOLVED BOTH AND EITHER TEAM ROLE",
        kinds=("person",),
        takes="customer",
        never="MORE SALARY EMAIL HOURS SWAP UPDATE SKILL COACH WORKLOAD ACCOUNT_MANAGER LOG",
    ),
    Intent(
        "projects",
        lists.projects,
        ("PROJECT",),
        f"{_ASK} INVOLVED CUSTOMER AND EXPLORING PAUSE ARCHIVE ACTIVATE IDEA STATUS CRM",
        kinds=("customer",),
        never="MORE MOST LEAST UPDATE LEAD CONTACT ACCOUNT_MANAGER LOG",
        bonus=0.3,
    ),
    Intent(
        "projects.mine",
        lists.projects,
        ("MY", "PROJECT"),
        f"{_ASK} NOT LACK {_TEAM} DESIGNER QA ENGINEER OPS OTHER LEAD STATUS EXPLORING PAUSE "
        "ARCHIVE ACTIVATE IDEA MANAGED",
        takes="person customer",
        bonus=0.4,
        never="HOURS LOG SALARY EMAIL UPDATE SKILL WILL WORKLOAD SLICE",
    ),
    Intent(
        "projects.state",
        lists.projects,
        ("PROJECT", "LIST|WHICH|HOW_MANY", "EXPLORING|PAUSE|ARCHIVE|ACTIVATE|IDEA"),
        f"{_ASK} STATUS EXPLORING PAUSE ARCHIVE ACTIVATE IDEA",
        never="CUSTOMER UPDATE MOST MY",
    ),
    Intent(
        "customers",
        lists.customers,
        ("CUSTOMER", "MANAGED|ACCOUNT_MANAGER|LEAD|MY"),
        f"{_ASK} MANAGED ACCOUNT_MANAGER AND EITHER BOTH MY INVOLVED EXPLORING ACTIVATE LEAD",
        kinds=("person|name",),
        never="MORE DELETE MOST PROJECT CONTACT UPDATE",
        bonus=0.3,
    ),
    Intent(
        "customers",
        lists.customers,
        ("CUSTOMER", "MANAGED|ACCOUNT_MANAGER|LEAD", "MY|ME"),
        f"{_ASK} MANAGED ACCOUNT_MANAGER MY",
        never="MORE DELETE MOST PROJECT CONTACT UPDATE",
    ),
    Intent(
        "customers",
        lists.customers,
        ("CUSTOMER", "LIST|WHICH|HOW_MANY|ALL"),
        f"{_ASK} EXPLORING ACTIVATE PAUSE ARCHIVE STATUS DEAL",
        bonus=-0.3,
        never="MORE DELETE MOST PROJECT CONTACT ACCOUNT_MANAGER EMAIL UPDATE CREATE",
    ),
    Intent(
        "customers.rank",
        lists.rank_customers,
        ("CUSTOMER", "MOST|LEAST", "EXPLORING|DEAL|PROJECT"),
        f"{_ASK} {_PICK} EXPLORING DEAL PROJECT STATUS ACTIVATE PAUSE ARCHIVE",
        never="WORKLOAD EMAIL",
    ),
    Intent(
        "compare",
        lists.compare,
        ("MORE|MOST|FEWER|LEAST|COMPARE", "PROJECT"),
        f"{_ASK} {_PICK} CUSTOMER PROJECT INVOLVED EMPLOYEE MOST LEAST HIGHER EXPLORING DEAL COMPARE "
        "LEAD NOT",
        kinds=("person|customer",),
        bonus=0.5,
        never="SKILL UPDATE LOG",
    ),
    Intent(
        "compare",
        lists.compare,
        ("MORE|MOST|FEWER|LEAST|HIGHER", "WORKLOAD|BUSY|SLICE", "EITHER"),
        f"{_ASK} {_PICK} WORKLOAD BUSY SLICE EMPLOYEE",
        kinds=("person",),
        never="SWAP",
    ),
    Intent(
        "hours",
        lists.hours,
        ("HOURS|ENTRY", "HOW_MANY|SUM|LIST|WHICH"),
        f"{_ASK} HOW_MANY BILLABLE NON_BILLABLE LOG PROJECT CUSTOMER SUM AND ENTRY MY ME INVOLVED "
        "NOT",
        takes="date project person customer",
        never="VOID SWAP DRAFT UPDATE SLICE",
        bonus=0.6,
    ),
    Intent(
        "abilities.team",
        lists.team_abilities,
        ("SKILL|WILL",),
        f"{_ASK} {_TEAM} SKILL WILL MOST LEAST SUM LEVEL",
        kinds=("project",),
        never="UPDATE OUTSIDE SKILLED MY LACK",
        bonus=0.2,
    ),
    Intent(
        "abilities.missing",
        lists.missing_abilities,
        ("SKILL|WILL", "LACK|NOT"),
        f"{_ASK} LACK NOT MY SKILL WILL",
        never="PROJECT UPDATE",
        bonus=0.6,
    ),
    Intent(
        "abilities.person",
        lists.person_abilities,
        ("SKILL|WILL|LEVEL",),
        f"{_ASK} SKILL WILL LEVEL MY STRONG",
        kinds=("person",),
        takes="skill will",
        never="UPDATE RAISE REDUCE COACH MOST LEAST HIGHER LACK NOTE REFLECT",
    ),
    Intent(
        "abilities.mine",
        lists.person_abilities,
        ("SKILL|WILL|LEVEL", "MY"),
        f"{_ASK} SKILL WILL LEVEL MY",
        takes="skill will",
        never="UPDATE RAISE REDUCE COACH MOST LEAST HIGHER LACK NOTE REFLECT PROJECT",
    ),
    Intent(
        "wiki",
        company.wiki,
        ("WIKI|READ_ABOUT|PAGE", "WHICH|WHERE|LIST|READ_ABOUT|HOW|HOW_WORD|POINT"),
        f"{_ASK} READ_ABOUT HOW PAGE WIKI REFLECT SKILL WILL HOURS LOG ROLE NOT AND CUSTOMER "
        "PROJECT STATUS LEVEL SALARY",
        takes="page skill will department",
        never="DELETE RENAME CREATE UPDATE REPLACE",
        bonus=0.6,
    ),
    Intent(
        "wiki.how",
        company.wiki,
        ("HOW",),
        f"{_ASK} READ_ABOUT HOW PAGE WIKI REFLECT SKILL WILL HOURS LOG ROLE NOT AND CUSTOMER "
        "PROJECT STATUS LEVEL CREATE VOID ENTRY RAISE SALARY APPROVAL MY DEAL ORDER DEPARTMENT "
        "TRAINING ADD UPDATE EMPLOYEE HIRE",
        takes="department",
        bonus=0.2,
        never="DELETE RENAME SWAP",
    ),
)


def _person(reading: Reading, draft: Draft) -> str:
    mention = reading.first("person") or reading.unknown_name()
    if mention is None:
        raise Unclear
    return draft.person(mention)


WRITES: tuple[Intent, ...] = (
    Intent(
        "time.log",
        work.log_time,
        ("LOG", "HOURS"),
        "PROJECT NOTE BILLABLE NON_BILLABLE DRAFT APPROVED SUBMITTED DEFAULT ADD UPDATE ENTRY ME "
        "MY INVOLVED STATUS CUSTOMER AND ALL CREATE NOT APPROVAL TEAM CONTENT EMPLOYEE",
        kinds=("number|name",),
        takes="person project date",
        bonus=0.6,
        never="HOW_MANY VOID HOW READ_ABOUT WHICH",
    ),
    Intent(
        "time.log",
        work.log_time,
        ("HOURS", "ADD|CREATE|UPDATE"),
        "PROJECT NOTE BILLABLE NON_BILLABLE DRAFT APPROVED SUBMITTED DEFAULT ADD UPDATE ENTRY ME "
        "MY INVOLVED STATUS CUSTOMER AND ALL CREATE TEAM",
        kinds=("number", "project"),
        takes="person date",
        never="HOW_MANY VOID HOW",
    ),
    Intent(
        "time.void",
        work.void_entry,
        ("VOID|DELETE", "ENTRY|HOURS|LOG"),
        "PROJECT COPY CREATE HOURS LOG ENTRY ME MY AND INVOLVED NOT DRAFT ADD UPDATE REPLACE NOTE",
        takes="project date entry",
        never="HOW_MANY CUSTOMER",
        bonus=0.6,
    ),
    Intent(
        "project.status",
        work.status,
        ("PAUSE|ACTIVATE|ARCHIVE|EXPLORING|IDEA",),
        "PROJECT UPDATE STATUS PAUSE ACTIVATE ARCHIVE EXPLORING IDEA ME AND",
        kinds=("project|name",),
        bonus=0.2,
        never="LIST WHICH WHO HOW_MANY MORE CUSTOMER MOST DEAL LEAD TEAM EMAIL",
    ),
    Intent(
        "team.swap",
        work.swap,
        ("SWAP",),
        "PROJECT ROLE WORKLOAD SLICE TEAM UPDATE AND LEAD ENTRY BOTH STAY NOT",
        kinds=("person",),
        takes="project",
        bonus=0.8,
    ),
    Intent(
        "team.change",
        work.team,
        ("ADD|DELETE|JOIN|UPDATE", "PROJECT|TEAM|ROLE|SLICE"),
        "PROJECT TEAM ROLE SLICE ENGINEER DESIGNER QA OPS OTHER LEAD JOIN WORKLOAD AND INVOLVED",
        kinds=("person", "project"),
        never="NOTE LOG HOURS SWAP SALARY LEVEL SKILL WILL WHO",
    ),
    Intent(
        "person.note",
        changes.note,
        ("NOTE", "ADD|UPDATE|REPLACE|CREATE"),
        "REPLACE PROFILE EMPLOYEE EVERYBODY ALL DEPARTMENT SALARY RAISE APPROVAL APPROVED CEO AND "
        "OPERATE ME CONTENT VACATION TRAINING CUSTOMER FREE LOG",
        kinds=("person|department|location|name",),
        takes="department location",
        never="HOURS CHECK LEVEL IF",
        bonus=0.3,
    ),
    Intent(
        "person.levels",
        changes.levels,
        ("UPDATE|RAISE|REDUCE|LEVEL|REFLECT|ADD",),
        "SKILL WILL LEVEL PROFILE NOTE AND RAISE REDUCE WHO INVOLVED TEAM UPDATE MY ME PROJECT ADD EMPLOYEE REFLECT TRAINING "
        "CUSTOMER",
        kinds=("skill|will",),
        takes="person project",
        bonus=0.6,
        never="LIST WHICH",
        test=lambda r: bool(r.of("number") or number_words(r.text)),
    ),
    Intent(
        "self.levels",
        changes.levels,
        ("SKILL|WILL", "ALL", "RAISE|REDUCE|REFLECT|ADD|UPDATE"),
        "LEVEL EXCEPT MY ME REDUCE RAISE PROFILE AND NOT",
        kinds=("number",),
        bonus=0.8,
        takes="skill will person",
        never="WHO",
    ),
    Intent(
        "person.salary",
        changes.salary,
        ("SALARY", "RAISE|REDUCE|UPDATE|APPLY"),
        "PERCENT PROFILE EMPLOYEE AND MY ME APPROVED CEO HIGHER LOWER RAISE UPDATE LIST ALL EVERYBODY "
        "DEPARTMENT",
        kinds=("person|department|location|name",),
        takes="number",
        never="CHECK APPROVAL NOTE WHO LEAD HIGHER WHICH",
        bonus=0.4,
    ),
    Intent(
        "salary.copied",
        facts.copied_salary,
        ("SALARY", "COPY|ADD|UPDATE", "NOTE"),
        "MY ME",
        kinds=("person",),
        never="RAISE REDUCE APPROVAL CHECK",
        bonus=0.5,
        test=lambda r: not r.of("quote") and ":" not in r.text,
    ),
    Intent(
        "person.salary",
        changes.salary,
        ("SALARY", "RAISE|REDUCE|UPDATE", "MY"),
        "PERCENT PROFILE ME APPROVED CEO",
        never="CHECK NOTE LIST WHO",
        bonus=0.4,
    ),
    Intent(
        "person.approval",
        changes.approved_salary,
        ("APPROVAL|APPROVED", "SALARY|RAISE", "IF|CHECK|APPLY"),
        "CHECK APPLY NOTE CEO RAISE EMPLOYEE PROFILE UPDATE AND ALL LIST IF SALARY WHICH ADD",
        kinds=("person|name",),
        never="CREATE",
        bonus=0.8,
    ),
    Intent(
        "person.profile",
        changes.profile,
        ("TRANSFER|UPDATE",),
        "DEPARTMENT OPERATE PROFILE EMPLOYEE AND",
        kinds=("person", "location|department"),
        never="NOTE SKILL WILL SALARY LIST WHO HOURS",
    ),
    Intent(
        "wiki.write",
        pages.change,
        ("CREATE|DELETE|RENAME|UPDATE|ADD|REPLACE",),
        "WIKI PAGE CONTENT LIST LEAD PROJECT CUSTOMER ALL RENAME DELETE CREATE ARCHIVE AND EMPLOYEE "
        "REPLACE COPY NOTE TEAM EITHER HOW_MANY TABLE MY INVOLVED ORDER SALARY NEW ONLY EVERYBODY",
        kinds=("page",),
        takes="page quote",
        bonus=1.0,
        never="READ_ABOUT",
    ),
)
