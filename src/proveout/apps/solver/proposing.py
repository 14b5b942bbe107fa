"""`propose(task, experience) -> plan` without a model: understand the text, compose a plan."""

from dataclasses import dataclass

from proveout.apps.solver.experts import asking, beyond, visitors
from proveout.apps.solver.experts.draft import Draft, Unclear
from proveout.apps.solver.experts.intents import BUILDS, Match, matches, weighty
from proveout.apps.solver.experts.matters import overlooked_pay
from proveout.apps.solver.experts.parts import parts
from proveout.apps.solver.experts.reading import Reading, read, reading_of
from proveout.apps.solver.experts.scene import Scene
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.resolve.folding import word_set
from proveout.apps.solver.resolve.gazetteer import Gazetteer

LEAST_SCORE = 0.3
"""An intent that explains less than it leaves over is a guess."""
_DEEDS = word_set(
    "DELETE RAISE REDUCE LOG VOID SWAP RENAME PAUSE ARCHIVE ORDER MESSAGE HIRE FIRE NOTE"
)
"""Concepts that ask for something to be done: none may be left over in silence."""

_WRITING = ("changes.", "work.", "pages.")
"""Builds that change something: half a request is no order to change."""
_OF_HOURS = word_set("work.log_time work.void_entry work.swap lists.hours")
_ASKED = word_set("WHO WHICH WHERE LIST HOW_MANY CHECK SALARY") | _DEEDS - {"NOTE"}
"""Concepts by which a sentence is a request of its own."""
_TOLD = word_set("LOG NOTE")
"""Deeds that a text may tell of (`were entered the wrong way round`)."""


@dataclass(frozen=True)
class Understanding:
    """What a text was taken for, and how sure that is; no name means nothing known."""

    name: str
    confidence: float
    match: Match | None = None

    @property
    def exhaustive(self) -> bool:
        """Nothing of weight is left unexplained."""
        return bool(self.name) and not (self.match and any(map(weighty, self.match.left)))

    @property
    def complete(self) -> bool:
        """Nothing to be done is left unexplained; a page may be about anything."""
        if self.match and self.match.intent.build == "company.wiki":
            return True
        return bool(self.name) and not (self.match and self.match.left & _DEEDS)


def propose(text: str, scene: Scene) -> Plan:
    """The plan for a task; one that asks back if the text leaves open what is wanted."""
    requester = scene.identity.current_user
    if scene.mentions:
        reading = reading_of(text, requester, scene.mentions)
    else:
        reading = read(text, requester, Gazetteer(scene.names))
    if scene.findings:
        return _ask(reading)  # The plan that this text leads to was refused.
    return plan_for(reading, visitor=scene.identity.is_public)


def plan_for(reading: Reading, *, visitor: bool = False) -> Plan:
    """The plan for a reading: of the whole, or of the several requests that it holds."""
    draft = Draft(language=reading.language)
    steps = _requests(reading)
    try:
        for part, found in steps:
            _build(part, found, draft)
    except Unclear:
        steps = []
    if visitor and not visitors.public(tuple(found.name for _, found in steps)):
        visitors.touch(reading, draft)
        if not draft.sql and not draft.operation:
            return _ask(reading)
    elif not steps:
        return _ask(reading)
    # What is asked beside it, and answered by nothing, must be allowed as well.
    draft.operation = draft.operation or overlooked_pay(reading, draft) or ""
    names = " + ".join(found.name for _, found in steps)
    confidence = min((found.confidence for _, found in steps), default=0.3)
    return draft.plan(f"{names}: {reading.text}", confidence)


def _build(reading: Reading, found: Understanding, draft: Draft) -> None:
    said, answer = draft.message, draft.answer
    draft.answer = ""
    if found.match is None:
        draft.operation = found.name
    else:
        BUILDS[found.match.intent.build](reading, draft)
    draft.answer = draft.answer or answer
    if said.text and draft.message.text and said != draft.message:
        draft.say(f"{said.text}; {draft.message.text}")


def _requests(reading: Reading) -> list[tuple[Reading, Understanding]]:
    """The text as one request if that explains it; else each part that is one by itself."""
    whole = understand(reading)
    if whole.exhaustive:
        return [(reading, whole)]
    found = [(part, understand(part)) for part in parts(reading)]
    known = [(part, it) for part, it in found if it.name and not _told_of(whole, part)]
    several = len({it.match.intent.build if it.match else it.name for _, it in known}) > 1
    if whole.complete and not several:
        return [(reading, whole)]
    if len(known) == 1 and whole.name and not known[0][1].complete:
        return []
    if not whole.name and any(map(_changes, known)) and any(map(_more, found)):
        return []
    if any(map(_changes, known)) and _hours_lost(reading, known):
        return []
    return known


def _told_of(whole: Understanding, part: Reading) -> bool:
    """Whether a sentence only tells of the hours that the whole request logs: a note, a reason."""
    logs = whole.match is not None and whole.match.intent.build == "work.log_time"
    asks = "?" in part.text or bool(part.concepts & _ASKED)
    said = part.concepts == {"NOTE"} or not (asks or part.of("quote") or part.has("HOURS", "LOG"))
    return logs and whole.complete and said


def _hours_lost(reading: Reading, steps: list[tuple[Reading, Understanding]]) -> bool:
    """Hours are told, and no part of the request has to do with them."""
    told = reading.has("HOURS") and bool(reading.of("number"))
    builds = {it.match.intent.build for _, it in steps if it.match}
    return told and not builds & _OF_HOURS


def _changes(step: tuple[Reading, Understanding]) -> bool:
    match = step[1].match
    return match is not None and match.intent.build.startswith(_WRITING)


def _more(step: tuple[Reading, Understanding]) -> bool:
    """A part that was not understood, and asks for something to be done or speaks of hours."""
    part, it = step
    hours = part.has("HOURS") and bool(part.of("number"))
    return not it.name and (hours or bool(part.concepts & _DEEDS - _TOLD))


def understand(reading: Reading) -> Understanding:
    """The best explanation of a reading; first what nobody can do, then the known intents."""
    operation = beyond.operation(reading)
    if operation:
        return Understanding(operation, 0.8)
    found = matches(reading)
    if not found or found[0].score < LEAST_SCORE:
        return Understanding("", 0.0)
    best = found[0]
    others = [it for it in found if it.intent.build != best.intent.build]
    margin = best.score - (others[0].score if others else 0.0)
    confidence = max(0.05, min(1.0, 0.5 + margin / 4 - 0.1 * len(best.left)))
    return Understanding(best.intent.name, round(confidence, 3), best)


def _ask(reading: Reading) -> Plan:
    draft = Draft(language=reading.language, outcome="none_clarification_needed")
    draft.question = asking.UNCLEAR[reading.language]
    draft.say(draft.question)
    # Whoever may not do it at all is told so, and not asked what exactly they meant.
    draft.operation = asking.touched(reading)
    return draft.plan("unclear", 0.2)
