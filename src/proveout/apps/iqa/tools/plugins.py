"""Metrics of `piq` and `pyiqa`, for those who install them: only such as run without a download.

They bring torch with them and have no curve to the common scale, so they give raw values. The
licence of `pyiqa` forbids commercial use; it is never imported unless it is asked for.
"""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.tools.planes import Measured
from proveout.apps.iqa.tools.tool import Direction, Kind, Tool
from proveout.kernel.errors import PrerequisiteError, UnknownName


class Foreign(NamedTuple):
    name: str
    kind: Kind
    direction: Direction
    range: tuple[float, float]


PIQ = (
    Foreign("srsim", "FR", "higher", (0.0, 1.0)),
    Foreign("dss", "FR", "higher", (0.0, 1.0)),
    Foreign("information_weighted_ssim", "FR", "higher", (0.0, 1.0)),
    Foreign("vsi", "FR", "higher", (0.0, 1.0)),
    Foreign("haarpsi", "FR", "higher", (0.0, 1.0)),
)
PYIQA = (
    Foreign("cw_ssim", "FR", "higher", (0.0, 1.0)),
    Foreign("nlpd", "FR", "lower", (0.0, 1.0)),
    Foreign("vsi", "FR", "higher", (0.0, 1.0)),
    Foreign("piqe", "NR", "lower", (0.0, 100.0)),
    Foreign("entropy", "NR", "higher", (0.0, 8.0)),
)
PACKAGES = {"piq": PIQ, "pyiqa": PYIQA}


def plugin_tools(package: str) -> tuple[Tool, ...]:
    """The tools of an optional package; `PrerequisiteError` where it cannot be imported."""
    if package not in PACKAGES:
        raise UnknownName(package, noun="tool package", known=PACKAGES)
    try:
        torch, module = importlib.import_module("torch"), importlib.import_module(package)
    except (ImportError, OSError, RuntimeError) as error:
        # torchvision builds that do not fit their torch raise RuntimeError on import.
        message = f"the tools of {package} cannot be loaded: {error}"
        hint = f"pip install {package}, with torch and torchvision builds that fit each other"
        raise PrerequisiteError(message, hint=hint) from error
    return tuple(_tool(torch, module, package, foreign) for foreign in PACKAGES[package])


def _tool(torch: Any, module: Any, package: str, foreign: Foreign) -> Tool:
    def tensor(rgb: Floats) -> Any:
        return torch.from_numpy(np.ascontiguousarray(rgb.transpose(2, 0, 1)))[None]

    measure = _measure(module, package, foreign.name)

    def on_pair(reference: Floats, test: Floats) -> Measured:
        value = float(measure(tensor(test), tensor(reference)))
        return Measured(value, np.abs(test - reference).mean(axis=2))

    def on_frame(frame: Frame) -> float:
        return float(measure(tensor(frame.rgb)))

    return Tool(
        name=f"{package}:{foreign.name}",
        kind=foreign.kind,
        direction=foreign.direction,
        range=foreign.range,
        description=f"{foreign.name} as the package {package} computes it; raw value only.",
        call=on_pair if foreign.kind == "FR" else on_frame,
    )


def _measure(module: Any, package: str, name: str) -> Callable[..., Any]:
    if package == "piq":
        return getattr(module, name)  # type: ignore[no-any-return]

    def lazily(*pictures: Any) -> Any:
        # Built at first use: creating all of them would take seconds.
        if name not in built:
            built[name] = module.create_metric(name, device="cpu")
        return built[name](*pictures)

    built: dict[str, Any] = {}
    return lazily
