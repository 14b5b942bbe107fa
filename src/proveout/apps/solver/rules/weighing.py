"""How access rules are weighed against each other for one requester."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from proveout.apps.solver.entities import Identity
from proveout.apps.solver.rules.cast import function_of
from proveout.apps.solver.rules.ir import AccessRule, Audience, Who
from proveout.apps.solver.rules.lexicon import OWN_TWIN
from proveout.apps.solver.rules.text import squeeze
from proveout.apps.solver.words import Operation

_RANK: Mapping[Who, int] = {
    "everyone": 0,
    "employee": 1,
    "project_member": 2,
    "project_lead": 3,
    "account_manager": 3,
    "page_owner": 3,
    "department": 4,
    "executive": 4,
    "self": 5,
    "external": 6,
    "guest": 6,
    "nobody": 7,
}
_REQUIREMENT = 8
"""Rank of "not without approval": it binds whoever would otherwise be allowed."""
_RELATIONS: Mapping[Who, str] = {
    "self": "is_self",
    "project_lead": "leads_project",
    "project_member": "member_of_project",
    "account_manager": "manages_customer",
    "page_owner": "owns_page",
}


@dataclass(frozen=True)
class Asker:
    """The requester with the facts of the case."""

    who: Identity
    facts: Mapping[str, JsonValue]
    departments: tuple[str, ...] = ()

    def belongs_to(self, department: str) -> bool:
        """By name; by function only where no registry name is meant."""
        if squeeze(department) == squeeze(self.who.department):
            return True
        known = {squeeze(one) for one in self.departments}
        if squeeze(department) in known or not self.who.department:
            return False
        function = function_of(department) or department
        return function == function_of(self.who.department)

    def is_among(self, audience: Audience) -> bool:
        """Whether the audience holds by identity alone."""
        match audience.who:
            case "everyone":
                return True
            case "guest":
                return self.who.is_public
            case "employee":
                return not self.who.is_public
            case "department" | "external" | "executive" if self.who.is_public:
                return False
            case "department":
                return self.belongs_to(audience.department)
            case "external" | "executive":
                function = "external" if audience.who == "external" else "leadership"
                if audience.department:
                    return self.belongs_to(audience.department)
                return function_of(self.who.department) == function
        return False

    def holds(self, audience: Audience, rule: AccessRule) -> bool:
        """Whether the audience holds by identity or by the facts of the case."""
        if fact := _RELATIONS.get(audience.who):
            leads_them = audience.who == "project_lead" and "subject_in_team" in rule.needs
            return not self.who.is_public and (
                self.true(fact) or (leads_them and self.true("subject_in_team"))
            )
        return self.is_among(audience)

    def true(self, fact: str) -> bool:
        return self.facts.get(fact) is True

    def statuses(self) -> tuple[str, ...]:
        """The status that counts: an existing entry's own, else the one it will have."""
        given = self.facts.get("current_status") or self.facts.get("status")
        return (given,) if isinstance(given, str) else ()

    def predicates(self, rule: AccessRule) -> dict[str, JsonValue]:
        """Every fact that a rule asks for, with its value."""
        asked = [_RELATIONS[one.who] for one in rule.audience if one.who in _RELATIONS]
        asked += [need.removeprefix("not_") for need in rule.needs]
        names = ["is_self" if name == "self" else name for name in asked]
        values: dict[str, JsonValue] = {name: self.true(name) for name in names}
        if rule.statuses:
            for name in ("status", "current_status"):
                if name in self.facts:
                    values[name] = self.facts[name]
        return values

    def fields(self, rule: AccessRule) -> dict[str, JsonValue]:
        """The fields of identity that a rule looks at."""
        values: dict[str, JsonValue] = {}
        for audience in rule.audience:
            if audience.who in {"department", "external", "executive"}:
                values["department"] = self.who.department
            elif audience.who in _RELATIONS:
                values["current_user"] = self.who.current_user
            values["is_public"] = self.who.is_public
        return values


@dataclass(frozen=True)
class Standing:
    """A rule that applies, with the rank of the audience by which it does."""

    rule: AccessRule
    rank: int


def standing(rule: AccessRule, asker: Asker, operation: Operation) -> Standing | None:
    """The rule's standing in this case, if it applies."""
    ranks = [_RANK[one.who] for one in rule.audience if asker.holds(one, rule)]
    if not ranks or not all(_need_holds(need, asker) for need in rule.needs):
        return None
    if rule.statuses and not _statuses_fit(rule, asker.statuses()):
        return None
    return _standing(rule, max(ranks), asker, operation)


def possible(rule: AccessRule, operation: Operation, asker: Asker) -> Standing | None:
    """The rule's standing whatever the facts: permissions that could apply, denials that must."""
    if rule.effect == "allow":
        ranks = [_RANK[one.who] for one in rule.audience if _may_hold(one, operation, asker)]
    elif rule.needs or rule.statuses:
        return None
    else:
        ranks = [_RANK[one.who] for one in rule.audience if asker.is_among(one)]
    return _standing(rule, max(ranks), asker, operation) if ranks else None


def _standing(rule: AccessRule, rank: int, asker: Asker, operation: Operation) -> Standing | None:
    # "Everyone" in a wiki means everyone here: a guest must be named, or ask for what is public.
    loose = rank <= _RANK["employee"] and rule.effect == "allow" and asker.who.is_public
    if loose and not operation.startswith("public."):
        return None
    required = rule.effect == "deny" and (
        "not_ceo_approval" in rule.needs
        or bool(rule.statuses)
        and any(one.who == "everyone" for one in rule.audience)
    )
    return Standing(rule, _REQUIREMENT if required else rank)


def _may_hold(audience: Audience, operation: Operation, asker: Asker) -> bool:
    if audience.who == "self":
        return not asker.who.is_public and operation not in OWN_TWIN
    if audience.who in _RELATIONS:
        return not asker.who.is_public
    return asker.is_among(audience)


def _need_holds(need: str, asker: Asker) -> bool:
    name = need.removeprefix("not_")
    value = asker.true("is_self" if name == "self" else name)
    return not value if need.startswith("not_") else value


def _statuses_fit(rule: AccessRule, given: Sequence[str]) -> bool:
    """A permission covers the statuses it names and no other; a prohibition any that it names."""
    if rule.effect == "allow":
        return bool(given) and all(one in rule.statuses for one in given)
    return any(one in rule.statuses for one in given)


def _keeps_out(one: Standing) -> bool:
    return one.rule.effect == "deny" and one.rank == _RANK["external"]


def weigh(rules: Sequence[Standing]) -> Literal["allow", "deny"]:
    """Pages that replace others first, then pages with the profile, then the defaults."""
    own = [one for one in rules if not one.rule.profile]
    replacing = [one for one in own if one.rule.supersedes]
    if replacing and all(one.rank < _RANK["external"] for one in replacing):
        # Whom a right belongs to is one matter, who is kept out of it altogether another: the new
        # page lifts such a bar only if it speaks of the same people.
        replacing += [one for one in own if not one.rule.supersedes and _keeps_out(one)]
    page_denies = any(one.rule.effect == "deny" for one in own)
    named = [
        one
        for one in rules
        if one.rule.profile != "default"
        # A convention may fill a gap in the pages, never open what they close.
        and not (one.rule.profile and one.rule.effect == "allow" and page_denies)
    ]
    for group in (replacing, named, [one for one in rules if one.rule.profile == "default"]):
        denies = max((one.rank for one in group if one.rule.effect == "deny"), default=-1)
        allows = max((one.rank for one in group if one.rule.effect == "allow"), default=-1)
        if denies >= 0 or allows >= 0:
            return "allow" if allows > denies else "deny"
    return "deny"
