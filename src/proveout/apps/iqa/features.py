"""The numbers by which a picture is judged without a reference: one fixed, named vector.

The order is that of the names and never depends on the picture. A fitted file holds the names it
was fitted with, so that a changed feature cannot be mistaken for another.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa import (
    features_block,
    features_edge,
    features_light,
    features_map,
    features_noise,
    features_nss,
    features_period,
    features_sharp,
    features_tone,
)
from proveout.apps.iqa.frame import Frame
from proveout.apps.iqa.view import View, view_of

PARTS = (
    features_nss,
    features_noise,
    features_block,
    features_sharp,
    features_tone,
    features_map,
    features_edge,
    features_period,
    features_light,
)
DIGITS = 5


def named_features(view: View) -> dict[str, float]:
    """Every feature by name."""
    found: dict[str, float] = {}
    for part in PARTS:
        found |= part.features(view)
    return found


def vector(view: View) -> NDArray[np.float64]:
    """The features in the order of their names' first appearance, rounded, without NaN."""
    return rounded(named_features(view))


def rounded(found: dict[str, float]) -> NDArray[np.float64]:
    """Values in their order, without NaN; so that the last bits of a sum do not matter."""
    values = np.array(list(found.values()), np.float64)
    clean = np.nan_to_num(values, nan=0.0, posinf=1e6, neginf=-1e6)
    return np.asarray(np.round(clean, DIGITS), np.float64)


def features(frame: Frame) -> NDArray[np.float64]:
    """The feature vector of a frame."""
    return vector(view_of(frame))


def names() -> tuple[str, ...]:
    """The features' names, in the order of the vector."""
    grey = np.tile(np.arange(64, dtype=np.float32)[:, None, None], (1, 64, 3))
    return tuple(named_features(View(rgb=grey, native=grey)))


def fingerprint(values: NDArray[np.float64]) -> str:
    """SHA-256 of a vector as rounded."""
    return hashlib.sha256(np.ascontiguousarray(values, "<f8").tobytes()).hexdigest()
