"""The company as SQL: acquired lazily, streamed, with provenance; the authority while solving."""

from proveout.apps.solver.snapshot.context import Terms
from proveout.apps.solver.snapshot.snapshot import Snapshot

__all__ = ["Snapshot", "Terms"]
