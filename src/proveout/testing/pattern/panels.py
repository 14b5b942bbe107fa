"""What a reader of a run wants to see first: the word and how it grew."""

from collections.abc import Callable, Sequence

from proveout.kernel.panels import Column, Panel, Table
from proveout.kernel.run import Run


def panels(run: Run, blobs: Callable[[str], bytes]) -> Sequence[Panel]:
    """The words in the order they were tried."""
    del blobs
    rows = []
    for attempt in run.attempts:
        proposal = attempt.proposal if isinstance(attempt.proposal, dict) else {}
        word = str(proposal.get("word", ""))
        verdict = attempt.verdict
        state = "pending" if verdict is None else "accepted" if verdict.accepted else "rejected"
        rows.append((attempt.key, word, len(word), state))
    columns = tuple(Column(name=name) for name in ("attempt", "word", "letters", "verdict"))
    return (Table(title="Words", columns=columns, rows=tuple(rows)),)
