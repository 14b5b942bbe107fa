"""A report for people, for editors and for pipelines: text, JSON, SARIF, GitHub annotations."""

from collections.abc import Iterable
from html import escape

from proveout.apps.mle.leakage.codes import RULES
from proveout.apps.mle.leakage.report import Leak, Report, Step

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"high": "error", "medium": "error", "low": "note"}


def place(report: Report, leak: Leak | Step) -> str:
    """`file:12`, or `file:cell 3:4` in a notebook."""
    cell = f"cell {leak.cell}:" if leak.cell is not None else ""
    return f"{report.filename or '<source>'}:{cell}{leak.line}"


def as_text(report: Report) -> str:
    """Each finding with the way that the information took, drawn from top to bottom."""
    lines: list[str] = []
    for leak in report.findings:
        lines.append(f"{place(report, leak)}  {leak.code}  {leak.confidence}, {leak.harm} harm")
        lines.append(f"  {leak.message}")
        lines += [f"    | {row}" for row in leak.block.splitlines()]
        lines += _drawn(leak.path)
        lines += [f"  rows: {leak.rows}"] if leak.rows else []
        lines.append(f"  do:   {leak.hint}")
        lines.append("")
    lines.append(summary(report))
    return "\n".join(lines)


def _drawn(path: tuple[Step, ...]) -> list[str]:
    width = max((len(_label(step)) for step in path), default=0)
    drawn: list[str] = []
    for number, step in enumerate(path):
        mark = "●" if number == 0 else ("▼" if number == len(path) - 1 else "│")
        drawn.append(f"  {mark} {_label(step):>{width}}  {step.what}")
    return drawn


def _label(step: Step) -> str:
    return f"cell {step.cell} line {step.line}" if step.cell is not None else f"line {step.line}"


def summary(report: Report) -> str:
    """One line; silence is never called proof."""
    name = report.filename or "<source>"
    if report.unreadable:
        return f"{name}: could not be judged: {report.unreadable}"
    leaks, notes = len(report.leaks), len(report.notes)
    verdict = f"{leaks} leak{'s' if leaks != 1 else ''}" if leaks else "no leak found"
    parts = [verdict]
    if notes:
        parts.append(f"{notes} note{'s' if notes != 1 else ''}")
    if report.ignored:
        parts.append(f"{len(report.ignored)} ignored by comment")
    doubts = f" (unsure: {'; '.join(report.unsure)})" if report.unsure else ""
    return f"{name}: {', '.join(parts)}{doubts}"


def as_data(report: Report) -> dict[str, object]:
    return {
        "file": report.filename,
        "leaks": len(report.leaks),
        "findings": [leak.model_dump(mode="json") for leak in report.findings],
        "ignored": [leak.model_dump(mode="json") for leak in report.ignored],
        "unsure": list(report.unsure),
        "unreadable": report.unreadable,
    }


def as_sarif(reports: Iterable[Report], version: str) -> dict[str, object]:
    """SARIF 2.1.0: results with their locations and, as code flows, their paths."""
    listed = list(reports)
    rules = [
        {
            "id": code,
            "shortDescription": {"text": rule.says},
            "help": {"text": rule.hint},
            "defaultConfiguration": {"level": LEVELS[rule.harm]},
        }
        for code, rule in RULES.items()
    ]
    driver = {"name": "proveout", "version": version, "rules": rules}
    results = [_result(report, leak, "") for report in listed for leak in report.findings]
    results += [_result(report, leak, "inSource") for report in listed for leak in report.ignored]
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _result(report: Report, leak: Leak, suppressed: str) -> dict[str, object]:
    steps = [
        {"location": {**_location(report, step.line, step.line), "message": {"text": step.what}}}
        for step in leak.path
    ]
    made: dict[str, object] = {
        "ruleId": leak.code,
        "ruleIndex": list(RULES).index(leak.code),
        "level": LEVELS[leak.harm] if leak.counts else "note",
        "message": {"text": leak.message},
        "locations": [_location(report, leak.line, leak.end_line)],
        "codeFlows": [{"threadFlows": [{"locations": steps}]}],
        "properties": {"confidence": leak.confidence, "harm": leak.harm, "rows": leak.rows},
    }
    if suppressed:
        made["suppressions"] = [{"kind": suppressed}]
    return made


def _location(report: Report, first: int, last: int) -> dict[str, object]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": report.filename or "source.py"},
            "region": {"startLine": max(first, 1), "endLine": max(last, first, 1)},
        }
    }


def as_github(report: Report) -> str:
    """Workflow commands: annotations at the lines of a pull request."""
    lines = []
    for leak in report.findings:
        level = "error" if leak.counts else "notice"
        where = (
            f"file={_property(report.filename)},line={leak.line},endLine={leak.end_line},"
            f"title={_property(leak.code)}"
        )
        cell = f"cell {leak.cell}: " if leak.cell is not None else ""
        lines.append(f"::{level} {where}::{_message(cell + leak.message + ' - ' + leak.hint)}")
    return "\n".join(lines)


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def as_html(reports: Iterable[Report]) -> str:
    """One page without scripts: each finding with its block and its path."""
    parts: list[str] = []
    for report in reports:
        parts.append(f"<h2>{escape(summary(report))}</h2>")
        for leak in report.findings:
            steps = "".join(
                f"<li><b>{escape(_label(step))}</b> {escape(step.what)}</li>" for step in leak.path
            )
            parts.append(
                f'<section class="{leak.harm}"><h3>{escape(leak.code)} '
                f"<small>{escape(place(report, leak))}, {leak.confidence}</small></h3>"
                f"<p>{escape(leak.message)}</p><pre>{escape(leak.block)}</pre>"
                f"<ol>{steps}</ol><p><i>{escape(leak.hint)}</i></p></section>"
            )
    return PAGE.format(body="\n".join(parts))


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Leakage</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto }}
pre {{ background: #f4f4f2; padding: .6rem; overflow: auto }}
section {{ border-left: 4px solid #b00; padding-left: 1rem; margin: 1rem 0 }}
section.low {{ border-color: #999 }}
</style>
{body}
</html>
"""
