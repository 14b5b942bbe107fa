"""How pages name those who have a right."""

from collections.abc import Sequence
from random import Random

from proveout.apps.solver.world.policy import Party, Policy

_LEAD_OF: dict[str, tuple[str, ...]] = {
    "project": (
        "the lead of the project",
        "the project's lead",
        "whoever leads the project",
        "the project lead",
    ),
    "person": (
        "a project lead for the members of their own team",
        "project leads (for people in their own project teams)",
        "the lead of a project that the person works on",
    ),
    "customer": (
        "the lead of a project for that customer",
        "whoever leads a project for the customer in question",
        "project leads (for the customers of their own projects)",
    ),
    "time": (
        "project leads (for the projects and people they lead)",
        "a project lead for hours on their own projects and of people in their own teams",
        "the lead of the project or of a project that the person works on",
    ),
}
_MANAGER = (
    "the customer's account manager",
    "the account manager of the customer",
    "the account manager in charge",
)
_OWNER = (
    "the department that looks after the section",
    "the department that owns the section",
    "the owning department",
)


def scope_of(operation: str) -> str:
    """What a project lead must lead for this operation."""
    if operation.startswith("customer."):
        return "customer"
    if operation.startswith("employee."):
        return "person"
    return "time" if operation == "time.entries" else "project"


def name_party(rng: Random, party: Party, policy: Policy, scope: str) -> str:
    match party.kind:
        case "staff":
            return rng.choice(("every employee", "all staff", "all employees"))
        case "self":
            return rng.choice(("the person concerned", "the employee concerned"))
        case "department":
            return _department(rng, party.department)
        case "executives":
            name = policy.executive_department
            return rng.choice((f"the {name}", f"members of the {name}", f"the executives ({name})"))
        case "project_lead":
            return rng.choice(_LEAD_OF[scope])
        case "project_member":
            return rng.choice(("members of the project team", "the project's team members"))
        case "account_manager":
            return rng.choice(_MANAGER)
        case "page_owner":
            return rng.choice(_OWNER)


def _department(rng: Random, name: str) -> str:
    return rng.choice((name, f"colleagues in {name}", f"the {name} department"))


def joined(names: Sequence[str], word: str = "and") -> str:
    """As in "A, B and C"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
