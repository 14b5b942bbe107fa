"""Tools that need no reference: relatives of NIQE, BRISQUE and PIQE, and the product's own score.

They follow the published ideas with this project's own filters and with models fitted on its own
pictures, so their values differ from those of other implementations. Ranges and directions:
`niqe` 0 and up, lower is better; `brisque` 0 to 100, lower is better; `piqe` 0 to 100, lower is
better; `proveout` 1 to 5, higher is better.
"""

import json
from functools import lru_cache
from importlib.resources import files

import numpy as np

from proveout.apps.iqa.features_nss import asymmetric_fit, normalised, products, symmetric_fit
from proveout.apps.iqa.fitted_models import Arrays, Doubles, Network, Scaling
from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.scorehead import score
from proveout.apps.iqa.seeing import seen_in
from proveout.apps.iqa.view import View, blocks, halved, view_of

PATCH = 96
_SHARP_SHARE = 0.75
BRISQUE_PARTS = tuple(
    f"nss{scale}.{part}"
    for scale in (0, 1)
    for part in (
        "shape", "spread",
        *(f"{side}.{value}" for side in "hvdc" for value in ("shape", "mean", "left", "right")),
    )
)  # fmt: skip
"""The 36 features of the classical model, by their names in the feature vector."""
_BLOCK = 16
_ACTIVE_VARIANCE = 0.1
_IMPAIRED = 0.1
_SEGMENT = 6


@lru_cache(maxsize=1)
def _fitted() -> Arrays:
    folder = files("proveout.apps.iqa") / "fitted"
    with (
        (folder / "no_reference.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as kept,
    ):
        return {key: kept[key] for key in kept.files}


@lru_cache(maxsize=1)
def facts() -> dict[str, object]:
    """Where the fitted numbers of these tools come from."""
    text = (files("proveout.apps.iqa") / "fitted" / "no_reference.json").read_text("utf-8")
    found: dict[str, object] = json.loads(text)
    return found


def patch_features(plane: Floats, *, sharp_only: bool) -> Doubles:
    """36 statistics of each 96-pixel patch of a luma plane; of the sharp ones alone if asked."""
    side = min(PATCH, plane.shape[0] // 2 * 2, plane.shape[1] // 2 * 2)
    mscn, sigma = normalised(plane)
    half, _ = normalised(halved(plane))
    sharpness = blocks(sigma, side).mean(axis=(2, 3))
    keep = sharpness > _SHARP_SHARE * sharpness.max() if sharp_only else sharpness >= 0
    rows = []
    for row, column in np.argwhere(keep):
        top, left = int(row) * side, int(column) * side
        fine = mscn[top : top + side, left : left + side]
        coarse = half[top // 2 : (top + side) // 2, left // 2 : (left + side) // 2]
        rows.append([*_eighteen(fine), *_eighteen(coarse)])
    return np.array(rows, np.float64)


def _eighteen(mscn: Floats) -> list[float]:
    values = list(symmetric_fit(mscn))
    for product in products(mscn):
        values += asymmetric_fit(product)
    return values


def niqe(frame: Frame) -> float:
    """Distance of the patches' statistics from those of clean photos; 0 and up, lower is better."""
    arrays = _fitted()
    found = patch_features(view_of(frame).y, sharp_only=False)
    mean = np.asarray(arrays["niqe.mean"], np.float64)
    covariance = np.asarray(arrays["niqe.covariance"], np.float64)
    own = np.cov(found.T) if len(found) > 2 else np.zeros_like(covariance)
    apart = found.mean(axis=0) - mean
    joined = np.linalg.pinv((covariance + own) / 2, rcond=1e-6, hermitian=True)
    return round(float(np.sqrt(max(apart @ joined @ apart, 0.0))), 4)


def brisque(frame: Frame) -> float:
    """0 to 100, lower is better: a small network on the classical 36 statistics."""
    arrays = _fitted()
    values = seen_in(frame).values[np.asarray(arrays["brisque.places"], np.int64)]
    scaled = Scaling.read(arrays, "brisque.scaling").scaled(values)
    quality = float(Network.read(arrays, "brisque.network").outputs(scaled)[0])
    return round(float(np.clip((5 - quality) * 25, 0, 100)), 3)


def piqe(frame: Frame) -> float:
    """0 to 100, lower is better: share and strength of impaired and noisy blocks."""
    view = view_of(frame)
    return round(_piqe(view), 3)


def _piqe(view: View) -> float:
    cut = blocks(view.mscn, _BLOCK)
    variance = cut.var(axis=(2, 3))
    active = variance > _ACTIVE_VARIANCE
    count = int(active.sum())
    if not count:
        return 100.0
    edges = np.stack([cut[..., 0, :], cut[..., -1, :], cut[..., :, 0], cut[..., :, -1]], axis=2)
    pieces = np.stack(
        [edges[..., k : k + _SEGMENT].std(axis=3) for k in range(_BLOCK - _SEGMENT + 1)], axis=3
    )
    impaired = (pieces < _IMPAIRED).any(axis=(2, 3)) & active
    middle = cut[..., 4:-4, 4:-4].std(axis=(2, 3))
    rim = edges.std(axis=(2, 3))
    ratio = np.abs(middle - rim) / np.maximum(np.maximum(middle, rim), 1e-6)
    noisy = active & (np.sqrt(variance) > 2 * ratio) & (variance > 0.5)
    loss = float(np.where(impaired, 1 - np.minimum(variance, 1), 0).sum())
    loss += float(np.where(noisy, np.minimum(variance, 1), 0).sum())
    return float(np.clip(100 * (loss + 1) / (count + 1), 0, 100))


def proveout(frame: Frame) -> float:
    """The fitted score, 1 to 5, higher is better."""
    values, looks = seen_in(frame)
    return score(values, looks.chances, there=looks.there).value
