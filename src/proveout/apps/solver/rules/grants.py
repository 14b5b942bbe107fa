"""How firmly a clause grants something: not every sentence that names people and a verb permits."""

import re
from collections.abc import Sequence
from typing import Literal

from proveout.apps.solver.rules.cast import Mention
from proveout.apps.solver.rules.lexicon import Action
from proveout.apps.solver.rules.spots import ActionSpot, Spots, TopicSpot

Strength = Literal["explicit", "duty", "sight", "none"]
"""`explicit` is a permission in so many words; `duty` a change that is someone's task; `sight` a
plain statement that someone sees something. The last two cover changes and reads respectively."""

_PERMISSION = re.compile(
    r"\b(?:may|can|cannot|can't|must|mustn't|shall|should|allowed|permitted|entitled|authori[sz]ed"
    r"|able|free|never"
    r"|not|encouraged|expected|required|right|only|no access|access|forbidden|prohibited|welcome"
    r"|asked|barred"
    r"|do|does|don't|has to|have to|need to|needs to|ought to|supposed to)\b"
)
_TO_PEOPLE = re.compile(
    r"^\s*(?:only |solely |exclusively |just |either |both )*(?:by|to|for|with|from)\b"
    r"|^\s*(?:only\s+)?$"
)
_OF_PEOPLE = re.compile(
    r"\b(?:responsibility|task|job|duty|privilege|matter|prerogative|hands|right|domain"
    r"|decision)\s+(?:of|for)\s*(?:the\s+)*$"
    r"|\b(?:rests?|lies?|stays?|remains?|sits?) with\s*(?:the\s+)*$"
)
_MADE_BY = re.compile(
    r"\b(?:made|done|carried out|handled|entered|performed|executed)"
    r"(?: (?:only|solely|exclusively))? by\s*(?:the\s+)*$"
)
"""Before whoever makes the changes that the noun already speaks of."""
_OPEN_TO = re.compile(
    r"\b(?:off.limits|closed|forbidden|open|visible|reserved|restricted|limited|left|up|denied"
    r"|available|allowed|permitted)"
    r"\s+(?:only\s+)?(?:to|for)\s*(?:the\s+)*$"
)
_ADDRESSED = re.compile(
    r"\b(?:go|goes|put|addressed|directed|sent|referred|forwarded|turn|passed(?: on)?) to\s*"
    r"(?:the\s+)*$"
)
"""Before people who are asked, which does not make them the subject of the verb that follows."""
_ASIDE_WORDS = 2
"""Words of no known meaning that a grant without a verb may hold."""
_PLAIN_SIGHT = frozenset(
    {"see", "sees", "view", "views", "read", "reads", "know", "knows", "learn", "learns", "access"}
)
_LINKING = re.compile(
    r"may|can|could|must|shall|should|will|would|is|are|be|been|being|am|was|were|do|does|did"
    r"|has|have|had|allowed|permitted|entitled|authorised|authorized|able|free|to|not|never"
    r"|cannot|can't|mustn't|don't|doesn't|isn't|aren't|won't|only|solely|exclusively|also"
    r"|always|alone|themselves|normally|usually|generally|jointly|both|all|each|then|still|the"
    r"|right|full|complete|no|access|ever|expected|encouraged|required|asked|need|needs|a|an"
    r"|any|explicitly|strictly|who|and|or|else|nobody|one|in|on|at|by|for|with|of|from|other"
    r"|than|but|it|them|their|his|her|its|own|directly|freely|themself|regularly|welcome"
    r"|supposed|meant|as|well|too|either|neither|nor|whoever|they|that|which|nothing"
)


def grant_strength(
    spots: Spots, people: Sequence[Mention], cut: int, implied: Action | None
) -> Strength:
    """The firmest tie between any of the people and any verb of the clause."""
    verbs = [one for one in spots.actions if one.end <= cut]
    if not people:
        return _without_people(spots, verbs, implied)
    if not verbs:
        if any(_MADE_BY.search(spots.text[: person.start]) for person in people):
            return "explicit"
        closed = spots.has("only") or spots.has("negation")
        # Under a heading, names alone are a grant; a tale about them is none.
        named = implied == "see" and len(_strange(spots.text, spots, None)) <= _ASIDE_WORDS
        return "sight" if closed or named else "none"
    found = {_tie(spots, person, verb) for person in people for verb in verbs}
    if implied == "see":
        found.add("sight")
    order: tuple[Strength, ...] = ("explicit", "duty", "sight")
    return next((strength for strength in order if strength in found), "none")


def _without_people(spots: Spots, verbs: Sequence[ActionSpot], implied: Action | None) -> Strength:
    """The heading or the sentence before names people: the clause must begin with the grant."""
    if not verbs:
        closed = spots.has("only") or spots.has("negation")
        return "sight" if implied == "see" or closed else "none"
    before = spots.text[: verbs[0].start]
    if _PERMISSION.search(before) and len(_strange(before, spots, None)) <= 2:
        return "explicit"
    gerund = spots.text[verbs[0].start : verbs[0].end].endswith("ing")
    if not gerund and not _strange(before, spots, None):
        return "duty"
    return "sight" if implied == "see" else "none"


def _tie(spots: Spots, person: Mention, verb: ActionSpot) -> Strength:
    if verb.end <= person.start:
        between = spots.text[verb.end : person.start]
        strange = _strange(between, spots, person)
        near = len(strange) <= 1 and (_TO_PEOPLE.match(between) or _listed(spots, person, verb))
        tied = near or _OF_PEOPLE.search(between) or _OPEN_TO.search(between)
        return "explicit" if tied else "none"
    between = spots.text[person.end : verb.start]
    if re.search(
        r"\b(?:forbidden|prohibited|allowed|permitted|off limits) (?:for|to)\s*(?:the\s+)*$",
        spots.text[: person.start],
    ):
        return "explicit"
    if _ADDRESSED.search(spots.text[: person.start]):
        return "none"
    strange = _strange(between, spots, person)
    if _PERMISSION.search(between) and len(strange) <= 3:
        return "explicit"
    if strange or re.search(r"[.;]", between):
        return "none"
    if re.search(r"\b(?:to|of|by|for|with)\s*$", spots.text[: person.start]):
        return "none"
    if verb.action == "see":
        return "sight" if spots.text[verb.start : verb.end] in _PLAIN_SIGHT else "none"
    return "duty"


def _listed(spots: Spots, person: Mention, verb: ActionSpot) -> bool:
    """Whether other people of the same list stand between verb and person, after `by` or `to`."""
    first = min((one for one in spots.people if one.start >= verb.end), key=lambda one: one.start)
    return first.start < person.start and bool(_TO_PEOPLE.match(spots.text[verb.end : first.start]))


def _strange(between: str, spots: Spots, person: Mention | None) -> list[str]:
    """Words that are neither links nor names of people and data."""
    bare = re.sub(r"\([^)]*\)", " ", between)
    others: tuple[Mention | TopicSpot, ...] = spots.people + spots.topics
    for other in others:
        if person is None or other.start != person.start:
            bare = bare.replace(spots.text[other.start : other.end], " ")
    return [word for word in re.findall(r"[\w']+", bare) if not _LINKING.fullmatch(word)]
