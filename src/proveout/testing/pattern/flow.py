"""How the parts meet: three styles side by side, then the best of them is refined."""

from proveout.kernel.budget import Budget
from proveout.kernel.context import Context
from proveout.kernel.loop import attempts, fan_out
from proveout.kernel.proposer import RoleProposer
from proveout.kernel.types import Attempt, Malformed, Outcome
from proveout.testing.pattern.checks import CHECKS
from proveout.testing.pattern.proposals import Word
from proveout.testing.pattern.roles import DESCRIBE, PROPOSE
from proveout.testing.pattern.task import PatternTask

STYLES = {"plain": 0, "varied": 0, "long": 3}


def run(task: PatternTask, context: Context) -> Outcome:
    """The accepted word with the most different letters; else the last one tried."""
    reading = context.ask(DESCRIBE, expression=task.expression)
    if not isinstance(reading, Malformed):
        context.note(f"the expression: {reading}")
    proposers = {
        style: RoleProposer(PROPOSE, {"style": style, "stretch": stretch})
        for style, stretch in STYLES.items()
    }
    found = sorted(fan_out(task, proposers, CHECKS, context), key=lambda attempt: attempt.key)
    best = _best(found)
    if best is None:
        refining = context.branch("refine", Budget(rounds=context.meter.budget.rounds))
        proposer = RoleProposer(PROPOSE, {"style": "varied", "stretch": 0})
        for attempt in attempts(task, proposer, CHECKS, refining):
            found.append(attempt)
            context.keep(_outcome(attempt))
        best = _best(found)
    return _outcome(best or found[-1]) if found else Outcome(accepted=False, summary="no attempt")


def _best(found: list[Attempt[Word]]) -> Attempt[Word] | None:
    accepted = [attempt for attempt in found if attempt.accepted]
    return max(accepted, key=lambda attempt: attempt.verdict.score or 0.0, default=None)


def _outcome(attempt: Attempt[Word]) -> Outcome:
    word = attempt.proposal.word if isinstance(attempt.proposal, Word) else ""
    return Outcome(
        accepted=attempt.accepted,
        answer={"word": word, "attempt": attempt.key},
        score=attempt.verdict.score,
        summary=f"{word!r} is accepted" if attempt.accepted else f"{word!r} was the last try",
    )
