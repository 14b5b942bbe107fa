"""Algorithm 1: retrieve, try each, merge by rank until a merge does not help."""

import logging
from pathlib import Path

import pytest

from proveout.apps.mle.models import (
    LeakageAnswer,
    LeakageDetectionOutput,
    MetricDirection,
    RetrievedModel,
    RetrieverOutput,
    SolutionPhase,
)
from proveout.apps.mle.star.phase1 import (
    generate_candidate,
    merge_solutions,
    parse_retriever_output,
    retrieve_models,
    run_phase1,
)
from tests.unit.mle.spec_kit import CLEAN, broken, fence, run, script, small, solution, stage
from tests.workbench import Workbench

USED = "All the provided information is used."


def models(*names: str) -> RetrieverOutput:
    return RetrieverOutput(
        models=[RetrievedModel(model_name=name, example_code=f"use({name!r})") for name in names]
    )


def test_the_order_of_calls_is_the_algorithms(bench: Workbench, tmp_path: Path) -> None:
    """Seventeen calls for four models, as counted from the pseudocode."""
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a", "b", "c", "d")],
        init=[
            fence(script(score, name))
            for name, score in zip("abcd", (0.5, 0.8, 0.6, 0.7), strict=True)
        ],
        leakage_detection=[CLEAN] * 20,
        merger=[fence(script(score, "merged")) for score in (0.81, 0.82, 0.83)],
        data=[USED],
    )
    found = run(run_phase1(on.task, small(num_retrieved_models=4), backend=on.context))
    tried = ["init", "leakage_detection"] * 4
    merged = ["merger", "leakage_detection"] * 3
    assert on.asked == ["retriever", *tried, *merged, "data", "leakage_detection"]
    assert len(on.asked) == 17
    assert len(on.ran) == 7
    assert found.candidate_scores == [0.5, 0.8, 0.6, 0.7]
    assert [it.source_model for it in found.candidate_solutions] == ["a", "b", "c", "d"]
    assert found.initial_score == 0.83
    assert found.initial_solution.score == 0.83
    assert found.initial_solution.phase is SolutionPhase.merged


def test_references_come_in_the_order_of_rank(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a", "b", "c")],
        init=[
            fence(script(score, name)) for name, score in zip("abc", (0.5, 0.8, 0.7), strict=True)
        ],
        leakage_detection=[CLEAN] * 20,
        merger=[fence(script(0.9, "first")), fence(script(0.91, "second"))],
        data=[USED],
    )
    run(run_phase1(on.task, small(num_retrieved_models=3), backend=on.context))
    first, second = on.prompts("merger")
    assert first.index('tag = "b"') < first.index('tag = "c"')
    assert 'tag = "first"' in second
    assert 'tag = "a"' in second


def test_an_equal_merge_is_accepted_and_the_newest(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a", "b")],
        init=[fence(script(0.7, "a")), fence(script(0.7, "b"))],
        leakage_detection=[CLEAN] * 9,
        merger=[fence(script(0.7, "merged"))],
        data=[USED],
    )
    found = run(run_phase1(on.task, small(), backend=on.context))
    assert 'tag = "merged"' in found.initial_solution.content


def test_the_first_merge_that_does_not_help_is_the_last(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a", "b", "c", "d")],
        init=[fence(script(score)) for score in (0.9, 0.8, 0.7, 0.6)],
        leakage_detection=[CLEAN] * 20,
        merger=[fence(script(0.91)), fence(script(0.90)), fence(script(0.99))],
        data=[USED],
    )
    found = run(run_phase1(on.task, small(num_retrieved_models=4), backend=on.context))
    assert on.counts["merger"] == 2
    assert found.initial_score == 0.91


@pytest.mark.parametrize(
    "merge", [fence(broken()), "I would rather not.", fence("print('no score')")]
)
def test_a_merge_that_fails_is_not_better(bench: Workbench, tmp_path: Path, merge: str) -> None:
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a", "b", "c")],
        init=[fence(script(score)) for score in (0.9, 0.8, 0.7)],
        leakage_detection=[CLEAN] * 20,
        debugger=["no idea"] * 3,
        merger=[merge, fence(script(0.99))],
        data=[USED],
    )
    found = run(run_phase1(on.task, small(num_retrieved_models=3), backend=on.context))
    assert on.counts["merger"] == 1
    assert found.initial_score == 0.9


def test_lower_can_be_better(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        direction=MetricDirection.minimize,
        retriever=[models("a", "b")],
        init=[fence(script(0.5, "a")), fence(script(0.4, "b"))],
        leakage_detection=[CLEAN] * 9,
        merger=[fence(script(0.45, "merged"))],
        data=[USED],
    )
    found = run(run_phase1(on.task, small(), backend=on.context))
    assert found.initial_score == 0.4


def test_failed_candidates_stay_in_their_place(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a", "b", "c", "d")],
        init=[fence(broken("a")), fence(script(0.6, "b")), "prose", fence("print('no score')")],
        leakage_detection=[CLEAN] * 20,
        debugger=[fence(broken("a2"))],
        data=[USED],
    )
    found = run(run_phase1(on.task, small(num_retrieved_models=4), backend=on.context))
    assert found.candidate_scores == [None, 0.6, None, None]
    assert [it.is_executable for it in found.candidate_solutions] == [False, True, False, True]
    assert found.initial_score == 0.6
    assert on.counts["merger"] == 0
    # What was mended was checked again before it was run.
    assert on.asked[:5] == [
        "retriever",
        "init",
        "leakage_detection",
        "debugger",
        "leakage_detection",
    ]


def test_all_failed_is_an_error(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a", "b")],
        init=[fence(broken("a")), "prose"],
        leakage_detection=[CLEAN] * 9,
        debugger=["no"],
    )
    wanted = "Phase 1 failed: all 2 candidates produced execution errors"
    with pytest.raises(RuntimeError, match=wanted):
        run(run_phase1(on.task, small(), backend=on.context))


def test_more_data_are_taken_even_if_the_score_is_lower(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a")],
        init=[fence(script(0.6, "a"))],
        leakage_detection=[CLEAN] * 9,
        data=[fence(script(0.5, "all data"))],
    )
    found = run(run_phase1(on.task, small(num_retrieved_models=1), backend=on.context))
    assert found.initial_score == 0.5
    assert 'tag = "all data"' in found.initial_solution.content
    assert on.asked[-2:] == ["data", "leakage_detection"]
    assert len(on.ran) == 2


def test_more_data_that_cannot_be_run_are_not(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a")],
        init=[fence(script(0.6, "a"))],
        leakage_detection=[CLEAN] * 9,
        data=[fence(broken("all data"))],
        debugger=["no"],
    )
    found = run(run_phase1(on.task, small(num_retrieved_models=1), backend=on.context))
    assert found.initial_score == 0.6
    assert 'tag = "a"' in found.initial_solution.content


def test_a_leak_in_the_first_solution_is_taken_out_and_it_is_run_again(
    bench: Workbench, tmp_path: Path
) -> None:
    leak = LeakageDetectionOutput(
        answers=[LeakageAnswer(leakage_status="Yes Data Leakage", code_block='tag = "a"')]
    )
    on = stage(
        bench,
        tmp_path,
        retriever=[models("a")],
        init=[fence(script(0.6, "a"))],
        leakage_detection=[CLEAN, leak],
        leakage_correction=[fence('tag = "clean"')],
        data=[USED],
    )
    found = run(run_phase1(on.task, small(num_retrieved_models=1), backend=on.context))
    assert 'tag = "clean"' in found.initial_solution.content
    assert len(on.ran) == 2


def test_fewer_models_than_asked_for_are_told(
    bench: Workbench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    reply = RetrieverOutput(
        models=[
            RetrievedModel(model_name=" ", example_code="x"),
            RetrievedModel(model_name="a", example_code="\n"),
            RetrievedModel(model_name="b", example_code="use"),
        ]
    )
    on = stage(bench, tmp_path, retriever=[reply])
    with caplog.at_level(logging.WARNING):
        found = run(retrieve_models(on.task, small(num_retrieved_models=4), backend=on.context))
    assert [it.model_name for it in found] == ["b"]
    assert "2 retrieved models" in caplog.text
    assert "1 models of 4" in caplog.text


@pytest.mark.parametrize(
    "reply", ["no models", '{"models": []}', '{"models": [{"model_name": "", "example_code": ""}]}']
)
def test_no_models_is_an_error(bench: Workbench, tmp_path: Path, reply: str) -> None:
    on = stage(bench, tmp_path, retriever=[reply, reply])
    with pytest.raises(ValueError, match="A_retriever returned zero models"):
        run(retrieve_models(on.task, small(), backend=on.context))


def test_more_models_than_asked_for_are_cut(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, retriever=[models("a", "b", "c")])
    assert len(run(retrieve_models(on.task, small(), backend=on.context))) == 2
    assert "2 recent, effective models" in on.prompts("retriever")[0]


def test_a_retrievers_reply_is_read_wherever_the_json_stands() -> None:
    text = 'Sure:\n```json\n[{"model_name": "a", "example_code": "b"}]\n```'
    assert parse_retriever_output(text).models[0].model_name == "a"
    with pytest.raises(ValueError, match="x" * 400) as caught:
        parse_retriever_output("x" * 900)
    assert "x" * 501 not in str(caught.value)


def test_a_candidate_and_a_merge_on_their_own(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, init=[fence(script(1))], merger=[fence(script(2)), "prose"])
    model = RetrievedModel(model_name="m", example_code="code()")
    made = run(generate_candidate(on.task, model, small(), backend=on.context))
    assert made is not None
    assert (made.phase, made.source_model) == (SolutionPhase.init, "m")
    assert "code()" in on.prompts("init")[0]
    merged = run(merge_solutions(made, solution("y = 1"), small(), backend=on.context))
    assert merged is not None
    assert merged.phase is SolutionPhase.merged
    assert run(merge_solutions(made, made, small(), backend=on.context)) is None
