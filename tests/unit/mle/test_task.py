"""What can be asked for."""

import pytest
from pydantic import ValidationError

from proveout.apps.mle.task import MleTask


@pytest.mark.parametrize("field", ["card", "pin", "forbid"])
def test_paper_mode_is_not_steered(field: str) -> None:
    """The published algorithms have no place for it; silence would look as if it were heeded."""
    with pytest.raises(ValidationError, match=f"`paper` mode .* {field}"):
        MleTask.model_validate({"folder": "titanic", "mode": "paper", field: "features"})
    assert MleTask.model_validate({"folder": "titanic", field: "features"}).mode == "default"
    assert MleTask(folder="titanic", mode="paper").mode == "paper"
