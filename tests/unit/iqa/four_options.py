"""Questions with four options on photos that were distorted on purpose, with the right letter.

Photos come from scikit-image; the true severity of a level is near the mean human score of the same
distortion and level in KADID-10k, read from its public table of scores. Nothing here uses the
product's own code.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256

import cv2
import numpy as np
import skimage.data
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
PHOTOS = ("astronaut", "chelsea", "coffee", "rocket")


@dataclass(frozen=True)
class Distorted:
    """A photo, what was done to it, and how good people find that."""

    photo: str
    kind: str
    quality: float
    pixels: Bytes


@dataclass(frozen=True)
class Asked:
    """One question about one picture."""

    picture: Distorted
    query: str
    letter: str
    form: str
    """what, which, how, overall, yes-no or where."""


def photo(name: str) -> Bytes:
    return np.ascontiguousarray(getattr(skimage.data, name)()[..., :3])


def _random(shape: tuple[int, ...], seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(size=shape)


def _jpeg(rgb: Bytes, quality: float) -> Bytes:
    _, data = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    decoded = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return np.ascontiguousarray(decoded[..., ::-1])


def _motion(rgb: Bytes, length: float) -> Bytes:
    size = int(length) | 1
    kernel = np.zeros((size, size), np.float32)
    kernel[size // 2] = 1 / size
    return np.asarray(cv2.filter2D(rgb, -1, kernel), np.uint8)


def _impulse(rgb: Bytes, density: float) -> Bytes:
    drawn = np.random.default_rng(5).random(rgb.shape[:2])
    changed = rgb.copy()
    changed[drawn < density / 2] = 0
    changed[drawn > 1 - density / 2] = 255
    return changed


def _saturation(rgb: Bytes, factor: float) -> Bytes:
    lab = np.asarray(cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)
    lab[..., 1:] *= np.float32(factor)
    return _bytes(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB) * 255)


def _pixels(rgb: Bytes, side: float) -> Bytes:
    height, width = rgb.shape[:2]
    small = cv2.resize(rgb, (int(width / side), int(height / side)), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)


def _sharpened(rgb: Bytes, amount: float) -> Bytes:
    floats = rgb.astype(np.float32)
    return _bytes(floats + amount * (floats - cv2.GaussianBlur(floats, (0, 0), 1.5)))


def _steps(rgb: Bytes, levels: float) -> Bytes:
    step = 256 / levels
    return _bytes((np.floor(rgb / step) + 0.5) * step)


def _bytes(values: NDArray[np.generic] | cv2.typing.MatLike) -> Bytes:
    return np.clip(np.round(np.asarray(values, np.float64)), 0, 255).astype(np.uint8)


def _gaussian(rgb: Bytes, sigma: float) -> Bytes:
    return np.asarray(cv2.GaussianBlur(rgb, (0, 0), sigma), np.uint8)


def _noise(rgb: Bytes, variance: float) -> Bytes:
    return _bytes(rgb + _random(rgb.shape, 3) * 255 * variance**0.5)


def _darker(rgb: Bytes, factor: float) -> Bytes:
    return _bytes(255 * (rgb / 255) ** (1 + 2.2 * factor) * (1 - 0.45 * factor))


def _brighter(rgb: Bytes, factor: float) -> Bytes:
    return _bytes(255 * (1 - (1 - rgb / 255.0) ** (1 + 2.2 * factor)) + 70 * factor)


def _flatter(rgb: Bytes, factor: float) -> Bytes:
    return _bytes(128 + (rgb.astype(np.float64) - 128) * factor)


@dataclass(frozen=True)
class _Kind:
    change: Callable[[Bytes, float], Bytes]
    levels: tuple[tuple[float, float], ...]
    """Parameter and mean human score."""
    noun: str
    word: str
    """As in `the image is …`."""


KINDS: dict[str, _Kind] = {
    "blur": _Kind(_gaussian, ((2.0, 1.87), (5.0, 1.3)), "Gaussian blur", "blurry"),
    "motion": _Kind(_motion, ((9, 1.8), (17, 1.4)), "motion blur", "blurred by camera motion"),
    "noise": _Kind(_noise, ((0.01, 2.3), (0.03, 1.7)), "white noise", "noisy"),
    "impulse": _Kind(
        _impulse, ((0.02, 2.31), (0.06, 1.8)), "salt and pepper noise", "full of salt and pepper"
    ),
    "jpeg": _Kind(_jpeg, ((7, 1.95), (4, 1.35)), "JPEG compression", "blocky from compression"),
    "dark": _Kind(_darker, ((0.7, 2.5), (1.0, 2.0)), "underexposure", "underexposed"),
    "bright": _Kind(_brighter, ((0.7, 2.7), (1.1, 1.81)), "overexposure", "overexposed"),
    "flat": _Kind(_flatter, ((0.35, 2.6), (0.2, 2.0)), "low contrast", "low in contrast"),
    "colour": _Kind(_saturation, ((3.0, 2.65), (6.0, 1.82)), "oversaturation", "oversaturated"),
    "pixels": _Kind(_pixels, ((5, 2.4), (9, 1.6)), "pixelation", "pixelated"),
    "steps": _Kind(_steps, ((7, 2.8), (5, 2.3)), "banding", "posterized"),
    "sharp": _Kind(_sharpened, ((3.0, 2.14), (6.0, 1.61)), "oversharpening", "oversharpened"),
}
ANCHORED = ("blur", "motion", "noise", "impulse", "jpeg", "colour", "sharp")
"""Kinds whose levels people have rated; of the others only the presence is known."""
_FAMILIES = {"motion": "blur", "impulse": "noise"}
_STYLES = ("{}. {}", "{}) {}", "({}) {}", "[{}] {}")


def pictures() -> Iterator[Distorted]:
    """Every photo with every distortion, at one of two levels in turn."""
    for turn, name in enumerate(PHOTOS):
        original = photo(name)
        for place, (kind, entry) in enumerate(KINDS.items()):
            parameter, quality = entry.levels[(turn + place) % 2]
            yield Distorted(name, kind, quality, entry.change(original, parameter))


def _draw(text: str, count: int) -> int:
    """A number below `count` that depends on the text alone."""
    return int.from_bytes(sha256(text.encode()).digest()[:4]) % count


def _laid_out(stem: str, options: list[str], seed: str) -> tuple[str, dict[str, str]]:
    """The question with its options in a drawn order and layout; option → letter."""
    order = sorted(options, key=lambda option: _draw(seed + option, 1 << 30))
    letters = "abcd" if _draw(seed + "case", 3) == 0 else "ABCD"
    style = _STYLES[_draw(seed + "style", len(_STYLES))]
    between = " " if _draw(seed + "lines", 2) else "\n"
    lines = [style.format(letter, option) for letter, option in zip(letters, order, strict=True)]
    text = f"{stem}{between}{between.join(lines)}"
    return text, dict(zip(order, letters, strict=True))


def _others(kind: str, seed: str) -> list[str]:
    """Three other kinds of other families."""
    family = _FAMILIES.get(kind, kind)
    rest = [other for other in KINDS if _FAMILIES.get(other, other) != family]
    rest = [other for other in rest if not {kind, other} <= {"flat", "bright", "dark", "colour"}]
    drawn = sorted(rest, key=lambda other: _draw(seed + other, 1 << 30))
    distinct: dict[str, str] = {}
    for other in drawn:
        distinct.setdefault(_FAMILIES.get(other, other), other)
    return list(distinct.values())[:3]


def _asked(picture: Distorted, form: str, stem: str, options: list[str], right: str) -> Asked:
    seed = f"{picture.photo}/{picture.kind}/{picture.quality}/{form}"
    query, letters = _laid_out(stem, options, seed)
    return Asked(picture, query, letters[right], form)


def questions() -> Iterator[Asked]:
    """What, which and yes-no for each picture, how and overall where rated; where on halves."""
    for place, picture in enumerate(pictures()):
        seed = f"{picture.photo}/{picture.kind}/{place}"
        entry, others = KINDS[picture.kind], _others(picture.kind, seed)
        stem = (
            "What is the main distortion in this image?",
            "Which distortion is the most severe here?",
            "Identify the degradation of the photo.",
        )[place % 3]
        yield _asked(
            picture, "what", stem, [entry.noun, *(KINDS[o].noun for o in others)], entry.noun
        )
        sentences = {kind: f"The picture is {KINDS[kind].word}" for kind in (picture.kind, *others)}
        yield _asked(
            picture,
            "which",
            "Which statement describes the picture best?",
            list(sentences.values()),
            sentences[picture.kind],
        )
        if picture.kind in ANCHORED:
            yield _how(picture)
            yield _overall(picture)
        yield _yes_no(picture, others[0])
    yield from _where()


def _how(picture: Distorted) -> Asked:
    """Levels far enough apart that a band's width decides nothing."""
    options = ["not visible at all", "slight", "strong", "the picture is perfect"]
    right = "strong" if picture.quality < 3 else "slight"
    stem = f"How strong is the {KINDS[picture.kind].noun} in the image?"
    return _asked(picture, "how", stem, options, right)


def _overall(picture: Distorted) -> Asked:
    """All of these are poor or worse, or just above it."""
    options = ["excellent", "good", "fair", "poor or bad"]
    right = "fair" if picture.quality > 2.5 else "poor or bad"
    stem = "How good is the overall technical quality?"
    return _asked(picture, "overall", stem, options, right)


def _yes_no(picture: Distorted, other: str) -> Asked:
    """Half of these ask for what is there, half for what is not."""
    present = _draw(f"{picture.photo}{picture.kind}{picture.quality}", 2) == 0
    kind = picture.kind if present else other
    stem = f"Is the picture {KINDS[kind].word}?"
    rated = kind in ANCHORED
    options = ["Yes, strongly", "Yes, slightly"] if rated else ["Yes", "Hard to say"]
    options += ["No", "Only at the edges"]
    return _asked(picture, "yes-no", stem, options, options[0] if present else "No")


def _where() -> Iterator[Asked]:
    """One half distorted, the other as it was."""
    halves = {
        "left half": (slice(None), slice(0, 0.5)),
        "right half": (slice(None), slice(0.5, 1)),
        "upper half": (slice(0, 0.5), slice(None)),
        "lower half": (slice(0.5, 1), slice(None)),
    }
    for name in ("astronaut", "chelsea", "coffee"):
        original = photo(name)
        for kind in ("blur", "noise", "jpeg", "pixels"):
            parameter, quality = KINDS[kind].levels[1]
            changed = KINDS[kind].change(original, parameter)
            half = sorted(halves)[_draw(f"{name}{kind}", 4)]
            mixed = original.copy()
            rows, columns = halves[half]
            where = (_scaled(rows, mixed.shape[0]), _scaled(columns, mixed.shape[1]))
            mixed[where] = changed[where]
            picture = Distorted(name, f"{kind} {half}", quality, mixed)
            stem = f"Where is the {KINDS[kind].noun} strongest?"
            yield _asked(picture, "where", stem, [f"the {h}" for h in halves], f"the {half}")


def _scaled(part: slice, length: int) -> slice:
    begin = None if part.start is None else round(part.start * length)
    end = None if part.stop is None else round(part.stop * length)
    return slice(begin, end)
