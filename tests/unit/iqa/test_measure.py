"""Measurements: score, interval, order, regions, warnings."""

import numpy as np
import pytest
from skimage import data

from proveout.apps.iqa.calibration import severity_of
from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.frame import Frame
from proveout.apps.iqa.intake import from_array
from proveout.apps.iqa.measure import Measurement, measure, measure_region
from proveout.apps.iqa.scorehead import level_chances
from proveout.apps.iqa.tools import no_reference
from tests.unit.iqa import pictures
from tests.unit.iqa.pictures import Pixels, frame_of, half_of, photos
from tests.unit.iqa.test_features import ODD


@pytest.fixture(scope="module")
def photo() -> Pixels:
    return photos()["coffee"]


@pytest.fixture(scope="module")
def clean(photo: Pixels) -> Measurement:
    return measure(frame_of(photo))


def test_clean_photo_scores_as_clean(clean: Measurement) -> None:
    assert clean.score >= 4.2
    assert not clean.present


@pytest.mark.parametrize(
    ("fault", "levels"),
    [
        (pictures.noisy, (6, 14, 30)),
        (pictures.blurred, (1.2, 2.2, 4.5)),
        (pictures.coded, (80, 90, 96)),
    ],
)
def test_score_falls_as_the_fault_grows(
    photo: Pixels, clean: Measurement, fault: pictures.Fault, levels: tuple[float, ...]
) -> None:
    scores = [clean.score, *(measure(frame_of(fault(photo, level))).score for level in levels)]
    assert scores == sorted(scores, reverse=True), scores


def test_interval_holds_the_score_and_levels_sum_to_one(clean: Measurement) -> None:
    assert 1 <= clean.interval[0] <= clean.score <= clean.interval[1] <= 5
    assert sum(clean.level_probabilities) == pytest.approx(1, abs=1e-3)


def test_detections_cover_the_catalogue_worst_first(photo: Pixels) -> None:
    found = measure(frame_of(pictures.noisy(photo, 20)))
    assert {one.name for one in found.detections} == set(CATALOGUE)
    qualities = [one.quality for one in found.detections]
    assert qualities == sorted(qualities)


def test_score_and_severities_do_not_contradict_each_other(photo: Pixels) -> None:
    for level in (2, 8, 25):
        found = measure(frame_of(pictures.noisy(photo, level)))
        for one in found.present:
            assert one.quality >= found.score - 1e-6
            assert one.severity == severity_of(one.quality)
        if found.score < 3.5:
            assert found.present


@pytest.mark.parametrize("name", ODD)
def test_odd_pictures_give_a_measurement(name: str) -> None:
    found = measure(frame_of(ODD[name]))
    assert 1 <= found.score <= 5
    assert found.interval[0] <= found.interval[1]


@pytest.mark.parametrize(
    ("picture", "warning"),
    [
        (ODD["tiny"], "tiny"),
        (ODD["black"], "flat"),
        (
            np.repeat(photos()["coffee"].mean(axis=2, keepdims=True), 3, 2).astype(np.uint8),
            "monochrome",
        ),
        (pictures.darker(photos()["coffee"], 8), "night"),
    ],
)
def test_pictures_outside_the_fitted_world_carry_a_warning(picture: Pixels, warning: str) -> None:
    assert warning in measure(frame_of(picture)).warnings


def test_drawing_is_taken_for_screen_or_line_art() -> None:
    page = np.full((300, 400, 3), 255, np.uint8)
    page[40:260:20] = 0
    page[:, 50:350:60] = (0, 0, 0)
    page[100:140, 100:200] = (200, 30, 30)
    assert {"screen", "line_art"} & set(measure(frame_of(page)).warnings)


def test_region_in_the_faulty_half_scores_lower(photo: Pixels) -> None:
    picture = half_of(photo, pictures.noisy, 35)
    frame = frame_of(picture)
    whole = measure(frame)
    right = np.zeros(picture.shape[:2], bool)
    right[:, picture.shape[1] // 2 + 8 :] = True
    worse, better = measure_region(frame, whole, right), measure_region(frame, whole, ~right)
    assert worse.score < better.score
    assert worse.share == pytest.approx(0.5, abs=0.05)


def test_region_mask_of_wrong_size_or_empty_is_refused(photo: Pixels, clean: Measurement) -> None:
    frame = frame_of(photo)
    with pytest.raises(ValueError, match="mask is"):
        measure_region(frame, clean, np.ones((10, 10), bool))
    with pytest.raises(ValueError, match="empty"):
        measure_region(frame, clean, np.zeros(photo.shape[:2], bool))


def test_large_picture_accepts_masks_at_full_and_at_working_size() -> None:
    large = np.repeat(np.repeat(photos()["coffee"], 3, axis=0), 3, axis=1)
    frame = frame_of(large)
    found = measure(frame)
    full = np.zeros(large.shape[:2], bool)
    full[: large.shape[0] // 2] = True
    height, width = frame.working.shape[:2]
    small = np.zeros((height, width), bool)
    small[: height // 2] = True
    first, second = measure_region(frame, found, full), measure_region(frame, found, small)
    assert first.score == pytest.approx(second.score, abs=0.05)


def test_same_pixels_give_the_same_measurement(photo: Pixels, clean: Measurement) -> None:
    assert measure(frame_of(photo.copy())) == clean


@pytest.mark.parametrize("value", [1.0, 2.4, 4.9])
def test_level_chances_favour_the_level_of_the_score(value: float) -> None:
    chances = level_chances(value, 0.3)
    assert int(np.argmax(chances)) + 1 == round(value)


@pytest.mark.parametrize("tool", ["niqe", "brisque", "piqe"])
def test_no_reference_tools_call_a_noisy_and_blurred_picture_worse(
    photo: Pixels, tool: str
) -> None:
    call = getattr(no_reference, tool)
    values = [
        call(frame_of(p)) for p in (photo, pictures.noisy(photo, 30), pictures.blurred(photo, 4))
    ]
    assert values[0] < min(values[1:])


def test_own_tool_gives_the_score(photo: Pixels, clean: Measurement) -> None:
    assert no_reference.proveout(frame_of(photo)) == clean.score


@pytest.mark.parametrize("photo", ["coffee", "astronaut", "chelsea"])
@pytest.mark.parametrize("factor", [0.35, 0.15])
def test_a_picture_that_is_much_too_dark_is_called_so(photo: str, factor: float) -> None:
    pixels = np.asarray(getattr(data, photo)())
    bright = measure(from_array(pixels))
    dark = measure(from_array((pixels * factor).astype(np.uint8)))
    assert dark.present[0].name == "underexposure"
    assert dark.present[0].severity in ("moderate", "severe", "extreme")
    assert dark.score < bright.score - 1
    assert dark.interval[0] <= dark.score <= dark.interval[1]
    assert sum(dark.level_probabilities) == pytest.approx(1)


def test_full_resolution_that_was_let_go_is_had_again_where_it_can_be() -> None:
    pixels = np.full((600, 700, 3), 90, np.uint8)
    facts = frame_of(pixels).facts
    asked: list[int] = []

    def again() -> Pixels:
        asked.append(1)
        return pixels

    frame = Frame(pixels, facts, again)
    frame.let_go()
    assert (frame.height, frame.width) == (600, 700)
    assert not asked
    assert frame.pixels is pixels
    assert frame.pixels is pixels
    assert asked == [1]
    unique = Frame(pixels, facts)
    unique.let_go()
    assert unique.pixels is pixels
