"""Links made from the ids in results, as far as the outcome allows any."""

from collections.abc import Callable, Mapping

from proveout.apps.solver.decision import Link
from proveout.apps.solver.plan import LinkRule
from proveout.apps.solver.sandbox.engine import Rows
from proveout.apps.solver.validating.references import Reference, values
from proveout.apps.solver.validating.refusal import PlanRefused
from proveout.apps.solver.words import LinkKind, OutcomeCode

MOST_LINKS = 1_000
SILENT: frozenset[OutcomeCode] = frozenset({"denied_security", "error_internal"})
"""Outcomes that name nobody and nothing."""
_PLAIN: frozenset[LinkKind] = frozenset({"employee", "project", "customer"})
"""Kinds whose ids are single words; a name in their place is a mistake."""


def build(
    rules: tuple[LinkRule, ...],
    binds: Mapping[str, Rows],
    outcome: OutcomeCode,
    exists: Callable[[LinkKind, str], bool],
) -> tuple[Link, ...]:
    """Each entity once, in the order of the rules.

    A result of nothing has no project to show; its subject may still be named. Ids that the
    registry of their kind does not know (the pseudo customer of internal projects) are left out.
    """
    if outcome in SILENT:
        return ()
    links: dict[Link, None] = {}
    for rule in rules:
        if outcome == "ok_not_found" and rule.kind == "project":
            continue
        for value in values(binds[rule.source], Reference(rule.source, rule.column)):
            if not isinstance(value, str) or (rule.kind in _PLAIN and " " in value):
                message = f"{rule.source}.{rule.column} holds no ids"
                raise PlanRefused(code="solver.reply.links", message=message)
            if value and exists(rule.kind, value):
                links.setdefault(Link(kind=rule.kind, id=value))
    return tuple(links)[:MOST_LINKS]
