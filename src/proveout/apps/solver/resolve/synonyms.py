"""Everyday words for the same undertaking: people rarely quote the title of a project."""

from proveout.apps.solver.resolve.folding import words

_GROUPS = (
    "prototype, first sample, mock-up, mockup, demonstrator, proof of concept",
    "pilot, trial, test run, dry run, experiment, testing, test",
    "certification, formal approval, approval, accreditation, type approval, homologation",
    "redesign, new layout, new design, rework, remodelling, overhaul",
    "supplier switch, change of vendor, vendor change, new supplier, change of supplier",
    "maintenance plan, upkeep schedule, servicing plan, maintenance, upkeep, servicing",
    "feasibility study, viability check, preliminary study, feasibility, viability",
    "audit, inspection, examination, review, check, assessment",
    "upgrade, modernisation, modernization, improvement, renewal, refresh",
    "rollout, introduction, deployment, launch, implementation",
    "training programme, staff courses, courses, schooling, training, workshops",
    "energy saving package, power reduction measures, energy savings, energy efficiency",
    "cost review, cost check, expense review, budget check, spending review, expenditure check",
    "digital twin, virtual model, simulation model, virtual copy",
    "refurbishment, renovation, restoration, repair",
    "optimisation, optimization, tuning, fine-tuning, streamlining",
    "migration, move, transfer, changeover, switchover",
    "monitoring, surveillance, observation, tracking, watching",
    "expansion, extension, enlargement, build-out",
    "standardisation, standardization, harmonisation, unification",
    "cleanup, clean-up, tidying, tidy-up",
    "warehouse, storehouse, depot, storage hall",
    "vessel, ship, boat",
    "plant, factory, works, production site",
    "railway, rail, train",
    "car, automotive, vehicle, automobile",
    "food, foodstuff, nutrition",
    "customer, client, purchaser",
    "battery, batteries, accumulator",
    "ventilation, fresh air, airing",
    "propulsion, drive, engine",
    "corrosion, rust",
    "coating, paint, painting, varnish",
    "floor, flooring, ground",
    "hygienic, sanitary, clean",
    "high-temperature, heat resistant, hot",
    "quick, fast, rapid, speedy",
)


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _GROUPS:
        members = [words(it) for it in line.split(",")]
        for phrase in members:
            for place, word in enumerate(phrase):
                if len(word) > 3:
                    others = (_counterpart(place, len(phrase), other) for other in members)
                    table.setdefault(word, set()).update(it for some in others for it in some)
    return {
        word: frozenset(it for it in others if len(it) > 3 and it != word)
        for word, others in table.items()
    }


def _counterpart(place: int, length: int, phrase: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a phrase that a word of another may stand for: of equally long ones, one."""
    return phrase[place : place + 1] if len(phrase) == length else phrase


_SAME = _table()


def synonyms(word: str) -> frozenset[str]:
    """Words that may stand for a folded word."""
    return _SAME.get(word, frozenset())
