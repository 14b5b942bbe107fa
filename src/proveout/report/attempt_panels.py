"""What a run's attempts show: their tree, scores, findings, the proposal itself, and test cases."""

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from proveout.kernel.panels import (
    Case,
    Cell,
    Chart,
    Code,
    Column,
    Diff,
    Node,
    Panel,
    Series,
    Status,
    Table,
    Tree,
)
from proveout.kernel.run import AttemptRecord, Run
from proveout.kernel.types import Finding, Severity
from proveout.report.wording import count, json_text, shortened

LONG_TEXT = 120
"""Characters from which a field is read as a text of its own."""
_LANGUAGES = {"script": "python", "code": "python", "sql": "sql", "query": "sql", "html": "html"}


def _left_out(run: Run, attempts: Sequence[AttemptRecord]) -> str:
    left = len(run.attempts) - len(attempts)
    return f"{count(left, 'more attempt')} not shown" if left else ""


def attempt_panels(run: Run, attempts: Sequence[AttemptRecord]) -> list[Panel]:
    left = _left_out(run, attempts)
    panels: list[Panel] = [
        Tree(title="Tree of attempts", nodes=_nodes(branches_of(attempts), ""), note=left)
    ]
    scores = {a.key: a.verdict.score for a in attempts if a.verdict and a.verdict.score is not None}
    if len(scores) > 1:
        panels.append(
            Chart(
                title="Score over attempts",
                form="line",
                series=(Series(name="score", values=tuple(scores.values())),),
                labels=tuple(scores),
                note=left,
            )
        )
    if run.findings:
        panels.append(_findings_table(run))
    return panels


Branches = Mapping[str, Sequence[AttemptRecord | str]]
"""What is directly in each branch: attempts, and the paths of further branches."""


def branches_of(attempts: Sequence[AttemptRecord]) -> Branches:
    """Attempts under their branches, both in the order in which they came."""
    inside: dict[str, list[AttemptRecord | str]] = {"": []}
    for attempt in attempts:
        parent = ""
        for segment in attempt.path.split("/") if attempt.path else []:
            path = f"{parent}/{segment}" if parent else segment
            if path not in inside:
                inside[path] = []
                inside[parent].append(path)
            parent = path
        inside[parent].append(attempt)
    return inside


def _nodes(inside: Branches, path: str) -> tuple[Node, ...]:
    nodes = []
    for item in inside[path]:
        if isinstance(item, str):
            children = _nodes(inside, item)
            label = item.rpartition("/")[2]
            nodes.append(Node(label=label, status=_branch_status(children), children=children))
        else:
            nodes.append(_leaf(item))
    return tuple(nodes)


def _branch_status(children: Sequence[Node]) -> Status:
    """A loop ends with its last word."""
    return children[-1].status


def _leaf(attempt: AttemptRecord) -> Node:
    verdict = attempt.verdict
    if verdict is None:
        return Node(label=f"#{attempt.round}", note="being judged")
    codes = Counter(finding.code for finding in verdict.findings)
    note = ", ".join(code if times == 1 else f"{code} ×{times}" for code, times in codes.items())
    if len(verdict.findings) == 1:
        note = f"{note}: {shortened(verdict.findings[0].message, 100)}"
    return Node(
        label=f"#{attempt.round}",
        note=note,
        status="accepted" if verdict.accepted else "rejected",
        score=verdict.score,
    )


def _findings_table(run: Run) -> Table:
    latest: dict[str, tuple[Finding, str]] = {}
    for attempt in run.attempts:
        for finding in attempt.verdict.findings if attempt.verdict else ():
            latest[finding.code] = (finding, attempt.key)
    weight: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}
    ordered = sorted(latest, key=lambda c: (weight[latest[c][0].severity], -run.findings[c], c))
    rows: list[tuple[Cell, ...]] = []
    for code in ordered:
        finding, key = latest[code]
        rows.append(
            (code, finding.severity, run.findings[code], key, finding.hint or finding.message)
        )
    return Table(
        title="Findings by code",
        columns=tuple(
            Column(name=name) for name in ("code", "severity", "times", "last in", "what to do")
        ),
        rows=tuple(rows),
    )


def proposal_panels(run: Run) -> list[Panel]:
    best = run.best
    if best is None:
        return []
    accepted = best.verdict is not None and best.verdict.accepted
    earlier = _rejected_before(run, best) if accepted else None
    word = "accepted" if accepted else "best so far"
    if earlier is None:
        text, language = spelled(best.proposal)
        return [Code(title=f"Proposal ({word})", text=text, language=language, note=best.key)]
    title = "From the last rejected proposal to the accepted one"
    return [change(title, earlier, best)]


def change(title: str, earlier: AttemptRecord, later: AttemptRecord) -> Diff:
    """What differs between two proposals of the same kind: their main text, if they have one."""
    field = _long_field(earlier.proposal, later.proposal)
    before, language = spelled(earlier.proposal, field)
    after, _ = spelled(later.proposal, field)
    return Diff(
        title=title,
        before=before,
        after=after,
        language=language,
        before_name=_judged(earlier),
        after_name=_judged(later),
    )


def _judged(attempt: AttemptRecord) -> str:
    if attempt.verdict is None:
        return attempt.key
    return f"{attempt.key} {'accepted' if attempt.verdict.accepted else 'rejected'}"


def _rejected_before(run: Run, best: AttemptRecord) -> AttemptRecord | None:
    """The last comparable one; from the same loop if there is one."""
    earlier = run.attempts[: run.attempts.index(best)]
    rejected = [
        a for a in earlier if a.verdict and not a.verdict.accepted and a.returns == best.returns
    ]
    same = [a for a in rejected if a.path == best.path]
    found = same or rejected
    return found[-1] if found else None


def _long_field(*proposals: JsonValue) -> str:
    """The field whose text is the heart of these proposals, if they have one in common."""
    found = [
        {n: v for n, v in p.items() if isinstance(v, str) and ("\n" in v or len(v) > LONG_TEXT)}
        for p in proposals
        if isinstance(p, dict)
    ]
    common = set(found[0]).intersection(*found) if len(found) == len(proposals) else set()
    return max(sorted(common), key=lambda name: len(found[-1][name]), default="")


def spelled(proposal: JsonValue, field: str | None = None) -> tuple[str, str]:
    """A proposal as text and the language of that text; by default its main field, else JSON."""
    name = _long_field(proposal) if field is None else field
    if name and isinstance(proposal, dict):
        return str(proposal[name]), _LANGUAGES.get(name.rpartition("_")[2], "text")
    return json_text(proposal), "json"


def cases_of(run: Run, attempts: Sequence[AttemptRecord]) -> list[Case]:
    ended_well = {
        a.path: index
        for index, a in enumerate(run.attempts)
        if a.verdict is not None and a.verdict.accepted
    }
    order = {a.key: index for index, a in enumerate(run.attempts)}
    cases, before = [], 0.0
    for attempt in attempts:
        verdict = attempt.verdict
        status: Status = "pending"
        if verdict is not None:
            status = "accepted" if verdict.accepted else "rejected"
        cases.append(
            Case(
                group=attempt.path or run.app,
                name=attempt.key,
                status=status,
                findings=verdict.findings if verdict else (),
                repaired=status == "rejected"
                and ended_well.get(attempt.path, -1) > order[attempt.key],
                seconds=max(0.0, attempt.elapsed - before),
            )
        )
        before = attempt.elapsed
    return cases
