"""The agents: a prompt file, a return type and an expert each."""

from dataclasses import replace

from pydantic import Field

from proveout.apps.solver.entities import Identity
from proveout.apps.solver.experts.scene import Scene
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.proposing import propose
from proveout.apps.solver.rules.ir import Rule, RuleBook
from proveout.apps.solver.task import SolverTask
from proveout.apps.solver.tools import TOOLS
from proveout.apps.solver.words import READS, WRITES
from proveout.kernel.ports import Brief
from proveout.kernel.proposer import Role
from proveout.kernel.types import Frozen

MOST_PROPOSED = 60


class Sentence(Frozen):
    """A sentence of the wiki that no matcher understood, as a model sees it."""

    id: str
    page: str
    anchor: str
    quote: str


class Relevant(Frozen):
    """Ids of the sentences that state a rule."""

    sentences: tuple[str, ...] = Field(default=(), max_length=MOST_PROPOSED)


class ProposedRules(Frozen):
    """Rules as proposed; each must still prove that its quote says it."""

    rules: tuple[Rule, ...] = Field(default=(), max_length=MOST_PROPOSED)


_EXAMPLE = SolverTask(
    text="Who leads the harbour crane project?", task_url="http://127.0.0.1:8765/erc3-dev/tsk-1"
)
_SCENE = Scene(
    identity=Identity(
        current_user="emp_7",
        is_public=False,
        location="Main Site",
        department="Finance",
        today="2026-03-05",
        wiki_sha1="0" * 40,
    )
)
_SENTENCES = (
    Sentence(
        id="s1",
        page="hr/notes.md",
        anchor="Notes",
        quote="Notes on people are nobody's business but the personnel team's.",
    ),
)


def _proposed(brief: Brief) -> Plan:
    scene: Scene = brief.variables["scene"]
    told = replace(
        scene, findings=brief.findings, lessons=tuple(lesson.advice for lesson in brief.lessons)
    )
    return propose(brief.task.text, told)


def _nothing_more(brief: Brief) -> Relevant:
    """The matchers have read these sentences already and made nothing of them."""
    del brief
    return Relevant()


def _no_rules(brief: Brief) -> ProposedRules:
    del brief
    return ProposedRules()


PROPOSE = Role(
    name="solver/propose",
    returns=Plan,
    description="Turns a request into a plan of calls, SQL, reply and changes.",
    expert=_proposed,
    examples={
        "task": _EXAMPLE,
        "findings": (),
        "previous": None,
        "lessons": (),
        "scene": _SCENE,
        "tools": TOOLS,
        "rules": RuleBook(digest="0" * 40, profile="wiki", rules=()),
    },
)
RULES_GATE = Role(
    name="solver/rules_gate",
    returns=Relevant,
    description="Says which sentences of a wiki state a rule.",
    expert=_nothing_more,
    examples={"sentences": _SENTENCES, "round": 0, "findings": ()},
)
RULES_COMPILE = Role(
    name="solver/rules_compile",
    returns=ProposedRules,
    description="Turns sentences of a wiki into rules.",
    expert=_no_rules,
    examples={
        "sentences": _SENTENCES,
        "departments": ("Finance", "People"),
        "operations": (*READS, *WRITES),
        "round": 0,
        "findings": (),
    },
)
ROLES = (PROPOSE, RULES_GATE, RULES_COMPILE)
