"""Regions by words: places, tones, materials, faces; and no guess where nothing is known."""

import time
from functools import cache

import numpy as np
import pytest
import skimage.data

from proveout.apps.iqa.frame import Frame, ImageFacts
from proveout.apps.iqa.regions import Region, resolve


def framed(picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Frame:
    colour = picture if picture.ndim == 3 else np.stack([picture] * 3, axis=-1)
    facts = ImageFacts(
        sha256="",
        pixels_sha256="",
        format="ARRAY",
        width=colour.shape[1],
        height=colour.shape[0],
        bytes=0,
    )
    return Frame(np.ascontiguousarray(colour[..., :3].astype(np.float32) / np.float32(255)), facts)


def _pixels(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.asarray(getattr(skimage.data, name)(), np.uint8)


@cache
def photo(name: str) -> Frame:
    return framed(_pixels(name))


def found(scope: str, name: str = "astronaut") -> Region:
    region = resolve(scope, photo(name))
    assert region is not None
    assert region.mask.shape == photo(name).working.shape[:2]
    assert region.mask.dtype == np.bool_
    return region


def centre_of(region: Region) -> tuple[float, float]:
    """Row and column of the centre, from 0 to 1."""
    rows, columns = np.nonzero(region.mask)
    height, width = region.mask.shape
    return float(rows.mean()) / height, float(columns.mean()) / width


@pytest.mark.parametrize(
    ("scope", "row", "column"),
    [
        ("top left corner", 0.125, 0.125),
        ("upper right", 0.2, 0.8),
        ("bottom", 5 / 6, 0.5),
        ("lower third", 5 / 6, 0.5),
        ("left half", 0.5, 0.25),
        ("right-hand side", 0.5, 0.8),
        ("centre", 0.5, 0.5),
        ("middle of the image", 0.5, 0.5),
        ("top center", 1 / 6, 0.5),
        ("corners", 0.5, 0.5),
        ("edges", 0.5, 0.5),
    ],
)
def test_places_in_the_frame(scope: str, row: float, column: float) -> None:
    assert centre_of(found(scope)) == pytest.approx((row, column), abs=0.01)
    assert found(scope).confidence == 1.0


def test_opposite_places_share_no_pixel() -> None:
    assert not (found("left half").mask & found("right half").mask).any()
    assert not (found("edges").mask & found("center").mask).any()


def test_a_face_is_found_where_it_is() -> None:
    row, column = centre_of(found("face"))

    assert 0.15 < row < 0.35
    assert 0.35 < column < 0.55
    assert not (found("eyes").mask & found("mouth").mask).any()
    assert (found("person").mask & found("face").mask).sum() == found("face").mask.sum()


@pytest.mark.parametrize("name", ["chelsea", "coffee", "rocket"])
def test_no_face_is_no_region(name: str) -> None:
    assert resolve("face", photo(name)) is None
    assert resolve("woman", photo(name)) is None


def test_subject_and_background_are_each_other_s_rest() -> None:
    subject, background = found("subject", "coffee"), found("background", "coffee")

    assert (subject.mask ^ background.mask).all()
    assert 0.05 < subject.mask.mean() < 0.6


def test_the_night_sky_is_at_the_top() -> None:
    row, _ = centre_of(found("sky", "rocket"))

    assert row < 0.5
    assert resolve("sky", photo("page")) is None


def test_written_lines_are_text() -> None:
    assert found("text", "page").mask.mean() > 0.2


def test_colours_pick_out_things() -> None:
    picture = np.full((120, 160, 3), 128, np.uint8)
    picture[20:60, 100:150] = (200, 20, 20)
    region = resolve("red car", framed(picture))

    assert region is not None
    assert region.mask[25:55, 105:145].mean() > 0.9
    assert region.mask[:, :90].mean() < 0.05
    assert "not recognised" in region.how
    assert resolve("purple flowers", framed(picture)) is None


def test_tones() -> None:
    ramp = np.repeat(np.linspace(0, 255, 200).astype(np.uint8)[None, :], 100, axis=0)
    bright, dark = resolve("highlights", framed(ramp)), resolve("shadows", framed(ramp))

    assert bright is not None
    assert dark is not None
    assert centre_of(bright)[1] > 0.85
    assert centre_of(dark)[1] < 0.15


def test_a_thing_at_a_place_that_is_not_recognised_is_the_place_and_says_so() -> None:
    region = found("bagpipe on the left")

    assert centre_of(region)[1] < 0.3
    assert region.confidence < 0.5
    assert "not recognised" in region.how


def test_a_part_of_a_thing_lies_within_it() -> None:
    face, part = found("face"), found("left side of the face")

    assert (part.mask & ~face.mask).sum() == 0
    assert centre_of(part)[1] < centre_of(face)[1]


@pytest.mark.parametrize(
    "scope", ["bagpipe", "", "   ", "🙂", "the", "left side of the bagpipe", "x" * 5000, "none"]
)
def test_what_is_not_known_is_not_guessed(scope: str) -> None:
    assert resolve(scope, photo("coffee")) is None


def test_a_box_in_pixels_and_a_mask_win_over_words() -> None:
    frame = photo("coffee")
    boxed = resolve("bagpipe", frame, box=(0, 0, frame.width / 2, frame.height))
    drawn = np.zeros((10, 10), np.uint8)
    drawn[:, 5:] = 1
    masked = resolve("bagpipe", frame, mask=drawn)

    assert boxed is not None
    assert masked is not None
    assert not (boxed.mask & masked.mask).any()
    assert resolve("x", frame, box=(-50, -50, -10, -10)) is None


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 300, 3), (300, 2, 3), (24, 24, 3)])
@pytest.mark.parametrize("scope", ["subject", "sky", "face", "text", "red car", "corners", "top"])
def test_odd_shapes_do_no_harm(shape: tuple[int, ...], scope: str) -> None:
    region = resolve(scope, framed(np.full(shape, 90, np.uint8)))

    assert region is None or region.mask.shape == shape[:2]


@pytest.mark.parametrize("scope", ["subject", "face", "orange thing", "sky", "text"])
def test_regions_are_quick_and_the_same_each_time(scope: str) -> None:
    frame = framed(_pixels("astronaut"))
    begun = time.process_time()
    first = resolve(scope, frame)
    spent = time.process_time() - begun
    second = resolve(scope, framed(_pixels("astronaut")))

    assert spent < 0.6
    assert (first is None) == (second is None)
    assert first is None or second is None or (first.mask == second.mask).all()
