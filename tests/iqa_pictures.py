"""Small pictures made from a photo that comes with scikit-image."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from skimage import data

SIZE = (200, 134)


def photo(path: Path, *, noise: float = 0.0, blur: float = 0.0) -> Path:
    """The photo, reduced; with noise of so many levels, or blurred by so many pixels."""
    whole: Any = data.coffee()  # type: ignore[no-untyped-call]
    small: Any = cv2.resize(whole[..., ::-1], SIZE, interpolation=cv2.INTER_AREA)
    pixels: Any = small.astype(np.float32)
    if blur:
        pixels = cv2.GaussianBlur(pixels, (0, 0), blur)
    if noise:
        pixels = pixels + np.random.default_rng(7).normal(0, noise, pixels.shape)
    written = cv2.imwrite(str(path), np.clip(np.rint(pixels), 0, 255).astype(np.uint8))
    assert written
    return path


def pixels_of(content: bytes) -> Any:
    """What an encoded picture shows."""
    return cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
