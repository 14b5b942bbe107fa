"""The loop: propose, check, journal, learn; until a proposal is accepted or the budget is spent.

`attempts` is a generator, so that flow, test and page see each attempt as it falls, and composition
is ordinary Python: a loop inside a loop is a branch of the context. `fan_out` makes one attempt on
each of several branches and lets the engine judge them side by side.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from proveout.kernel.asking import ask
from proveout.kernel.context import Context
from proveout.kernel.errors import BudgetSpent, EngineError
from proveout.kernel.events import LessonLearned, ProposalMade, VerdictGiven
from proveout.kernel.judging import JudgeWork, Observations, judge, judge_elsewhere
from proveout.kernel.lessons import derive
from proveout.kernel.ports import Brief, Check, Proposer, verdict_of
from proveout.kernel.proposer import Role
from proveout.kernel.types import Attempt, Finding, Malformed, ProposalT, TaskT, Usage, Verdict

JUDGE_SECONDS = 3600.0


def attempts(
    task: TaskT,
    proposer: Proposer[ProposalT],
    checks: Sequence[Check[TaskT, ProposalT]],
    context: Context,
    *,
    variables: Mapping[str, Any] | None = None,
) -> Iterator[Attempt[ProposalT]]:
    """Attempts as they fall; each proposal is told why the one before was rejected."""
    findings: tuple[Finding, ...] = ()
    previous: ProposalT | Malformed | None = None
    try:
        for number in context.meter.rounds():  # pragma: no branch - it ends by raising
            context.stop_if_asked()
            brief = Brief(
                task=task,
                round=number,
                findings=findings,
                previous=previous,
                variables=variables or {},
                seed=context.seed,
            )
            proposal, usage = _proposal(proposer, brief, context)
            verdict = _verdict(task, proposal, checks, context, number)
            key = context.attempt_key(number)
            yield Attempt(key=key, round=number, proposal=proposal, verdict=verdict, usage=usage)
            if verdict.accepted:
                return
            findings, previous = verdict.findings, proposal
    except BudgetSpent as spent:
        context.drained(spent)


def _proposal(
    proposer: Proposer[ProposalT], brief: Brief, context: Context
) -> tuple[ProposalT | Malformed, Usage]:
    """The recorded proposal of this round, or a new one."""
    key = context.attempt_key(brief.round)
    made = context.record.recall("proposal.made", key)
    if isinstance(made, ProposalMade):
        context.meter.charge(made.usage)
        returns = Malformed if made.returns == Malformed.__name__ else proposer.returns
        return returns.model_validate(made.proposal), made.usage
    context.stop_if_spent_before()
    lessons = context.ports.experience.recall(context.app)
    told = Brief(**{**vars(brief), "lessons": lessons})
    before = context.meter.usage
    asked: list[str] = []

    def asking(role: Role[Any], brief: Brief) -> Any:
        asked.append(role.name)
        again = asked.count(role.name)
        place = f"{key}>{role.name}" if again == 1 else f"{key}>{role.name}~{again}"
        return ask(context, role, brief, place)

    proposal = proposer.propose(told, asking)
    usage = context.meter.usage - before
    context.record.append(
        ProposalMade(
            key=key,
            returns=type(proposal).__name__,
            proposal=proposal.model_dump(mode="json"),
            lessons=tuple(patch for lesson in lessons for patch in lesson.patches),
            usage=usage,
        ),
        # What was paid for is found by whoever resumes: it must not be spent again elsewhere.
        durable=usage.calls > 0,
    )
    return proposal, usage


def _verdict(
    task: TaskT,
    proposal: ProposalT | Malformed,
    checks: Sequence[Check[TaskT, ProposalT]],
    context: Context,
    number: int,
) -> Verdict:
    """The recorded verdict of this round, or a new one, made durable with all that led to it."""
    key = context.attempt_key(number)
    given = context.record.recall("verdict.given", key)
    if isinstance(given, VerdictGiven):
        return given.verdict
    surroundings = Observations(context.record, key)
    results = judge(task, proposal, checks, surroundings)
    return conclude(context, key, verdict_of(results, surroundings.evidence))


def conclude(context: Context, key: str, verdict: Verdict) -> Verdict:
    """Learn from a verdict and write both down in one durable step."""
    for patch in derive(verdict.findings, context.rules, run=context.run, key=key):
        place = f"{key}:{patch.signature}"
        context.record.append(LessonLearned(key=place, app=context.app, patch=patch))
    context.record.append(VerdictGiven(key=key, verdict=verdict), durable=True)
    return verdict


def fan_out(
    task: TaskT,
    proposers: Mapping[str, Proposer[ProposalT]],
    checks: Sequence[Check[TaskT, ProposalT]],
    context: Context,
) -> Iterator[Attempt[ProposalT]]:
    """One attempt per named branch: asked for concurrently, judged by the engine, given as judged.

    Task, proposals and checks travel to the engine, so they must be picklable.
    """
    branches = {name: context.branch(name) for name in proposers}
    proposals = _ask_all(task, proposers, branches, context.ports.askers)
    waiting: list[tuple[str, ProposalT | Malformed, Usage]] = []
    for name, (proposal, usage) in proposals.items():
        branch, key = branches[name], branches[name].attempt_key(0)
        if context.record.replaying or context.record.recall("verdict.given", key) is not None:
            verdict = _verdict(task, proposal, checks, branch, 0)
            yield Attempt(key=key, round=0, proposal=proposal, verdict=verdict, usage=usage)
        else:
            waiting.append((name, proposal, usage))
    work = [JudgeWork(task, proposal, tuple(checks)) for _, proposal, _ in waiting]
    done = context.ports.engine.run(
        judge_elsewhere, work, timeout_seconds=JUDGE_SECONDS, cancel=context.cancel
    )
    for finished in done:
        name, proposal, usage = waiting[finished.index]
        if finished.error:
            message = f"the checks of branch {name!r} could not be run: {finished.error}"
            raise EngineError(message)
        branch, key = branches[name], branches[name].attempt_key(0)
        verdict = conclude(branch, key, finished.value.enter(branch.record, key))
        yield Attempt(key=key, round=0, proposal=proposal, verdict=verdict, usage=usage)
    context.stop_if_asked()


def _ask_all(
    task: TaskT,
    proposers: Mapping[str, Proposer[ProposalT]],
    branches: Mapping[str, Context],
    askers: int,
) -> dict[str, tuple[ProposalT | Malformed, Usage]]:
    """Proposals of all branches; those the budget has no room for are missing."""

    def one(name: str) -> tuple[ProposalT | Malformed, Usage] | None:
        branch = branches[name]
        branch.stop_if_asked()
        try:
            return _proposal(proposers[name], Brief(task=task, seed=branch.seed), branch)
        except BudgetSpent as spent:
            branch.drained(spent)
            return None

    # Rounds are given out in the order of the names, so that a replay gives them to the same ones.
    begun = [name for name in proposers if _begin(branches[name])]
    # What was spent before a crash is counted before anything new is bought.
    made = {name: one(name) for name in begun if _is_made(branches[name])}
    new = [name for name in begun if name not in made]
    with ThreadPoolExecutor(max_workers=askers, thread_name_prefix="ask") as pool:
        made.update(zip(new, pool.map(one, new), strict=True))
    answers = ((name, made.get(name)) for name in proposers)
    return {name: answer for name, answer in answers if answer is not None}


def _begin(branch: Context) -> bool:
    """Whether the budget has room for the branch's round."""
    try:
        branch.meter.start_round()
    except BudgetSpent as spent:
        branch.drained(spent)
        return False
    return True


def _is_made(branch: Context) -> bool:
    """Whether the branch's proposal is on record; in a replay, everything is."""
    record = branch.record
    return record.replaying or record.recall("proposal.made", branch.attempt_key(0)) is not None
