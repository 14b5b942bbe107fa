"""Two runs side by side, as lines: what differs by nature (times, ids) is left out."""

import difflib
import json

from proveout.kernel.run import Run
from proveout.kernel.types import Verdict


def difference(one: Run, other: Run) -> list[str]:
    """In the manner of `diff`; empty if the runs say the same."""
    return list(
        difflib.unified_diff(spelled(one), spelled(other), one.id, other.id, lineterm="", n=2)
    )


def spelled(run: Run) -> list[str]:
    """A run as lines."""
    head = {"app": run.app, "task": run.task, "model": run.model, "seed": run.seed}
    lines = json.dumps(head, indent=1, sort_keys=True).splitlines()
    # Branches that run side by side fall in any order.
    for attempt in sorted(run.attempts, key=lambda attempt: (attempt.path, attempt.round)):
        verdict = verdict_words(attempt.verdict) if attempt.verdict else "pending"
        lines.append(f"{attempt.key} {verdict}")
        lines.extend(
            "  " + line
            for line in json.dumps(attempt.proposal, indent=1, sort_keys=True).splitlines()
        )
    outcome = run.outcome.model_dump(mode="json") if run.outcome else None
    usage = run.usage.model_dump()
    return [*lines, f"outcome {json.dumps(outcome)}", f"usage {json.dumps(usage)}"]


def verdict_words(verdict: Verdict) -> str:
    codes = ",".join(sorted(finding.code for finding in verdict.findings))
    score = "" if verdict.score is None else f" score {verdict.score:g}"
    return f"{'accepted' if verdict.accepted else 'rejected'}{score} {codes}".strip()
