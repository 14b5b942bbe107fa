"""Which pixels a phrase means, without an object detector.

A chain of readers, each for what it can really tell: a box or mask from the user, places in the
frame, tones, subject and background, coloured things, a few materials by colour, texture and
position, faces, text. A phrase that none of them knows stays unresolved: a wrong region is worse
than none.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.drawing import Box, Drawn
from proveout.apps.iqa.frame import Frame
from proveout.apps.iqa.language.text import stem
from proveout.apps.iqa.region_rules import (
    COLORS,
    Mask,
    by_color,
    faces,
    highlights,
    material,
    shadows,
    subject,
    text_areas,
)
from proveout.kernel.errors import UsageError

LEAST_SHARE = 0.003
"""Smaller regions hold too few pixels to say anything about them."""
LEAST_SIDE = 32
"""In smaller pictures only places can be told; superpixels and cascades need room."""
_LOCATED = re.compile(r"^(?P<thing>.+?)\s+(?:in|on|at|near)\s+the\s+(?P<place>.+)$")
_PART_OF = re.compile(r"^(?P<place>.+?)\s+of\s+(?:the\s+)?(?P<thing>.+)$")

LEAST_PIXELS = 16
"""At working size, below which nothing can be said about a region."""


@dataclass(frozen=True)
class Region:
    """The pixels that a phrase means."""

    name: str
    mask: Mask = field(repr=False, compare=False)
    """At working size."""
    how: str
    """By what it was found, in words."""
    confidence: float
    """0 to 1; 1 for places in the frame and what the user drew."""


def resolve(
    scope: str, frame: Frame, box: Box | None = None, mask: NDArray[np.generic] | None = None
) -> Region | None:
    """The region that a phrase means; None where that cannot be told."""
    shape = frame.working.shape[:2]
    if mask is not None:
        drawn = cv2.resize(
            (np.asarray(mask) > 0).astype(np.uint8),
            (shape[1], shape[0]),
            interpolation=cv2.INTER_NEAREST,
        )
        return _region(scope, drawn > 0, "the mask that was given", 1.0, least=0.0)
    if box is not None:
        return _region(scope, _boxed(box, frame), "the box that was given", 1.0, least=0.0)
    return _named(
        " ".join(stem(word) for word in re.findall(r"[^\W_]+", scope.lower())), frame, scope
    )


def drawn_region(scope: str, frame: Frame, drawn: Drawn, mask: Frame | None) -> Region:
    """What the user drew, on this picture; `mask` is the decoded picture that `drawn` names.

    Raises:
        UsageError: if it reaches outside of the picture, is of another size, empty or too small.
    """
    here = f"{frame.width} × {frame.height} pixels"
    if mask is None:
        assert drawn.box is not None
        left, top, right, bottom = drawn.box
        if left < 0 or top < 0 or right > frame.width or bottom > frame.height:
            message = f"the box reaches outside of the picture, which has {here}"
            hint = "give left, top, width and height in pixels of the upright picture"
            raise UsageError(message, hint=hint, code="iqa.region.outside")
        found = resolve(scope, frame, box=drawn.box)
    else:
        if (mask.width, mask.height) != (frame.width, frame.height):
            message = f"the mask has {mask.width} × {mask.height} pixels, the picture {here}"
            hint = "save the mask at the size of the upright picture"
            raise UsageError(message, hint=hint, code="iqa.region.size")
        found = resolve(scope, frame, mask=_white(mask))
    if found is None or found.mask.sum() < LEAST_PIXELS:
        what = "box" if mask is None else "white part of the mask"
        message = f"the {what} is too small to say anything about it"
        hint = "mark a larger part" if mask is None else "white marks the region, black the rest"
        raise UsageError(message, hint=hint, code="iqa.region.small")
    return found


def _white(mask: Frame) -> Mask:
    """Brighter than half of the brightest: masks come as 0 and 255, as 0 and 1, or as JPEG."""
    light = np.max(mask.pixels, axis=2)
    return np.asarray(light > float(light.max()) / 2)


def _region(
    name: str, mask: Mask | None, how: str, confidence: float, *, least: float = LEAST_SHARE
) -> Region | None:
    if mask is None or not mask.any() or float(mask.mean()) < least:
        return None
    return Region(name, mask, how, confidence)


def _named(phrase: str, frame: Frame, name: str) -> Region | None:
    """Readers in order of certainty."""
    place = _place(phrase, frame)
    if place is not None:
        return _region(name, place, "its place in the frame", 1.0)
    if (located := _LOCATED.match(phrase)) and (
        here := _place(located["place"], frame)
    ) is not None:
        return _located(located["thing"], here, frame, name)
    if (part := _PART_OF.match(phrase)) and _spatial(part["place"]):
        return _within(part["place"], part["thing"], frame, name)
    if located and located["place"] in _READERS:
        return _named(located["thing"], frame, name) or _named(located["place"], frame, name)
    words = phrase.split()
    if not words or min(frame.working.shape[:2]) < LEAST_SIDE:
        return None
    if phrase in _READERS:
        return _read(phrase, frame, name)
    color = next((word for word in words[:-1] if word in COLORS), None)
    if color is not None:
        found = by_color(frame, color)
        return _region(name, found, f"{color} areas; what they show was not recognised", 0.5)
    return _read(words[-1], frame, name) if words[-1] in _READERS else None


def _read(word: str, frame: Frame, name: str) -> Region | None:
    reader, how, confidence = _READERS[word]
    return _region(name, reader(frame), how, confidence)


def _located(thing: str, here: Mask, frame: Frame, name: str) -> Region | None:
    """A thing at a place: its pixels there, or the place alone where the thing is unknown."""
    known = _named(thing, frame, name)
    if known is not None and float((known.mask & here).mean()) >= LEAST_SHARE:
        how = f"{known.how}, within its place in the frame"
        return Region(name, known.mask & here, how, known.confidence)
    how = f"its place in the frame; the {thing} itself was not recognised"
    return _region(name, here, how, 0.4)


def _within(place: str, thing: str, frame: Frame, name: str) -> Region | None:
    """A part of a thing: the place is counted within the thing's own bounds."""
    known = _named(thing, frame, name)
    if known is None:
        return None
    rows, columns = np.nonzero(known.mask)
    top, bottom, left, right = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
    inner = _area(place, int(bottom - top), int(right - left))
    if inner is None:
        return None
    mask = np.zeros_like(known.mask)
    mask[top:bottom, left:right] = inner & known.mask[top:bottom, left:right]
    return _region(name, mask, f"{known.how}, and its place there", known.confidence)


def _boxed(box: Box, frame: Frame) -> Mask:
    height, width = frame.working.shape[:2]
    across, down = width / frame.width, height / frame.height
    left, right = sorted((round(box[0] * across), round(box[2] * across)))
    top, bottom = sorted((round(box[1] * down), round(box[3] * down)))
    mask = np.zeros((height, width), bool)
    mask[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)] = True
    return mask


_VERTICAL = {"top": 0.0, "upper": 0.0, "bottom": 1.0, "lower": 1.0}
_HORIZONTAL = {"left": 0.0, "leftmost": 0.0, "right": 1.0, "rightmost": 1.0}
_CENTRAL = frozenset({"center", "middle", "central"})
_PARTS = {
    "corner": 0.25,
    "side": 0.4,
    "half": 0.5,
    "third": 1 / 3,
    "quarter": 0.25,
    "quadrant": 0.5,
    "part": 0.4,
    "area": 0.4,
    "region": 0.4,
    "portion": 0.4,
    "section": 0.4,
    "edge": 0.15,
    "border": 0.15,
    "margin": 0.15,
    "hand": 0.4,
}
_FRAME_WORDS = frozenset({"image", "picture", "photo", "frame", "of", "the", "photograph"})


def _spatial(phrase: str) -> bool:
    return _area(phrase, 8, 8) is not None


def _place(phrase: str, frame: Frame) -> Mask | None:
    height, width = frame.working.shape[:2]
    return _area(phrase, height, width)


def _area(phrase: str, height: int, width: int) -> Mask | None:
    """The part of a rectangle that a phrase of place means; None where other words occur in it."""
    words = [word for word in phrase.split() if word not in _FRAME_WORDS]
    vertical = [_VERTICAL[word] for word in words if word in _VERTICAL]
    horizontal = [_HORIZONTAL[word] for word in words if word in _HORIZONTAL]
    parts = [word for word in words if word in _PARTS or word == "periphery"]
    central = any(word in _CENTRAL for word in words)
    if not words or len(vertical) + len(horizontal) + len(parts) + sum(
        word in _CENTRAL for word in words
    ) != len(words):
        return None
    if not vertical and not horizontal:
        return _undirected(parts, height, width, central=central)
    both = bool(vertical) and bool(horizontal)
    share = min((_PARTS[part] for part in parts if part in _PARTS), default=0.4 if both else 1 / 3)
    mask = np.ones((height, width), bool)
    rows, columns = _span(height, vertical, share), _span(width, horizontal, share)
    mask[: rows[0]] = mask[rows[1] :] = False
    mask[:, : columns[0]] = mask[:, columns[1] :] = False
    if central and not both:
        # `top center`, `middle left`: the other axis is the middle one.
        middle = _span(width if vertical else height, [0.5], 1 / 3)
        kept = np.zeros_like(mask)
        if vertical:
            kept[:, middle[0] : middle[1]] = True
        else:
            kept[middle[0] : middle[1]] = True
        mask &= kept
    return mask


def _span(length: int, at: list[float], share: float) -> tuple[int, int]:
    if not at:
        return 0, length
    size = max(1, round(length * share))
    start = round((length - size) * at[0])
    return start, start + size


def _undirected(parts: list[str], height: int, width: int, *, central: bool) -> Mask | None:
    mask = np.zeros((height, width), bool)
    if central:
        share = 1 / 3 if "third" in parts else 0.5
        top, bottom = _span(height, [0.5], share)
        left, right = _span(width, [0.5], share)
        mask[top:bottom, left:right] = True
        return mask
    if parts == ["corner"]:
        rows, columns = max(1, round(0.2 * height)), max(1, round(0.2 * width))
        for y in (slice(0, rows), slice(height - rows, height)):
            for x in (slice(0, columns), slice(width - columns, width)):
                mask[y, x] = True
        return mask
    if parts in (["edge"], ["border"], ["margin"], ["periphery"]):
        rows, columns = max(1, round(0.12 * height)), max(1, round(0.12 * width))
        mask[:] = True
        mask[rows : height - rows, columns : width - columns] = False
        return mask
    return None


def _background(frame: Frame) -> Mask | None:
    found = subject(frame)
    return None if found is None else ~found


def _of(name: str) -> Callable[[Frame], Mask | None]:
    def reader(frame: Frame) -> Mask | None:
        return material(frame, name)

    return reader


def _face_part(name: str) -> Callable[[Frame], Mask | None]:
    def reader(frame: Frame) -> Mask | None:
        return faces(frame, part=name)

    return reader


_SALIENT = "what stands out from the rest (saliency, sharpness, centre)"
_BY_LOOK = "colour, texture and position"
_BY_FACE = "a face detector"
_Reader = tuple[Callable[[Frame], Mask | None], str, float]
_READERS: dict[str, _Reader] = {
    **dict.fromkeys(
        ("subject", "foreground", "object", "focal point", "character"), (subject, _SALIENT, 0.6)
    ),
    **dict.fromkeys(("background", "backdrop"), (_background, _SALIENT, 0.6)),
    **dict.fromkeys(("highlight", "bright area", "bright part"), (highlights, "brightness", 0.95)),
    **dict.fromkeys(("shadow", "dark area", "dark part"), (shadows, "brightness", 0.95)),
    **dict.fromkeys(("sky", "cloud"), (_of("sky"), _BY_LOOK, 0.7)),
    **dict.fromkeys(
        ("grass", "lawn", "meadow", "foliage", "leaf", "leave", "tree", "forest", "bush", "plant"),
        (_of("green"), _BY_LOOK, 0.6),
    ),
    **dict.fromkeys(("water", "sea", "ocean", "lake", "river"), (_of("water"), _BY_LOOK, 0.5)),
    **dict.fromkeys(("snow", "ice"), (_of("snow"), _BY_LOOK, 0.5)),
    **dict.fromkeys(("sand", "beach"), (_of("sand"), _BY_LOOK, 0.5)),
    "skin": (_of("skin"), _BY_LOOK, 0.6),
    "face": (_face_part("face"), _BY_FACE, 0.8),
    "eye": (_face_part("eyes"), _BY_FACE, 0.7),
    **dict.fromkeys(("mouth", "lip"), (_face_part("mouth"), _BY_FACE, 0.7)),
    "nose": (_face_part("nose"), _BY_FACE, 0.7),
    "hair": (_face_part("hair"), _BY_FACE, 0.5),
    **dict.fromkeys(
        ("person", "man", "woman", "child", "boy", "girl", "people", "men", "women", "portrait"),
        (_face_part("person"), f"{_BY_FACE}, and what is below the face", 0.6),
    ),
    **dict.fromkeys(
        ("text", "letter", "writing", "caption", "lettering"),
        (text_areas, "dense strokes in lines", 0.6),
    ),
}
