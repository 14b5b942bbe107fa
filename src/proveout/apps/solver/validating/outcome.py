"""The ordered procedure that decides an outcome, whatever the plan claims.

1 who asks must be known · 2 a guest gets public facts only · 3 what the system does not offer is
unsupported · 4 who is barred from an operation is denied before anything is looked up · 5 what
cannot be told apart or found is asked back · 6 permissions that hang on a relation (lead? own?) ·
7 codes and values that the rules demand · 8 nothing found · 9 answer, or act.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from proveout.apps.solver.decision import Link, ProofBundle
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.plan import Plan, ResponseTemplate
from proveout.apps.solver.sandbox.engine import Rows
from proveout.apps.solver.validating import proof
from proveout.apps.solver.validating.access import Access
from proveout.apps.solver.validating.ports import Rules
from proveout.apps.solver.validating.references import present
from proveout.apps.solver.validating.refusal import PlanRefused
from proveout.apps.solver.words import READS, WRITES, OutcomeCode

_OPERATIONS = frozenset({*READS, *WRITES})


@dataclass(frozen=True)
class Ruling:
    """An outcome, and the step of the procedure that gave it."""

    outcome: OutcomeCode
    step: str
    proofs: tuple[ProofBundle, ...] = ()
    links: tuple[Link, ...] = ()


def at_once(plan: Plan, access: Access, who: Identity, rules: Rules) -> Ruling | None:
    """Steps 2 to 4: what is decided before anything is looked up."""
    return (
        _guest(plan, access, who, rules)
        or _unsupported(plan, rules)
        or _barred(access, who, rules)
        or _without_work(plan)
    )


def _guest(plan: Plan, access: Access, who: Identity, rules: Rules) -> Ruling | None:
    if not who.is_public:
        return None
    for operation in access.operations:
        if not operation.startswith("public."):
            bundle = rules.bar(operation, who) or rules.rule(operation, who, {})
            if bundle.result == "allow":
                bundle = proof.by_default(operation, who, "public")
            return Ruling("denied_security", f"2 guest: {operation} is not public", (bundle,))
    named = plan.response_template.operation
    private = named if named and not named.startswith("public.") else ""
    # Whatever cannot be tied to a public fact is not public, an unclear request included.
    nothing_public = not any(name.startswith("public.") for name in access.operations)
    if access.private_tools or private or (nothing_public and not plan.sql):
        operation_name = private or (access.private_tools or ("company.data",))[0]
        # The rule that keeps guests from pages is the one that keeps them from everything else.
        bundle = rules.bar("wiki.read", who) or proof.by_default(operation_name, who, "public")
        bundle = bundle.model_copy(update={"operation": operation_name})
        return Ruling("denied_security", f"2 guest: {operation_name} is not public", (bundle,))
    return None


def _unsupported(plan: Plan, rules: Rules) -> Ruling | None:
    named = plan.response_template.operation
    if not named or named in _OPERATIONS:
        return None
    if not rules.can(named):
        return Ruling("none_unsupported", f"3 not offered: {named}")
    if not (plan.writes or plan.sql or plan.tool_calls):
        message = f"the system does offer {named!r}"
        raise PlanRefused(
            code="solver.plan.unproved_unsupported", message=message, where="response_template"
        )
    return None


def _barred(access: Access, who: Identity, rules: Rules) -> Ruling | None:
    for operation in access.operations:
        bundle = rules.bar(operation, who)
        if bundle is not None:
            return Ruling("denied_security", f"4 barred from {operation}", (bundle,))
    return None


def _without_work(plan: Plan) -> Ruling | None:
    """A plan that does nothing can only ask back; any other claim needs something to rest on."""
    if plan.tool_calls or plan.sql or plan.writes:
        return None
    claimed = plan.response_template.outcome
    if claimed == "none_clarification_needed":
        return Ruling("none_clarification_needed", "5 the request is not clear")
    codes = {
        "denied_security": "solver.plan.unproved_denial",
        "none_unsupported": "solver.plan.unproved_unsupported",
    }
    if plan.response_template.operation in _OPERATIONS and claimed == "denied_security":
        return None
    message = f"nothing in the plan supports the outcome {claimed}"
    raise PlanRefused(
        code=codes.get(claimed, "solver.plan.no_answer"), message=message, where="response_template"
    )


def at_last(plan: Plan, binds: Mapping[str, Rows], changes: int) -> Ruling:
    """Steps 8 and 9, once everything asked for is permitted and known."""
    template = plan.response_template
    if plan.writes:
        if not changes:
            return Ruling("ok_not_found", "8 nothing to change was found")
        return Ruling("ok_answer", f"9 act: {changes} change(s)")
    if template.outcome == "none_clarification_needed" and not template.answer:
        return Ruling("none_clarification_needed", "5 the request is not clear")
    _claim_rests(template)
    if template.message.form == "yes_no":
        return Ruling("ok_answer", "9 answer: yes or no")
    if template.answer and not present(binds[template.answer]):
        if template.empty_is_answer:
            return Ruling("ok_answer", "9 answer: the empty set is the answer")
        return Ruling("ok_not_found", f"8 {template.answer} is empty")
    if not template.answer and not template.message.text and not template.message.table:
        message = "no result is named as the answer"
        raise PlanRefused(
            code="solver.plan.no_answer", message=message, where="response_template.answer"
        )
    return Ruling("ok_answer", "9 answer")


def _claim_rests(template: ResponseTemplate) -> None:
    """A claim of denial that nothing supported so far would refuse somebody without a rule."""
    if template.outcome == "denied_security" and not template.answer:
        message = "no rule denies what the plan does"
        raise PlanRefused(
            code="solver.plan.unproved_denial", message=message, where="response_template.outcome"
        )
