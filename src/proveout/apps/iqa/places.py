"""Where in the frame a distortion is worst, in words."""

from collections.abc import Iterable

import cv2
import numpy as np

from proveout.apps.iqa.detection import Detection
from proveout.apps.iqa.frame import Floats

PLACES: tuple[str, ...] = (
    "top left",
    "top",
    "top right",
    "left",
    "centre",
    "right",
    "bottom left",
    "bottom",
    "bottom right",
)
EVERYWHERE = "everywhere"
ALL = "all"
_EVEN = 0.25
"""A place stands out when its loss exceeds the mean by this share."""


def places(detections: Iterable[Detection], digits: int = 3) -> dict[str, dict[str, float]]:
    """Mean loss in each ninth of the frame: per detection with a map, and for `all` together."""
    grids = {d.name: _grid(d.map) for d in detections if d.map is not None and d.map.size}
    if not grids:
        return {}
    grids[ALL] = np.max(np.stack(list(grids.values())), axis=0)
    return {
        name: {
            place: round(float(value), digits) for place, value in zip(PLACES, grid, strict=True)
        }
        for name, grid in grids.items()
    }


def _grid(plane: Floats) -> Floats:
    """Means of the nine parts, row by row."""
    small = cv2.resize(np.asarray(plane, np.float32), (3, 3), interpolation=cv2.INTER_AREA)
    return np.asarray(small.ravel(), np.float32)


def worst_place(losses: dict[str, float]) -> str:
    """The name of the worst ninth, or `everywhere` where none stands out."""
    if not losses:
        return EVERYWHERE
    place = max(losses, key=lambda name: losses[name])
    mean = sum(losses.values()) / len(losses)
    return place if losses[place] > (1 + _EVEN) * mean and losses[place] > 0.1 else EVERYWHERE
