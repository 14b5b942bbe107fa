"""The two agents of this app: a prompt file, a return type and an expert each."""

from proveout.kernel.proposer import Role
from proveout.testing.pattern import expert
from proveout.testing.pattern.proposals import Word
from proveout.testing.pattern.task import PatternTask

_EXAMPLE = PatternTask(expression="[a-f]+[0-9]{2}", shortest=6)

PROPOSE = Role(
    name="pattern/propose",
    returns=Word,
    description="Writes a word that a regular expression accepts.",
    expert=expert.propose,
    examples={
        "task": _EXAMPLE,
        "findings": (),
        "previous": None,
        "lessons": (),
        "style": "plain",
    },
)
DESCRIBE = Role(
    name="pattern/describe",
    returns=str,
    description="Says in one sentence what a regular expression accepts.",
    expert=expert.describe,
    examples={"expression": _EXAMPLE.expression},
)
ROLES = (PROPOSE, DESCRIBE)
