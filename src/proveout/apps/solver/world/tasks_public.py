"""Families L and M: what anybody may know."""

from dataclasses import dataclass
from datetime import timedelta

from proveout.apps.solver.world.graph import World
from proveout.apps.solver.world.oracle_access import Need
from proveout.apps.solver.world.phrasing import Place, Verbatim
from proveout.apps.solver.world.places import ELSEWHERE
from proveout.apps.solver.world.tasks_draft import Draft, answer
from proveout.apps.solver.world.tasks_scene import Scene

FORMATS = {
    "DD-MM-YYYY": "%d-%m-%Y",
    "YYYY-MM-DD": "%Y-%m-%d",
    "DD.MM.YYYY": "%d.%m.%Y",
    "MM/DD/YYYY": "%m/%d/%Y",
}


@dataclass(frozen=True)
class Asked:
    place: Place
    present: bool


def _present(world: World) -> list[Asked]:
    cities = [Asked(Place({"en": s.city, **s.exonyms}), True) for s in world.sites]
    countries = [Asked(Place({"en": s.country}), True) for s in world.sites]
    near = [Asked(Place({"en": city}), True) for s in world.sites for city in s.near]
    exact = [Asked(Place({"en": s.location}), True) for s in world.sites]
    return [*cities, *cities, *countries, *near, *exact]


def _absent(world: World) -> list[Asked]:
    """Known places that are no site, nor near one; countries only where no site is."""
    taken = {s.city for s in world.sites} | {n for s in world.sites for n in s.near}
    lands = {s.country for s in world.sites}
    cities = [Asked(Place({"en": c.name, **c.exonyms}), False) for c in ELSEWHERE]
    countries = sorted({c.country for c in ELSEWHERE} - lands)
    free = [c for c, e in zip(cities, ELSEWHERE, strict=True) if e.name not in taken]
    return [*free, *(Asked(Place({"en": land}), False) for land in countries)]


def _asked(scene: Scene, present: bool) -> Asked:
    return scene.rng.choice(_present(scene.world) if present else _absent(scene.world))


def _requester(scene: Scene) -> str:
    """Guests mostly; employees may ask it too."""
    return "" if scene.rng.random() < 0.7 else scene.rng.choice(scene.world.people).id


def _question(scene: Scene, frame: str, asked: list[Asked], truth: bool) -> Draft:
    slots = {name: one.place for name, one in zip(("place", "place2"), asked, strict=False)}
    says = ", ".join(f"{one.place.names['en']} {'yes' if one.present else 'no'}" for one in asked)
    return Draft(
        frame,
        slots,
        Need(("public.sites",)),
        answer(),
        f"Sites: {says}.",
        who=_requester(scene),
        truth=truth,
        settled=True,
    )


def one_place(scene: Scene) -> Draft | None:
    asked = _asked(scene, scene.rng.random() < 0.5)
    return _question(scene, "l_single", [asked], asked.present)


def either_place(scene: Scene) -> Draft | None:
    asked = [_asked(scene, scene.rng.random() < 0.4) for _ in range(2)]
    return _question(scene, "l_or", asked, any(one.present for one in asked))


def both_places(scene: Scene) -> Draft | None:
    asked = [_asked(scene, scene.rng.random() < 0.65) for _ in range(2)]
    return _question(scene, "l_and", asked, all(one.present for one in asked))


def past_date(scene: Scene) -> Draft | None:
    shape = scene.rng.choice(tuple(FORMATS))
    week = scene.rng.random() < 0.4
    days = 7 if week else scene.rng.choice((2, 3, 5, 10, 14, 30, 45))
    day = scene.today - timedelta(days=days)
    return Draft(
        "m_week_ago" if week else "m_date",
        {"n": days, "format": Verbatim(shape)},
        Need(("public.date",)),
        answer(says=(day.strftime(FORMATS[shape]),)),
        f"{days} days before {scene.today}.",
        who=_requester(scene),
        settled=True,
    )
