"""The later looks: what lenses and sliders do to a whole photo, and whether anything is wrong."""

import numpy as np
import pytest
from PIL import Image, ImageFilter
from sklearn.datasets import load_sample_image

from proveout.apps.iqa.features import names, rounded, vector
from proveout.apps.iqa.features_mood import fall_off, features
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.measure import measure
from proveout.apps.iqa.scorehead import name_chances
from proveout.apps.iqa.second_look import judged, look, mood_chances, revised
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


def test_a_bright_flower_before_a_dark_background_has_no_dark_corners() -> None:
    flower = Image.fromarray(load_sample_image("flower.jpg")).resize((512, 342))
    found = measure(frame_of(np.asarray(flower)))
    assert "vignetting" not in [one.name for one in found.present]


def test_black_and_white_and_toned_prints_are_not_called_faint(photo: Pixels) -> None:
    grey = photo.mean(axis=2, keepdims=True)
    for tint in ((1, 1, 1), (1.05, 1, 0.9), (0.97, 1, 1.02)):
        found = measure(frame_of(as_bytes(grey * np.array(tint))))
        assert "undersaturation" not in [one.name for one in found.present], tint


def test_drained_colours_are_named_as_long_as_a_trace_of_them_is_left() -> None:
    for name, photo in photos().items():
        found = measure(frame_of(paler(photo, 16)))
        assert "undersaturation" in [one.name for one in found.present], name


def test_chances_stay_chances_after_all_looks(photo: Pixels) -> None:
    for picture in (photo, darker_outside(photo, 1.4), paler(photo, 5), *ODD.values()):
        view = view_of(frame_of(picture))
        values = vector(view)
        chances = look(values, view).chances
        assert list(chances) == list(name_chances(values))
        assert sum(chances.values()) == pytest.approx(1, abs=1e-6)
        assert min(chances.values()) >= 0


@pytest.fixture(scope="module")
def values(photo: Pixels) -> Doubles:
    return vector(view_of(frame_of(photo)))


@pytest.fixture(scope="module")
def own(photo: Pixels) -> Doubles:
    """What the second look measures."""
    return rounded(features(view_of(frame_of(photo))))


def test_the_second_look_has_no_say_about_other_faults(values: Doubles, own: Doubles) -> None:
    moods = dict.fromkeys(mood_chances(values, own), 0.0) | {"vignetting": 1.0}
    first = dict.fromkeys(name_chances(values), 0.0)
    noisy = revised(values, first | {"white_noise": 1.0}, moods, distorted=True)
    assert noisy["vignetting"] == 0
    assert revised(values, first | {"clean": 1.0}, moods, distorted=True)["vignetting"] > 0.9


def test_what_is_not_there_is_taken_back(values: Doubles, own: Doubles) -> None:
    nothing = dict.fromkeys(mood_chances(values, own), 0.0) | {"clean": 1.0}
    first = dict.fromkeys(name_chances(values), 0.0) | {"vignetting": 0.9, "clean": 0.1}
    assert revised(values, first, nothing, distorted=False)["clean"] == pytest.approx(1)


def test_a_look_at_kept_measures_says_the_same(
    photo: Pixels, values: Doubles, own: Doubles
) -> None:
    assert judged(values, own, min(photo.shape[:2])) == look(values, view_of(frame_of(photo)))


@pytest.mark.parametrize("side", [150, 200, 300, 400])
@pytest.mark.parametrize("way", [Image.Resampling.LANCZOS, Image.Resampling.BICUBIC])
def test_thumbnails_of_good_photos_are_good(side: int, way: Image.Resampling) -> None:
    for name in ("china.jpg", "flower.jpg"):
        small = Image.fromarray(load_sample_image(name))
        small.thumbnail((side, side), way)
        found = measure(frame_of(np.asarray(small)))
        assert not found.present, (name, [one.name for one in found.present])
        assert found.score >= 4.2, name


@pytest.mark.parametrize("side", [150, 300])
def test_faults_of_thumbnails_are_seen(side: int) -> None:
    for name, photo in photos().items():
        small = Image.fromarray(photo)
        small.thumbnail((side, side))
        noise = np.random.default_rng(2).normal(0, 25, (small.height, small.width, 3))
        found = measure(frame_of(as_bytes(np.asarray(small) + noise)))
        assert found.present[0].category == "Noise", name
        soft = small.filter(ImageFilter.GaussianBlur(2.5))
        assert measure(frame_of(np.asarray(soft))).score < 3.5, name
