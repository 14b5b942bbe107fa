"""`recorded:FILE`: cassettes. Record once with a real model, replay for ever without one.

A cassette is a file of JSON lines, one recording each: the question as it was sent and the reply as
it came. A question is known by a hash of role, prompt, schema and pictures. Where the same question
was asked several times, replay gives the replies in the order in which they were recorded and then
repeats the last one. Secrets are replaced in the question before it is hashed, and in the reply.
"""

import difflib
import json
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import JsonValue, ValidationError

from proveout.adapters.models.lines import LineWriter, read_lines
from proveout.adapters.models.replies import encodable, within
from proveout.kernel.canonical import content_id, plain, value_id
from proveout.kernel.errors import Interrupted, JournalError, PrerequisiteError
from proveout.kernel.ports import Cancel, Model, ModelCall, Reply
from proveout.kernel.types import Frozen, Usage

SECRET = "[secret]"  # noqa: S105 - what stands in place of one
MOST_COMPARED = 50
"""How many recorded prompts a missing one is compared with."""
SHOWN_LINES = 12
SHOWN_WIDTH = 100


class Recording(Frozen):
    """One line of a cassette."""

    cassette: Literal[1] = 1
    """Version of the format."""
    question: str
    """Hash of role, prompt, schema and pictures: what replay looks up."""
    role: str
    key: str = ""
    """Idempotency key of the call that was recorded."""
    schema_id: str = ""
    pictures: tuple[str, ...] = ()
    """Content ids."""
    prompt: str
    reply: Reply
    """With the usage that recording it cost; replaying it costs nothing."""


class RecordedModel:
    """With an `inner` model it records that model's replies; without one it replays."""

    def __init__(
        self,
        path: Path,
        inner: Model | None = None,
        *,
        secrets: tuple[str, ...] = (),
        name: str = "",
    ) -> None:
        self._path = path
        self._inner = inner
        self._secrets = secrets
        self._name = name or (inner.name if inner else f"recorded:{path}")
        self._lock = threading.Lock()
        self._recordings: dict[str, list[Recording]] = {}
        self._replayed: Counter[str] = Counter()
        self._answered: dict[str, Recording] = {}
        self._writer: LineWriter | None = None
        if inner is not None:
            self._writer = LineWriter(path)
        elif not path.is_file():
            message = f"there is no cassette {path}"
            raise PrerequisiteError(message, hint=_how_to_record(path))
        try:
            for recording in read_cassette(path):
                self._recordings.setdefault(recording.question, []).append(recording)
        except JournalError:
            if self._writer is not None:
                self._writer.close()
            raise

    @property
    def name(self) -> str:
        """The inner model's while recording: what is recorded is that model's work."""
        return self._name

    @property
    def paid(self) -> bool:
        return self._inner.paid if self._inner else False

    def ceiling(self, call: ModelCall) -> Usage:
        return self._inner.ceiling(call) if self._inner else Usage()

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        if cancel.is_set():
            raise Interrupted
        if self._inner is None:
            reply = self._replay(call).reply.model_copy(update={"usage": Usage()})
            return within(reply, call.limits)
        return self._record(self._inner, call, cancel)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._inner is not None:
            self._inner.close()

    def _record(self, inner: Model, call: ModelCall, cancel: Cancel) -> Reply:
        question = self._question(call)
        with self._lock:
            for known in self._recordings.get(question.question, ()):
                # Recorded just before a crash: a resumed run must not pay for it again.
                if call.key and known.key == question.key:
                    return within(known.reply, call.limits)
        reply = inner.ask(call, cancel)
        recording = question.model_copy(update={"reply": self._without_secrets(reply)})
        with self._lock:
            if self._writer is not None:
                self._writer.append(plain(recording))
            self._recordings.setdefault(recording.question, []).append(recording)
        return reply

    def _replay(self, call: ModelCall) -> Recording:
        question = self._question(call)
        with self._lock:
            if call.key in self._answered:
                return self._answered[call.key]
            takes = self._recordings.get(question.question)
            if not takes:
                raise self._missing(question)
            take = takes[min(self._replayed[question.question], len(takes) - 1)]
            self._replayed[question.question] += 1
            if call.key:
                self._answered[call.key] = take
            return take

    def _question(self, call: ModelCall) -> Recording:
        """The recording of this call, still without its reply."""
        prompt = _redacted(call.prompt, self._secrets)
        schema_id = value_id(dict(call.schema)) if call.schema is not None else ""
        pictures = tuple(content_id(picture.content) for picture in call.pictures)
        return Recording(
            question=value_id([call.role, prompt, schema_id, list(pictures)]),
            role=call.role,
            key=_redacted(call.key, self._secrets),
            schema_id=schema_id,
            pictures=pictures,
            prompt=prompt,
            reply=Reply(),
        )

    def _without_secrets(self, reply: Reply) -> Reply:
        return Reply.model_validate(_cleaned(encodable(plain(reply)), self._secrets))

    def _missing(self, question: Recording) -> PrerequisiteError:
        recordings = [take for takes in self._recordings.values() for take in takes]
        message = (
            f"the cassette {self._path} has no reply to this question of {question.role!r}\n"
            + explain_miss(question, recordings)
        )
        return PrerequisiteError(message, hint=_how_to_record(self._path))


def read_cassette(path: Path) -> list[Recording]:
    recordings = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            recordings.append(Recording.model_validate(line))
        except ValidationError as error:
            message = f"recording {number} of {path} is damaged or from a newer version"
            raise JournalError(message) from error
    return recordings


def explain_miss(question: Recording, recordings: Iterable[Recording]) -> str:
    """Why a question was not found: the nearest recorded one and how it differs, in a few lines."""
    known = list(recordings)
    same_role = [take for take in known if take.role == question.role][-MOST_COMPARED:]
    if not same_role:
        roles = ", ".join(sorted({take.role for take in known})) or "none"
        return f"roles recorded there: {roles}"
    asked = _folded(question.prompt)
    matcher = difflib.SequenceMatcher(b=asked, autojunk=False)

    def likeness(take: Recording) -> float:
        matcher.set_seq1(_folded(take.prompt))
        return matcher.ratio()

    nearest = max(same_role, key=likeness)
    if nearest.prompt == question.prompt:
        same_schema = nearest.schema_id == question.schema_id
        what = "other pictures" if same_schema else "another schema"
        return f"the prompt is recorded, but with {what}"
    lines = list(
        difflib.unified_diff(
            _folded(nearest.prompt), asked, "recorded", "asked now", n=0, lineterm=""
        )
    )
    more = len(lines) - SHOWN_LINES
    return "\n".join([*lines[:SHOWN_LINES], *([f"… {more} more lines"] if more > 0 else [])])


def _folded(prompt: str) -> list[str]:
    """Lines of a width that a person can compare."""
    return [
        line[start : start + SHOWN_WIDTH]
        for line in prompt.splitlines()
        for start in range(0, max(1, len(line)), SHOWN_WIDTH)
    ]


def _how_to_record(path: Path) -> str:
    return f"record it with a model: --model NAME --record {path}"


def _cleaned(value: JsonValue, secrets: tuple[str, ...]) -> JsonValue:
    if isinstance(value, str):
        return _redacted(value, secrets)
    if isinstance(value, list):
        return [_cleaned(item, secrets) for item in value]
    if isinstance(value, dict):
        return {_redacted(key, secrets): _cleaned(item, secrets) for key, item in value.items()}
    return value


def _redacted(text: str, secrets: tuple[str, ...]) -> str:
    """Longest first, so that a secret inside another leaves no remainder; JSON's spelling too."""
    spellings = {secret for secret in secrets if secret}
    spellings |= {json.dumps(secret)[1:-1] for secret in spellings}
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, SECRET)
    return text
