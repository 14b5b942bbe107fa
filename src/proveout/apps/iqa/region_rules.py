"""Regions by what pixels look like: each returns a mask at working size, or None.

Everything is computed on a small copy (short side 160) and enlarged: the masks say where, not which
pixel.
"""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from skimage import data
from skimage.feature import Cascade

from proveout.apps.iqa.frame import Floats, Frame, luma_of

Mask = NDArray[np.bool_]

SMALL_SIDE = 160
_FACE_SIDE = 280
COLORS: dict[str, tuple[float, float]] = {
    "red": (350.0, 25.0),
    "orange": (25.0, 45.0),
    "yellow": (45.0, 75.0),
    "golden": (38.0, 65.0),
    "green": (75.0, 170.0),
    "cyan": (170.0, 200.0),
    "blue": (195.0, 255.0),
    "purple": (250.0, 310.0),
    "violet": (250.0, 300.0),
    "magenta": (285.0, 330.0),
    "pink": (310.0, 355.0),
    "brown": (10.0, 45.0),
    "white": (-1.0, -1.0),
    "black": (-1.0, -1.0),
    "gray": (-1.0, -1.0),
    "silver": (-1.0, -1.0),
}
"""Name → hues in degrees, from and to; -1 for colours without a hue."""


def _small(frame: Frame, side: int = SMALL_SIDE) -> Floats:
    rgb = frame.working
    scale = side / min(rgb.shape[:2])
    if scale >= 1:
        return rgb
    size = (max(8, round(rgb.shape[1] * scale)), max(8, round(rgb.shape[0] * scale)))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.float32)


def _large(mask: Mask, frame: Frame) -> Mask:
    height, width = frame.working.shape[:2]
    smooth = cv2.resize(mask.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(smooth >= 0.5)


def _hsv(rgb: Floats) -> tuple[Floats, Floats, Floats]:
    """Hue in degrees, saturation and value from 0 to 1."""
    hue, saturation, value = cv2.split(cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV))
    return (np.asarray(x, np.float32) for x in (hue, saturation, value))  # type: ignore[return-value]


def highlights(frame: Frame) -> Mask | None:
    """The brightest parts, if there are bright ones."""
    luma = frame.working_luma
    limit = max(0.75, float(np.percentile(luma, 85)))
    return _enough(luma >= limit)


def shadows(frame: Frame) -> Mask | None:
    luma = frame.working_luma
    limit = min(0.25, float(np.percentile(luma, 30)))
    return _enough(luma <= limit)


def _enough(mask: Mask, least: float = 0.005, most: float = 0.98) -> Mask | None:
    return mask if least <= float(mask.mean()) <= most else None


@lru_cache(maxsize=8)
def _subject_of(key: bytes, shape: tuple[int, ...]) -> Mask | None:
    rgb = np.frombuffer(key, np.float32).reshape(shape)
    height, width = shape[:2]
    picture = np.round(rgb[..., ::-1] * 255).astype(np.uint8)
    found, saliency = cv2.saliency.StaticSaliencySpectralResidual.create().computeSaliency(picture)
    if not found:
        return None
    saliency = cv2.GaussianBlur(saliency.astype(np.float32), (0, 0), 0.04 * min(height, width))
    luma = luma_of(rgb)
    sharp = cv2.GaussianBlur(np.abs(cv2.Laplacian(luma, cv2.CV_32F)), (0, 0), 0.04 * min(shape[:2]))
    rows = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    columns = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    centre = np.asarray(np.exp(-(rows**2 + columns**2) / 0.5), np.float32)
    weight: Floats = np.add(_unit(saliency), _unit(sharp)) * (0.25 + centre)
    if float(weight.max() - weight.min()) < 1e-3 or float(luma.std()) < 0.01:
        return None
    return _cut(picture, weight)


def _cut(picture: NDArray[np.uint8], weight: Floats) -> Mask | None:
    """Grow the likely pixels to what GrabCut takes for the object."""
    high, low = np.quantile(weight, 0.85), np.quantile(weight, 0.35)
    labels = np.full(weight.shape, cv2.GC_PR_BGD, np.uint8)
    labels[weight >= np.quantile(weight, 0.65)] = cv2.GC_PR_FGD
    labels[weight >= high] = cv2.GC_FGD
    labels[weight <= low] = cv2.GC_BGD
    cv2.setRNGSeed(7)
    whole = (0, 0, weight.shape[1], weight.shape[0])
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(picture, labels, whole, *models, 3, cv2.GC_INIT_WITH_MASK)
    mask = (labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD)
    mask = ndimage.binary_closing(mask, iterations=2)
    return _enough(np.asarray(mask), 0.02, 0.9)


def _unit(values: cv2.typing.MatLike) -> Floats:
    plane = np.asarray(values, np.float32)
    low, high = np.quantile(plane, 0.02), np.quantile(plane, 0.98)
    return np.asarray(np.clip((plane - low) / max(float(high - low), 1e-6), 0, 1), np.float32)


def subject(frame: Frame) -> Mask | None:
    """What stands out: salient, sharp, near the centre; None in pictures where nothing does."""
    small = np.ascontiguousarray(_small(frame), np.float32)
    found = _subject_of(small.tobytes(), small.shape)
    return None if found is None else _large(found, frame)


def by_color(frame: Frame, color: str) -> Mask | None:
    """Superpixels of a colour; None where it hardly occurs or is nearly everywhere."""
    small = _small(frame)
    hue, saturation, value = _mean_per_superpixel(small)
    begin, end = COLORS[color]
    if color == "white":
        mask = (saturation < 0.15) & (value > 0.75)
    elif color == "black":
        mask = value < 0.18
    elif color in ("gray", "silver"):
        mask = (saturation < 0.15) & (value >= 0.18) & (value <= 0.8)
    else:
        inside = (hue >= begin) & (hue <= end) if begin < end else (hue >= begin) | (hue <= end)
        mask = inside & (saturation > 0.28) & (value > 0.15)
        mask &= value < 0.65 if color == "brown" else np.ones_like(mask)
    kept = _enough(_without_specks(np.asarray(mask), 0.002), 0.004, 0.9)
    return None if kept is None else _large(kept, frame)


def _mean_per_superpixel(rgb: Floats) -> tuple[Floats, Floats, Floats]:
    """Hue, saturation and value of the mean colour of each superpixel, spread over its pixels."""
    lab = cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB)
    slic = cv2.ximgproc.createSuperpixelSLIC(lab, cv2.ximgproc.SLICO, 8, 10.0)
    slic.iterate(4)
    labels = slic.getLabels()
    count = int(labels.max()) + 1
    sizes = np.maximum(np.bincount(labels.ravel(), minlength=count), 1)
    means = [
        (np.bincount(labels.ravel(), rgb[..., k].ravel(), minlength=count) / sizes)[labels]
        for k in range(3)
    ]
    return _hsv(np.ascontiguousarray(np.stack(means, axis=-1), np.float32))


def _without_specks(mask: Mask, least: float) -> Mask:
    labels, count = ndimage.label(mask)
    if not count:
        return mask
    sizes = np.bincount(labels.ravel())
    keep = sizes >= least * mask.size
    keep[0] = False
    return np.asarray(keep[labels])


def material(frame: Frame, name: str) -> Mask | None:
    """Sky, green plants, water, snow, sand or skin, by colour, texture and position."""
    small = _small(frame)
    hue, saturation, value = _hsv(small)
    luma = luma_of(small)
    rough = cv2.GaussianBlur(np.abs(cv2.Laplacian(luma, cv2.CV_32F)), (0, 0), 2.0)
    height = np.linspace(0, 1, small.shape[0], dtype=np.float32)[:, None] + np.zeros_like(luma)
    bluish = (hue > 170) & (hue < 260) & (saturation > 0.08)
    if name == "sky":
        blue = _touching_top((rough < 0.035) & bluish & (value > 0.03))
        pale = _touching_top((rough < 0.035) & (saturation < 0.15) & (value > 0.55) | blue)
        # Paper and studio walls are pale too: an overcast sky is wide, in a picture with colour.
        wide = float(pale[:3].mean()) > 0.6 and float(saturation.mean()) > 0.08
        mask = (pale if wide else blue) & (height < 0.85)
    elif name == "green":
        mask = (hue > 60) & (hue < 165) & (saturation > 0.15) & (value > 0.08)
    elif name == "water":
        mask = bluish & (height > 0.35) & (value > 0.12)
        mask &= ~_touching_top(bluish & (rough < 0.035))
    elif name == "snow":
        mask = (saturation < 0.16) & (value > 0.72) & (height > 0.3)
    elif name == "sand":
        mask = (hue > 18) & (hue < 55) & (saturation > 0.1) & (saturation < 0.55) & (value > 0.45)
        mask &= height > 0.4
    else:
        mask = _skin_like_a_face(frame, small)
    kept = _enough(_without_specks(np.asarray(mask), 0.004), 0.01, 0.95)
    return None if kept is None else _large(kept, frame)


def _touching_top(mask: Mask) -> Mask:
    labels, _ = ndimage.label(mask)
    touching = np.unique(labels[:3])
    return np.asarray(np.isin(labels, touching[touching > 0]))


def _skin(rgb: Floats) -> Mask:
    luma, red, blue = cv2.split(cv2.cvtColor(rgb, cv2.COLOR_RGB2YCrCb))
    mask = (red > 0.53) & (red < 0.68) & (blue > 0.3) & (blue < 0.5) & (luma > 0.15)
    return np.asarray(ndimage.binary_opening(mask))


def _skin_like_a_face(frame: Frame, small: Floats) -> Mask:
    """Skin-coloured pixels near the colour of a face; none where no face shows what it is."""
    face = faces(frame)
    if face is None:
        return np.zeros(small.shape[:2], bool)
    size = (small.shape[1], small.shape[0])
    inside = cv2.resize(face.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0
    skin = _skin(small)
    if not (skin & inside).any():
        return inside
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB)
    typical = np.median(lab[skin & inside], axis=0)
    return np.asarray(skin & (np.linalg.norm(lab - typical, axis=-1) < 28))


@lru_cache(maxsize=1)
def _cascade() -> Cascade:
    # The library's own file of weights; the function that finds it carries no types.
    return Cascade(data.lbp_frontal_face_cascade_filename())  # type: ignore[no-untyped-call]


@lru_cache(maxsize=8)
def _face_boxes(key: bytes, shape: tuple[int, ...]) -> tuple[tuple[int, int, int, int], ...]:
    """Rows and columns (top, bottom, left, right) of faces, largest first."""
    rgb = np.frombuffer(key, np.float32).reshape(shape)
    found = _cascade().detect_multi_scale(
        img=np.round(luma_of(rgb) * 255).astype(np.uint8),
        scale_factor=1.2,
        step_ratio=1.0,
        min_size=(24, 24),
        max_size=(shape[0], shape[1]),
    )
    boxes = [(f["r"], f["r"] + f["height"], f["c"], f["c"] + f["width"]) for f in found]
    skin = _skin(rgb)
    # The cascade alone sees faces in foliage; a colour picture must show some skin there.
    boxes = [box for box in boxes if skin[box[0] : box[1], box[2] : box[3]].mean() > 0.25]
    return tuple(sorted(boxes, key=lambda box: (box[0] - box[1], box)))


_FACE_PARTS: dict[str, tuple[float, float, float, float]] = {
    "face": (0.0, 1.0, 0.0, 1.0),
    "eyes": (0.22, 0.5, 0.1, 0.9),
    "nose": (0.4, 0.72, 0.32, 0.68),
    "mouth": (0.68, 0.92, 0.25, 0.75),
    "hair": (-0.45, 0.12, -0.15, 1.15),
    "person": (-0.4, 4.0, -0.9, 1.9),
}
"""Top, bottom, left, right in units of the face."""


def faces(frame: Frame, part: str = "face") -> Mask | None:
    """Frontal faces, or a part counted from them; None where no face is seen."""
    small = np.ascontiguousarray(_small(frame, _FACE_SIDE), np.float32)
    mask = np.zeros(small.shape[:2], bool)
    top, bottom, left, right = _FACE_PARTS[part]
    for y0, y1, x0, x1 in _face_boxes(small.tobytes(), small.shape):
        tall, wide = y1 - y0, x1 - x0
        rows = slice(max(0, round(y0 + top * tall)), max(0, round(y0 + bottom * tall)))
        columns = slice(max(0, round(x0 + left * wide)), max(0, round(x0 + right * wide)))
        mask[rows, columns] = True
    return _large(mask, frame) if mask.any() else None


def text_areas(frame: Frame) -> Mask | None:
    """Blocks of dense, high-contrast strokes that form lines."""
    luma = frame.working_luma
    strokes = cv2.morphologyEx(luma, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0.25
    joined = cv2.morphologyEx(strokes.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 17), np.uint8))
    opened = cv2.morphologyEx(joined, cv2.MORPH_OPEN, np.ones((7, 21), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(opened)
    mask = np.zeros(luma.shape, bool)
    for number in range(1, count):
        left, top, width, height = (int(value) for value in stats[number, :4])
        inside = labels[top : top + height, left : left + width] == number
        filled = float(inside.mean())
        dense = float(strokes[top : top + height, left : left + width][inside].mean())
        shaped = width > 1.8 * height and height < 0.25 * luma.shape[0] and filled > 0.55
        if shaped and dense > 0.3 and _written(luma[top : top + height, left : left + width]):
            mask[top : top + height, left : left + width] = True
    return _enough(mask, 0.003, 0.95)


def _written(box: Floats) -> bool:
    """Letters cross from paper to ink and back more than once per letter width."""
    high = box > 0.5 * (float(box.min()) + float(box.max()))
    crossings = np.count_nonzero(high[:, 1:] != high[:, :-1], axis=1)
    per_square = crossings / (box.shape[1] / box.shape[0])
    return float(np.median(per_square)) > 1.6
