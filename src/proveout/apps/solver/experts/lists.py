"""Plans that list or count: projects, customers, abilities, hours; and that compare."""

from proveout.apps.solver.experts import people
from proveout.apps.solver.experts.draft import Draft, Unclear, at, extreme, only_if_single
from proveout.apps.solver.experts.mentions import Mention
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.resolve.dates import speaks_of_time

_NAMED = 0.5
_STATES = {
    "EXPLORING": "exploring",
    "PAUSE": "paused",
    "ARCHIVE": "archived",
    "IDEA": "idea",
    "ACTIVATE": "active",
}


def projects(reading: Reading, draft: Draft) -> None:
    """Projects by who works on them, whose they are, for whom, and who is or is not on the team."""
    conditions: list[str] = []
    named = reading.people()
    others = [it for it in named if not reading.is_requester(it)]
    mine = reading.has("MY") or len(others) < len(named)
    role = " AND t.role = 'Lead'" if reading.has("LEAD") and others else ""
    for mention in others:
        bind = draft.person(mention, "person")
        conditions.append(
            "p.id IN (SELECT t.project_id FROM project_team AS t "
            f"JOIN {bind} AS q ON q.id = t.employee_id{role})"
        )
    if mine or not (others or reading.of("customer", "contact")) and reading.has("ME"):
        conditions.append("p.id IN (SELECT project_id FROM my_projects)")
    customer = reading.first("customer")
    if customer is not None:
        bind = draft.customer(customer)
        conditions.append(f"p.customer_id IN (SELECT id FROM {bind})")
        draft.link("customer", bind)
    conditions += _role_conditions(reading, others)
    conditions += _state_conditions(reading)
    if reading.has("EITHER") and len(others) > 1 and not reading.has("BOTH", "AND"):
        conditions = [f"({' OR '.join(conditions)})"]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    answer = draft.read(
        "answer",
        "SELECT p.id AS id, p.name AS name, p.status AS status FROM projects AS p"
        f"{where} ORDER BY p.id",
    )
    draft.answer = answer
    draft.link("project", answer)
    if len(others) == 1 and not mine:
        draft.link("employee", "person")
    if reading.has("HOW_MANY") and not reading.has("LIST", "WHICH"):
        count = draft.read("amount", f"SELECT COUNT(*) AS value FROM {answer} ORDER BY 1")
        draft.answer, draft.empty_is_answer = count, True
        draft.say(at(count, "{.value}"))
        return
    draft.say(at(answer, "{.name*}"))


def _role_conditions(reading: Reading, others: list[Mention]) -> list[str]:
    roles = [role for role in people.roles_named(reading) if role != "Lead"]
    if reading.has("LEAD") and not others and not reading.has("MY"):
        roles.append("Lead")
    there = "NOT IN" if reading.has("NOT", "LACK", "DO_NOT") else "IN"
    return [
        f"p.id {there} (SELECT project_id FROM project_team WHERE role = '{role}')"
        for role in roles
    ]


def _state_conditions(reading: Reading) -> list[str]:
    return [f"p.status = '{state}'" for name, state in _STATES.items() if reading.has(name)]


def customers(reading: Reading, draft: Draft) -> None:
    """Customers by who looks after them, by phase, or by where they are."""
    conditions: list[str] = []
    named = reading.people()
    managers = []
    for mention in named:
        if reading.is_requester(mention):
            managers.append("c.account_manager IN (SELECT id FROM me)")
        else:
            bind = draft.person(mention, "person")
            managers.append(f"c.account_manager IN (SELECT id FROM {bind})")
    if not named and reading.has("MY", "ME"):
        managers.append("c.account_manager IN (SELECT id FROM me)")
    if managers:
        conditions.append(f"({' OR '.join(managers)})")
    conditions += [
        f"c.deal_phase = '{state}'" for name, state in _STATES.items() if reading.has(name)
    ]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    draft.answer = draft.read(
        "answer",
        f"SELECT c.id AS id, c.name AS name FROM customers AS c{where} ORDER BY c.id",
    )
    draft.link("customer", draft.answer)
    if reading.has("HOW_MANY") and not reading.has("LIST", "WHICH"):
        count = draft.read("amount", f"SELECT COUNT(*) AS value FROM {draft.answer} ORDER BY 1")
        draft.answer, draft.empty_is_answer = count, True
        draft.say(at(count, "{.value}"))
        return
    draft.say(at(draft.answer, "{.name*}"))


def rank_customers(reading: Reading, draft: Draft) -> None:
    """The customer with the most or fewest projects, in one phase if a phase is named."""
    states = [state for name, state in _STATES.items() if reading.has(name)]
    phase = f" AND p.status IN ({', '.join(repr(it) for it in states)})" if states else ""
    pool = draft.read(
        "pool",
        "SELECT c.id AS id, c.name AS name, COUNT(p.id) AS value FROM customers AS c "
        f"LEFT JOIN projects AS p ON p.customer_id = c.id{phase} "
        "GROUP BY c.id, c.name ORDER BY c.id",
    )
    answer = extreme(draft, pool, largest=not reading.has("LEAST"), bind="answer")
    if _nobody_wins_ties(reading):
        answer = only_if_single(draft, answer, "single")
        draft.empty_is_answer = True
    draft.answer = answer
    draft.link("customer", answer)
    draft.say(at(answer, "{.name*}: {.value*}"))


def compare(reading: Reading, draft: Draft) -> None:
    """Which of several named people or customers has more projects, or is on more of them."""
    people_named, customers_named = reading.people(), reading.of("customer")
    by_people = len(people_named) >= len(customers_named) and bool(people_named)
    named = people_named if by_people else customers_named
    if len(named) == 1:
        other = reading.unknown_name()
        named = [*named, other] if other and other.score > _NAMED else named
    if len(named) < 2:
        raise Unclear
    parts = [_counted(reading, draft, it, by_people=by_people) for it in named]
    pool = draft.read("pool", f"{' UNION ALL '.join(parts)} ORDER BY 1")
    larger = not (reading.has("FEWER", "LEAST") and not reading.has("MORE"))
    winners = extreme(draft, pool, largest=larger, bind="winners")
    answer = winners
    if _nobody_wins_ties(reading):
        answer = only_if_single(draft, winners)
        draft.empty_is_answer = True
    draft.answer = answer
    draft.link("employee" if by_people else "customer", answer)
    shown = draft.read("shown", f"SELECT name || ': ' || value AS line FROM {pool} ORDER BY id")
    draft.say(at(shown, "{.line*}"))


def _nobody_wins_ties(reading: Reading) -> bool:
    if reading.has("TIE_BOTH") or (reading.has("TIE") and reading.has("BOTH")):
        return False
    return reading.has("TIE_NONE") or (reading.has("TIE") and reading.has("NONE"))


def _counted(reading: Reading, draft: Draft, mention: Mention, *, by_people: bool) -> str:
    if by_people:
        bind = draft.person(mention, "person")
        if reading.has("WORKLOAD", "BUSY", "SLICE"):
            return (
                "SELECT e.id AS id, e.name AS name, w.slice_milli AS value FROM employees AS e "
                f"JOIN {bind} AS q ON q.id = e.id JOIN workload AS w ON w.employee_id = e.id"
            )
        lead = " AND t.role = 'Lead'" if reading.has("LEAD") else ""
        return (
            "SELECT e.id AS id, e.name AS name, COUNT(DISTINCT t.project_id) AS value "
            f"FROM employees AS e JOIN {bind} AS q ON q.id = e.id "
            f"LEFT JOIN project_team AS t ON t.employee_id = e.id{lead} GROUP BY e.id, e.name"
        )
    bind = draft.customer(mention, "customer")
    states = [state for name, state in _STATES.items() if reading.has(name)]
    phase = f" AND p.status IN ({', '.join(repr(it) for it in states)})" if states else ""
    return (
        "SELECT c.id AS id, c.name AS name, COUNT(p.id) AS value FROM customers AS c "
        f"JOIN {bind} AS q ON q.id = c.id LEFT JOIN projects AS p ON p.customer_id = c.id{phase} "
        "GROUP BY c.id, c.name"
    )


def hours(reading: Reading, draft: Draft) -> None:
    """Logged hours of a project or a person in a range, with the billable share."""
    when = reading.first("date")
    if when is None and speaks_of_time(reading.text):
        raise Unclear  # Hours of all times are no answer to `in the last few weeks`.
    span = draft.call("resolve_dates", "days_meant", text=when.text) if when else ""
    filters = []
    loaded: dict[str, str] = {}
    if span:
        loaded |= {"date_from": f"${span}.date_from", "date_to": f"${span}.date_to"}
        filters.append(
            f"t.date BETWEEN (SELECT date_from FROM {span}) AND (SELECT date_to FROM {span})"
        )
    project, customer = reading.first("project"), reading.first("customer")
    person = next((it for it in reading.people() if not reading.is_requester(it)), None)
    mine = reading.has("ME", "MY") and person is None and not project
    if project:
        bind = draft.project(project)
        loaded["project"] = f"${bind}.id"
        filters.append(f"t.project_id IN (SELECT id FROM {bind})")
        _link_project(draft, bind)
    elif customer:
        bind = draft.customer(customer)
        loaded["customer"] = f"${bind}.id"
        filters.append(f"t.customer_id IN (SELECT id FROM {bind})")
        draft.link("customer", bind)
    if person:
        bind = draft.person(person)
        loaded["employee"] = f"${bind}.id"
        filters.append(f"t.employee_id IN (SELECT id FROM {bind})")
        draft.link("employee", bind)
    elif mine or any(reading.is_requester(it) for it in reading.people()):
        filters.append("t.employee_id IN (SELECT id FROM me)")
        draft.link("employee", draft.read("oneself", "SELECT id FROM me ORDER BY id"))
    draft.call("load_time_entries", "entries", **loaded)
    where = " AND ".join(filters) or "1 = 1"
    draft.answer = draft.read(
        "answer",
        "SELECT COALESCE(SUM(t.hours_centi), 0) AS total, COALESCE(SUM(CASE WHEN t.billable = 1 "
        "THEN t.hours_centi ELSE 0 END), 0) AS billable, COALESCE(SUM(CASE WHEN t.billable = 1 "
        "THEN 0 ELSE t.hours_centi END), 0) AS other FROM time_entries AS t "
        f"WHERE {where} ORDER BY 1",
    )
    draft.empty_is_answer = True
    draft.say("{X.total:hours} ({X.billable:hours} / {X.other:hours})".replace("X", draft.answer))


def _link_project(draft: Draft, bind: str) -> None:
    """A project with its customer, if it has one."""
    rows = draft.read(
        "context",
        f"SELECT p.id AS id, p.customer_id AS customer_id FROM {bind} AS r "
        "JOIN projects AS p ON p.id = r.id ORDER BY p.id",
    )
    draft.link("project", rows)
    draft.link("customer", rows, "customer_id")


def team_abilities(reading: Reading, draft: Draft) -> None:
    """Skills or wills of a project's team: all of them, or the one with the largest sum."""
    mention = reading.first("project") or reading.unknown_name()
    if mention is None:
        raise Unclear
    bind = draft.project(mention)
    kind = "will" if reading.has("WILL") and not reading.has("SKILL") else "skill"
    draft.call("load_skills", "all_skills")
    pool = draft.read(
        "pool",
        "SELECT s.name AS id, s.name AS name, SUM(s.level) AS value, COUNT(*) AS people, "
        f"MAX(s.level) AS best FROM {bind} AS r JOIN project_team AS t ON t.project_id = r.id "
        f"JOIN skills AS s ON s.employee_id = t.employee_id WHERE s.kind = '{kind}' "
        "GROUP BY s.name ORDER BY s.name",
    )
    team = draft.read(
        "crew",
        f"SELECT DISTINCT t.employee_id AS id FROM {bind} AS r JOIN project_team AS t "
        "ON t.project_id = r.id ORDER BY 1",
    )
    draft.link("project", bind)
    draft.link("employee", team)
    if reading.has("MOST", "LEAST"):
        answer = extreme(draft, pool, largest=not reading.has("LEAST"), bind="answer")
        draft.answer = answer
        draft.say(at(answer, "{.name*}: {.value*}"))
        return
    table = draft.read("answer", f"SELECT name, people, best, value FROM {pool} ORDER BY name")
    draft.answer = table
    draft.message = draft.message.model_copy(
        update={"form": "table", "table": table, "language": draft.language}
    )


def missing_abilities(reading: Reading, draft: Draft) -> None:
    """Skills or wills that exist and the requester lacks; having all of them is an answer."""
    kind = "will" if reading.has("WILL") and not reading.has("SKILL") else "skill"
    draft.call("load_skills", "all_skills")
    draft.answer = draft.read(
        "answer",
        f"SELECT DISTINCT s.name AS name FROM skills AS s WHERE s.kind = '{kind}' "
        "AND s.name NOT IN "
        f"(SELECT name FROM my_skills WHERE kind = '{kind}') ORDER BY s.name",
    )
    draft.empty_is_answer = True
    draft.message = draft.message.model_copy(
        update={"form": "table", "table": draft.answer, "language": draft.language}
    )


def person_abilities(reading: Reading, draft: Draft) -> None:
    """Levels of somebody, of one ability if one is named."""
    mention = reading.first("person")
    if mention is None or reading.is_requester(mention):
        source, bind = "my_skills", ""
    else:
        bind = draft.person(mention)
        draft.call("load_skills", "levels", employees=f"${bind}.id*")
        source = "skills"
    conditions = [f"s.employee_id IN (SELECT id FROM {bind})"] if bind else []
    for ability in reading.of("skill", "will"):
        row = draft.skill(ability)
        conditions.append(f"s.name IN (SELECT name FROM {row})")
    if not reading.of("skill", "will") and reading.has("SKILL") != reading.has("WILL"):
        conditions.append(f"s.kind = '{'skill' if reading.has('SKILL') else 'will'}'")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    draft.answer = draft.read(
        "answer",
        "SELECT s.employee_id AS id, s.name AS name, s.level AS level "
        f"FROM {source} AS s{where} ORDER BY s.name",
    )
    draft.link("employee", draft.answer)
    draft.message = draft.message.model_copy(
        update={"form": "table", "table": draft.answer, "language": draft.language}
    )
