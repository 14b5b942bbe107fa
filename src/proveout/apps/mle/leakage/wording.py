"""The words that every form of a report shares: places, verdicts, what running showed."""

from proveout.apps.mle.leakage.report import Leak, Report, Step


def place(report: Report, leak: Leak | Step) -> str:
    """`file:12`, or `file:cell 3:4` in a notebook."""
    cell = f"cell {leak.cell}:" if leak.cell is not None else ""
    return f"{report.filename or '<source>'}:{cell}{leak.line}"


def label(step: Step) -> str:
    return f"cell {step.cell} line {step.line}" if step.cell is not None else f"line {step.line}"


def how(leak: Leak) -> str:
    """How it was proved, where it was run at all."""
    ways = {"both": ", proved by reading and by running", "dynamic": ", proved by running"}
    return ways.get(leak.proved, "")


def trial_lines(report: Report) -> list[str]:
    """What running showed as a whole; nothing if it was not run."""
    trials = report.trials
    if trials is None:
        return []
    held = f", {trials.held_out_rows} held-out rows" if trials.held_out_rows else ""
    head = f"run {trials.runs} times in {trials.seconds:.1f} s{held}: {trials.verdict}"
    return [head, f"  {trials.why}", *(f"  {note}" for note in trials.notes)]


def summary(report: Report) -> str:
    """One line; silence is never called proof."""
    name = report.filename or "<source>"
    if report.unreadable:
        return f"{name}: could not be judged: {report.unreadable}"
    leaks = len(report.leaks)
    notes = sum(not leak.refuted for leak in report.notes)
    open_ = report.trials is not None and report.trials.verdict == "undecided"
    silence = "no leak found by reading, undecided by running" if open_ else "no leak found"
    verdict = f"{leaks} leak{'s' if leaks != 1 else ''}" if leaks else silence
    parts = [verdict]
    if notes:
        parts.append(f"{notes} note{'s' if notes != 1 else ''}")
    if report.ignored:
        parts.append(f"{len(report.ignored)} ignored by comment")
    refuted = sum(bool(leak.refuted) for leak in report.findings)
    if refuted:
        parts.append(f"{refuted} refuted by running")
    doubts = f" (unsure: {'; '.join(report.unsure)})" if report.unsure else ""
    return f"{name}: {', '.join(parts)}{doubts}"
