"""What a graded task teaches, and the store that keeps it within its limits.

Experience may steer a proposer; the validator never sees it. A patch holds a code and an advice
from the tables below, and nothing of the task: no name, no id, no amount can get into it, because
the grader's words are only matched, never copied.
"""

import re
from collections.abc import Iterable, Sequence

from proveout.apps.solver.words import OUTCOMES
from proveout.kernel.lessons import Lesson, Patch, Topic, consolidate, deduplicate

_OUTCOME = re.compile(r"expected outcomes? '([a-z_, ]+)', got '([a-z_]+)'", re.IGNORECASE)
_ADVICE: tuple[tuple[str, str, Topic, str], ...] = (
    (
        r"expected (\w+) link to .* not found",
        "link.missing",
        "response_contract",
        "Link every entity that the answer itself consists of, by its id.",
    ),
    (
        r"found unexpected (\w+) link",
        "link.extra",
        "response_contract",
        "Link only what answers the question: not the requester, not whom others were compared to.",
    ),
    (
        r"expected no links",
        "link.none",
        "response_contract",
        "A denial or an internal error carries no links.",
    ),
    (
        r"expected message to not contain",
        "text.extra",
        "response_contract",
        "Keep to the form asked for: the bare word, number or list, and nothing beside it.",
    ),
    (
        r"expected message to contain",
        "text.missing",
        "response_contract",
        "State the value itself in plain form: digits without separators, ids as stored.",
    ),
    (
        r"expected no change events",
        "write.extra",
        "permission",
        "Change nothing before the permission is clear, and nothing that was not asked for.",
    ),
    (
        r"expected only one event|found unexpected \d+ events",
        "write.double",
        "operational",
        "One request is one change: merge fields of the same record into a single write.",
    ),
    (
        r"expected event of type|change expected but not found",
        "write.missing",
        "operational",
        "Carry the requested change out, even if the record already has that state.",
    ),
    (
        r"content mismatch",
        "write.content",
        "operational",
        "Copy pages and texts byte for byte by reference; never type them again.",
    ),
    (
        r"should provide 1 response",
        "response.count",
        "operational",
        "Give exactly one response per task.",
    ),
)
_INSTEAD = {
    "ok_answer": "The request was answerable: look further before refusing or asking back.",
    "ok_not_found": "Say that nothing was found when an understood request matches no data.",
    "denied_security": "Check the permission first; a request beyond it is denied outright.",
    "none_clarification_needed": "Ask back when a name fits several records or none.",
    "none_unsupported": "Say so when the API has no such operation; do not work around it.",
    "error_internal": "Report an internal error when a system cannot be reached.",
}


def codes_of(logs: str) -> tuple[str, ...]:
    """What a grader's log says was wrong, as codes: `outcome.WANTED.GIVEN`, `link.missing`, …"""
    codes: dict[str, None] = {}
    for line in logs.splitlines()[:200]:
        outcome = _OUTCOME.search(line[:2_000])
        wanted = outcome.group(1).split(",")[0].strip() if outcome else ""
        given = outcome.group(2) if outcome else ""
        if wanted in OUTCOMES and given in OUTCOMES:
            codes.setdefault(f"outcome.{wanted}.{given}")
            continue
        for pattern, code, _, _ in _ADVICE:
            if re.search(pattern, line[:2_000], re.IGNORECASE):
                codes.setdefault(code)
                break
    return tuple(codes)


def lessons_of(logs: str) -> tuple[Patch, ...]:
    """The patches that a grader's log teaches; an empty log teaches nothing."""
    return lessons_for(codes_of(logs))


def lessons_for(codes: Iterable[str]) -> tuple[Patch, ...]:
    """The patches behind a grader's codes; others teach nothing here."""
    patches: dict[str, Patch] = {}
    for code in codes:
        for patch in _of_code(code):
            patches.setdefault(patch.signature, patch)
    return tuple(patches.values())


def _of_code(code: str) -> Iterable[Patch]:
    wanted = code.split(".")[1] if code.startswith("outcome.") else ""
    if wanted in _INSTEAD:
        topic: Topic = "permission" if wanted == "denied_security" else "disambiguation"
        yield _patch("graded.outcome", topic, _INSTEAD[wanted], slot="outcome")
        return
    for _, known, kind, advice in _ADVICE:
        if known == code:
            yield _patch(f"graded.{code}", kind, advice)


def _patch(subject: str, topic: Topic, advice: str, slot: str = "") -> Patch:
    return Patch(
        operation="add_rule",
        topic=topic,
        subject=subject,
        slot=slot,
        advice=advice,
        role="solver/propose",
    )


class ExperienceStore:
    """Patches in the order they were learned; duplicates joined, contradictions to the newer."""

    def __init__(self, patches: Sequence[Patch] = ()) -> None:
        self._patches = list(patches)

    def add(self, *patches: Patch) -> None:
        self._patches.extend(patches)

    def remove(self, *signatures: str) -> None:
        """Take patches back, as a failed regression gate does."""
        self._patches = [it for it in self._patches if it.signature not in signatures]

    @property
    def patches(self) -> tuple[Patch, ...]:
        return tuple(self._patches)

    def lessons(self) -> tuple[Lesson, ...]:
        """What proposers are told."""
        return consolidate(deduplicate(self._patches))
