"""Whether what a question claims is true."""

import math
import re
from collections.abc import Sequence

from proveout.apps.iqa.experts.ground import Ground, concept_loss
from proveout.apps.iqa.experts.subject import (
    NOTICED,
    SOFTNESS,
    Subject,
    directed,
    present,
    subject_of,
)
from proveout.apps.iqa.language.lexicon import level, lexicon
from proveout.apps.iqa.language.question import Part, Reading
from proveout.apps.iqa.models import GLOBAL


def claim(reading: Reading, ground: Ground) -> float:
    """How likely the statement that a question makes is true."""
    subject = subject_of(reading)
    scope = subject.scopes[0]
    seen = ground.seen(scope)
    part = Part(reading.tokens, reading.mentions, (), ())
    said = level(reading.tokens)
    weighed = [scope for scope in subject.scopes if scope in ground.detections and scope != GLOBAL]
    if len(weighed) > 1 and any(token.text == "than" for token in reading.tokens):
        return _than(subject, ground, weighed)
    if not reading.mentions:
        return _about_quality(reading, ground.quality(scope), said)
    truths = []
    for mention in reading.mentions:
        concept = directed(mention, part)
        lost = concept_loss(concept, seen)
        negated = mention.negated and not _rhetorical(reading)
        if concept.sign == "fault":
            degree = mention.degree
            least = NOTICED if degree is None or degree < 1 else NOTICED + 0.75 * (degree - 1)
            if mention.degree == lexicon().degrees[("too",)]:
                least = NOTICED + 0.2
            truth = 1.0 / (1.0 + math.exp(-(lost - least) / SOFTNESS))
        elif concept.sign == "merit" or said is None or said >= 3.3:
            truth = 1.0 - present(lost)
        else:
            truth = present(lost)
        truths.append(1.0 - truth if negated else truth)
    either = any(token.text == "or" for token in reading.tokens)
    return max(truths) if either else min(truths)


def _than(subject: Subject, ground: Ground, scopes: Sequence[str]) -> float:
    """How likely the first region has more of it than the second."""
    values = []
    for scope in scopes[:2]:
        seen = ground.seen(scope)
        if not subject.concepts:
            values.append(ground.quality(scope) or 3.0)
            continue
        lost = max(concept_loss(concept, seen) for concept in subject.concepts)
        values.append(lost if any(c.sign == "fault" for c in subject.concepts) else -lost)
    return 1.0 / (1.0 + math.exp(-(values[0] - values[1]) / SOFTNESS))


def _rhetorical(reading: Reading) -> bool:
    """`Isn't it too bright?` claims that it is; `it isn't, is it?` asks whether it is."""
    text = reading.stem.strip().lower()
    return bool(re.match(r"(?:is|are|does|do|has|have|was)n't\b", text)) or bool(
        re.search(
            r",\s*(?:or\s+)?(?:is|are|does|do|has|have|can|could)\s+(?:it|they|you|there)\s*\??$",
            text,
        )
    )


def _about_quality(reading: Reading, quality: float | None, said: float | None) -> float:
    if quality is None:
        return 0.5
    words = {token.stem for token in reading.tokens}
    if said is not None:
        good = said >= 3.2
    else:
        good = not words & set(
            [
                "bad",
                "wrong",
                "problem",
                "issue",
                "defect",
                "degraded",
                "distorted",
                "distortion",
                "artifact",
                "flaw",
                "poor",
            ]
        )
    truth = 1.0 / (1.0 + math.exp(-(quality - 3.4) / 0.4))
    return truth if good else 1.0 - truth
