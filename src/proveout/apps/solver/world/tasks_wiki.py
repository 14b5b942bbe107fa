"""Families Y and Z: finding, writing, moving and removing wiki pages."""

from dataclasses import replace

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.oracle_access import Need
from proveout.apps.solver.world.phrasing import Verbatim
from proveout.apps.solver.world.spec import WikiWrite
from proveout.apps.solver.world.tasks_draft import Draft, answer
from proveout.apps.solver.world.tasks_scene import Scene

WRITE = ("wiki.write",)
STEMS = ("lunch_rota", "visitor_badges", "print_room", "plant_watering", "bike_rack", "key_box")
TEXTS = (
    "# Key box\n\nThe key box hangs “left of the door” – ask at the desk.",
    "Badges: return them by 18:00; don't lend them.",
    "# Rota\n\n- Monday: north wing\n- Tuesday: south wing",
    "Water the plants twice a week & never with coffee.",
    'Printer 3 is for A3 only (see label "large").',
)


def page_about(scene: Scene) -> Draft | None:
    pages = scene.world.wiki_of(scene.variant)
    topics = sorted(topic for topic, path in scene.world.topics.items() if path in pages)
    topic = scene.pick(topics)
    if topic is None:
        return None
    path = scene.world.topics[topic]
    return Draft(
        "y_page",
        {"topic": Verbatim(topic)},
        Need(("wiki.read",)),
        answer({"wiki": (path,)}),
        f"{path} tells about it.",
    )


def _fresh_path(scene: Scene) -> str:
    folders = [section.prefix for section in scene.policy.sections]
    return f"{scene.rng.choice(folders)}{scene.rng.choice(STEMS)}_{scene.rng.randint(2, 99)}.md"


def create_page(scene: Scene) -> Draft | None:
    """The text ends the task, so that nothing may follow it: not where a code must be stated."""
    if scene.policy.code_for("wiki.write") is not None:
        return None
    path, content = _fresh_path(scene), scene.rng.choice(TEXTS)
    return Draft(
        "z_create",
        {"page": Verbatim(path), "content": Verbatim(content)},
        Need(WRITE, page=path),
        replace(answer({"wiki": (path,)}), wiki_writes=(WikiWrite(path, content),)),
        f"{path} belongs to {scene.policy.owner(path)}.",
    )


def delete_page(scene: Scene) -> Draft | None:
    path = scene.pick(_ordinary_pages(scene))
    if path is None:
        return None
    return Draft(
        "z_delete",
        {"page": Verbatim(path)},
        Need(WRITE, page=path),
        replace(answer(), wiki_writes=(WikiWrite(path, ""),)),
        f"{path} belongs to {scene.policy.owner(path)}; emptied.",
    )


def rename_page(scene: Scene) -> Draft | None:
    path = scene.pick(_ordinary_pages(scene))
    if path is None:
        return None
    stem = path.removesuffix(".md")
    renamed = scene.rng.choice((f"{stem}_old.md", f"{stem}_v2.md", f"{path}.bak"))
    writes = (WikiWrite(renamed, content_of=path), WikiWrite(path, ""))
    return Draft(
        "z_rename",
        {"page": Verbatim(path), "page2": Verbatim(renamed)},
        Need(WRITE, page=path),
        replace(answer({"wiki": (renamed,)}), wiki_writes=writes),
        f"{path} belongs to {scene.policy.owner(path)}; copied, then emptied.",
    )


def _ordinary_pages(scene: Scene) -> list[str]:
    """Pages inside a section: there, nobody doubts who looks after them."""
    sections = tuple(section.prefix for section in scene.policy.sections)
    return sorted(p for p in scene.world.wiki_of(scene.variant) if p.startswith(sections))


def list_leads(scene: Scene) -> Draft | None:
    leads = oracle.all_leads(scene.world)
    if not leads:
        return None
    path = _fresh_path(scene)
    return Draft(
        "z_list_leads",
        {"page": Verbatim(path)},
        Need((*WRITE, "project.team", "employee.directory"), page=path),
        replace(answer({"wiki": (path,)}), wiki_writes=(WikiWrite(path),)),
        f"{len(leads)} leads; {path} belongs to {scene.policy.owner(path)}.",
    )
