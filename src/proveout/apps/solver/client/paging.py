"""Reading a list to its end, whatever the API's limits are, holding one page at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from proveout.apps.solver.client.calling import Caller
from proveout.apps.solver.client.errors import (
    Garbled,
    ListingOff,
    PageTooLarge,
    Rejected,
    ServerFault,
)
from proveout.apps.solver.client.route import FIRST_ASK, Paged, Route
from proveout.apps.solver.entities import Page

Ask = TypeVar("Ask", bound=Paged)
Reply = TypeVar("Reply", bound=Page)
Row = TypeVar("Row")

FALLBACK = 5
"""Tried when the API refuses a large page without saying how large it may be."""


@dataclass
class Caps:
    """How many rows the API gives at once: learnt from its refusals, kept for the task."""

    at_once: int = FIRST_ASK
    off: set[str] = field(default_factory=set)
    """Routes that give nothing."""


@dataclass(frozen=True)
class Listing(Generic[Ask, Reply, Row]):
    """A list route, and where in its pages the rows are."""

    route: Route[Ask, Reply]
    rows: Callable[[Reply], tuple[Row, ...]]


class Pager:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.caps = Caps()

    def every(self, listing: Listing[Ask, Reply, Row], ask: Ask) -> Iterator[Row]:
        """All rows from the request's offset on, in the API's order."""
        offset, short = ask.offset, False
        while True:
            page = self._page_or_end(listing, ask, offset, short=short)
            if page is None:
                return
            rows = listing.rows(page)
            yield from rows
            if page.next_offset < 0 or not rows:
                return
            if page.next_offset <= offset:
                message = f"paging does not advance: {page.next_offset} after {offset}"
                raise Garbled(listing.route.path, message, status=200)
            offset = page.next_offset
            short = len(rows) < min(ask.limit, self.caps.at_once)

    def page(self, route: Route[Ask, Reply], ask: Ask, *, keep: bool = False) -> Reply:
        """One page, as large as allowed and at most as large as asked."""
        if route.path in self.caps.off:
            raise ListingOff(route.path)
        while True:
            limit = min(ask.limit, self.caps.at_once)
            asked = ask.model_copy(update={"limit": limit})
            try:
                return self._caller.call(route, asked, keep=keep)
            except PageTooLarge as error:
                self._learn(route.path, error.cap, limit)
            except Rejected:
                if limit <= FALLBACK or ask.offset > 0:
                    raise
                self._learn(route.path, FALLBACK, limit)

    def _learn(self, path: str, cap: int, limit: int) -> None:
        if cap <= 0:
            self.caps.off.add(path)
            raise ListingOff(path)
        if cap >= limit:
            message = f"{limit} rows were refused although {cap} are allowed"
            raise Garbled(path, message, status=400)
        self.caps.at_once = cap

    def _page_or_end(
        self, listing: Listing[Ask, Reply, Row], ask: Ask, offset: int, *, short: bool
    ) -> Reply | None:
        """None past the end, where the API answers 500 as it does when it is broken.

        A fault is taken for the end only after a page that was not full, and only if the API still
        gives a row that was there before: rather an error than half a list.
        """
        at = ask.model_copy(update={"offset": offset})
        try:
            return self.page(listing.route, at)
        except ServerFault:
            known = ask.model_copy(update={"offset": ask.offset, "limit": 1})
            if short and listing.rows(self.page(listing.route, known)):
                return None
            raise
