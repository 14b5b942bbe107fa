"""Puts a test picture on top of its reference, or says why that cannot be done.

The rules, in order: 1. Files arrive upright (intake applies EXIF). A test that fits only when
turned or mirrored is refused. 2. A test of another size but the same aspect is brought to the size
of the reference: reduced by area
   averaging, enlarged by bicubic interpolation, so that lost resolution counts as loss of detail.
   Sizes that differ by at most 2 % with another aspect count as a small crop; anything else is
   refused.
3. Both are reduced by the same whole number until they have at most 1.05 megapixels. 4. A shift is
estimated by phase correlation. It is undone where that lowers the error clearly: whole
   pixels by cropping, the rest by resampling the test picture.
5. Pictures that do not correlate, that are rotated or zoomed against each other, are refused.
6. Gain and offset of the luma are noted and left in: a change of brightness is a distortion.
"""

import math
from dataclasses import dataclass, field

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats, Frame, Pixels, luma_of, unit
from proveout.apps.iqa.tools.planes import block_mean, floats, mean
from proveout.kernel.errors import UsageError

COMPARED_PIXELS = 1_050_000
ASPECT_TOLERANCE = 0.01
CROP_SHARE = 0.02
STRIP_ROWS = 64
ESTIMATE_SIDE = 384
THUMBNAIL_SIDE = 48
SAME_CONTENT = 0.3
"""Correlation of thumbnails under which two pictures do not show the same thing: unrelated photos
stay under 0.15, the worst distortions of TID2013 above 0.45."""
FLAT_DEVIATION = 0.01
FARTHEST_SHARE = 0.1
SMALLEST_SHIFT = 0.12
WORTH_MOVING, WORTH_RESAMPLING = 0.5, 0.3
"""Squared error after moving, as a share of that before; above it, the shift is not believed. Less
than a pixel takes more to believe: fringes and coding shift edges by that much."""
TURNED_SIDE = 128
MOST_TRIED_DEGREES = 15
ALIKE_ENOUGH, MUCH_MORE_ALIKE = 0.9, 0.15
MOST_TURN_DEGREES = 0.25
MOST_ZOOM = 0.004


@dataclass(frozen=True)
class Registered:
    """A pair that can be compared pixel by pixel."""

    reference: Floats = field(repr=False)
    test: Floats = field(repr=False)
    shift: tuple[float, float]
    """Rows and columns by which the test picture lay off, in pixels of the reference; undone."""
    gain: float
    """Luma of the test ≈ gain × luma of the reference + offset; left in."""
    offset: float
    factor: int
    """Both were reduced by this whole number."""
    steps: tuple[str, ...]


def register(reference: Frame, test: Frame) -> Registered:
    """Raises `UsageError` where the two cannot be compared."""
    steps: list[str] = []
    whole, other = _same_size(reference, test, steps)
    factor = max(1, math.ceil(math.sqrt(whole.shape[0] * whole.shape[1] / COMPARED_PIXELS)))
    first, second = _reduced(whole, factor), _reduced(other, factor)
    if factor > 1:
        steps.append(f"both reduced by {factor}")
    light_1, light_2, reduction = _estimate_planes(first, second)
    shift = _believed_shift(light_1, light_2)
    _demand_no_turn(*_overlap(light_1, light_2, shift))
    _demand_same_content(*_overlap(light_1, light_2, shift))
    shift = (shift[0] * reduction, shift[1] * reduction)
    if shift != (0.0, 0.0):
        first, second = _overlap(first, second, shift)
        down, right = shift[0] * factor, shift[1] * factor
        steps.append(f"shift of {down:.2f} rows and {right:.2f} columns undone")
    gain, offset = _gain(luma_of(first), luma_of(second))
    return Registered(
        reference=first,
        test=second,
        shift=(shift[0] * factor, shift[1] * factor),
        gain=gain,
        offset=offset,
        factor=factor,
        steps=tuple(steps),
    )


def _same_size(reference: Frame, test: Frame, steps: list[str]) -> tuple[Pixels, Pixels]:
    height, width = reference.height, reference.width
    if (test.height, test.width) == (height, width):
        return reference.pixels, test.pixels
    there, here = f"{width} × {height}", f"{test.width} × {test.height}"
    aspect = (test.width / test.height) / (width / height)
    small_crop = (
        abs(test.height - height) <= CROP_SHARE * height
        and abs(test.width - width) <= CROP_SHARE * width
    )
    if small_crop:
        rows, columns = min(height, test.height), min(width, test.width)
        steps.append(f"sizes {there} and {here} cropped to {columns} × {rows}")
        return reference.pixels[:rows, :columns], test.pixels[:rows, :columns]
    if abs(aspect - 1) <= ASPECT_TOLERANCE:
        smaller = test.width < width
        how = cv2.INTER_CUBIC if smaller else cv2.INTER_AREA
        word = "enlarged (bicubic)" if smaller else "reduced (area average)"
        steps.append(f"test picture {word} from {here} to {there}")
        resized = cv2.resize(test.rgb, (width, height), interpolation=how)
        return reference.pixels, np.clip(floats(resized), 0, 1)
    turned = abs((test.height / test.width) / (width / height) - 1) <= ASPECT_TOLERANCE
    hint = (
        "turn the test picture by 90 degrees"
        if turned
        else "crop both to the same part, or leave the reference out"
    )
    message = f"the reference has {there} pixels, the test picture {here}: another aspect"
    raise UsageError(message, hint=hint, code="iqa.reference.size")


def _reduced(pixels: Pixels, factor: int) -> Floats:
    """Block means as floats, strip by strip: a large picture is never there as floats at once."""
    if factor == 1:
        return unit(pixels)
    rows = pixels.shape[0] // factor
    strips = [
        block_mean(unit(pixels[top * factor : min(top + STRIP_ROWS, rows) * factor]), factor)
        for top in range(0, rows, STRIP_ROWS)
    ]
    return np.concatenate(strips)


def _estimate_planes(first: Floats, second: Floats) -> tuple[Floats, Floats, int]:
    reduction = math.ceil(min(first.shape[:2]) / ESTIMATE_SIDE)
    return (
        luma_of(block_mean(first, reduction)),
        luma_of(block_mean(second, reduction)),
        reduction,
    )


def _believed_shift(first: Floats, second: Floats) -> tuple[float, float]:
    """Rows and columns to move; nothing where moving does not make the pair clearly more alike."""
    right, down = _phase_shift(first, second)
    farthest = FARTHEST_SHARE * min(first.shape)
    if math.hypot(down, right) < SMALLEST_SHIFT or max(abs(down), abs(right)) > farthest:
        return 0.0, 0.0
    rows, columns = math.ceil(abs(down)) + 1, math.ceil(abs(right)) + 1
    if min(first.shape[0] - 2 * rows, first.shape[1] - 2 * columns) < 8:
        return 0.0, 0.0
    inner = np.s_[rows:-rows, columns:-columns]
    moved = _moved(second, down, right)
    before, after = _unlike(first[inner], second[inner]), _unlike(first[inner], moved[inner])
    limit = WORTH_MOVING if max(abs(down), abs(right)) >= 1 else WORTH_RESAMPLING
    return (round(down, 3), round(right, 3)) if after < limit * before else (0.0, 0.0)


def _phase_shift(first: Floats, second: Floats) -> tuple[float, float]:
    """Columns and rows: the peak of the phase correlation, refined to a fraction of a pixel."""
    if min(first.shape) < 16 or min(float(first.std()), float(second.std())) < FLAT_DEVIATION:
        return 0.0, 0.0
    window = cv2.createHanningWindow((first.shape[1], first.shape[0]), cv2.CV_32F)
    # Windowed here: `phaseCorrelate` would write the windowed picture back into its arguments.
    one, other = ((plane - np.float32(mean(plane))) * window for plane in (first, second))
    (right, down), _ = cv2.phaseCorrelate(one, other)
    if not math.isfinite(right + down):
        return 0.0, 0.0
    return _refined(first, second, float(round(right)), float(round(down)))


def _refined(first: Floats, second: Floats, right: float, down: float) -> tuple[float, float]:
    """Least squares on the gradients, with free gain and offset: the peak alone is biased to whole
    pixels."""
    edge = 4
    if max(abs(right), abs(down)) + 2 * edge + 8 > min(first.shape) / 2:
        return right, down
    rows, columns = edge + math.ceil(abs(down)), edge + math.ceil(abs(right))
    inner = np.s_[rows:-rows, columns:-columns]
    sloped = [cv2.Sobel(first, cv2.CV_32F, *way, ksize=3, scale=1 / 8) for way in ((1, 0), (0, 1))]
    columns_of = [floats(slope)[inner].ravel() for slope in sloped]
    columns_of += [first[inner].ravel(), np.ones(columns_of[0].size, np.float32)]
    system = np.stack(columns_of)
    squares = (system @ system.T).astype(np.float64) + 1e-6 * np.eye(4)
    move_right = move_down = 0.0
    for _ in range(4):
        there = _moved(second, down + move_down, right + move_right)[inner].ravel()
        solved = np.linalg.solve(squares, system @ there)
        gain = solved[2] if abs(solved[2]) > 0.05 else 0.05
        step_right, step_down = -solved[0] / gain, -solved[1] / gain
        if not abs(step_right) + abs(step_down) < 3:
            return right, down
        move_right, move_down = move_right + step_right, move_down + step_down
    if abs(move_right) > 1 or abs(move_down) > 1:
        return right, down
    return right + float(move_right), down + float(move_down)


def _unlike(first: Floats, second: Floats) -> float:
    """Squared difference once brightness and contrast are set aside."""
    gain, offset = _gain(first, second)
    return mean((second - np.float32(gain) * first - np.float32(offset)) ** 2)


def _moved(picture: Floats, down: float, right: float) -> Floats:
    move = np.array([[1, 0, -right], [0, 1, -down]], np.float64)
    size = (picture.shape[1], picture.shape[0])
    moved = cv2.warpAffine(
        picture, move, size, flags=cv2.INTER_LANCZOS4, borderMode=cv2.BORDER_REPLICATE
    )
    return floats(moved)


def _overlap(first: Floats, second: Floats, shift: tuple[float, float]) -> tuple[Floats, Floats]:
    """What both show, once the test picture is moved back."""
    if shift == (0.0, 0.0):
        return first, second
    rows, columns = round(shift[0]), round(shift[1])
    height, width = first.shape[0] - abs(rows), first.shape[1] - abs(columns)
    top_1, left_1 = max(0, -rows), max(0, -columns)
    top_2, left_2 = max(0, rows), max(0, columns)
    first = first[top_1 : top_1 + height, left_1 : left_1 + width]
    second = second[top_2 : top_2 + height, left_2 : left_2 + width]
    rest = shift[0] - rows, shift[1] - columns
    if math.hypot(*rest) >= SMALLEST_SHIFT:
        moved = _moved(np.ascontiguousarray(second), *rest)
        # The outermost pixels are made up by the interpolation.
        return np.ascontiguousarray(first[2:-2, 2:-2]), np.clip(moved[2:-2, 2:-2], 0, 1)
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


def _thumbnail(plane: Floats) -> Floats:
    """Small and without its broadest tones, in which all landscapes are alike."""
    side = (THUMBNAIL_SIDE, THUMBNAIL_SIDE)
    small = floats(cv2.resize(plane, side, interpolation=cv2.INTER_AREA))
    return small - floats(cv2.GaussianBlur(small, (0, 0), 3))


def _alike(first: Floats, second: Floats) -> float:
    if min(float(first.std()), float(second.std())) < 1e-6:
        return 1.0
    return float(np.corrcoef(first.ravel(), second.ravel())[0, 1])


def _demand_same_content(first: Floats, second: Floats) -> None:
    if min(float(first.std()), float(second.std())) < FLAT_DEVIATION:
        # A flat picture has nothing to recognise; the metrics will say what they see.
        return
    small, other = _thumbnail(first), _thumbnail(second)
    if _alike(small, other) >= SAME_CONTENT:
        return
    ways = {
        "turned by 180 degrees": other[::-1, ::-1],
        "turned by 90 degrees clockwise": np.rot90(other),
        "turned by 90 degrees counter-clockwise": np.rot90(other, 3),
        "mirrored left to right": other[:, ::-1],
        "mirrored top to bottom": other[::-1],
        "a negative": -other,
    }
    for name, way in ways.items():
        if _alike(small, floats(way)) >= 0.8:
            message = f"the test picture is {name} against the reference"
            hint = "undo that, or leave the reference out"
            raise UsageError(message, hint=hint, code="iqa.reference.orientation")
    message = "reference and test picture do not show the same thing"
    hint = "give the reference of this very picture (same crop, not rotated), or leave it out"
    raise UsageError(message, hint=hint, code="iqa.reference.content")


def _demand_no_turn(first: Floats, second: Floats) -> None:
    degrees = _coarse_turn(first, second)
    zoom = 1.0
    if abs(degrees) < 1:
        degrees, zoom = _fine_turn(first, second)
    if abs(degrees) < MOST_TURN_DEGREES and abs(zoom - 1) < MOST_ZOOM:
        return
    message = (
        f"the test picture is rotated by {degrees:.1f} degrees"
        f" and zoomed by {zoom:.3f} against the reference"
    )
    hint = "align the two first, or leave the reference out"
    raise UsageError(message, hint=hint, code="iqa.reference.rotation")


def _coarse_turn(first: Floats, second: Floats) -> float:
    """Degrees, found by turning a small copy; 0 unless that makes the pair far more alike."""
    if min(float(first.std()), float(second.std())) < FLAT_DEVIATION or min(first.shape) < 64:
        return 0.0
    scale = TURNED_SIDE / min(first.shape)
    size = (round(first.shape[1] * scale), round(first.shape[0] * scale))
    one, other = (
        floats(cv2.resize(plane, size, interpolation=cv2.INTER_AREA)) for plane in (first, second)
    )
    one = one - floats(cv2.GaussianBlur(one, (0, 0), 6))
    other = other - floats(cv2.GaussianBlur(other, (0, 0), 6))
    edge = TURNED_SIDE // 6

    def alike(degrees: float) -> float:
        turn = cv2.getRotationMatrix2D(((size[0] - 1) / 2, (size[1] - 1) / 2), -degrees, 1.0)
        turned = floats(cv2.warpAffine(other, turn, size))
        return _alike(one[edge:-edge, edge:-edge], turned[edge:-edge, edge:-edge])

    plain = alike(0.0)
    if plain > ALIKE_ENOUGH:
        return 0.0
    whole = max((float(d) for d in range(-MOST_TRIED_DEGREES, MOST_TRIED_DEGREES + 1)), key=alike)
    best = max((whole + quarter / 4 for quarter in range(-3, 4)), key=alike)
    found = alike(best)
    return best if found > max(plain + MUCH_MORE_ALIKE, SAME_CONTENT) else 0.0


def _fine_turn(first: Floats, second: Floats) -> tuple[float, float]:
    """Degrees and zoom, from how the shifts of nine windows grow with their distance."""
    moves = _window_moves(first, second)
    if len(moves) < 5:
        return 0.0, 1.0
    fitted, kept = cv2.estimateAffinePartial2D(
        floats([place for place, _ in moves]),
        floats([place for _, place in moves]),
        ransacReprojThreshold=0.8,
    )
    if int(kept.sum()) < 5 or not np.isfinite(fitted).all():
        return 0.0, 1.0
    size = (first.shape[1], first.shape[0])
    undone = cv2.warpAffine(second, fitted, size, flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP)
    edge = max(2, min(first.shape) // 16)
    inner = np.s_[edge:-edge, edge:-edge]
    before, after = (
        _unlike(first[inner], second[inner]),
        _unlike(first[inner], floats(undone)[inner]),
    )
    if after >= WORTH_MOVING * before:
        return 0.0, 1.0
    turned = math.degrees(math.atan2(-fitted[1, 0], fitted[0, 0]))
    return turned, math.hypot(fitted[0, 0], fitted[1, 0])


def _window_moves(
    first: Floats, second: Floats
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    rows, columns = first.shape[0] // 3, first.shape[1] // 3
    if min(rows, columns) < 24:
        return []
    moves = []
    for top in (0, rows, first.shape[0] - rows):
        for left in (0, columns, first.shape[1] - columns):
            place = np.s_[top : top + rows, left : left + columns]
            right, down = _phase_shift(
                np.ascontiguousarray(first[place]), np.ascontiguousarray(second[place])
            )
            centre = (left + columns / 2, top + rows / 2)
            if math.hypot(right, down) < min(rows, columns) / 4:
                moves.append((centre, (centre[0] + right, centre[1] + down)))
    return moves


def _gain(first: Floats, second: Floats) -> tuple[float, float]:
    mean_1, mean_2 = mean(first), mean(second)
    power = mean((first - np.float32(mean_1)) ** 2)
    if power < 1e-8:
        return 1.0, mean_2 - mean_1
    shared = mean((first - np.float32(mean_1)) * (second - np.float32(mean_2)))
    gain = shared / power
    return gain, mean_2 - gain * mean_1
