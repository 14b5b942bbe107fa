"""The agents: a prompt file, a return type and an expert each."""

from dataclasses import replace

from proveout.apps.solver.entities import Identity
from proveout.apps.solver.experts.scene import Scene
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.propose import propose
from proveout.apps.solver.rules.ir import RuleBook
from proveout.apps.solver.task import SolverTask
from proveout.apps.solver.tools import TOOLS
from proveout.kernel.ports import Brief
from proveout.kernel.proposer import Role

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


def _proposed(brief: Brief) -> Plan:
    scene: Scene = brief.variables["scene"]
    told = replace(
        scene, findings=brief.findings, lessons=tuple(lesson.advice for lesson in brief.lessons)
    )
    return propose(brief.task.text, told)


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
ROLES = (PROPOSE,)
