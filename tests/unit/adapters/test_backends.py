"""How many questions a workspace has in flight: experts compute, models let us wait."""

import pytest

from proveout.backends import Backends
from proveout.kernel.context import ASKERS
from proveout.settings import ModelSettings


@pytest.mark.parametrize(
    ("name", "roles", "askers"),
    [
        ("offline", {}, 1),
        ("offline", {"mle/planner": "offline"}, 1),
        ("offline", {"mle/planner": "claude:haiku"}, ASKERS),
        ("openai:some", {}, ASKERS),
        ("openai:some", {"mle": "offline"}, ASKERS),
    ],
)
def test_experts_are_asked_one_after_the_other(
    name: str, roles: dict[str, str], askers: int
) -> None:
    assert Backends(ModelSettings(name=name, roles=roles)).askers == askers
