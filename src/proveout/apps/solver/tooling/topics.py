"""What pages of a company's handbook are called, and what people say who look for them.

Everyday vocabulary: whoever asks for days off looks for a page on leave. The words of a group lead
to each other when pages are searched; the index itself reduces them to their stems.
"""

_GROUPS = (
    "history began begin beginnings founded founding founder foundation origins origin established "
    "chronicle",
    "leave vacation holidays absence absences pto sabbatical",
    "onboarding newcomer newcomers joiner joiners induction",
    "offboarding leaver leavers resignation termination notice",
    "dress clothes clothing wear attire outfit",
    "password passwords credentials login passphrase",
    "printer printers print printing plotter copier",
    "expenses expense reimbursement reimbursed refund receipts",
    "travel trip trips journey journeys",
    "purchasing purchase purchases procurement buying buy",
    "complaint complaints complain grievance dissatisfied",
    "values principles beliefs ethics",
    "mission vision purpose strategy goals",
    "canteen cafeteria lunch meals food restaurant",
    "fire evacuation alarm drill emergency",
    "safety accident accidents injury hazard",
    "security breach phishing incident",
    "parking park cars garage",
    "remote telework telecommuting home-office",
    "training course courses learning education seminar",
    "salary salaries pay wages payroll compensation remuneration",
    "bonus bonuses premium incentive",
    "benefits perks insurance pension",
    "fairs fair exhibition exhibitions tradeshow",
    "merger takeover acquisition acquired",
    "externals contractors freelancers external",
    "privacy confidentiality gdpr",
    "equipment hardware laptop laptops devices",
    "sick illness ill sickness",
)


def _related() -> dict[str, frozenset[str]]:
    related: dict[str, frozenset[str]] = {}
    for line in _GROUPS:
        group = frozenset(line.split())
        for word in group:
            related[word] = related.get(word, frozenset()) | group
    return related


_RELATED = _related()


def related(word: str) -> frozenset[str]:
    """Other words for the same subject; none for a word that is not the handbook's."""
    said = word.casefold()
    return _RELATED.get(said, frozenset()) - {said}
