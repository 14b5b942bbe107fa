"""Scripts that failed get another chance: the debugger is shown the traceback, twice at most."""

from dataclasses import dataclass, field, replace
from typing import Any

from proveout.apps.mle.checks import GATE, untried
from proveout.apps.mle.roles import DEBUGGER
from proveout.apps.mle.scripts.blocks import script_in
from proveout.apps.mle.scripts.candidate import Candidate, Tried
from proveout.apps.mle.scripts.protocol import protocol
from proveout.apps.mle.search.proposers import without_leaks
from proveout.apps.mle.search.searching import LEAST_LAST_SHARE, Search
from proveout.kernel.budget import Budget
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Ask, Brief
from proveout.kernel.types import Malformed

ROUNDS = 2
MOST_MENDED = 3
"""Scripts of one batch; if more fail, the cause is unlikely to be theirs."""
LONGEST_BUG = 6_000


@dataclass(frozen=True)
class MendingProposer:
    """Asks for the script without its error."""

    failed: Tried
    variables: dict[str, Any] = field(default_factory=dict)
    returns = Candidate

    def propose(self, brief: Brief, ask: Ask) -> Candidate | Malformed:
        before = self.failed.candidate
        if isinstance(brief.previous, Candidate):
            before = brief.previous
        told = {**self.variables, "code": before.source, "bug": self._bug(brief)}
        reply = ask(DEBUGGER, replace(brief, variables=told))
        if isinstance(reply, Malformed):
            return reply
        source = script_in(reply)
        if source is None:
            return Malformed(text=reply[:4000], problem="the reply holds no script")
        return Candidate(
            source=without_leaks(source),
            origin=before.origin,
            parent=self.failed.key,
            plan="mend what failed",
        )

    def _bug(self, brief: Brief) -> str:
        """The traceback, or the bound that was reached; then what the last repair led to."""
        text = self.failed.circumstances.stderr.strip()
        if self.failed.measured.ended_by:
            text += f"\ntimed out after {self.failed.seconds:.0f} s"
        later = "\n".join(finding.message for finding in brief.findings)
        return f"{text}\n{later}"[-LONGEST_BUG:]


def mend(search: Search, made: list[Tried], seconds: float) -> None:
    """Add what could be mended to the attempts of the search."""
    failed = [item for item in made if _mendable(item)]
    hopeless: set[str] = set()
    for item in failed[:MOST_MENDED]:
        if _complaint(item) in hopeless:
            continue
        if search.left(LEAST_LAST_SHARE * search.seconds) < 2 * max(item.seconds, 1.0):
            return
        branch = search.context.branch("debug", Budget(rounds=ROUNDS))
        told = {
            "task": search.task,
            "problem": search.problem,
            "protocol": protocol(search.problem),
        }
        tried_before = untried(it.candidate.source for it in [*search.attempts, item])
        checks = (tried_before, *GATE, search.check(seconds))
        for attempt in attempts(search.task, MendingProposer(item, told), checks, branch):
            mended = search.measured(attempt)
            if mended is not None and mended.accepted:
                search.attempts.append(mended)
            if mended is None or "mle.script.tried_before" in mended.findings:
                # Nobody knows better: another round would say the same, and so would another
                # script that failed for the same reason.
                hopeless.add(_complaint(item))
                break


def _complaint(item: Tried) -> str:
    """What a script died of: the last line of its traceback, or the bound that it reached."""
    return item.measured.ended_by or item.circumstances.stderr.strip().rpartition("\n")[2]


def _mendable(item: Tried) -> bool:
    return not item.accepted and bool({"mle.script.failed", "mle.script.limit"} & {*item.findings})
