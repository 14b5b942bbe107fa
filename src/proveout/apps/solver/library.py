"""Rule books by wiki digest: read and compiled once, shared by all tasks of a process."""

import threading
from collections.abc import Sequence
from functools import cache

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.policy import Policy
from proveout.apps.solver.rules.compile import compile_wiki
from proveout.apps.solver.rules.ir import RuleBook

MOST_BOOKS = 64


class Library:
    """Pages and rule books of the wikis met so far; the oldest is forgotten first."""

    def __init__(self) -> None:
        self._pages: dict[str, dict[str, str]] = {}
        self._books: dict[tuple[str, str, tuple[str, ...]], RuleBook] = {}
        self._lock = threading.Lock()

    def pages(self, digest: str, client: CompanyClient) -> dict[str, str]:
        """The wiki as it is under this digest; unknown digests are read page by page."""
        with self._lock:
            held = self._pages.get(digest)
        if held is not None and digest:
            return held
        paths = client.list_wiki().paths
        pages = {path: client.load_wiki(path).content for path in paths}
        with self._lock:
            self._pages[digest] = pages
            while len(self._pages) > MOST_BOOKS:
                self._pages.pop(next(iter(self._pages)))
        return pages

    def policy(
        self, digest: str, profile: str, client: CompanyClient, departments: Sequence[str] = ()
    ) -> Policy:
        """The compiled policy; a changed wiki is compiled anew where its pages changed.

        Without departments as the registry spells them, those that the wiki lists are used.
        """
        key = (digest, profile, tuple(departments))
        with self._lock:
            book = self._books.get(key)
            previous = next(
                (it for (_, name, _), it in reversed(self._books.items()) if name == profile), None
            )
        if book is None or not digest:
            pages = self.pages(digest, client)
            book = compile_wiki(
                pages, digest, profile=profile, previous=previous, departments=departments
            )
            with self._lock:
                self._books[key] = book
                while len(self._books) > MOST_BOOKS:
                    self._books.pop(next(iter(self._books)))
        return Policy(book)


@cache
def shared() -> Library:
    """The library of this process."""
    return Library()
