"""Which option is right: each is read as a claim about the evidence; the best supported wins."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from proveout.apps.iqa.experts.claims import claim
from proveout.apps.iqa.experts.ground import Ground, Seen, concept_loss, concept_quality, position
from proveout.apps.iqa.experts.remedies import cure_support, cures
from proveout.apps.iqa.experts.subject import Subject, directed, present, subject_of
from proveout.apps.iqa.experts.tints import tint_support, tinted
from proveout.apps.iqa.language.lexicon import Concept, Mention, amount, level, lexicon
from proveout.apps.iqa.language.options import Option
from proveout.apps.iqa.language.question import Part, Reading, read_part
from proveout.apps.iqa.models import GLOBAL

_SPREAD = 0.8
_NEITHER = 4.0
_GOOD = 3.2
"""From here on a level says that nothing is wrong."""
_LEAST_MARKS = 3
"""Options that are nothing but letters or numbers are a scale from this many on."""
_YES = frozenset(
    [
        *("yes", "y", "true", "right", "agree", "correct", "yeah", "yep", "sure", "indeed"),
        *("definitely", "certainly", "absolutely", "clearly", "totally"),
    ]
)
_NO = frozenset(["no", "n", "false", "wrong", "disagree", "incorrect", "nope", "nah", "never"])
_BY_NO_MEANS = re.compile(
    r"(?i)\s*(?:not (?:at all|really|in the least)|(?:definitely|certainly|absolutely) not|"
    r"by no means|of course not)\b\s*(?:$|[,.;:!()-])"
)
_SCORED = re.compile(
    r"(?i)^\s*(?P<value>\d+(?:\.\d+)?)\s*(?:(?:/|out of|of)\s*(?P<most>\d+)|(?P<unit>stars?|"
    r"points?|percent|%))?\s*$"
)
_NOTHING = re.compile(
    r"(?i)^\s*(?:none(?: of (?:the above|these|them))?|nothing|no (?:visible |noticeable )?"
    r"(?:distortions?|artifacts?|artefacts?|problems?|degradations?|issues?)|undistorted|pristine|clean|"
    r"fine|it is fine|neither(?: of them)?|normal|no distortion at all)\s*\.?\s*$"
)
_BOTH = re.compile(
    r"(?i)^\s*(?:both|all)\b(?: of (?:the above|them|these)| halves| sides| parts| regions| areas)?"
    r"\s*\.?\s*$"
)
_ONLY = re.compile(r"(?i)\b(?:only|just|alone)\b")
_ABSENT = re.compile(
    r"(?i)\b(?:which|what)\b.*(?:\b(?:absent|missing)\b|(?:\bnot|n't)\b.{0,20}\b(?:present|visible|there|"
    r"found|seen|apply|applies|affect\w*|suffer\w*|have|has|contain\w*|show\w*|exist\w*)\b|"
    r"\bfree (?:of|from)\b|\bleast (?:visible|severe|present|noticeable|pronounced)\b)"
)
"""Asks for what is not there."""


@dataclass(frozen=True)
class Judged:
    """An option with how well the evidence supports it."""

    option: Option
    support: float


def judged(reading: Reading, ground: Ground) -> tuple[Judged, ...]:
    """Every option with its support, in the order given."""
    subject = subject_of(reading)
    parts = [read_part(option.text) for option in reading.options]
    polar = [_polarity(option) for option in reading.options]
    if sum(says is not None for says in polar) > 1:
        return _polar(reading, ground, parts, polar)
    supports = _otherwise(reading, subject, ground) or [
        _support(option, part, subject, reading, ground)
        for option, part in zip(reading.options, parts, strict=True)
    ]
    found = tuple(
        Judged(option, _settled(option, support, parts, ground, subject))
        for option, support in zip(reading.options, supports, strict=True)
    )
    if not _ABSENT.search(reading.stem):
        return found
    return tuple(
        Judged(one.option, 1.0 - one.support) if part.mentions else one
        for one, part in zip(found, parts, strict=True)
    )


def _otherwise(reading: Reading, subject: Subject, ground: Ground) -> list[float | None] | None:
    """Support where options name no fault but its cure, or the direction of the colours."""
    texts, seen = [option.text for option in reading.options], ground.seen(subject.scopes[0])
    colours = all(concept.category == "Color distortions" for concept in subject.concepts)
    if cures(texts) and not subject.concepts:
        found = [cure_support(text, seen) for text in texts]
    elif tinted(texts) and colours:
        found = [tint_support(text, seen) for text in texts]
    else:
        return None
    if all(support is None for support in found):
        return None
    best = max(support for support in found if support is not None)
    rest = [
        _support(option, read_part(option.text), subject, reading, ground)
        for option in reading.options
    ]
    # What stands beside, `nothing is off` or `neutral`, holds as far as none of the others does.
    return [
        support if support is not None else min(other, 1.0 - best) if other is not None else None
        for support, other in zip(found, rest, strict=True)
    ]


def _polar(
    reading: Reading, ground: Ground, parts: Sequence[Part], polar: Sequence[bool | None]
) -> tuple[Judged, ...]:
    """Options that agree or disagree: `yes`, `yes, slightly`, `no`; others may stand beside."""
    subject, truth = subject_of(reading), claim(reading, ground)
    found = []
    for option, part, says in zip(reading.options, parts, polar, strict=True):
        if says is None:
            support = 0.5 * (_support(option, part, subject, reading, ground) or 0.0)
        elif says and (much := amount(part.tokens)) and subject.concepts:
            quality = _left(subject, ground.seen(subject.scopes[0]))
            support = truth * _near(much, position(quality), 1.5)
        else:
            support = truth if says else 1.0 - truth
        found.append(Judged(option, support))
    return tuple(found)


def _left(subject: Subject, seen: Sequence[Seen]) -> float:
    """The quality that the worst of what is asked about leaves."""
    return min(concept_quality(concept, seen) for concept in subject.concepts)


def _near(one: float, other: float, spread: float = _SPREAD) -> float:
    """1 where two values agree, falling to 0 as they part."""
    return math.exp(-(((one - other) / spread) ** 2))


def _polarity(option: Option) -> bool | None:
    """Whether an option says yes or no; `no blur` says neither, it names what is absent."""
    if _BY_NO_MEANS.match(option.text):
        return False
    found = re.match(
        r"\s*(?P<word>[a-z]+)\s*(?:$|[,.;:!()-]|it\b|the\b|they\b)", option.text.lower()
    )
    word = found["word"] if found else ""
    return True if word in _YES else False if word in _NO else None


def _settled(
    option: Option, support: float | None, parts: Sequence[Part], ground: Ground, subject: Subject
) -> float:
    """Support where it depends on the other options: `none of these`, `both`, `only noise`."""
    seen = ground.seen(subject.scopes[0])
    named = {m.concept for part in parts for m in part.mentions}
    if support is not None:
        own = {m.concept for m in read_part(option.text).mentions}
        if own and _ONLY.search(option.text) and (rest := named - own):
            return support * (1.0 - present(max(concept_loss(c, seen) for c in rest)))
        return support
    if _BOTH.match(option.text) and named:
        return min(present(concept_loss(concept, seen)) for concept in named)
    places = [p.name for part in parts for p in part.phrases if p.name in ground.detections]
    if places and subject.concepts and all(c.sign == "fault" for c in subject.concepts):
        # `Which side is dark?` with `both` or `neither` beside the sides.
        there = [
            present(max(concept_loss(concept, ground.seen(place)) for concept in subject.concepts))
            for place in places
        ]
        if _BOTH.match(option.text):
            return min(there)
        return 1.0 - max(there) if _NOTHING.match(option.text) else 0.0
    if not _NOTHING.match(option.text):
        return 0.0
    every = named | set(subject.concepts) or set(lexicon().concepts.values())
    return 1.0 - present(max(concept_loss(concept, seen) for concept in every))


def _support(
    option: Option, part: Part, subject: Subject, reading: Reading, ground: Ground
) -> float | None:
    """How well the evidence agrees with one option; None where that depends on the others."""
    if _BOTH.match(option.text):
        return None
    placed = any(read_part(other.text).phrases for other in reading.options)
    nothing = _NOTHING.match(option.text) and not part.mentions
    if nothing and (placed or not subject.concepts):
        return None
    region = next((p.name for p in part.phrases), None) or _as_region(option, ground)
    if region is not None and region in ground.detections:
        return _region_support(region, part, subject, reading, ground)
    if part.mentions:
        scope = subject.scopes[0]
        return _concept_support(part, subject, ground, scope)
    return _graded(option, part, subject, reading, ground)


def _as_region(option: Option, ground: Ground) -> str | None:
    text = option.text.lower()
    named = [name for name in ground.detections if name != GLOBAL]
    return next((n for n in named if re.search(rf"\b{re.escape(n.lower())}\b", text)), None)


def _region_support(
    region: str, part: Part, subject: Subject, reading: Reading, ground: Ground
) -> float:
    """A region as the answer: the more of what was asked for it has, the better."""
    concepts = tuple(m.concept for m in part.mentions) or subject.concepts
    if not concepts:
        best = bool({t.text for t in reading.tokens} & {"best", "better", "highest", "least"})
        value = (ground.quality(region) or 3.0) / 5.0
        return value if best else 1.0 - value
    seen = ground.seen(region)
    lost = max(concept_loss(concept, seen) for concept in concepts)
    # Where the concept itself was not told apart, the worse region is the likelier one.
    lost = 0.9 * lost / _NEITHER + 0.1 * (5.0 - (ground.quality(region) or 3.0)) / _NEITHER
    wanted_good = all(concept.sign == "merit" for concept in concepts)
    if reading.mentions and all(mention.negated for mention in reading.mentions):
        wanted_good = not wanted_good
    fewer = bool({t.text for t in reading.tokens} & {"least", "less", "fewest", "lowest"})
    return 1.0 - lost if wanted_good != fewer else lost


def _concept_support(part: Part, subject: Subject, ground: Ground, scope: str) -> float:
    """Terms in an option: each must hold; words of amount must fit."""
    seen = ground.seen(scope)
    supports = []
    for mention in part.mentions:
        concept = directed(mention, part)
        supports.append(_fits(concept, seen, mention, superlative=subject.superlative))
    return min(supports)


def _fits(concept: Concept, seen: Sequence[Seen], mention: Mention, *, superlative: bool) -> float:
    """How well one term of an option agrees with what was seen."""
    lost, quality = concept_loss(concept, seen), concept_quality(concept, seen)
    there, degree, negated = present(lost), mention.degree, mention.negated
    if concept.sign == "fault":
        if negated:
            return 1.0 - there
        if degree is None or superlative:
            # A stronger one wins over a weaker one that is there as well.
            return 0.6 * there + 0.4 * lost / _NEITHER
        return _near(degree, position(quality))
    if concept.sign == "merit":
        expected = 1.6 if negated else 4.4 if degree is None else min(5.0, 3.2 + 0.5 * degree)
        return _near(expected, quality, 1.2)
    return 0.6 * there + 0.4 * lost / _NEITHER


def _graded(
    option: Option, part: Part, subject: Subject, reading: Reading, ground: Ground
) -> float | None:
    """A word of level or amount, about what the question asks."""
    scope = subject.scopes[0]
    seen = ground.seen(scope)
    said, much = _level(option, part, reading), amount(part.tokens)
    if re.search(r"(?i)\bnot\b|\bno\b|\bnone\b", option.text) and not part.mentions:
        much = 0.0
    if not subject.concepts:
        quality = ground.quality(scope)
        if quality is None or (said is None and much is None):
            return None
        expected = said if said is not None else 5.0 - (much or 0.0)
        return _near(expected, quality)
    left = _left(subject, seen)
    if all(concept.sign == "fault" for concept in subject.concepts):
        if much is not None:
            return _near(much, position(left))
        if said is not None:
            # `low` noise is little of it; `good` is none of it.
            expected = {1.9: 1.0, 4.2: 3.0}.get(said, position(said))
            return _near(expected, position(left))
        return None
    if said is None and much is None:
        return None
    if said is not None and said >= _GOOD and said == _best_level(reading):
        # The best level on offer stands for all above it: `alright, or is it flat`.
        said = max(said, left)
    expected = said if said is not None else min(5.0, 1.0 + 1.1 * (much or 0.0))
    return _near(expected, left)


def _level(option: Option, part: Part, reading: Reading) -> float | None:
    """The level that an option speaks of; letters and numbers are levels where all options are."""
    said = level(part.tokens)
    marks = [other.text.strip().upper() for other in reading.options]
    if said is not None or len(set(marks)) < _LEAST_MARKS:
        return said
    scored = [_SCORED.match(other.text) for other in reading.options]
    if all(scored) and any(found and (found["most"] or found["unit"]) for found in scored):
        return _of_scale(option, [found for found in scored if found])
    for scale in ("EDCBA", "12345"):
        if set(marks) <= set(scale):
            return 1.0 + scale.index(option.text.strip().upper())
    return None


def _of_scale(option: Option, scored: Sequence[re.Match[str]]) -> float | None:
    """`4 stars`, `7 out of 10`, `60 %` as a level from 1 to 5."""
    most = max(float(found["most"] or found["value"]) for found in scored)
    most = next((end for end in (5.0, 10.0, 100.0) if most <= end), most)
    if any(found["unit"] in ("%", "percent") for found in scored):
        most = 100.0
    own = _SCORED.match(option.text)
    if own is None:
        return None
    value = float(own["value"])
    return max(1.0, value) if most == 5.0 else 1.0 + 4.0 * value / most


def _best_level(reading: Reading) -> float | None:
    """Of the options; None where one of them praises in other words (`tack sharp`)."""
    parts = [read_part(option.text) for option in reading.options]
    if any(m.concept.sign == "merit" and not m.negated for part in parts for m in part.mentions):
        return None
    said = (level(part.tokens) for part in parts)
    return max((value for value in said if value is not None), default=None)
