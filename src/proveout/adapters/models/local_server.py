"""The child process of `local`: one llama.cpp model that answers JSON lines on standard input.

It runs as a script of its own and imports nothing of the product, so it starts quickly and can be
killed at any instant. It ends when its standard input closes or its parent is gone, even in the
middle of an answer: whatever happens to the parent, no orphan keeps computing.
"""

import json
import os
import queue
import secrets
import select
import signal
import sys
import threading
from typing import Any, BinaryIO

Message = dict[str, Any]

PARENT_CHECK_SECONDS = 1.0
"""A fork of the parent may hold our standard input open; only its process id tells the truth."""


def main() -> int:
    settings: Message = json.loads(sys.argv[1])
    # Ctrl-C in a terminal reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "wb")
    # The library may print; only our lines belong on standard output.
    os.dup2(2, 1)
    requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
    watching = threading.Thread(target=_listen, args=(requests, settings["parent"]), daemon=True)
    watching.start()
    try:
        server = _load(settings)
    except (ImportError, RuntimeError, ValueError) as error:
        _send(replies, {"failed": str(error)})
        return 1
    _send(replies, {"ready": True})
    while True:
        _send(replies, _answer(server, requests.get()))


def _listen(requests: "queue.SimpleQueue[Message]", parent: int) -> None:
    unread = b""
    while os.getppid() == parent:
        readable, _, _ = select.select([0], [], [], PARENT_CHECK_SECONDS)
        if not readable:
            continue
        content = os.read(0, 1 << 16)
        if not content:
            break
        *lines, unread = (unread + content).split(b"\n")
        for line in lines:
            requests.put(json.loads(line))
    # Not sys.exit: the main thread may be deep inside a computation.
    os._exit(0)


def _send(replies: BinaryIO, message: Message) -> None:
    replies.write(json.dumps(message).encode() + b"\n")
    replies.flush()


def _load(settings: Message) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.n_ctx = settings["context_tokens"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.n_parallel = params.n_threads_http = 1
    params.warmup = params.fit_params = params.ui = params.endpoint_slots = False
    # A reused prefix changes the rounding, and with it the answer.
    params.cache_prompt, params.cache_ram_mib = False, 0
    params.offline = True
    params.verbosity = 0
    # The library opens a port on loopback whether or not it is wanted; nobody knows this key.
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.api_keys = [secrets.token_hex(32)]
    return xllamacpp.Server(params)


def _answer(server: Any, request: Message) -> Message:
    max_bytes = request.pop("max_bytes")
    bodies = [{"stream": True, "timings_per_token": True, **request}]
    if "response_format" in request:
        # For a schema that no grammar can express; the reply is validated in any case.
        bodies.append({**bodies[0], "response_format": {"type": "json_object"}})
    problem = ""
    for body in bodies:
        try:
            return _listened(server, body, max_bytes)
        except (RuntimeError, ValueError) as error:
            problem = str(error)
    return {"error": problem, "kind": "request"}


def _listened(server: Any, body: Message, max_bytes: int) -> Message:
    """The whole answer from its pieces; stops listening, and so generating, at the size limit."""
    pieces: list[str] = []
    heard: Message = {"finish": "", "input_tokens": 0, "output_tokens": 0}

    def hear(chunk: Message) -> bool:
        if "error" in chunk:
            heard["problem"] = chunk["error"]
            return True
        if timings := chunk.get("timings"):
            heard["input_tokens"] = timings["prompt_n"] + timings["cache_n"]
            heard["output_tokens"] = timings["predicted_n"]
        for choice in chunk.get("choices", ()):
            pieces.append(choice["delta"].get("content") or "")
            heard["finish"] = choice["finish_reason"] or heard["finish"]
            heard["size"] = heard.get("size", 0) + len(pieces[-1].encode(errors="replace"))
        if heard.get("size", 0) > max_bytes:
            heard["finish"] = "oversized"
        return bool(heard["finish"] == "oversized")

    returned = server.handle_chat_completions(body, hear)
    problem = heard.get("problem") or (returned or {}).get("error")
    if problem:
        return {"error": problem.get("message", ""), "kind": problem.get("type", "")}
    return {"text": "".join(pieces), **heard}


if __name__ == "__main__":
    sys.exit(main())
