"""What a file is, by its first bytes; names and extensions are not believed."""

import struct

from proveout.kernel.errors import UsageError

READ_FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP", "PPM", "AVIF", "HEIC")

_HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"hevx", b"mif1", b"msf1")
_AVIF_BRANDS = (b"avif", b"avis")

_REFUSED_STARTS = (
    (b"%!PS", "EPS or PostScript"),
    (b"\xc5\xd0\xd3\xc6", "EPS"),
    (b"%PDF", "PDF"),
    (b"8BPS", "Photoshop"),
    (b"\x00\x00\x00\x0cjP  ", "JPEG 2000"),
    (b"\xffO\xffQ", "JPEG 2000"),
    (b"\xff\x0a", "JPEG XL"),
    (b"\x00\x00\x00\x0cJXL ", "JPEG XL"),
    (b"v/1\x01", "OpenEXR"),
    (b"#?RADIANCE", "Radiance HDR"),
    (b"SIMPLE  =", "FITS"),
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"FUJIFILMCCD-RAW", "camera raw"),
    (b"II\x2b\x00", "BigTIFF"),
    (b"MM\x00\x2b", "BigTIFF"),
    (b"\x00\x00\x01\x00", "icon"),
)


def sniff(data: bytes) -> str:
    """One of `READ_FORMATS`, or a `UsageError` that names what it is instead."""
    found = _known_format(data)
    if found:
        return found
    looks_like = _other_format(data)
    listed = ", ".join(READ_FORMATS)
    what = (
        f"the file is {looks_like}" if looks_like else "the file is no picture that is known here"
    )
    raise UsageError(what, hint=f"convert it to one of {listed}", code="iqa.intake.format")


def webp_size(data: bytes) -> tuple[int, int] | None:
    """Width and height from a WebP header: its decoder would allocate the canvas to tell them."""
    kind, body = data[12:16], data[20:]
    if kind == b"VP8X" and len(body) >= 10:
        return (
            int.from_bytes(body[4:7], "little") + 1,
            int.from_bytes(body[7:10], "little") + 1,
        )
    if kind == b"VP8 " and len(body) >= 10:
        width, height = struct.unpack("<HH", body[6:10])
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L" and len(body) >= 5:
        packed = int.from_bytes(body[1:5], "little")
        return (packed & 0x3FFF) + 1, ((packed >> 14) & 0x3FFF) + 1
    return None


def _known_format(data: bytes) -> str:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data[:4] in (b"II*\x00", b"MM\x00*"):
        return "TIFF"
    if data[:6] in (b"GIF87a", b"GIF89a"):
        return "GIF"
    # Two letters are little: the size field and the reserved zeros must fit too.
    if data[:2] == b"BM" and data[6:10] == bytes(4) and len(data) >= 26:
        return "BMP"
    if data[:1] == b"P" and data[1:2] in b"123456" and data[2:3].isspace():
        return "PPM"
    if data[4:8] == b"ftyp":
        if data[8:12] in _AVIF_BRANDS:
            return "AVIF"
        if data[8:12] in _HEIC_BRANDS:
            return "AVIF" if b"avif" in data[16:64] else "HEIC"
    return ""


def _other_format(data: bytes) -> str:
    for start, name in _REFUSED_STARTS:
        if data.startswith(start):
            return name
    text = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"<svg" in text:
        return "SVG"
    if text.startswith((b"<!doctype html", b"<html")):
        return "a web page"
    if text.startswith(b"<?xml"):
        return "XML"
    if data[4:8] == b"ftyp":
        return "a video"
    return ""
