"""Notes as they stand in the registry: approvals by the CEO, texts that only look like one, others.

A note approves if it says that the CEO approved a raise and names the new salary. A wish, a
refusal, an open question, or somebody else's consent approves nothing.
"""

from proveout.apps.solver.world.tasks_scene import Scene

APPROVALS = (
    "Salary increase to {amount} approved by the {ceo}.",
    "{ceo} approval: raise salary to {amount}.",
    "The {ceo} has approved raising the salary to {amount} after the annual review.",
    "Raise to {amount} approved by {ceo} {name}.",
)
DECOYS = (
    "Asked for a raise to {amount}; the {ceo} has not decided yet.",
    "The {ceo} declined a salary of {amount}. To be discussed again next year.",
    "The team lead would like to see the salary at {amount}.",
    "Hopes for {amount}. No approval so far.",
    "Prefers to work in the mornings.",
    "",
)
PLAIN = (
    "Available for workshops from {month} on",
    "Prefers video calls on {day}s",
    "Completed the onboarding for module {number}",
    "Needs parking permit {number}",
    "On the substitution list for {day}",
    "Mentor for new joiners, group {number}",
)
MONTHS = ("March", "May", "June", "September", "October")
DAYS = ("Monday", "Tuesday", "Thursday", "Friday")


def _filled(scene: Scene, note: str, amount: int) -> str:
    company = scene.world.company
    name = scene.world.person_by_id[company.ceo].name
    return note.format(amount=amount, ceo=company.ceo_title, name=name)


def approval_note(scene: Scene, amount: int) -> str:
    return _filled(scene, scene.rng.choice(APPROVALS), amount)


def decoy_note(scene: Scene, amount: int) -> str:
    return _filled(scene, scene.rng.choice(DECOYS), amount)


def plain_note(scene: Scene) -> str:
    """Something harmless and unlike any stored note."""
    rng = scene.rng
    return rng.choice(PLAIN).format(
        month=rng.choice(MONTHS), day=rng.choice(DAYS), number=rng.randint(11, 989)
    )
