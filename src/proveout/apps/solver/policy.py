"""The deterministic policy: the validator's questions, answered from the compiled rules with proof.

A decision weighs every rule that applies to the requester. The more particular audience wins, a
prohibition wins a draw, a page that replaces others outranks them, and a profile or default never
allows what a page forbids. Facts that are not given count as false.

What a sentence that nobody understood touches is denied to everyone whom no understood rule lets
in, and that sentence is the proof. On a page that replaces others it also ends what those allowed.

Facts that rules ask for: `is_self` (the data or entry is the requester's own), `leads_project`,
`member_of_project`, `manages_customer`, `owns_page`, `subject_in_team` (the person concerned is in
a team that the requester leads), `status` (of a time entry as it will be), `current_status` (as it
is), `ceo_approval`, `page` (path of a wiki page).
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from proveout.apps.solver.decision import ProofBundle, RuleRef
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.rules.cautions import caution, in_force
from proveout.apps.solver.rules.conflicts import losers
from proveout.apps.solver.rules.ir import (
    AccessRule,
    CapabilityRule,
    CodeRule,
    DeriveRule,
    LabelRule,
    LifecycleRule,
    MeaningRule,
    OwnerRule,
    ProcedureRule,
    ReplyRule,
    Rule,
    RuleBook,
    ScaleRule,
    SiteRule,
)
from proveout.apps.solver.rules.lexicon import OWN_TWIN
from proveout.apps.solver.rules.weighing import Asker, Standing, possible, standing, weigh
from proveout.apps.solver.words import READS, WRITES, Operation

_KNOWN = frozenset((*READS, *WRITES))
_SAME_AS: Mapping[str, Operation] = {
    "wiki.update": "wiki.write",
    "wiki.create": "wiki.write",
    "wiki.delete": "wiki.write",
    "wiki.rename": "wiki.write",
    "time.create": "time.log",
    "time.void": "time.update",
    "time.read": "time.entries",
    "employee.read": "employee.directory",
    "project.read": "project.directory",
    "customer.read": "customer.directory",
    "employee.update": "employee.profile.write",
}


class Policy:
    """What one rule book says."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        cautions = tuple(it for one in book.unmapped if one.touches for it in caution(one))
        self._by_id: dict[str, Rule] = {rule.id: rule for rule in (*book.rules, *cautions)}
        lost = losers(book.conflicts)
        self._rules = tuple(rule for rule in book.rules if rule.id not in lost)
        stated = (rule for rule in self._rules if isinstance(rule, AccessRule))
        self._access = in_force((*stated, *cautions))

    def bar(self, operation: Operation, who: Identity) -> ProofBundle | None:
        """The proof that this requester may not do this whatever the arguments, or None."""
        asker = Asker(who, {}, self.book.departments)
        rules = [
            one
            for rule in self._about(operation)
            if (one := possible(rule, operation, asker)) is not None
        ]
        verdict = weigh(rules)
        return self._proof(operation, asker, rules, verdict) if verdict == "deny" else None

    def rule(
        self, operation: Operation, who: Identity, facts: Mapping[str, JsonValue]
    ) -> ProofBundle:
        """Whether this requester may do this, with these facts about it."""
        known = dict(facts)
        page = known.get("page")
        if isinstance(page, str) and "owns_page" not in known:
            known["owns_page"] = self._owns(page, who)
        asked = OWN_TWIN.get(operation, operation) if known.get("is_self") is True else operation
        asker = Asker(who, known, self.book.departments)
        rules = [
            one for rule in self._about(asked) if (one := standing(rule, asker, asked)) is not None
        ]
        return self._proof(asked, asker, rules, weigh(rules))

    def _about(self, operation: Operation) -> list[AccessRule]:
        return [rule for rule in self._access if operation in rule.operations]

    def _owns(self, path: str, who: Identity) -> bool:
        department = self.owner(path)
        asker = Asker(who, {}, self.book.departments)
        return bool(department) and asker.belongs_to(department)

    def _proof(
        self,
        operation: Operation,
        asker: Asker,
        rules: list[Standing],
        verdict: Literal["allow", "deny"],
    ) -> ProofBundle:
        """The rules on the winning side, the strongest first; without any, the closing default."""
        decisive = sorted(
            (one for one in rules if one.rule.effect == verdict),
            key=lambda one: (bool(one.rule.profile), -one.rank, one.rule.id),
        )
        cited = [one.rule for one in decisive][:5]
        predicates: dict[str, JsonValue] = {}
        identity: dict[str, JsonValue] = {}
        for rule in cited:
            predicates.update(asker.predicates(rule))
            identity.update(asker.fields(rule))
        if not cited:
            identity = {"is_public": asker.who.is_public}
        return ProofBundle(
            operation=operation,
            identity=identity,
            rules=tuple(_reference(rule) for rule in cited) or (_NOTHING_APPLIES,),
            predicates=predicates,
            result=verdict,
        )

    def workload_statuses(self) -> tuple[str, ...]:
        found = [rule for rule in self._rules if isinstance(rule, DeriveRule)]
        return min(found, key=_page_first).statuses if found else ()

    def terms(self) -> dict[str, int]:
        """Lowest level by word of the rating scale."""
        scales = [rule for rule in self._rules if isinstance(rule, ScaleRule)]
        return {rule.term: rule.low for rule in sorted(scales, key=lambda one: not one.profile)}

    def my_projects(self) -> Literal["led", "member"]:
        found = [rule for rule in self._rules if isinstance(rule, MeaningRule)]
        return min(found, key=_page_first).means if found else "led"

    def required_code(self, operation: Operation) -> CodeRule | None:
        codes = [
            rule
            for rule in self._rules
            if isinstance(rule, CodeRule) and operation in rule.operations
        ]
        return min(codes, key=lambda one: (not one.supersedes, one.id), default=None)

    def can(self, operation_name: str) -> bool:
        """Whether the assistant can do this at all, for anyone."""
        operation = _SAME_AS.get(operation_name, operation_name)
        if operation not in _KNOWN:
            return False
        if operation_name in {"wiki.delete", "wiki.rename"}:
            return self.procedure(operation_name) is not None
        stated = [rule for rule in self._rules if isinstance(rule, CapabilityRule)]
        return not any(operation in rule.operations and not rule.able for rule in stated) or any(
            operation in rule.operations and rule.able for rule in stated
        )

    def procedure(self, operation_name: str) -> ProcedureRule | None:
        """How a page is deleted or renamed, as the wiki says; the fuller account if it has two."""
        found = [
            rule
            for rule in self._rules
            if isinstance(rule, ProcedureRule) and rule.operation == operation_name
        ]
        return max(found, key=lambda one: (one.supersedes, len(one.steps)), default=None)

    def locked_statuses(self) -> tuple[str, ...]:
        """Statuses of time entries after which nothing may change."""
        return tuple(
            dict.fromkeys(
                status
                for rule in self._rules
                if isinstance(rule, LifecycleRule)
                for status in rule.locked
            )
        )

    def must_mention(self, who: Identity) -> str:
        """Words that a reply to this requester must hold; empty if there are none."""
        asker = Asker(who, {}, self.book.departments)
        found = [
            rule
            for rule in self._rules
            if isinstance(rule, ReplyRule) and any(map(asker.is_among, rule.audience))
        ]
        chosen = min(found, key=lambda one: (not one.supersedes, one.id), default=None)
        return chosen.must_mention if chosen is not None else ""

    def owner(self, path: str) -> str:
        """The department that looks after a page; empty if none is named."""
        owners = [
            rule
            for rule in self._rules
            if isinstance(rule, OwnerRule) and path.startswith(rule.section)
        ]
        best = max(owners, key=lambda one: (one.supersedes, len(one.section)), default=None)
        return best.department if best is not None else ""

    def sites(self) -> tuple[SiteRule, ...]:
        return tuple(rule for rule in self._rules if isinstance(rule, SiteRule))

    def labels(self) -> dict[str, str]:
        """Readable names of skills and wills by id."""
        return {rule.term: rule.label for rule in self._rules if isinstance(rule, LabelRule)}

    def cite(self, rule_id: str) -> RuleRef:
        """The rule as evidence; KeyError for an id that is not in the book."""
        return _reference(self._by_id[rule_id])


_NOTHING_APPLIES = RuleRef(
    id="default.nothing_applies", page="", anchor="", quote="", profile="default"
)


def _page_first(rule: Rule) -> tuple[bool, str]:
    return rule.profile == "default", rule.id


def _reference(rule: Rule) -> RuleRef:
    return RuleRef(
        id=rule.id,
        page=rule.source.page,
        anchor=rule.source.anchor,
        quote=rule.source.quote,
        profile=rule.profile,
    )
