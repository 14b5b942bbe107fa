"""Plans that choose people: by place, department, team, abilities, workload, salary."""

from proveout.apps.solver.experts.draft import Draft, Selection, Unclear, at, extreme
from proveout.apps.solver.experts.mentions import Mention
from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.resolve.quantities import numbers

_STRONG = "(SELECT value FROM policy_terms WHERE term = 'strong')"
ROLES = {
    "ENGINEER": "Engineer",
    "DESIGNER": "Designer",
    "QA": "QA",
    "OPS": "Ops",
    "OTHER": "Other",
    "LEAD": "Lead",
}


def roles_named(reading: Reading) -> list[str]:
    """Roles that a text names; a quality engineer is no engineer."""
    ends = {it.last for it in reading.signs if it.concept == "QA"}
    named = []
    for concept, role in ROLES.items():
        places = [it.first for it in reading.signs if it.concept == concept]
        if any(concept != "ENGINEER" or place not in ends for place in places):
            named.append(role)
    return named


def search(reading: Reading, draft: Draft) -> None:
    """Whoever meets all conditions of the text; the most or least of them if that is asked."""
    selection = _filtered(reading, draft, Selection())
    abilities = _abilities(reading)
    largest = not reading.has("LEAST")
    ranked = reading.has("MOST", "LEAST", "FREE") or reading.has("SKILLED", "EAGER", "BUSY")
    if _busy(reading):
        if reading.has("FREE") and not reading.has("BUSY", "LEAST"):
            largest = False
        selection = _workload(selection)
        pool = draft.read("pool", _with_levels(reading, draft, selection, abilities))
        _finish_busy(reading, draft, pool, abilities, largest=largest)
        return
    if abilities and ranked and not _thresholds(reading):
        _most_able(reading, draft, selection, abilities[0], largest=largest)
        return
    for mention in abilities:
        selection = _strong(reading, draft, selection, mention)
    if reading.has("SALARY"):
        selection = _salary(reading, draft, selection, largest=largest)
        if selection.measure:
            pool = draft.read("pool", selection.statement())
            if reading.has("AVERAGE"):
                draft.answer = draft.read(
                    "answer", f"SELECT AVG(value) AS value FROM {pool} ORDER BY 1"
                )
                draft.say(at(draft.answer, "{.value}"))
                return
            if reading.has("MOST", "LEAST") and not reading.has("HIGHER", "LOWER"):
                pool = extreme(draft, pool, largest=largest, bind="answer")
            _close(draft, pool, at(pool, "{.name*}: {.value*}"))
            return
    compared = reading.has("SALARY")
    if reading.has("PROJECT") and reading.has("MOST", "LEAST") and not (abilities or compared):
        _by_projects(draft, selection, largest=largest)
        return
    _close(draft, draft.read("answer", selection.statement()))


def _abilities(reading: Reading) -> list[Mention]:
    """Abilities that are named, if only by words that nobody has seen in a profile yet."""
    named = reading.of("skill", "will")
    if named or not reading.has("SKILL", "WILL", "SKILLED", "EAGER", "LEVEL", "TRAINING", "STRONG"):
        return named
    unknown = reading.unknown_name()
    return [unknown] if unknown else []


def slices(reading: Reading, draft: Draft, project: str) -> None:
    """Whoever has the largest or smallest time slice on one project."""
    pool = draft.read(
        "pool",
        "SELECT e.id AS id, e.name AS name, SUM(t.slice_milli) AS value FROM project_team AS t "
        f"JOIN {project} AS p ON p.id = t.project_id JOIN employees AS e ON e.id = t.employee_id "
        "GROUP BY e.id, e.name ORDER BY e.id",
    )
    answer = extreme(draft, pool, largest=not reading.has("LEAST"), bind="answer")
    _close(draft, answer, at(answer, "{.name*} ({.value*:fte} FTE)"))


def coaches(reading: Reading, draft: Draft) -> None:
    """Those who could teach most: the sum of what they are ahead by, over all skills."""
    mention = reading.first("person") or reading.unknown_name()
    if mention is None:
        raise Unclear
    person = draft.person(mention)
    kind = "will" if reading.has("WILL") and not reading.has("SKILL") else "skill"
    draft.call("load_skills", "all_skills")
    pool = draft.read(
        "pool",
        "SELECT e.id AS id, e.name AS name, SUM(s.level - o.level) AS value FROM skills AS s "
        f"JOIN {person} AS p ON p.id <> s.employee_id "
        "JOIN skills AS o ON o.employee_id = p.id AND o.kind = s.kind AND o.name = s.name "
        "JOIN employees AS e ON e.id = s.employee_id "
        f"WHERE s.kind = '{kind}' AND s.level > o.level GROUP BY e.id, e.name ORDER BY e.id",
    )
    _close(draft, extreme(draft, pool, largest=True, bind="answer"))


def _close(draft: Draft, answer: str, text: str = "") -> None:
    draft.answer = answer
    draft.link("employee", answer)
    draft.say(text or at(answer, "{.name*}"))


def _filtered(reading: Reading, draft: Draft, selection: Selection) -> Selection:
    for mention in reading.of("department"):
        bind = draft.call("resolve_department", "department", text=mention.text)
        selection = selection.only(f"e.department IN (SELECT name FROM {bind})")
    for mention in reading.of("location"):
        bind = draft.call("resolve_location", "place_meant", text=mention.text)
        there = "NOT IN" if _comes_from_elsewhere(reading) else "IN"
        selection = selection.only(f"e.location {there} (SELECT name FROM {bind})")
    unknown = None if reading.of("location", "department") else reading.place()
    if _comes_from_elsewhere(reading):
        unknown = None  # Whoever is sent to a place that nobody knows can come from anywhere.
    if unknown is not None and unknown not in _abilities(reading):
        # A place nobody knows narrows the question all the same: it must not be passed over.
        bind = draft.call("resolve_location", "place_meant", text=unknown.text)
        selection = selection.only(f"e.location IN (SELECT name FROM {bind})")
    projects = reading.of("project")
    for mention in projects:
        bind = draft.project(mention)
        draft.link("project", bind)
        there = "NOT IN" if _outside(reading) else "IN"
        role = _role_condition(reading)
        selection = selection.only(
            f"e.id {there} (SELECT t.employee_id FROM project_team AS t "
            f"JOIN {bind} AS r ON r.id = t.project_id{role})"
        )
    if not projects and reading.has("LEAD"):
        selection = selection.only(
            "e.id IN (SELECT employee_id FROM project_team WHERE role = 'Lead')"
        )
    elif not projects and reading.has("MY") and reading.has("PROJECT", "TEAM"):
        selection = selection.only(
            "e.id IN (SELECT t.employee_id FROM project_team AS t JOIN my_projects AS m "
            "ON m.project_id = t.project_id)",
            "e.id NOT IN (SELECT id FROM me)",
        )
    return selection


def _comes_from_elsewhere(reading: Reading) -> bool:
    """A trainer is brought to a place from another one."""
    taught = reading.has("TRAINING", "COACH") and bool(reading.of("skill", "will"))
    return reading.has("SEND") or (taught and not reading.has("LEAST"))


def _outside(reading: Reading) -> bool:
    """Whether the people of a project are the ones not meant."""
    return reading.has("OUTSIDE", "EXCEPT") or reading.negated("TEAM", "INVOLVED")


def _role_condition(reading: Reading) -> str:
    if _outside(reading):
        return ""
    roles = [f"'{role}'" for role in roles_named(reading)]
    return f" WHERE t.role IN ({', '.join(roles)})" if roles else ""


def _busy(reading: Reading) -> bool:
    if reading.of("skill", "will") and ties_by_work(reading):
        return False
    if works_most(reading):
        return True
    return reading.has("BUSY", "WORKLOAD", "FREE", "SLICE") and reading.has(
        "MOST", "LEAST", "FREE", "BUSY"
    )


def ties_by_work(reading: Reading) -> bool:
    """Whether more projects, or more work, decide between equals."""
    if reading.has("TIE_WORK"):
        return True
    more = reading.has("MORE", "HIGHER")
    if reading.has("PROJECT") and reading.has("LEAST") and reading.of("skill", "will"):
        # The lowest level is asked for, so that most projects can only decide between equals.
        return more or reading.has("MOST", "HOW_MANY")
    more = more or (reading.has("HOW_MANY") and reading.has("PROJECT"))
    return reading.has("TIE") and more and reading.has("PROJECT", "WORKLOAD", "SLICE")


def works_most(reading: Reading) -> bool:
    """`Who works most in sales?`: whoever has most to do there."""
    somewhere = reading.of("department", "location") and not reading.of("skill", "will", "project")
    return bool(somewhere) and reading.has("INVOLVED") and reading.has("MOST", "LEAST")


def _workload(selection: Selection) -> Selection:
    return selection.joined("JOIN workload AS w ON w.employee_id = e.id").measured("w.slice_milli")


def _with_levels(
    reading: Reading, draft: Draft, selection: Selection, abilities: list[Mention]
) -> str:
    """The selection with the level of the first ability beside it, if one is named."""
    if not abilities:
        return selection.statement()
    first = abilities[0]
    if _thresholds(reading):
        for mention in abilities:
            selection = _strong(reading, draft, selection, mention)
        return selection.statement()
    draft.call("load_skills", "all_skills")
    ability = draft.skill(first)
    selection = selection.joined(
        "JOIN skills AS s ON s.employee_id = e.id",
        f"JOIN {ability} AS a ON a.kind = s.kind AND a.name = s.name",
    )
    return selection.statement(extra=("s.level AS level",))


def _finish_busy(
    reading: Reading, draft: Draft, pool: str, abilities: list[Mention], *, largest: bool
) -> None:
    if abilities and not _thresholds(reading):
        busy = extreme(draft, pool, largest=largest, bind="busy", columns="id, name, level")
        keen = draft.read(
            "answer",
            f"SELECT id, name, value FROM {busy} "
            f"WHERE level = (SELECT MAX(level) FROM {busy}) ORDER BY id",
        )
    else:
        keen = extreme(draft, pool, largest=largest, bind="answer")
    _close(draft, keen, at(keen, "{.name*}: {.value*:fte} FTE"))


def _most_able(
    reading: Reading, draft: Draft, selection: Selection, mention: Mention, *, largest: bool
) -> None:
    draft.call("load_skills", "all_skills")
    ability = draft.skill(mention)
    selection = selection.joined(
        "JOIN skills AS s ON s.employee_id = e.id",
        f"JOIN {ability} AS a ON a.kind = s.kind AND a.name = s.name",
    ).measured("s.level")
    pool = draft.read("pool", selection.statement())
    if not ties_by_work(reading):
        answer = extreme(draft, pool, largest=largest, bind="answer")
    else:
        tied = extreme(draft, pool, largest=largest, bind="tied")
        answer = draft.read(
            "answer",
            "SELECT d.id AS id, d.name AS name, d.value AS value, "
            "COUNT(DISTINCT t.project_id) AS projects, COALESCE(SUM(t.slice_milli), 0) AS share "
            f"FROM {tied} AS d LEFT JOIN project_team AS t ON t.employee_id = d.id "
            "GROUP BY d.id, d.name, d.value ORDER BY projects DESC, share DESC, d.id LIMIT 1",
        )
    _close(draft, answer, at(answer, "{.name*} ({.value*})"))


def _thresholds(reading: Reading) -> bool:
    return reading.has("STRONG", "AT_LEAST")


def _strong(reading: Reading, draft: Draft, selection: Selection, mention: Mention) -> Selection:
    """Those whose level counts as strong by the rules, or reaches a number in the text."""
    draft.call("load_skills", "all_skills")
    ability = draft.skill(mention)
    floor = _STRONG
    if reading.has("AT_LEAST"):
        levels = [it.value for it in numbers(reading.text) if 1 <= it.value <= 10]
        floor = str(int(levels[0])) if levels else _STRONG
    return selection.only(
        f"e.id IN (SELECT s.employee_id FROM skills AS s JOIN {ability} AS a "
        f"ON a.kind = s.kind AND a.name = s.name WHERE s.level >= {floor})"
    )


def _salary(reading: Reading, draft: Draft, selection: Selection, *, largest: bool) -> Selection:
    """Salaries compared with somebody's, or simply looked at."""
    del largest
    draft.call("load_salaries", "all_salaries")
    selection = selection.joined("JOIN employee_salaries AS y ON y.employee_id = e.id")
    reference = reading.first("person")
    if reference is None and not reading.has("MY"):
        return selection.measured("y.salary")
    if reference is None or reading.is_requester(reference):
        other = "SELECT employee_id, salary FROM my_salary"
    else:
        person = draft.person(reference)
        other = (
            "SELECT q.employee_id AS employee_id, q.salary AS salary FROM employee_salaries AS q "
            f"JOIN {person} AS r ON r.id = q.employee_id"
        )
    sign = "<" if reading.has("LOWER") and not reading.has("HIGHER") else ">"
    return selection.joined(
        f"JOIN ({other}) AS x ON x.employee_id <> e.id AND y.salary {sign} x.salary"
    )


def _by_projects(draft: Draft, selection: Selection, *, largest: bool) -> None:
    selection = selection.joined("JOIN workload AS w ON w.employee_id = e.id").measured(
        "w.projects"
    )
    pool = draft.read("pool", selection.statement())
    answer = extreme(draft, pool, largest=largest, bind="answer")
    _close(draft, answer, at(answer, "{.name*}: {.value*}"))
