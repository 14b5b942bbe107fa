"""Evidence made by hand: what a summarizer is given when a picture shows exactly this."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.detection import Detection
from proveout.apps.iqa.experts.ground import severity_of
from proveout.apps.iqa.models import DistortionAnalysis, ExecutorOutput


@dataclass(frozen=True)
class Place:
    """A region as measured."""

    found: bool = True
    how: str = "its place in the frame"
    score: float | None = 3.0
    detections: tuple[Detection, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A picture as measured."""

    detections: tuple[Detection, ...]
    score: float = 3.0
    interval: tuple[float, float] = (2.4, 3.6)
    warnings: tuple[str, ...] = ()
    regions: Mapping[str, Place] = field(default_factory=dict)


def detections(**qualities: float) -> tuple[Detection, ...]:
    """The whole catalogue, clean but for the qualities given by name."""
    return tuple(
        Detection(
            name=name,
            category=entry.category,
            strength=round(5 - qualities.get(name, 4.8), 3),
            unit=entry.unit,
            quality=qualities.get(name, 4.8),
            severity=severity_of(qualities.get(name, 4.8)),
            confidence=0.9,
            note=f"measured {5 - qualities[name]:.2f}" if name in qualities else "",
            facts={"measured": 5 - qualities[name]} if name in qualities else {},
        )
        for name, entry in CATALOGUE.items()
    )


def executed(
    scope: str = "Global", kind: str = "Blurs", severity: str = "severe", score: float = 2.0
) -> ExecutorOutput:
    """What an executor reports of one distortion in one region."""
    entry = DistortionAnalysis.model_validate(
        {"type": kind, "severity": severity, "explanation": "as seen"}
    )
    return ExecutorOutput(
        distortion_set={scope: [kind]},
        distortion_analysis={scope: [entry]},
        quality_scores={scope: {kind: ("NIQE", score)}},
    )
