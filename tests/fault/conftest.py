"""Forked sessions, a provider that bills, and a quick place for journals."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fault.billing import Provider, provider
from tests.fault.sessions import Sessions, sessions


@pytest.fixture(scope="module")
def forked() -> Iterator[Sessions]:
    with sessions() as started:
        yield started


@pytest.fixture(scope="module")
def billing() -> Iterator[Provider]:
    with provider() as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """In memory where that can be had: a kill leaves there what it leaves on a disk, sooner."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory, prefix="proveout-kills-") as made:
        yield Path(made)
