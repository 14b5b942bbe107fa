"""Attempts for pages: their tree as links, and everything that is known about one of them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from proveout.kernel.panels import (
    Bitmap,
    Cell,
    Code,
    Column,
    Fact,
    Image,
    Panel,
    Section,
    Status,
    Table,
    Text,
)
from proveout.kernel.run import AttemptRecord, CallRecord, Run
from proveout.kernel.types import Finding
from proveout.report.attempt_panels import Branches, branches_of, change, spelled
from proveout.report.wording import count, json_text, money, number, seconds
from proveout.server.pages.pictures import kind_of

Fetch = Callable[[str], bytes | None]
MOST_EVIDENCE = 40
MOST_EVIDENCE_LETTERS = 40_000
MOST_ROWS = 60
SHORT_TEXT = 200
MOST_PROMPT_LETTERS = 200_000


@dataclass(frozen=True)
class Step:
    """A line of the tree: an attempt, or a branch that holds some."""

    label: str
    status: Status
    key: str = ""
    address: str = ""
    score: float | None = None
    note: str = ""
    children: tuple["Step", ...] = ()


@dataclass(frozen=True)
class Shown:
    """One attempt, ready for a template."""

    key: str
    label: str
    subtitle: str
    status: Status
    state: str
    verdict: str
    facts: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    panels: tuple[Panel, ...]
    address: str = ""
    """Of its own page."""


def base_of(run: str) -> str:
    return f"/runs/{quote(run, safe='')}"


def address_of(run: str, key: str) -> str:
    """The page of an attempt."""
    return f"{base_of(run)}/attempt?key={quote(key, safe='')}"


def tree_of(run: Run, attempts: Sequence[AttemptRecord]) -> tuple[Step, ...]:
    """Attempts under their branches, in the order in which they came."""
    return _steps(run, branches_of(attempts), "")


def _steps(run: Run, inside: Branches, path: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    for item in inside[path]:
        if isinstance(item, AttemptRecord):
            steps.append(_step(run, item, f"round {item.round + 1}"))
            continue
        label, held = item.rpartition("/")[2], inside[item]
        if len(held) == 1 and isinstance(held[0], AttemptRecord):
            # A branch with a single attempt is that attempt.
            steps.append(_step(run, held[0], label))
        else:
            children = _steps(run, inside, item)
            steps.append(Step(label, children[-1].status, children=children))
    return tuple(steps)


def _step(run: Run, attempt: AttemptRecord, label: str) -> Step:
    verdict = attempt.verdict
    return Step(
        label=label,
        status=status_of(attempt),
        key=attempt.key,
        address=f"{base_of(run.id)}?attempt={quote(attempt.key, safe='')}#chosen",
        score=verdict.score if verdict else None,
        note=", ".join(sorted({finding.code for finding in verdict.findings})) if verdict else "",
    )


def status_of(attempt: AttemptRecord) -> Status:
    if attempt.verdict is None:
        return "pending"
    return "accepted" if attempt.verdict.accepted else "rejected"


def found(run: Run, key: str) -> AttemptRecord | None:
    return next((attempt for attempt in run.attempts if attempt.key == key), None)


def shown(run: Run, attempt: AttemptRecord, fetch: Fetch) -> Shown:
    """What the page of a run shows of the chosen attempt."""
    calls = calls_of(run, attempt)
    told = _verdict(attempt)
    by = ", ".join(sorted({f"{call.role} ({call.model})" for call in calls})) or "the flow itself"
    return Shown(
        key=attempt.key,
        label=attempt.key,
        subtitle=f"{attempt.returns} proposed by {by}",
        status=status_of(attempt),
        state={"pending": "being judged"}.get(status_of(attempt), status_of(attempt)),
        verdict=told,
        facts=tuple(_facts(attempt, calls)),
        findings=attempt.verdict.findings if attempt.verdict else (),
        panels=tuple(_main_panels(run, attempt, fetch)),
        address=address_of(run.id, attempt.key),
    )


def sections(run: Run, attempt: AttemptRecord, fetch: Fetch) -> tuple[Section, ...]:
    """What the page of an attempt shows below its findings."""
    made = (
        Section(title="Change", panels=tuple(_change(run, attempt))),
        Section(title="Proposal", panels=(_proposal(attempt),)),
        Section(title="Evidence", panels=tuple(evidence(run, attempt, fetch))),
        Section(title="Prompt and reply", panels=tuple(prompts(run, attempt, fetch))),
    )
    return tuple(section for section in made if section.panels)


def calls_of(run: Run, attempt: AttemptRecord) -> list[CallRecord]:
    """The calls behind a proposal: their keys are the attempt's, an arrow and the role."""
    return [call for call in run.calls if call.key.partition(">")[0] == attempt.key]


def parent_of(run: Run, attempt: AttemptRecord) -> AttemptRecord | None:
    """What a proposal was made from: the one it names, else the round before it."""
    if isinstance(attempt.proposal, dict):
        named = found(run, str(attempt.proposal.get("parent", "")))
        if named is not None and named.key != attempt.key:
            return named
    before = [
        one
        for one in run.attempts
        if one.path == attempt.path and one.round < attempt.round and one.returns == attempt.returns
    ]
    return before[-1] if before else None


def _verdict(attempt: AttemptRecord) -> str:
    verdict = attempt.verdict
    if verdict is None:
        return "It is being judged."
    errors = sum(finding.severity == "error" for finding in verdict.findings)
    score = "" if verdict.score is None else f" Score {number(verdict.score)}."
    if not errors:
        return f"No check found an error.{score}"
    return f"{count(errors, 'error')} found.{score}"


def _facts(attempt: AttemptRecord, calls: Sequence[CallRecord]) -> list[Fact]:
    usage = attempt.usage
    made = [
        Fact(name="round", value=str(attempt.round + 1)),
        Fact(name="at", value=seconds(attempt.elapsed)),
        Fact(name="model calls", value=f"{usage.calls:,}"),
        Fact(name="tokens", value=f"{usage.tokens:,}"),
        Fact(name="cost", value=money(usage.cost_usd)),
        Fact(name="thinking", value=seconds(sum(call.seconds for call in calls))),
        Fact(name="lessons given", value=str(len(attempt.lessons))),
    ]
    score = attempt.verdict.score if attempt.verdict else None
    return made if score is None else [Fact(name="score", value=number(score)), *made]


def _main_panels(run: Run, attempt: AttemptRecord, fetch: Fetch) -> list[Panel]:
    return [*_change(run, attempt), _proposal(attempt), *evidence(run, attempt, fetch, most=4)]


def _change(run: Run, attempt: AttemptRecord) -> list[Panel]:
    parent = parent_of(run, attempt)
    if parent is None or parent.malformed or attempt.malformed:
        return []
    return [change(f"What changed since {parent.key}", parent, attempt)]


def _proposal(attempt: AttemptRecord) -> Panel:
    text, language = spelled(attempt.proposal)
    whole = json_text(attempt.proposal)
    note = "" if language == "json" else f"The main text of {len(whole):,} characters of JSON."
    return Code(title="Proposal", text=text, language=language, note=note)


def evidence(
    run: Run, attempt: AttemptRecord, fetch: Fetch, most: int = MOST_EVIDENCE
) -> list[Panel]:
    """What checks observed or the flow kept for this attempt, by name."""
    mine = {
        place.removeprefix(attempt.key).lstrip(":"): reference
        for place, reference in run.observed.items()
        if place.startswith(f"{attempt.key}:")
    }
    panels = [_observed(name, reference, fetch) for name, reference in list(mine.items())[:most]]
    left = len(mine) - len(panels)
    if left > 0:
        panels.append(Text(title="More evidence", text=f"{count(left, 'more piece')} not shown."))
    return panels


def _observed(name: str, reference: str, fetch: Fetch) -> Panel:
    title = f"Observed: {name}" if len(name) <= 60 else f"Observed: {name[:59]}…"
    content = fetch(reference)
    if content is None:
        return Text(title=title, text=f"The journal has no content `{reference}`.")
    if kind_of(content) == "image/png":
        return Image(title=title, base=Bitmap(blob=reference), alt=name)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return Text(title=title, text=f"{len(content):,} bytes")
    try:
        value = json.loads(text)
    except ValueError:
        return Code(title=title, text=_cut(text, MOST_EVIDENCE_LETTERS))
    if _plain(value):
        return Text(title=title, text=f"`{json_text(value)}`")
    if isinstance(value, dict) and 0 < len(value) <= MOST_ROWS and all(map(_plain, value.values())):
        rows: tuple[tuple[Cell, ...], ...] = tuple(value.items())
        columns = (Column(name="name"), Column(name="value", align="left"))
        return Table(title=title, columns=columns, rows=rows)
    spelled_out = _cut(json_text(value), MOST_EVIDENCE_LETTERS)
    return Code(title=title, text=spelled_out, language="json")


def _plain(value: object) -> bool:
    is_short = isinstance(value, str) and len(value) <= SHORT_TEXT
    return value is None or is_short or isinstance(value, bool | int | float)


def _cut(text: str, most: int) -> str:
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}\n… {left:,} more characters"


def prompts(run: Run, attempt: AttemptRecord, fetch: Fetch) -> list[Panel]:
    """What was sent and what came back, word by word."""
    panels: list[Panel] = []
    for call in calls_of(run, attempt):
        who = f"{call.role} · {call.model}"
        if call.prompt:
            sent = _text(call.prompt, fetch)
            panels.append(Code(title=f"Prompt as sent: {who}", text=sent, language="markdown"))
        else:
            told = "An expert proposed this. It reads the data itself: no prompt was sent."
            panels.append(Text(title=f"Prompt: {who}", text=told))
        if call.text:
            note = f"{call.usage.tokens:,} tokens, {seconds(call.seconds)}, ended by {call.stop}"
            reply = _text(call.text, fetch)
            panels.append(Code(title=f"Reply: {who}", text=reply, language="json", note=note))
    return panels


def _text(reference: str, fetch: Fetch) -> str:
    content = fetch(reference)
    if content is None:
        return f"the journal has no content {reference}"
    return _cut(content.decode("utf-8", "replace"), MOST_PROMPT_LETTERS)
