"""The feature vector: one shape for everything, deterministic, sensitive to what it must see."""

import numpy as np
import pytest

from proveout.apps.iqa.features import features, fingerprint, named_features, names
from proveout.apps.iqa.view import view_of
from tests.unit.iqa.pictures import (
    Pixels,
    as_bytes,
    banded,
    blurred,
    brighter,
    coded,
    frame_of,
    hazy,
    noisy,
    peppered,
    photos,
    pixelated,
    smeared,
    tinted,
)

COUNT = len(names())
ODD = {
    "one_pixel": np.zeros((1, 1, 3), np.uint8),
    "one_row": np.full((1, 300, 3), 90, np.uint8),
    "one_column": np.full((300, 1, 3), 90, np.uint8),
    "tiny": np.random.default_rng(0).integers(0, 256, (8, 8, 3)).astype(np.uint8),
    "ribbon": np.random.default_rng(1).integers(0, 256, (20, 2000, 3)).astype(np.uint8),
    "black": np.zeros((64, 80, 3), np.uint8),
    "white": np.full((64, 80, 3), 255, np.uint8),
    "random": np.random.default_rng(2).integers(0, 256, (120, 90, 3)).astype(np.uint8),
}


@pytest.fixture(scope="module")
def photo() -> Pixels:
    return photos()["coffee"]


@pytest.mark.parametrize("name", ODD)
def test_vector_has_one_length_and_finite_values_whatever_the_picture(name: str) -> None:
    values = features(frame_of(ODD[name]))
    assert len(values) == COUNT
    assert np.isfinite(values).all()


def test_same_pixels_give_the_same_vector(photo: Pixels) -> None:
    first, second = features(frame_of(photo)), features(frame_of(photo.copy()))
    assert fingerprint(first) == fingerprint(second)


def test_other_pixels_give_another_fingerprint(photo: Pixels) -> None:
    other = photo.copy()
    other[100:140, 100:140] = 255 - other[100:140, 100:140]
    assert fingerprint(features(frame_of(photo))) != fingerprint(features(frame_of(other)))


def test_names_are_unique_and_in_the_order_of_the_vector(photo: Pixels) -> None:
    found = named_features(view_of(frame_of(photo)))
    assert tuple(found) == names()
    assert len(set(names())) == COUNT


@pytest.mark.parametrize(
    ("feature", "levels"),
    [
        ("noise.y.median", [noisy, 4, 8, 16]),
        ("flat.p10", [noisy, 4, 8, 16]),
        ("reblur0.across", [blurred, 0.8, 1.6, 3.0]),
        ("edge.width.p25", [blurred, 0.8, 1.6, 3.0]),
        ("grid.least", [coded, 70, 85, 95]),
        ("impulse.over40", [peppered, 0.5, 2, 5]),
        ("gaps.empty.low", [banded, 2, 6, 20]),
        ("turn.wide.range", [smeared, 5, 9, 17]),
        ("lag8.most", [blurred, 1.5, 3.0, 6.0]),
        ("runs.across", [pixelated, 2, 4, 9]),
        ("ends.white_all", [brighter, 1.4, 2.0, 3.0]),
        ("veil.darkest", [hazy, 0.2, 0.4, 0.7]),
    ],
)
def test_feature_rises_with_the_fault_that_it_is_meant_for(
    photo: Pixels, feature: str, levels: list[object]
) -> None:
    fault, *steps = levels
    assert callable(fault)
    pictures = [photo, *(fault(photo, step) for step in steps)]
    values = [named_features(view_of(frame_of(picture)))[feature] for picture in pictures]
    assert values == sorted(values), values
    assert values[-1] > values[0]


def test_comb_tells_the_size_of_the_cells(photo: Pixels) -> None:
    for side in (3, 5, 8):
        found = named_features(view_of(frame_of(pixelated(photo, side))))
        heights = {period: found[f"comb.of{period}"] for period in (3, 5, 8)}
        assert max(heights, key=lambda period: heights[period]) == side


def test_a_tint_moves_white_and_a_blur_does_not(photo: Pixels) -> None:
    grey = tinted(photo, 0.0)
    warm, soft = tinted(photo, 0.3), blurred(grey, 2.0)
    values = {
        name: named_features(view_of(frame_of(picture)))["white.bright"]
        for name, picture in {"grey": grey, "warm": warm, "soft": soft}.items()
    }
    assert values["warm"] > values["grey"] + 5
    assert values["soft"] == pytest.approx(values["grey"], abs=1)


def test_dark_corners_lower_the_slope_from_the_middle(photo: Pixels) -> None:
    y, x = np.mgrid[-1 : 1 : photo.shape[0] * 1j, -1 : 1 : photo.shape[1] * 1j]
    round_off = ((x**2 + y**2) / 2)[..., None]
    shaded = [as_bytes(photo * (1 - fall * round_off)) for fall in (0.0, 0.3, 0.6)]
    slopes = [named_features(view_of(frame_of(one)))["ring.slope"] for one in shaded]
    assert slopes == sorted(slopes, reverse=True)


def test_grid_is_found_at_any_offset_after_cropping(photo: Pixels) -> None:
    whole = coded(photo, 90)
    for top, left in ((0, 0), (3, 5), (7, 1)):
        found = named_features(view_of(frame_of(whole[top:, left:])))
        assert found["grid.least"] > 0.3


def test_copied_pieces_are_found_and_flat_areas_are_not_taken_for_copies(photo: Pixels) -> None:
    copied = photo.copy()
    copied[100:130, 200:230] = copied[60:90, 220:250]
    plain = as_bytes(np.full((200, 200, 3), 80.0))
    share = {
        name: named_features(view_of(frame_of(picture)))["copies.share"]
        for name, picture in {"clean": photo, "copied": copied, "plain": plain}.items()
    }
    assert share["copied"] > share["clean"] + 0.5
    assert share["plain"] == pytest.approx(-5)


def test_large_pictures_cost_no_more_than_working_size() -> None:
    large = np.random.default_rng(0).integers(0, 256, (1600, 2000, 3)).astype(np.uint8)
    view = view_of(frame_of(large))
    assert min(view.height, view.width) == 512
    assert view.native.shape[:2] == (512, 512)
