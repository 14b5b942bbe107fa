"""Sentences, lists and table rows that state one right each."""

from collections.abc import Sequence
from random import Random

from proveout.apps.solver.world.policy import Party, Policy
from proveout.apps.solver.world.wiki.deeds import DEEDS
from proveout.apps.solver.world.wiki.parties import capital, joined, name_party, scope_of

_OPEN = (
    "Every employee may {verb}.",
    "All staff may {verb}.",
    "All employees are allowed to {verb}.",
    "There is no restriction among colleagues here: every employee may {verb}.",
)
_CLOSED = (
    "Only {who} may {verb}.",
    "Nobody except {who} may {verb}.",
    "The right to {verb} lies with {who} alone.",
    "{Who} may {verb}; nobody else may.",
    "{Thing}: reserved for {who}.",
    "To {verb} is allowed for {who} only.",
)
_BARS = (
    "{Who} may not {verb}.",
    "{Who} are not allowed to {verb}.",
    "{Who} must never {verb}.",
    "It is forbidden for {who} to {verb}.",
    "{Who} cannot {verb}.",
)


def names(rng: Random, parties: Sequence[Party], policy: Policy, operation: str) -> list[str]:
    scope = scope_of(operation)
    if operation == "time.update":
        owner = rng.choice(("the owner of the entry", "the person whose entry it is"))
        others = [p for p in parties if p.kind != "self"]
        return [owner, *(name_party(rng, party, policy, scope) for party in others)]
    return [name_party(rng, party, policy, scope) for party in parties]


def right(rng: Random, operation: str, policy: Policy) -> str:
    """One sentence on who has the operation."""
    parties = policy.grants[operation]
    deed = DEEDS[operation]
    verb, thing = rng.choice(deed.verbs), rng.choice(deed.things)
    if any(party.kind == "staff" for party in parties):
        return rng.choice(_OPEN).format(verb=verb)
    who = joined(names(rng, parties, policy, operation))
    frame = rng.choice(_CLOSED)
    return frame.format(who=who, Who=capital(who), verb=verb, Thing=capital(thing))


def right_as_list(rng: Random, operation: str, policy: Policy) -> str:
    """A lead-in and one bullet per party."""
    parties = policy.grants[operation]
    verb = rng.choice(DEEDS[operation].verbs)
    if any(party.kind == "staff" for party in parties):
        return right(rng, operation, policy)
    lead_in = rng.choice(
        (
            "Only the following may {verb}:",
            "These and nobody else may {verb}:",
            "The right to {verb} is limited to:",
        )
    ).format(verb=verb)
    rows = [f"- {name}" for name in names(rng, parties, policy, operation)]
    return "\n".join([lead_in, "", *rows])


def right_as_row(rng: Random, operation: str, policy: Policy) -> str:
    """A line of a table "what | who"."""
    verb = rng.choice(DEEDS[operation].verbs)
    who = names(rng, policy.grants[operation], policy, operation)
    return f"| {capital(verb)} | {joined(who)} |"


def rights(rng: Random, operations: Sequence[str], policy: Policy) -> str:
    """Several rights as prose, bullets or a table."""
    form = rng.choice(("prose", "bullets", "lists", "table"))
    if form == "table":
        head = rng.choice(
            ("| What | Only allowed for |", "| Right | Who has it, and nobody else |")
        )
        rows = [right_as_row(rng, operation, policy) for operation in operations]
        return "\n".join([head, "|---|---|", *rows])
    if form == "bullets":
        return "\n".join(f"- {right(rng, operation, policy)}" for operation in operations)
    if form == "lists":
        return "\n\n".join(right_as_list(rng, operation, policy) for operation in operations)
    return "\n\n".join(right(rng, operation, policy) for operation in operations)


def _barred(rng: Random, operation: str) -> str:
    deed = DEEDS[operation]
    return rng.choice(deed.barred or deed.verbs)


def bar(rng: Random, operation: str, who: str) -> str:
    verb = _barred(rng, operation)
    return rng.choice(_BARS).format(Who=capital(who), who=who, verb=verb)


def bars(rng: Random, operations: Sequence[str], who: str) -> str:
    """What somebody may not do, as sentences or as a list under one lead-in."""
    if rng.random() < 0.5:
        lead_in = rng.choice(
            (
                "{Who} may not:",
                "Off limits for {who}, whatever their task is. They must not:",
                "{Who} are not allowed to:",
            )
        ).format(Who=capital(who), who=who)
        rows = [f"- {_barred(rng, operation)}" for operation in operations]
        return "\n".join([lead_in, "", *rows])
    return "\n".join(f"- {bar(rng, operation, who)}" for operation in operations)
