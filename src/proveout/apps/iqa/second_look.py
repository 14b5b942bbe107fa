"""A second look at light and colour, by measures that the naming model does not have.

The naming model tells forty kinds apart and is careful about those that content imitates: dark
corners, faint colours. The second look knows only faults of light and colour, and measures them
better. It has a say where the first look saw nothing, or saw such a fault: what it is sure of
stands, and what it doubts is taken back.
"""

from functools import lru_cache

import numpy as np

from proveout.apps.iqa import features_mood
from proveout.apps.iqa.features import rounded
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.scorehead import Fitted, is_present, likeliest, name_chances
from proveout.apps.iqa.view import View

_NOTHING = ("clean", "other")
"""Its classes that are no fault of light or colour."""
_DOUBT, _STRONG_DOUBT = 0.3, 0.8
"""Chance of nothing above which what only the first look saw is taken to be content or intent."""
_RATED = ("saturation_change", "contrast_change")
"""Taught to the first look by pictures that people rated: only strong doubt takes them back."""
_FIRST_NAMES = {"undersaturation": "saturation_change", "oversaturation": "saturation_change"}
"""What the naming model calls them."""


@lru_cache(maxsize=1)
def _model() -> Fitted:
    return Fitted.load("mood")


def chances_of(values: Doubles, view: View) -> dict[str, float]:
    """How likely each distortion is to be the one that the picture has, after both looks."""
    return revised(values, name_chances(values), mood_chances(values, view))


def mood_chances(values: Doubles, view: View) -> dict[str, float]:
    """How likely each fault of light and colour is to be the one that the picture has."""
    model = _model()
    places = [int(place) for place in model.numbers("places")]
    own = rounded(features_mood.features(view))
    return model.chances(np.concatenate([values[places], own]))


def revised(
    values: Doubles, chances: dict[str, float], moods: dict[str, float]
) -> dict[str, float]:
    """The naming model's chances after the second look."""
    first, there = likeliest(chances), is_present(values, chances)
    names = [name for name in moods if name not in _NOTHING]
    other = there and first not in {_FIRST_NAMES.get(name, name) for name in names}
    # It was fitted on photos only: of a generated picture it knows nothing.
    if other or chances["generated"] > chances["clean"]:
        return chances
    settled = there and first in _RATED
    name = max(names, key=lambda mood: moods[mood])
    sure = odds(moods, name) > _model().numbers("least_odds")[_model().classes.index(name)]
    if sure and not settled:
        return _with(chances, _FIRST_NAMES.get(name, name), odds(moods, name))
    doubt = sum(moods[nothing] for nothing in _NOTHING)
    if there and doubt > (_STRONG_DOUBT if settled else _DOUBT):
        return chances | {first: 0.0, "clean": chances["clean"] + chances[first]}
    return chances


def odds(moods: dict[str, float], name: str) -> float:
    """Of one fault against none of its kind."""
    return moods[name] / (moods[name] + sum(moods[other] for other in _NOTHING) + 1e-9)


def _with(chances: dict[str, float], name: str, chance: float) -> dict[str, float]:
    """One chance set, the others reduced in proportion."""
    rest = (1 - chance) / max(1 - chances[name], 1e-9)
    return {other: chance if other == name else kept * rest for other, kept in chances.items()}
