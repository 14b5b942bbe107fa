"""Traces of block coders: grids at any offset, dead coefficients, plateaus, broken blocks."""

import cv2
import numpy as np
from numpy.typing import NDArray

from proveout.apps.iqa.frame import Floats
from proveout.apps.iqa.quantiles import percentile
from proveout.apps.iqa.view import View, blocks, once

SIDE = 8
_MOST_COPIES_AT = 160


def _cosines() -> Floats:
    k, n = np.meshgrid(np.arange(SIDE), np.arange(SIDE), indexing="ij")
    matrix = np.cos(np.pi * (2 * n + 1) * k / (2 * SIDE)) * (2 / SIDE) ** 0.5
    matrix[0] /= 2**0.5
    return np.asarray(matrix, np.float32)


_DCT = _cosines()
_ORDER = np.add.outer(np.arange(SIDE), np.arange(SIDE))


def phases(plane: Floats) -> tuple[Floats, Floats]:
    """Mean break in smoothness at each of the eight column and row offsets."""
    across = np.abs(plane[:, :-3] - 3 * plane[:, 1:-2] + 3 * plane[:, 2:-1] - plane[:, 3:])
    down = np.abs(plane[:-3] - 3 * plane[1:-2] + 3 * plane[2:-1] - plane[3:])
    columns = np.minimum(across, 24).mean(axis=0)
    rows = np.minimum(down, 24).mean(axis=1)
    # A difference over pixels k .. k+3 straddles the border between k+1 and k+2.
    return _by_phase(columns, 2), _by_phase(rows, 2)


def _by_phase(values: Floats, shift: int) -> Floats:
    index = (np.arange(len(values)) + shift) % SIDE
    sums = np.bincount(index, weights=values, minlength=SIDE)
    counts = np.maximum(np.bincount(index, minlength=SIDE), 1)
    return np.asarray(sums / counts, np.float32)


def excess(phase: Floats) -> tuple[float, int]:
    """How far the strongest offset stands above the median of the eight, and which it is."""
    best = int(np.argmax(phase))
    middle = float(np.median(phase))
    return (float(phase[best]) - middle) / (middle + 0.25), best


def features(view: View) -> dict[str, float]:
    plane = view.native_y
    found = _grid(plane) | _equal_neighbours(view) | _coefficients(plane)
    return found | _broken(view) | _copies(view)


def _grid(plane: Floats) -> dict[str, float]:
    columns, rows = phases(plane)
    column, column_at = excess(columns)
    row, row_at = excess(rows)
    middle = float(np.median(columns) + np.median(rows)) / 2
    return {
        "grid.column": column,
        "grid.row": row,
        "grid.least": min(column, row),
        "grid.at_zero": float(column_at == 0) + float(row_at == 0),
        "grid.zero_column": float(columns[0]) / (float(np.median(columns)) + 0.25),
        "grid.zero_row": float(rows[0]) / (float(np.median(rows)) + 0.25),
        "grid.level": middle,
    }


def _equal_neighbours(view: View) -> dict[str, float]:
    found = {}
    pixels = view.native.astype(np.uint8)
    across = pixels[:, 1:] == pixels[:, :-1]
    down = pixels[1:] == pixels[:-1]
    same_across, same_down = across.all(axis=2), down.all(axis=2)
    found["equal.across"] = float(across[..., 1].mean())
    found["equal.down"] = float(down[..., 1].mean())
    found["equal.colour_across"] = float(same_across.mean())
    found["equal.colour_down"] = float(same_down.mean())
    found["equal.red"] = float(across[..., 0].mean())
    found["equal.blue"] = float(across[..., 2].mean())
    counts = cv2.boxFilter(same_across.astype(np.float32), -1, (7, 7))
    found["equal.plateau"] = float(np.mean(np.asarray(counts) > 0.99))
    counts = cv2.boxFilter(same_across.astype(np.float32), -1, (14, 14))
    found["equal.wide_plateau"] = float(np.mean(np.asarray(counts) > 0.99))
    steps = np.abs(np.diff(view.native[..., 1], axis=1))
    found["equal.big_given_step"] = float(np.mean(steps[steps > 0] > 6)) if steps.any() else 0.0
    found["equal.phase"] = excess(1 - _by_phase(same_across.mean(axis=0), 1))[0]
    return found


def coefficients(plane: Floats) -> Floats:
    """The 8 × 8 cosine coefficients of each whole block, grid at the corner."""
    cut = blocks(plane, SIDE)
    return np.asarray(_DCT @ cut @ _DCT.T, np.float32)


def _coefficients(plane: Floats) -> dict[str, float]:
    found = {}
    table = np.abs(coefficients(plane))
    flat = table.reshape(-1, SIDE * SIDE)
    order = _ORDER.ravel()
    energy = []
    for name, low, high in (("a", 1, 1), ("b", 2, 3), ("c", 4, 5), ("d", 6, 8), ("e", 9, 14)):
        band = flat[:, (order >= low) & (order <= high)]
        mean = float(np.log1p(band.mean()))
        energy.append(mean)
        found[f"dct.{name}.level"] = mean
        found[f"dct.{name}.dead"] = float(np.mean(band < 0.6))
        found[f"dct.{name}.peak"] = float(np.sqrt(np.square(band).mean())) / (
            float(band.mean()) + 0.1
        )
    for k in range(4):
        found[f"dct.drop{k}"] = energy[k] - energy[k + 1]
    found["dct.dead_blocks"] = float(np.mean(flat[:, order >= 6].max(axis=1) < 1.5))
    cross = table[..., 0, 4:].mean() + table[..., 4:, 0].mean()
    found["dct.diagonal"] = float(table[..., 3:, 3:].mean() / (cross + 0.1))
    found["dct.across_down"] = float(
        np.log((table[..., 0, 3:].mean() + 0.1) / (table[..., 3:, 0].mean() + 0.1))
    )
    return found


def _broken(view: View) -> dict[str, float]:
    """Jumps along block borders: lost or misplaced data breaks few of them, and badly."""
    found: dict[str, float] = {}
    worst = np.abs(view.native[1:] - view.native[:-1]).mean(axis=2)
    side = np.abs(view.native[:, 1:] - view.native[:, :-1]).mean(axis=2)
    for name, jumps in (("down", worst), ("across", np.ascontiguousarray(side.T))):
        rows = (jumps.shape[0] - 1) // SIDE
        columns = jumps.shape[1] // SIDE
        if rows < 2 or columns < 2:
            found |= dict.fromkeys((f"broken.{name}.p99", f"broken.{name}.share"), 0.0)
            found[f"broken.{name}.longest"] = 0.0
            continue
        cut = jumps[: rows * SIDE, : columns * SIDE].reshape(rows, SIDE, columns, SIDE).mean(axis=3)
        border = cut[:, SIDE - 1]
        others = np.maximum(cut[:, 2], cut[:, 4])
        sharp = border / (others + 4)
        found[f"broken.{name}.p99"] = float(percentile(sharp, 99))
        found[f"broken.{name}.share"] = float(np.mean(sharp > 3))
        found[f"broken.{name}.longest"] = float(_longest_run(sharp > 2)) / columns
    luma = blocks(view.native_y, 16)
    spread = luma.max(axis=(2, 3)) - luma.min(axis=(2, 3))
    found["broken.dead"] = float(np.mean(spread < 0.75))
    return found


def _longest_run(flags: Floats) -> int:
    """Longest run of marked blocks in a row."""
    best = np.zeros(flags.shape[0], np.int64)
    run = np.zeros(flags.shape[0], np.int64)
    for column in range(flags.shape[1]):
        run = np.asarray((run + 1) * flags[:, column], np.int64)
        best = np.maximum(best, run)
    return int(best.max())


@once
def copy_mask(view: View) -> Floats:
    """1 where a textured 7 × 7 piece occurs a second time nearby, value for value."""
    pixels = view.native.astype(np.int64)
    mixed = pixels @ np.array([1, 1009, 9176263], np.int64)
    height, width = mixed.shape
    side = 7
    weights = (1 + np.arange(side)) * 2654435761 % 2**31
    across: NDArray[np.int64] = sum(
        (mixed[:, k : width - side + 1 + k] * int(weights[k]) for k in range(side)),
        start=np.zeros((height, width - side + 1), np.int64),
    )
    hashed: NDArray[np.int64] = sum(
        (across[k : height - side + 1 + k] * int(weights[k] * 7919 + 12345) for k in range(side)),
        start=np.zeros((height - side + 1, width - side + 1), np.int64),
    )
    textured = _textured(view, side)[: hashed.shape[0], : hashed.shape[1]]
    places = np.flatnonzero(textured)
    mask = np.zeros(hashed.shape, np.float32)
    if places.size:
        values = hashed.ravel()[places]
        order = np.argsort(values, kind="stable")
        same = values[order][1:] == values[order][:-1]
        first, second = places[order][:-1][same], places[order][1:][same]
        rows, columns = hashed.shape
        near = (np.abs(first // columns - second // columns) <= _MOST_COPIES_AT) & (
            np.abs(first % columns - second % columns) <= _MOST_COPIES_AT
        )
        mask.ravel()[first[near]] = 1
        mask.ravel()[second[near]] = 1
    return mask


def _textured(view: View, side: int) -> Floats:
    green = view.native[..., 1]
    kernel = np.ones((side, side), np.uint8)
    corner = (0, 0)
    highest = cv2.dilate(green, kernel, anchor=corner)
    lowest = cv2.erode(green, kernel, anchor=corner)
    # The filters flip their kernel's anchor alike, so both windows start at the pixel itself.
    return np.asarray(np.asarray(highest) - np.asarray(lowest) >= 6)


def _copies(view: View) -> dict[str, float]:
    share = float(copy_mask(view).mean())
    return {"copies.share": float(np.log10(share + 1e-5))}
