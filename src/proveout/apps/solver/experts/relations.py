"""What somebody is to a project: a question that names both, and nothing else, asks for the role.

So `What does she do on …?` needs no word for role, in whatever language it is asked.
"""

from proveout.apps.solver.experts.reading import Reading
from proveout.apps.solver.resolve.folding import fold, word_set

_WHAT = frozenset(
    fold(word)
    for word in word_set(
        "what which cosa che qual quale quali quoi que qu quel quelle qué cuál šta što čime"
        " koja koju kojoj шта чиме что чем кем какая какую какова 什 啥"
    )
)
"""Words that ask for a thing; those that ask when, why or how much ask for something else."""
_ROLES = frozenset({"ENGINEER", "DESIGNER", "QA", "OPS", "OTHER"})
_BESIDE = _ROLES | word_set(
    "ROLE INVOLVED PROJECT TEAM MANAGED PROFILE WHICH WHO HOW HOW_WORD LIST POINT CHECK EITHER"
    " AND YOU_WE ME SELF MY EMPLOYEE"
)
"""Concepts that such a question may touch; any other asks for more than a role."""
_MOST_UNKNOWN = 3
"""Unknown words that a verb and its company may be; more of them say something."""


def asks_role(reading: Reading) -> bool:
    """Whether a text asks what the person or requester in it is to its one project."""
    if len({it.ids for it in reading.of("project")}) != 1 or reading.concepts - _BESIDE:
        return False
    unknown = sum(len(it.text.split()) for it in reading.residue)
    if unknown > _MOST_UNKNOWN or reading.of("number", "date", "page", "skill", "will"):
        return False
    shown = [it.folded for it in reading.tokens if reading.shows(it)]
    names_role = reading.has("ROLE", *_ROLES) and "?" in reading.text.replace("？", "?")
    how = reading.has("HOW_WORD") and reading.has("INVOLVED")
    return names_role or how or bool(_WHAT & set(shown))


def asks_own_role(reading: Reading) -> bool:
    """The same of the requester, where nobody else is named."""
    return all(map(reading.is_requester, reading.people())) and asks_role(reading)
