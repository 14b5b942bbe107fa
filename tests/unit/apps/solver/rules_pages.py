"""Small wikis for the tests of the rule compiler."""

from proveout.apps.solver.entities import Identity
from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.rules.ir import AccessRule, RuleBook

DEPARTMENTS = ("Board of Directors", "People Team", "Money Office", "Field Sales", "External Staff")


def book(*paragraphs: str, title: str = "House rules", profile: str = "wiki") -> RuleBook:
    return compile_wiki(
        {"rules.md": f"# {title}\n\n" + "\n\n".join(paragraphs) + "\n"},
        "d1",
        profile,
        departments=DEPARTMENTS,
    )


def policy(*paragraphs: str, profile: str = "wiki") -> Policy:
    return Policy(book(*paragraphs, profile=profile))


def person(department: str = "Field Sales") -> Identity:
    return Identity(current_user="u1", department=department, today="2025-03-05")


def guest() -> Identity:
    return Identity(current_user="", is_public=True, today="2025-03-05")


def access(compiled: RuleBook) -> set[tuple[str, str, str]]:
    """Effect, audience and operation of every access rule of a page."""
    return {
        (rule.effect, audience.department or audience.who, operation)
        for rule in compiled.rules
        if isinstance(rule, AccessRule) and not rule.profile
        for audience in rule.audience
        for operation in rule.operations
    }
