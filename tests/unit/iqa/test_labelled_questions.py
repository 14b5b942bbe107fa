"""The planner on questions labelled by hand: exactly the expected plan, or it does not count.

The development half was looked at while the rules were written, the held-back half only counted.
Strangers wrote theirs without having seen rules, lexicon or these tests. The fresh ones were
labelled by the published rules before the planner read them, and mended from afterwards.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.iqa.experts.planner import plan

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("questions.jsonl").read_text("utf-8").splitlines()
]
LEAST = 0.98
SIZES = {"development": 600, "held_back": 200, "strangers": 120, "fresh": 1400}


def _unordered(made: dict[str, Any]) -> dict[str, Any]:
    """The order in which things are named carries no meaning."""
    scope, distortions, tools = made["query_scope"], made["distortions"], made["required_tool"]
    return made | {
        "query_scope": sorted(scope) if isinstance(scope, list) else scope,
        "distortions": distortions and {key: sorted(names) for key, names in distortions.items()},
        "required_tool": tools and sorted(tools),
    }


def _right(row: dict[str, Any]) -> bool:
    made = plan(row["query"], choices=row["choices"], has_reference=row["has_reference"])
    return _unordered(made.model_dump(mode="json")) == _unordered(row["expect"])


@pytest.mark.parametrize("half", SIZES)
def test_plans_of_each_half_are_exactly_right(half: str) -> None:
    rows = [row for row in ROWS if row["half"] == half]
    right = sum(_right(row) for row in rows)

    assert len(rows) >= SIZES[half]
    assert right / len(rows) >= LEAST, f"{right} of {len(rows)}"


def test_the_set_is_large_and_without_repetition() -> None:
    asked = {(row["query"], tuple(row["choices"] or ()), row["has_reference"]) for row in ROWS}

    assert len(asked) == len(ROWS) >= 900


def test_expected_flags_follow_the_published_table() -> None:
    for row in ROWS:
        want = row["expect"]
        technical = want["query_type"] == "IQA"
        region, tool = want["query_scope"] != "Global", bool(want["required_tool"])
        assert want["plan"] == {
            "distortion_detection": technical and want["distortions"] is None,
            "distortion_analysis": technical,
            "tool_selection": technical and not tool and not region,
            "tool_execute": technical and (tool or not region),
        }, row["query"]
