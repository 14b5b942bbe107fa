"""What one clause says about who may do what.

Active ("HR may see salaries"), passive ("salaries are visible to HR"), exclusive ("only HR",
"nobody but HR"), negated, with exceptions, conditions and references to oneself, to one's own team
or to projects one leads.
"""

import re
from dataclasses import replace
from typing import Literal, get_args

from proveout.apps.solver.rules.cast import Cast
from proveout.apps.solver.rules.clause import Clause, Scene
from proveout.apps.solver.rules.conditions import Reading, conditioned
from proveout.apps.solver.rules.contrast import plainly
from proveout.apps.solver.rules.grants import Strength, grant_strength
from proveout.apps.solver.rules.ir import Audience
from proveout.apps.solver.rules.lexicon import OWN_TWIN, operations_for
from proveout.apps.solver.rules.spots import TopicSpot, spot
from proveout.apps.solver.rules.text import fold
from proveout.apps.solver.words import READS, Operation, ReadOperation

__all__ = ["Reading", "Scene", "read_clauses"]

_SPLIT = re.compile(
    r";(?!\s*(?:and\s+)?(?:nobody|no one) else|\s*the status must)"
    r"|(?<!nobody)(?<!no one)(?<!nothing)(?<!none),?\s+(?:but(?! also| not| only)|whereas|while"
    r"|however|yet)\s+"
    r"|\.\s+"
)
_SECRET_TOPICS = frozenset({"salary", "notes", "contact", "time", "workload"})
_REST = re.compile(r"\b(?:anything|everything|nothing) (?:else|beyond|more|further)\b")
_NOT_COUNTED = re.compile(r"\bnot (?:used|counted|taken|considered|relevant|needed)\b")
"""Said of what a figure is made of, not of who may have it."""
_INVERTED = re.compile(
    r"\W*(only (?:with|after|upon|on|once|if|when)\b[^,.;]{3,80}?)\s+(may|can|shall|must)\s+", re.I
)
_CLAUSE_START = 3
_EVERYONE = Audience(who="everyone")


def read_clauses(text: str, scene: Scene) -> tuple[Reading, ...]:
    """Everything the text says about permissions; later clauses lean on earlier ones."""
    readings: list[Reading] = []
    for part in _parts(_straight(plainly(text, scene.cast), scene.cast), scene.cast):
        clause = Clause(spot(part, scene.cast), scene)
        readings += _read(clause)
        scene = replace(
            scene,
            people=clause.subjects() or scene.people,
            topics=clause.main_topics() or scene.topics,
            action=clause.last_action() or scene.action,
            context=f"{scene.context} {clause.spots.text}",
        )
    return tuple(readings)


def _straight(text: str, cast: Cast) -> str:
    """`Only with X's approval may A do B`, in the order `A may do B, only with X's approval`."""
    turned = _INVERTED.match(text)
    if not turned:
        return text
    rest = text[turned.end() :]
    subject = next(iter(cast.mentions(rest)), None)
    if subject is None or rest[: subject.start].strip().lower() not in {"", "the"}:
        return text
    who, deed = rest[: subject.end], rest[subject.end :].rstrip(" .")
    return f"{who} {turned[2]}{deed}, {turned[1]}."


def _parts(text: str, cast: Cast) -> list[str]:
    parts = []
    begin = 0
    for cut in _SPLIT.finditer(fold(text)):
        parts += _by_subject(text[begin : cut.start()], cast)
        begin = cut.end()
    return parts + _by_subject(text[begin:], cast)


def _by_subject(part: str, cast: Cast) -> list[str]:
    """Split where a second subject with its own verb begins: `..., and HR may ...`."""
    spots = spot(part, cast)
    if any(one.start < _CLAUSE_START for one in spots.signs["exception"]):
        return [part]
    for person in spots.people:
        before, after = spots.text[: person.start], spots.text[person.end :]
        begins = re.search(r"(?:,|\band|\bbut|,\s*and)\s*(?:only\s+|the\s+)*$", before)
        goes_on = re.match(r"\s*(?:may|can|must|are|is|have|has|will|cannot|do|does)\b", after)
        complete = any(one.end <= person.start for one in spots.topics) and any(
            one.end <= person.start for one in spots.actions
        )
        if begins and goes_on and complete:
            cut = begins.start()
            return [part[:cut], *_by_subject(part[begins.start() :].lstrip(" ,"), cast)]
    return [part]


def _read(clause: Clause) -> list[Reading]:
    topics = clause.main_topics()
    if not topics and _REST.search(clause.spots.text):
        return []
    topics = topics or clause.scene.topics
    operations = clause.operations(topics, own=True)
    excepted = clause.excepted_operations()
    audience = clause.audience()
    if clause.needs_approval() and not clause.named() and operations:
        writes = tuple(one for one in operations if one not in READS)
        return [Reading("deny", (_EVERYONE,), writes, (), ("not_ceo_approval",))] if writes else []
    if excepted and audience:
        return _around(clause, audience, operations, excepted)
    if not operations:
        return []
    if not audience:
        return _unaddressed(clause, topics, operations)
    return _addressed(clause, audience, operations)


def _around(
    clause: Clause,
    audience: tuple[Audience, ...],
    operations: tuple[Operation, ...],
    excepted: tuple[Operation, ...],
) -> list[Reading]:
    """`nothing except X`, `everything except X`."""
    denied = "nothing" in clause.spots.text or any(
        one.end <= clause.out_start for one in clause.spots.signs["negation"]
    )
    if denied:
        rest = operations or _other_reads(excepted)
        return [
            Reading("allow", audience, excepted),
            Reading("deny", audience, _minus(rest, excepted)),
        ]
    result = [Reading("deny", audience, excepted)]
    if left := _minus(operations, excepted):
        result.append(Reading("allow", audience, left))
    return result


def _unaddressed(
    clause: Clause, topics: tuple[TopicSpot, ...], operations: tuple[Operation, ...]
) -> list[Reading]:
    """Something is confidential, or is not to be done, whoever asks."""
    secret = clause.spots.has("secret") or (
        clause.spots.has("negation") and bool(clause.spots.actions)
    )
    if (
        not secret
        or _NOT_COUNTED.search(clause.spots.text)
        or not any(one.topic in _SECRET_TOPICS for one in topics)
    ):
        return []
    reads = tuple(
        operation
        for one in topics
        if one.topic in _SECRET_TOPICS
        for operation in operations_for("see", one.topic)
        if operation in operations
    )
    # Nobody is a stranger to their own hours.
    hours = tuple(one for one in reads if one == "time.entries")
    others = tuple(one for one in reads if one != "time.entries")
    return [
        Reading("deny", (_EVERYONE,), some, (), needs)
        for some, needs in ((others, ()), (hours, ("not_self",)))
        if some
    ]


def _addressed(
    clause: Clause, audience: tuple[Audience, ...], operations: tuple[Operation, ...]
) -> list[Reading]:
    if not _speaks_of_rights(clause):
        return []
    strength = grant_strength(clause.spots, clause.named(), clause.cut, clause.scene.action)
    if any(one.who == "nobody" for one in audience):
        closed = [Reading("deny", (_EVERYONE,), operations)]
        return closed + _exceptions(clause, "allow", operations)
    kind = clause.only_kind()
    if kind == "objects":
        return [
            *conditioned(clause, "allow", audience, operations),
            Reading("deny", audience, _rest(operations)),
        ]
    if clause.spots.has("negation") and kind != "people":
        if strength == "none":
            return []
        return conditioned(clause, "deny", audience, operations) + _exceptions(
            clause, "allow", operations
        )
    if kind != "people" and not clause.scene.exhaustive:
        operations = tuple(one for one in operations if _covers(strength, one))
    if not operations:
        return []
    other: Literal["allow", "deny"] = "allow" if kind == "people" else "deny"
    result = conditioned(clause, "allow", audience, operations) + _exceptions(
        clause, other, operations
    )
    if kind == "people" or clause.scene.exhaustive:
        wide = any(one.who in {"employee", "everyone"} for one in audience)
        shut = Audience(who="guest") if wide else _EVERYONE
        result.append(Reading("deny", (shut,), _closed(operations)))
    return result


def _speaks_of_rights(clause: Clause) -> bool:
    return bool(
        clause.scene.action
        or clause.spots.actions
        or clause.spots.has("modal")
        or clause.spots.has("negation")
        or clause.spots.has("only")
    )


def _exceptions(
    clause: Clause, effect: Literal["allow", "deny"], operations: tuple[Operation, ...]
) -> list[Reading]:
    people = clause.excepted_people()
    return conditioned(clause, effect, people, operations) if people else []


def _covers(strength: Strength, operation: Operation) -> bool:
    return strength == "explicit" or strength == ("sight" if operation in READS else "duty")


def _minus(
    operations: tuple[Operation, ...], taken: tuple[Operation, ...]
) -> tuple[Operation, ...]:
    return tuple(one for one in operations if one not in taken)


def _other_reads(taken: tuple[Operation, ...]) -> tuple[Operation, ...]:
    reads: tuple[ReadOperation, ...] = get_args(ReadOperation)
    return tuple(one for one in reads if one not in taken)


def _rest(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """What `may only see these` denies: the other reads, or the same about other people."""
    twins = {twin: operation for operation, twin in OWN_TWIN.items()}
    everything = {"self.profile", "self.salary"} <= set(operations)
    if not everything and any(one in twins for one in operations):
        return tuple(twins[one] for one in operations if one in twins)
    return tuple(
        one for one in _other_reads(operations) if not one.startswith(("self.", "public."))
    )


def _closed(operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    return tuple(one for one in operations if not one.startswith("self."))
