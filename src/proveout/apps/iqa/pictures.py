"""Pictures for people: the image, the map of what is wrong with it, histogram and difference."""

from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.drawing import MARKED, Drawn
from proveout.apps.iqa.evidence import Evidence, frame_of, measurement_of, region_of
from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.task import IqaTask
from proveout.apps.iqa.tools.bank import shared_bank
from proveout.kernel.context import Context

PNG = "image/png"
MOST_LOSS = 4.0
"""The map's full red: from excellent to bad."""
MOST_MAPS = 4
COMBINED = "combined"
THUMBNAIL = 320
"""Longer side on a page of many pictures."""


def exhibits(task: IqaTask, evidence: Evidence, context: Context) -> dict[str, Any]:
    """Content ids of the pictures of a run, by what they show."""
    seen = [d.name for d in evidence.detections if d.severity != "none" and d.applicable]
    kept: dict[str, Any] = {
        "base": context.exhibit("base", PNG, lambda: png(frame_of(task.image).working)),
        "maps": {
            name: context.exhibit(f"map-{name}", PNG, partial(heat_png, task.image, name))
            for name in (COMBINED, *seen[:MOST_MAPS])
        },
        "clipping": context.exhibit("clipping", PNG, lambda: clipping_png(frame_of(task.image))),
    }
    if task.reference and evidence.reference:
        reference = task.reference
        kept["difference"] = context.exhibit(
            "difference", PNG, lambda: difference_png(task.image, reference)
        )
    if task.drawn:
        drawn = task.drawn
        kept["region"] = context.exhibit("region", PNG, lambda: region_png(task.image, drawn))
    if task.compare:
        second = task.compare
        kept["other"] = {
            "base": context.exhibit("other", PNG, lambda: png(frame_of(second).working)),
            "map": context.exhibit("other-map", PNG, lambda: heat_png(second, COMBINED)),
        }
    return kept


def png(rgb: Floats) -> bytes:
    """A picture without loss: an assessor must not add artefacts."""
    levels = np.clip(np.rint(rgb * 255), 0, 255).astype(np.uint8)
    return _encoded(cv2.cvtColor(levels, cv2.COLOR_RGB2BGR))


def thumbnail(png_bytes: bytes, side: int = THUMBNAIL) -> bytes:
    """A kept picture or map, its longer side reduced to so many pixels."""
    picture = cv2.imdecode(np.frombuffer(png_bytes, np.uint8), cv2.IMREAD_UNCHANGED)
    if picture is None or max(picture.shape[:2]) <= side:
        return png_bytes
    scale = side / max(picture.shape[:2])
    size = (max(round(picture.shape[1] * scale), 1), max(round(picture.shape[0] * scale), 1))
    return _encoded(np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8))


def heat_png(path: str, name: str) -> bytes:
    """Where a distortion costs quality; transparent where it costs none."""
    frame = frame_of(path)
    found = measurement_of(path).detections
    maps = [d.map for d in found if d.map is not None and name in (COMBINED, d.name)]
    shape = frame.working.shape[:2]
    planes = [_fitted(plane, shape) for plane in maps if plane.size]
    loss = np.max(np.stack(planes), axis=0) if planes else np.zeros(shape, np.float32)
    return _heat(loss / MOST_LOSS, shape)


def clipping_png(frame: Frame) -> bytes:
    """Burnt-out pixels in red, drowned ones in blue."""
    rgb = frame.working
    shape = rgb.shape[:2]
    over, under = (rgb >= 0.996).any(2), (rgb <= 0.004).all(2)
    layer = np.zeros((*shape, 4), np.uint8)
    layer[over] = (40, 40, 230, 200)
    layer[under] = (230, 120, 30, 200)
    return _encoded(layer)


def region_png(path: str, drawn: Drawn) -> bytes:
    """All but the marked region, darkened."""
    region = region_of(path, MARKED, drawn)
    assert region is not None
    layer = np.zeros((*region.mask.shape, 4), np.uint8)
    layer[~region.mask] = (20, 20, 20, 190)
    return _encoded(layer)


def difference_png(image: str, reference: str) -> bytes:
    """Where the picture differs from its reference."""
    frame = frame_of(image)
    loss = shared_bank().loss_map("VSI", frame, frame_of(reference))
    top = float(np.percentile(loss, 99.5)) or 1.0
    shape = frame.working.shape[:2]
    return _heat(_fitted(loss / top, shape), shape)


def _heat(share: Floats, shape: tuple[int, ...]) -> bytes:
    """A red-hot layer: colour and opacity grow with the share."""
    level = np.clip(share, 0, 1)
    coloured = cv2.applyColorMap((level * 255).astype(np.uint8), cv2.COLORMAP_INFERNO)
    layer = np.zeros((shape[0], shape[1], 4), np.uint8)
    layer[..., :3] = coloured
    layer[..., 3] = (np.sqrt(level) * 215).astype(np.uint8)
    return _encoded(layer)


def _fitted(plane: Floats, shape: tuple[int, ...]) -> Floats:
    if plane.shape[:2] == tuple(shape):
        return plane
    size = (shape[1], shape[0])
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _encoded(pixels: NDArray[Any]) -> bytes:
    _, content = cv2.imencode(".png", pixels)
    return bytes(content)
