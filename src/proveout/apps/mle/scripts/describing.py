"""A task in words for whoever writes scripts: its own description, then what the files showed."""

from pathlib import Path

from proveout.apps.mle.problem import Problem

LONGEST_DESCRIPTION = 12_000
MOST_COLUMNS = 60
NAMES = ("description.md", "description.txt", "README.md", "readme.md", "task.md", "task.txt")


def description(folder: Path, problem: Problem) -> str:
    """Bounded, whatever lies in the folder."""
    return f"{_own_words(folder)}\n\n{_facts(problem)}".strip()


def _own_words(folder: Path) -> str:
    for place in (folder, folder / "input", folder / "data"):
        for name in NAMES:
            path = place / name
            if path.is_file():
                with path.open("rb") as file:
                    content = file.read(4 * LONGEST_DESCRIPTION)
                return content.decode(errors="replace")[:LONGEST_DESCRIPTION]
    return ""


def _facts(problem: Problem) -> str:
    wanted = "maximised" if problem.direction == "maximize" else "minimised"
    lines = [
        f"Kind: {problem.kind}. Predict {', '.join(problem.targets)}.",
        f"Metric: {problem.metric}, to be {wanted}.",
        f"Rows: {problem.rows} labelled, {problem.test_rows} to predict.",
    ]
    if problem.labels:
        lines.append(f"Classes, in the order of prediction columns: {', '.join(problem.labels)}.")
    if problem.time:
        lines.append(f"Rows are ordered by {problem.time}; test rows come later.")
    if problem.groups:
        lines.append(f"Rows with the same {problem.groups} belong together.")
    shown = [f"{column.name} ({column.kind})" for column in problem.features[:MOST_COLUMNS]]
    more = len(problem.features) - len(shown)
    lines.append("Columns: " + ", ".join(shown) + (f" and {more} more" if more > 0 else "") + ".")
    lines += [f"Not usable: {item.column}, {item.reason}." for item in problem.dropped]
    return "\n".join(lines)
