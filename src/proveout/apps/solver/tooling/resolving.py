"""From words of the task to things of the company."""

from proveout.apps.solver.resolve.dates import resolve_dates
from proveout.apps.solver.resolve.folding import tokens
from proveout.apps.solver.resolve.places import same_place
from proveout.apps.solver.tooling.arguments import NoArgs, PersonText, SkillText, Text
from proveout.apps.solver.tooling.spec import Row, ToolSpec
from proveout.apps.solver.tooling.surroundings import Given, Surroundings, Tool, found, ranked
from proveout.apps.solver.tooling.topics import related

MOST_PAGES = 5
MOST_WORDS = 24


def who_am_i(at: Surroundings, _: NoArgs) -> Given:
    at.snapshot.ensure("me")
    return found(at.rows("SELECT id, name, department, location, today FROM me"))


def person(at: Surroundings, ask: PersonText) -> Given:
    at.snapshot.ensure("employees")
    return ranked(at.finder().person(ask.text, _within(at, ask)))


def _within(at: Surroundings, ask: PersonText) -> frozenset[str] | None:
    """Whom the context leaves; None where it says nothing."""
    groups: list[frozenset[str]] = []
    if ask.within_project is not None:
        at.snapshot.ensure("project_team")
        sql = "SELECT employee_id FROM project_team WHERE project_id = ?"
        groups.append(_ids(at, sql, ask.within_project))
    if ask.within_department is not None:
        sql = "SELECT id FROM employees WHERE department = ?"
        groups.append(_ids(at, sql, ask.within_department))
    if ask.among_mine:
        at.snapshot.ensure("project_team", "my_projects")
        sql = "SELECT employee_id FROM project_team JOIN my_projects USING (project_id)"
        groups.append(_ids(at, sql))
    return frozenset.intersection(*groups) if groups else None


def _ids(at: Surroundings, sql: str, *values: str) -> frozenset[str]:
    return frozenset(str(row[0]) for row in at.rows(sql, *values))


def project(at: Surroundings, ask: Text) -> Given:
    at.snapshot.ensure("projects")
    return ranked(at.finder().project(ask.text))


def customer(at: Surroundings, ask: Text) -> Given:
    at.snapshot.ensure("customers")
    return ranked(at.finder().customer(ask.text))


def contact(at: Surroundings, ask: Text) -> Given:
    at.snapshot.ensure("customer_contacts")
    resolution = at.finder().contact(ask.text)
    sql = (
        "SELECT customer_id, contact_name, contact_email FROM customer_contacts "
        "WHERE customer_id = ?"
    )
    return [row for it in resolution.candidates for row in at.rows(sql, it.id)], resolution.status


def department(at: Surroundings, ask: Text) -> Given:
    at.snapshot.ensure("employees")
    resolution = at.finder().department(ask.text)
    return [(it.id,) for it in resolution.candidates], resolution.status


def location(at: Surroundings, ask: Text) -> Given:
    """Several spellings of the registry can mean one place: then all of them are meant."""
    at.snapshot.ensure("employees")
    resolution = at.finder().location(ask.text)
    rows: list[Row] = [(it.id,) for it in resolution.candidates]
    return rows, "found" if rows else "missing"


def site(at: Surroundings, ask: Text) -> Given:
    """No row says that the company is not there."""
    at.snapshot.ensure("sites")
    stated = {it.name: it for it in at.policy.sites()}
    rows: list[Row] = []
    for name, city, country in at.rows("SELECT name, city, country FROM sites ORDER BY name"):
        known = stated.get(str(name)) or _Registered(str(name))
        if same_place(ask.text, known):
            rows.append((name, city, country))
    return found(rows)


class _Registered:
    """A place that only the registry knows, by nothing but its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.city = ""
        self.near: tuple[str, ...] = ()
        self.country = ""


def skill(at: Surroundings, ask: SkillText) -> Given:
    """First among the skills seen so far; everyone's are loaded only if that does not settle it."""
    resolution = at.finder().skill(ask.text, ask.kind)
    if resolution.status != "found":
        at.snapshot.ensure("skills")
        resolution = at.finder().skill(ask.text, ask.kind)
    wills = _ids(at, "SELECT DISTINCT name FROM skills WHERE kind = 'will'")
    rows: list[Row] = [
        ("will" if it.id in wills else "skill", it.id) for it in resolution.candidates
    ]
    return rows, resolution.status


def dates(at: Surroundings, ask: Text) -> Given:
    span = resolve_dates(ask.text, at.identity.today)
    if span is None:
        return [], "missing"
    return [span], "found"


def wiki_pages(at: Surroundings, ask: Text) -> Given:
    """By what pages say, the best first; a page whose name fits comes before all others."""
    at.snapshot.ensure("wiki_pages")
    wanted = _telling(ask.text)
    if not wanted:
        return found([])
    others = sorted({other for word in wanted for other in related(word)} - set(wanted))
    # What a page is called by in other words counts only in its title: bodies mention everything.
    query = " OR ".join(
        [*(_quoted(word) for word in wanted), *(f"title : {_quoted(word)}" for word in others)]
    )
    hits = at.rows(
        "SELECT id, bm25(texts, 0, 0, 4.0, 1.0) AS badness FROM texts "
        "WHERE texts MATCH ? AND kind = 'wiki_page' ORDER BY badness, id LIMIT ?",
        query,
        MOST_PAGES,
    )
    scores: dict[str, float] = {}
    named = at.finder().page(ask.text)
    if named.status == "found":
        scores[named.candidates[0].id] = 1.0
    best = abs(float(str(hits[0][1]))) if hits else 0.0
    for path, badness in hits:
        relative = abs(float(str(badness))) / best if best else 0.0
        scores.setdefault(str(path), round(relative, 4))
    titles = {
        str(path): str(title) for path, title in at.rows("SELECT path, title FROM wiki_pages")
    }
    return found([(path, titles[path], score) for path, score in scores.items()])


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _telling(text: str) -> list[str]:
    """Words to search by: long ones and abbreviations, or short ones if there are no others."""
    said = list(dict.fromkeys(token.raw for token in tokens(text)))
    long = [word for word in said if len(word) > 3 or word.isupper() or not word.isascii()]
    return (long or said)[:MOST_WORDS]


RANKED = ("id", "name", "score")
RESOLVING: tuple[Tool[NoArgs] | Tool[Text] | Tool[PersonText] | Tool[SkillText], ...] = (
    Tool(
        ToolSpec(
            "who_am_i",
            NoArgs,
            "identity",
            ("id", "name", "department", "location", "today"),
            "Who asks, and what day it is.",
        ),
        who_am_i,
    ),
    Tool(
        ToolSpec(
            "resolve_person",
            PersonText,
            "people",
            RANKED,
            "Whom a name means, if need be only on a project, in a department, among one's own.",
            ("employee.directory",),
        ),
        person,
    ),
    Tool(
        ToolSpec(
            "resolve_project",
            Text,
            "projects",
            RANKED,
            "Which project a name or a paraphrase means; archived ones too.",
            ("project.directory",),
        ),
        project,
    ),
    Tool(
        ToolSpec(
            "resolve_customer",
            Text,
            "customers",
            RANKED,
            "Which customer a name or a description means.",
            ("customer.directory",),
        ),
        customer,
    ),
    Tool(
        ToolSpec(
            "resolve_contact",
            Text,
            "contacts",
            ("customer_id", "contact_name", "contact_email"),
            "Which customer's contact a name means.",
            ("customer.contact",),
        ),
        contact,
    ),
    Tool(
        ToolSpec(
            "resolve_department",
            Text,
            "departments",
            ("name",),
            "The registry's name of a department.",
            ("employee.directory",),
        ),
        department,
    ),
    Tool(
        ToolSpec(
            "resolve_location",
            Text,
            "locations",
            ("name",),
            "Every spelling of a place in the registry.",
            ("employee.directory",),
        ),
        location,
    ),
    Tool(
        ToolSpec(
            "resolve_site",
            Text,
            "sites",
            ("name", "city", "country"),
            "Sites of the company at a place; no row means none.",
            ("public.sites",),
        ),
        site,
    ),
    Tool(
        ToolSpec(
            "resolve_skill",
            SkillText,
            "skills",
            ("kind", "name"),
            "The id of a skill or a will.",
        ),
        skill,
    ),
    Tool(
        ToolSpec(
            "resolve_dates",
            Text,
            "dates",
            ("date_from", "date_to"),
            "The days that words mean, seen from today.",
            ("public.date",),
        ),
        dates,
    ),
    Tool(
        ToolSpec(
            "find_wiki_pages",
            Text,
            "pages",
            ("path", "title", "score"),
            "Pages on a subject, the best first.",
            ("wiki.read",),
        ),
        wiki_pages,
    ),
)
