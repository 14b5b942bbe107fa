"""When the fitted models are outside the world they were fitted in, and should say so."""

import numpy as np

from proveout.apps.iqa.features_tone import histogram
from proveout.apps.iqa.frame import Frame
from proveout.apps.iqa.scorehead import is_generated
from proveout.apps.iqa.view import View

TINY_SIDE = 64


def warnings_for(frame: Frame, view: View, chances: dict[str, float]) -> tuple[str, ...]:
    """Codes, in a fixed order: `tiny`, `flat`, `monochrome`, `night`, `screen`, `line_art`, …"""
    counts = histogram(view.y)
    shares = counts / counts.sum()
    mean = float(view.y.mean())
    chroma = float(np.abs(view.cb).mean() + np.abs(view.cr).mean())
    few = _few_colours(view)
    equal = float((np.diff(view.native[..., 1], axis=1) == 0).mean())
    flat = float(view.y.std()) < 2.0
    grey = chroma < 0.8
    ends = float(shares[:24].sum() + shares[232:].sum())
    corners = _dark_corners(view)
    claims = (
        ("tiny", min(frame.height, frame.width) < TINY_SIDE),
        ("flat", flat),
        ("monochrome", grey and not flat),
        ("night", mean < 40 and not flat),
        ("screen", equal > 0.55 and few and not grey and not flat),
        ("line_art", ends > 0.75 and equal > 0.5 and not flat),
        ("medical", corners and (grey or _reddish(view)) and not flat),
        ("generated", is_generated(chances)),
    )
    return tuple(code for code, holds in claims if holds)


def _few_colours(view: View) -> bool:
    pixels = view.native.astype(np.int64)
    packed = ((pixels[..., 0] << 16) | (pixels[..., 1] << 8) | pixels[..., 2]).ravel()
    _, counts = np.unique(packed[:: max(packed.size // 40000, 1)], return_counts=True)
    common = np.sort(counts)[::-1][:12].sum()
    return bool(common > 0.5 * counts.sum())


def _dark_corners(view: View) -> bool:
    """All four corners black, the middle not: scans, fundus and endoscope pictures."""
    side = max(min(view.height, view.width) // 12, 2)
    pieces = (
        view.y[:side, :side],
        view.y[:side, -side:],
        view.y[-side:, :side],
        view.y[-side:, -side:],
    )
    middle = view.y[view.height // 3 : -view.height // 3, view.width // 3 : -view.width // 3]
    return max(float(piece.max()) for piece in pieces) < 16 and float(middle.mean()) > 45


def _reddish(view: View) -> bool:
    lit = view.y > 40
    return bool(lit.any()) and float(view.cr[lit].mean()) > 18
