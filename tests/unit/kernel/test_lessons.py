"""Experience: derived by rule, counted once per intent, consolidated from old to new."""

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import ValidationError

from proveout.kernel.lessons import (
    MOST_ORIGINS,
    Learned,
    Lesson,
    LessonRule,
    Origin,
    Patch,
    consolidate,
    deduplicate,
    derive,
)
from proveout.kernel.types import Finding

NO_RULES: Mapping[str, LessonRule] = {}


def rule(advice: str, subject: str = "s", **fields: Any) -> Patch:
    told = {"operation": "add_rule", "topic": "operational", "subject": subject, "advice": advice}
    return Patch.model_validate({**told, **fields})


def lessons(*patches: Patch) -> tuple[Lesson, ...]:
    return consolidate(deduplicate(patches))


def advices(*patches: Patch) -> list[str]:
    return [lesson.advice for lesson in lessons(*patches)]


def finding(code: str = "a.b", **fields: Any) -> Finding:
    return Finding.model_validate({"code": code, "message": "secret data", "hint": "h", **fields})


def test_a_finding_teaches_its_hint_and_where_it_was_learned() -> None:
    (patch,) = derive([finding()], NO_RULES, run="r", key="#0")
    assert (patch.advice, patch.subject, patch.kind) == ("h", "a.b", "rule")
    assert patch.origin == Origin(run="r", key="#0", code="a.b")


def test_data_of_a_task_never_becomes_advice() -> None:
    patches = derive([finding(), finding(hint="")], NO_RULES, run="r", key="#0")
    assert "secret data" not in repr(patches)
    assert len(patches) == 1, "a finding without a hint teaches nothing"


def test_remarks_teach_nothing() -> None:
    assert derive([finding(severity="info")], NO_RULES, run="r", key="#0") == ()
    assert len(derive([finding(severity="warning")], NO_RULES, run="r", key="#0")) == 1


def test_the_first_rule_that_fits_decides() -> None:
    rules = {
        "a.*": LessonRule(operation="patch_tool", topic="constraint", subject="where", advice="x"),
        "a.b": LessonRule(advice="never reached"),
    }
    there, nowhere = derive([finding(where="api"), finding()], rules, run="r", key="#0")
    assert (there.kind, there.subject, there.advice) == ("tool", "api", "x")
    assert nowhere.subject == "a.b"


def test_equal_findings_of_one_verdict_teach_once() -> None:
    assert len(derive([finding(), finding(hint=" H. ")], NO_RULES, run="r", key="#0")) == 1


def test_long_texts_are_cut_to_what_a_patch_can_hold() -> None:
    rules = {"*": LessonRule(subject="where")}
    (patch,) = derive([finding(where="w" * 999, hint="h" * 999)], rules, run="r", key="#0")
    assert (len(patch.subject), len(patch.advice)) == (200, 500)


def test_a_rule_can_remove_without_advice() -> None:
    rules = {"*": LessonRule(operation="remove_rule")}
    (patch,) = derive([finding(hint="")], rules, run="r", key="#0")
    assert patch.operation == "remove_rule"


@pytest.mark.parametrize(
    "fields",
    [
        {"operation": "patch_tool"},
        {"topic": "constraint"},
        {"operation": "set_process", "topic": "permission"},
        {"slot": "s" * 101},
    ],
)
def test_a_rule_that_could_only_fail_later_fails_at_once(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        LessonRule.model_validate(fields)


def test_a_patch_needs_advice_and_a_subject() -> None:
    with pytest.raises(ValidationError, match="needs an advice"):
        rule("  ")
    with pytest.raises(ValidationError):
        rule("a", subject="")
    assert rule("", operation="remove_rule").advice == ""


def test_a_topic_must_fit_its_operation() -> None:
    with pytest.raises(ValidationError, match="cannot have the topic"):
        rule("a", topic="constraint")


def test_spacing_case_and_punctuation_do_not_make_another_intent() -> None:
    assert rule("Use more letters.").signature == rule("use  MORE letters!").signature
    assert rule("a", slot="x").signature != rule("a", slot="y").signature
    assert rule("a", role="x").signature != rule("a", role="y").signature
    assert rule("a").signature != rule("a", operation="remove_rule").signature
    assert rule("a").signature == rule("a", operation="consolidate_rules").signature


def test_equal_intents_are_counted_at_their_latest_place() -> None:
    origins = [Origin(run="r", key=f"#{n}", code="c") for n in range(7)]
    again = [rule("a", origin=origin) for origin in origins]
    other = rule("b")
    learned = deduplicate([again[0], other, *again[1:]])
    assert [(item.patch.advice, item.count, item.last) for item in learned] == [
        ("b", 1, 1),
        ("a", 7, 7),
    ]
    assert learned[1].origins == tuple(origins[-MOST_ORIGINS:])
    assert learned[0].origins == ()


def test_advice_on_one_subject_is_joined() -> None:
    (lesson,) = lessons(rule("One."), rule("Two."), rule("one"))
    assert lesson.advice == "Two. one"
    assert lesson.count == 3
    assert len(lesson.patches) == 2
    assert lesson.signature not in lesson.patches


def test_a_lesson_of_one_patch_bears_its_signature() -> None:
    patch = rule("One.", origin=Origin(run="r", key="#0", code="c"))
    (lesson,) = lessons(patch)
    assert lesson.signature == patch.signature
    assert lesson.patches == (patch.signature,)
    assert lesson.origins == (patch.origin,)


def test_the_newer_of_two_contradicting_patches_wins() -> None:
    shorter, longer = rule("Shorter.", slot="length"), rule("Longer.", slot="length")
    assert advices(shorter, longer) == ["Longer."]
    assert advices(longer, shorter) == ["Shorter."]
    assert advices(longer, shorter, longer) == ["Longer."], "learned again is newest again"
    assert advices(rule("Always."), shorter, longer) == ["Always. Longer."]


def test_a_removal_removes_what_came_before_it_only() -> None:
    removal = rule("", operation="remove_rule")
    assert advices(rule("a"), rule("b", slot="x"), removal) == []
    assert advices(rule("a"), removal, rule("c")) == ["c"]
    assert advices(removal, rule("a")) == ["a"]


def test_a_removal_of_a_slot_leaves_the_others() -> None:
    removal = rule("", operation="remove_rule", slot="x")
    assert advices(rule("a"), rule("b", slot="x"), rule("c", slot="y"), removal) == ["a c"]


def test_a_removal_concerns_one_subject_of_one_kind_for_one_role() -> None:
    kept = [
        rule("other subject", subject="t"),
        rule("other role", role="r"),
        rule("other kind", operation="patch_tool", topic="constraint"),
    ]
    removal = rule("", operation="remove_rule")
    assert sorted(advices(*kept, rule("gone"), removal)) == sorted(p.advice for p in kept)


@pytest.mark.parametrize(
    ("operation", "topic"),
    [("consolidate_rules", "operational"), ("update_tool_patch", "constraint")],
)
def test_a_replacement_takes_the_place_of_all_before(operation: str, topic: str) -> None:
    first = "add_rule" if topic == "operational" else "patch_tool"
    before = [
        rule("a", operation=first, topic=topic),
        rule("b", operation=first, topic=topic, slot="x"),
    ]
    whole = rule("whole", operation=operation, topic=topic)
    assert advices(*before, whole) == ["whole"]
    slot = rule("slot", operation=operation, topic=topic, slot="x")
    assert advices(*before, slot) == ["a slot"]


def test_the_most_frequent_lesson_comes_first() -> None:
    told = [rule("rare", subject="a"), rule("often", subject="b"), rule("often", subject="b")]
    assert advices(*told) == ["often", "rare"]


def test_consolidation_does_not_depend_on_the_order_of_its_input() -> None:
    learned = deduplicate(
        [rule("a"), rule("b", slot="x"), rule("c", slot="x"), rule("d", subject="t")]
    )
    assert consolidate(learned) == consolidate(reversed(learned))


def test_equally_old_patches_are_read_in_a_fixed_order() -> None:
    twins = [Learned(patch=rule("a", slot="x")), Learned(patch=rule("b", slot="x"))]
    assert consolidate(twins) == consolidate(reversed(twins))
