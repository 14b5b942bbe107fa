"""Lessons for proposers, read from the patches that the journal has counted."""

from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.kernel.events import LessonLearned
from proveout.kernel.lessons import Learned, Lesson, Patch, consolidate, deduplicate

MOST_PATCHES = 500
"""Older patches than these are out of date, and a prompt cannot hold more anyway."""
MOST_LESSONS = 20


class JournalledExperience:
    """Consolidates once per change, reading what changed; between changes a recall is a look-up."""

    def __init__(self, journal: SqliteJournal) -> None:
        self._journal = journal
        self._known: dict[str, tuple[tuple[int, int], tuple[Lesson, ...]]] = {}
        self._learned: dict[str, list[Learned]] = {}

    def recall(self, app: str) -> tuple[Lesson, ...]:
        state = (self._journal.lessons_version, self._journal.data_version)
        known = self._known.get(app)
        if known is None or known[0] != state:
            lessons = consolidate(self._newest(app))[:MOST_LESSONS]
            known = self._known[app] = (state, lessons)
        return known[1]

    def _newest(self, app: str) -> list[Learned]:
        """The app's newest patches, oldest first; those learned again move to the end."""
        before = self._learned.get(app, [])
        new = self._journal.learned(app, after=before[-1].last if before else 0)
        again = {item.patch.signature for item in new}
        kept = [item for item in before if item.patch.signature not in again]
        self._learned[app] = [*kept, *new][-MOST_PATCHES:]
        return self._learned[app]


class RunExperience:
    """The lessons of one run alone, whatever others have taught."""

    def __init__(self, journal: SqliteJournal, run: str) -> None:
        self._journal = journal
        self._run = run
        self._sequence = 0
        self._patches: list[Patch] = []

    def recall(self, app: str) -> tuple[Lesson, ...]:
        for row in self._journal.read(self._run, after=self._sequence):
            self._sequence = row.sequence
            if isinstance(row.event, LessonLearned) and row.event.app == app:
                self._patches.append(row.event.patch)
        return consolidate(deduplicate(self._patches)[-MOST_PATCHES:])[:MOST_LESSONS]


class NoExperience:
    """For replays and for runs that must not be influenced."""

    def recall(self, app: str) -> tuple[Lesson, ...]:
        del app
        return ()
