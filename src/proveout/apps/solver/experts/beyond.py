"""Requests for things that the API may not offer: named, so that the rules can say no."""

import re

from proveout.apps.solver.experts.questions import only_asks
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.resolve.folding import word_set

_SORTING = re.compile(r"\border(?:ed)?\b[^.?!\n]{0,60}\bby\b|\bin order of\b", re.IGNORECASE)
_POLITE = word_set("please kindly bitte pozhaluista molim")
_RINGS = word_set("call phone ring telephone ruf rufe chiama appelle llama pozovi pozvoni")
_OBJECTS = (
    ("CUSTOMER", "customer"),
    ("PROJECT", "project"),
    ("EMPLOYEE", "employee"),
)
_ENDS = word_set("VOID FIRE ARCHIVE")
"""Ways to end a customer, who cannot be voided, dismissed or archived."""
_VERBS = (("DELETE", "delete"), ("CREATE", "create"), ("UPDATE", "update"), ("RENAME", "rename"))
_FALLBACK = re.compile(
    r"\b(?:otherwise|or else|failing (?:that|which)|if (?:you|that|this|it|there|the system|not|no"
    r"|deletion|deleting)\b|in case|should (?:you|that|this|it|there)\b|when(?:ever)? you cannot"
    r"|unless|sonst|andernfalls|ansonsten|falls|wenn (?:das|es|du|nicht)|altrimenti|se non"
    r"|nel caso|sinon|si (?:ce|tu|vous|c'|no\b)|de lo contrario|si no|inače|ako (?:ne|nije|nema)"
    r"|as a fallback|plan b|alternatively|u suprotnom|иначе|если (?:не|нет|нельзя|это))"
    r"|否则|如果(?:不|没|无)|若(?:不|无)",
    re.IGNORECASE,
)
"""Words that say what to do instead, should the first thing turn out to be impossible."""


def operation(reading: Reading) -> str:
    """What the text asks for, as `object.verb`, if no read or write of ours does it.

    A way around what cannot be done is no request of its own: it stands and falls with the first.
    """
    return _wanted(reading) or _first_choice(reading)


def _first_choice(reading: Reading) -> str:
    fallback = _FALLBACK.search(reading.text)
    if fallback is None or not (reading.of("customer") or reading.has("CUSTOMER")):
        return ""
    start, end = fallback.start(), len(reading.text)
    before = tuple(it for it in reading.mentions if it.end <= start)
    hidden = (*reading.hidden, (start, end))
    return _wanted(Reading(reading.text, reading.requester, before, hidden))


def _wanted(reading: Reading) -> str:
    if reading.has("HOW", "READ_ABOUT"):
        return ""
    sorting = _SORTING.search(reading.text)
    told = reading.has("WIKI", "PAGE", "WHO", "HOW_MANY") or _who_ordered(reading)
    if reading.has("ORDER") and not sorting and not told:
        return "purchase.order"
    if _rings_up(reading):
        return "message.send"
    if reading.has("MESSAGE") and not reading.has("WHO", "CONTACT", "WHERE"):
        return "message.send"
    if reading.has("HIRE") and not reading.has("WHO", "LIST"):
        return "employee.create"
    if reading.has("FIRE") and reading.of("person") and not reading.has("WHO", "LOG"):
        return "employee.delete"
    if reading.has("MEETING") and not reading.has("EMAIL", "CONTACT", "WHO", "WHICH", "NOTE"):
        return "meeting.schedule"
    return _registry(reading)


def _who_ordered(reading: Reading) -> bool:
    """`Which customer ordered the project?` asks for somebody, and orders nothing."""
    return reading.has("WHICH") and reading.has("CUSTOMER") and bool(reading.of("project"))


def _rings_up(reading: Reading) -> bool:
    """`Call her and say …` is an errand; `how can I call her?` asks for a number."""
    shown = [token for token in reading.tokens if reading.shows(token)]
    opens = next((it.folded for it in shown if it.folded not in _POLITE), "")
    asks = reading.has("WHICH", "HOW_MANY", "WHO") or "?" in reading.text
    return opens in _RINGS and bool(reading.of("person", "contact")) and not asks


def _ends_customer(reading: Reading) -> bool:
    alone = bool(reading.of("customer")) and not (reading.of("project") or reading.has("PROJECT"))
    return alone and reading.has(*_ENDS) and not only_asks(reading)


def _registry(reading: Reading) -> str:
    if reading.of("page", "entry") or reading.has("WIKI", "PAGE", "ENTRY", "HOURS", "NOTE", "TEAM"):
        return ""
    if reading.has("WHO", "WHICH", "HOW_MANY", "SKILL", "WILL", "SALARY", "LEVEL", "REFLECT"):
        return ""
    if reading.of("skill", "will", "date") or reading.has("SWAP", "RAISE"):
        return ""
    if reading.has("REDUCE") and not reading.has("DELETE"):
        return ""
    if _ends_customer(reading):
        return "customer.delete"
    for concept, verb in _VERBS:
        added = verb == "create" and reading.has("ADD", "LOG") and reading.has("NEW")
        if not (reading.has(concept) or added):
            continue
        if reading.of("customer") and not reading.of("project"):
            return f"customer.{verb}"
        if verb in {"update"}:
            return ""
        for sign, thing in _OBJECTS:
            if reading.has(sign):
                return "" if thing == "project" and reading.of("person") else f"{thing}.{verb}"
        if reading.of("person") and verb == "delete" and not reading.of("project"):
            return "employee.delete"
        if reading.of("project") and verb == "delete" and not reading.of("person"):
            return "project.delete"
    return ""
