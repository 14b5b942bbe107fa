"""The process that decodes pictures: small, limited, and alone with the bytes.

Started by path as a program of its own, so it imports nothing of the product. It reads requests
from standard input (length, JSON, bytes) and answers on standard output (length, JSON, raw RGB). It
may not write files, takes a bounded amount of memory and time, and ends when its parent does.

`normalise` is the one place that turns what Pillow opened into 8-bit sRGB; every step is listed.
"""

import ctypes  # noqa: F401 - loaded before the address space is limited
import io
import json
import os
import resource
import signal
import struct
import sys
import threading
import time
import warnings
from typing import Any, BinaryIO, NamedTuple

from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

PILLOW_NAMES = {"HEIC": "HEIF", "PPM": "PPM"}
ORIENTATION_TAG = 0x0112
BITS_TAG = 258
SAMPLE_FORMAT_TAG = 339
FLOAT_SAMPLES = 3
SUBSAMPLINGS = {(1, 1): "4:4:4", (2, 1): "4:2:2", (2, 2): "4:2:0", (1, 2): "4:4:0", (4, 1): "4:1:1"}
RATIO_MATTERS_FROM = 16_000_000
"""Pixels; a smaller flat picture compresses as well as a bomb and harms nobody."""
STRIP_PIXELS = 2**18
"""Sent at a time."""


class Refused(Exception):  # noqa: N818 - an answer, not a failure of this program
    """The picture is not taken; `code` and `hint` travel to the caller's error."""

    def __init__(self, message: str, code: str, hint: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


class Bounds(NamedTuple):
    """What a header may claim."""

    side: int
    smallest_side: int
    pixels: int
    aspect: float
    ratio: float
    background: int


def check_size(width: int, height: int, size: int, bounds: Bounds) -> None:
    """Raises `Refused` before anything is decoded; `size` is that of the file, 0 where unknown."""
    shown = f"{width} × {height} pixels"
    if min(width, height) < bounds.smallest_side:
        hint = f"each side needs at least {bounds.smallest_side} pixels"
        message = f"the picture is {shown}"
        raise Refused(message, "too_small", hint)
    if max(width, height) > bounds.side:
        hint = f"reduce it: a side may have {bounds.side} pixels"
        message = f"the picture is {shown}"
        raise Refused(message, "too_large", hint)
    if width * height > bounds.pixels:
        hint = f"reduce it: at most {bounds.pixels / 1e6:g} megapixels are decoded"
        message = f"the picture is {shown}"
        raise Refused(message, "too_large", hint)
    if max(width, height) > bounds.aspect * min(width, height):
        hint = f"crop it: one side may be {bounds.aspect:g} times the other"
        message = f"the picture is {shown}"
        raise Refused(message, "aspect", hint)
    if size and width * height >= RATIO_MATTERS_FROM and width * height * 3 > bounds.ratio * size:
        hint = "save it again as an ordinary PNG or JPEG if it is genuine"
        message = f"{size} bytes claim to hold {shown}: this looks like a decompression bomb"
        raise Refused(message, "bomb", hint)


def opened(data: bytes, name: str, bounds: Bounds) -> Image.Image:
    """The picture with its header read and its size checked; pixels are not decoded yet."""
    if name == "HEIC":
        _register_heif()
    try:
        image = Image.open(io.BytesIO(data), formats=[PILLOW_NAMES.get(name, name)])
    except (OSError, ValueError, SyntaxError, struct.error, KeyError, IndexError) as error:
        hint = "open it in a picture editor and save it again"
        message = f"the {name} header cannot be read: {_said(error)}"
        raise Refused(message, "broken", hint) from error
    check_size(image.width, image.height, len(data), bounds)
    return image


def facts_of(image: Image.Image, data: bytes, name: str) -> dict[str, Any]:
    """What the file says of itself."""
    facts: dict[str, Any] = {"mode": image.mode, "frames": int(getattr(image, "n_frames", 1))}
    facts["bits"] = _bits(image, data, name)
    tables = getattr(image, "quantization", None) if name == "JPEG" else None
    if tables:
        facts["jpeg_quality"] = jpeg_quality(list(tables[min(tables)]))
        facts["jpeg_subsampling"] = _subsampling(image)
    return facts


def normalise(image: Image.Image, bits: int, background: int) -> tuple[Image.Image, list[str]]:
    """8-bit sRGB, upright, without alpha; and the steps that led there."""
    steps: list[str] = []
    if getattr(image, "n_frames", 1) > 1:
        steps.append(f"first of {getattr(image, 'n_frames', 1)} frames")
        image.seek(0)
    image.load()
    profile = image.info.get("icc_profile")
    orientation = image.getexif().get(ORIENTATION_TAG, 1)
    if orientation in range(2, 9):
        image = ImageOps.exif_transpose(image)
        steps.append(f"orientation {orientation} applied")
    image = _eight_bits(image, bits, steps)
    if image.mode in ("P", "PA"):
        steps.append("palette expanded")
    image, alpha = _without_alpha(image)
    image = _to_srgb(image, profile, steps)
    if alpha is not None:
        if alpha.getextrema() == (255, 255):
            steps.append("opaque alpha dropped")
        else:
            plain = Image.new("RGB", image.size, (background,) * 3)
            plain.paste(image, (0, 0), alpha)
            image = plain
            steps.append(f"alpha over grey {background}")
    return image, steps


def jpeg_quality(table: list[int]) -> int:
    """The quality whose standard luminance table lies nearest, from 1 to 100."""

    def distance(quality: int) -> int:
        scale = 5000 // quality if quality < 50 else 200 - 2 * quality
        scaled = (min(255, max(1, (entry * scale + 50) // 100)) for entry in _STANDARD)
        return sum(abs(one - other) for one, other in zip(scaled, table, strict=False))

    return min(range(100, 0, -1), key=distance)


_STANDARD = (
    *(16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55),
    *(14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62),
    *(18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92),
    *(49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99),
)


def _eight_bits(image: Image.Image, bits: int, steps: list[str]) -> Image.Image:
    if image.mode == "F" or image.mode.startswith("F;"):
        hint = "save it with 8 or 16 bits per channel: a range of floats is not written in the file"
        message = "the pixels are floating-point numbers"
        raise Refused(message, "depth", hint)
    if image.mode.startswith("I"):
        if image.mode == "I" and bits > 16:
            hint = "save it with 8 or 16 bits per channel"
            message = f"the pixels have {bits} bits"
            raise Refused(message, "depth", hint)
        wide = image.convert("I")
        # Scaled, not clipped: Pillow's own conversion would turn nearly everything white.
        narrow = wide.point([min(255, (value + 128) // 257) for value in range(65536)], "L")
        steps.append("16 bit scaled to 8")
        return narrow
    if bits > 8:
        steps.append(f"{bits} bit scaled to 8")
    if image.mode == "1":
        steps.append("black and white widened to grey levels")
        return image.convert("L")
    return image


def _without_alpha(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    if image.mode in ("RGBa", "La"):
        image = image.convert("RGBA" if image.mode == "RGBa" else "LA")
    if image.mode == "PA" or (image.mode in ("RGB", "L") and "transparency" in image.info):
        image = image.convert("RGBA")
    if image.mode in ("RGBA", "LA"):
        return image.convert("RGB" if image.mode == "RGBA" else "L"), image.getchannel("A")
    return image, None


def _to_srgb(image: Image.Image, profile: bytes | None, steps: list[str]) -> Image.Image:
    if profile:
        converted = _through_profile(image, profile, steps)
        if converted is not None:
            return converted
    if image.mode == "CMYK":
        steps.append("CMYK converted without a profile (R = (255-C)(255-K)/255)")
    elif image.mode == "L":
        steps.append("grey repeated in three channels")
    elif image.mode == "YCbCr":
        steps.append("YCbCr converted")
    elif image.mode != "RGB":
        hint = "save it as RGB, grey or CMYK"
        message = f"pixels of kind {image.mode} are not read"
        raise Refused(message, "mode", hint)
    # Asked to convert to what it is already, Pillow makes a copy.
    return image if image.mode == "RGB" else image.convert("RGB")


def _through_profile(image: Image.Image, profile: bytes, steps: list[str]) -> Image.Image | None:
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        described = ImageCms.getProfileDescription(source).strip()
        if described.lower().startswith("srgb") and image.mode in ("RGB", "L"):
            return None
        converted = ImageCms.profileToProfile(
            image,
            source,
            ImageCms.createProfile("sRGB"),
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
            outputMode="RGB",
        )
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        steps.append("unreadable colour profile ignored")
        return None
    # A profile's name is free text from the file.
    shown = "".join(letter for letter in described if letter.isprintable())[:60]
    steps.append(f"colour profile {shown!r} converted to sRGB")
    return converted


def _bits(image: Image.Image, data: bytes, name: str) -> int:
    if name == "PNG":
        return data[24] if len(data) > 24 else 8
    if name == "TIFF":
        tags = getattr(image, "tag_v2", {})
        if tags.get(SAMPLE_FORMAT_TAG, (1,))[0] == FLOAT_SAMPLES:
            hint = "save it with 8 or 16 bits per channel: a float range is not in the file"
            message = "the pixels are floating-point numbers"
            raise Refused(message, "depth", hint)
        return int(max(tags.get(BITS_TAG, (1,))))
    if image.mode.startswith("I"):
        return 16
    return 1 if image.mode == "1" else 8


def _subsampling(image: Image.Image) -> str:
    layers = getattr(image, "layer", [])
    if len(layers) != 3:
        return ""
    (_, wide, high, *_), (_, chroma_wide, chroma_high, *_) = layers[0], layers[1]
    return SUBSAMPLINGS.get((wide // max(1, chroma_wide), high // max(1, chroma_high)), "other")


def _register_heif() -> None:
    try:
        import pillow_heif  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        hint = "pip install pillow-heif, or export the picture as JPEG or PNG"
        message = "HEIC pictures need the package pillow-heif"
        raise Refused(message, "heic", hint) from error
    pillow_heif.register_heif_opener()


def _said(error: BaseException) -> str:
    if isinstance(error, UnidentifiedImageError):
        return "its contents do not fit its first bytes"
    text = " ".join(str(error).split()) or type(error).__name__
    return "".join(letter for letter in text if letter.isprintable())[:160]


def _decode(request: dict[str, Any], data: bytes) -> tuple[dict[str, Any], Image.Image]:
    bounds = Bounds(**request["bounds"])
    name = request["format"]
    image = opened(data, name, bounds)
    try:
        facts = facts_of(image, data, name)
        rgb, steps = normalise(image, facts["bits"], bounds.background)
    except MemoryError:
        hint = "reduce the picture"
        message = "decoding it takes more memory than is allowed"
        raise Refused(message, "memory", hint) from None
    except (OSError, ValueError, SyntaxError, EOFError, struct.error, KeyError) as error:
        hint = "get a complete copy, or open it in a picture editor and save it again"
        message = f"the {name} file is damaged: {_said(error)}"
        raise Refused(message, "broken", hint) from error
    facts.update(width=rgb.width, height=rgb.height, steps=steps)
    return facts, rgb


def _answer(out: BinaryIO, reply: dict[str, Any], rgb: Image.Image | None = None) -> None:
    text = json.dumps(reply).encode()
    out.write(struct.pack(">I", len(text)) + text)
    if rgb is not None:
        # Strip by strip: the bytes of a large picture would take as much again as the picture.
        step = max(1, STRIP_PIXELS // rgb.width)
        for top in range(0, rgb.height, step):
            strip = rgb.crop((0, top, rgb.width, min(top + step, rgb.height)))
            out.write(strip.tobytes())
    out.flush()


def _limit(memory_bytes: int) -> None:
    for kind, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (ceiling, ceiling))


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def main() -> None:
    memory_bytes, seconds, parent = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None  # `check_size` is stricter and knows what to say.
    Image.preinit()
    Image.init()
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    _limit(memory_bytes)
    source, out = sys.stdin.buffer, sys.stdout.buffer
    while head := source.read(4):
        _serve(head, source, out, seconds)


def _serve(head: bytes, source: BinaryIO, out: BinaryIO, seconds: float) -> None:
    """One request; nothing of the picture is held while waiting for the next."""
    request = json.loads(source.read(struct.unpack(">I", head)[0]))
    data = source.read(request["bytes"])
    # Should the parent be gone or stuck, this process still ends.
    signal.setitimer(signal.ITIMER_REAL, seconds + 1)
    try:
        facts, rgb = _decode(request, data)
    except Refused as refused:
        _answer(out, {"code": refused.code, "message": refused.message, "hint": refused.hint})
    except MemoryError:
        hint = "reduce the picture"
        message = "decoding it takes more memory than is allowed"
        _answer(out, {"code": "memory", "message": message, "hint": hint})
    else:
        _answer(out, {"facts": facts}, rgb)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main()
