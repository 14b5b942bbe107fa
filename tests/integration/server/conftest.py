"""One server for the tests that only ask; machines of their own for those that do more."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.server.serving import Machine, Served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that a module's tests share."""
    with Machine(tmp_path_factory.mktemp("machine")).serving() as server:
        yield server


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
