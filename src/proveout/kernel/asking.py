"""One question to a model: looked up, reserved, journalled, retried, read, maybe asked again.

Retries live here and not in the clients, because each one draws on the budget and is noted in the
journal. A paid call is written down before it is made (`prompt.rendered`) and after
(`model.called`); if the process dies in between, the resumed run sends the same bytes under the
same idempotency key.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pydantic import JsonValue

from proveout.kernel.budget import Meter
from proveout.kernel.canonical import canonical
from proveout.kernel.errors import Interrupted, ModelBusy
from proveout.kernel.events import ModelCalled, Note, PromptRendered
from proveout.kernel.ports import Brief, Cancel, Clock, Model, ModelCall, Prompts, Reply
from proveout.kernel.proposer import ReturnT, Role, read_reply
from proveout.kernel.record import Record
from proveout.kernel.types import Malformed, Usage

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
NOTHING = Usage()


class Desk(Protocol):
    """What asking needs of a run's context."""

    @property
    def run(self) -> str: ...
    @property
    def record(self) -> Record: ...
    @property
    def meter(self) -> Meter: ...
    @property
    def prompts(self) -> Prompts: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def cancel(self) -> Cancel: ...
    def model_for(self, role: str) -> Model: ...


def ask(desk: Desk, role: Role[ReturnT], brief: Brief, key: str) -> ReturnT | Malformed:
    """The role's answer; if it cannot be read, the model is told why and asked once more."""
    question = Question(desk, role, brief, key)
    reply = question.put("")
    answer = read_reply(reply, role.returns)
    if not isinstance(answer, Malformed) or not question.worth_asking_again(answer):
        return answer
    finding = answer.finding()
    return read_reply(question.put(f"{finding.message}\n{finding.hint}"), role.returns)


@dataclass(frozen=True)
class Question:
    """A role, a brief and the place in the run where they meet."""

    desk: Desk
    role: Role[Any]
    brief: Brief
    key: str

    def worth_asking_again(self, answer: Malformed) -> bool:
        """An expert would say the same again, a refusal stands; other slips a model may mend."""
        expert = self.desk.model_for(self.role.name).name == "offline"
        mendable = answer.reason not in ("refused", "oversized")
        return self.role.asks_again and mendable and not expert

    def put(self, complaint: str) -> Reply:
        """The recorded reply, or a new one; `complaint` says why the first could not be read."""
        key = f"{self.key}!" if complaint else self.key
        record = self.desk.record
        done = record.recall("model.called", key)
        if isinstance(done, ModelCalled):
            self.desk.meter.charge(done.usage)
            text = record.get(done.text).decode()
            return Reply(
                text=text, value=done.value, usage=done.usage, model=done.model, stop=done.stop
            )
        model = self.desk.model_for(self.role.name)
        call = self._call(model, key, complaint)
        began = self.desk.clock.monotonic()
        reply = _writable(self._call_patiently(model, call, key))
        record.append(
            ModelCalled(
                key=key,
                role=self.role.name,
                model=reply.model or model.name,
                text=record.put(reply.text.encode()),
                value=reply.value,
                stop=reply.stop,
                usage=reply.usage,
                seconds=round(self.desk.clock.monotonic() - began, 3),
            ),
            durable=model.paid,
        )
        return reply

    def _call(self, model: Model, key: str, complaint: str) -> ModelCall:
        call = ModelCall(
            role=self.role.name,
            prompt="",
            schema=self.role.schema,
            pictures=self.brief.pictures,
            tools=self.role.tools or (),
            limits=self.role.limits,
            key=hashlib.sha256(f"{self.desk.run} {key}".encode()).hexdigest()[:40],
            description=self.role.description,
            brief=self.brief,
            expert=self.role.expert,
        )
        if model.name == "offline":
            return call
        return replace(call, prompt=self._prompt(model, key, complaint))

    def _prompt(self, model: Model, key: str, complaint: str) -> str:
        """The text to send. One that was written down before a crash is sent again as it was."""
        record = self.desk.record
        begun = record.recall("prompt.rendered", key)
        if isinstance(begun, PromptRendered):
            text = "sent again: the process died before the first reply was written down"
            record.append(Note(key=f"{key}~resent", text=text, detail={"role": self.role.name}))
            return record.get(begun.prompt).decode()
        rendered = self.desk.prompts.render(self.role.name, self._variables(), self.role.schema)
        text = rendered.text
        if complaint:
            text += f"\n\nYour previous reply could not be used:\n{complaint}\n"
        schema = self.role.schema
        record.append(
            PromptRendered(
                key=key,
                role=self.role.name,
                model=model.name,
                template_id=rendered.template_id,
                prompt=record.put(text.encode()),
                schema_id=record.put(canonical(dict(schema)).encode()) if schema else "",
                pictures=tuple(record.put(picture.content) for picture in self.brief.pictures),
                lessons=tuple(patch for it in self.brief.lessons for patch in it.patches),
            ),
            durable=model.paid,
        )
        return text

    def _variables(self) -> Mapping[str, Any]:
        return {
            "task": self.brief.task,
            "round": self.brief.round,
            "findings": self.brief.findings,
            "previous": self.brief.previous,
            "lessons": self.brief.lessons,
            **self.brief.variables,
        }

    def _call_patiently(self, model: Model, call: ModelCall, key: str) -> Reply:
        """Ask until the provider answers, each try within the budget."""
        for number, pause in enumerate(self._pauses(call)):
            held = self.desk.meter.reserve(model.ceiling(call))
            try:
                reply = model.ask(call, self.desk.cancel)
                held.settle(reply.usage)
            except ModelBusy as busy:
                if pause is None:
                    raise
                self._wait(pause, busy, f"{key}~{number}")
            else:
                return reply
            finally:
                # A call that failed cost nothing that anyone can name; settling twice is harmless.
                held.settle(NOTHING)
        raise AssertionError  # pragma: no cover - the last pause is None, which raises or returns

    def _pauses(self, call: ModelCall) -> Iterator[float | None]:
        """Growing pauses, spread by a hash of the call: parallel runs must not march in step."""
        for number in range(max(1, call.limits.tries) - 1):
            spread = (
                int(hashlib.sha256(f"{call.key}{number}".encode()).hexdigest()[:4], 16) / 0xFFFF
            )
            yield min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**number) * (0.5 + spread / 2)
        yield None

    def _wait(self, pause: float, busy: ModelBusy, place: str) -> None:
        wanted = busy.retry_after_seconds
        seconds = min(LONGEST_PAUSE_SECONDS, pause if wanted is None else max(wanted, 0.0))
        detail: JsonValue = {
            "role": self.role.name,
            "seconds": round(seconds, 2),
            "reason": busy.message,
        }
        self.desk.record.append(Note(key=place, text="model busy, waiting", detail=detail))
        self.desk.clock.sleep(seconds, self.desk.cancel)
        if self.desk.cancel.is_set():
            raise Interrupted


def _writable(reply: Reply) -> Reply:
    """The reply as the journal can hold it, so that now and after a crash the same is read."""
    value = reply.value
    try:
        canonical(value).encode()
    except (ValueError, RecursionError):
        value = None
    text = reply.text.encode(errors="replace").decode()
    return reply.model_copy(update={"text": text, "value": value})
