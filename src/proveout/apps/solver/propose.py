"""`propose(task, experience) -> plan` without a model: understand the text, compose a plan."""

from dataclasses import dataclass

from proveout.apps.solver.experts import asking, beyond
from proveout.apps.solver.experts.draft import Draft, Unclear
from proveout.apps.solver.experts.intents import READS, WRITES, Match, match
from proveout.apps.solver.experts.reading import Reading, read, reading_of
from proveout.apps.solver.experts.scene import Scene
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.resolve.gazetteer import Gazetteer

LEAST_SCORE = 0.3
"""An intent that explains less than it leaves over is a guess."""


@dataclass(frozen=True)
class Understanding:
    """The intent a text was taken for, and how sure that is; no name means none."""

    name: str
    confidence: float
    match: Match | None = None


def propose(text: str, scene: Scene) -> Plan:
    """The plan for a task; one that asks back if the text leaves open what is wanted."""
    requester = scene.identity.current_user
    if scene.mentions:
        reading = reading_of(text, requester, scene.mentions)
    else:
        reading = read(text, requester, Gazetteer(scene.names))
    return plan_for(reading)


def plan_for(reading: Reading) -> Plan:
    """The plan for a reading."""
    draft = Draft(language=reading.language)
    found = understand(reading)
    if found.match is None:
        if not found.name:
            return _ask(reading)
        draft.operation = found.name
        return draft.plan(found.name, found.confidence)
    try:
        found.match.intent.build(reading, draft)
    except Unclear:
        return _ask(reading)
    return draft.plan(f"{found.name}: {reading.text}", found.confidence)


def understand(reading: Reading) -> Understanding:
    """The best explanation of a reading; first what nobody can do, then the known intents."""
    operation = beyond.operation(reading)
    matches = [it for it in (match(intent, reading) for intent in (*READS, *WRITES)) if it]
    matches.sort(key=lambda it: -it.score)
    if operation:
        return Understanding(operation, 0.8)
    if not matches or matches[0].score < LEAST_SCORE:
        return Understanding("", 0.0)
    best = matches[0]
    others = [it for it in matches if it.intent.build is not best.intent.build]
    margin = best.score - (others[0].score if others else 0.0)
    confidence = max(0.05, min(1.0, 0.5 + margin / 4 - 0.1 * len(best.left)))
    return Understanding(best.intent.name, round(confidence, 3), best)


def _ask(reading: Reading) -> Plan:
    draft = Draft(language=reading.language, outcome="none_clarification_needed")
    draft.question = asking.UNCLEAR[reading.language]
    draft.say(draft.question)
    return draft.plan("unclear", 0.2)
