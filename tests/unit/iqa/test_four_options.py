"""Four-option questions on distorted photos: with perfect evidence, and with measured one."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from proveout.apps.iqa.experts.ground import Ground, ground_of
from proveout.apps.iqa.experts.planner import plan
from proveout.apps.iqa.experts.summarizer import summarize
from proveout.apps.iqa.frame import Frame, ImageFacts
from proveout.apps.iqa.regions import resolve
from tests.unit.iqa.evidence_kit import Picture, Place, detections
from tests.unit.iqa.four_options import Asked, questions

DETECTORS = {
    "blur": "gaussian_blur",
    "motion": "motion_blur",
    "noise": "white_noise",
    "impulse": "impulse_noise",
    "jpeg": "jpeg",
    "dark": "underexposure",
    "bright": "overexposure",
    "flat": "low_contrast",
    "colour": "oversaturation",
    "pixels": "pixelation",
    "steps": "quantization",
    "sharp": "oversharpening",
}
LEAST_PERFECT = 0.97
LEAST_MEASURED = 0.80


@cache
def asked() -> tuple[Asked, ...]:
    return tuple(questions())


def test_the_set_is_large_and_its_letters_are_spread() -> None:
    letters = Counter(question.letter.upper() for question in asked())

    assert len(asked()) >= 200
    assert {question.form for question in asked()} == {
        *("what", "which", "how"),
        *("overall", "yes-no", "where"),
    }
    assert all(0.15 < letters[letter] / len(asked()) < 0.35 for letter in "ABCD")


def right(grounds: Callable[[Asked], Ground]) -> Counter[tuple[str, bool]]:
    counted: Counter[tuple[str, bool]] = Counter()
    for question in asked():
        made = plan(question.query)
        answer = summarize(question.query, made, None, grounds(question), iteration_count=9)
        counted[(question.form, answer.final_answer == question.letter)] += 1
    return counted


def share(counted: Counter[tuple[str, bool]]) -> float:
    return sum(n for (_, good), n in counted.items() if good) / counted.total()


def _perfect(question: Asked) -> Ground:
    kind, _, half = question.picture.kind.partition(" ")
    found = detections(**{DETECTORS[kind]: question.picture.quality})
    clean = detections()
    regions = {
        scope: Place(detections=found if scope == half else clean)
        for scope in plan(question.query).scopes
        if half
    }
    return ground_of(None, Picture(found, score=question.picture.quality, regions=regions))


def test_with_perfect_evidence_nearly_all_answers_are_right() -> None:
    counted = right(_perfect)

    assert share(counted) >= LEAST_PERFECT, counted


def _framed(question: Asked) -> Frame:
    pixels = question.picture.pixels
    facts = ImageFacts(
        sha256="",
        pixels_sha256="",
        format="ARRAY",
        width=pixels.shape[1],
        height=pixels.shape[0],
        bytes=pixels.size,
    )
    return Frame(np.ascontiguousarray(pixels.astype(np.float32) / np.float32(255)), facts)


def test_with_what_is_measured_most_answers_are_right() -> None:
    measuring = pytest.importorskip(
        "proveout.apps.iqa.measure", reason="the measurement is not built yet", exc_type=ImportError
    )
    if not Path(str(measuring.__file__)).parent.joinpath("fitted", "naming.json").exists():
        pytest.skip("the fitted models of the measurement are not there yet")
    seen: dict[int, tuple[Frame, object]] = {}

    def measured(question: Asked) -> Ground:
        key = id(question.picture)
        if key not in seen:
            frame = _framed(question)
            seen[key] = (frame, measuring.measure(frame))
        frame, found = seen[key]
        regions: dict[str, Place] = {}
        for scope in plan(question.query).scopes:
            region = resolve(scope, frame) if scope != "Global" else None
            if region is not None:
                inside = measuring.measure_region(frame, found, region.mask)
                regions[scope] = Place(score=inside.score, detections=inside.detections)
        picture = Picture(found.detections, found.score, found.interval, (), regions)  # type: ignore[attr-defined]
        return ground_of(None, picture)

    counted = right(measured)

    assert share(counted) >= LEAST_MEASURED, counted
