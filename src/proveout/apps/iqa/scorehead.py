"""The fitted score: what people would give, from 1 to 5, with an interval that holds."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import erf

import numpy as np

from proveout.apps.iqa.fitted_models import Arrays, Doubles, Network, Scaling, Trees, softmax

LEVELS = (1, 2, 3, 4, 5)
NOTHING = ("clean", "generated")
"""Classes of the naming model that are not distortions."""
TREES_SHARE = 0.7
"""Weight of the trees in the naming model's chances; the network has the rest."""
COLOURLESS, BLACK_AND_WHITE = 1.5, 0.05
"""Mean chroma below which drained colours may be intent, and below which they surely are."""
GENERATED = 0.3
"""Chance above which a picture counts as generated, not as a photo."""
BELOW_NONE = 4.39
"""Just inside the band `slight`: what is named is at least that."""
FLOOR, SLOPE = 4.2, 0.15
"""A photo on which nothing was found scores at least this, and still in its raw order."""


@dataclass(frozen=True)
class Score:
    """A score with its 90 % interval and the chance of each of the five levels."""

    value: float
    low: float
    high: float
    levels: tuple[float, ...]
    """Chance of bad, poor, fair, good, excellent."""


@dataclass(frozen=True)
class Fitted:
    """The models of one fitted file, and the facts stored with it."""

    scaling: Scaling
    trees: Trees
    networks: tuple[Network, ...]
    facts: dict[str, object]

    @classmethod
    def load(cls, name: str) -> "Fitted":
        folder = files("proveout.apps.iqa") / "fitted"
        facts = json.loads((folder / f"{name}.json").read_text("utf-8"))
        with (folder / f"{name}.npz").open("rb") as file, np.load(file, allow_pickle=False) as kept:
            arrays: Arrays = {key: kept[key] for key in kept.files}
        return cls.read(arrays, facts)

    @classmethod
    def read(cls, arrays: Arrays, facts: dict[str, object]) -> "Fitted":
        count = int(np.asarray(arrays["networks"]))
        return cls(
            scaling=Scaling.read(arrays, "scaling"),
            trees=Trees.read(arrays, "trees"),
            networks=tuple(Network.read(arrays, f"network{k}") for k in range(count)),
            facts=facts,
        )

    def numbers(self, key: str) -> tuple[float, ...]:
        """A list of numbers among the facts."""
        kept = self.facts[key]
        assert isinstance(kept, list)
        return tuple(float(value) for value in kept)

    @property
    def classes(self) -> tuple[str, ...]:
        """What a naming model tells apart, in the order of its outputs."""
        kept = self.facts["classes"]
        assert isinstance(kept, list)
        return tuple(str(name) for name in kept)

    def chances(self, values: Doubles) -> dict[str, float]:
        """How likely each class is, by trees and networks together."""
        scaled = self.scaling.scaled(values)
        share = TREES_SHARE if self.networks else 1.0
        chances = share * softmax(self.trees.outputs(values))
        for network in self.networks:
            others = softmax(network.outputs(scaled))
            chances = chances + (1 - TREES_SHARE) / len(self.networks) * others
        return {name: float(chance) for name, chance in zip(self.classes, chances, strict=True)}


@lru_cache(maxsize=8)
def _shipped(name: str) -> Fitted:
    return Fitted.load(name)


_STANDING_IN: ContextVar[Mapping[str, Fitted] | None] = ContextVar("standing_in", default=None)


def fitted(name: str) -> Fitted:
    """The model of that name: the one that ships, unless another stands in for it."""
    others = _STANDING_IN.get() or {}
    return others[name] if name in others else _shipped(name)


@contextmanager
def standing_in(models: Mapping[str, Fitted]) -> Iterator[None]:
    """Other models for a while: so a benchmark asks those that have not seen a picture."""
    before = _STANDING_IN.set(models)
    try:
        yield
    finally:
        _STANDING_IN.reset(before)


def names_known() -> tuple[str, ...]:
    """Classes of the naming model, in the order of its outputs."""
    return fitted("naming").classes


def naming_number(key: str) -> float:
    """A threshold stored with the naming model."""
    return fitted("naming").numbers(key)[0]


def name_chances(values: Doubles) -> dict[str, float]:
    """How likely each distortion is to be the one that the picture has, `clean` among them."""
    return fitted("naming").chances(values)


def raw_score(values: Doubles, chances: dict[str, float]) -> float:
    """What such distortions score on average, and what the trees add to it; not calibrated."""
    model = fitted("score")
    usual = zip(names_known(), model.numbers("type_scores"), strict=True)
    expected = sum(chances[name] * mean for name, mean in usual)
    return float(model.trees.outputs(values)[0]) + expected


def likeliest(chances: dict[str, float]) -> str:
    """The distortion that it would be if it had to be one."""
    return max((name for name in chances if name not in NOTHING), key=lambda name: chances[name])


def is_present(values: Doubles, chances: dict[str, float]) -> bool:
    """Whether the likeliest distortion is there: its odds against nothing pass its threshold."""
    name = likeliest(chances)
    if is_drained_grey(values, name):
        return False
    least = fitted("naming").numbers("least_odds")[names_known().index(name)]
    return odds_against_nothing(chances) > least


def odds_against_nothing(chances: dict[str, float]) -> float:
    """Of the likeliest distortion, from 0 to 1."""
    chance = chances[likeliest(chances)]
    return chance / (chance + nothing_chance(chances) + 1e-9)


def is_generated(chances: dict[str, float]) -> bool:
    """Whether it is no photo: then only what was fitted on such pictures holds."""
    return chances.get("generated", 0.0) > GENERATED


def is_drained_grey(values: Doubles, name: str) -> bool:
    """Whether wrong saturation would be said of a picture without colour, which is intended."""
    return name == "saturation_change" and _chroma(values) < COLOURLESS


def has_traces(values: Doubles) -> bool:
    """Whether some colour is left: a picture in black and white has none, a drained one has."""
    return _chroma(values) > BLACK_AND_WHITE


def _chroma(values: Doubles) -> float:
    return float(values[int(naming_number("chroma_place"))])


def nothing_chance(chances: dict[str, float]) -> float:
    """Chance that no catalogue distortion is there."""
    return sum(chances.get(name, 0.0) for name in NOTHING)


def plain_score(values: Doubles, chances: dict[str, float]) -> float:
    """Calibrated score, 1 to 5, before it is settled whether anything is there."""
    model = fitted("score")
    points, calibrated = model.numbers("raw_points"), model.numbers("score_points")
    weight = model.numbers("clean_weight")[0]
    raw = raw_score(values, chances)
    raw += weight * chances.get("clean", 0.0) * max(model.numbers("clean_score")[0] - raw, 0)
    return float(np.clip(np.interp(raw, points, calibrated), 1, 5))


def score(values: Doubles, chances: dict[str, float], *, there: bool) -> Score:
    """Calibrated score; what is said of the picture, and whether it is there, has a say in it."""
    value = plain_score(values, chances)
    if there:
        value = min(value, BELOW_NONE)
    elif not is_generated(chances):
        value = max(value, FLOOR + SLOPE * (value - 1))
    spread_model = fitted("spread")
    least, most = spread_model.numbers("limits")
    spread = float(np.clip(spread_model.trees.outputs(values)[0], least, most))
    reach = spread * spread_model.numbers("quantile")[0]
    return Score(
        value=round(value, 3),
        low=round(max(value - reach, 1.0), 3),
        high=round(min(value + reach, 5.0), 3),
        levels=level_chances(value, reach / 1.645),
    )


def level_chances(value: float, sigma: float) -> tuple[float, ...]:
    """Mass of a bell curve around the score in each level's half-unit, ends taking the tails."""
    edges = [(edge - value) / (max(sigma, 0.05) * 2**0.5) for edge in (1.5, 2.5, 3.5, 4.5)]
    # Rounded before they are subtracted, so that the five sum to one.
    below = [0.0, *(round(0.5 * (1 + erf(edge)), 4) for edge in edges), 1.0]
    return tuple(round(high - low, 4) for low, high in zip(below, below[1:], strict=False))
