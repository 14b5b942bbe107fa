"""The tasks of a world: every family, allow and deny in about equal share, drawn from the seed."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from proveout.apps.solver.world import adversarial
from proveout.apps.solver.world import tasks_crm as crm
from proveout.apps.solver.world import tasks_people as people
from proveout.apps.solver.world import tasks_profiles as profiles
from proveout.apps.solver.world import tasks_projects as projects
from proveout.apps.solver.world import tasks_public as public
from proveout.apps.solver.world import tasks_records as records
from proveout.apps.solver.world import tasks_registry as registry
from proveout.apps.solver.world import tasks_time as time
from proveout.apps.solver.world import tasks_wiki as wiki
from proveout.apps.solver.world.graph import Variant, World
from proveout.apps.solver.world.phrasing import Speaker
from proveout.apps.solver.world.spec import TaskSpec
from proveout.apps.solver.world.tasks_draft import Draft, complete
from proveout.apps.solver.world.tasks_scene import Cast, Scene
from proveout.apps.solver.world.wordings import lexicon

Sketch = Callable[[Scene], Draft | None]
MOST_TRIES = 25
MERGED_SHARE = 0.35
"""Share of tasks that play after the merger, where there was one."""


@dataclass(frozen=True)
class Family:
    letter: str
    name: str
    sketches: tuple[tuple[Sketch, int], ...]
    """How tasks are sketched, and how many of each kind a world gets."""

    @property
    def title(self) -> str:
        return f"{self.letter} {self.name}"


FAMILIES: tuple[Family, ...] = (
    Family(
        "A",
        "project roles",
        (
            (projects.lead_of_project, 2),
            (projects.my_role, 1),
            (projects.department_of_role, 1),
            (projects.role_of_surname, 2),
        ),
    ),
    Family(
        "B",
        "project customers",
        (
            (projects.contact_of_project, 2),
            (projects.customer_of_project, 1),
            (projects.manager_and_lead, 1),
        ),
    ),
    Family("C", "biggest slice", ((projects.biggest_slice, 2),)),
    Family(
        "D",
        "vague requests",
        ((projects.vague_project, 1), (projects.first_name_only, 2), (projects.nonsense, 1)),
    ),
    Family(
        "E",
        "people and projects",
        (
            (projects.projects_of_person, 2),
            (projects.projects_led, 1),
            (projects.my_projects_with, 2),
            (projects.both_involved, 1),
        ),
    ),
    Family(
        "F",
        "busiest people",
        (
            (people.workload_in_department, 2),
            (people.workload_at_site, 2),
            (people.workload_unlisted, 1),
        ),
    ),
    Family("G", "workload", ((people.workload_of_person, 3),)),
    Family(
        "H",
        "skill extremes",
        (
            (people.send_trainer, 1),
            (people.most_eager, 1),
            (people.expert_outside, 1),
            (people.least_skilled, 1),
            (people.idle_and_strong, 1),
        ),
    ),
    Family(
        "I",
        "strong in",
        ((people.strong_in_both, 2), (people.strong_at_site, 2)),
    ),
    Family("J", "coaching", ((people.coaches, 2),)),
    Family("K", "salary parity", ((records.pay_parity, 2),)),
    Family(
        "L",
        "locations",
        ((public.one_place, 3), (public.either_place, 1), (public.both_places, 1)),
    ),
    Family("M", "dates", ((public.past_date, 2),)),
    Family("N", "my projects and roles", ((projects.my_projects_by_role, 3),)),
    Family(
        "O",
        "salaries",
        (
            (records.own_salary, 1),
            (records.salary_of_other, 3),
            (records.all_salaries, 1),
            (records.broken_identity, 1),
        ),
    ),
    Family("P", "time logging", ((time.log_for_other, 4), (time.log_own, 1))),
    Family(
        "Q",
        "approved raises",
        (
            (records.approved_raise, 2),
            (records.approved_raises, 1),
            (records.planted_approval, 1),
        ),
    ),
    Family(
        "R",
        "customer lookup",
        (
            (crm.contact_of_customer, 2),
            (crm.account_manager, 1),
            (crm.projects_of_customer, 1),
            (crm.managed_by, 1),
            (crm.email_of_contact, 1),
        ),
    ),
    Family(
        "S",
        "rankings",
        (
            (crm.most_exploring, 1),
            (crm.more_projects, 1),
            (crm.missing_party, 1),
            (crm.more_projects_of_people, 1),
        ),
    ),
    Family("T", "directory", ((records.email_of, 1), (records.phone_of, 2))),
    Family(
        "U",
        "profile edits",
        (
            (profiles.replace_note, 1),
            (profiles.skill_by_first_name, 1),
            (profiles.note_for_department, 1),
            (profiles.will_and_note, 1),
        ),
    ),
    Family("V", "salary edits", ((profiles.change_salary, 3),)),
    Family("W", "project status", ((registry.change_status, 3),)),
    Family("X", "own skills", ((profiles.reflect, 2),)),
    Family("Y", "wiki questions", ((wiki.page_about, 3),)),
    Family(
        "Z",
        "wiki edits",
        (
            (wiki.create_page, 2),
            (wiki.delete_page, 1),
            (wiki.rename_page, 1),
            (wiki.list_leads, 1),
        ),
    ),
    Family("AA", "team swaps", ((registry.swap_members, 3),)),
    Family("AB", "unsupported", ((crm.unsupported, 3),)),
    Family(
        "AC",
        "skill tables",
        (
            (people.skills_i_lack, 1),
            (people.skills_in_project, 1),
            (people.strongest_will, 1),
        ),
    ),
    Family("AD", "hours", ((time.hours_of_project, 2), (time.hours_of_person, 2))),
    Family("AE", "void and copy", ((time.void_and_copy, 2),)),
)


def draw_tasks(world: World, families: frozenset[str] = frozenset()) -> tuple[TaskSpec, ...]:
    """All tasks of the world; only the named families (by letter or title), if any are named.

    A family's tasks are the same whether it is drawn alone or with the others.
    """
    cast = Cast(world)
    drawn: list[TaskSpec] = []
    for family in FAMILIES:
        if not families or {family.letter, family.title} & families:
            drawn += _draw_family(world, cast, family)
    if not families or {adversarial.LETTER, adversarial.TITLE} & families:
        drawn += adversarial.draw(lambda key, deny: _scene(world, cast, key, deny))
    return tuple(drawn)


def _draw_family(world: World, cast: Cast, family: Family) -> list[TaskSpec]:
    """Two in five are meant to be refused, so that refusing everything does not pay."""
    drawn: list[TaskSpec] = []
    for sketch, count in family.sketches:
        kind = sketch.__name__
        start = random.Random(f"tasks/{world.seed}/{family.letter}/{kind}").randrange(5)
        for number in range(count):
            deny = (start + 2 * number) % 5 < 2
            spec_id = f"{family.letter.lower()}.{kind}.{number + 1}"
            task = _draw(world, cast, sketch, spec_id, family.title, deny=deny)
            if task is not None:
                drawn.append(task)
    return drawn


def _draw(
    world: World, cast: Cast, sketch: Sketch, spec_id: str, title: str, *, deny: bool
) -> TaskSpec | None:
    """Tries until a draft can be asked beyond dispute, and gives up after a while."""
    for attempt in range(MOST_TRIES):
        scene = _scene(world, cast, f"{spec_id}/{attempt}", deny)
        draft = sketch(scene)
        task = complete(scene, draft, spec_id, title) if draft is not None else None
        if task is not None:
            return task
    return None


def _scene(world: World, cast: Cast, key: str, deny: bool) -> Scene:
    rng = random.Random(f"task/{world.seed}/{world.profile}/{key}")
    merged = world.merger is not None and rng.random() < MERGED_SHARE
    variant: Variant = "merged" if merged else "base"
    today = date.fromisoformat(world.today) + timedelta(days=rng.randint(-20, 40))
    return Scene(world, cast, Speaker(lexicon(world.seed), rng), rng, variant, deny, today)
