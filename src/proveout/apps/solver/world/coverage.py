"""What the tasks of many worlds cover: families by outcomes and by languages.

python -m proveout.apps.solver.world.coverage --seeds 0-30
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.spec import Outcome, TaskSpec
from proveout.apps.solver.world.tasks import draw_tasks
from proveout.apps.solver.world.wordings import LANGUAGES

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class Coverage:
    """Counts of tasks; the outcome of a task is the first that its expectation accepts."""

    by_outcome: Counter[tuple[str, str]]
    by_language: Counter[tuple[str, str]]
    families: tuple[str, ...]

    def lines(self) -> list[str]:
        head = ["family", *OUTCOMES, *LANGUAGES]
        rows = [
            [
                family,
                *(str(self.by_outcome[family, outcome]) for outcome in OUTCOMES),
                *(str(self.by_language[family, language]) for language in LANGUAGES),
            ]
            for family in self.families
        ]
        return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def coverage(tasks: Iterable[TaskSpec]) -> Coverage:
    found = list(tasks)
    return Coverage(
        Counter((t.family, str(t.expected.accepted_outcomes[0])) for t in found),
        Counter((t.family, t.language) for t in found),
        tuple(dict.fromkeys(t.family for t in found)),
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="solver-world-coverage")
    parser.add_argument("--seeds", default="0-30", help="first and last seed, such as 0-30")
    first, _, last = parser.parse_args(argv).seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    table = coverage(task for seed in seeds for task in draw_tasks(generate(seed)))
    sys.stdout.write("\n".join(table.lines()) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
