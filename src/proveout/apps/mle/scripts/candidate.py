"""What is proposed and what executing it showed."""

import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pydantic import Field

from proveout.kernel.types import Attempt, Finding, Frozen

LONGEST_SOURCE = 400_000
DECISIONS = ("decisions", "test_decisions")
FIRST, REFINED, AGAIN = "init:", "refine:", "again:"
"""How origins begin: of a first script, of a version of a block, of one that runs once more and has
the script that it repeats as its parent."""
LONGEST_STEP = 32
"""Of what a plan begins with, up to a colon: the name of an edit."""


class Candidate(Frozen):
    """A training script, with where it came from."""

    source: str = Field(min_length=1, max_length=LONGEST_SOURCE)
    origin: str
    """`init:NAME`, `merge`, `refine:BLOCK`, `debug`, `ensemble`; `again:…` runs a second time."""
    parent: str = ""
    """Key of the attempt that it was made from."""
    plan: str = ""
    block: str = ""
    """The part of the parent that was replaced."""


class Measured(Frozen):
    """What the harness found out about a candidate by running it."""

    printed: float | None = None
    score: float | None = None
    standard_error: float = 0.0
    fold_scores: tuple[float, ...] = ()
    holdout_score: float | None = None
    """Never shown to proposers."""
    holdout_error: float = 0.0
    exit_code: int = 0
    ended_by: str = ""
    predictions: str = ""
    """Content id of `predictions.npz` in single precision."""
    submission: str = ""
    """Content id of `submission.csv`, of a final run only."""
    guarantees: tuple[str, ...] = ()


class Circumstances(Frozen):
    """What differs from one execution to the next and decides nothing about a script's worth."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    stdout: str = ""
    stderr: str = ""


class Tried(Frozen):
    """An attempt that was judged, ready to be ranked."""

    key: str
    candidate: Candidate
    measured: Measured
    accepted: bool
    circumstances: Circumstances = Circumstances()
    findings: tuple[str, ...] = ()
    """Codes."""
    refusal: Finding | None = None
    """The first error, if it was not accepted."""

    @property
    def seconds(self) -> float:
        return self.circumstances.seconds


def called(key: str, scripts: Mapping[str, Candidate]) -> str:
    """What readers call a script: the model that its line began with, and what was changed last.

    Many scripts of a search are called the same; `scripts` are all of them by their keys.
    """
    script, details = scripts[key], []
    if script.origin.startswith(AGAIN) and script.parent in scripts:
        script, details = scripts[script.parent], ["other seeds"]
    first = script
    if script.origin.startswith(REFINED):
        while first.parent in scripts:
            first = scripts[first.parent]
        head, colon, _ = script.plan.partition(":")
        # Names of edits are in small letters; sentences of a model begin with a capital.
        named = bool(colon) and head.islower() and len(head) <= LONGEST_STEP
        details.insert(0, head if named else script.origin.removeprefix(REFINED))
    name = first.origin.removeprefix(FIRST)
    return f"{name} ({'; '.join(details)})" if details else name


def tried(
    attempt: Attempt[Candidate], measured: Measured, circumstances: Circumstances
) -> Tried | None:
    """Nothing if there was no script at all."""
    if not isinstance(attempt.proposal, Candidate):
        return None
    errors = [it for it in attempt.verdict.findings if it.severity == "error"]
    return Tried(
        key=attempt.key,
        candidate=attempt.proposal,
        measured=measured,
        circumstances=circumstances,
        accepted=attempt.accepted,
        findings=tuple(finding.code for finding in attempt.verdict.findings),
        refusal=next(iter(errors), None),
    )


class Predictions(Frozen):
    """Out-of-fold and test predictions, as arrays."""

    model_config = {"arbitrary_types_allowed": True, "frozen": True}

    rows: Any
    predictions: Any
    test: Any
    decisions: Any = None
    """Class numbers, if they are not those of the largest probability."""
    test_decisions: Any = None


def unpacked(content: bytes) -> Predictions:
    """From the bytes that the journal keeps; older ones hold no decisions."""
    with np.load(io.BytesIO(content), allow_pickle=False) as held:
        return Predictions(
            rows=held["rows"],
            predictions=held["predictions"].astype(float),
            test=held["test"].astype(float),
            **{name: held[name].astype(np.int64) for name in DECISIONS if name in held},
        )


def packed(
    rows: Any, predictions: Any, test: Any, decisions: Any = None, test_decisions: Any = None
) -> bytes:
    """In single precision: half the size, and far below any difference that counts."""
    arrays: dict[str, Any] = {
        "rows": np.asarray(rows, dtype=np.int64),
        "predictions": np.asarray(predictions, dtype=np.float32),
        "test": np.asarray(test, dtype=np.float32),
    }
    for name, classes in zip(DECISIONS, (decisions, test_decisions), strict=True):
        if classes is not None:
            arrays[name] = np.asarray(classes, dtype=np.int32)
    held = io.BytesIO()
    np.savez_compressed(held, **arrays)
    return held.getvalue()


Fetch = Callable[[str], bytes]
