"""How fast the full-reference metrics are: `python -m benchmarks.iqa.speed [--size 1024]`.

CPU seconds on one thread, the best of several runs, beside `piq`, scikit-image and OpenCV where
they are installed. Shared machines make wall time meaningless; ratios of CPU time are steady.
"""

import argparse
import importlib
import os
import sys
import time
import types
from collections.abc import Callable
from functools import partial
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import cv2  # noqa: E402 - after the number of threads is set
import numpy as np  # noqa: E402
import skimage.data  # noqa: E402
from skimage.metrics import peak_signal_noise_ratio, structural_similarity  # noqa: E402

from proveout.apps.iqa.frame import Floats  # noqa: E402
from proveout.apps.iqa.tools.fr_score import fr_score  # noqa: E402
from proveout.apps.iqa.tools.full_reference import METRICS  # noqa: E402

PIQ_NAMES = {
    "PSNR": "psnr",
    "SSIM": "ssim",
    "MS-SSIM": "multi_scale_ssim",
    "GMSD": "gmsd",
    "MS-GMSD": "multi_scale_gmsd",
    "FSIMc": "fsim",
    "VSI": "vsi",
    "MDSI": "mdsi",
    "HaarPSI": "haarpsi",
    "VIFp": "vif_p",
}
Call = Callable[[], object]


def best_seconds(call: Call, repeats: int) -> float:
    call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def pictures(side: int) -> tuple[Floats, Floats]:
    """A photo tiled to the size, and a blurred copy."""
    photo = skimage.data.astronaut()  # type: ignore[no-untyped-call]
    tiles = -(-side // photo.shape[0])
    tiled = np.tile(photo, (tiles, tiles, 1))[:side, :side]
    reference = np.asarray(tiled, np.float32) / np.float32(255)
    return reference, np.asarray(cv2.GaussianBlur(reference, (0, 0), 1.5), np.float32)


def load_piq() -> Any | None:
    # torchvision builds for CUDA break beside a CPU build of torch; nothing of it is needed here.
    sys.modules.setdefault("torchvision._meta_registrations", types.ModuleType("unused"))
    try:
        importlib.import_module("torch").set_num_threads(1)
        return importlib.import_module("piq")
    except (ImportError, OSError, RuntimeError):
        return None


def piq_calls(reference: Floats, test: Floats) -> dict[str, Call]:
    piq = load_piq()
    if piq is None:
        return {}
    torch = importlib.import_module("torch")
    one, other = (
        torch.from_numpy(np.ascontiguousarray(rgb.transpose(2, 0, 1)))[None]
        for rgb in (test, reference)
    )
    weights = torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)

    def call(name: str) -> Call:
        function = getattr(piq, PIQ_NAMES[name])
        if name in ("SSIM", "MS-SSIM"):
            # On luma, as ours: three channels would take three times as long.
            return lambda: function(
                (one * weights).sum(1, keepdim=True), (other * weights).sum(1, keepdim=True)
            )
        return lambda: function(one, other)

    return {name: call(name) for name in PIQ_NAMES}


def other_calls(reference: Floats, test: Floats) -> dict[str, dict[str, Call]]:
    bytes_1, bytes_2 = (np.rint(rgb * 255).astype(np.uint8) for rgb in (reference, test))
    found: dict[str, dict[str, Call]] = {
        "scikit-image": {
            "PSNR": partial(peak_signal_noise_ratio, reference, test, data_range=1),
            "SSIM": partial(structural_similarity, reference, test, channel_axis=2, data_range=1),
        }
    }
    quality = getattr(cv2, "quality", None)
    if quality is not None:
        found["OpenCV"] = {
            "PSNR": lambda: quality.QualityPSNR_compute(bytes_1, bytes_2),
            "SSIM": lambda: quality.QualitySSIM_compute(bytes_1, bytes_2),
            "GMSD": lambda: quality.QualityGMSD_compute(bytes_1, bytes_2),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    reference, test = pictures(given.size)
    others = {"piq": piq_calls(reference, test), **other_calls(reference, test)}
    others = {package: calls for package, calls in others.items() if calls}
    print(f"{given.size} × {given.size} pixels, one thread, CPU time; beside: {', '.join(others)}")
    if "piq" not in others:
        print("piq is not installed: its columns are left out")
    head = "".join(f"{package:>16s}" for package in others)
    print(f"{'metric':12s}{'ms':>8s}{'pairs/s':>9s}{head}   (times slower than ours)")
    for name, metric in {**METRICS, "FR-Score": fr_score}.items():
        ours = best_seconds(partial(metric, reference, test), given.repeats)
        cells = ""
        for calls in others.values():
            theirs = best_seconds(calls[name], given.repeats) if name in calls else None
            cells += f"{theirs / ours:15.1f}x" if theirs else f"{'-':>16s}"
        print(f"{name:12s}{1000 * ours:8.1f}{1 / ours:9.1f}{cells}")


if __name__ == "__main__":
    main()
