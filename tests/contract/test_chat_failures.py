"""`chat` when things go wrong: odd bodies, every status, crowds, and what is left behind."""

import gzip
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate
from pathlib import Path

import pytest

from proveout.kernel.errors import Interrupted, ModelBusy, ModelError, ModelRefused
from proveout.kernel.ports import CallLimits
from proveout.testing.model_contract import WANTED, Conduct, Provider, call
from tests.loopback.answer import Answer, json_answer
from tests.loopback.chat import (
    KEY,
    answered,
    anthropic_text,
    complaint,
    model_at,
    openai_text,
    refused,
)
from tests.loopback.server import LoopbackServer, Protocol

pytest.importorskip("pydantic_ai", reason='needs pip install "proveout[chat]"')


@pytest.fixture(params=["openai", "anthropic"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    chosen: Protocol = request.param
    return chosen


class TestAnswers:
    def test_a_refusal_keeps_its_words(self) -> None:
        with LoopbackServer(Provider(conduct="refusal"), "openai") as server:
            reply = model_at(server).ask(call(), threading.Event())
        assert reply.text == "I can't help with that."

    def test_a_truncated_reply_keeps_its_text_and_has_no_value(self, protocol: Protocol) -> None:
        with LoopbackServer(Provider(conduct="truncated"), protocol) as server:
            reply = model_at(server).ask(call(), threading.Event())
        assert reply.text.startswith('{"word"')
        assert reply.value is None

    def test_ten_megabytes_are_not_read_to_the_end(self, protocol: Protocol) -> None:
        limits = CallLimits(timeout_seconds=60, max_reply_bytes=100_000)
        with LoopbackServer(Provider(conduct="oversized"), protocol) as server:
            model = model_at(server)
            reply = model.ask(call(limits=limits), threading.Event())
            assert reply.usage == model.ceiling(call(limits=limits))
        assert server.sent_bytes < 9_000_000
        assert reply.stop == "oversized"

    def test_a_compressed_reply_is_not_unpacked(self, protocol: Protocol) -> None:
        bomb = Answer(gzip.compress(b" " * 50_000_000), headers={"Content-Encoding": "gzip"})
        error = refused(protocol, bomb)
        assert isinstance(error, ModelBusy)

    @pytest.mark.parametrize(
        "body", [b"", b"not json", b"[]", b"{}", b'{"choices": []}', b'{"content": null}', b"null"]
    )
    def test_a_body_that_is_not_the_protocol_is_worth_another_try(
        self, protocol: Protocol, body: bytes
    ) -> None:
        assert isinstance(refused(protocol, Answer(body)), ModelBusy)

    def test_half_a_surrogate_pair_becomes_a_question_mark(self, protocol: Protocol) -> None:
        text = {"openai": openai_text, "anthropic": anthropic_text}[protocol]
        reply = answered(protocol, text("a\ud800b"), schema=None)
        assert reply.text == "a?b"

    def test_a_value_too_deep_to_hold_is_no_value(self, protocol: Protocol) -> None:
        text = {"openai": openai_text, "anthropic": anthropic_text}[protocol]
        reply = answered(protocol, text("[" * 50_000))
        assert reply.value is None
        assert len(reply.text) == 50_000


class TestErrors:
    def test_a_date_is_a_retry_after_too(self, protocol: Protocol) -> None:
        until = formatdate(time.time() + 60, usegmt=True)
        error = refused(protocol, complaint(429, "Slow down.", Retry_After=until))
        assert isinstance(error, ModelBusy)
        assert error.retry_after_seconds == pytest.approx(60, abs=5)

    @pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
    def test_a_passing_trouble_is_busy(self, protocol: Protocol, status: int) -> None:
        assert isinstance(refused(protocol, complaint(status, "Not now.")), ModelBusy)

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
    def test_a_lasting_trouble_is_refused_in_the_providers_words(
        self, protocol: Protocol, status: int
    ) -> None:
        error = refused(protocol, complaint(status, "Because of the moon."))
        assert isinstance(error, ModelRefused)
        assert "Because of the moon." in str(error)
        assert str(status) in str(error)

    def test_an_empty_purse_is_not_worth_another_try(self) -> None:
        content = {"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}}
        assert isinstance(refused("openai", json_answer(content, 429)), ModelRefused)

    @pytest.mark.parametrize("quoted", [KEY, KEY[:8] + "****" + KEY[-4:]])
    def test_the_key_is_never_told(self, protocol: Protocol, quoted: str) -> None:
        error = refused(protocol, complaint(401, f"Incorrect API key provided: {quoted}. Sorry."))
        assert "Sorry" in str(error) or "[key]" in str(error)
        chain = repr(error) + str(error) + repr(error.__cause__)
        assert quoted not in chain
        assert KEY[-4:] not in chain

    def test_an_error_page_is_not_read_to_the_end(self, protocol: Protocol) -> None:
        page = Answer(b"<p>" * 4_000_000, status=502, content_type="text/html")
        with (
            LoopbackServer(Provider(), protocol, respond=lambda _body: page) as server,
            pytest.raises(ModelBusy) as caught,
        ):
            model_at(server).ask(call(), threading.Event())
        assert len(str(caught.value)) < 1000
        assert server.sent_bytes < 10_000_000

    def test_a_redirect_is_not_followed_because_the_key_would_go_with_it(
        self, protocol: Protocol
    ) -> None:
        provider = Provider()
        with LoopbackServer(provider, protocol) as target:
            moved = Answer(b"", status=307, headers={"Location": f"{target.url}/v1/messages"})
            assert isinstance(refused(protocol, moved), ModelError)
        assert provider.seen == []

    def test_nobody_there_is_busy(self, protocol: Protocol) -> None:
        with LoopbackServer(Provider(), protocol) as server:
            model = model_at(server)
        with pytest.raises(ModelBusy):
            model.ask(call(), threading.Event())


class TestConcurrency:
    def test_no_more_calls_than_allowed_are_with_the_provider(self) -> None:
        provider = Provider(delay_seconds=0.1)
        with LoopbackServer(provider, "openai") as server:
            model = model_at(server, concurrency=2)
            with ThreadPoolExecutor(6) as pool:
                replies = list(pool.map(lambda _: model.ask(call(), threading.Event()), range(6)))
        assert [reply.value for reply in replies] == [WANTED] * 6
        assert provider.most_at_once == 2

    def test_waiting_for_a_turn_ends_with_the_run(self) -> None:
        cancel = threading.Event()
        with LoopbackServer(Provider(conduct="stalling"), "openai") as server:
            model = model_at(server, concurrency=1)
            with ThreadPoolExecutor(3) as pool:
                futures = [pool.submit(model.ask, call(), cancel) for _ in range(3)]
                time.sleep(0.2)
                cancel.set()
                errors = [future.exception(timeout=10) for future in futures]
        assert [type(error) for error in errors] == [Interrupted] * 3

    @pytest.mark.parametrize("conduct", ["value", "oversized", "stalling", "broken", "denied"])
    def test_no_thread_and_no_socket_remains(self, protocol: Protocol, conduct: Conduct) -> None:
        limits = CallLimits(timeout_seconds=0.5, max_reply_bytes=100_000)
        with LoopbackServer(Provider(), protocol) as warm:
            model_at(warm).ask(call(), threading.Event())
        threads, sockets = set(threading.enumerate()), open_sockets()
        with LoopbackServer(Provider(conduct=conduct), protocol) as server:
            model = model_at(server)
            try:
                reply = model.ask(call(limits=limits), threading.Event())
                assert conduct in {"value", "oversized"}, reply
            except ModelError:
                assert conduct in {"stalling", "broken", "denied"}
            model.close()
        assert set(threading.enumerate()) == threads
        assert open_sockets() == sockets


def open_sockets() -> set[str]:
    if not Path("/proc/self/fd").exists():
        pytest.skip("open sockets are counted in /proc")
    links = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            links.add(str(entry.readlink()))
        except FileNotFoundError:
            # The folder's own descriptor, gone by now.
            continue
    return {link for link in links if link.startswith("socket:")}
