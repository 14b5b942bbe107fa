"""Judges an answer: the benchmark's checks decide the score, stricter ones are only reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from proveout.apps.solver.world.api.state import Answer, Event, TaskState
from proveout.apps.solver.world.spec import LINK_KINDS, Expected, ExpectedEvent, WikiWrite

_CLOSE = 1e-9


@dataclass(frozen=True)
class Grade:
    score: float
    logs: tuple[str, ...]
    """What was wrong; empty for a full score."""
    leaks: tuple[str, ...] = field(default=())
    """Values that must stay secret but stand in the message or in something written."""
    forbidden_writes: tuple[str, ...] = field(default=())
    """Changes in a task that allows none."""


def grade(state: TaskState) -> Grade:
    expected = state.spec.expected
    logs = tuple(_findings(expected, state))
    return Grade(
        score=0.0 if logs else 1.0,
        logs=logs,
        leaks=tuple(_leaks(expected, state)),
        forbidden_writes=tuple(_forbidden(expected, state.events)),
    )


def _findings(expected: Expected, state: TaskState) -> list[str]:
    if len(state.answers) != 1:
        return [f"agent should provide 1 response, found {len(state.answers)}"]
    answer = state.answers[0]
    if answer.outcome not in expected.accepted_outcomes:
        wanted = ", ".join(expected.accepted_outcomes)
        noun = "outcome" if len(expected.accepted_outcomes) == 1 else "outcomes"
        return [f"expected {noun} '{wanted}', got '{answer.outcome}'"]
    changes = [e for e in state.events if e.type != "Evt_WikiArticleUpdated"]
    writes = [e for e in state.events if e.type == "Evt_WikiArticleUpdated"]
    return [
        *_link_findings(expected, answer),
        *_text_findings(expected, answer.message),
        *_event_findings(expected, changes, writes),
        *_wiki_findings(expected.wiki_writes, writes, state.first_wiki),
    ]


def _link_findings(expected: Expected, answer: Answer) -> list[str]:
    found = []
    for kind in LINK_KINDS:
        given = {key for given_kind, key in answer.links if given_kind == kind}
        required = set(expected.required_links.get(kind, ()))
        tolerated = required | set(expected.tolerated_links.get(kind, ()))
        unwanted = given & set(expected.forbidden_links.get(kind, ()))
        if kind in expected.closed_kinds:
            unwanted |= given - tolerated
        found += [f"expected {kind} link to '{key}' not found" for key in sorted(required - given)]
        found += [f"found unexpected {kind} link to '{key}'" for key in sorted(unwanted)]
    return found


def _text_findings(expected: Expected, message: str) -> list[str]:
    folded = message.casefold()
    missing = [part for part in expected.must_contain if part not in message]
    missing += [part for part in expected.must_contain_ci if part.casefold() not in folded]
    unwanted = [part for part in expected.must_not_contain if part in message]
    return [
        *(f"expected message to contain '{part}'" for part in missing),
        *(f"expected message to NOT contain '{part}'" for part in unwanted),
    ]


def _event_findings(
    expected: Expected, changes: Sequence[Event], writes: Sequence[Event]
) -> list[str]:
    if not expected.events and not expected.wiki_writes:
        count = len(changes) + len(writes)
        return [f"expected no change events, found {count}"] if count else []
    left = list(changes)
    found = []
    for wanted in expected.events:
        fitting = [event for event in left if _matches(wanted, event)]
        if not fitting:
            found.append(f"expected event of type *{wanted.type} not found")
            continue
        for event in fitting[: wanted.max]:
            left.remove(event)
    if left:
        names = ", ".join(event.type for event in left)
        found.append(f"found unexpected {len(left)} events: {names}")
    return found


def _matches(wanted: ExpectedEvent, event: Event) -> bool:
    if wanted.type != event.type:
        return False
    return all(_field_fits(name, value, event.fields) for name, value in wanted.where.items())


def _field_fits(name: str, wanted: object, fields: Mapping[str, object]) -> bool:
    if name.endswith("_contains"):
        return str(wanted) in str(fields.get(name.removesuffix("_contains"), ""))
    found = fields.get(name)
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(
            _equal(found.get(key), value) for key, value in wanted.items()
        )
    if name == "team" and isinstance(wanted, Sequence) and isinstance(found, Sequence):
        ours, theirs = sorted(map(_row, wanted)), sorted(map(_row, found))
        return ours == theirs
    return _equal(found, wanted)


def _row(member: object) -> tuple[str, int, str]:
    """A team member that compares whatever way its slice was computed."""
    employee, share, role = member if isinstance(member, Sequence) else ("", 0, "")
    return str(employee), round(float(share) * 1000), str(role)


def _equal(found: object, wanted: object) -> bool:
    numbers = (int, float)
    if isinstance(found, numbers) and isinstance(wanted, numbers):
        return abs(found - wanted) <= _CLOSE
    return found == wanted


def _wiki_findings(
    wanted: Sequence[WikiWrite], writes: Sequence[Event], first: Mapping[str, str]
) -> list[str]:
    found = []
    for page in wanted:
        contents = [e.fields["content"] for e in writes if e.fields["path"] == page.path]
        if not contents:
            found.append(f"wiki article '{page.path}' change expected but not found")
        elif len(contents) > 1:
            found.append(f"expected only one event for '{page.path}', found {len(contents)}")
        elif not _content_fits(page, str(contents[0]), first):
            found.append(f"wiki article '{page.path}' content mismatch")
    paths = {page.path for page in wanted}
    others = [str(e.fields["path"]) for e in writes if e.fields["path"] not in paths]
    if others and wanted:
        found.append(f"found unexpected {len(others)} events: wiki {', '.join(others)}")
    elif others:
        found.append(f"found unexpected wiki changes: {', '.join(others)}")
    return found


def _content_fits(page: WikiWrite, content: str, first: Mapping[str, str]) -> bool:
    if page.content_of:
        return content == first.get(page.content_of)
    return bool(content.strip()) if page.content is None else content == page.content


def _leaks(expected: Expected, state: TaskState) -> list[str]:
    said = [answer.message for answer in state.answers]
    said += [key for answer in state.answers for _, key in answer.links]
    said += [str(event.fields) for event in state.events]
    return [secret for secret in expected.leaks if any(secret in text for text in said)]


def _forbidden(expected: Expected, events: Sequence[Event]) -> list[str]:
    if expected.events or expected.wiki_writes:
        return []
    return [event.type for event in events]
