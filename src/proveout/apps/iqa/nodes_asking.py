"""How a node comes to a proposal that stands.

The role is asked, by its model or its expert, three times at most; what cannot be read or does not
pass its checks goes back with the reasons. Where no proposal of a model passes, the rules propose,
and are judged by the same checks.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from proveout.apps.iqa.drawing import MARKED
from proveout.apps.iqa.evidence import frame_of, region_frame, shown
from proveout.apps.iqa.models import AgenticIQAState
from proveout.apps.iqa.overheard import overhear
from proveout.apps.iqa.task import DEFAULT_QUERY, IqaTask
from proveout.kernel.budget import Budget
from proveout.kernel.context import Context
from proveout.kernel.loop import attempts
from proveout.kernel.ports import Ask, Brief, Check
from proveout.kernel.proposer import Role, RoleProposer
from proveout.kernel.types import Malformed, Picture

logger = logging.getLogger(__name__)
ShapeT = TypeVar("ShapeT", bound=BaseModel)
TRIES = 3


@dataclass(frozen=True)
class Asked(Generic[ShapeT]):
    """What is asked, and what the answer must withstand."""

    role: Role[ShapeT]
    checks: Sequence[Check[IqaTask, ShapeT]]
    told: Mapping[str, Any]


@dataclass(frozen=True)
class Tried(Generic[ShapeT]):
    """How a loop ended."""

    proposal: ShapeT | None = None
    """The one that passed, if any did."""
    unreadable: str = ""
    """What was said last, where nothing that was said could be read."""


@dataclass(frozen=True)
class Settled(Generic[ShapeT]):
    """What the node goes on with."""

    proposal: ShapeT
    stands: bool = True
    """False where it did not pass, or the budget left no room to judge it."""


@dataclass(frozen=True)
class ByRule(Generic[ShapeT]):
    """The role's expert as a proposer, whichever model the role has."""

    asked: Asked[ShapeT]

    @property
    def returns(self) -> type[ShapeT]:
        return self.asked.role.returns

    def propose(self, brief: Brief, ask: Ask) -> ShapeT:
        del ask
        return _expert(self.asked, brief)


def agreed(
    asked: Asked[ShapeT], state: AgenticIQAState, parent: Context, name: str
) -> Settled[ShapeT]:
    """A proposal that passed: of whoever was asked, else of the rules."""
    branch = parent.branch(name, Budget(rounds=TRIES))
    found = tried(asked, state, branch).proposal
    return by_rule(asked, state, parent, branch) if found is None else Settled(found)


def tried(asked: Asked[ShapeT], state: AgenticIQAState, branch: Context) -> Tried[ShapeT]:
    """Ask until a proposal passes or the branch's budget is spent."""
    role = asked.role
    # Experts look at measurements, and a replay at its record: only a model needs to see.
    sees = branch.model_for(role.name).name != "offline" and not branch.record.replaying
    seen = pictures(state) if sees else ()
    overhear(branch)
    text, readable = "", False
    for attempt in attempts(
        task_of(state), RoleProposer(role, asked.told, seen), asked.checks, branch
    ):
        proposal = attempt.proposal
        if isinstance(proposal, Malformed):
            text = proposal.text or proposal.problem or proposal.reason
            logger.info("%s: attempt %d could not be read", role.name, attempt.round + 1)
            continue
        readable = True
        if attempt.accepted:
            return Tried(proposal)
    return Tried(unreadable="" if readable else text)


def by_rule(
    asked: Asked[ShapeT], state: AgenticIQAState, parent: Context, branch: Context
) -> Settled[ShapeT]:
    """What the rules propose after `branch` came to nothing: judged and recorded like the rest."""
    beside = parent.branch(f"{branch.path.rpartition('/')[2]}-rules", Budget(rounds=1))
    for attempt in attempts(task_of(state), ByRule(asked), asked.checks, beside):
        if attempt.accepted and not isinstance(attempt.proposal, Malformed):
            return Settled(attempt.proposal)
    return Settled(_expert(asked, Brief(task=None)), stands=False)


def task_of(state: AgenticIQAState) -> IqaTask:
    """The state as a task, for checks; its question holds the options already."""
    return IqaTask(image=state["image_path"], query=state["query"][:20_000] or DEFAULT_QUERY)


def pictures(state: AgenticIQAState) -> tuple[Picture, ...]:
    """What a vision model sees: the picture, its reference or counterpart, the marked part."""
    paths = (state["image_path"], state.get("reference_path"), state.get("compare_path"))
    frames = [frame_of(path) for path in paths if path]
    drawn = state.get("drawn")
    if drawn is not None:
        frames.append(region_frame(state["image_path"], MARKED, drawn=drawn))
    return shown(*frames)


def _expert(asked: Asked[ShapeT], brief: Brief) -> ShapeT:
    assert asked.role.expert is not None
    return asked.role.expert(replace(brief, variables=asked.told))
