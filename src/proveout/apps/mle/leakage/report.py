"""What an examination found: each leak with its place, its proof and its rows."""

from typing import Literal

from proveout.apps.mle.leakage.codes import RULES, Confidence, Harm
from proveout.kernel.types import Finding, Frozen

Proved = Literal["static", "dynamic", "both"]
Shown = Literal["proved", "refuted", "undecided"]


class Step(Frozen):
    """One station on the way from where something was learnt to where it was scored."""

    line: int
    what: str
    cell: int | None = None
    """Notebook cell, counted from one."""
    code: str = ""
    """The line itself."""


class Leak(Frozen):
    code: str
    message: str
    line: int
    end_line: int
    block: str
    """The statement at fault: exactly as it stands in the source."""
    path: tuple[Step, ...]
    rows: str
    """Which rows were seen that should not have been."""
    harm: Harm
    confidence: Confidence
    hint: str
    cell: int | None = None
    columns: tuple[str, ...] = ()
    """Columns that must not be among the features."""
    proved: Proved = "static"
    """By following the program, by running it, or by both."""
    evidence: tuple[str, ...] = ()
    """What running showed."""
    refuted: str = ""
    """Why running speaks against it; such a finding is shown and does not count."""

    @property
    def counts(self) -> bool:
        """Whether it is worth an exit code: more than a note, more than a suspicion."""
        return self.harm != "low" and self.confidence != "suspect" and not self.refuted


class Trials(Frozen):
    """What running the program on changed data showed, as a whole."""

    verdict: Shown
    why: str
    """In one sentence."""
    runs: int = 0
    seconds: float = 0.0
    target: str = ""
    fits: int = 0
    evaluations: int = 0
    held_out_rows: int = 0
    notes: tuple[str, ...] = ()


class Report(Frozen):
    filename: str = ""
    findings: tuple[Leak, ...] = ()
    ignored: tuple[Leak, ...] = ()
    """Found, and set aside by a comment in the source."""
    unsure: tuple[str, ...] = ()
    """Why silence is no acquittal."""
    unreadable: str = ""
    trials: Trials | None = None
    """If it was run."""

    @property
    def leaks(self) -> tuple[Leak, ...]:
        return tuple(leak for leak in self.findings if leak.counts)

    @property
    def notes(self) -> tuple[Leak, ...]:
        return tuple(leak for leak in self.findings if not leak.counts)

    @property
    def codes(self) -> frozenset[str]:
        return frozenset(leak.code for leak in self.leaks)

    def as_findings(self) -> tuple[Finding, ...]:
        """For a verdict: leaks are errors, and so is what nobody can read; the rest is told."""
        return tuple(
            Finding(
                code=f"mle.{leak.code}",
                message=leak.message,
                where=f"{self.filename or 'script'}:{leak.line}",
                severity="error" if leak.counts or self.unreadable else "info",
                hint=RULES[leak.code].hint,
            )
            for leak in self.findings
        )
