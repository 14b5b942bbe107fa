"""Memory does not grow with the company."""

import json
import sys
import tracemalloc
from pathlib import Path

from proveout.apps.solver.client import Answer, CompanyClient
from proveout.apps.solver.client.transport import Body
from proveout.apps.solver.snapshot import Snapshot


class Registry:
    """A transport that makes up a page when it is asked for it, so that the test holds no rows."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.blocks: list[int] = []
        """Pieces of memory in use by Python, each time a page is asked for."""

    def post(self, route: str, body: Body) -> Answer:
        assert route == "/employees/list"
        self.blocks.append(sys.getallocatedblocks())
        offset, limit = body["offset"], body["limit"]
        assert isinstance(offset, int)
        assert isinstance(limit, int)
        after = min(offset + limit, self.count)
        rows = [
            {
                "id": f"e_{number}",
                "name": f"First{number % 40} Last{number % 25}",
                "email": f"e_{number}@example.org",
                "salary": 40_000 + number,
                "location": "Harbour",
                "department": "Sails",
            }
            for number in range(offset, after)
        ]
        answer = {"employees": rows, "next_offset": after if after < self.count else -1}
        return Answer(200, json.dumps(answer).encode())


def streamed(registry: Registry, path: Path) -> None:
    with Snapshot(path, CompanyClient(registry)) as snapshot:
        snapshot.ensure("employees")
        count = registry.count
        assert snapshot.rows("SELECT COUNT(*), SUM(salary) FROM employee_salaries") == [
            (count, 40_000 * count + count * (count - 1) // 2)
        ]


def peak_of(count: int, path: Path) -> int:
    tracemalloc.start()
    try:
        streamed(Registry(count), path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_ten_times_the_rows_need_no_more_memory(tmp_path: Path) -> None:
    # The first run also pays for what is made once.
    peak_of(1_000, tmp_path / "first.db")
    few = peak_of(2_000, tmp_path / "few.db")
    many = peak_of(20_000, tmp_path / "many.db")
    assert many < 1.5 * few


def test_a_hundred_thousand_rows_leave_nothing_behind_in_memory(tmp_path: Path) -> None:
    registry = Registry(100_000)
    streamed(registry, tmp_path / "s.db")
    assert len(registry.blocks) == 100
    # A row that is kept is ten pieces of memory or so, and 90,000 rows far more than all in use.
    assert registry.blocks[-1] < 1.05 * registry.blocks[10]
