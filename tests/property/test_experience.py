"""For all experience: the journal counts as the rules say, and no lesson can move a verdict."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proveout.adapters.experience import MOST_LESSONS, JournalledExperience, RunExperience
from proveout.adapters.journal.sqlite import SqliteJournal
from proveout.adapters.journal.verify import verify
from proveout.kernel.events import LessonLearned
from proveout.kernel.lessons import Patch, consolidate, deduplicate
from proveout.kernel.loop import attempts
from proveout.kernel.proposer import RoleProposer
from proveout.kernel.types import Verdict
from tests.property.values import patches
from tests.words import CHECKS, PROPOSE, WordTask
from tests.workbench import STARTED, Speaker, Workbench, quick, words

PROPOSED = ("a", "x", "", "abxx", "AB", "no", "abcd")
taught = st.lists(patches(), max_size=25)


def verdicts(folder: Path, lessons: list[Patch]) -> tuple[list[Verdict], list[str]]:
    """The verdicts on a fixed list of proposals, and the prompts, after these lessons."""
    bench = Workbench(folder / "journal.db")
    journal = bench.journal()
    teach(journal, lessons)
    speaker = Speaker(words(*PROPOSED), paid=False)
    context = bench.begin(speaker, journal=journal, experience=JournalledExperience(journal))
    made = list(attempts(WordTask(banned="x"), RoleProposer(PROPOSE), CHECKS, context))
    bench.close()
    return [attempt.verdict for attempt in made], [call.prompt for call in speaker.calls]


def teach(journal: SqliteJournal, lessons: list[Patch], run: str = "teacher") -> None:
    journal.append(run, STARTED, at=0, elapsed=0, durable=False)
    for number, patch in enumerate(lessons):
        event = LessonLearned(key=f"#{number}", app="words", patch=patch)
        journal.append(run, event, at=0, elapsed=0, durable=False)
    journal.flush()


@pytest.fixture(scope="module")
def unsteered(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Verdict], list[str]]:
    return verdicts(tmp_path_factory.mktemp("plain"), [])


@settings(max_examples=25)
@given(lessons=taught)
def test_experience_can_move_prompts_but_never_verdicts(
    tmp_path_factory: pytest.TempPathFactory,
    unsteered: tuple[list[Verdict], list[str]],
    lessons: list[Patch],
) -> None:
    folder = tmp_path_factory.mktemp("experience")
    without, plain = unsteered
    with_lessons, steered = verdicts(folder, lessons)
    assert with_lessons == without
    assert len(without) == len(PROPOSED)
    meant = [it for it in consolidate(deduplicate(lessons)) if it.role in ("", "words/propose")]
    if meant and len(meant) <= 3:
        assert steered != plain
        assert meant[0].advice in steered[0]


@settings(max_examples=40)
@given(lessons=taught, cuts=st.lists(st.integers(0, 25), max_size=3))
def test_the_journal_counts_patches_as_the_rules_say(
    tmp_path_factory: pytest.TempPathFactory, lessons: list[Patch], cuts: list[int]
) -> None:
    """However the teaching is spread over runs and recalls, the same lessons come of it."""
    journal = quick(SqliteJournal(tmp_path_factory.mktemp("lessons") / "journal.db"))
    experience = JournalledExperience(journal)
    places = sorted({0, *cuts, len(lessons)})
    for number, (start, end) in enumerate(zip(places, places[1:], strict=False)):
        teach(journal, lessons[start:end], run=f"run-{number}")
        experience.recall("words")
    expected = consolidate(deduplicate(lessons))[:MOST_LESSONS]
    assert experience.recall("words") == expected
    assert JournalledExperience(journal).recall("words") == expected
    assert JournalledExperience(journal).recall("other") == ()
    assert verify(journal) == []
    journal.close()


@settings(max_examples=20)
@given(own=taught, others=taught)
def test_a_runs_own_experience_knows_no_other_run(
    tmp_path_factory: pytest.TempPathFactory, own: list[Patch], others: list[Patch]
) -> None:
    journal = quick(SqliteJournal(tmp_path_factory.mktemp("own") / "journal.db"))
    teach(journal, others, run="other")
    teach(journal, own, run="own")
    experience = RunExperience(journal, "own")
    expected = consolidate(deduplicate(own))[:MOST_LESSONS]
    assert experience.recall("words") == expected
    assert experience.recall("words") == expected, "and asking twice changes nothing"
    journal.close()


@given(taught)
def test_every_lesson_names_the_patches_and_counts_behind_it(lessons: list[Patch]) -> None:
    learned = {item.patch.signature: item for item in deduplicate(lessons)}
    for lesson in consolidate(learned.values()):
        assert lesson.patches
        assert lesson.count == sum(learned[name].count for name in lesson.patches)
        for name in lesson.patches:
            assert learned[name].patch.advice.strip() in lesson.advice
            assert learned[name].patch.subject == lesson.subject
    assert sum(item.count for item in learned.values()) == len(lessons)


@given(taught, st.randoms(use_true_random=False))
def test_consolidation_does_not_depend_on_the_order_it_is_given(
    lessons: list[Patch], dice: object
) -> None:
    learned = deduplicate(lessons)
    shuffled = list(learned)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]
    assert consolidate(shuffled) == consolidate(learned)


@given(taught, st.randoms(use_true_random=False))
def test_what_is_only_added_and_never_contradicts_may_come_in_any_order(
    lessons: list[Patch], dice: object
) -> None:
    added = [it for it in lessons if it.operation in ("add_rule", "patch_tool") and not it.slot]
    shuffled = list(added)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]

    def told(given: list[Patch]) -> dict[tuple[str, str, str], tuple[int, frozenset[str]]]:
        return {
            (it.kind, it.subject, it.role): (it.count, frozenset(it.patches))
            for it in consolidate(deduplicate(given))
        }

    assert told(shuffled) == told(added)
