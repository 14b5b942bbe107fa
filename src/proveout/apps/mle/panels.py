"""What a reader of a search sees: the choice and why, how scores grew, what mattered, the code."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from proveout.apps.mle import leakage
from proveout.apps.mle.problem import SCORE_PHRASE
from proveout.apps.mle.scripts.candidate import Candidate, called
from proveout.apps.mle.search.telling import shortened
from proveout.apps.mle.vetting import examined
from proveout.kernel.panels import (
    Bar,
    Chart,
    Code,
    Column,
    Diff,
    Node,
    Panel,
    Reference,
    Series,
    Table,
    Text,
    Tree,
)
from proveout.kernel.run import AttemptRecord, Run

MOST_DIFFS = 4
LONGEST_PLAN, LONGEST_NOTE = 200, 500
"""Of a plan, in the tree and above a diff."""
MOST_LEAKS = 3
MOST_STUDIES = 10
"""The latest; all of them are in the journal."""
LEAK = "mle.leak."
PAPER = "paper"
FINAL = "evaluate-final"
"""The branch of the script that makes a submission in `paper` mode."""
Fetch = Callable[[str], bytes]


def panels(run: Run, blobs: Fetch) -> Sequence[Panel]:
    """Selection first, then the way there."""
    answer = run.outcome.answer if run.outcome else None
    told: Mapping[str, Any] = answer if isinstance(answer, dict) else {}
    scripts = [attempt for attempt in run.attempts if attempt.returns == "Candidate"]
    measured = {attempt.key: _measured(run, attempt.key, blobs) for attempt in scripts}
    made: list[Panel] = []
    made.extend(_selection(told))
    made.extend(_findings(run))
    made.extend(_curve(scripts, told))
    made.extend(_studies(told))
    names, hidden = _names(scripts), told.get("holdout") is not None
    made.extend(_tree(scripts, names))
    made.extend(_leaks(scripts, names, believed=_mode(run) == PAPER, hidden=hidden))
    made.extend(_leaderboard(scripts, names, measured, told))
    made.extend(_solution(scripts, told))
    made.extend(_diffs(scripts, names, told))
    return made


def _names(scripts: Sequence[AttemptRecord]) -> dict[str, str]:
    """What readers call each script, by its key."""
    found = {it.key: Candidate.model_validate(it.proposal) for it in scripts}
    return {key: called(key, found) for key in found}


def _titled(name: str, key: str) -> str:
    """A script with its place in the tree of attempts: many are called the same."""
    return f"{name} · {key.partition('#')[0]}"


def _measured(run: Run, key: str, blobs: Fetch) -> Mapping[str, Any]:
    """What executing a script showed, and how long it took."""
    found: dict[str, Any] = {}
    if f"{key}:execution" in run.observed:
        found |= json.loads(blobs(run.observed[f"{key}:execution"]))["measured"]
    if f"{key}:circumstances" in run.observed:
        for held in json.loads(blobs(run.observed[f"{key}:circumstances"])):
            found |= held
    return found


def _selection(told: Mapping[str, Any]) -> Iterator[Panel]:
    if not told:
        return
    lines = [f"**{told.get('reason', '')}**"]
    if told.get("fold_score") not in (None, told.get("score")):
        lines.append(
            f"To be expected of the test: {told['score']:.6g} ± {told['standard_error']:.2g}. "
            f"The folds alone say {told['fold_score']:.6g}. Here the hold-out counts as well, and "
            "what the best of many owes to luck is taken off: each part of the rows was asked "
            "about what had been best on all others."
        )
    if told.get("stage") == "final run":
        score = told.get("final_score")
        lines.append(f"Trained again on all labelled rows, where it scored {score:.6g}.")
    elif told.get("reason") and told.get("stage") != PAPER:
        lines.append("The submission is what the scripts predicted during the search.")
    lines.append(f"Submission: `{told.get('submission')}`. Script: `{told.get('solution')}`.")
    yield Text(title="What was chosen, and why", text="\n\n".join(lines))
    rows = tuple(
        (
            "✓" if row["chosen"] else "",
            row["why"] if row["name"].startswith("blend") else _titled(row["why"], row["name"]),
            row["score"],
            row["standard_error"],
            row["holdout"],
            row.get("p_value"),
        )
        for row in told.get("rows") or ()
    )
    if not rows:
        return
    score = f"{told.get('metric')} on the folds"
    names = ("", "script", score, "± one error", "hold-out", "chance alone")
    note = (
        "Folds were fixed before anything ran. No proposer has seen the hold-out. A blend's score "
        "is honest: its weights are fitted without the fold that they are scored on. The last "
        "column is the p value of a paired test against the choice, fold by fold."
    )
    yield Table(
        title="Selection report",
        columns=tuple(
            Column(name=name, digits=5 if place > 1 else None) for place, name in enumerate(names)
        ),
        rows=rows,
        note=note,
    )


def _findings(run: Run) -> Iterator[Panel]:
    # That the run was stopped and went on is no word about the data.
    noted = [note for note in run.notes if not note.startswith("interrupted: ")]
    if noted:
        text = "\n".join(f"- {note}" for note in noted[:40])
        yield Text(title="What the data showed", text=text)


def _score(attempt: AttemptRecord) -> float | None:
    verdict = attempt.verdict
    return verdict.score if verdict is not None and verdict.accepted else None


def _curve(scripts: Sequence[AttemptRecord], told: Mapping[str, Any]) -> Iterator[Panel]:
    if len(scripts) < 2:
        return
    # Several are tried at a time.
    scripts = sorted(scripts, key=lambda attempt: attempt.ended)
    maximize = told.get("direction") != "minimize"
    best: list[float | None] = []
    for attempt in scripts:
        score, before = _score(attempt), best[-1] if best else None
        if score is None or (before is not None and (score > before) is not maximize):
            score = before
        best.append(score)
    yield Chart(
        title="Scores as they came",
        form="line",
        series=(
            Series(name="attempt", values=tuple(map(_score, scripts)), joined=False),
            Series(name="best so far", values=tuple(best)),
        ),
        labels=tuple(f"{attempt.ended:.0f}" for attempt in scripts),
        places=tuple(attempt.ended for attempt in scripts),
        x_label="seconds of the run",
        y_label=str(told.get("metric", "score")),
        direction="higher" if maximize else "lower",
    )


def _studies(told: Mapping[str, Any]) -> Iterator[Panel]:
    for study in (told.get("studies") or ())[-MOST_STUDIES:]:
        scores: Mapping[str, float] = study["scores"]
        base = scores.get("Baseline")
        if base is None or len(scores) < 2:
            continue
        shown = {name: value - base for name, value in scores.items() if name != "Baseline"}
        noise = float(study.get("noise") or 0.0)
        yield Chart(
            title=f"Ablation of {study['script']}",
            form="bars",
            series=(
                Series(
                    name="change of the score",
                    values=tuple(shown.values()),
                    errors=tuple(noise for _ in shown),
                ),
            ),
            labels=tuple(shown),
            reference=Reference(value=0.0, label="unchanged"),
            note=f"{study.get('summary', '')} The bars of error are the spread of the controls.",
        )


def _tree(scripts: Sequence[AttemptRecord], names: Mapping[str, str]) -> Iterator[Panel]:
    children: dict[str, list[AttemptRecord]] = {}
    known = {attempt.key for attempt in scripts}
    for attempt in scripts:
        parent = str(_field(attempt, "parent"))
        children.setdefault(parent if parent in known else "", []).append(attempt)

    def node(attempt: AttemptRecord, depth: int) -> Node:
        verdict = attempt.verdict
        status = "pending" if verdict is None else "accepted" if verdict.accepted else "rejected"
        below = children.get(attempt.key, []) if depth < 40 else []
        return Node(
            label=_titled(names[attempt.key], attempt.key),
            note=shortened(str(_field(attempt, "plan")), LONGEST_PLAN),
            status=status,  # type: ignore[arg-type]
            score=verdict.score if verdict else None,
            children=tuple(node(child, depth + 1) for child in below),
        )

    if scripts:
        yield Tree(
            title="Which script came from which",
            nodes=tuple(node(attempt, 0) for attempt in children.get("", [])),
        )


def _mode(run: Run) -> str:
    return str(run.task.get("mode", "")) if isinstance(run.task, dict) else ""


def _leaks(
    scripts: Sequence[AttemptRecord], names: Mapping[str, str], *, believed: bool, hidden: bool
) -> Iterator[Panel]:
    """The way that rows took in scripts that leaked, or how far reading came where none did.

    Where printed scores are believed, verdicts say nothing about leaks: what an agent could not
    correct was run all the same.
    """
    judged = [attempt for attempt in scripts if attempt.verdict is not None]
    leaking = [it for it in judged if _leaked(it) or (believed and _leaks_by_reading(it))]
    if judged and not leaking:
        yield Text(title="Leakage", text=_unleaking(judged, hidden=hidden))
    for attempt in leaking[:MOST_LEAKS]:
        source, name = str(_field(attempt, "source")), _titled(names[attempt.key], attempt.key)
        leaks = leakage.examine(source).leaks
        lines = {step.line for leak in leaks for step in leak.path} | {leak.line for leak in leaks}
        nodes = tuple(
            Node(
                label=f"{leak.code}, line {leak.line}",
                note=f"{leak.message} {leak.rows}".strip(),
                status="rejected",
                children=tuple(
                    Node(label=f"line {step.line}", note=step.what, status="rejected")
                    for step in leak.path
                ),
            )
            for leak in leaks
        )
        yield Tree(title=f"Leakage in {name}: the way of the rows", nodes=nodes)
        yield Code(
            title=f"Where it leaks in {name}",
            text=source,
            language="python",
            highlight=tuple(sorted(lines)),
        )


def _unleaking(scripts: Sequence[AttemptRecord], *, hidden: bool) -> str:
    """That nothing was found; for how many scripts that means little, and what counts for them."""
    doubts = Counter(
        doubt for it in scripts for doubt in examined(str(_field(it, "source"))).unsure[:1]
    )
    told = (
        f"{len(scripts)} scripts were read before they ran. In none of them was an evaluated row "
        "seen to reach what is learnt."
    )
    if not doubts:
        return told
    reasons = "; ".join(f"{reason} ({times})" for reason, times in doubts.most_common())
    told += (
        " Reading follows a program only so far, and could not be sure of "
        f"{doubts.total()} of them: {reasons}."
    )
    if hidden:
        told += (
            " They had to prove themselves by running: on folds that were fixed before, and on a "
            "hold-out whose answers no script is given."
        )
    return told


def _leaked(attempt: AttemptRecord) -> bool:
    findings = attempt.verdict.findings if attempt.verdict else ()
    return any(f.code.startswith(LEAK) and f.severity == "error" for f in findings)


def _leaks_by_reading(attempt: AttemptRecord) -> bool:
    return bool(examined(str(_field(attempt, "source"))).leaks)


def _leaderboard(
    scripts: Sequence[AttemptRecord],
    names: Mapping[str, str],
    measured: Mapping[str, Mapping[str, Any]],
    told: Mapping[str, Any],
) -> Iterator[Panel]:
    sign = -1.0 if told.get("direction") == "minimize" else 1.0
    scored = [attempt for attempt in scripts if _score(attempt) is not None]
    scored.sort(key=lambda attempt: -sign * (_score(attempt) or 0.0))
    rows = []
    for attempt in scored[:30]:
        seen = measured[attempt.key]
        rows.append(
            (
                _titled(names[attempt.key], attempt.key),
                _score(attempt),
                seen.get("standard_error"),
                seen.get("holdout_score"),
                round(float(seen.get("seconds", 0.0)), 1),
                round(float(seen.get("cpu_seconds", 0.0)), 1),
                round(float(seen.get("peak_bytes", 0)) / 2**20),
            )
        )
    heads = ("script", "score", "± one error", "hold-out", "seconds", "CPU seconds", "MiB")
    if rows:
        columns = tuple(Column(name=head) for head in heads)
        yield Table(
            title="Leaderboard",
            columns=columns,
            rows=tuple(rows),
            bar=Bar(column="seconds"),
            more=max(0, len(scored) - 30),
        )


def _solution(scripts: Sequence[AttemptRecord], told: Mapping[str, Any]) -> Iterator[Panel]:
    wanted = [it for it in scripts if it.path == "final"]
    wanted = wanted or [it for it in scripts if it.key == told.get("best")]
    if told.get("stage") == PAPER:
        # The last of its versions, if it had to be mended.
        wanted = [it for it in reversed(scripts) if FINAL in it.path and _score(it) is not None]
    for attempt in wanted[:1]:
        note = f"prints `{SCORE_PHRASE} …`; runs alone beside its `input` folder"
        source = str(_field(attempt, "source"))
        yield Code(title="The script", text=source, language="python", note=note)


def _diffs(
    scripts: Sequence[AttemptRecord], names: Mapping[str, str], told: Mapping[str, Any]
) -> Iterator[Panel]:
    """The edits behind the best scripts."""
    by_key = {attempt.key: attempt for attempt in scripts}
    shown = 0
    key = str(told.get("best", ""))
    while key in by_key and shown < MOST_DIFFS:
        attempt = by_key[key]
        parent = str(_field(attempt, "parent"))
        if parent in by_key:
            shown += 1
            yield Diff(
                title=f"{_titled(names[key], key)}: what changed",
                before=str(_field(by_key[parent], "source")),
                after=str(_field(attempt, "source")),
                language="python",
                before_name=parent,
                after_name=key,
                note=shortened(str(_field(attempt, "plan")), LONGEST_NOTE),
            )
        key = parent


def _field(attempt: AttemptRecord, name: str) -> Any:
    return attempt.proposal.get(name, "") if isinstance(attempt.proposal, dict) else ""
