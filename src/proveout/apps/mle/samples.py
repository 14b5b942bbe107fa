"""The demonstration: boats that come back late, made up by dice, with a trap among the columns."""

import csv
import math
import random
from pathlib import Path
from typing import Any

ROWS, TEST_ROWS, SEED = 900, 300, 11
HARBOURS = ("Amble", "Brixham", "Cromer", "Deal", "Eyemouth")
DESCRIPTION = """# Late boats

Will a fishing boat come back late? Predict the probability for each trip in `test.csv`.

- `trip` names the trip, `late` is 1 if the boat came back after the tide.
- `harbour`, `crew`, `engine_hours`, `wind`, `swell`, `catch_quota` are known before it leaves.
- `fine` is written by the harbour master when a boat was late.

Submissions are judged by the area under the ROC curve: columns `trip` and `late`.
"""


def demo(folder: Path) -> dict[str, Any]:
    """The task of the demonstration, on files of its own."""
    data = write_task(folder / "mle-task")
    return {
        "folder": str(data.resolve()),
        "out": str((folder / "mle-out").resolve()),
        "smoke": True,
    }


def write_task(data: Path, rows: int = ROWS, test_rows: int = TEST_ROWS) -> Path:
    """The task's files; `fine` is filled in after the outcome, so it is empty at test."""
    data.mkdir(parents=True, exist_ok=True)
    chance = random.Random(SEED)
    trips = [_trip(number, chance) for number in range(rows + test_rows)]
    (data / "description.md").write_text(DESCRIPTION, encoding="utf-8")
    train, test = trips[:rows], [{**trip, "fine": ""} for trip in trips[rows:]]
    _write(data / "train.csv", train)
    _write(data / "test.csv", [{k: v for k, v in trip.items() if k != "late"} for trip in test])
    _write(data / "sample_submission.csv", [{"trip": t["trip"], "late": 0.5} for t in test])
    return data


def _trip(number: int, chance: random.Random) -> dict[str, Any]:
    harbour = chance.choice(HARBOURS)
    wind, crew = chance.gammavariate(4, 3), chance.randint(2, 9)
    swell = max(0.1, 0.12 * wind + chance.gauss(0, 0.6))
    hours = chance.expovariate(1 / 4000)
    pull = 0.16 * wind * (1.6 if harbour in ("Cromer", "Deal") else 0.7) + 0.9 * swell
    pull += 0.00018 * hours - 0.35 * crew - 1.6
    late = chance.random() < 1 / (1 + math.exp(-pull))
    return {
        "trip": f"T{number:04d}",
        "harbour": harbour,
        "crew": crew,
        "engine_hours": "" if chance.random() < 0.08 else round(hours),
        "wind": round(wind, 1),
        "swell": round(swell, 2),
        "catch_quota": chance.choice((100, 200, 400, 800)),
        "fine": round(chance.uniform(40, 90)) if late and chance.random() < 0.9 else "",
        "late": int(late),
    }


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
