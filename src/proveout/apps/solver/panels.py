"""What a reader of a solved task sees: the reply, its proof, the calls, the rows, the changes."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError

from proveout.kernel.panels import Cell, Code, Column, Diff, Panel, Table, Text
from proveout.kernel.run import Run

MOST_ROWS = 25
LONGEST_CELL = 160
ONE_LINE = 100
HASHED = "sha256:"


def panels(run: Run, blobs: Callable[[str], bytes]) -> Sequence[Panel]:
    """Reply, procedure, rules and proofs, tool calls, SQL with rows, writes before and after."""
    del blobs
    answer = run.outcome.answer if run.outcome else None
    if not isinstance(answer, dict):
        return ()
    task = run.task if isinstance(run.task, dict) else {}
    decision: Mapping[str, Any] = _table_of(answer.get("decision"))
    made: list[Panel] = [_reply(task, answer)]
    made.extend(_steps(decision))
    made.extend(_proofs(decision))
    made.extend(_calls(decision))
    made.extend(_sql(decision))
    made.extend(_writes(decision))
    return made


def _reply(task: Mapping[str, Any], answer: Mapping[str, Any]) -> Text:
    response = _table_of(answer.get("response"))
    links = ", ".join(f"{link['kind']} {link['id']}" for link in response.get("links") or ())
    identity = _table_of(answer.get("identity"))
    who = identity.get("current_user") or ("a guest" if identity else "nobody known")
    asked = str(task.get("text", ""))[:2_000]
    lines = [
        f"{who} asks: {asked}",
        f"**{response.get('outcome', 'no answer')}** {response.get('message', '')}",
    ]
    if links:
        lines.append(f"Links: {links}")
    sent = "Sent once to the API." if answer.get("sent") else "Not sent."
    return Text(title="Request and reply", text="\n\n".join(lines), note=sent)


def _steps(decision: Mapping[str, Any]) -> Iterator[Panel]:
    steps = decision.get("steps") or ()
    if steps:
        text = "\n".join(f"- {step}" for step in steps)
        note = "The ordered procedure; what the plan claims has no say in it."
        yield Text(title="How the outcome was decided", text=text, note=note)


def _proofs(decision: Mapping[str, Any]) -> Iterator[Panel]:
    """One row per rule that was cited, with its own words."""
    rows: list[tuple[Cell, ...]] = []
    for proof in decision.get("proofs") or ():
        mark = "✓" if proof["result"] == "allow" else "✗"
        facts = _facts({**proof["identity"], **proof["predicates"]})
        cited: Sequence[Mapping[str, Any]] = proof["rules"] or ({},)
        for rule in cited:
            place = " · ".join(filter(None, (rule.get("page"), rule.get("anchor"))))
            if rule.get("profile"):
                place = place or f"profile {rule['profile']}"
            quote = str(rule.get("quote") or rule.get("id", ""))
            rows.append((mark, proof["operation"], quote, place, facts))
    if rows:
        columns = tuple(map(_column, ("", "operation", "rule", "where it stands", "facts")))
        note = "✓ allowed, ✗ denied. Identity comes from who_am_i() alone."
        yield Table(title="Proof", columns=columns, rows=tuple(rows), note=note)


def _calls(decision: Mapping[str, Any]) -> Iterator[Panel]:
    rows = [
        (
            "✓" if entry["ok"] else "✗",
            entry["tool"],
            _facts(entry["args"]),
            entry["error"] or ", ".join(entry["ids"][:5]) or f"{entry['rows']} rows",
            _digest(entry["digest"]),
        )
        for entry in decision.get("trace") or ()
    ]
    if rows:
        names = ("", "tool", "arguments", "result", "digest")
        columns = tuple(map(_column, names))
        yield Table(title="Calls", columns=columns, rows=tuple(rows))


def _sql(decision: Mapping[str, Any]) -> Iterator[Panel]:
    for step in decision.get("sql") or ():
        note = f"as executed; {step['count']} rows, digest {_digest(step['digest'])}"
        text = _laid_out(step["statement"])
        yield Code(title=f"SQL: {step['bind']}", text=text, language="sql", note=note)
        rows = [tuple(map(_cell, row)) for row in step["rows"][:MOST_ROWS]]
        if rows:
            columns = tuple(map(_column, step["columns"]))
            more = max(0, step["count"] - len(rows))
            yield Table(title=f"Rows: {step['bind']}", columns=columns, rows=tuple(rows), more=more)


def _writes(decision: Mapping[str, Any]) -> Iterator[Panel]:
    for write in decision.get("writes") or ():
        state = "sent" if write["sent"] else "not sent"
        state += ", read back and as wanted" if write["verified"] else ""
        yield Diff(
            title=f"Change: {write['intent']}",
            before=_pretty(write["before"]),
            after=_pretty(write["after"] if write["sent"] else write["body"]),
            language="json",
            note=f"{write['route']}, {state}, key {_digest(write['key'])}",
        )


def _table_of(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _column(name: str) -> Column:
    return Column(name=name)


def _cell(value: Any) -> Cell:
    return value if isinstance(value, bool | int | float | None) else str(value)[:LONGEST_CELL]


def _facts(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_short(value)}" for name, value in values.items())


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if text.startswith(HASHED):
        return _digest(text)
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + "…"


def _digest(value: Any) -> str:
    """Enough of a hash to compare two by eye."""
    return str(value).removeprefix(HASHED)[:12]


def _laid_out(statement: str) -> str:
    """The same statement on several lines; a text that cannot be read stays as it is."""
    if len(statement) <= ONE_LINE:
        return statement
    try:
        return sqlglot.parse_one(statement, dialect="sqlite").sql("sqlite", pretty=True)
    except SqlglotError:
        return statement


def _pretty(value: Any) -> str:
    return "" if value is None else json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)
