"""Lessons as proposers get them: recent, few, and up to date."""

from pathlib import Path

from proveout.adapters.experience import (
    MOST_LESSONS,
    MOST_PATCHES,
    JournalledExperience,
    NoExperience,
    RunExperience,
)
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.kernel.events import LessonLearned
from proveout.kernel.lessons import Patch
from proveout.testing.journal_contract import STARTED, add


def rule(advice: str, subject: str = "s") -> Patch:
    return Patch(operation="add_rule", topic="operational", subject=subject, advice=advice)


def teach(journal: SqliteJournal, *patches: Patch, run: str = "run-1", app: str = "app") -> None:
    if journal.last(run) is None:
        add(journal, STARTED, run=run)
    before = journal.last(run)
    assert before is not None
    for number, patch in enumerate(patches, start=before.sequence):
        event = LessonLearned(key=f"#{number}", app=app, patch=patch)
        add(journal, event, run=run, durable=False)
    journal.flush()


def advices(experience: JournalledExperience | RunExperience, app: str = "app") -> list[str]:
    return [lesson.advice for lesson in experience.recall(app)]


def test_a_lesson_is_known_as_soon_as_it_is_learned(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "j.db")
    experience = JournalledExperience(journal)
    assert advices(experience) == []
    teach(journal, rule("one"))
    assert advices(experience) == ["one"]
    teach(journal, rule("two"))
    assert advices(experience) == ["one two"]
    teach(journal, rule("One."))
    assert advices(experience) == ["two One."], "learned again, it is the newest"
    assert experience.recall("app") is experience.recall("app"), "nothing new, nothing read"
    journal.close()


def test_another_process_teaches_too(tmp_path: Path) -> None:
    journal, other = SqliteJournal(tmp_path / "j.db"), SqliteJournal(tmp_path / "j.db")
    experience = JournalledExperience(journal)
    assert advices(experience) == []
    teach(other, rule("from afar"), run="other")
    assert advices(experience) == ["from afar"]
    journal.close()
    other.close()


def test_apps_do_not_teach_each_other(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "j.db")
    teach(journal, rule("one"), app="other")
    assert advices(JournalledExperience(journal)) == []
    assert advices(RunExperience(journal, "run-1")) == []
    assert advices(RunExperience(journal, "run-1"), "other") == ["one"]
    journal.close()


def test_old_patches_fade_and_few_lessons_are_told(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "j.db")
    teach(journal, *(rule("again and again", subject="old") for _ in range(9)))
    experience = JournalledExperience(journal)
    assert len(experience.recall("app")) == 1
    teach(journal, *(rule("new", subject=f"s{n:03}") for n in range(MOST_PATCHES)))
    told = experience.recall("app")
    assert len(told) == MOST_LESSONS
    assert "old" not in {lesson.subject for lesson in told}
    assert told == JournalledExperience(journal).recall("app")
    assert len(RunExperience(journal, "run-1").recall("app")) == MOST_LESSONS
    journal.close()


def test_a_run_can_be_kept_to_its_own_lessons(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "j.db")
    teach(journal, rule("theirs"), run="other")
    experience = RunExperience(journal, "own")
    assert advices(experience) == []
    teach(journal, rule("ours"), run="own")
    assert advices(experience) == ["ours"]
    journal.close()


def test_nobody_teaches_a_replay() -> None:
    assert NoExperience().recall("app") == ()
