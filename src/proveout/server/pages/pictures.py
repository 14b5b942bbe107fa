"""Pictures of panels: where a browser finds them, and how large they are."""

import base64
import struct
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote

from proveout.kernel.panels import Bitmap

Extent = tuple[int, int]
SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
MOST_KNOWN = 1024


class Pictures:
    """Where the pictures of panels are found, and how large they are."""

    def __init__(self, blob: Callable[[str], bytes | None]) -> None:
        self._blob = blob
        self._known = lru_cache(maxsize=MOST_KNOWN)(self._looked_at)

    def address(self, bitmap: Bitmap) -> str:
        if bitmap.base64:
            return f"data:{bitmap.media_type};base64,{bitmap.base64}"
        try:
            self._known(bitmap.blob)
        except LookupError:
            return ""
        return f"/api/v1/blobs/{quote(bitmap.blob, safe=':')}"

    def size(self, bitmap: Bitmap) -> Extent | None:
        """In pixels, so that a page does not jump when the picture arrives."""
        if bitmap.base64:
            return extent(base64.b64decode(bitmap.base64[:64]))
        try:
            return self._known(bitmap.blob)
        except LookupError:
            return None

    def _looked_at(self, name: str) -> Extent | None:
        content = self._blob(name)
        if content is None:
            # An error is not remembered: the picture of a run that goes on may still come.
            raise LookupError(name)
        return extent(content)


def kind_of(content: bytes) -> str:
    """The media type that the content itself tells; nothing if it is no picture."""
    kinds = [kind for mark, kind in SIGNATURES.items() if content.startswith(mark)]
    return kinds[0] if kinds else ""


def extent(content: bytes) -> Extent | None:
    """Width and height of a PNG, which is what panels hold; None for anything else."""
    if not content.startswith(b"\x89PNG\r\n\x1a\n") or len(content) < 24:
        return None
    width, height = struct.unpack(">II", content[16:24])
    return width, height
