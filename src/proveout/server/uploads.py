"""Files that callers send: written as they come, named by their content, bounded in all.

Nothing here looks into them; pictures are decoded by the app, in a limited process.
"""

import contextlib
import hashlib
import os
import re
import threading
import time
from pathlib import Path
from typing import BinaryIO

from proveout.kernel.errors import ProveoutError, UsageError
from proveout.server.access import Limits
from proveout.server.places import UPLOADED

CHUNK = 1 << 20
LONGEST_NAME = 60
DIGEST = 32
"""Hexadecimal digits of the content's hash in a name."""
FRESH_SECONDS = 3600.0
"""A file that was sent or used since then is never removed to make room."""
ROOMY = 0.9
"""How full the folder is after old files have been removed: the next upload need not look."""


class Uploads:
    """Safe for many threads."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self._limits = limits
        self._lock = threading.Lock()
        self._total: int | None = None
        """Bytes in the folder, as far as we know."""

    def keep(self, file: BinaryIO, name: str) -> str:
        """Store what a file holds; the word by which a task names it (`upload:…`)."""
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f".{os.getpid()}-{threading.get_ident()}-{time.monotonic_ns()}.part"
        try:
            digest = self._copied(file, part)
            kept = self.folder / f"{digest[:DIGEST]}-{_clean(name)}"
            with self._lock:
                if not kept.exists():
                    self._make_room(part.stat().st_size)
                part.replace(kept)
        finally:
            part.unlink(missing_ok=True)
        return f"{UPLOADED}{kept.name}"

    def _copied(self, file: BinaryIO, part: Path) -> str:
        digest, size = hashlib.sha256(), 0
        with part.open("wb") as out:
            while chunk := file.read(CHUNK):
                size += len(chunk)
                if size > self._limits.upload_bytes:
                    most = self._limits.upload_bytes / 1e6
                    message = f"the file has more than {most:g} MB"
                    raise UsageError(message, hint="send less", code="server.too_large")
                digest.update(chunk)
                out.write(chunk)
        if not size:
            message = "the file is empty"
            raise UsageError(message, hint="send a complete copy", code="server.empty_file")
        return digest.hexdigest()

    def _make_room(self, size: int) -> None:
        """Count a new file; remove what was not used for the longest, if there is no room."""
        if self._total is None or self._total + size > self._limits.stored_bytes:
            # What another server has sent is counted now; between looks we know our own.
            self._total = self._swept()
        else:
            self._total += size
        if self._total > self._limits.stored_bytes:
            self._total = None
            message = "the folder for uploads is full"
            hint = "try again later, or name a file inside the allowed folder"
            raise ProveoutError(message, hint=hint, code="server.uploads_full")

    def _swept(self) -> int:
        """Bytes in the folder, the new file included, after old ones have made room for it."""
        found = []
        for path in self.folder.iterdir():
            with contextlib.suppress(FileNotFoundError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        total = sum(one[1] for one in found)
        for used, held, path in sorted(found):
            if total <= ROOMY * self._limits.stored_bytes:
                break
            if time.time() - used > FRESH_SECONDS:
                path.unlink(missing_ok=True)
                total -= held
        return total


def _clean(name: str) -> str:
    """The end of a file's name, of letters that mean nothing to anybody."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name.replace("\\", "/").rpartition("/")[2])
    return plain.strip(".-")[-LONGEST_NAME:] or "file"
