"""Pictures for the demonstration, made from a photo that comes with scikit-image."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from skimage import data

BLUR_PIXELS = 2.5


def demo(folder: Path) -> dict[str, Any]:
    """A blurred photo and a question about it."""
    coffee = data.coffee()  # type: ignore[no-untyped-call]
    photo = np.asarray(cv2.cvtColor(coffee, cv2.COLOR_RGB2BGR), np.uint8)
    path = folder / "demo-photo.png"
    cv2.imwrite(str(path), np.asarray(cv2.GaussianBlur(photo, (0, 0), BLUR_PIXELS)))
    return {
        "image": str(path),
        "query": "Which distortion is the most visible?",
        "choices": ("A. noise", "B. blur", "C. overexposure", "D. banding"),
    }
