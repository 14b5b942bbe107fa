"""Requests of people who are not employees: what is not public is named, so that it is refused."""

from proveout.apps.solver.experts.draft import Draft
from proveout.apps.solver.experts.reading import Reading

_PUBLIC = frozenset({"site", "site.list", "date"})
_BEHIND = (
    ("SALARY", "SELECT employee_id AS id FROM employee_salaries ORDER BY 1"),
    ("WORKLOAD BUSY SLICE", "SELECT employee_id AS id FROM workload ORDER BY 1"),
    ("HOURS LOG ENTRY", "SELECT id FROM time_entries ORDER BY 1"),
    ("CONTACT ACCOUNT_MANAGER CUSTOMER DEAL", "SELECT id FROM customers ORDER BY 1"),
    ("PROJECT LEAD TEAM ROLE INVOLVED", "SELECT id FROM projects ORDER BY 1"),
    ("SKILL WILL STRONG SKILLED EAGER", "SELECT DISTINCT employee_id AS id FROM skills ORDER BY 1"),
    ("EMPLOYEE DEPARTMENT EMAIL PHONE WHO NOTE", "SELECT id FROM employees ORDER BY 1"),
    ("HOW WIKI PAGE READ_ABOUT HOW_WORD", "SELECT path AS id FROM wiki_pages ORDER BY 1"),
)


def public(names: tuple[str, ...]) -> bool:
    """Whether all that is asked is something that anybody may know."""
    return bool(names) and set(names) <= _PUBLIC


def touch(reading: Reading, draft: Draft) -> None:
    """Read what the request is about, so that the rules decide on it."""
    for concepts, statement in _BEHIND:
        if reading.has(*concepts.split()):
            bind = draft.read("behind", statement)
            draft.answer = draft.answer or bind
            return
