"""Bounded output: short is kept whole, long keeps its beginning and its end."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.adapters.sandbox.capture import Capture


def captured(parts: list[bytes], most: int) -> Capture:
    receive, send = os.pipe()
    try:
        capture = Capture(receive, most)
        for part in parts:
            os.write(send, part)
            assert capture.read()
        os.close(send)
        capture.drain(10**6)
        return capture
    finally:
        os.close(receive)


@given(st.lists(st.binary(min_size=1, max_size=300), max_size=8), st.integers(1, 500))
def test_what_is_kept_is_the_beginning_and_the_end(parts: list[bytes], most: int) -> None:
    whole = b"".join(part.hex().encode() for part in parts)
    text = captured([part.hex().encode() for part in parts], most).text()
    if len(whole) <= most:
        assert text == whole.decode()
    else:
        head, middle, tail = text.split("\n")
        assert whole.decode().startswith(head)
        assert whole.decode().endswith(tail)
        assert len(head) + len(tail) == most
        assert middle == f"[… {len(whole) - most} bytes cut …]"


@pytest.mark.parametrize("most", [0, 1, 2])
def test_hardly_anything_may_be_kept(most: int) -> None:
    capture = captured([b"abcdef"] * 3, most)
    assert capture.total == 18
    assert f"{18 - most} bytes cut" in capture.text()


def test_it_never_holds_much_more_than_it_keeps() -> None:
    receive, send = os.pipe()
    capture = Capture(receive, 1000)
    for _ in range(200):
        os.write(send, b"x" * 60_000)
        capture.read()
    assert len(capture._tail) < 300_000
    os.close(send)
    os.close(receive)
