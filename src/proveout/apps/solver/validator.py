"""`validate(text, plan) -> decision`: deterministic, trusted, the only part that acts.

The plan is instructions. Its calls and statements are executed here, its permissions are proved
here, its outcome is decided here, its message and links are made here of what was found, and its
changes are sent from here, after all of that. A denial is a good decision; a decision that is not
`ok` means that the plan itself cannot be used, with the reasons as findings.
"""

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.client.errors import ApiError
from proveout.apps.solver.decision import Decision
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.sandbox.admit import SqlRefused
from proveout.apps.solver.tools import TOOLS
from proveout.apps.solver.validating import shape
from proveout.apps.solver.validating.execution import Evidence
from proveout.apps.solver.validating.grounding import Ground
from proveout.apps.solver.validating.judgement import Judgement
from proveout.apps.solver.validating.outcome import Ruling
from proveout.apps.solver.validating.ports import Once, Rules, SandboxOver, Tools, directly
from proveout.apps.solver.validating.refusal import PlanRefused, finding
from proveout.apps.solver.validating.reply import unchecked
from proveout.apps.solver.validating.wording import wording_faults
from proveout.kernel.errors import UsageError
from proveout.kernel.types import Finding

_RAW_PREFIXES = ("list_", "search_", "get_", "time_summary_")


class Validator:
    """Judges plans for one task: one requester, one company, one set of rules."""

    def __init__(
        self,
        toolbox: Tools,
        policy: Rules,
        identity: Identity,
        sandbox_over: SandboxOver,
        client: CompanyClient,
    ) -> None:
        self._tools = toolbox
        self._rules = policy
        self._who = identity
        self._sandbox_over = sandbox_over
        self._client = client

    def validate(self, text: str, plan: Plan, once: Once = directly) -> Decision:
        """The decision on a plan; changes go through `once`, so that none is made twice."""
        evidence = Evidence(steps=["1 identity: known by who_am_i"])
        called = self._client.trail.count
        ground = Ground(text, self._origins())
        faults = (*shape.faults(plan, TOOLS), *wording_faults(plan, ground))
        if faults:
            return self._refused(plan, evidence, faults, called)
        judgement = Judgement(
            text=text,
            plan=plan,
            ground=ground,
            evidence=evidence,
            who=self._who,
            tools=self._tools,
            rules=self._rules,
            sandbox_over=self._sandbox_over,
            client=self._client,
            once=once,
        )
        try:
            response = judgement.response()
        except PlanRefused as refused:
            return self._refused(plan, evidence, (refused.finding,), called)
        except SqlRefused as refused:
            return self._refused(plan, evidence, (finding(refused.code, refused.message),), called)
        except ApiError as error:
            evidence.steps.append(f"the API failed: {error.code}")
            response = unchecked(Ruling("error_internal", "the API failed"), plan, self._mention())
        except UsageError as error:
            fault = finding("solver.plan.bad_args", error.message)
            return self._refused(plan, evidence, (fault,), called)
        decision = self._decision(plan, evidence, called)
        return decision.model_copy(update={"ok": True, "response": response})

    def _origins(self) -> tuple[str, ...]:
        """Literals that a plan may hold although the task does not: who asks, and today."""
        who = self._who
        return (who.current_user, who.today, who.department, who.location, *self._rules.terms())

    def _mention(self) -> str:
        return self._rules.must_mention(self._who)

    def _refused(
        self, plan: Plan, evidence: Evidence, faults: tuple[Finding, ...], called: int
    ) -> Decision:
        decision = self._decision(plan, evidence, called)
        return decision.model_copy(update={"findings": faults})

    def _decision(self, plan: Plan, evidence: Evidence, called: int) -> Decision:
        raw = any(call.name.startswith(_RAW_PREFIXES) for call in plan.tool_calls)
        return Decision(
            ok=False,
            proofs=tuple(evidence.proofs),
            trace=tuple(evidence.trace),
            sql=tuple(evidence.sql),
            writes=tuple(evidence.writes),
            steps=tuple(evidence.steps),
            api_calls=self._client.trail.count - called,
            from_snapshot=not raw and not plan.writes,
        )
