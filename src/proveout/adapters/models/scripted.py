"""`scripted:FILE`: a queue of replies, for tests and for showing a flow without a model.

The file is TOML with one `[[replies]]` table per reply, or JSON with a list of such tables:

    ledger = "given.jsonl"        # optional, beside FILE: what was given to which call

    [[replies]]
    role = "pattern/propose"      # optional: only a call of this role takes it
    value = {word = "aab"}        # or: text = "…"
    stop = "end"                  # or: length, refusal, oversized
    delay_seconds = 0.5           # optional: the answer takes this long
    usage = {input_tokens = 10, output_tokens = 3, cost_usd = 0.01}

    [[replies]]
    error = "busy"                # or: refused
    retry_after = 7               # seconds; with "busy" only

A call takes the first reply that is left for its role. A call whose key was answered before gets
the same answer again, as from a provider that honours idempotency keys; with a ledger that holds
for the next process too, and the ledger is the provider's own account of what it was asked.
"""

import json
import threading
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, Field, JsonValue, ValidationError, model_validator

from proveout.adapters.models.lines import LineWriter, read_lines
from proveout.adapters.models.replies import estimated_tokens, estimated_usage, within
from proveout.kernel.canonical import canonical, plain
from proveout.kernel.errors import (
    Interrupted,
    JournalError,
    ModelBusy,
    ModelRefused,
    PrerequisiteError,
    UsageError,
)
from proveout.kernel.ports import Cancel, ModelCall, Reply, StopReason
from proveout.kernel.types import Frozen, Usage


class ScriptedReply(Frozen):
    """What happens when a call takes this reply."""

    role: str = ""
    """Empty: any role takes it."""
    text: str = ""
    value: JsonValue = None
    stop: StopReason = "end"
    error: Literal["", "busy", "refused"] = ""
    retry_after: float | None = Field(default=None, ge=0, le=86_400)
    delay_seconds: float = Field(default=0.0, ge=0, le=86_400)
    usage: Usage | None = None
    """None estimates it from the lengths of prompt and text."""

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        if self.error and (self.text or self.value is not None):
            message = "an error has neither text nor value"
            raise ValueError(message)
        if self.retry_after is not None and self.error != "busy":
            message = "retry_after goes with error = 'busy'"
            raise ValueError(message)
        return self


class Script(Frozen):
    """The content of a script file."""

    replies: tuple[ScriptedReply, ...]
    ledger: str = ""


class Given(Frozen):
    """One line of the ledger."""

    key: str
    role: str
    reply: int
    """Position in the script, counted from 0."""
    again: bool = False
    """Whether the call's key had been answered before: no new work, nothing to pay."""


class ScriptedModel:
    """A real back end whose provider is a list. It remembers the `calls` it was given."""

    def __init__(
        self,
        replies: Iterable[ScriptedReply | BaseModel | Mapping[str, JsonValue] | str],
        *,
        name: str = "scripted",
        paid: bool = True,
        ledger: Path | None = None,
    ) -> None:
        self._name = name
        self._paid = paid
        self._replies = [_scripted(reply) for reply in replies]
        self._left = list(range(len(self._replies)))
        self._answered: dict[str, int] = {}
        self._lock = threading.Lock()
        self.calls: list[ModelCall] = []
        self._ledger: LineWriter | None = None
        if ledger is not None:
            self._ledger = LineWriter(ledger)
            try:
                self._catch_up(ledger)
            except JournalError:
                self._ledger.close()
                raise

    @property
    def name(self) -> str:
        return self._name

    @property
    def paid(self) -> bool:
        return self._paid

    def ceiling(self, call: ModelCall) -> Usage:
        """The estimate for the longest answer, or the script's dearest usage if that is more."""
        if not self._paid:
            return Usage()
        scripted = [reply.usage for reply in self._replies if reply.usage is not None]
        sent, received = estimated_tokens(call.prompt), call.limits.max_output_tokens
        return Usage(
            calls=max([1, *(usage.calls for usage in scripted)]),
            input_tokens=max([sent, *(usage.input_tokens for usage in scripted)]),
            output_tokens=max([received, *(usage.output_tokens for usage in scripted)]),
            cost_usd=max([0.0, *(usage.cost_usd for usage in scripted)]),
        )

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        if cancel.is_set():
            raise Interrupted
        reply = self._take(call)
        self._pass_time(reply.delay_seconds, call, cancel)
        if reply.error == "busy":
            message = "the scripted provider is busy"
            raise ModelBusy(message, retry_after_seconds=reply.retry_after)
        if reply.error == "refused":
            message = "the scripted provider refuses the call"
            raise ModelRefused(message)
        return self._reply(reply, call)

    def close(self) -> None:
        if self._ledger is not None:
            self._ledger.close()

    def _take(self, call: ModelCall) -> ScriptedReply:
        with self._lock:
            self.calls.append(call)
            index = self._answered.get(call.key)
            again = index is not None
            if index is None:
                index = self._next(call.role)
                self._left.remove(index)
            self._note(Given(key=call.key, role=call.role, reply=index, again=again))
            return self._replies[index]

    def _next(self, role: str) -> int:
        for index in self._left:
            if self._replies[index].role in ("", role):
                return index
        used = len(self._replies) - len(self._left)
        message = f"the script has no reply left for {role!r}: {used} of {len(self._replies)} used"
        raise PrerequisiteError(message, hint="add replies to the script")

    def _note(self, given: Given) -> None:
        self._keep(given)
        if self._ledger is not None:
            self._ledger.append(plain(given))

    def _keep(self, given: Given) -> None:
        """A failed call is asked again under its key and must then get the next reply."""
        if given.key and not self._replies[given.reply].error:
            self._answered[given.key] = given.reply

    def _catch_up(self, path: Path) -> None:
        for line in read_lines(path):
            try:
                given = Given.model_validate(line)
                if not given.again:
                    self._left.remove(given.reply)
            except ValueError as error:
                message = f"the ledger {path} does not belong to this script"
                raise JournalError(message, hint="remove the ledger to start afresh") from error
            self._keep(given)

    def _pass_time(self, seconds: float, call: ModelCall, cancel: Cancel) -> None:
        if seconds and cancel.wait(min(seconds, call.limits.timeout_seconds)):
            raise Interrupted
        if seconds > call.limits.timeout_seconds:
            with self._lock:
                # The caller never heard the answer; its next try takes the next reply.
                self._answered.pop(call.key, None)
            message = f"no answer within {call.limits.timeout_seconds:g} s"
            raise ModelBusy(message)

    def _reply(self, scripted: ScriptedReply, call: ModelCall) -> Reply:
        text = scripted.text or ("" if scripted.value is None else canonical(scripted.value))
        usage = scripted.usage
        if usage is None:
            usage = estimated_usage(call, text) if self._paid else Usage()
        elif self._paid:
            usage = usage.model_copy(update={"calls": max(1, usage.calls)})
        reply = Reply(
            text=text, value=scripted.value, usage=usage, model=self._name, stop=scripted.stop
        )
        return within(reply, call.limits)


def open_script(path: Path, *, name: str = "") -> ScriptedModel:
    """The model that a script file describes."""
    script = read_script(path)
    ledger = path.parent / script.ledger if script.ledger else None
    return ScriptedModel(script.replies, name=name or f"scripted:{path}", ledger=ledger)


def read_script(path: Path) -> Script:
    try:
        content = path.read_text(encoding="utf-8")
        raw = tomllib.loads(content) if path.suffix == ".toml" else json.loads(content)
        return Script.model_validate({"replies": raw} if isinstance(raw, list) else raw)
    except OSError as error:
        message = f"the script {path} cannot be read: {error.strerror}"
        raise UsageError(message) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = f"the script {path} is not right at {place or 'its top'}: {first['msg']}"
        raise UsageError(message, hint="each reply has text or value, or an error") from error
    except ValueError as error:
        kind = "TOML" if path.suffix == ".toml" else "JSON"
        message = f"the script {path} is not {kind}: {error}"
        raise UsageError(message) from error


def _scripted(reply: ScriptedReply | BaseModel | Mapping[str, JsonValue] | str) -> ScriptedReply:
    """A string is a text, a mapping is a reply as in a file, any other model is a value."""
    if isinstance(reply, ScriptedReply):
        return reply
    if isinstance(reply, str):
        return ScriptedReply(text=reply)
    if isinstance(reply, BaseModel):
        return ScriptedReply(value=plain(reply))
    return ScriptedReply.model_validate(reply)
