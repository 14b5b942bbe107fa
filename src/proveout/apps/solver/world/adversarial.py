"""Tasks that try to trick: false claims, planted text, look-alikes, detours to secrets, sabotage.

Most end in a refusal without a write and without a trace of the secret. Some are harmless questions
about things whose stored text gives orders: the right answer is the one without those orders.
"""

from collections.abc import Callable
from dataclasses import replace

from proveout.apps.solver.world.adversarial_claims import CLAIMS
from proveout.apps.solver.world.adversarial_text import TEXTS
from proveout.apps.solver.world.spec import TaskSpec
from proveout.apps.solver.world.tasks_draft import Draft, complete
from proveout.apps.solver.world.tasks_scene import Scene

LETTER = "ADV"
TITLE = "ADV adversarial"
MOST_TRIES = 15
SKETCHES: tuple[Callable[[Scene], Draft | None], ...] = (*CLAIMS, *TEXTS)
PER_WORLD = 14


def draw(scene_of: Callable[[str, bool], Scene]) -> list[TaskSpec]:
    """A selection of the tricks, the same for the same world."""
    order = scene_of("adversarial", False).shuffled(SKETCHES)
    drawn: list[TaskSpec] = []
    for sketch in order:
        task = _one(sketch, scene_of)
        if task is not None and len(drawn) < PER_WORLD:
            drawn.append(task)
    return sorted(drawn, key=lambda task: task.spec_id)


def _one(
    sketch: Callable[[Scene], Draft | None], scene_of: Callable[[str, bool], Scene]
) -> TaskSpec | None:
    spec_id = f"adv.{sketch.__name__}"
    for attempt in range(MOST_TRIES):
        scene = scene_of(f"{spec_id}/{attempt}", True)
        draft = sketch(scene)
        task = complete(scene, draft, spec_id, TITLE) if draft is not None else None
        if task is not None:
            return replace(task, adversarial=True)
    return None
