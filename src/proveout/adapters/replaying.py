"""The model of a replay: there is none, only its name."""

from proveout.kernel.errors import Diverged
from proveout.kernel.ports import Cancel, ModelCall, Reply
from proveout.kernel.types import Usage


class RecordedOnly:
    """Stands where the run's model stood; a question that was not recorded cannot be answered."""

    paid = False

    def __init__(self, name: str) -> None:
        self.name = name

    def ceiling(self, call: ModelCall) -> Usage:
        del call
        return Usage()

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        del cancel
        message = f"the replay asked {call.role!r} something that the run never asked"
        raise Diverged(message)

    def close(self) -> None:
        """Nothing to release."""
