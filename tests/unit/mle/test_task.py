"""What can be asked for."""

import pytest
from pydantic import ValidationError

from proveout.apps.mle.models import PipelineConfig
from proveout.apps.mle.search.paper import config_of, summary_of
from proveout.apps.mle.task import MleTask


@pytest.mark.parametrize("field", ["card", "pin", "forbid"])
def test_paper_mode_is_not_steered(field: str) -> None:
    """The published algorithms have no place for it; silence would look as if it were heeded."""
    with pytest.raises(ValidationError, match=f"`paper` mode .* {field}"):
        MleTask.model_validate({"folder": "titanic", "mode": "paper", field: "features"})
    assert MleTask.model_validate({"folder": "titanic", field: "features"}).mode == "default"
    assert MleTask(folder="titanic", mode="paper").mode == "paper"


def test_paper_mode_tries_as_much_as_published_or_as_asked() -> None:
    plain = config_of(MleTask(folder="titanic", mode="paper"), 60.7)
    assert plain == PipelineConfig(time_limit_seconds=60)
    task = MleTask(
        folder="titanic", mode="paper", models=3, outer_steps=2, inner_steps=5, ensemble_rounds=1
    )
    # As a journal gives it back: every field is said.
    asked = config_of(MleTask.model_validate(task.model_dump()), 0.2)
    assert asked == PipelineConfig(
        num_retrieved_models=3,
        outer_loop_steps=2,
        inner_loop_steps=5,
        ensemble_rounds=1,
        time_limit_seconds=1,
    )
    quick = config_of(task.model_copy(update={"smoke": True}), 60.0)
    assert (quick.num_retrieved_models, quick.num_parallel_solutions) == (2, 1)


@pytest.mark.parametrize("field", ["outer_steps", "ensemble_rounds"])
def test_paper_mode_leaves_no_phase_out(field: str) -> None:
    with pytest.raises(ValidationError, match="at least one"):
        MleTask.model_validate({"folder": "titanic", "mode": "paper", field: 0})
    assert MleTask.model_validate({"folder": "titanic", field: 0}).mode == "default"


def test_paper_mode_says_that_there_is_no_submission() -> None:
    printed = "auc 0.8 as printed by the final script"
    assert summary_of("auc", 0.8, submitted=True) == printed
    without = summary_of("auc", 0.8, submitted=False)
    assert without.startswith("no submission: ")
    assert without.endswith(printed)
