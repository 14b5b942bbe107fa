"""Rule books on disk, by wiki digest and profile: a wiki is compiled once, whoever asks."""

import hashlib
import os
from pathlib import Path

from pydantic import ValidationError

from proveout.apps.solver.rules.ir import RuleBook

VERSION = "1"
"""Part of every file's name: books of another compiler are not read."""


class BookCache:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, digest: str, profile: str) -> RuleBook | None:
        """The book, unless it is missing, damaged or about another wiki."""
        try:
            book = RuleBook.model_validate_json(self._path(digest, profile).read_bytes())
        except (OSError, ValidationError):
            return None
        return book if (book.digest, book.profile) == (digest, profile) else None

    def put(self, book: RuleBook) -> None:
        """Keep a book; a reader sees the old file or the new one, never half of it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(book.digest, book.profile)
        draft = path.with_suffix(f".{os.getpid()}.draft")
        draft.write_text(book.model_dump_json(), encoding="utf-8")
        draft.replace(path)

    def _path(self, digest: str, profile: str) -> Path:
        name = hashlib.sha256(f"{VERSION}\n{profile}\n{digest}".encode()).hexdigest()[:32]
        return self._folder / f"{name}.json"
