"""Where pictures come from: the bytes in the panel, or the journal's blob that it names."""

import base64
from collections.abc import Callable

from proveout.kernel.errors import JournalError
from proveout.kernel.panels import Bitmap

Blobs = Callable[[str], bytes]
"""The bytes of a content id; `LookupError`, `OSError` or `JournalError` where there are none."""


def no_blobs(content_id: str) -> bytes:
    """For pages whose pictures carry their bytes."""
    raise LookupError(content_id)


def bytes_of(bitmap: Bitmap, blobs: Blobs) -> bytes | None:
    """The picture, or None if it is gone: a report must not fail because one picture is missing."""
    if bitmap.base64:
        return base64.b64decode(bitmap.base64)
    try:
        return blobs(bitmap.blob)
    except (LookupError, OSError, JournalError):
        return None
