"""Random choices that depend on the seed, the profile and the part of the world being drawn.

Each part has its own stream, so that drawing more of one thing leaves the others as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Profile:
    """How big a world is; pairs are inclusive ranges."""

    name: str
    people: tuple[int, int]
    customers: tuple[int, int]
    projects: tuple[int, int]
    time_entries: tuple[int, int]


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("quiet", (60, 75), (9, 12), (16, 22), (0, 0)),
        Profile("small", (60, 75), (9, 12), (16, 22), (120, 200)),
        Profile("standard", (80, 220), (14, 30), (26, 60), (250, 700)),
        Profile("large", (1500, 2000), (70, 90), (300, 400), (110_000, 120_000)),
        Profile("huge", (2000, 2000), (90, 90), (400, 400), (1_000_000, 1_000_000)),
    )
}


def dice(seed: int, profile: str, part: str) -> Random:
    return Random(f"world/{seed}/{profile}/{part}")


def between(rng: Random, pair: tuple[int, int]) -> int:
    return rng.randint(*pair)


def some(rng: Random, items: Sequence[Item], low: int, high: int) -> tuple[Item, ...]:
    """A random selection in the given order."""
    count = min(len(items), rng.randint(low, high))
    chosen = set(rng.sample(range(len(items)), count))
    return tuple(item for place, item in enumerate(items) if place in chosen)


def chance(rng: Random, share: float) -> bool:
    return rng.random() < share
