"""What a script says, bounded: the beginning and the end are kept, the middle is cut and told."""

import os

_CHUNK = 65536


class Capture:
    """One stream, read from a pipe that never blocks."""

    def __init__(self, descriptor: int, most: int) -> None:
        os.set_blocking(descriptor, False)
        self.descriptor = descriptor
        self.total = 0
        self._head_size = most - most // 2
        self._tail_size = most // 2
        self._head = bytearray()
        self._tail = bytearray()

    def read(self) -> bool:
        """Take what is there; false once nobody can write any more."""
        try:
            content = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return True
        self._add(content)
        return bool(content)

    def drain(self, most: int) -> None:
        """Take the rest after the end of the script, at most so many bytes."""
        before = -1
        end = self.total + most
        while before < self.total < end:
            before = self.total
            self.read()

    def _add(self, content: bytes) -> None:
        self.total += len(content)
        room = self._head_size - len(self._head)
        self._head += content[:room] if room > 0 else b""
        self._tail += content[max(room, 0) :]
        if len(self._tail) > 2 * self._tail_size + _CHUNK:
            del self._tail[: len(self._tail) - self._tail_size]

    def text(self) -> str:
        """What is kept, as text; bytes that are none are shown as such."""
        head, tail = bytes(self._head), bytes(self._tail)
        cut = self.total - len(head) - min(len(tail), self._tail_size)
        if cut <= 0:
            return _decoded(head + tail)
        tail = tail[len(tail) - self._tail_size :]
        return f"{_decoded(head)}\n[… {cut} bytes cut …]\n{_decoded(tail)}"


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
