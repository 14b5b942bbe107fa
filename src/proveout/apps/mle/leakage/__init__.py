"""Finds data that reached training although it must not, proves it, and repairs it."""

from proveout.apps.mle.leakage.answers import correct, detection
from proveout.apps.mle.leakage.codes import FINDINGS
from proveout.apps.mle.leakage.examining import examine
from proveout.apps.mle.leakage.repairing import difference, repair
from proveout.apps.mle.leakage.report import Leak, Report, Step

__all__ = [
    "FINDINGS",
    "Leak",
    "Report",
    "Step",
    "correct",
    "detection",
    "difference",
    "examine",
    "repair",
]
