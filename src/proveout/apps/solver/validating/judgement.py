"""One plan on its way through the procedure."""

from dataclasses import dataclass

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.decision import Link, ProofBundle, Response
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.sandbox.admit import relations_of
from proveout.apps.solver.tooling.spec import ToolResult
from proveout.apps.solver.tools import TOOLS
from proveout.apps.solver.validating import execution, outcome, reply, writes
from proveout.apps.solver.validating.access import Access, Limits, limited, performed
from proveout.apps.solver.validating.endings import Decided, Empty, Unclear
from proveout.apps.solver.validating.execution import Evidence
from proveout.apps.solver.validating.facts import Facts
from proveout.apps.solver.validating.grounding import Ground
from proveout.apps.solver.validating.lineage import OWN, Lineage
from proveout.apps.solver.validating.outcome import Ruling
from proveout.apps.solver.validating.permission import Grant, grants, limits
from proveout.apps.solver.validating.ports import Once, Rules, SandboxOver, Tools
from proveout.apps.solver.validating.references import NoValue, UnknownColumn
from proveout.apps.solver.validating.refusal import PlanRefused
from proveout.apps.solver.validating.writing import Writing
from proveout.apps.solver.words import LinkKind, ReadOperation

_ANSWERS_IF_EMPTY = frozenset({"resolve_site"})
"""Tools that say something by finding nothing."""


@dataclass
class Judgement:
    """Everything that one plan is judged with."""

    text: str
    plan: Plan
    ground: Ground
    evidence: Evidence
    who: Identity
    tools: Tools
    rules: Rules
    sandbox_over: SandboxOver
    client: CompanyClient
    once: Once

    def response(self) -> Response:
        """Runs the procedure to its end."""
        try:
            ruling = self._ruled()
        except Decided as decided:
            ruling = decided.ruling
        except Unclear as unclear:
            ruling = Ruling("none_clarification_needed", unclear.reason, (), unclear.links)
        except Empty:
            ruling = Ruling("ok_not_found", "8 a value that is needed was not found")
        self.evidence.steps.append(ruling.step)
        self.evidence.proofs.extend(ruling.proofs)
        mention = self.rules.must_mention(self.who)
        if ruling.outcome == "none_clarification_needed":
            return reply.asked_back(ruling, self.plan, self.ground, mention)
        if ruling.outcome not in {"ok_answer", "ok_not_found"} or self._unfinished():
            return reply.unchecked(ruling, self.plan, mention)
        return reply.answered(ruling, self.plan, self.evidence.binds, self._exists, mention)

    def _ruled(self) -> Ruling:
        access = performed(self.plan, TOOLS)
        early = outcome.at_once(self.plan, access, self.who, self.rules)
        if early is not None:
            return early
        self.evidence.steps.append("2-4 nobody is barred from: " + ", ".join(access.operations))
        facts = Facts(self.who, self.client)
        self._call_tools()
        self._run_sql(access, self._clear_reads(access, facts))
        writing = Writing(self.who, self.client, self.rules, facts, self.evidence)
        orders = writing.orders(self.plan, self.text, self.ground)
        last = outcome.at_last(self.plan, self.evidence.binds, len(orders))
        if last.outcome == "ok_not_found" and self._is_about_nobody(access, facts):
            message = "8 an internal project has no customer, and no contact there"
            raise Unclear(message)
        # Worded before anything is changed: a plan whose message cannot be made changes nothing.
        reply.answered(last, self.plan, self.evidence.binds, self._exists, "")
        writing.carry_out(orders, self.once, rehearsal=self.plan.dry_run)
        return Ruling(last.outcome, last.step, last.proofs, (*last.links, *_pages(orders)))

    def _is_about_nobody(self, access: Access, facts: Facts) -> bool:
        """Whether a contact is asked for where there cannot be one: the question is mistaken."""
        projects = self.evidence.ids("projects")
        return "customer_contacts" in access.relations and facts.are_internal(projects)

    def _call_tools(self) -> None:
        """Step 5: every argument must mean one thing."""
        for place, call in enumerate(self.plan.tool_calls):
            where = f"tool_calls[{place}]"
            try:
                result = execution.call_tool(
                    call, TOOLS[call.name], self.tools, self.evidence, where
                )
            except NoValue as problem:
                if problem.found == "none":
                    raise Empty from None
                message = f"5 {problem.reference} is not unique"
                raise Unclear(message) from None
            except UnknownColumn as problem:
                raise PlanRefused(
                    code="solver.plan.unknown_column", message=str(problem), where=where
                ) from None
            if _unresolved(call.name, result):
                message = f"5 {call.name} for {call.bind}: {result.status}"
                raise Unclear(message)
        self.evidence.steps.append("5 all arguments are resolved")

    def _clear_reads(self, access: Access, facts: Facts) -> Limits:
        """Step 6 for reads: a proof for each operation, and how far it reaches."""
        conditions: Limits = {}
        for operation in access.reads:
            bundle, found = self._cleared(access, operation, facts)
            if found is None:
                step = f"6 no permission for {operation}"
                raise Decided(Ruling("denied_security", step, (bundle,)))
            for relation, limit in found.items():
                conditions[relation] = (*conditions.get(relation, ()), *limit)
            self.evidence.proofs.append(bundle)
        self.evidence.steps.append("6 every read is permitted")
        return conditions

    def _cleared(
        self, access: Access, operation: ReadOperation, facts: Facts
    ) -> tuple[ProofBundle, Limits | None]:
        """The permission that covers what is read, with its limits; no limits where none does."""
        bundle = None
        for given in grants(operation, self.who, self.rules, facts, self.evidence):
            bundle = given.bundle
            if given.allowed and self._covered(access, operation, given):
                found = limits(access, operation, given)
                if found is not None and self._anchored(found, given.by):
                    return bundle, found
        assert bundle is not None
        return bundle, None

    def _covered(self, access: Access, operation: ReadOperation, given: Grant) -> bool:
        if not given.scope:
            return True
        binds = {call.bind for call in self.plan.tool_calls if operation in _discloses(call.name)}
        return all(
            given.covers(self.evidence.binds[bind], self.evidence.types[bind])
            for bind in sorted(binds - access.relations)
        )

    def _anchored(self, found: Limits, by: str) -> bool:
        """Cut down, a statement about everybody would answer another question: it is denied.

        So every statement must rest on what the permission hangs on.
        """
        lineage = Lineage(self.plan)
        anchors = {bind for bind, kind in self.evidence.types.items() if kind == by}
        if by == "own":
            mine = {"people", "identity"}
            anchors = {bind for bind, kind in self.evidence.types.items() if kind in mine} | OWN
        for step in self.plan.sql:
            scoped = relations_of(step.statement) & found.keys()
            if by == "own" and scoped == {"time_entries"} and self._loaded_own():
                continue
            if scoped and not lineage.roots(step.bind) & anchors:
                return False
        return True

    def _loaded_own(self) -> bool:
        """Whether nobody else's entries were brought in."""
        loads = [it for it in self.evidence.trace if it.tool == "load_time_entries"]
        return bool(loads) and all(it.args.get("employee") == self.who.current_user for it in loads)

    def _run_sql(self, access: Access, conditions: Limits) -> None:
        if not self.plan.sql:
            return
        with self.sandbox_over(access.relations) as sandbox:
            execution.load(sandbox, self.evidence.binds)
            for step in self.plan.sql:
                bounded = limited(step.statement, conditions)
                execution.run_sql(
                    step.model_copy(update={"statement": bounded}), sandbox, self.evidence
                )

    def _unfinished(self) -> bool:
        """Whether a result that the reply would show does not exist, because it came to an end."""
        return any(step.bind not in self.evidence.binds for step in self.plan.sql) or any(
            call.bind not in self.evidence.binds for call in self.plan.tool_calls
        )

    def _exists(self, kind: LinkKind, identifier: str) -> bool:
        return kind == "location" or identifier in self.tools.known(kind)


def _unresolved(tool: str, result: ToolResult) -> bool:
    return result.status != "found" and tool not in _ANSWERS_IF_EMPTY


def _discloses(tool: str) -> tuple[ReadOperation, ...]:
    return TOOLS[tool].discloses


def _pages(orders: tuple[writes.Order, ...]) -> tuple[Link, ...]:
    """Pages that were written are shown even if no result names them; deleted ones only alone."""
    pages = [
        (part.link, str(order.request.body().get("content", "")))
        for order in orders
        for part in order.parts
        if part.link is not None and part.link.kind == "wiki"
    ]
    written = tuple(link for link, content in pages if content)
    return written or tuple(link for link, _ in pages)
