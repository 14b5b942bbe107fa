"""`offline`: the role's own expert answers. No key, no network, no weights, no cost."""

import json
from typing import Any

from pydantic import BaseModel

from proveout.adapters.models.replies import within
from proveout.kernel.canonical import canonical
from proveout.kernel.errors import Interrupted, PrerequisiteError
from proveout.kernel.ports import Cancel, ModelCall, Reply
from proveout.kernel.types import Usage


class OfflineModel:
    """Deterministic as far as the experts are; it adds nothing of its own."""

    @property
    def name(self) -> str:
        return "offline"

    @property
    def paid(self) -> bool:
        return False

    def ceiling(self, call: ModelCall) -> Usage:  # noqa: ARG002 - nothing costs nothing
        return Usage()

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        if cancel.is_set():
            raise Interrupted
        if call.expert is None:
            message = f"the role {call.role!r} has no offline expert"
            raise PrerequisiteError(message, hint="choose a model for it with --model")
        return within(_reply(call.role, call.expert(call.brief)), call.limits)

    def close(self) -> None:
        """Nothing is held."""


def _reply(role: str, answer: Any) -> Reply:
    if answer is None:
        return Reply(model="offline")
    if isinstance(answer, str):
        return Reply(text=answer, model="offline")
    plain = answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer
    try:
        text = canonical(plain)
    except (TypeError, ValueError) as error:
        message = f"the offline expert of {role!r} returned something that is not JSON: {error}"
        raise TypeError(message) from error
    return Reply(text=text, value=json.loads(text), model="offline")
