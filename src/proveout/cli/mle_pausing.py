"""A search that stops for a person: what was found so far, and how to go on."""

import json
import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import typer

from proveout.cli.output import say
from proveout.kernel.errors import UnknownName
from proveout.kernel.events import Event, EvidenceObserved
from proveout.kernel.run import AttemptRecord, Run

if TYPE_CHECKING:
    from proveout.runtime import Workspace

SHOWN = 8
"""Scripts that are told, the best first."""
ONCE = ("card", "pin", "forbid", "pause", "resume")
"""Flags of a command that are not repeated by the one that goes on."""


class Pause:
    """Stops a run at the next pause point that it comes to; those it had passed are not told."""

    def __init__(self, opened: "Workspace", watch: Callable[[Event], None]) -> None:
        self._opened = opened
        self._watch = watch
        self.reached = False

    def __call__(self, event: Event) -> None:
        from proveout.apps.mle.search.person import PAUSE

        self._watch(event)
        if isinstance(event, EvidenceObserved) and event.key.partition("~")[0] == f"@{PAUSE}":
            self.reached = True
            self._opened.cancel.set()


def going_on(context: typer.Context) -> str:
    """The command that goes on: what was given for this one, without what is said once."""
    words = []
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in ONCE or source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[name]
        flag = [] if parameter.param_type_name == "argument" else parameter.opts[:1]
        words += [*flag, *([] if isinstance(value, bool) else [str(value)])]
    return f"{context.command_path} {shlex.join([*words, '--resume'])}"


def tell(run: Run, fetch: Callable[[str], bytes], *, paused: bool, command: str) -> None:
    """Scripts with scores, blocks by name, the submission so far, the command."""
    from proveout.apps.mle.search.person import block_names

    ranked = _ranked(run, fetch)
    for attempt in ranked[:SHOWN]:
        score = attempt.verdict.score if attempt.verdict else None
        say(f"{score:<12.6g} {_of(attempt, 'origin')}")
    if len(ranked) > SHOWN:
        say(f"and {len(ranked) - SHOWN} more")
    failed = len(run.attempts) - len(ranked)
    if failed:
        say(f"{failed} of {len(run.attempts)} scripts were not accepted")
    if ranked and isinstance(run.task, dict):
        say(f"blocks: {', '.join(block_names(_of(it, 'source') for it in ranked))}")
        say(f"submission so far: {run.task['out']}/submission.csv")
    if paused:
        say("to steer, add: --card FILE_OR_NAME, --pin BLOCK, --forbid BLOCK; --pause stops again")
    say(f"{'paused' if paused else 'interrupted'}; go on with: {command}")


def demand_known(run: Run, said: Mapping[str, str], *, by_rule: bool) -> None:
    """A mistake in how a run is steered is better told before it goes on.

    Raises:
        UnknownName: if scripts are there and none has such a block, or nobody knows the model.
    """
    from proveout.apps.mle.search.person import block_names, demand_card

    if by_rule:
        demand_card(said.get("card", ""))
    names = block_names(_of(it, "source") for it in run.attempts if _accepted(it))
    for field in ("pin", "forbid"):
        wanted = said.get(field, "")
        if names and not any(wanted in name for name in names):
            raise UnknownName(wanted, noun=f"block to {field}", known=names)


def _ranked(run: Run, fetch: Callable[[str], bytes]) -> list[AttemptRecord]:
    """Accepted scripts, the best first."""
    problem = json.loads(fetch(run.observed["@problem"])) if "@problem" in run.observed else {}
    scored = [
        (it.verdict.score, it)
        for it in run.attempts
        if _accepted(it) and it.verdict and it.verdict.score is not None
    ]
    scored.sort(key=lambda pair: pair[0], reverse=problem.get("direction") == "maximize")
    return [it for _, it in scored]


def _accepted(attempt: AttemptRecord) -> bool:
    return attempt.verdict is not None and attempt.verdict.accepted


def _of(attempt: AttemptRecord, field: str) -> str:
    return str(attempt.proposal.get(field, "")) if isinstance(attempt.proposal, dict) else ""
