"""Pictures for the demonstration, made from a photo that comes with scikit-image."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from skimage import data

NOISE_LEVELS = 25.0


def demo(folder: Path) -> dict[str, Any]:
    """A noisy photo and a question about it."""
    coffee = data.coffee()  # type: ignore[no-untyped-call]
    photo = np.asarray(cv2.cvtColor(coffee, cv2.COLOR_RGB2BGR), np.float32)
    noise = np.asarray(np.random.default_rng(1).normal(0, NOISE_LEVELS, photo.shape))
    photo += noise
    path = folder / "demo-photo.jpg"
    pixels = np.clip(np.rint(photo), 0, 255).astype(np.uint8)
    cv2.imwrite(str(path), pixels, [cv2.IMWRITE_JPEG_QUALITY, 95])
    return {
        "image": str(path),
        "query": "Which distortion is the most visible?",
        "choices": ("A. motion blur", "B. noise", "C. overexposure", "D. banding"),
    }
