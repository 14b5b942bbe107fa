"""A second look at light and colour, and the question whether anything is wrong at all.

The naming model tells forty kinds apart and is careful about those that content imitates: dark
corners, faint colours. The second look knows only faults of light and colour, and measures them
better. It has a say where the first look saw nothing, or saw such a fault. Whether a picture is
distorted at all is asked of a third model, which knows what both looks said and how large the
picture is: thumbnails and large photos look unlike what the naming model was fitted on.
"""

from typing import NamedTuple

import numpy as np

from proveout.apps.iqa import features_mood
from proveout.apps.iqa.features import rounded
from proveout.apps.iqa.fitted_models import Doubles
from proveout.apps.iqa.frame import WORKING_SIDE
from proveout.apps.iqa.scorehead import (
    BELOW_NONE,
    fitted,
    has_traces,
    is_drained_grey,
    is_generated,
    is_present,
    likeliest,
    name_chances,
    odds_against_nothing,
    plain_score,
)
from proveout.apps.iqa.view import View

_NOTHING = ("clean", "other")
"""Its classes that are no fault of light or colour."""
_RATED = ("saturation_change", "contrast_change")
"""Taught to the first look by pictures that people rated: what it sees of them stands."""
DRAINED = "undersaturation"
IMITATED = "vignetting"
"""Night skies and dark backgrounds look like it: it takes a look that was fitted to tell."""
SURE_LIMIT = 0.2
"""The chance of any distortion that is enough where that look is sure of it."""
_FIRST_NAMES = {DRAINED: "saturation_change", "oversaturation": "saturation_change"}
"""What the naming model calls them."""
LEAST_ODDS = 0.3
"""Of a name against nothing: below, nobody could say what is wrong."""
_LEAST_CHANCE, _DIGITS = 1e-4, 3


class Looks(NamedTuple):
    """What all looks at a picture say together."""

    chances: dict[str, float]
    """How likely each distortion is to be the one that the picture has."""
    there: bool
    """Whether the likeliest one is taken to be there."""


def look(values: Doubles, view: View) -> Looks:
    """Name by name, light and colour, and whether there is anything."""
    own = rounded(features_mood.features(view))
    return judged(values, own, min(view.height, view.width))


def judged(values: Doubles, own: Doubles, short: int) -> Looks:
    """The same of measures that were taken before: of the first look, the second, and the size."""
    first, moods = name_chances(values), mood_chances(values, own)
    if is_generated(first):
        # The other models were fitted on photos only.
        return Looks(first, is_present(values, first))
    known = evidence(values, own, short, first, moods)
    distorted = _is_distorted(known, moods)
    first = _without_imitations(first, moods)
    chances = revised(values, first, moods, distorted=distorted)
    if distorted and not is_present(values, first) and not _is_credible(values, chances):
        return Looks(first, there=False)
    return Looks(chances, distorted and not is_meant(values, moods, likeliest(chances)))


def _without_imitations(chances: dict[str, float], moods: dict[str, float]) -> dict[str, float]:
    """The first look's chances without what content imitates, unless the second look is sure."""
    if is_sure(moods, IMITATED):
        return chances
    return chances | {IMITATED: 0.0, "clean": chances["clean"] + chances[IMITATED]}


def is_meant(values: Doubles, moods: dict[str, float], name: str) -> bool:
    """Whether missing colour is intent: none at all, or a tone that the second look knows."""
    drained = has_traces(values) and is_sure(moods, DRAINED)
    return is_drained_grey(values, name) and not drained


def _is_credible(values: Doubles, chances: dict[str, float]) -> bool:
    """Whether what the first look did not see has a likely name, and costs quality."""
    likely = odds_against_nothing(chances) > LEAST_ODDS
    return likely and plain_score(values, chances) < BELOW_NONE


def _is_distorted(known: Doubles, moods: dict[str, float]) -> bool:
    third = fitted("presence")
    least = SURE_LIMIT if is_sure(moods, IMITATED) else third.numbers("limit")[0]
    return third.chances(known)["distorted"] > least


def most_likely(moods: dict[str, float]) -> str:
    """The fault of light or colour that it would be if it had to be one."""
    return max((name for name in moods if name not in _NOTHING), key=lambda name: moods[name])


def mood_chances(values: Doubles, own: Doubles) -> dict[str, float]:
    """How likely each fault of light and colour is to be the one that the picture has."""
    model = fitted("mood")
    places = [int(place) for place in model.numbers("places")]
    return model.chances(np.concatenate([values[places], own]))


def evidence(
    values: Doubles, own: Doubles, short: int, first: dict[str, float], moods: dict[str, float]
) -> Doubles:
    """What the third model is asked about: all measures, what both looks said, the size."""
    said = np.array([*first.values(), *moods.values()])
    size = round(float(np.log(min(short, WORKING_SIDE))), _DIGITS)
    # Rounded, so that the last bits of a sum decide nothing.
    logs = np.round(np.log(said + _LEAST_CHANCE), _DIGITS)
    return np.concatenate([values, own, logs, [size]])


def revised(
    values: Doubles, chances: dict[str, float], moods: dict[str, float], *, distorted: bool
) -> dict[str, float]:
    """The naming model's chances after the other looks."""
    first, seen = likeliest(chances), is_present(values, chances)
    if not distorted:
        taken = {first: 0.0, "clean": chances["clean"] + chances[first]}
        return chances | taken if seen else chances
    own_kind = first in {_FIRST_NAMES.get(name, name) for name in moods}
    if seen and (first in _RATED or not own_kind):
        return chances
    name = most_likely(moods)
    likely = name != IMITATED and moods[name] > max(chances[first], moods["other"])
    if is_sure(moods, name) or likely:
        return _with(chances, _FIRST_NAMES.get(name, name), odds(moods, name))
    return chances


def is_sure(moods: dict[str, float], name: str) -> bool:
    """Whether the second look alone would say so."""
    model = fitted("mood")
    return odds(moods, name) > model.numbers("least_odds")[model.classes.index(name)]


def odds(moods: dict[str, float], name: str) -> float:
    """Of one fault against none of its kind."""
    return moods[name] / (moods[name] + sum(moods[other] for other in _NOTHING) + 1e-9)


def _with(chances: dict[str, float], name: str, chance: float) -> dict[str, float]:
    """One chance set, the others reduced in proportion."""
    rest = (1 - chance) / max(1 - chances[name], 1e-9)
    return {other: chance if other == name else kept * rest for other, kept in chances.items()}
