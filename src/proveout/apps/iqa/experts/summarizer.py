"""The summarizer without a model: answers from the evidence, in words that it can prove."""

import re
from collections.abc import Sequence
from dataclasses import replace

from proveout.apps.iqa.experts import wording
from proveout.apps.iqa.experts.claims import claim
from proveout.apps.iqa.experts.comparing import (
    as_comparison,
    beside_reference,
    compares,
    each,
    preferred,
    tell,
)
from proveout.apps.iqa.experts.ground import (
    Ground,
    concept_quality,
    ground_of,
    matching,
    severity_of,
    worst,
)
from proveout.apps.iqa.experts.options import Judged, judged
from proveout.apps.iqa.experts.subject import subject_of
from proveout.apps.iqa.experts.sufficiency import allowed, contradictions, gap
from proveout.apps.iqa.experts.wording import Notes, called, visible
from proveout.apps.iqa.fusion import level_of
from proveout.apps.iqa.language.question import Reading, read
from proveout.apps.iqa.models import (
    DEFAULT_REPLANS,
    GLOBAL,
    ExecutorOutput,
    PlannerOutput,
    SummarizerOutput,
)
from proveout.apps.iqa.places import ALL, worst_place

UNDETERMINED = "Unable to determine"
NOTHING_FOUND = "No visible distortion"
_LEAST_MARGIN = 0.02


def summarize(
    query: str,
    plan: PlannerOutput,
    executor: ExecutorOutput | None,
    ground: Ground | None = None,
    *,
    choices: Sequence[str] | None = None,
    other: Ground | None = None,
    iteration_count: int = 0,
    max_replan_iterations: int = DEFAULT_REPLANS,
) -> SummarizerOutput:
    """The answer, its reasons, and whether to plan again.

    `ground` is what `ground_of` makes of measurements, places and a fused score; without it, the
    executor's own words are all there is. `other` is the ground of a second picture, for questions
    that compare two.
    """
    ground = ground or ground_of(executor)
    reading = _about_drawn(read(query, choices), ground.marked)
    reading = as_comparison(reading) if other else reading
    if plan.reference_mode == "Full-Reference":
        reading = beside_reference(reading)
    missing = gap(plan, executor, ground.unresolved)
    reason = allowed(missing, iteration_count, max_replan_iterations)
    if not reading.technical:
        return _not_ours(reading, ground)
    notes = Notes()
    if other is None:
        answer, confidence = _answer(reading, ground, notes)
        _explain(reading, ground, notes)
    else:
        answer, confidence = _of_two(reading, (ground, other), notes)
    _admit(notes, reading, plan, executor, ground, missing)
    scope = _scope(reading, ground)
    return SummarizerOutput(
        final_answer=answer,
        quality_reasoning=notes.text,
        need_replan=reason is not None,
        replan_reason=reason,
        used_evidence=dict(notes.used),
        quality_score=_within_scale(ground.quality(scope)),
        # That of the whole picture says nothing about a region.
        interval=ground.interval if scope == GLOBAL else None,
        confidence=round(min(1.0, max(0.0, confidence)), 4),
    )


def _about_drawn(reading: Reading, marked: str) -> Reading:
    """A question that names no region is about the one that the user drew."""
    if not marked or reading.asked:
        return reading
    return replace(reading, asked=(marked,), regions=(marked, *reading.regions))


def _of_two(reading: Reading, pair: tuple[Ground, Ground], notes: Notes) -> tuple[str, float]:
    """One picture against the other; a question that does not compare is answered for each."""
    if compares(reading):
        answer, confidence = preferred(reading, pair, notes)
    elif reading.options:
        answer, confidence = _answer(reading, pair[0], notes)
        notes.say("The options speak of one picture: the answer is about the first.")
    else:
        answer = each(reading, pair, lambda ground: _answer(reading, ground, Notes()))
        confidence = min(_answer(reading, ground, Notes())[1] for ground in pair)
    tell(reading, pair, notes)
    return answer, confidence


def _within_scale(score: float | None) -> float | None:
    return None if score is None else min(5.0, max(1.0, score))


def _not_ours(reading: Reading, ground: Ground) -> SummarizerOutput:
    """Questions of taste or content, and those that were not understood: said, not guessed."""
    notes = Notes()
    if reading.understood:
        notes.say(
            "The question is not about technical quality, which is all that is measured here."
        )
    else:
        notes.say("The question could not be understood; questions are read in English.")
    if ground.score is not None:
        wording.verdict(notes, ground, GLOBAL)
    return SummarizerOutput(
        final_answer=UNDETERMINED,
        quality_reasoning=notes.text,
        used_evidence=dict(notes.used),
        quality_score=_within_scale(ground.score),
        interval=ground.interval,
        confidence=0.0,
    )


def _scope(reading: Reading, ground: Ground) -> str:
    """The region that is spoken of: the first that was found, else the whole picture."""
    return next((name for name in reading.regions if name in ground.detections), GLOBAL)


def _answer(reading: Reading, ground: Ground, notes: Notes) -> tuple[str, float]:
    if not ground.detections and ground.score is None:
        notes.say("There is no tool evidence and no distortion analysis to answer from.")
        return UNDETERMINED, 0.0
    if reading.options:
        return _choose(reading, ground, notes)
    if reading.kind == "yes-no":
        truth = claim(reading, ground)
        return ("Yes" if truth >= 0.5 else "No"), abs(2 * truth - 1)
    if reading.kind == "tool" and (values := _readings(reading, ground, notes)):
        return values, 1.0
    if reading.kind == "where":
        return _where(reading, ground)
    if reading.kind in ("which", "why", "advice"):
        return _main(reading, ground)
    if reading.kind == "amount" and reading.mentions:
        return _how_much(reading, ground)
    return _grade(reading, ground)


def _choose(reading: Reading, ground: Ground, notes: Notes) -> tuple[str, float]:
    ranked: list[Judged] = sorted(
        judged(reading, ground), key=lambda one: one.support, reverse=True
    )
    if len(ranked) < 2:
        notes.say("Only one option was given.")
        return ranked[0].option.answer, 0.0
    best, second = ranked[0], ranked[1]
    margin = best.support - second.support
    if margin < _LEAST_MARGIN:
        notes.say(f"The evidence hardly tells {_quoted(best)} from {_quoted(second)}.")
    else:
        notes.say(f"The evidence supports {_quoted(best)} best.")
    return best.option.answer, margin


def _quoted(one: Judged) -> str:
    """An option by its label or words; without numbers, which would look measured."""
    if one.option.label:
        return f"option {one.option.label}" if one.option.label.isalpha() else "the chosen option"
    return f"“{one.option.text}”" if not re.search(r"\d", one.option.text) else "the chosen option"


def _readings(reading: Reading, ground: Ground, notes: Notes) -> str:
    """The values of the tools that were asked for, in their own units; empty where none ran."""
    values = {name.lower(): (name, value) for name, value in ground.raw.items()}
    asked = [values[tool.lower()] for tool in reading.tools if tool.lower() in values]
    for name, value in asked:
        notes.say(f"{name} reads {value:.4f}.")
        notes.used[f"raw.{name}"] = value
    if len(asked) == 1:
        return f"{asked[0][1]:.4f}"
    return ", ".join(f"{name} {value:.4f}" for name, value in asked)


def _where(reading: Reading, ground: Ground) -> tuple[str, float]:
    names = [
        found.name
        for mention in reading.mentions
        if (found := worst(matching(mention.concept, ground.seen()))) is not None
    ]
    losses = dict(next((ground.places[n] for n in (*names, ALL) if n in ground.places), {}))
    if not losses:
        return UNDETERMINED, 0.0
    ranked = sorted(losses.values(), reverse=True)
    return worst_place(losses), min(1.0, (ranked[0] - ranked[1]) / 2)


def _main(reading: Reading, ground: Ground) -> tuple[str, float]:
    found = visible(ground.seen(_scope(reading, ground)))
    if not found:
        return NOTHING_FOUND, 0.5
    return called(found[0]), found[0].confidence


def _how_much(reading: Reading, ground: Ground) -> tuple[str, float]:
    seen = ground.seen(_scope(reading, ground))
    subject = subject_of(reading)
    quality = min(concept_quality(concept, seen) for concept in subject.concepts)
    if any(concept.sign == "fault" for concept in subject.concepts):
        return severity_of(quality), 0.5
    return level_of(quality), 0.5


def _grade(reading: Reading, ground: Ground) -> tuple[str, float]:
    quality = ground.quality(_scope(reading, ground))
    if reading.mentions:
        return _how_much(reading, ground)
    if quality is None:
        return _main(reading, ground)
    if ground.interval is None:
        return level_of(quality), 0.5
    low, high = ground.interval
    return level_of(quality), max(0.0, 1.0 - (high - low) / 4)


def _explain(reading: Reading, ground: Ground, notes: Notes) -> None:
    """Verdict, main distortion, second one, what is fine, advice."""
    scope = _scope(reading, ground)
    seen = ground.seen(scope)
    if scope in ground.how:
        how, was = ground.how[scope], "was"
        if wording.is_plural(scope):
            how, was = how.replace("its ", "their "), "were"
        notes.say(f"The {scope} {was} found by {how}.")
    wording.verdict(notes, ground, scope)
    asked = [
        found
        for concept in dict.fromkeys(mention.concept for mention in reading.mentions)
        if (found := worst(matching(concept, seen))) is not None
    ]
    ranked = visible(seen)
    named = list({one.name: one for one in asked}.values())
    for one in named:
        wording.asked(notes, ground, one, scope)
    others = [one for one in ranked if one.name not in {entry.name for entry in named}]
    leads = ("Also:" if named else "The main distortion is", "Then")
    for lead, one in zip(leads, others, strict=False):
        wording.distortion(notes, ground, one, scope, lead)
    if seen and not ranked:
        wording.nothing(notes, ground.quality(scope))
    wording.tools(notes, ground, scope)
    if ranked:
        wording.fine(notes, seen)
    if ranked and reading.kind in ("advice", "why", "rate"):
        wording.advice(notes, ranked[0])
    wording.caveats(notes, ground)


def _admit(
    notes: Notes,
    reading: Reading,
    plan: PlannerOutput,
    executor: ExecutorOutput | None,
    ground: Ground,
    missing: str | None,
) -> None:
    """What the answer does not stand on."""
    lost = [name for name in reading.regions if name not in ground.detections]
    if lost and not re.search(r"\d", " ".join(lost)):
        notes.say(
            f"It could not be told which pixels are meant by {_list(lost)}; the answer speaks of "
            "the whole picture."
        )
    for line in contradictions(executor):
        notes.say(f"{line}.")
    if missing and missing.startswith("Missing"):
        notes.say(f"{missing}.")
    elif executor is None or not (executor.quality_scores or ground.measured):
        notes.say("No tool evidence was at hand.")
    if plan.reference_mode == "No-Reference" and _speaks_of_reference(reading):
        notes.say("There is no reference to compare with.")


def _speaks_of_reference(reading: Reading) -> bool:
    return bool(re.search(r"(?i)\b(?:reference|original|compared? (?:to|with))\b", reading.stem))


def _list(names: Sequence[str]) -> str:
    return " and ".join(f"“{name}”" for name in names)
