"""Options that name a cure, a colour, a score or a degree instead of a fault."""

from dataclasses import replace

import pytest

from proveout.apps.iqa.detection import Detection
from proveout.apps.iqa.experts.ground import ground_of
from proveout.apps.iqa.experts.planner import plan
from proveout.apps.iqa.experts.remedies import cured
from proveout.apps.iqa.experts.summarizer import summarize
from proveout.apps.iqa.experts.tints import leaning
from proveout.apps.iqa.language.inflection import inflected
from tests.unit.iqa.evidence_kit import Picture, Place, detections

CURES = ["brighten it", "sharpen it", "remove the grain", "cool down the colours"]
FILTERS = ["a denoiser", "a deblurring filter", "a dehazing filter", "a deblocking filter"]
DEGREES = ["tack sharp", "a tad soft", "rather soft", "hopelessly blurred"]
STARS = ["5 stars", "4 stars", "2 stars", "1 star"]
ITU = ["imperceptible", "perceptible but not annoying", "slightly annoying", "very annoying"]


def answer(
    query: str, choices: list[str], seen: tuple[Detection, ...] = (), score: float = 3.0
) -> str:
    ground = ground_of(None, Picture(seen or detections(), score=score))
    made = plan(query, choices=choices)
    return summarize(query, made, None, ground, choices=choices, iteration_count=9).final_answer


@pytest.mark.parametrize(
    ("query", "choices", "seen", "expected"),
    [
        ("What would you do to rescue it?", CURES, {"underexposure": 2.0}, "brighten it"),
        ("What would you do to rescue it?", CURES, {"white_noise": 2.0}, "remove the grain"),
        ("What would you do to rescue it?", CURES, {"gaussian_blur": 2.0}, "sharpen it"),
        ("Which filter would help the most?", FILTERS, {"haze": 2.0}, "a dehazing filter"),
        ("Which filter would help the most?", FILTERS, {"jpeg": 2.0}, "a deblocking filter"),
        ("How blurry is it?", DEGREES, {"gaussian_blur": 1.0}, "hopelessly blurred"),
        ("How blurry is it?", DEGREES, {}, "tack sharp"),
        ("How visible is the JPEG compression?", ITU, {"jpeg": 1.1}, "very annoying"),
        ("How visible is the JPEG compression?", ITU, {}, "imperceptible"),
        ("Is it too dark?", ["Definitely", "Not at all"], {"underexposure": 1.5}, "Definitely"),
        ("Is it too dark?", ["Definitely", "Not at all"], {}, "Not at all"),
    ],
)
def test_the_option_that_fits_what_was_measured(
    query: str, choices: list[str], seen: dict[str, float], expected: str
) -> None:
    assert answer(query, choices, detections(**seen)) == expected


@pytest.mark.parametrize(
    ("score", "expected"), [(1.2, "1 star"), (2.1, "2 stars"), (4.9, "5 stars")]
)
def test_scores_with_a_unit_are_levels(score: float, expected: str) -> None:
    assert answer("Give a grade for the quality", STARS, score=score) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(0, -20, "blue"), (25, 3, "red"), (2, 22, "yellow")]
)
def test_colours_are_told_apart_by_where_they_lean(a: float, b: float, expected: str) -> None:
    facts = {"neutral_a": float(a), "neutral_b": float(b)}
    seen = tuple(
        replace(one, facts=facts) if one.name == "color_cast" else one
        for one in detections(color_cast=2.0)
    )

    assert answer("The hue is off. It is too", ["red", "blue", "yellow"], seen) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (4.8, 1.8, "the right half"),
        (1.8, 1.8, "both halves"),
        (4.8, 4.8, "neither"),
    ],
)
def test_both_and_neither_beside_places(left: float, right: float, expected: str) -> None:
    query, choices = "Which side is too dark?", ["the left half", "the right half"]
    choices += ["both halves", "neither"]
    regions = {
        "left half": Place(detections=detections(underexposure=left)),
        "right half": Place(detections=detections(underexposure=right)),
    }
    ground = ground_of(None, Picture(detections(), regions=regions))
    made = plan(query, choices=choices)
    found = summarize(query, made, None, ground, choices=choices, iteration_count=9)

    assert found.final_answer == expected


def test_words_that_name_no_cure_and_no_colour() -> None:
    assert cured("a sharp picture") is None
    assert leaning("neutral") is None
    assert leaning("red and green") is None


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("flat", ["flatter", "flattest", "flattish", "flatness"]),
        ("pale", ["paler", "palest", "palish", "paleness"]),
        ("murky", ["murkier", "murkiest", "murkiness", "murkish", "murkyish"]),
        ("blurred", []),
        ("darker", []),
    ],
)
def test_degrees_of_adjectives(word: str, forms: list[str]) -> None:
    assert list(inflected(word)) == forms
