"""How roles become candidates: one is asked, code is taken from its words, leaks are repaired."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proveout.apps.mle import leakage
from proveout.apps.mle.models import SolutionPhase, SolutionScript
from proveout.apps.mle.scripts.blocks import fragment_in, replaced, script_in
from proveout.apps.mle.scripts.candidate import Candidate
from proveout.apps.mle.vetting import examined
from proveout.kernel.ports import Ask, Brief
from proveout.kernel.proposer import Role
from proveout.kernel.types import Malformed

MOST_REPAIRS = 5
MARKER = re.compile(r"^# == (.+?) ==$", re.MULTILINE)
"""The line that opens a block of a script that an expert wrote."""


def without_leaks(source: str) -> str:
    """Repaired where the repair is certain; what remains is for the checks to refuse."""
    for _ in range(MOST_REPAIRS):
        report = examined(source)
        mended = leakage.repair(source, report) if report.leaks else None
        if mended is None or mended == source:
            return source
        source = mended
    return source


def placed(source: str, block: str, new: str) -> str | None:
    """The script with its block replaced; nothing if no program comes out."""
    script = SolutionScript(content=source, phase=SolutionPhase.refined)
    try:
        return replaced(script, block, new).content
    except ValueError:
        return None


def block_named(source: str, block: str) -> str:
    """What a block is called: by its marker, or by its first line."""
    found = MARKER.search(block)
    if found:
        return found[1]
    place = source.find(block)
    marks = [match for match in MARKER.finditer(source) if match.start() <= place]
    return marks[-1][1] if marks else next(iter(block.strip().splitlines()), "")[:60]


@dataclass(frozen=True)
class Fixed:
    """Proposes what was chosen; there is nothing left to ask."""

    candidate: Candidate
    returns = Candidate

    def propose(self, brief: Brief, ask: Ask) -> Candidate | Malformed:
        del brief, ask
        return self.candidate


@dataclass(frozen=True)
class ScriptProposer:
    """Asks one role for a whole script."""

    role: Role[str]
    origin: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    parent: str = ""
    plan: str = ""
    returns = Candidate

    def propose(self, brief: Brief, ask: Ask) -> Candidate | Malformed:
        told = {**brief.variables, **self.variables}
        reply = ask(self.role, replace(brief, variables=told))
        if isinstance(reply, Malformed):
            return reply
        source = script_in(reply)
        if source is None:
            return Malformed(text=reply[:4000], problem="the reply holds no Python script")
        return Candidate(
            source=without_leaks(source), origin=self.origin, parent=self.parent, plan=self.plan
        )


@dataclass(frozen=True)
class BlockProposer:
    """Plans, then writes a better version of one block of a script."""

    planner: Role[str]
    coder: Role[str]
    source: str
    block: str
    parent: str
    plan: str = ""
    """Empty: the planner is asked."""
    variables: Mapping[str, Any] = field(default_factory=dict)
    returns = Candidate

    def propose(self, brief: Brief, ask: Ask) -> Candidate | Malformed:
        told = {**brief.variables, **self.variables, "code_block": self.block}
        plan = self.plan or ask(self.planner, replace(brief, variables=told))
        if isinstance(plan, Malformed):
            return plan
        reply = ask(self.coder, replace(brief, variables={**told, "plan": plan}))
        if isinstance(reply, Malformed):
            return reply
        new = fragment_in(reply)
        source = placed(self.source, self.block, new) if new else None
        if source is None:
            return Malformed(text=reply[:4000], problem="no script comes out of the reply")
        return Candidate(
            source=without_leaks(source),
            origin=f"refine:{block_named(self.source, self.block)}",
            parent=self.parent,
            plan=plan[:2000],
            block=self.block,
        )
