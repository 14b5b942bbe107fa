"""Plans that tell something about one thing: a person, oneself, a project, a customer."""

from collections.abc import Callable

from proveout.apps.solver.experts import people
from proveout.apps.solver.experts.company import tokens_offered
from proveout.apps.solver.experts.draft import Draft, Unclear, at
from proveout.apps.solver.experts.mentions import Mention
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.plan import MessageRule
from proveout.apps.solver.resolve.quantities import numbers

Part = Callable[[Reading, Draft, str], str]
"""Adds what one aspect of a project needs, and gives the words that show it."""


def person(reading: Reading, draft: Draft) -> None:
    """Department, place, address, salary, workload, phone or role of somebody, as asked."""
    mention = reading.first("person") or reading.first("contact") or reading.unknown_name()
    if mention is None:
        raise Unclear
    if reading.is_requester(mention):
        own(reading, draft)
        return
    if mention.kind == "contact":
        _contact_person(reading, draft, mention)
        return
    project = reading.first("project")
    team = draft.project(project) if project is not None else ""
    if team and not reading.has("SALARY", "EMAIL", "PHONE"):
        _on_project(reading, draft, mention, team)
        return
    bind = draft.person(mention, project=team)
    if reading.has("PHONE"):
        draft.call("load_notes", "notes", employees=f"${bind}.id*")
        phones = draft.call("find_phone", "phone", employees=f"${bind}.id*")
        draft.answer = phones
        draft.link("employee", bind)
        draft.say(at(phones, "{.phone*}"))
        return
    columns, joins = _columns(reading, draft)
    draft.answer = draft.read(
        "answer",
        f"SELECT e.id AS id, e.name AS name, {', '.join(columns.values())} FROM {bind} AS p "
        f"JOIN employees AS e ON e.id = p.id {' '.join(joins)} ORDER BY e.id",
    )
    draft.link("employee", draft.answer)
    draft.say(_listed(draft.answer, columns))


def salary_test(reading: Reading, draft: Draft) -> None:
    """Whether somebody earns more or less than an amount, as a yes or a no."""
    mention = reading.first("person") or reading.unknown_name()
    amounts = [it for it in numbers(reading.text) if not it.percent]
    if mention is None or not amounts:
        raise Unclear
    bind = draft.person(mention)
    draft.call("load_salaries", "all_salaries")
    sign = "<" if reading.has("LOWER") else ">"
    truth = draft.read(
        "truth",
        f"SELECT y.employee_id AS id FROM employee_salaries AS y JOIN {bind} AS p "
        f"ON p.id = y.employee_id WHERE y.salary {sign} {int(amounts[0].value)} ORDER BY 1",
    )
    draft.answer, draft.empty_is_answer = truth, True
    draft.link("employee", bind)
    draft.message = MessageRule(
        form="yes_no", tokens=tokens_offered(reading), truth=truth, language=draft.language
    )


def copied_salary(reading: Reading, draft: Draft) -> None:
    """A salary put down in notes: the reading needs its own permission."""
    mention = reading.first("person")
    if mention is None:
        raise Unclear
    person(reading, draft)
    target = draft.call("who_am_i", "oneself")
    draft.write(
        "employee.note.write", {"employee": f"${target}.id", "note": f"${draft.answer}.salary"}
    )


def _columns(reading: Reading, draft: Draft) -> tuple[dict[str, str], list[str]]:
    """What is asked about a person, as columns with their joins."""
    columns: dict[str, str] = {}
    joins: list[str] = []
    if reading.has("DEPARTMENT"):
        columns["department"] = "e.department AS department"
    if reading.has("SALARY"):
        draft.call("load_salaries", "all_salaries")
        columns["salary"] = "y.salary AS salary"
        joins.append("JOIN employee_salaries AS y ON y.employee_id = e.id")
    if reading.has("WORKLOAD", "BUSY", "SLICE"):
        columns["workload"] = "w.slice_milli AS workload"
        joins.append("JOIN workload AS w ON w.employee_id = e.id")
    if reading.has("EMAIL", "CONTACT") or not (columns or reading.has("WHERE", "OPERATE")):
        columns["email"] = "e.email AS email"
    if reading.has("WHERE", "OPERATE"):
        columns["location"] = "e.location AS location"
    return columns, joins


def _listed(bind: str, columns: dict[str, str]) -> str:
    forms = {"workload": ":fte"}
    shown = ", ".join("{." + name + forms.get(name, "") + "}" for name in columns)
    return at(bind, "{.name}: " + shown)


def _contact_person(reading: Reading, draft: Draft, mention: Mention) -> None:
    bind = draft.call("resolve_contact", "contact", text=mention.text)
    draft.answer = draft.read(
        "answer",
        "SELECT c.id AS id, c.name AS name, k.contact_name AS contact_name, "
        f"k.contact_email AS contact_email FROM {bind} AS r "
        "JOIN customer_contacts AS k ON k.customer_id = r.customer_id "
        "JOIN customers AS c ON c.id = k.customer_id ORDER BY c.id",
    )
    draft.link("customer", draft.answer)
    column = "name" if reading.has("CUSTOMER") and not reading.has("EMAIL") else "contact_email"
    draft.say(at(draft.answer, "{.contact_name*}: {." + column + "*}"))


def _on_project(reading: Reading, draft: Draft, mention: Mention, project: str) -> None:
    """Role or share of a person on a project; a surname is looked for on the team first."""
    bind = draft.person(mention, project=project)
    draft.answer = draft.read(
        "answer",
        "SELECT e.id AS id, e.name AS name, t.role AS role, t.slice_milli AS slice_milli, "
        f"e.department AS department, r.id AS project_id FROM {bind} AS p "
        f"JOIN project_team AS t ON t.employee_id = p.id JOIN {project} AS r "
        "ON r.id = t.project_id JOIN employees AS e ON e.id = p.id ORDER BY e.id, t.role",
    )
    draft.link("employee", draft.answer)
    draft.link("project", draft.answer, "project_id")
    asked = "{.department*}" if reading.has("DEPARTMENT") else _role_or_share(reading)
    draft.say(at(draft.answer, "{.name*}: " + asked))


def _role_or_share(reading: Reading) -> str:
    """What was asked of a place in a team; words for `assigned` speak of both, so both are told."""
    share = "{.slice_milli*:fte} FTE"
    if not reading.has("SLICE", "WORKLOAD", "BUSY"):
        return "{.role*}"
    return "{.role*}, " + share if reading.has("ROLE") else share


def own(reading: Reading, draft: Draft) -> None:
    """The same about the requester, from what the host says is theirs."""
    project = reading.first("project")
    if project is not None and not reading.has("SALARY", "EMAIL", "DEPARTMENT"):
        bind = draft.project(project)
        draft.answer = draft.read(
            "answer",
            "SELECT r.id AS id, r.name AS name, t.role AS role, t.slice_milli AS slice_milli "
            f"FROM {bind} AS r JOIN project_team AS t ON t.project_id = r.id "
            "JOIN me AS m ON m.id = t.employee_id ORDER BY r.id, t.role",
        )
        draft.link("project", draft.answer)
        draft.say(at(draft.answer, _role_or_share(reading)))
        return
    if reading.has("SALARY"):
        statement = "SELECT y.employee_id AS id, y.salary AS value FROM my_salary AS y ORDER BY 1"
    elif reading.has("WORKLOAD", "BUSY", "SLICE"):
        statement = (
            "SELECT m.id AS id, w.slice_milli AS value FROM me AS m "
            "JOIN workload AS w ON w.employee_id = m.id ORDER BY m.id"
        )
    elif reading.has("EMAIL"):
        statement = (
            "SELECT e.id AS id, e.email AS value FROM me AS m "
            "JOIN employees AS e ON e.id = m.id ORDER BY e.id"
        )
    elif reading.has("SKILL", "WILL"):
        statement = (
            "SELECT s.employee_id AS id, s.kind AS kind, s.name AS value, s.level AS level "
            "FROM my_skills AS s ORDER BY s.kind, s.name"
        )
    else:
        column = "location" if reading.has("WHERE", "OPERATE") else "department"
        column = "name" if reading.has("WHO") else column
        statement = f"SELECT m.id AS id, m.{column} AS value FROM me AS m ORDER BY m.id"
    draft.answer = draft.read("answer", statement)
    draft.link("employee", draft.answer)
    fte = reading.has("WORKLOAD", "BUSY", "SLICE") and not reading.has("SALARY")
    draft.say(at(draft.answer, "{.value:fte}" if fte else "{.value*}"))


def project(reading: Reading, draft: Draft) -> None:
    """Lead, customer, contact, account manager, somebody's role or the team, one or several."""
    mention = reading.first("project") or reading.unknown_name()
    if mention is None:
        raise Unclear
    bind = draft.project(mention)
    if reading.has("MOST", "LEAST"):
        people.slices(reading, draft, bind)
        return
    parts = _project_parts(reading)
    texts = [part(reading, draft, bind) for part in parts]
    draft.link("project", bind)
    draft.say("; ".join(texts))


def _project_parts(reading: Reading) -> list[Part]:
    roles = [concept for concept in people.ROLES if concept != "LEAD" and reading.has(concept)]
    parts: list[Part] = []
    if roles:
        parts.append(_role_holders)
    elif reading.has("LEAD") or _run_by(reading):
        parts.append(_lead)
    cared_for = reading.has("MANAGED") and reading.has("LEAD") and reading.has("CUSTOMER")
    if reading.has("ACCOUNT_MANAGER") or (cared_for and not reading.has("CONTACT", "EMAIL")):
        parts.append(_account_manager)
    elif reading.has("CONTACT", "EMAIL") and not (parts and _whom_to_ask(reading)):
        parts.append(_contact)
    elif reading.has("CUSTOMER", "ORDER"):
        parts.append(_customer)
    if reading.has("STATUS") and not parts:
        parts.append(_status)
    if not parts:
        parts.append(_team)
    return parts


def _whom_to_ask(reading: Reading) -> bool:
    """`Whom do I talk to as the lead?` speaks of nobody at the customer's."""
    return not reading.has("CUSTOMER", "EMAIL", "AND", "PHONE")


def _run_by(reading: Reading) -> bool:
    """`Who manages the project`, where nothing is said of its customer."""
    return reading.has("MANAGED") and not reading.has("CUSTOMER", "ACCOUNT_MANAGER", "CONTACT")


def _member(draft: Draft, project_bind: str, roles: str, bind: str) -> str:
    return draft.read(
        bind,
        "SELECT e.id AS id, e.name AS name, e.department AS department, t.role AS role "
        f"FROM {project_bind} AS p JOIN project_team AS t ON t.project_id = p.id "
        f"JOIN employees AS e ON e.id = t.employee_id {roles} ORDER BY e.id, t.role",
    )


def _shown(reading: Reading, draft: Draft, bind: str) -> str:
    draft.answer = draft.answer or bind
    draft.link("employee", bind)
    if reading.has("EMAIL") and not reading.has("CONTACT", "CUSTOMER"):
        return at(bind, "{.name*}")
    told = "{.name*} ({.department*})" if reading.has("DEPARTMENT") else "{.name*}"
    return at(bind, told)


def _lead(reading: Reading, draft: Draft, bind: str) -> str:
    return _shown(reading, draft, _member(draft, bind, "WHERE t.role = 'Lead'", "leading"))


def _role_holders(reading: Reading, draft: Draft, bind: str) -> str:
    roles = [f"'{role}'" for role in people.roles_named(reading)]
    if not reading.has("LEAD") or reading.has("ROLE", "TEAM", "DEPARTMENT"):
        roles = [role for role in roles if role != "'Lead'"] or roles
    return _shown(
        reading, draft, _member(draft, bind, f"WHERE t.role IN ({', '.join(roles)})", "holder")
    )


def _team(reading: Reading, draft: Draft, bind: str) -> str:
    rows = _member(draft, bind, "", "members")
    if reading.has("HOW_MANY"):
        count = draft.read("amount", f"SELECT COUNT(DISTINCT id) AS value FROM {rows} ORDER BY 1")
        draft.answer = count
        return at(count, "{.value}")
    return _shown(reading, draft, rows)


def _account_manager(reading: Reading, draft: Draft, bind: str) -> str:
    del reading
    rows = draft.read(
        "manager",
        "SELECT e.id AS id, e.name AS name, c.id AS customer_id, c.name AS customer_name "
        f"FROM {bind} AS r JOIN projects AS p ON p.id = r.id "
        "JOIN customers AS c ON c.id = p.customer_id "
        "JOIN employees AS e ON e.id = c.account_manager ORDER BY e.id, c.id",
    )
    draft.answer = draft.answer or rows
    draft.link("employee", rows)
    draft.link("customer", rows, "customer_id")
    return at(rows, "{.name*}")


def _contact(reading: Reading, draft: Draft, bind: str) -> str:
    del reading
    rows = draft.read(
        "contact",
        "SELECT c.id AS id, c.name AS name, k.contact_name AS contact_name, "
        f"k.contact_email AS contact_email FROM {bind} AS r JOIN projects AS p ON p.id = r.id "
        "JOIN customers AS c ON c.id = p.customer_id "
        "JOIN customer_contacts AS k ON k.customer_id = c.id ORDER BY c.id",
    )
    draft.answer = draft.answer or rows
    draft.link("customer", rows)
    return at(rows, "{.contact_name*}: {.contact_email*}")


def _customer(reading: Reading, draft: Draft, bind: str) -> str:
    del reading
    rows = draft.read(
        "client",
        f"SELECT c.id AS id, c.name AS name FROM {bind} AS r JOIN projects AS p ON p.id = r.id "
        "JOIN customers AS c ON c.id = p.customer_id ORDER BY c.id",
    )
    draft.answer = draft.answer or rows
    draft.link("customer", rows)
    return at(rows, "{.name*}")


def _status(reading: Reading, draft: Draft, bind: str) -> str:
    del reading
    rows = draft.read(
        "phase_now",
        f"SELECT p.id AS id, p.name AS name, p.status AS status FROM {bind} AS r "
        "JOIN projects AS p ON p.id = r.id ORDER BY p.id",
    )
    draft.answer = draft.answer or rows
    return at(rows, "{.name}: {.status}")


def _one_of_us(reading: Reading) -> bool:
    """`Which colleague has this customer?`: the account manager is all that a colleague can be."""
    if reading.has("OUR_SIDE") and reading.has("WHO"):
        return True
    other = reading.has("CONTACT", "EMAIL", "PHONE", "DEAL", "STATUS")
    return reading.has("OURS", "EMPLOYEE", "WHO") and not other


def customer(reading: Reading, draft: Draft) -> None:
    """Contact, account manager or standing of a customer."""
    mention = reading.first("customer") or reading.unknown_name()
    if mention is None:
        raise Unclear
    bind = draft.customer(mention)
    columns = ["c.id AS id", "c.name AS name"]
    joins = [f"{bind} AS r JOIN customers AS c ON c.id = r.id"]
    texts = []
    if reading.has("ACCOUNT_MANAGER", "MANAGED", "LEAD") or _one_of_us(reading):
        columns += ["e.id AS manager_id", "e.name AS manager"]
        joins.append("JOIN employees AS e ON e.id = c.account_manager")
        texts.append("{X.manager*}")
    theirs = reading.has("CONTACT") and not (reading.has("OUR_SIDE") and reading.has("WHO"))
    if reading.has("CONTACT", "EMAIL", "PHONE") and (theirs or not texts):
        columns += ["k.contact_name AS contact_name", "k.contact_email AS contact_email"]
        joins.append("JOIN customer_contacts AS k ON k.customer_id = c.id")
        texts.append("{X.contact_name*}: {X.contact_email*}")
    if reading.has("STATUS", "DEAL") or not texts:
        columns += ["c.deal_phase AS deal_phase", "c.location AS location"]
        columns += ["c.high_level_status AS standing"]
        texts.append("{X.deal_phase*}, {X.location*}, {X.standing*}")
    draft.answer = draft.read(
        "answer", f"SELECT {', '.join(columns)} FROM {' '.join(joins)} ORDER BY c.id"
    )
    draft.link("customer", draft.answer)
    if "e.id AS manager_id" in columns:
        draft.link("employee", draft.answer, "manager_id")
    draft.say(("{X.name*}: " + "; ".join(texts)).replace("{X.", at(draft.answer, "{.")))
