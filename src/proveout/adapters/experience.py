"""Lessons for proposers, read from the patches that the journal has counted."""

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.kernel.lessons import Lesson, consolidate

MOST_PATCHES = 500
"""Older patches than these are out of date, and a prompt cannot hold more anyway."""
MOST_LESSONS = 20


class JournalledExperience:
    """Consolidates once per change; a recall between changes is a look-up."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._journal = journal
        self._known: dict[str, tuple[tuple[int, int], tuple[Lesson, ...]]] = {}

    def recall(self, app: str) -> tuple[Lesson, ...]:
        state = (self._journal.lessons_version, self._journal.data_version)
        known = self._known.get(app)
        if known is None or known[0] != state:
            lessons = consolidate(self._journal.learned(app)[-MOST_PATCHES:])[:MOST_LESSONS]
            known = self._known[app] = (state, lessons)
        return known[1]


class NoExperience:
    """For replays and for runs that must not be influenced."""

    def recall(self, app: str) -> tuple[Lesson, ...]:
        del app
        return ()
