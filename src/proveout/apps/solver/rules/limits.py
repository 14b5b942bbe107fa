"""Limits on what is otherwise allowed: locked entries, one's own team, the chief's approval."""

import re

from proveout.apps.solver.rules.building import Ground, make, source_of
from proveout.apps.solver.rules.ir import Audience, Rule
from proveout.apps.solver.rules.spots import spot
from proveout.apps.solver.rules.statements import Statement
from proveout.apps.solver.rules.text import plain

_STATUS = re.compile(r"\b(draft|submitted|approved|invoiced|voided)\b")
_ENTRY = re.compile(r"\bentr(?:y|ies)\b")
_LOCKS = re.compile(
    r"\b(?:locked|frozen)\b|\bno longer be (?:changed|edited|voided)|\bmust not be (?:changed"
    r"|edited|voided|touched)"
    r"|\bnobody may (?:change|edit|void|touch)|\bno one may (?:change|edit|void|touch)"
    r"|^\W*no entry (?:may|can) be (?:changed|edited|voided)|\bcannot be (?:changed|edited|voided)"
)
_TEAM_LIMIT = re.compile(
    r"\bleads? (?:may|can|must) not\b.*\b(?:outside|not in|other than)\b.*\bteam\b"
    r"|\bleads?\b.*\b(?:limited to|only for|only)\b.*\b(?:members? of|in the team|team members?"
    r"|in their (?:own )?team)\b"
)
_PROHIBITIVE_START = re.compile(r"^\W*(?:only|nobody|no one|the right|these|to )\b")
_APPROVAL = re.compile(
    r"\b(?:approval|approved?|sign[ -]?off|signed off|consent|go[ -]ahead|green light|agreed)\b"
)
_CHIEF = re.compile(r"\b(?:ceo|chief executive|managing director|chief)\b")
_NEEDED = re.compile(
    r"\b(?:requires?|required|needs?|must|only if|only when|only after|only with|without|before"
    r"|unless|until)\b"
)
_NOT_NEEDED = re.compile(
    r"\bneeds? no\b|\bnot needed\b|\bno (?:\w+ ){0,2}(?:approval|consent) (?:is|are) (?:required"
    r"|needed)"
    r"|\bnot (?:required|necessary)\b|\bdo(?:es)? not (?:have to|need)|\bunnecessary\b|\bno need\b"
)


def match_limits(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """The limit that a sentence states, if it states one and nothing else."""
    text = plain(statement.text)
    values: dict[str, object] | None = None
    if _ENTRY.search(text) and _LOCKS.search(text) and _STATUS.search(text):
        # "can no longer be changed or voided" is a verb, not a status: statuses stand in code type.
        marked = set(_STATUS.findall(" ".join(re.findall(r"`([^`]+)`", statement.text))))
        statuses = tuple(sorted(marked or set(_STATUS.findall(text)) - {"voided"}))
        values = _deny(("everyone",), "time.update", statuses=statuses)
    elif (
        _TEAM_LIMIT.search(text) and not _PROHIBITIVE_START.search(text) and _about_time(statement)
    ):
        values = _deny(("project_lead",), "time.log", needs=("not_subject_in_team",))
    elif _asks_approval(text, statement, ground):
        values = _deny(("everyone",), "employee.salary.write", needs=("not_ceo_approval",))
    if values is None:
        return ()
    source = source_of(statement.page, statement.anchor, statement.span)
    return (make("access", "limit", source, ground, values),)


def needs_no_approval(text: str) -> bool:
    return bool(_NOT_NEEDED.search(plain(text)))


def waives_approval(statement: Statement, ground: Ground) -> bool:
    """Whether a sentence says that nobody need approve, and nothing about who may do it."""
    text = plain(statement.text)
    if not (_APPROVAL.search(text) and _NOT_NEEDED.search(text)):
        return False
    spots = spot(statement.text, ground.cast)
    return not spots.has("only") and all(
        one.audience.who == "executive" and _CHIEF.search(text[one.start : one.end])
        for one in spots.people
    )


def _about_time(statement: Statement) -> bool:
    context = plain(" ".join((*statement.headings, statement.text)))
    return bool(re.search(r"\b(?:time|hours|logg?(?:s|ed|ing)?|entries)\b", context))


def _asks_approval(text: str, statement: Statement, ground: Ground) -> bool:
    """A sentence on salary changes that only names the condition, not who may change them."""
    if not (_APPROVAL.search(text) and _CHIEF.search(text) and _NEEDED.search(text)):
        return False
    if _NOT_NEEDED.search(text):
        return False
    spots = spot(statement.text, ground.cast)
    salary = any(one.topic == "salary" for one in spots.topics)
    others = [
        one for one in spots.people if one.audience.who not in {"executive", "self", "employee"}
    ]
    return salary and not others


def _deny(
    who: tuple[str, ...],
    operation: str,
    statuses: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
) -> dict[str, object]:
    return {
        "effect": "deny",
        "audience": tuple(Audience.model_validate({"who": one}) for one in who),
        "operations": (operation,),
        "statuses": statuses,
        "needs": needs,
    }
