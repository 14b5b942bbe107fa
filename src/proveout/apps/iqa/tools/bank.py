"""The tools that ship: which there are, in words; curves and strengths come from the fit."""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from proveout.apps.iqa.tools.curve import Logistic
from proveout.apps.iqa.tools.plugins import plugin_tools
from proveout.apps.iqa.tools.registry import ToolBank
from proveout.apps.iqa.tools.tool import Direction, Kind, Tool

FITTED = "proveout.apps.iqa.fitted"


class Entry(NamedTuple):
    name: str
    kind: Kind
    direction: Direction
    range: tuple[float, float]
    call: str
    description: str
    aliases: tuple[str, ...] = ()
    built_in: Logistic | None = None
    """The curve of tools whose values are on a scale of quality by construction."""


IDENTITY = Logistic(0.0, 1.0, 3.0, 1.0, 0.0)
_TOOLS = "proveout.apps.iqa.tools"

ENTRIES = (
    Entry(
        "FR-Score", "FR", "higher", (1.0, 5.0), f"{_TOOLS}.fr_score:fr_score",
        "Stack of all full-reference metrics and of what changed (tones, detail, colour, places),"
        " fitted to human scores; the best single choice when a reference exists.",
        ("proveout_fr", "full reference score"), IDENTITY,
    ),
    Entry(
        "VSI", "FR", "higher", (0.5, 1.0), f"{_TOOLS}.saliency:vsi",
        "Visual saliency, gradients and chroma; the most reliable single metric.",
    ),
    Entry(
        "MDSI", "FR", "lower", (0.0, 0.7), f"{_TOOLS}.gradient:mdsi",
        "Mean deviation of gradient and chroma similarity.",
    ),
    Entry(
        "HaarPSI", "FR", "higher", (0.0, 1.0), f"{_TOOLS}.haar:haarpsi",
        "Agreement of Haar wavelet coefficients, with chroma.",
    ),
    Entry(
        "FSIMc", "FR", "higher", (0.4, 1.0), f"{_TOOLS}.phase:fsimc",
        "Phase congruency, gradients and chroma.", ("FSIM",),
    ),
    Entry(
        "GMSD", "FR", "lower", (0.0, 0.4), f"{_TOOLS}.gradient:gmsd",
        "Deviation of gradient similarity at half size; blind to colour.",
    ),
    Entry(
        "MS-GMSD", "FR", "lower", (0.0, 0.4), f"{_TOOLS}.gradient:ms_gmsd",
        "Deviation of gradient similarity over four scales; blind to colour.",
    ),
    Entry(
        "MS-SSIM", "FR", "higher", (0.0, 1.0), f"{_TOOLS}.ssim:ms_ssim",
        "Structural similarity over five scales of luma.",
    ),
    Entry(
        "SSIM", "FR", "higher", (0.0, 1.0), f"{_TOOLS}.ssim:ssim",
        "Structural similarity of luma at viewing size.",
    ),
    Entry(
        "VIFp", "FR", "higher", (0.0, 1.5), f"{_TOOLS}.vif:vifp",
        "Share of visual information that survives; above 1 where contrast was added.", ("VIF",),
    ),
    Entry(
        "PSNR-HA", "FR", "higher", (8.0, 60.0), f"{_TOOLS}.dct:psnr_ha",
        "Visible error over luma and chroma that forgives shifts of brightness and contrast.",
        ("PSNR-HMA",),
    ),
    Entry(
        "PSNR-HVS-M", "FR", "higher", (8.0, 60.0), f"{_TOOLS}.dct:psnr_hvs_m",
        "Visible error of luma: contrast sensitivity and masking by texture.", ("PSNR-HVS",),
    ),
    Entry(
        "PSNR", "FR", "higher", (8.0, 60.0), f"{_TOOLS}.ssim:psnr",
        "Plain squared error in dB: simple, and a poor judge across different distortions.",
    ),
    Entry(
        "proveout", "NR", "higher", (1.0, 5.0), f"{_TOOLS}.no_reference:proveout",
        "Score head on natural-scene, sharpness, noise, block and tone features, fitted to human"
        " scores; the best single choice without a reference.",
        ("proveout score",), IDENTITY,
    ),
    Entry(
        "BRISQUE", "NR", "lower", (0.0, 100.0), f"{_TOOLS}.no_reference:brisque",
        "Relative of BRISQUE: 36 natural-scene statistics, fitted to human scores.",
        (), Logistic(0.0, 1.0, 50.0, -0.04, 5.0),
    ),
    Entry(
        "NIQE", "NR", "lower", (0.0, 25.0), f"{_TOOLS}.no_reference:niqe",
        "Relative of NIQE: distance from the statistics of clean photos; knows no distortion.",
    ),
    Entry(
        "PIQE", "NR", "lower", (0.0, 100.0), f"{_TOOLS}.no_reference:piqe",
        "Relative of PIQE: share of impaired and noisy blocks; nothing fitted.",
    ),
)  # fmt: skip


@cache
def fitted_numbers() -> dict[str, Any]:
    """What the fit stored: `fit` (provenance) and `tools` (by name)."""
    text = files(FITTED).joinpath("tools.json").read_text()
    return dict(json.loads(text))


def shipped_tools() -> tuple[Tool, ...]:
    fitted = fitted_numbers()["tools"]
    return tuple(_tool(entry, fitted.get(entry.name)) for entry in ENTRIES)


def default_bank(extra: Iterable[Tool] = (), *, plugins: Iterable[str] = ()) -> ToolBank:
    """The shipped tools, those handed in, and those of the optional packages that are named."""
    others = [tool for name in plugins for tool in plugin_tools(name)]
    return ToolBank([*shipped_tools(), *extra, *others])


@cache
def shared_bank() -> ToolBank:
    """The shipped tools, made once for whoever asks: fitted curves are read from files."""
    return default_bank()


def _tool(entry: Entry, fitted: dict[str, Any] | None) -> Tool:
    curve = Logistic(*fitted["betas"]) if fitted else entry.built_in
    return Tool(
        name=entry.name,
        kind=entry.kind,
        direction=entry.direction,
        range=entry.range,
        description=entry.description,
        call=entry.call,
        strengths=tuple(fitted["strengths"]) if fitted else (),
        curve=curve,
        aliases=entry.aliases,
    )
