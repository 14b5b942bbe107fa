"""A report for people, for editors and for pipelines: text, JSON, SARIF, GitHub annotations."""

from collections.abc import Iterable

from proveout.apps.mle.leakage.codes import RULES
from proveout.apps.mle.leakage.page import page
from proveout.apps.mle.leakage.report import Leak, Report, Step
from proveout.apps.mle.leakage.wording import how, label, place, trial_lines
from proveout.apps.mle.leakage.wording import summary as summary

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"high": "error", "medium": "error", "low": "note"}


def as_text(report: Report) -> str:
    """Each finding with the way that the information took, drawn from top to bottom."""
    lines: list[str] = []
    for leak in report.findings:
        sure = "refuted by running" if leak.refuted else f"{leak.confidence}, {leak.harm} harm"
        lines.append(f"{place(report, leak)}  {leak.code}  {sure}{how(leak)}")
        lines.append(f"  {leak.message}")
        lines += [f"    | {row}" for row in leak.block.splitlines()]
        lines += _drawn(leak.path)
        lines += [f"  rows: {leak.rows}"] if leak.rows else []
        lines += [f"  run:  {told}" for told in leak.evidence if told not in leak.message]
        lines += [f"  run:  {leak.refuted}"] if leak.refuted else [f"  do:   {leak.hint}"]
        lines.append("")
    lines += trial_lines(report)
    lines.append(summary(report))
    return "\n".join(lines)


def _drawn(path: tuple[Step, ...]) -> list[str]:
    width = max((len(label(step)) for step in path), default=0)
    drawn: list[str] = []
    for number, step in enumerate(path):
        mark = "●" if number == 0 else ("▼" if number == len(path) - 1 else "│")
        drawn.append(f"  {mark} {label(step):>{width}}  {step.what}")
    return drawn


def as_data(report: Report) -> dict[str, object]:
    return {
        "file": report.filename,
        "leaks": len(report.leaks),
        "findings": [leak.model_dump(mode="json") for leak in report.findings],
        "ignored": [leak.model_dump(mode="json") for leak in report.ignored],
        "unsure": list(report.unsure),
        "unreadable": report.unreadable,
        "trials": report.trials.model_dump(mode="json") if report.trials else None,
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
        "properties": {
            "confidence": leak.confidence,
            "harm": leak.harm,
            "rows": leak.rows,
            "proved": leak.proved,
            "evidence": list(leak.evidence),
        },
    }
    if leak.refuted:
        made["suppressions"] = [{"kind": "external", "justification": leak.refuted}]
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
        said = f"{cell}{leak.message} - {leak.refuted or leak.hint}"
        lines.append(f"::{level} {where}::{_message(said)}")
    return "\n".join(lines)


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def as_html(reports: Iterable[Report]) -> str:
    """One page without scripts: each finding with its block and the way that the data took."""
    return page(reports)
