"""Proves or refutes leakage by running a program on changed data, in the sandbox."""

from proveout.apps.mle.leakage.dynamic.examining import examine_by_running
from proveout.apps.mle.leakage.dynamic.proving import PROBES, Means, ProbeName
from proveout.apps.mle.leakage.dynamic.tables import Folder, read_folder

__all__ = ["PROBES", "Folder", "Means", "ProbeName", "examine_by_running", "read_folder"]
