"""Bringing more of the company into the snapshot, and reading notes."""

from proveout.apps.solver.client.requests import TimeSearch
from proveout.apps.solver.tooling.arguments import (
    NoArgs,
    PageAt,
    SomePeople,
    ThesePeople,
    TimeRange,
)
from proveout.apps.solver.tooling.notes import approvals, phones
from proveout.apps.solver.tooling.spec import Row, ToolSpec
from proveout.apps.solver.tooling.surroundings import Given, Surroundings, Tool, found


def wiki_page(at: Surroundings, ask: PageAt) -> Given:
    sql = "SELECT path, title, content FROM wiki_pages WHERE path = ?"
    at.snapshot.ensure("wiki_pages")
    rows = at.rows(sql, ask.path)
    return rows, "found" if rows else "missing"


def details(at: Surroundings, ask: SomePeople) -> Given:
    """Skills and notes come with the same call of the API."""
    if ask.employees is not None:
        return found([(at.snapshot.load_details(ask.employees),)])
    at.snapshot.ensure("skills", "employee_notes")
    return found(at.rows("SELECT COUNT(*) FROM detailed"))


def salaries(at: Surroundings, _: NoArgs) -> Given:
    at.snapshot.ensure("employee_salaries")
    return found(at.rows("SELECT COUNT(*) FROM employee_salaries"))


def time_entries(at: Surroundings, ask: TimeRange) -> Given:
    return found([(at.snapshot.load_time_entries(TimeSearch(**ask.model_dump())),)])


def phone(at: Surroundings, ask: ThesePeople) -> Given:
    rows: list[Row] = [
        (employee, number) for employee, text in _notes(at, ask) for number in phones(text)
    ]
    return found(rows)


def approval(at: Surroundings, ask: ThesePeople) -> Given:
    rows: list[Row] = [
        (employee, it.approver, it.amount)
        for employee, text in _notes(at, ask)
        for it in approvals(text)
    ]
    return found(rows)


def _notes(at: Surroundings, ask: ThesePeople) -> list[tuple[str, str]]:
    """Of these people, in the order asked for."""
    wanted = list(dict.fromkeys(ask.employees))
    at.snapshot.load_details(wanted)
    sql = "SELECT employee_id, notes FROM employee_notes WHERE employee_id = ?"
    return [
        (str(owner), str(text)) for employee in wanted for owner, text in at.rows(sql, employee)
    ]


LOADED = ("count",)
LOADING: tuple[
    Tool[PageAt] | Tool[SomePeople] | Tool[NoArgs] | Tool[TimeRange] | Tool[ThesePeople], ...
] = (
    Tool(
        ToolSpec(
            "load_wiki_page",
            PageAt,
            "page",
            ("path", "title", "content"),
            "One page of the wiki.",
            ("wiki.read",),
        ),
        wiki_page,
    ),
    Tool(
        ToolSpec(
            "load_skills", SomePeople, "loaded", LOADED, "Fills `skills`: of some, or of everyone."
        ),
        details,
    ),
    Tool(
        ToolSpec(
            "load_notes",
            SomePeople,
            "loaded",
            LOADED,
            "Fills `employee_notes`: of some, or of everyone.",
        ),
        details,
    ),
    Tool(
        ToolSpec("load_salaries", NoArgs, "loaded", LOADED, "Fills `employee_salaries`."),
        salaries,
    ),
    Tool(
        ToolSpec(
            "load_time_entries",
            TimeRange,
            "loaded",
            LOADED,
            "Fills `time_entries` with those that match.",
        ),
        time_entries,
    ),
    Tool(
        ToolSpec(
            "find_phone",
            ThesePeople,
            "phones",
            ("employee_id", "phone"),
            "Telephone numbers in people's notes.",
            ("employee.notes",),
        ),
        phone,
    ),
    Tool(
        ToolSpec(
            "find_approvals",
            ThesePeople,
            "approvals",
            ("employee_id", "approver", "amount"),
            "Salaries that the CEO approved, according to people's notes.",
            ("employee.notes",),
        ),
        approval,
    ),
)
