"""A made-up company to read task texts against: names only."""

from proveout.apps.solver.resolve.resolution import CustomerName, Names, PersonName, ProjectName

_PEOPLE = """
TW01_001 Ingrid Solheim | Management | Head Office – Norway
TW01_002 Björn Åkesson | Management | Head Office – Norway
TW01_003 Matteo Ricciardi | Sales | Lyon Branch – France
TW01_004 Claire Dubois-Martin | Sales | Lyon Branch – France
TW01_005 Pablo Núñez Ortega | Sales | Valencia Branch – Spain
TW01_006 Jelena Petković | Manufacturing – Serbia | Kragujevac Plant
TW01_007 Luka Đorđević | Manufacturing – Serbia | Kragujevac Plant
TW01_008 Dmitri Sokolov | Research & Development | Head Office – Norway
TW01_009 Anna van der Meer | Research & Development | Head Office – Norway
TW01_010 Hannah Müller | Research & Development | Head Office – Norway
TW01_011 Jonas Vogt | Human Resources (HR) | Head Office – Norway
TW01_012 Sofia Rinaldi | Human Resources (HR) | Head Office – Norway
TW01_013 Marco Rinaldi | Finance | Head Office – Norway
TW01_014 Elena Kovač | Finance | Head Office – Norway
TW01_015 Thomas O'Brien | Sales | Valencia Branch – Spain
TW01_016 Ayşe Yılmaz | Research & Development | Head Office – Norway
TW01_017 Petra Novotná | Manufacturing – Serbia | Kragujevac Plant
TW01_018 Karl Weber | External Partners | Head Office – Norway
TW01_019 Julia Weber | Research & Development | Lyon Branch – France
TW01_020 Sofia Lindqvist | Finance | Head Office – Norway
"""
_PROJECTS = """
proj_nordlys_turbine_vibration | Turbine vibration monitoring | Continuous vibration \
measurement on hydro turbines at Nordlys power stations | Nordlys Hydropower Grp | active
proj_alpina_cable_tension | Cable tension sensors for ski lifts | Wireless sensors that watch the \
tension of haul cables | Alpina Ski Lifts | exploring
proj_mistral_blade_icing | Blade icing detector | Detection of ice on rotor blades of wind \
turbines | Mistral Wind Parks | active
proj_solana_membrane_probe | Membrane salinity probe | Probe for salinity behind reverse osmosis \
membranes | Solana Desalination | paused
proj_danubia_sluice_gauge | Sluice gate level gauge | Radar gauge for water levels at sluice gates \
on the Danube | Danubia Waterways | idea
proj_baltic_hull_scan | Hull fouling scanner | Optical scan of fouling on ferry hulls | Baltic \
Ferry Lines | archived
proj_baltic_deck_camera | Deck camera calibration | Calibration service for deck cameras of \
ferries | Baltic Ferry Lines | exploring
proj_int_lab_booking | Lab booking tool | Internal tool to reserve laboratory benches | | active
"""
_CUSTOMERS = """
cust_nordlys | Nordlys Hydropower Grp | Norway | Operator of hydro power stations in the north | \
Astrid Holm
cust_alpina | Alpina Ski Lifts | Austria | Builder of cable cars and ski lifts | Franz Huber
cust_mistral | Mistral Wind Parks | France | Wind park operator on the coast | Luc Moreau
cust_solana | Solana Desalination | Spain | Desalination plants for coastal towns | Teresa Vidal
cust_danubia | Danubia Waterways | Serbia | Authority for inland waterways | Nenad Ilić
cust_baltic | Baltic Ferry Lines | Estonia | Ferry company between northern ports | Mari Tamm
"""
LABELS = {
    "skill_optics": "Optical design",
    "skill_firmware": "Firmware development",
    "skill_metrology": "Metrology and calibration",
    "skill_norwegian": "Norwegian language",
    "skill_contracts": "Contract negotiation",
    "will_relocation": "Readiness to relocate",
    "will_mentoring": "Interest in mentoring newcomers",
    "will_automation": "Enthusiasm for automation",
}
PAGES = (
    "company/history.md",
    "handbook/time_booking.md",
    "hr/leave_policy.md",
    "sales/pricing.md",
)


def _rows(block: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|")] for line in block.strip().splitlines()]


def tarnwerk() -> Names:
    people = [(first.split(" ", 1), rest) for first, *rest in _rows(_PEOPLE)]
    return Names(
        people=tuple(PersonName(id_, name, rest[0], rest[1]) for (id_, name), rest in people),
        projects=tuple(ProjectName(*row) for row in _rows(_PROJECTS)),
        customers=tuple(CustomerName(*row) for row in _rows(_CUSTOMERS)),
        departments=tuple(sorted({rest[0] for _, rest in people})),
        locations=tuple(sorted({rest[1] for _, rest in people})),
        skills=tuple(it for it in LABELS if it.startswith("skill")),
        wills=tuple(it for it in LABELS if it.startswith("will")),
        labels=LABELS,
        pages=PAGES,
    )
