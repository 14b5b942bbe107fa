"""`kill -9` at random instants of a run, then resume: nothing is lost, repeated or paid twice.

A kill counts if it hit a run that had begun and not ended. Set FAULT_SEED to repeat a failure.
"""

import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fault.billing import Entry, Provider
from tests.fault.sessions import Session, Sessions
from tests.fault.told import Told, begin, tell

pytestmark = [
    pytest.mark.skipif(
        sys.platform != "linux", reason="kills are timed and orphans found by Linux"
    ),
    pytest.mark.timeout(600),
]
SEED = int(os.environ.get("FAULT_SEED", random.SystemRandom().randrange(10**6)))


@dataclass
class Harvest:
    """What many disturbed runs came to."""

    kills: int = 0
    runs: int = 0
    before_birth: int = 0
    again: int = 0
    """Requests that were sent again after a kill and cost nothing."""

    def __str__(self) -> str:
        return (
            f"{self.kills} kills of {self.runs} runs, {self.before_birth} before a run began,"
            f" {self.again} requests sent again for nothing"
        )


def disturb(
    forked: Sessions, folder: Path, chance: random.Random, longest: float, **how: Any
) -> tuple[Told, int, int]:
    """Kill one run again and again until it ends all the same."""
    folder.mkdir()
    kills = before_birth = 0
    told: Told | None = None
    while told is None or told.run.outcome is None:
        run = told.run.id if told else ""
        delay = chance.uniform(0.0, longest)
        ended = forked(Session(str(folder), run, **how, kill_after_seconds=delay))
        assert ended.orphans == []
        assert ended.killed or ended.exit_code == 0, f"the session failed: {ended}"
        told = tell(folder) if (folder / "journal.db").exists() else None
        if ended.killed and told is None:
            before_birth += 1
        elif ended.killed and told is not None and told.run.outcome is None:
            kills += 1
    return told, kills, before_birth


def assert_nothing_is_left(folder: Path) -> None:
    left = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert left == {"journal.db", "locks", "tmp"}


def assert_billed_once(told: Told, ledger: dict[str, Entry]) -> None:
    assert set(ledger) == told.keys
    assert {entry.bills for entry in ledger.values()} == {1}
    assert {entry.bodies for entry in ledger.values()} == {1}
    total = sum((entry.usage for entry in ledger.values()), start=type(told.run.usage)())
    assert total == told.run.usage == told.usage_at_end


def harvest(
    forked: Sessions,
    folder: Path,
    wanted: int,
    *,
    billing: Provider | None = None,
    engine: str = "threads",
) -> Harvest:
    """Disturb runs until `wanted` kills have hit; every one must end as the undisturbed one did."""
    print(f"FAULT_SEED={SEED}")  # noqa: T201 - pytest shows it when a test fails
    chance = random.Random(SEED)
    how: dict[str, Any] = {"engine": engine, "port": billing.port if billing else 0}
    undisturbed, ended = begin(forked, folder / "undisturbed", **how)
    calm, ended = begin(forked, folder / "calm", **how)
    assert calm.story == undisturbed.story
    if billing:
        billing.close_book()
    seen = Harvest()
    while seen.kills < wanted:
        seen.runs += 1
        place = folder / f"run-{seen.runs}"
        told, kills, early = disturb(forked, place, chance, ended.seconds, **how)
        seen.kills += kills
        seen.before_birth += early
        assert told.story == undisturbed.story
        assert told.endings == 1
        assert_nothing_is_left(place)
        if billing:
            ledger = billing.close_book()
            assert_billed_once(told, ledger)
            assert len(ledger) == len(undisturbed.keys)
            seen.again += sum(entry.requests - 1 for entry in ledger.values())
    print(seen)  # noqa: T201
    return seen


def test_offline_run_killed_many_times_ends_as_the_undisturbed_one(
    forked: Sessions, folder: Path
) -> None:
    seen = harvest(forked, folder, 80)
    assert seen.kills >= 80


def test_paid_run_killed_many_times_ends_the_same_and_pays_nothing_twice(
    forked: Sessions, billing: Provider, folder: Path
) -> None:
    seen = harvest(forked, folder, 140, billing=billing)
    assert seen.kills >= 140
    # Some kills must fall between bill and reply, or the test shows nothing about money.
    assert seen.again > 0


def test_run_on_worker_processes_killed_leaves_no_worker_behind(
    forked: Sessions, billing: Provider, folder: Path
) -> None:
    seen = harvest(forked, folder, 12, billing=billing, engine="processes")
    assert seen.kills >= 12
