"""What a proposer is shown: who asks, what the company has names for, what went wrong before."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from proveout.apps.solver.catalogue import RELATIONS, Relation
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.experts.mentions import Mention
from proveout.apps.solver.resolve.resolution import Names
from proveout.kernel.types import Finding


@dataclass(frozen=True)
class Scene:
    """Nothing in it is a secret of the company: names, no values."""

    identity: Identity
    names: Names = field(default_factory=Names)
    mentions: tuple[Mention, ...] = ()
    """What was spotted in the text; empty means that the proposer spots for itself."""
    terms: Mapping[str, int] = field(default_factory=dict)
    """Numbers that the rules define."""
    departments: tuple[str, ...] = ()
    catalogue: tuple[Relation, ...] = RELATIONS
    findings: tuple[Finding, ...] = ()
    """Why the previous plan was refused."""
    lessons: tuple[str, ...] = ()
    """Advice from earlier runs, in words."""
