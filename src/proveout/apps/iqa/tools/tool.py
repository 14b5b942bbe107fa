"""One quality tool: what it is, what it is good at, how its values read."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.tools.curve import Logistic
from proveout.apps.iqa.tools.planes import Measured
from proveout.kernel.errors import PrerequisiteError

Kind = Literal["FR", "NR"]
Direction = Literal["higher", "lower"]
PairCall = Callable[[Floats, Floats], Measured]
FrameCall = Callable[[Frame], float]


@dataclass(frozen=True)
class Tool:
    """An entry of the tool bank."""

    name: str
    kind: Kind
    direction: Direction
    """Which raw values are better."""
    range: tuple[float, float]
    """Raw values between which the curve was checked to be monotone."""
    description: str
    call: str | PairCall | FrameCall
    """`package.module:function`, loaded at first use: `(reference, test) -> Measured` for FR,
    `(frame) -> float` for NR."""
    strengths: tuple[str, ...] = ()
    """Distortions that it ranks better than most tools do."""
    curve: Logistic | None = None
    """None for tools of other packages that were never fitted: they give raw values only."""
    aliases: tuple[str, ...] = ()

    def quality(self, raw: float) -> float | None:
        """On the scale of 1 to 5; None without a curve."""
        if self.curve is None:
            return None
        low, high = self.range
        return self.curve.quality(min(high, max(low, raw)))

    def on_pair(self, reference: Floats, test: Floats) -> Measured:
        assert self.kind == "FR"
        return cast(PairCall, self._loaded())(reference, test)

    def on_frame(self, frame: Frame) -> float:
        assert self.kind == "NR"
        return float(cast(FrameCall, self._loaded())(frame))

    def available(self) -> bool:
        try:
            self._loaded()
        except PrerequisiteError:
            return False
        return True

    def _loaded(self) -> PairCall | FrameCall:
        if not isinstance(self.call, str):
            return self.call
        module, _, function = self.call.partition(":")
        try:
            return cast(PairCall | FrameCall, getattr(importlib.import_module(module), function))
        except (ImportError, AttributeError) as error:
            message = f"the tool {self.name} cannot be loaded: {error}"
            raise PrerequisiteError(message, hint="install the package it comes from") from error
