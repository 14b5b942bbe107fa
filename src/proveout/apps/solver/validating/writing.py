"""Steps 6, 7 and 9 for changes: proved, complete, then carried out in order."""

import re

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.client import requests as asked
from proveout.apps.solver.client.route import Request
from proveout.apps.solver.decision import ProofBundle
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.validating import proof, sending
from proveout.apps.solver.validating.endings import Decided, Unclear
from proveout.apps.solver.validating.execution import Evidence
from proveout.apps.solver.validating.facts import Facts, FactSet
from proveout.apps.solver.validating.grounding import Ground
from proveout.apps.solver.validating.outcome import Ruling
from proveout.apps.solver.validating.ports import Once, Rules
from proveout.apps.solver.validating.preparing import Prepared, Preparer
from proveout.apps.solver.validating.refusal import PlanRefused
from proveout.apps.solver.validating.writes import MOST_CHANGES, Order, expanded, ordered
from proveout.apps.solver.words import WriteOperation


class Writing:
    """The changes of one plan."""

    def __init__(
        self, who: Identity, client: CompanyClient, rules: Rules, facts: Facts, evidence: Evidence
    ) -> None:
        self._who = who
        self._client = client
        self._rules = rules
        self._evidence = evidence
        self._preparer = Preparer(client, who, facts, evidence)

    def orders(self, plan: Plan, text: str, ground: Ground) -> tuple[Order, ...]:
        """Every request, each with a permission; all or none."""
        try:
            changes = expanded(plan, self._evidence, ground)
        except PlanRefused:
            self._wholesale(plan)
            raise
        parts = [self._preparer.prepare(it.operation, it.change) for it in changes]
        bundles = [self._permitted(part.operation, part.facts) for part in parts]
        if parts:
            self._evidence.steps.append("6 every change is permitted")
        codes = [self._code(part, ground.text) for part in parts]
        requests = [_made(part, code) for part, code in zip(parts, codes, strict=True)]
        orders = ordered(changes, parts, requests, text)
        self._prove(orders, dict(zip(map(id, parts), bundles, strict=True)))
        return orders

    def carry_out(self, orders: tuple[Order, ...], once: Once, *, rehearsal: bool) -> None:
        """Send what was proved, in order; a rehearsal only says what would be sent."""
        for order in orders:
            planned = sending.record(order.intent, order.request, order.key)
            if rehearsal:
                self._evidence.writes.append(planned)
                continue
            self._evidence.writes.append(planned)
            done = sending.apply(self._client, planned, order.request, once)
            self._evidence.writes[-1] = done
            if not done.verified:
                message = "what was read back is not what was written"
                raise sending.NotDone(done.route, message)
        if orders and not rehearsal:
            self._evidence.steps.append(f"9 {len(orders)} change(s) sent and read back")

    def _permitted(self, operation: WriteOperation, facts: FactSet) -> ProofBundle:
        bundle = self._rules.rule(operation, self._who, facts)
        if bundle.result != "allow":
            step = f"6 no permission for {operation}"
            raise Decided(Ruling("denied_security", step, (bundle,)))
        return bundle

    def _wholesale(self, plan: Plan) -> None:
        """One amount for all is nobody's approved one: who would need that is denied, not asked."""
        for write in plan.writes:
            if write.intent != "employee.salary.write" or not write.for_each:
                continue
            amounts = [write.args.get(name) for name in ("salary", "delta", "percent")]
            if any(isinstance(amount, int | float) for amount in amounts):
                self._permitted(write.intent, {"is_self": False, "ceo_approval": False})

    def _code(self, part: Prepared, text: str) -> str:
        """The code that the rules demand of such a change, as the task gives it."""
        rule = self._rules.required_code(part.operation)
        if rule is None:
            return ""
        found = _within(text, rule.pattern)
        if not found:
            message = f"7 a valid {rule.name} is missing"
            raise Unclear(message, (part.link,) if part.link else ())
        return found

    def _prove(self, orders: tuple[Order, ...], bundles: dict[int, ProofBundle]) -> None:
        for order in orders:
            for part, change in zip(order.parts, order.changes, strict=True):
                self._evidence.proofs.append(
                    proof.with_origins(
                        bundles[id(part)], change.origins, len(orders), MOST_CHANGES, order.key
                    )
                )


_CODE = "A-Za-z0-9_"


def _within(text: str, pattern: str) -> str:
    """The first code of this form in a text; a part of a longer one is none."""
    bare = pattern.removeprefix("^").removesuffix("$")
    # Not \w: a script without spaces may run straight into the code.
    found = re.search(rf"(?<![{_CODE}])(?<![{_CODE}][-/])(?:{bare})(?![-/]?[{_CODE}])", text)
    return found[0] if found else ""


def _made(part: Prepared, code: str) -> Request:
    """The request, with a demanded code where the API has a place for it."""
    try:
        request = part.make()
    except Unclear as unclear:
        raise Unclear(unclear.reason, (part.link,) if part.link else ()) from None
    if code and isinstance(request, asked.TimeLog) and code not in request.notes:
        notes = f"{request.notes} [{code}]".strip()
        return request.model_copy(update={"notes": notes})
    return request
