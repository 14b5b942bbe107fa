"""The second look: what lenses and sliders do to a whole photo, told from what it shows."""

import numpy as np
import pytest

from proveout.apps.iqa.features import names, vector
from proveout.apps.iqa.features_mood import fall_off, features
from proveout.apps.iqa.measure import measure
from proveout.apps.iqa.scorehead import name_chances
from proveout.apps.iqa.second_look import chances_of, mood_chances, revised
from proveout.apps.iqa.view import view_of
from tests.unit.iqa.pictures import Pixels, as_bytes, frame_of, paler, photos
from tests.unit.iqa.test_features import ODD


@pytest.fixture(scope="module")
def photo() -> Pixels:
    return photos()["coffee"]


def darker_outside(photo: Pixels, level: float) -> Pixels:
    y, x = np.mgrid[-1 : 1 : photo.shape[0] * 1j, -1 : 1 : photo.shape[1] * 1j]
    return as_bytes(photo * np.exp(-level * (x * x + y * y) / 2)[..., None])


@pytest.mark.parametrize("name", ODD)
def test_measures_are_finite_and_the_same_ones_whatever_the_picture(name: str) -> None:
    grey = features(view_of(frame_of(np.full((64, 80, 3), 90, np.uint8))))
    found = features(view_of(frame_of(ODD[name])))
    assert list(found) == list(grey)
    assert np.isfinite(list(found.values())).all()
    assert not set(found) & set(names())


@pytest.mark.parametrize("lost", [0.3, 0.6, 1.0])
def test_a_fall_off_is_measured_on_top_of_what_the_photo_shows(photo: Pixels, lost: float) -> None:
    before = features(view_of(frame_of(photo)))["slope.middle"]
    view = view_of(frame_of(darker_outside(photo, lost)))
    assert features(view)["slope.middle"] - before == pytest.approx(lost, abs=0.25)
    assert 0 <= fall_off(view) < 1


def test_dark_corners_are_named() -> None:
    shaded = measure(frame_of(darker_outside(photos()["astronaut"], 2.0)))
    assert "vignetting" in [one.name for one in shaded.present]


def test_black_and_white_and_toned_prints_are_not_called_faint(photo: Pixels) -> None:
    grey = photo.mean(axis=2, keepdims=True)
    for tint in ((1, 1, 1), (1.05, 1, 0.9), (0.97, 1, 1.02)):
        found = measure(frame_of(as_bytes(grey * np.array(tint))))
        assert "undersaturation" not in [one.name for one in found.present], tint


def test_chances_stay_chances_after_both_looks(photo: Pixels) -> None:
    for picture in (photo, darker_outside(photo, 1.4), paler(photo, 5), *ODD.values()):
        view = view_of(frame_of(picture))
        values = vector(view)
        chances = chances_of(values, view)
        assert list(chances) == list(name_chances(values))
        assert sum(chances.values()) == pytest.approx(1, abs=1e-6)
        assert min(chances.values()) >= 0


def test_the_second_look_has_no_say_about_other_faults_or_generated_pictures(
    photo: Pixels,
) -> None:
    view = view_of(frame_of(photo))
    values = vector(view)
    moods = dict.fromkeys(mood_chances(values, view), 0.0) | {"vignetting": 1.0}
    first = dict.fromkeys(name_chances(values), 0.0)
    assert revised(values, first | {"white_noise": 1.0}, moods)["vignetting"] == 0
    assert revised(values, first | {"generated": 1.0}, moods)["vignetting"] == 0
    assert revised(values, first | {"clean": 1.0}, moods)["vignetting"] > 0.9


def test_what_the_second_look_doubts_is_taken_back(photo: Pixels) -> None:
    view = view_of(frame_of(photo))
    values = vector(view)
    nothing = dict.fromkeys(mood_chances(values, view), 0.0) | {"clean": 1.0}
    first = dict.fromkeys(name_chances(values), 0.0) | {"vignetting": 0.9, "clean": 0.1}
    assert revised(values, first, nothing)["clean"] == pytest.approx(1)
