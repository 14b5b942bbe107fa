"""Detectors: strength follows the fault, maps follow the place, odd pictures say not applicable."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from proveout.apps.iqa.catalogue import CATALOGUE
from proveout.apps.iqa.detection import Detection
from proveout.apps.iqa.detectors import detect
from proveout.apps.iqa.detectors.judging import present_names, verdict
from proveout.apps.iqa.detectors.readings import read_all
from proveout.apps.iqa.features import vector
from proveout.apps.iqa.scorehead import names_known
from proveout.apps.iqa.second_look import Looks
from proveout.apps.iqa.view import view_of
from tests.unit.iqa import pictures
from tests.unit.iqa.pictures import Fault, Pixels, frame_of, half_of, photos
from tests.unit.iqa.test_features import ODD

LEVELS: dict[str, tuple[Fault, tuple[float, ...]]] = {
    "gaussian_blur": (pictures.blurred, (1.0, 2.0, 4.0)),
    "lens_blur": (pictures.blurred, (1.0, 2.0, 4.0)),
    "motion_blur": (pictures.smeared, (5, 9, 17)),
    "white_noise": (pictures.grey_noisy, (5, 10, 20)),
    "color_noise": (pictures.noisy, (5, 10, 20)),
    "impulse_noise": (pictures.peppered, (0.5, 2, 6)),
    "jpeg": (pictures.coded, (80, 90, 95)),
    "oversharpening": (pictures.sharpened, (1, 2.5, 6)),
    "overexposure": (pictures.brighter, (1.6, 2.2, 3.5)),
    "underexposure": (pictures.darker, (1.6, 3, 6)),
    "low_contrast": (pictures.flatter, (2, 4, 8)),
    "haze": (pictures.hazy, (0.3, 0.5, 0.7)),
    "color_cast": (pictures.tinted, (0.1, 0.25, 0.5)),
    "oversaturation": (pictures.vivid, (2, 3, 5)),
    "undersaturation": (pictures.paler, (4, 8, 40)),
    "quantization": (pictures.banded, (4, 12, 40)),
    "pixelation": (pictures.pixelated, (3, 5, 9)),
    "chromatic_aberration": (pictures.fringed, (1, 2, 4)),
    "moire": (pictures.waffled, (8, 20, 45)),
    "interlacing": (pictures.combed, (3, 6, 12)),
    "vignetting": (pictures.shaded, (0.3, 0.5, 0.8)),
}
HALVED = (
    "gaussian_blur",
    "white_noise",
    "color_noise",
    "impulse_noise",
    "overexposure",
    "underexposure",
)


def strengths(picture: Pixels) -> dict[str, float]:
    frame = frame_of(picture)
    found = read_all(view_of(frame), frame.facts)
    return {name: reading.strength for name, reading in found.items()}


@pytest.fixture(scope="module")
def sources() -> dict[str, Pixels]:
    return photos()


@pytest.mark.parametrize("name", LEVELS)
def test_strength_rises_with_the_level_on_every_photo(
    name: str, sources: dict[str, Pixels]
) -> None:
    fault, levels = LEVELS[name]
    for photo in sources.values():
        values = [strengths(fault(photo, level))[name] for level in levels]
        assert values == sorted(values), (name, values)
        assert values[-1] > values[0]


@pytest.mark.parametrize("name", HALVED)
def test_map_points_at_the_half_that_is_distorted(name: str, sources: dict[str, Pixels]) -> None:
    fault, levels = LEVELS[name]
    frame = frame_of(half_of(sources["coffee"], fault, levels[-1]))
    cells = read_all(view_of(frame), frame.facts)[name].cells
    assert cells is not None
    middle = cells.shape[1] // 2
    assert float(cells[:, middle:].mean()) > 1.3 * float(cells[:, :middle].mean())


@pytest.mark.parametrize("name", ODD)
def test_odd_pictures_are_measured_without_failing(name: str) -> None:
    found = detect(frame_of(ODD[name]))
    assert tuple(one.name for one in found) == tuple(CATALOGUE)
    for one in found:
        assert 1 <= one.quality <= 5
        assert 0 <= one.confidence <= 1
        assert np.isfinite(one.strength)


@pytest.mark.parametrize("name", ["black", "white", "one_pixel", "one_row"])
def test_empty_pictures_are_called_flat_and_blur_does_not_apply(name: str) -> None:
    found = {one.name: one for one in detect(frame_of(ODD[name]))}
    assert found["flat"].severity == "extreme"
    assert not found["gaussian_blur"].applicable
    assert [one.name for one in found.values() if one.severity != "none"] == ["flat"]


def test_colour_detectors_do_not_apply_to_a_picture_without_colour(
    sources: dict[str, Pixels],
) -> None:
    grey = np.repeat(sources["coffee"].mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)
    found = {one.name: one for one in detect(frame_of(grey))}
    for name in ("chromatic_aberration", "oversaturation", "color_cast", "color_noise"):
        assert not found[name].applicable


def test_same_picture_gives_the_same_detections_and_maps(sources: dict[str, Pixels]) -> None:
    picture = pictures.noisy(sources["coffee"], 15)
    first, second = detect(frame_of(picture)), detect(frame_of(picture.copy()))
    assert first == second
    for one, other in zip(first, second, strict=True):
        assert (one.map is None) == (other.map is None)
        if one.map is not None and other.map is not None:
            assert np.array_equal(one.map, other.map)


def test_clean_photos_have_no_finding(sources: dict[str, Pixels]) -> None:
    for name, photo in sources.items():
        found = [one.name for one in detect(frame_of(photo)) if one.severity != "none"]
        assert not found, (name, found)


@pytest.mark.parametrize(
    ("name", "fault", "level"),
    [
        ("white_noise", pictures.noisy, 18),
        ("gaussian_blur", pictures.blurred, 2.5),
        ("jpeg", pictures.coded, 92),
        ("impulse_noise", pictures.peppered, 2),
        ("pixelation", pictures.pixelated, 6),
    ],
)
def test_gross_faults_are_named_with_a_map_inside_the_scale(
    name: str, fault: Fault, level: float, sources: dict[str, Pixels]
) -> None:
    picture = fault(sources["coffee"], level)
    found = [one for one in detect(frame_of(picture)) if one.severity != "none"]
    assert CATALOGUE[name].category in {one.category for one in found}
    for one in found:
        assert one.map is not None
        assert one.map.shape == picture.shape[:2]
        assert 0 <= float(one.map.min()) <= float(one.map.max()) <= 4


@pytest.mark.parametrize(
    ("white", "black", "dark", "median", "chance", "name"),
    [
        (8.0, 0.5, 4.0, 120, 0.3, "overexposure"),
        (8.0, 6.0, 4.0, 120, 0.3, "contrast_change"),
        (8.0, 0.5, 30.0, 120, 0.3, "contrast_change"),
        (1.0, 0.0, 4.0, 120, 0.3, "contrast_change"),
        (8.0, 0.5, 4.0, 120, 0.02, "contrast_change"),
        (30.0, 11.0, 30.0, 190, 0.02, "overexposure"),
        (30.0, 20.0, 30.0, 190, 0.02, "contrast_change"),
        (30.0, 11.0, 30.0, 120, 0.02, "contrast_change"),
    ],
)
def test_what_burns_one_end_only_is_light_not_contrast(
    white: float,
    black: float,
    dark: float,
    median: float,
    chance: float,
    name: str,
    sources: dict[str, Pixels],
) -> None:
    frame = frame_of(sources["coffee"])
    readings = read_all(view_of(frame), frame.facts)
    seen = readings["overexposure"].facts | {
        "white_percent": white, "black_percent": black, "dark_percent": dark,
        "median_luma": median,
    }  # fmt: skip
    readings["overexposure"] = replace(readings["overexposure"], facts=seen)
    chances = dict.fromkeys(names_known(), 0.0)
    chances |= {"contrast_change": 0.6, "overexposure": chance}
    assert present_names(Looks(chances, there=True), readings)[0] == name


def test_a_dithered_palette_is_not_called_noise(sources: dict[str, Pixels]) -> None:
    for photo in sources.values():
        few = Image.fromarray(photo).quantize(24, method=Image.Quantize.FASTOCTREE)
        picture = np.asarray(Image.fromarray(photo).quantize(palette=few).convert("RGB"))
        found = [one.name for one in detect(frame_of(picture)) if one.severity != "none"]
        assert found[0] == "color_quantization"


def test_what_is_measured_beyond_doubt_is_named_before_what_is_likelier(
    sources: dict[str, Pixels],
) -> None:
    few = Image.fromarray(sources["coffee"]).quantize(24, method=Image.Quantize.FASTOCTREE)
    frame = frame_of(np.asarray(few.convert("RGB")))
    view = view_of(frame)
    chances = dict.fromkeys(names_known(), 0.0)
    chances |= {"quantization": 0.4, "high_frequency_noise": 0.35, "color_quantization": 0.2}
    looks = Looks(chances, there=True)
    found = verdict(vector(view), looks, read_all(view, frame.facts)).reported
    assert found[:2] == ("color_quantization", "high_frequency_noise")


def test_grey_with_noise_is_not_called_a_palette(sources: dict[str, Pixels]) -> None:
    grey = np.repeat(sources["coffee"].mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)
    found = [one.name for one in detect(frame_of(pictures.grey_noisy(grey, 20)))]
    assert found[0] != "color_quantization"


def test_notes_quote_only_numbers_that_stand_in_the_facts(sources: dict[str, Pixels]) -> None:
    for one in detect(frame_of(pictures.coded(sources["coffee"], 90))):
        _assert_backed(one)


def _assert_backed(one: Detection) -> None:
    allowed = {f"{value:.{digits}f}" for value in one.facts.values() for digits in (0, 1, 2)}
    allowed |= {"8", "5", "98", "255"}
    words = one.note.replace(";", " ").replace(",", " ").replace("(", " ").split()
    for word in words:
        if word.replace(".", "").isdigit():
            assert word.rstrip(".") in allowed, (one.name, word, one.note)


def test_file_facts_tell_of_double_compression(sources: dict[str, Pixels]) -> None:
    frame = frame_of(pictures.coded(sources["coffee"], 92), "JPEG", jpeg_quality=95)
    reading = read_all(view_of(frame), frame.facts)["jpeg"]
    assert reading.facts["compressed_twice"] == 1
    assert reading.facts["file_quality"] == 95
