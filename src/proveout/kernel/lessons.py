"""Experience: patches derived by rule from findings, consolidated into lessons for proposers.

A *patch* is one change to the experience, as it was learned. A *lesson* is what remains when all
patches are read in order: equal ones counted once, overlapping ones joined, contradicting ones
settled in favour of the newer. Lessons reach prompts and experts. Checks never see them, so no
patch can loosen a verdict. No text of a model becomes a patch, and no data of a task: an advice
comes from a finding's hint or from a rule's template.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Literal, Self

from pydantic import Field, model_validator

from proveout.kernel.canonical import value_id
from proveout.kernel.types import Finding, Frozen

PatchKind = Literal["rule", "tool", "process"]
Operation = Literal[
    "add_rule",
    "remove_rule",
    "consolidate_rules",
    "patch_tool",
    "update_tool_patch",
    "remove_tool_patch",
    "set_process",
    "remove_process",
]
Topic = Literal[
    "permission",
    "response_contract",
    "disambiguation",
    "operational",
    "parameter_name",
    "required_parameter",
    "endpoint_semantics",
    "constraint",
    "phase_order",
    "prompt",
]

KIND_OF: Mapping[Operation, PatchKind] = {
    "add_rule": "rule",
    "remove_rule": "rule",
    "consolidate_rules": "rule",
    "patch_tool": "tool",
    "update_tool_patch": "tool",
    "remove_tool_patch": "tool",
    "set_process": "process",
    "remove_process": "process",
}
TOPICS_OF: Mapping[PatchKind, frozenset[str]] = {
    "rule": frozenset({"permission", "response_contract", "disambiguation", "operational"}),
    "tool": frozenset({"parameter_name", "required_parameter", "endpoint_semantics", "constraint"}),
    "process": frozenset({"phase_order", "prompt"}),
}
REMOVALS = frozenset({"remove_rule", "remove_tool_patch", "remove_process"})
REPLACEMENTS = frozenset({"consolidate_rules", "update_tool_patch"})
MOST_ORIGINS = 5


class Origin(Frozen):
    """Where a patch was learned."""

    run: str
    key: str
    """The attempt."""
    code: str
    """The finding."""


class Patch(Frozen):
    """One change to the experience."""

    operation: Operation
    topic: Topic
    subject: str = Field(min_length=1, max_length=200)
    """What it is about: a finding's code, a tool, a phase."""
    slot: str = Field(default="", max_length=100)
    """The aspect that can have one value only. Two patches of one slot contradict each other."""
    advice: str = Field(default="", max_length=500)
    role: str = ""
    """The role it is meant for; empty for every role."""
    origin: Origin | None = None

    @model_validator(mode="after")
    def _topic_fits(self) -> Self:
        if self.topic not in TOPICS_OF[self.kind]:
            message = f"{self.operation} cannot have the topic {self.topic}"
            raise ValueError(message)
        if self.operation not in REMOVALS and not self.advice.strip():
            message = f"{self.operation} needs an advice"
            raise ValueError(message)
        return self

    @property
    def kind(self) -> PatchKind:
        return KIND_OF[self.operation]

    @cached_property
    def signature(self) -> str:
        """Equal for patches of the same intent, however they are spaced, cased or punctuated."""
        # Signs such as < and > carry meaning; full stops and quotes do not.
        words = " ".join(re.findall(r"\w+|[<>=+*/%&|~^$#@-]", self.advice.casefold()))
        intent = "remove" if self.operation in REMOVALS else "keep"
        return value_id([intent, self.kind, self.topic, self.subject, self.slot, self.role, words])


class LessonRule(Frozen):
    """How findings of some code become patches. An app lists its own; the hint is the default."""

    operation: Operation = "add_rule"
    topic: Topic = "operational"
    advice: str = ""
    """Empty takes the finding's hint."""
    subject: Literal["code", "where"] = "code"
    slot: str = ""
    role: str = ""

    @model_validator(mode="after")
    def _makes_patches(self) -> Self:
        """A mistake shows when the app is loaded, not when the first finding falls."""
        Patch(
            operation=self.operation,
            topic=self.topic,
            subject="any",
            slot=self.slot,
            advice=self.advice[:500] or "any",
            role=self.role,
        )
        return self


class Learned(Frozen):
    """A patch with the number of times it was learned; `last` orders patches by recency."""

    patch: Patch
    count: int = 1
    last: int = 0
    origins: tuple[Origin, ...] = ()


class Lesson(Frozen):
    """Canonical guidance for proposers."""

    signature: str
    kind: PatchKind
    topic: Topic
    subject: str
    advice: str
    role: str = ""
    count: int
    patches: tuple[str, ...]
    """Signatures of the patches it consolidates."""
    origins: tuple[Origin, ...] = ()


DEFAULT_RULE = LessonRule()


def derive(
    findings: Iterable[Finding], rules: Mapping[str, LessonRule], *, run: str, key: str
) -> tuple[Patch, ...]:
    """The patches that these findings teach; the first rule that matches a code decides."""
    patches: dict[str, Patch] = {}
    for finding in findings:
        rule = next(
            (rule for pattern, rule in rules.items() if fnmatchcase(finding.code, pattern)),
            DEFAULT_RULE,
        )
        advice = (rule.advice or finding.hint).strip()[:500]
        subject = (finding.where if rule.subject == "where" else "") or finding.code
        if finding.severity == "info" or (not advice and rule.operation not in REMOVALS):
            continue
        patch = Patch(
            operation=rule.operation,
            topic=rule.topic,
            subject=subject[:200],
            slot=rule.slot,
            advice=advice,
            role=rule.role,
            origin=Origin(run=run, key=key, code=finding.code),
        )
        patches.setdefault(patch.signature, patch)
    return tuple(patches.values())


def deduplicate(patches: Iterable[Patch]) -> list[Learned]:
    """Patches in the order they were learned, each intent once, at its latest place."""
    learned: dict[str, Learned] = {}
    for position, patch in enumerate(patches):
        earlier = learned.pop(patch.signature, None)
        origins = (*(earlier.origins if earlier else ()), *([patch.origin] if patch.origin else []))
        learned[patch.signature] = Learned(
            patch=patch,
            count=(earlier.count if earlier else 0) + 1,
            last=position,
            origins=origins[-MOST_ORIGINS:],
        )
    return list(learned.values())


def consolidate(learned: Iterable[Learned]) -> tuple[Lesson, ...]:
    """Read patches from old to new: removals remove, replacements replace, newer slots win."""
    groups: dict[tuple[str, str, str], list[Learned]] = {}
    for item in sorted(learned, key=lambda item: (item.last, item.patch.signature)):
        patch = item.patch
        about = (patch.kind, patch.subject, patch.role)
        if patch.operation in REMOVALS:
            kept = [i for i in groups.get(about, []) if patch.slot and i.patch.slot != patch.slot]
            groups[about] = kept
        elif patch.operation in REPLACEMENTS:
            kept = [i for i in groups.get(about, []) if patch.slot and i.patch.slot != patch.slot]
            groups[about] = [*kept, item]
        else:
            contradicted = {patch.slot} if patch.slot else set()
            kept = [i for i in groups.get(about, []) if i.patch.slot not in contradicted]
            groups[about] = [*kept, item]
    lessons = [_join(items) for items in groups.values() if items]
    return tuple(sorted(lessons, key=lambda lesson: (-lesson.count, lesson.subject, lesson.role)))


def _join(items: list[Learned]) -> Lesson:
    newest = items[-1].patch
    signatures = tuple(item.patch.signature for item in items)
    origins = tuple(origin for item in items for origin in item.origins)
    return Lesson(
        signature=signatures[0] if len(signatures) == 1 else value_id(list(signatures)),
        kind=newest.kind,
        topic=newest.topic,
        subject=newest.subject,
        role=newest.role,
        advice=" ".join(dict.fromkeys(item.patch.advice.strip() for item in items)),
        count=sum(item.count for item in items),
        patches=signatures,
        origins=origins[-MOST_ORIGINS:],
    )
