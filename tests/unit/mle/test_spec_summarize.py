"""REQ-P2O-009 to -011: the summarizing agent, asked of a model and done by rule."""

import logging
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.adapters.models.offline import OfflineModel
from proveout.apps.mle.experts.studies import read_study
from proveout.apps.mle.experts.summary import summarise
from proveout.apps.mle.star.phase2_outer import invoke_summarize
from tests.unit.mle.spec_kit import run, stage
from tests.workbench import Workbench

SEED = (
    "Baseline: 0.8196, No StandardScaler: 0.8102, No OneHotEncoder: 0.7886, No Imputation: 0.8196"
)


def named(summary: str, which: str) -> str:
    line = next(it for it in summary.splitlines() if it.startswith(f"{which} impactful component"))
    return re.split(r" \((?:score|change) ", line.partition(": ")[2])[0]


def test_req_p2o_010_both_inputs_reach_the_agent(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, summarize=["The encoder matters."])
    run(invoke_summarize("print('study')", "Baseline: 0.8", backend=on.context))
    (prompt,) = on.prompts("summarize")
    assert "print('study')" in prompt
    assert "Baseline: 0.8" in prompt


@pytest.mark.parametrize("code", ["", " \n"])
def test_req_p2o_010_precondition_there_must_be_code(
    bench: Workbench, tmp_path: Path, code: str
) -> None:
    on = stage(bench, tmp_path)
    with pytest.raises(ValueError, match="no ablation study"):
        run(invoke_summarize(code, "Baseline: 0.8", backend=on.context))
    assert on.asked == []


def test_req_p2o_010_precondition_the_output_may_be_empty(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, summarize=["It printed nothing."])
    assert run(invoke_summarize("pass", "", backend=on.context)) == "It printed nothing."


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.",
        '  {"a": 1}  ',
        "Before\n```python\nx = 1\n```\nafter\n",
        "Ünïcode “quotes” \N{SNOWMAN}\n\n\n",
    ],
)
def test_req_p2o_011_the_summary_is_the_reply_as_it_is(
    bench: Workbench, tmp_path: Path, text: str
) -> None:
    on = stage(bench, tmp_path, summarize=[text])
    assert run(invoke_summarize("pass", "out", backend=on.context)) == text


def test_without_an_answer_the_end_of_the_output_stands_in(
    bench: Workbench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    on = stage(bench, tmp_path, summarize=[" ", "\n"])
    with caplog.at_level(logging.WARNING):
        summary = run(invoke_summarize("pass", "x" * 3000 + "end", backend=on.context))
    assert summary == "[Auto-summary from raw output] " + "x" * 1997 + "end"
    assert "not summarised" in caplog.text


def test_req_p2o_011_acceptance_the_encoder_is_named(bench: Workbench, tmp_path: Path) -> None:
    """By the expert, through the same function."""
    on = stage(bench, tmp_path, OfflineModel())
    summary = run(invoke_summarize("print('study')", SEED, backend=on.context))
    assert named(summary, "Most") == "OneHotEncoder"
    assert named(summary, "Least") == "Imputation"


def test_req_p2o_011_it_works_outside_of_any_run() -> None:
    assert named(run(invoke_summarize("print('study')", SEED)), "Most") == "OneHotEncoder"


@pytest.mark.parametrize(
    ("printed", "most", "least"),
    [
        (SEED, "OneHotEncoder", "Imputation"),
        (SEED.replace(", ", "\n"), "OneHotEncoder", "Imputation"),
        (
            "| Variant | Accuracy | SE |\n|---|---|---|\n| Baseline | 0.82 | 0.004 |\n"
            "| Without PCA | 0.70 | 0.005 |\n| Without scaling | 0.819 | 0.004 |",
            "PCA",
            "scaling",
        ),
        (
            "variant            rmse    std\nfull model        0.512   0.010\n"
            "no log target     0.650   0.012\nno date parts     0.515   0.011\n",
            "log target",
            "date parts",
        ),
        (
            "=== Baseline ===\nFinal Validation Performance: 0.9\n"
            "=== Without target encoding ===\nFinal Validation Performance: 0.85\n"
            "=== Without interactions (n=10) ===\nFinal Validation Performance: 0.899\n"
            "Elapsed time: 12.3\nMost important: target encoding (0.05)",
            "target encoding",
            "interactions (n=10)",
        ),
        ("{'baseline': 0.81, 'no_scaler': 0.80, 'no_bins': 0.70}", "bins", "scaler"),
        (
            "Baseline RMSE = 12.3 ± 0.4\nRMSE without lags = 19.9 ± 0.5\n"
            "RMSE without holidays -> 12.4 ± 0.4",
            "lags",
            "holidays",
        ),
        (
            "[INFO] Baseline score: 0.5\n[INFO] 1. Without dropout: 0.4\n"
            "[INFO] 2. Without augmentation: 0.45",
            "dropout",
            "augmentation",
        ),
        ("Base R2=0.71; no crossing R2=0.60; no clipping R2=0.705", "crossing", "clipping"),
        ("Impact of scaler: 0.01\nImpact of encoder: 0.2", "encoder", "scaler"),
        (
            "                 name     score\n0            Baseline  0.812300\n"
            "1          No Hashes  0.790000\n2            No Bins  0.811000\n",
            "Hashes",
            "Bins",
        ),
        ("Baseline 0.81\nNo scaler 0.80\nNo bins 0.60", "bins", "scaler"),
        (
            "Baseline accuracy: 81.96%\nAblation 1: No PCA (n_components=10) accuracy: 80.1%\n"
            "Ablation 2: Removed words: 75.0%",
            "words",
            "PCA (n_components=10)",
        ),
    ],
)
def test_req_p2o_011_the_most_and_the_least_are_named(printed: str, most: str, least: str) -> None:
    summary = summarise("", printed)
    assert named(summary, "Most") == most
    assert named(summary, "Least") == least


def test_differences_within_noise_are_said_to_be() -> None:
    summary = summarise(
        "",
        "Baseline: 0.8123\nwithout A: 0.8110\nBaseline, seed +101: 0.8150\n"
        "Baseline, seed +202: 0.8090\nNoise (standard deviation of the controls): 0.003",
    )
    assert "All differences are within noise" in summary
    assert "seed" not in summary.partition("Variations")[2]


def test_controls_alone_tell_the_noise() -> None:
    printed = "Baseline: 0.80\nBaseline (again): 0.82\nNo A: 0.81\nNo B: 0.20"
    summary = summarise("", printed)
    assert "Within noise: A." in summary
    assert named(summary, "Most") == "B"


def test_folds_are_averaged_and_tell_the_error() -> None:
    study = read_study(
        "Baseline fold 0: 0.8\nBaseline fold 1: 0.9\nNo A fold 0: 0.5\nNo A fold 1: 0.7"
    )
    assert study.scores == pytest.approx({"Baseline": 0.85, "No A": 0.6})
    assert study.errors["No A"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("printed", "direction", "words"),
    [
        ("Baseline: 0.5\nNo A: 0.7", "minimize", "worse without it"),
        ("Baseline: 0.5\nNo A: 0.7", "maximize", "does harm"),
        ("Baseline: 0.5\nNo A: 0.7", None, "sizes only"),
        ("Baseline logloss: 0.5\nNo A logloss: 0.7", None, "worse without it"),
        ("Baseline AUC: 0.5\nNo A AUC: 0.7", None, "does harm"),
    ],
)
def test_the_direction_decides_what_an_effect_means(
    printed: str, direction: str | None, words: str
) -> None:
    assert words in summarise("", printed, direction)  # type: ignore[arg-type]


def test_an_effect_of_exactly_nothing_is_doubted() -> None:
    assert "the variation did not take effect" in summarise("", SEED)


@pytest.mark.parametrize(
    "printed", ["", "  \n", "nothing here", "0.5 0.6", "Baseline: nan, No X: 0.5"]
)
def test_output_without_scores_is_said_to_have_none(printed: str) -> None:
    summary = summarise("", printed)
    assert "printed no" in summary
    assert "Most impactful" not in summary


@pytest.mark.parametrize(
    "printed", ["a:" * 50_000 + "1", "(" * 50_000, "x = " * 50_000, "|" * 9_000]
)
def test_hostile_output_is_read_in_bounded_time(printed: str) -> None:
    assert summarise("", printed)


@given(st.text(max_size=300))
def test_any_output_is_summarised(printed: str) -> None:
    assert summarise("", printed).strip()


@given(
    st.dictionaries(
        st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon"]),
        st.floats(0.01, 0.99).map(lambda value: round(value, 4)),
        min_size=2,
        max_size=5,
    ),
    st.floats(0.01, 0.99).map(lambda value: round(value, 4)),
)
def test_the_largest_difference_is_always_the_most_impactful(
    scores: dict[str, float], baseline: float
) -> None:
    lines = [f"Baseline: {baseline}", *(f"No {name}: {score}" for name, score in scores.items())]
    effects = {name: abs(score - baseline) for name, score in scores.items()}
    largest = max(effects.values())
    if largest > 0:
        summary = summarise("", "\n".join(lines))
        assert effects[named(summary, "Most")] == pytest.approx(largest)
