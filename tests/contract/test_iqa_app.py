"""The image-quality app keeps the contract of apps."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from proveout.apps.iqa import APP
from proveout.apps.iqa.evidence import gather
from proveout.apps.iqa.models import DistortionAnalysis, ExecutorOutput, PlannerOutput
from proveout.kernel.ports import Brief
from proveout.kernel.proposer import Role
from proveout.testing.app_contract import AppContract
from tests.iqa_pictures import photo


class TestIqa(AppContract):
    app = APP

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def _pictures(cls, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Tasks name files, so the files come first."""
        folder = tmp_path_factory.mktemp("pictures")
        good, noisy = photo(folder / "good.png"), photo(folder / "noisy.png", noise=25)
        choices = ("A. noise", "B. motion blur", "C. banding")
        cls.tasks = (
            {"image": str(noisy)},
            {"image": str(noisy), "query": "Which distortion is worst?", "choices": choices},
            {"image": str(noisy), "reference": str(good)},
            {"image": str(good), "query": "Is the centre blurry?"},
            {"image": str(noisy), "compare": str(good)},
            {"image": str(noisy), "box": "10,10,90,90"},
        )
        cls.hopeless = {"image": str(good), "query": "Which emotion does this photo convey?"}

    def _brief(self, role: Role[Any]) -> Brief:
        """Experts judge measurements, so they get real ones."""
        brief = super()._brief(role)
        return replace(brief, variables={**brief.variables, **measured(self.tasks[0]["image"])})


@cache
def measured(image: str) -> dict[str, Any]:
    noise = DistortionAnalysis(type="Noise", severity="severe", explanation="Grain everywhere.")
    return {
        "plan": PlannerOutput(),
        "evidence": gather(image),
        "executed": ExecutorOutput(
            distortion_set={"Global": ["Noise"]},
            distortion_analysis={"Global": [noise]},
            quality_scores={"Global": {"Noise": ("proveout", 2.0)}},
        ),
        "marked": "",
        "iteration_count": 0,
        "max_replan_iterations": 2,
    }
