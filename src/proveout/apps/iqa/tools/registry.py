"""The tool bank: finds tools by name, kind or distortion, runs them within bounds, keeps results.

A tool that raises, takes too long or returns no number is replaced by the fallback of its kind, and
the result says so. A reference that does not fit its picture is the caller's error and is raised.
"""

import difflib
import math
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np

from proveout.apps.iqa.frame import Floats, Frame
from proveout.apps.iqa.tools.curve import BEST
from proveout.apps.iqa.tools.distortions import covers, normal
from proveout.apps.iqa.tools.registration import Registered, register
from proveout.apps.iqa.tools.tool import Kind, Tool
from proveout.kernel.errors import ProveoutError, UnknownName, UsageError

CACHE_SIZE = 1000
SECONDS = 120.0
REPORTED_DIGITS = 6
"""Beyond these, sums of floats differ between machines."""
FALLBACKS: dict[Kind, tuple[str, ...]] = {"FR": ("VSI", "PSNR"), "NR": ("BRISQUE", "NIQE")}
FAILURES = (
    ArithmeticError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    ProveoutError,
    RuntimeError,
    TypeError,
    ValueError,
    cv2.error,
)
"""What a tool may raise without ending the assessment."""


@dataclass(frozen=True)
class ToolResult:
    """What one call gave."""

    asked: str
    tool: str
    """The one that answered: another than `asked` after a failure."""
    kind: Kind
    raw: float
    quality: float | None
    """1 to 5; None for tools without a curve."""
    seconds: float
    interval: tuple[float, float] | None = None
    """Where people's scores lie, for tools that know."""
    fallback: bool = False
    error: str = ""
    """Why the asked tool did not answer."""
    cached: bool = False


class Value(NamedTuple):
    """A tool's number, and where it may lie."""

    raw: float
    interval: tuple[float, float] | None = None


class CacheCounts(NamedTuple):
    hits: int
    misses: int
    size: int


class ToolBank:
    """A set of tools; safe to use from several threads."""

    def __init__(
        self,
        tools: Iterable[Tool],
        *,
        seconds: float = SECONDS,
        cache_size: int = CACHE_SIZE,
        fallbacks: dict[Kind, tuple[str, ...]] | None = None,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._names = {
            normal(name): tool.name
            for tool in self._tools.values()
            for name in (*tool.aliases, tool.name)
        }
        self.seconds = seconds
        self.cache_size = cache_size
        self._fallbacks = fallbacks or FALLBACKS
        self._cache: OrderedDict[tuple[str, str, str], ToolResult] = OrderedDict()
        self._hits = self._misses = 0
        self._lock = threading.Lock()
        self._last_pair: tuple[tuple[str, str], Registered] | None = None

    def get(self, name: str) -> Tool:
        """However it is spelled; `UnknownName` with a suggestion otherwise."""
        found = self._names.get(normal(name))
        if found:
            return self._tools[found]
        close = difflib.get_close_matches(normal(name), self._names, n=1, cutoff=0.6)
        error = UnknownName(name, noun="tool", known=self._tools)
        if close:
            error.hint = f"did you mean {self._names[close[0]]!r}?"
        raise error

    def names(self, kind: Kind | None = None) -> tuple[str, ...]:
        return tuple(tool.name for tool in self.by_kind(kind))

    def by_kind(self, kind: Kind | None = None) -> tuple[Tool, ...]:
        return tuple(tool for tool in self._tools.values() if kind in (None, tool.kind))

    def get_tools_for_distortion(
        self, distortion: str, kind: Kind | None = None
    ) -> tuple[Tool, ...]:
        """Tools that are strong on a distortion or a category; full-reference ones first."""
        found = (
            tool
            for tool in self.by_kind(kind)
            if any(covers(strength, distortion) for strength in tool.strengths)
        )
        return tuple(sorted(found, key=lambda tool: tool.kind))

    def describe(self, reference_mode: str) -> str:
        """One line per tool that can be used in the mode, for a prompt or a person."""
        kinds = ("FR", "NR") if normal(reference_mode).startswith("full") else ("NR",)
        lines = []
        for tool in self._tools.values():
            if tool.kind in kinds:
                good = ", ".join(tool.strengths) or "no special strength"
                better = f"{tool.direction} is better"
                about = f"{tool.description} Best at: {good}."
                lines.append(f"- {tool.name} ({tool.kind}, {better}): {about}")
        return "\n".join(lines)

    def run(self, name: str, frame: Frame, reference: Frame | None = None) -> ToolResult:
        """Raises only for an unknown name and for a reference that is missing or does not fit."""
        tool = self.get(name)
        if tool.kind == "FR" and reference is None:
            message = f"{tool.name} compares with a reference, and none was given"
            others = ", ".join(self.names("NR")[:4]) or "a no-reference tool"
            raise UsageError(message, hint=f"give one, or use {others}", code="iqa.tool.reference")
        key = (_digest(frame), tool.name, _digest(reference) if tool.kind == "FR" else "")
        kept = self._recall(key)
        if kept:
            return replace(kept, asked=name, cached=True)
        pair = self.pair(reference, frame) if tool.kind == "FR" and reference else None
        result = self._measured(tool, name, frame, pair)
        if not result.fallback:
            self._keep(key, result)
        return result

    def loss_map(self, name: str, frame: Frame, reference: Frame) -> Floats:
        """Loss per place at the scale of a full-reference tool, for difference pictures."""
        pair = self.pair(reference, frame)
        return self.get(name).on_pair(pair.reference, pair.test).map

    @property
    def cache_counts(self) -> CacheCounts:
        with self._lock:
            return CacheCounts(self._hits, self._misses, len(self._cache))

    def _measured(
        self, tool: Tool, asked: str, frame: Frame, pair: Registered | None
    ) -> ToolResult:
        wanted = [name for name in self._fallbacks[tool.kind] if name in self._tools]
        candidates = [tool, *(self._tools[name] for name in wanted if name != tool.name)]
        errors: list[str] = []
        for candidate in candidates:
            start = time.perf_counter()
            try:
                raw, interval = self._within_time(candidate, frame, pair)
            except FAILURES as error:
                errors.append(f"{candidate.name}: {str(error) or type(error).__name__}")
                continue
            return ToolResult(
                asked=asked,
                tool=candidate.name,
                kind=candidate.kind,
                raw=round(raw, REPORTED_DIGITS),
                quality=_quality(candidate, raw, pair),
                seconds=time.perf_counter() - start,
                interval=interval,
                fallback=candidate is not tool,
                error="; ".join(errors),
            )
        message = "no tool could measure this picture: " + "; ".join(errors)
        raise ProveoutError(message, hint="try another picture or tool", code="iqa.tool.failed")

    def _within_time(self, tool: Tool, frame: Frame, pair: Registered | None) -> Value:
        def call() -> Value:
            if pair is None:
                return Value(tool.on_frame(frame))
            measured = tool.on_pair(pair.reference, pair.test)
            return Value(measured.value, measured.interval)

        found = _bounded(call, self.seconds)
        if not math.isfinite(found.raw):
            message = f"returned {found.raw}, which is no number"
            raise ValueError(message)
        return found

    def pair(self, reference: Frame, test: Frame) -> Registered:
        """Registered once for all tools that look at the same two pictures."""
        key = (_digest(reference), _digest(test))
        with self._lock:
            if self._last_pair and self._last_pair[0] == key:
                return self._last_pair[1]
        pair = register(reference, test)
        with self._lock:
            self._last_pair = (key, pair)
        return pair

    def _recall(self, key: tuple[str, str, str]) -> ToolResult | None:
        with self._lock:
            found = self._cache.get(key)
            if found is None:
                self._misses += 1
                return None
            self._hits += 1
            self._cache.move_to_end(key)
            return found

    def _keep(self, key: tuple[str, str, str], result: ToolResult) -> None:
        with self._lock:
            self._cache[key] = result
            while len(self._cache) > self.cache_size:
                self._cache.popitem(last=False)


def _quality(tool: Tool, raw: float, pair: Registered | None) -> float | None:
    """What nobody can tell apart is perfect by definition, whatever the curve makes of its end."""
    if pair is not None and np.array_equal(pair.reference, pair.test):
        return BEST
    quality = tool.quality(raw)
    return None if quality is None else round(quality, REPORTED_DIGITS)


def _digest(frame: Frame | None) -> str:
    if frame is None:
        return ""
    return f"{frame.facts.pixels_sha256}:{frame.width}x{frame.height}"


def _bounded(call: Callable[[], Value], seconds: float) -> Value:
    """The call in a thread of its own; one that is too slow is left behind, its answer ignored."""
    answers: queue.SimpleQueue[Value | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(call())
        except FAILURES as error:
            answers.put(error)
        finally:
            # Read only where neither of the above came about.
            answers.put(RuntimeError("ended without an answer"))

    threading.Thread(target=work, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        message = f"took longer than {seconds:g} s"
        raise TimeoutError(message) from None
    if isinstance(answer, BaseException):
        raise answer
    return answer
