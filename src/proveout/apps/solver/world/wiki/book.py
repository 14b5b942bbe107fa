"""Which pages a wiki has and where they stand."""

from collections.abc import Callable, Mapping
from random import Random

from proveout.apps.solver.world.policy import Policy
from proveout.apps.solver.world.wiki import offices, registers
from proveout.apps.solver.world.wiki.asides import ASIDES, write_aside
from proveout.apps.solver.world.wiki.handbook import Handbook, page, pick

Writer = Callable[[Random, Handbook, Policy], str]
_PAGES: tuple[tuple[str, tuple[str, ...], Writer], ...] = (
    ("executive", ("overview", "who_we_are", "profile"), offices.overview),
    ("executive", ("locations", "sites", "offices"), offices.locations),
    ("executive", ("organisation", "departments", "structure"), offices.organisation),
    ("hr", ("registry", "records", "employee_profiles"), registers.profiles),
    ("hr", ("pay", "salaries", "salary_changes"), registers.pay),
    ("hr", ("skills_and_wills", "ratings", "skill_scale"), registers.ratings),
    ("hr", ("external_staff", "externals", "contract_people"), offices.externals),
    ("it", ("projects", "project_registry", "project_system"), registers.projects),
    ("it", ("assistant", "chat_assistant", "bot"), offices.assistant),
    ("it", ("wiki", "wiki_rules", "knowledge_base"), offices.wiki_rules),
    ("finance", ("time_tracking", "hours", "time"), registers.time_tracking),
    ("sales", ("customers", "crm", "client_registry"), registers.customers),
)


def write_wiki(
    rng: Random, book: Handbook, policy: Policy, after: Policy | None = None
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Pages by path, and what one may ask about by path.

    `after`: the rules since a merger. Its page comes on top of the others, which stay as they were.
    """
    home = _prefixes(policy)
    pages: dict[str, str] = {}
    topics: dict[str, str] = {}
    for kind, stems, write in _PAGES:
        pages[f"{home[kind]}{rng.choice(stems)}.md"] = write(rng, book, policy)
    for aside in rng.sample(ASIDES, rng.randint(4, 9)):
        path = f"{home[aside.kind]}{aside.stem}.md"
        pages[path] = write_aside(rng, aside, book)
        topics[aside.topic] = path
    if rng.random() < 0.6:
        pages["archive/old_rules.md"] = offices.stale(rng, book, policy)
    if after is not None:
        path = f"{home['executive']}{rng.choice(('merger', 'takeover', 'new_owner'))}.md"
        pages[path] = offices.merger(rng, policy, after)
    pages["index.md"] = _index(rng, book, pages)
    return dict(sorted(pages.items())), dict(sorted(topics.items()))


def _prefixes(policy: Policy) -> dict[str, str]:
    by_department = {section.department: section.prefix for section in policy.sections}
    return {
        "executive": by_department[policy.executive_department],
        "hr": by_department[policy.hr_department],
        "it": by_department[policy.it_department],
        "finance": by_department[policy.finance_department],
        "sales": by_department[policy.sales_department],
    }


def _index(rng: Random, book: Handbook, pages: Mapping[str, str]) -> str:
    hello = pick(
        rng,
        f"Welcome to the wiki of {book.company.name}. It is written for employees.",
        f"This is where {book.company.short} writes down how things are done.",
    )
    titles = {path: text.partition("\n")[0].removeprefix("# ") for path, text in pages.items()}
    return page("Home", hello, "\n".join(f"- [{titles[p]}]({p})" for p in sorted(titles)))
