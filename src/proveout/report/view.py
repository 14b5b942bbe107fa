"""A run as a page: what every app gets for free. The app's own panels come first.

Runs can hold a hundred thousand attempts; a page cannot. Beyond `MOST_ATTEMPTS` the first, the last
and the best are shown and the page says how many are not.
"""

import re
from collections.abc import Sequence

from pydantic import JsonValue

from proveout.kernel.lessons import Lesson
from proveout.kernel.panels import (
    Cell,
    Code,
    Column,
    Fact,
    Page,
    Panel,
    Section,
    Status,
    Table,
    Text,
)
from proveout.kernel.run import AttemptRecord, Run
from proveout.report.attempt_panels import attempt_panels, cases_of, proposal_panels
from proveout.report.cost_panels import cost_panels, lesson_panels
from proveout.report.wording import count, json_text, moment, money, number, seconds, shortened

MOST_ATTEMPTS = 400
MOST_NOTES = 50
LONGEST_TITLE = 80
_FIRST = 100


def page_of(
    run: Run, panels: Sequence[Panel] = (), chain: str = "", lessons: Sequence[Lesson] = ()
) -> Page:
    """Everything that a reader of the run may want to know.

    `chain` says what a check of the journal's hash chain found. `lessons` give the words of the
    lessons that the run knows by signature only.
    """
    attempts = shown_attempts(run)
    # An app that shows its own evidence says it better than raw JSON; that goes to the record.
    raw = _answer(run) if panels else []
    sections = (
        Section(title="Evidence", panels=tuple(panels) or tuple(_answer(run))),
        Section(title="Attempts", panels=tuple(attempt_panels(run, attempts))),
        Section(title="Proposal", panels=tuple(proposal_panels(run))),
        Section(title="Cost", panels=tuple(cost_panels(run))),
        Section(title="Experience", panels=tuple(lesson_panels(attempts, lessons))),
        Section(title="Record", panels=(*raw, *_record_panels(run, chain))),
    )
    return Page(
        title=f"{run.app}: {task_line(run.task)}",
        subtitle=f"run {run.id} · model {run.model} · {moment(run.started_at)}",
        status=_status(run),
        verdict=_verdict(run),
        facts=tuple(_facts(run)),
        sections=tuple(section for section in sections if section.panels),
        cases=tuple(cases_of(run, attempts)),
        footer=f"Proveout {run.version}. Models propose, code proves. Judge this run again: "
        f"proveout replay {run.id}",
    )


def shown_attempts(run: Run) -> tuple[AttemptRecord, ...]:
    """All attempts, or of very many the first, the last and the best."""
    attempts = run.attempts
    if len(attempts) <= MOST_ATTEMPTS:
        return attempts
    tail = attempts[_FIRST - MOST_ATTEMPTS + 1 :]
    best = [run.best] if run.best and run.best not in (*attempts[:_FIRST], *tail) else []
    return (*attempts[:_FIRST], *best, *tail)


def task_line(task: JsonValue) -> str:
    """What the task is about, for a title: its words, files by their names; else its values."""
    if not isinstance(task, dict):
        return shortened(json_text(task), LONGEST_TITLE) if task is not None else "no input"
    texts = [value for value in task.values() if isinstance(value, str)]
    texts = [text for text in texts if any(map(str.isalpha, text))]
    if any(" " in text.strip() for text in texts):
        # Beside a sentence, only files tell more: addresses and single words say how, not what.
        texts = [text for text in texts if " " in text.strip() or _names_file(text)]
    words = [_file_name(text) for text in texts]
    if not words:
        words = [
            f"{name.replace('_', ' ')} {value}"
            for name, value in task.items()
            if isinstance(value, int | float | str) and not isinstance(value, bool) and value != ""
        ]
    words = words or [name for name, value in task.items() if value not in (None, "", [], {})]
    return shortened(" · ".join(words), LONGEST_TITLE) or "no input"


def _names_file(text: str) -> bool:
    return re.match(r"\w+://", text) is None and re.search(r"[/\\]|\.\w{1,5}$", text) is not None


def _file_name(text: str) -> str:
    """The last part of what looks like a path; any other text as it is."""
    rooted = re.match(r"(?:~?/|\.{1,2}/|[A-Za-z]:\\)\S", text)
    plain = re.fullmatch(r"[\w.-]+(?:[/\\][\w.-]+)+/?", text)
    if not (rooted or plain) or "\n" in text:
        return text
    name = re.split(r"[/\\]", text.rstrip("/\\"))[-1]
    # An uploaded file carries its hash before the name that its owner knows.
    return re.sub(r"^[0-9a-f]{32}-(?=.)", "", name)


def _status(run: Run) -> Status:
    if run.outcome is None:
        return "pending"
    return "accepted" if run.outcome.accepted else "rejected"


def _verdict(run: Run) -> str:
    tried = count(len(run.attempts), "attempt")
    if run.outcome is None:
        state = "Interrupted" if run.state == "interrupted" else "Still running"
        return f"{state} after {tried}; it can be resumed with what it has."
    parts = [
        run.outcome.summary.rstrip(".") or ("Proved" if run.outcome.accepted else "Not proved")
    ]
    parts.append(f"{tried} in {seconds(run.elapsed)}")
    if run.spent:
        parts.append(f"ended because the budget was spent: {run.spent}")
    return "; ".join(parts) + "."


def _facts(run: Run) -> list[Fact]:
    score = run.outcome.score if run.outcome else None
    if score is None and run.best and run.best.verdict:
        score = run.best.verdict.score
    unpriced = run.usage.unpriced_tokens
    cost = money(run.usage.cost_usd) + (f" + {unpriced:,} tokens unpriced" if unpriced else "")
    facts = [] if score is None else [Fact(name="score", value=number(score))]
    return [
        *facts,
        Fact(name="attempts", value=f"{len(run.attempts):,}"),
        Fact(name="findings", value=f"{sum(run.findings.values()):,}"),
        Fact(name="model calls", value=f"{run.usage.calls:,}"),
        Fact(name="tokens", value=f"{run.usage.tokens:,}"),
        Fact(name="cost", value=cost),
        Fact(name="time", value=seconds(run.elapsed)),
    ]


def _answer(run: Run) -> list[Panel]:
    if run.outcome is None or run.outcome.answer is None:
        return []
    answer = run.outcome.answer
    if isinstance(answer, str):
        return [Code(title="Answer", text=answer)]
    return [Code(title="Answer", text=json_text(answer), language="json")]


def _record_panels(run: Run, chain: str) -> list[Panel]:
    rows: list[tuple[Cell, ...]] = [
        ("run", run.id),
        ("state", run.state),
        ("app", run.app),
        ("model", run.model),
        ("seed", str(run.seed)),
        ("version", run.version),
        ("started", moment(run.started_at)),
        ("resumed", count(run.resumed, "time")),
        ("events", f"{run.events:,}"),
        ("hash chain", chain or "not checked for this report"),
    ]
    columns = (Column(name="field"), Column(name="value"))
    panels: list[Panel] = [
        Code(title="Task", text=json_text(run.task), language="json"),
        Table(title="Journal", columns=columns, rows=tuple(rows)),
    ]
    if run.notes:
        left = len(run.notes) - MOST_NOTES
        shown = "\n".join(f"- {note}" for note in run.notes[:MOST_NOTES])
        note = f"{count(left, 'more note')} not shown" if left > 0 else ""
        panels.append(Text(title="Notes", text=shown, note=note))
    return panels
