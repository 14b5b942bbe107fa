"""From a draft (what is asked, what it takes, what is true) to a task with its sealed expectation.

The order is that of the outcome procedure: permission first, then codes that the policy demands,
then the truth.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from proveout.apps.solver.world.graph import Person
from proveout.apps.solver.world.oracle_access import Need, is_clear
from proveout.apps.solver.world.phrasing import Slot, Utterance, tokens
from proveout.apps.solver.world.policy import Code
from proveout.apps.solver.world.spec import (
    LINK_KINDS,
    Expected,
    ExpectedEvent,
    LinkKind,
    Outcome,
    Overlay,
    TaskSpec,
    WhoAmI,
)
from proveout.apps.solver.world.tasks_scene import Scene

CAPS = (5, 5, 5, 5, 10, 3, 4)
"""Page caps as they occur: five mostly."""
GUEST_SHARE = 0.4
"""Where a task is about "me" and a denial is wanted: how often a guest says it."""


@dataclass(frozen=True)
class Draft:
    frame: str
    slots: Mapping[str, Slot]
    need: Need
    expected: Expected
    """What holds if the requester may have it."""
    explanation: str
    who: str | None = None
    """Employee id, the empty id of a guest, or None: anybody may be chosen."""
    endings: tuple[str, ...] = ()
    overlay: Overlay = field(default_factory=Overlay)
    secrets: tuple[str, ...] = ()
    """Values that a denial must not give away."""
    tolerate_me: bool = True
    """Whether a link to the requester does no harm where employee links are closed."""
    truth: bool | None = None
    """Of a yes/no question."""
    settled: bool = False
    """The expectation holds whoever asks: permission was already considered."""
    about_me: bool = False
    """It speaks of the requester, so that a guest could say it too, and in vain."""
    guests: bool = True
    """Whether a guest may be chosen."""
    avoid: frozenset[str] = frozenset()
    """Requesters for whom one could argue about it."""
    broken: bool = False
    """Identity is unavailable."""
    page_cap: int | None = None


def answer(
    required: Mapping[LinkKind, tuple[str, ...]] | None = None,
    closed: tuple[LinkKind, ...] = (),
    says: tuple[str, ...] = (),
    outcomes: tuple[Outcome, ...] = ("ok_answer",),
) -> Expected:
    """An answer that must carry these links, and no others of the closed kinds."""
    return Expected(
        accepted_outcomes=outcomes,
        required_links={kind: ids for kind, ids in (required or {}).items() if ids},
        closed_kinds=closed,
        open_kinds=tuple(kind for kind in LINK_KINDS if kind not in closed),
        must_contain=says,
    )


def nothing(
    closed: tuple[LinkKind, ...] = ("project",), also: tuple[Outcome, ...] = ()
) -> Expected:
    """Understood, and there is nothing."""
    return answer(closed=closed, outcomes=("ok_not_found", *also))


def clarify(also: tuple[Outcome, ...] = ()) -> Expected:
    return answer(outcomes=("none_clarification_needed", *also))


def denied(secrets: tuple[str, ...] = (), also: tuple[Outcome, ...] = ()) -> Expected:
    """A refusal without a trace of what was asked for."""
    return Expected(
        accepted_outcomes=("denied_security", *also),
        closed_kinds=LINK_KINDS,
        must_not_contain=secrets,
        leaks=secrets,
    )


def who_am_i(scene: Scene, user: str) -> WhoAmI:
    if not user:
        return WhoAmI("", True, "", "", scene.today.isoformat())
    person = scene.world.person_by_id[user]
    return WhoAmI(user, False, person.location, person.department, scene.today.isoformat())


def valid_code(scene: Scene, code: Code) -> str:
    """Another code of the same shape as the wiki's example."""
    for _ in range(50):
        letters = [str(scene.rng.randint(0, 9)) if c.isdigit() else c for c in code.example]
        candidate = "".join(letters)
        if candidate != code.example and re.fullmatch(code.pattern, candidate):
            return candidate
    return code.example


def broken_code(scene: Scene, code: Code) -> str:
    """Looks like a code at first sight and is none: O for 0, or a character short."""
    good = valid_code(scene, code)
    slips = [good[:-1], good.replace("0", "O"), good.replace("-", "", 1), good + "X"]
    wrong = [slip for slip in slips if not re.fullmatch(code.pattern, slip)]
    return scene.rng.choice(wrong)


def complete(scene: Scene, draft: Draft, spec_id: str, family: str) -> TaskSpec | None:
    """The task, or nothing if nobody could ask this so that the answer is beyond dispute."""
    user = _requester(scene, draft)
    if user is None or not is_clear(scene.world, scene.policy, user, draft.need):
        return None
    said = _Coded(scene, draft, user)
    utterance = said.utterance()
    expected = _guarded(scene, draft, user, said.expected(), utterance)
    return TaskSpec(
        spec_id=spec_id,
        family=family,
        text=utterance.text,
        whoami=None if draft.broken else who_am_i(scene, user),
        expected=expected,
        language=utterance.pattern.language,
        page_cap=draft.page_cap or scene.rng.choice(CAPS),
        variant=scene.variant,
        overlay=draft.overlay,
        wording=utterance.pattern.wording,
        explanation=f"{draft.explanation} {said.reason()}".strip(),
    )


def _requester(scene: Scene, draft: Draft) -> str | None:
    """Those named in the text do not ask about themselves in the third person."""
    if draft.about_me and scene.deny:
        return draft.who if scene.rng.random() > GUEST_SHARE else ""
    if draft.who is not None:
        return draft.who
    named = frozenset(slot.id for slot in draft.slots.values() if isinstance(slot, Person))
    return scene.requester(draft.need, guests=draft.guests, avoid=named | draft.avoid)


class _Coded:
    """A draft with its permission ruled on and, where the policy demands one, a code stated."""

    def __init__(self, scene: Scene, draft: Draft, user: str) -> None:
        self.scene, self.draft, self.user = scene, draft, user
        self.lacking = [
            operation
            for operation in draft.need.operations
            if not draft.settled
            and not scene.allowed(user, replace(draft.need, operations=(operation,)))
        ]
        self.allowed = not self.lacking
        codes = [scene.policy.code_for(operation) for operation in draft.need.operations]
        self.code = next((code for code in codes if code is not None), None)
        self.stated, self.valid = "", True
        if self.code is not None and not draft.settled:
            roll = scene.rng.random()
            self.valid = roll < 0.5
            if self.valid:
                self.stated = valid_code(scene, self.code)
            elif roll < 0.7:
                self.stated = broken_code(scene, self.code)

    def utterance(self) -> Utterance:
        endings = self.draft.endings
        if not self.stated or self.code is None:
            return self.scene.speaker.say(self.draft.frame, self.draft.slots, endings)
        extra = {"code_name": self.code.name, "code": self.stated}
        return self.scene.speaker.say(self.draft.frame, self.draft.slots, (*endings, "code"), extra)

    def expected(self) -> Expected:
        if not self.allowed:
            return denied(self.draft.secrets)
        if not self.valid:
            return clarify()
        if self.code is not None and self.code.goes_into == "notes" and self.stated:
            events = tuple(_noting(event, self.stated) for event in self.draft.expected.events)
            return replace(self.draft.expected, events=events)
        return self.draft.expected

    def reason(self) -> str:
        if self.draft.settled:
            return ""
        who = self.user or "a guest"
        if not self.allowed:
            return f"But {who} lacks {' and '.join(self.lacking)}."
        if not self.valid and self.code is not None:
            return f"But the {self.code.name} is {'malformed' if self.stated else 'missing'}."
        return f"{who} may."


def _noting(event: ExpectedEvent, code: str) -> ExpectedEvent:
    if event.type != "Evt_TimeEntryLogged":
        return event
    where = {key: value for key, value in event.where.items() if key != "notes"}
    return replace(event, where={**where, "notes_contains": code})


def _guarded(
    scene: Scene, draft: Draft, user: str, expected: Expected, utterance: Utterance
) -> Expected:
    """What depends on the requester and the words: tokens, tolerance, names owed to guests."""
    if draft.truth is not None and expected.accepted_outcomes == ("ok_answer",):
        yes, no = tokens(utterance.pattern)
        good, bad = (yes, no) if draft.truth else (no, yes)
        expected = replace(expected, must_contain=(good,), must_not_contain=(bad,))
    mention = scene.policy.guest_must_mention
    if mention and not user and not draft.broken:
        expected = replace(
            expected,
            must_contain=(*expected.must_contain, mention),
            must_not_contain=tuple(x for x in expected.must_not_contain if x not in mention),
        )
    refused = expected.accepted_outcomes[0] == "denied_security"
    if user and draft.tolerate_me and "employee" in expected.closed_kinds and not refused:
        known = expected.tolerated_links.get("employee", ())
        tolerated = {**expected.tolerated_links, "employee": (*known, user)}
        expected = replace(expected, tolerated_links=tolerated)
    return expected
