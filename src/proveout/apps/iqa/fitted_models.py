"""Fitted models as plain arrays: boosted trees and small networks, evaluated with numpy alone.

The arrays are read from `.npz` files without pickle; a file holds several models under prefixes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[np.generic]]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Trees:
    """A sum of regression trees per output; node 0 is the root, a leaf points at itself."""

    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    value: NDArray[np.float32]
    output: NDArray[np.int16]
    """Which output each tree adds to."""
    start: Doubles
    """What the outputs are before any tree."""
    depth: int

    @classmethod
    def read(cls, arrays: Arrays, prefix: str) -> "Trees":
        return cls(
            feature=np.asarray(arrays[f"{prefix}.feature"], np.int16),
            threshold=np.asarray(arrays[f"{prefix}.threshold"], np.float32),
            left=np.asarray(arrays[f"{prefix}.left"], np.int16),
            right=np.asarray(arrays[f"{prefix}.right"], np.int16),
            value=np.asarray(arrays[f"{prefix}.value"], np.float32),
            output=np.asarray(arrays[f"{prefix}.output"], np.int16),
            start=np.asarray(arrays[f"{prefix}.start"], np.float64),
            depth=int(np.asarray(arrays[f"{prefix}.depth"])),
        )

    @cached_property
    def _nodes(self) -> tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.intp]]:
        """All trees in one row: feature and threshold of a node, where its right and left are."""
        tree = np.arange(0, self.feature.size, self.feature.shape[1])[:, None]
        children = np.stack([self.right + tree, self.left + tree], axis=2)
        return (
            self.feature.ravel().astype(np.intp),
            self.threshold.ravel(),
            children.ravel().astype(np.intp),
        )

    def outputs(self, values: Doubles) -> Doubles:
        """All outputs for one vector; every tree takes its step at the same time."""
        given = values.astype(np.float32)
        feature, threshold, children = self._nodes
        at = np.arange(0, self.feature.size, self.feature.shape[1])
        for _ in range(self.depth):
            below = given.take(feature.take(at)) <= threshold.take(at)
            at = children.take(2 * at + below)
        leaves = self.value.ravel().take(at).astype(np.float64)
        return self.start + np.bincount(self.output, weights=leaves, minlength=len(self.start))


@dataclass(frozen=True)
class Network:
    """One or more fully connected layers with rectified units between them."""

    weights: tuple[NDArray[np.float32], ...]
    offsets: tuple[NDArray[np.float32], ...]

    @classmethod
    def read(cls, arrays: Arrays, prefix: str) -> "Network":
        count = int(np.asarray(arrays[f"{prefix}.layers"]))
        return cls(
            weights=tuple(np.asarray(arrays[f"{prefix}.w{k}"], np.float32) for k in range(count)),
            offsets=tuple(np.asarray(arrays[f"{prefix}.b{k}"], np.float32) for k in range(count)),
        )

    def outputs(self, values: Doubles) -> Doubles:
        state = values.astype(np.float64)
        for number, (weight, offset) in enumerate(zip(self.weights, self.offsets, strict=True)):
            state = state @ weight.astype(np.float64) + offset
            if number < len(self.weights) - 1:
                state = np.maximum(state, 0)
        return state


@dataclass(frozen=True)
class Scaling:
    """Feature vector → comparable units: logarithm of the large, centre, spread, cut at ± 4."""

    centre: NDArray[np.float32]
    spread: NDArray[np.float32]

    @classmethod
    def read(cls, arrays: Arrays, prefix: str) -> "Scaling":
        return cls(
            centre=np.asarray(arrays[f"{prefix}.centre"], np.float32),
            spread=np.asarray(arrays[f"{prefix}.spread"], np.float32),
        )

    def scaled(self, values: Doubles) -> Doubles:
        return np.clip((squeezed(values) - self.centre) / self.spread, -4, 4)


def squeezed(values: Doubles) -> Doubles:
    """Signed logarithm, so that heavy tails do not rule."""
    return np.asarray(np.sign(values) * np.log1p(np.abs(values)), np.float64)


def softmax(values: Doubles) -> Doubles:
    raised = np.exp(values - values.max())
    return np.asarray(raised / raised.sum(), np.float64)
