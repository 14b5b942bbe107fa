"""Every rule that reading can find has an example that breaks it and a twin that does not."""

import pytest

from proveout.apps.mle.leakage import examine
from proveout.apps.mle.leakage.codes import RULES
from proveout.apps.mle.leakage.examples import EXAMPLES, HEAD

BY_RUNNING = {
    "leak.survives_shuffled_labels",
    "leak.single_feature_oracle",
    "leak.repeated_rows",
}


def test_no_rule_is_without_an_example() -> None:
    assert set(EXAMPLES) == set(RULES) - BY_RUNNING - {"leak.unreadable"}


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_leaking_one_breaks_this_rule(code: str) -> None:
    found = {leak.code for leak in examine(HEAD + EXAMPLES[code].leaking).findings}
    assert code in found


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_honest_one_breaks_none(code: str) -> None:
    report = examine(HEAD + EXAMPLES[code].honest)
    assert [leak.code for leak in report.findings] == []
    assert not report.unreadable
