"""A model whose conversation is logged: the whole prompt, and the reply unless it is very long."""

import logging
from dataclasses import dataclass, replace

from proveout.kernel.context import Context
from proveout.kernel.ports import Cancel, Model, ModelCall, Reply
from proveout.kernel.types import Usage

logger = logging.getLogger(__name__)
SHOWN_CHARACTERS = 2000


@dataclass(frozen=True)
class Overheard:
    """Passes everything on; the log is at DEBUG, for the journal keeps it all anyway."""

    model: Model

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def paid(self) -> bool:
        return self.model.paid

    def ceiling(self, call: ModelCall) -> Usage:
        return self.model.ceiling(call)

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        logger.debug("%s is asked: %s", call.role, call.prompt)
        reply = self.model.ask(call, cancel)
        cut = "…" if len(reply.text) > SHOWN_CHARACTERS else ""
        logger.debug("%s replied: %s%s", call.role, reply.text[:SHOWN_CHARACTERS], cut)
        return reply

    def close(self) -> None:
        self.model.close()


def overhear(branch: Context) -> None:
    """Log what the models of this branch are asked and say; experts are not asked in words."""
    given = branch.ports.model_for

    def model_for(role: str) -> Model:
        model = given(role)
        return model if model.name == "offline" else Overheard(model)

    branch.ports = replace(branch.ports, model_for=model_for)
