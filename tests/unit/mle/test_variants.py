"""Variants change one place each and still compile; controls change nothing but the dice."""

import ast
import difflib

import pytest

from proveout.apps.mle.experts.ablation import write
from proveout.apps.mle.experts.variants import reseeded, variants

SCRIPT = """\
import pandas as pd
SEED = 3
USE_RATIOS = True
frame = pd.read_csv("input/train.csv")  # größer als üblich: ü
def enrich(table):
    table["double"] = table["größe"] * 2
    table["kept"] = table["double"] + 1
    return table
frame = enrich(frame)
model = Pipeline([
    ("scale", StandardScaler()),
    ("code", OneHotEncoder(handle_unknown="ignore")),
    ("model", LGBMClassifier(num_leaves=31, learning_rate=0.05, random_state=SEED)),
])
other = make_pipeline(SimpleImputer(), Ridge(alpha=3.0))
"""


def test_each_variant_differs_in_one_place_and_compiles() -> None:
    found = variants(SCRIPT)
    assert {variant.label for variant in found} >= {
        "without StandardScaler",
        "without OneHotEncoder",
        "without SimpleImputer",
        "without enrich",
        "without the column kept",
        "USE_RATIOS off",
        "LGBMClassifier with default settings",
    }
    for variant in found:
        ast.parse(variant.source)
        assert variant.part in SCRIPT
        blocks = difflib.SequenceMatcher(None, SCRIPT, variant.source, autojunk=False)
        first = next(a for tag, a, *_ in blocks.get_opcodes() if tag != "equal")
        place = SCRIPT.index(variant.part)
        assert place <= first <= place + len(variant.part)


def test_column_that_is_used_later_is_not_taken_out() -> None:
    assert "without the column double" not in {variant.label for variant in variants(SCRIPT)}


def test_last_step_of_a_pipeline_stays() -> None:
    labels = {variant.label for variant in variants(SCRIPT)}
    assert not labels & {"without LGBMClassifier", "without Ridge"}


def test_another_seed_changes_seeds_only() -> None:
    other = reseeded(SCRIPT, 100)
    assert other is not None
    assert other.replace("SEED = 103", "SEED = 3") == SCRIPT
    assert reseeded("x = 1\n", 5) is None


@pytest.mark.parametrize("broken", ["def (", "", "\0", "x = 1"])
def test_what_cannot_be_varied_has_no_study(broken: str) -> None:
    assert variants(broken) == []
    assert write(broken) is None


def test_study_leaves_out_what_was_studied() -> None:
    first = write(SCRIPT)
    assert first is not None
    studied = "without StandardScaler, without OneHotEncoder, without SimpleImputer, without enrich"
    second = write(SCRIPT, studied)
    assert second is not None
    assert "'without StandardScaler':" not in second
    ast.parse(second)
