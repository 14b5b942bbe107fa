"""What an answer may stand on: detections with the quality people would give, per region.

Measured evidence and the executor's own words (which a vision model may have written) are brought
to the same form, so that the rules that answer need not know where a severity came from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from proveout.apps.iqa.detection import SEVERITIES, Severity
from proveout.apps.iqa.language.lexicon import Concept, lexicon
from proveout.apps.iqa.models import GLOBAL, ExecutorOutput

BANDS: tuple[float, ...] = (4.4, 3.5, 2.5, 1.6)
"""Lower ends of the bands of quality: none, slight, moderate, severe; below is extreme."""
_DOUBT = 0.5
_RELATED, _MOST_RELATED = 0.25, 0.5
"""Below what people notice: relatives break ties and claim nothing."""
_MIDDLES: Mapping[Severity, float] = dict(zip(SEVERITIES, (4.7, 3.95, 3.0, 2.05, 1.3), strict=True))
_POSITIONS = ((5.0, 0.0), (4.4, 0.5), (3.5, 1.5), (2.5, 2.5), (1.6, 3.5), (1.0, 4.0))


class Seen(Protocol):
    """One distortion, measured: `Detection` and its written form both are."""

    @property
    def name(self) -> str: ...
    @property
    def category(self) -> str: ...
    @property
    def quality(self) -> float: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def confidence(self) -> float: ...
    @property
    def applicable(self) -> bool: ...
    @property
    def note(self) -> str: ...
    @property
    def facts(self) -> Mapping[str, float]: ...


class Found(Protocol):
    """A region that was looked for."""

    @property
    def found(self) -> bool: ...
    @property
    def how(self) -> str: ...
    @property
    def score(self) -> float | None: ...
    @property
    def detections(self) -> Sequence[Seen]: ...


class Measurements(Protocol):
    """Everything that was measured of a picture."""

    @property
    def score(self) -> float: ...
    @property
    def interval(self) -> tuple[float, float]: ...
    @property
    def detections(self) -> Sequence[Seen]: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    @property
    def regions(self) -> Mapping[str, Found]: ...


@dataclass(frozen=True)
class Said:
    """A severity in words, as a detection: of the middle of its band."""

    name: str
    category: str
    severity: Severity
    note: str = ""
    confidence: float = 0.5
    applicable: bool = True
    facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def quality(self) -> float:
        return _MIDDLES[self.severity]


@dataclass(frozen=True)
class Ground:
    """Detections per region, the score, and what is known to be missing."""

    detections: Mapping[str, Sequence[Seen]]
    score: float | None = None
    """From 1 to 5, of the whole picture."""
    interval: tuple[float, float] | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    """Region → its score."""
    tools: Mapping[str, float] = field(default_factory=dict)
    """`region.distortion.tool` → score from 1 to 5."""
    raw: Mapping[str, float] = field(default_factory=dict)
    """Tool → value in its own unit, of the whole picture or the first region."""
    warnings: Sequence[str] = ()
    unresolved: tuple[str, ...] = ()
    how: Mapping[str, str] = field(default_factory=dict)
    """Region → by what it was found."""
    places: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Detection (or `all`) → place in the frame → mean loss there."""
    measured: bool = True
    marked: str = ""
    """The region that the user drew: what a question without a region is about."""

    def seen(self, scope: str = GLOBAL) -> Sequence[Seen]:
        """The detections of a region, or of the whole picture where it has none of its own."""
        return self.detections.get(scope) or self.detections.get(GLOBAL) or ()

    def quality(self, scope: str = GLOBAL) -> float | None:
        return self.scores.get(scope, self.score)


def ground_of(
    executor: ExecutorOutput | None,
    measured: Measurements | None = None,
    places: Mapping[str, Mapping[str, float]] | None = None,
    score: float | None = None,
    interval: tuple[float, float] | None = None,
) -> Ground:
    """Measurements where there are any, else the severities that the executor was told.

    `score` is a better one than the measured, from a reference or by fusion; `interval` is its own.
    """
    tools = {
        f"{scope}.{kind}.{tool}": value
        for scope, pairs in ((executor.quality_scores if executor else None) or {}).items()
        for kind, (tool, value) in pairs.items()
    }
    logs = executor.tool_logs if executor else []
    raw = {log.tool_name: log.raw_score for log in reversed(logs) if log.raw_score is not None}
    if measured is None:
        mean = sum(tools.values()) / len(tools) if tools else None
        return Ground(
            _said(executor),
            score=score if score is not None else mean,
            tools=tools,
            raw=raw,
            measured=False,
        )
    found = {name: region for name, region in measured.regions.items() if region.found}
    return Ground(
        {GLOBAL: measured.detections} | {n: _of_a_part(r.detections) for n, r in found.items()},
        score=measured.score if score is None else score,
        interval=measured.interval if score is None else interval,
        scores={n: region.score for n, region in found.items() if region.score is not None},
        tools=tools,
        raw=raw,
        warnings=tuple(measured.warnings),
        unresolved=tuple(name for name, region in measured.regions.items() if not region.found),
        how={name: region.how for name, region in found.items()},
        places=places or {},
    )


def _of_a_part(seen: Sequence[Seen]) -> Sequence[Seen]:
    """In a part of the picture, light that falls off is light that is missing: it is dark there."""
    by_name = {one.name: one for one in seen}
    dark, fall_off = by_name.get("underexposure"), by_name.get("vignetting")
    if dark is None or fall_off is None:
        return seen
    if dark.severity != "none" or fall_off.severity == "none":
        return seen
    said = Said(
        dark.name, dark.category, fall_off.severity, fall_off.note, fall_off.confidence,
        facts=fall_off.facts,
    )  # fmt: skip
    return [said if one is dark else one for one in seen]


def _said(executor: ExecutorOutput | None) -> dict[str, Sequence[Seen]]:
    """The executor's analysis, each type under the category or the name that it is known by."""
    analysis = (executor.distortion_analysis if executor else None) or {}
    return {
        scope: [
            Said(entry.type, _category(entry.type), entry.severity, entry.explanation)
            for entry in entries
        ]
        for scope, entries in analysis.items()
    }


def _category(kind: str) -> str:
    """The category that a type belongs to; the type itself where it is one or is unknown."""
    for concept in lexicon().concepts.values():
        if kind in concept.detectors or kind.lower() == concept.called.lower():
            return concept.category
    return kind


def loss(seen: Seen) -> float:
    """Expected loss of quality, 0 to 4; what a detector is unsure of counts for less.

    Where nothing was seen, doubt counts a little: it decides between options that all seem absent.
    """
    if seen.severity == "none":
        return (5.0 - seen.quality) + _DOUBT * (1.0 - seen.confidence) if seen.applicable else 0.0
    return (5.0 - seen.quality) * (0.4 + 0.6 * seen.confidence)


def matching(concept: Concept, seen: Sequence[Seen]) -> list[Seen]:
    """The detections that measure a concept; by category where a model only named that."""
    exact = [one for one in seen if one.name in concept.detectors]
    return exact or [one for one in seen if one.name == concept.category]


def worst(seen: Sequence[Seen]) -> Seen | None:
    """The one that costs most; the first of equals."""
    return max(seen, key=loss, default=None)


def concept_loss(concept: Concept, seen: Sequence[Seen]) -> float:
    """The loss by what a concept speaks of; a relative of it counts as far as a doubt would."""
    found = worst(matching(concept, seen))
    kin = worst([one for one in seen if one.category == concept.category])
    related = 0.0 if kin is None else min(_MOST_RELATED, _RELATED * loss(kin))
    return related if found is None else max(loss(found), related)


def concept_quality(concept: Concept, seen: Sequence[Seen]) -> float:
    """The quality that what was seen leaves; how sure that is does not make it slighter."""
    there = [one for one in matching(concept, seen) if one.severity != "none"]
    if there:
        return min(one.quality for one in there)
    return 5.0 - concept_loss(concept, seen)


def position(quality: float) -> float:
    """A quality from 1 to 5 on the scale of severities, 0 (none) to 4 (extreme)."""
    quality = min(5.0, max(1.0, quality))
    for (high, first), (low, second) in zip(_POSITIONS, _POSITIONS[1:], strict=False):
        if quality >= low:
            return first + (high - quality) / (high - low) * (second - first)
    return _POSITIONS[-1][1]


def severity_of(quality: float) -> Severity:
    return SEVERITIES[sum(quality < end for end in BANDS)]
