"""From a path, bytes, an array or a Pillow image to a `Frame`, safely and with every step recorded.

Files are never decoded in this process: a limited worker does it, one per process, kept warm for
the next picture. What comes back are facts and raw pixels. A bad file is one `UsageError` that says
what is wrong with it and what to do.
"""

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from proveout.apps.iqa.decoder import Decoded, Decoder, shared_decoder
from proveout.apps.iqa.formats import sniff, webp_size
from proveout.apps.iqa.frame import Frame, ImageFacts
from proveout.apps.iqa.intake_worker import Bounds, Refused, check_size, normalise
from proveout.kernel.errors import UsageError

Source = str | Path | bytes | NDArray[Any] | Image.Image


@dataclass(frozen=True)
class Limits:
    """What is taken; everything above is refused before or during decoding."""

    file_bytes: int = 50_000_000
    side: int = 16_384
    smallest_side: int = 8
    pixels: int = 64_000_000
    aspect: float = 100.0
    ratio: float = 1000.0
    """Raw size over file size, for pictures of 16 megapixels and more."""
    background: int = 128
    """Grey level that shows through transparent pixels."""

    @property
    def bounds(self) -> Bounds:
        return Bounds(
            side=self.side,
            smallest_side=self.smallest_side,
            pixels=self.pixels,
            aspect=self.aspect,
            ratio=self.ratio,
            background=self.background,
        )


LIMITS = Limits()
NOWHERE = ""
"""Path of a picture that came from memory."""


def load(source: Source, limits: Limits = LIMITS, decoder: Decoder | None = None) -> Frame:
    """Whatever names or holds a picture.

    A Pillow image that its caller has opened is converted here, in the caller's process: the caller
    has already chosen to trust it. Paths and bytes go to the worker.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        return decode(bytes(source), limits, decoder=decoder)
    if isinstance(source, np.ndarray):
        return from_array(source, limits)
    if isinstance(source, Image.Image):
        return _from_pillow(source, limits)
    if isinstance(source, str | Path):
        return _from_file(source, limits, decoder)
    message = f"a picture cannot be made from {type(source).__name__}"
    raise UsageError(
        message,
        hint="give a path, bytes, a numpy array or a Pillow image",
        code="iqa.intake.source",
    )


def decode(
    data: bytes, limits: Limits = LIMITS, *, path: str = "", decoder: Decoder | None = None
) -> Frame:
    """The picture in `data`, decoded by the worker."""
    if not data:
        raise _refusal(path, "empty", "the file is empty", "get a complete copy")
    if len(data) > limits.file_bytes:
        raise _too_many_bytes(len(data), limits, path)
    try:
        name = sniff(data)
        size = webp_size(data) if name == "WEBP" else None
        if size:
            check_size(*size, len(data), limits.bounds)
        digest, count = hashlib.sha256(data).hexdigest(), len(data)
        decoded = (decoder or shared_decoder()).decode(data, name, limits.bounds)
    except Refused as refused:
        raise _refusal(path, refused.code, refused.message, refused.hint) from None
    except UsageError as error:
        raise _about(error, path) from None
    return _frame(decoded, name, digest, count, path)


def from_array(pixels: NDArray[Any], limits: Limits = LIMITS) -> Frame:
    """8- or 16-bit integers, booleans, or floats from 0 to 1; grey, RGB or RGBA, channels last."""
    steps: list[str] = []
    array = _three_channels(pixels, steps)
    try:
        check_size(array.shape[1], array.shape[0], 0, limits.bounds)
    except Refused as refused:
        raise _refusal(NOWHERE, refused.code, refused.message, refused.hint) from None
    levels = _levels(array, steps)
    if levels.shape[2] == 4:
        share = levels[..., 3:].astype(np.float32) / np.float32(255)
        over = levels[..., :3] * share + np.float32(limits.background) * (1 - share)
        levels = np.rint(over).astype(np.uint8)
        steps.append(f"alpha over grey {limits.background}")
    described = f"{pixels.dtype.str}{pixels.shape}".encode()
    digest = hashlib.sha256(described + np.ascontiguousarray(pixels).tobytes()).hexdigest()
    facts = ImageFacts(
        sha256=digest,
        pixels_sha256=hashlib.sha256(np.ascontiguousarray(levels).tobytes()).hexdigest(),
        format="ARRAY",
        width=levels.shape[1],
        height=levels.shape[0],
        bytes=int(pixels.nbytes),
        bits=8 * pixels.dtype.itemsize,
        mode={1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[pixels.shape[2] if pixels.ndim == 3 else 1],
        steps=tuple(steps),
    )
    return Frame(levels, facts)


def _from_file(source: str | Path, limits: Limits, decoder: Decoder | None) -> Frame:
    shown = str(source)
    if "://" in shown[:12]:
        hint = "download it first: nothing is fetched from a network"
        raise _refusal(shown, "address", "an address is not a file", hint)
    path = Path(source)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            hint = "give the pictures in it one by one"
            raise _refusal(shown, "directory", "this is a directory", hint)
        if not stat.S_ISREG(status.st_mode):
            raise _refusal(shown, "special", "this is not an ordinary file", "give a picture file")
        if status.st_size > limits.file_bytes:
            raise _too_many_bytes(status.st_size, limits, shown)
        with path.open("rb") as file:
            return decode(file.read(limits.file_bytes + 1), limits, path=shown, decoder=decoder)
    except FileNotFoundError:
        raise _refusal(shown, "missing", "there is no such file", "check the path") from None
    except PermissionError:
        hint = "change its permissions"
        raise _refusal(shown, "permission", "the file may not be read", hint) from None
    except (OSError, ValueError) as error:
        message = f"the file cannot be read: {error}"
        raise _refusal(shown, "unreadable", message, "check the path and the disk") from error


def _from_pillow(image: Image.Image, limits: Limits) -> Frame:
    bits = 32 if image.mode in ("I", "F") else 16 if image.mode.startswith("I;") else 8
    try:
        check_size(image.width, image.height, 0, limits.bounds)
        rgb, steps = normalise(image.copy(), bits, limits.background)
    except Refused as refused:
        raise _refusal(NOWHERE, refused.code, refused.message, refused.hint) from None
    except (OSError, SyntaxError, EOFError) as error:
        message = f"the picture cannot be decoded: {error}"
        raise _refusal(NOWHERE, "broken", message, "open a complete file") from error
    levels = np.asarray(rgb, np.uint8)
    digest = hashlib.sha256(levels.tobytes()).hexdigest()
    facts = ImageFacts(
        sha256=digest,
        pixels_sha256=digest,
        format="ARRAY",
        width=rgb.width,
        height=rgb.height,
        bytes=int(levels.nbytes),
        bits=bits,
        mode=image.mode,
        steps=tuple(steps),
    )
    return Frame(levels, facts)


def _frame(decoded: Decoded, name: str, digest: str, count: int, path: str) -> Frame:
    told = decoded.facts
    facts = ImageFacts(
        path=path,
        sha256=digest,
        pixels_sha256=decoded.pixels_sha256,
        format=name,
        bytes=count,
        width=told["width"],
        height=told["height"],
        bits=told["bits"],
        mode=told["mode"],
        frames=told["frames"],
        jpeg_quality=told.get("jpeg_quality"),
        jpeg_subsampling=told.get("jpeg_subsampling", ""),
        steps=tuple(told["steps"]),
    )
    return Frame(decoded.levels, facts)


def _three_channels(pixels: NDArray[Any], steps: list[str]) -> NDArray[Any]:
    array = pixels[..., None] if pixels.ndim == 2 else pixels
    if array.ndim != 3 or array.shape[2] not in (1, 2, 3, 4):
        hint = (
            "height × width, or height × width × 3 (RGB); move the channels last if they are first"
        )
        message = f"an array of shape {pixels.shape} is no picture"
        raise UsageError(message, hint=hint, code="iqa.intake.shape")
    if array.shape[2] <= 2:
        steps.append("grey repeated in three channels")
        grey = np.repeat(array[..., :1], 3, axis=2)
        return grey if array.shape[2] == 1 else np.concatenate([grey, array[..., 1:]], axis=2)
    return array


def _levels(array: NDArray[Any], steps: list[str]) -> NDArray[np.uint8]:
    if array.dtype == np.uint8:
        return np.asarray(array, np.uint8)
    if array.dtype == np.bool_:
        steps.append("black and white widened to grey levels")
        return np.where(array, np.uint8(255), np.uint8(0))
    if array.dtype == np.uint16:
        steps.append("16 bit scaled to 8")
        return ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if not np.issubdtype(array.dtype, np.floating):
        hint = "use uint8, uint16, bool, or floats from 0 to 1"
        message = f"pixels of type {array.dtype} have no known range"
        raise UsageError(message, hint=hint, code="iqa.intake.depth")
    if not np.isfinite(array).all() or array.min() < 0 or array.max() > 1:
        hint = "scale floats to the range from 0 to 1"
        message = "the floats are not all between 0 and 1"
        raise UsageError(message, hint=hint, code="iqa.intake.range")
    steps.append("floats rounded to 8 bit")
    return np.asarray(np.rint(array * 255), np.uint8)


def _too_many_bytes(count: int, limits: Limits, path: str) -> UsageError:
    message = f"the file has {count / 1e6:.1f} MB"
    hint = f"reduce it: at most {limits.file_bytes / 1e6:g} MB are read"
    return _refusal(path, "file_size", message, hint)


def _refusal(path: str, code: str, message: str, hint: str) -> UsageError:
    shown = f"{path}: {message}" if path else message
    return UsageError(shown, hint=hint, code=f"iqa.intake.{code}")


def _about(error: UsageError, path: str) -> UsageError:
    if not path or error.message.startswith(path):
        return error
    return UsageError(f"{path}: {error.message}", hint=error.hint, code=error.code)
