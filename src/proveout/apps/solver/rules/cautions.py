"""What follows from sentences that nobody understood, and from pages that replace others."""

import hashlib
import re
from collections.abc import Iterable, Sequence, Set

from proveout.apps.solver.rules.ir import AccessRule, Audience, Unmapped, Who
from proveout.apps.solver.words import Operation

_EVERYONE = Audience(who="everyone")
_OWN_TIME: frozenset[Operation] = frozenset({"time.entries", "time.log", "time.update"})
_PARTICULAR: frozenset[Who] = frozenset(
    {"department", "executive", "project_lead", "project_member", "account_manager"}
)
_ADDS = re.compile(
    r"\b(?:also|additionally|in addition|as well|too|likewise|still|continues?|as before"
    r"|unchanged|further|besides)\b",
    re.IGNORECASE,
)
"""Words of a permission that stands beside the older ones."""


def caution(unmapped: Unmapped) -> Iterable[AccessRule]:
    """Prohibitions of the weakest kind: any rule that was understood and allows wins over them.

    What is said of external people or guests concerns them alone, as by a rule of their own.
    Nobody loses sight of their own hours over it.
    """
    quote = unmapped.source
    digest = hashlib.sha256(f"{quote.page}\n{quote.quote}".encode()).hexdigest()[:8]
    own = tuple(it for it in unmapped.touches if it in _OWN_TIME)
    rest = tuple(it for it in unmapped.touches if it not in _OWN_TIME)
    for name, operations, needs in (("", rest, ()), (".others", own, ("not_self",))):
        if operations:
            yield AccessRule(
                id=f"unmapped{name}.{digest}",
                source=quote,
                supersedes=unmapped.supersedes,
                effect="deny",
                audience=unmapped.audience or (_EVERYONE,),
                operations=operations,
                needs=needs,
            )


def in_force(rules: Sequence[AccessRule]) -> tuple[AccessRule, ...]:
    """Rules without the permissions that a page which replaces others has ended.

    Such a page need not say `only`: whom it names for a matter has it instead of whoever had it
    before, unless it says that it adds to that. What it says of one's own data ends nothing else.
    Likewise, what silence would leave open to everybody is not open any more where a page speaks
    of some people only.
    """
    grants = [rule for rule in rules if rule.effect == "allow" and not rule.profile]
    ended = _operations(rule for rule in grants if rule.supersedes and _names_others(rule))
    spoken = _operations(rule for rule in rules if not rule.profile and _names_some(rule))
    general = _operations(rule for rule in grants if not _names_some(rule) and not _is_own(rule))
    kept = []
    for rule in rules:
        if rule.effect == "allow" and rule.profile == "default":
            kept.append(_without(rule, ended | (spoken - general)))
        elif rule.effect == "allow" and not rule.supersedes:
            kept.append(_without(rule, ended))
        else:
            kept.append(rule)
    return tuple(rule for rule in kept if rule is not None)


def _operations(rules: Iterable[AccessRule]) -> set[Operation]:
    """What the rules are about, one's own and what is public aside."""
    found = {operation for rule in rules for operation in rule.operations}
    return {it for it in found if not it.startswith(("self.", "public."))}


def _names_others(rule: AccessRule) -> bool:
    apart = {"self", "external", "guest"}
    return not _ADDS.search(rule.source.quote) and any(it.who not in apart for it in rule.audience)


def _names_some(rule: AccessRule) -> bool:
    """Whether a rule speaks of particular people of the house."""
    return any(it.who in _PARTICULAR for it in rule.audience)


def _is_own(rule: AccessRule) -> bool:
    return all(it.who == "self" for it in rule.audience)


def _without(rule: AccessRule, ended: Set[Operation]) -> AccessRule | None:
    own = _is_own(rule)
    left = rule.operations if own else tuple(it for it in rule.operations if it not in ended)
    return rule.model_copy(update={"operations": left}) if left else None
