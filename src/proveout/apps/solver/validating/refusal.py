"""A plan that cannot be used, as an exception on its way to becoming a finding."""

from proveout.apps.solver.validating.codes import FINDINGS, HINTS
from proveout.kernel.types import Finding


class PlanRefused(Exception):  # noqa: N818 - a value on its way, caught by the validator
    """One reason for which a plan goes back to its proposer."""

    def __init__(self, *, code: str, message: str, where: str = "") -> None:
        super().__init__(message)
        self.finding = finding(code, message, where)


def finding(code: str, message: str, where: str = "") -> Finding:
    """With the advice that belongs to the code, which quotes nothing."""
    return Finding(
        code=code, message=message, where=where, hint=HINTS.get(code, FINDINGS.get(code, ""))
    )
