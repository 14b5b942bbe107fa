"""Pages on the registers: people, pay, skills, projects, customers, time."""

from random import Random

from proveout.apps.solver.world.graph import PHASES
from proveout.apps.solver.world.policy import Code, Policy
from proveout.apps.solver.world.wiki.deeds import DEEDS
from proveout.apps.solver.world.wiki.handbook import Handbook, page, pick, quoted, section, table
from proveout.apps.solver.world.wiki.parties import capital, joined
from proveout.apps.solver.world.wiki.phrases import say
from proveout.apps.solver.world.wiki.sentences import names, right, rights


def profiles(rng: Random, _book: Handbook, policy: Policy) -> str:
    return page(
        pick(rng, "Employee registry", "Personnel records", "Staff profiles"),
        section(
            pick(rng, "Who sees what", "Visibility", "Looking things up"),
            say(rng, "directory"),
            say(rng, "own_salary"),
            rights(rng, ("employee.notes", "employee.salary"), policy),
        ),
        section(
            pick(rng, "Who changes what", "Editing", "Keeping records up to date"),
            say(rng, "own_skills"),
            rights(
                rng,
                ("employee.skills.write", "employee.note.write", "employee.profile.write"),
                policy,
            ),
        ),
    )


def pay(rng: Random, book: Handbook, policy: Policy) -> str:
    condition = say(rng, "approval" if policy.salary_needs_approval else "no_approval")
    chief = f"The current {book.company.ceo_title} is {book.ceo_name}."
    return page(
        pick(rng, "Pay", "Salaries", "Salary changes"),
        right(rng, "employee.salary.write", policy),
        f"{condition} {chief}" if rng.random() < 0.4 else condition,
        pick(
            rng,
            "Pay slips arrive on the 25th.",
            "The bonus round takes place in March.",
            "Questions on tax forms go to the town hall, not to us.",
        ),
    )


def ratings(rng: Random, book: Handbook, policy: Policy) -> str:
    return page(
        pick(rng, "Skills and wills", "How we rate skills", "Rating scale"),
        "A skill is something a person can do, a will is something a person would like to do. "
        "Both are rated from 1 to 10.",
        section(pick(rng, "Scale", "What the levels mean"), _scale(rng, policy)),
        section(
            pick(rng, "Names", "List of skills and wills"),
            table(
                ("Id", "Name"),
                [(f"`{trait.id}`", trait.label) for trait in (*book.skills, *book.wills)],
            ),
        ),
    )


def _scale(rng: Random, policy: Policy) -> str:
    spans = [
        (f"{band.low}–{band.high}" if band.high > band.low else f"{band.low}", band.label)
        for band in policy.scale
    ]
    note = say(rng, "strong", low=str(policy.strong_level))
    form = rng.choice(("table", "bullets", "reversed"))
    if form == "table":
        return "\n\n".join((table(("Level", "Meaning"), spans), note))
    if form == "bullets":
        return "\n\n".join(("\n".join(f"- {span}: {label}" for span, label in spans), note))
    rows = [f"- {capital(label)}: {span}" for span, label in reversed(spans)]
    return "\n\n".join((note, "\n".join(rows)))


def projects(rng: Random, _book: Handbook, policy: Policy) -> str:
    return page(
        pick(rng, "Project registry", "Projects", "How projects are kept"),
        f"A project has one of the statuses {quoted(PHASES, 'or')}. Each member of the team has a "
        "role and a time slice, the part of a full-time job that the project takes.",
        section(pick(rng, "Looking up", "Visibility"), say(rng, "project_reads")),
        section(
            pick(rng, "Workload", "How busy people are"),
            _workload(rng, policy),
            right(rng, "employee.workload", policy),
        ),
        section(
            pick(rng, "My projects", "Wording"),
            say(rng, "mine_led" if policy.my_projects == "led" else "mine_member"),
        ),
        section(
            pick(rng, "Changes", "Who may change a project"),
            rights(rng, ("project.status.write", "project.team.write"), policy),
            *(_code(rng, code) for code in policy.codes if "time.log" not in code.operations),
        ),
    )


def _workload(rng: Random, policy: Policy) -> str:
    counted = policy.workload_phases
    left = tuple(phase for phase in PHASES if phase not in counted)
    rule = say(
        rng,
        "workload_some" if left else "workload_all",
        noun="status" if len(counted) == 1 else "the statuses",
        counted=quoted(counted),
        counted_or=quoted(counted, "or"),
        left=quoted(left),
        left_or=quoted(left, "or"),
    )
    hours = pick(
        rng, "Logged hours have nothing to do with it.", "Time entries are not used for this.", ""
    )
    return " ".join(filter(None, (rule, hours)))


def _code(rng: Random, code: Code) -> str:
    acts = joined([rng.choice(DEEDS[operation].verbs) for operation in code.operations], "or")
    return say(rng, "code", acts=acts, name=code.name, shape=code.shape, example=code.example)


def log_code(rng: Random, code: Code) -> str:
    """The rule on a code that time entries need, whoever logs them."""
    return say(rng, "log_code", name=code.name, shape=code.shape, example=code.example)


def customers(rng: Random, _book: Handbook, policy: Policy) -> str:
    return page(
        pick(rng, "Customers", "Customer registry", "Working with clients"),
        f"Deals run through the phases {quoted(PHASES)}. Each customer has one account manager.",
        section(
            pick(rng, "Who sees what", "Access to customer data"),
            say(rng, "customer_reads"),
            right(rng, "customer.contact", policy),
        ),
        section(
            pick(rng, "Internal work", "Projects without a customer"),
            "Projects for our own organisation have no customer and therefore no contact person.",
        ),
    )


def time_tracking(rng: Random, _book: Handbook, policy: Policy) -> str:
    who = joined(names(rng, policy.grants["time.log"], policy, "time.log"))
    others = quoted(policy.others_log_statuses, "or")
    return page(
        pick(rng, "Time tracking", "Hours", "Logging time"),
        "An entry names the employee, project, date, hours, work category, notes, whether it is "
        "billable, and a status: `draft`, `submitted`, `approved`, `invoiced` or `voided`.",
        section(
            pick(rng, "Logging", "New entries"),
            say(rng, "log_own", status=quoted(policy.own_log_statuses, "or")),
            say(rng, "log_others", who=who, Who=capital(who), status=others),
            say(rng, "log_team") if policy.log_needs_team else "",
        ),
        section(
            pick(rng, "Corrections", "Changing entries"),
            right(rng, "time.update", policy),
            say(rng, "locked", status=quoted(policy.locked_statuses, "or")),
            say(rng, "correction"),
        ),
        section(pick(rng, "Reports", "Looking at hours"), right(rng, "time.entries", policy)),
    )
