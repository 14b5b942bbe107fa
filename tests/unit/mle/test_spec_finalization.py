"""The end of the pipeline: no subsampling, test rows, a submission, and every way it can fail."""

import logging
from pathlib import Path

import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.apps.mle.models import (
    DataContaminationResult,
    FinalResult,
    Phase1Result,
    SolutionPhase,
)
from proveout.apps.mle.star.finalization import (
    check_contamination,
    generate_test_submission,
    remove_subsampling,
    run_finalization,
)
from tests.unit.mle.spec_kit import (
    CLEAN,
    Stage,
    broken,
    fence,
    run,
    script,
    small,
    solution,
    stage,
)
from tests.workbench import Workbench

SAMPLE = "rows = rows.sample(30000)"
START = solution(f"rows = range(3)\n{SAMPLE}\n{script(0.7)}", 0.7)
FIRST = Phase1Result(
    retrieved_models=[],
    candidate_solutions=[START],
    candidate_scores=[0.7],
    initial_solution=START,
    initial_score=0.7,
)


def submitting(tag: str) -> str:
    return f"open('final/submission.csv', 'w').write('id,y\\n1,{len(tag)}\\n')\n{script(0.8, tag)}"


def finalised(on: Stage, discussions: list[str] | None = None) -> FinalResult:
    work = run_finalization(
        START, on.task, small(), FIRST, [], None, discussions, backend=on.context
    )
    return run(work)


def test_the_order_is_the_specified_one(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        test_subsampling_extract=[fence(SAMPLE)],
        test_subsampling_remove=[fence("rows = list(rows)")],
        test=[fence(submitting("final"))],
        leakage_detection=[CLEAN],
    )
    found = finalised(on)
    assert on.asked == [
        "test_subsampling_extract",
        "test_subsampling_remove",
        "test",
        "leakage_detection",
    ]
    assert "rows = list(rows)" in on.prompts("test")[0]
    assert SAMPLE not in on.prompts("test")[0]
    assert found.submission_path == str(tmp_path / "final" / "submission.csv")
    assert Path(found.submission_path).read_text(encoding="utf-8") == "id,y\n1,5\n"
    assert found.final_solution.phase is SolutionPhase.final
    assert found.final_solution.score == 0.8
    assert found.total_cost_usd is not None
    assert FinalResult.model_validate_json(found.model_dump_json()) == found


def test_a_missing_submission_goes_to_the_debugger(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        test_subsampling_extract=["nothing to extract"],
        test=[fence(script(0.8, "forgot"))],
        debugger=[fence(submitting("mended"))],
        leakage_detection=[CLEAN] * 2,
    )
    found = finalised(on)
    assert "wrote no ./final/submission.csv" in on.prompts("debugger")[0]
    assert 'tag = "mended"' in found.final_solution.content
    assert found.submission_path


@pytest.mark.parametrize("reply", ["prose", fence(broken()), fence(script(0.8, "no file"))])
def test_without_a_submission_the_validated_script_is_the_result(
    bench: Workbench, tmp_path: Path, reply: str, caplog: pytest.LogCaptureFixture
) -> None:
    on = stage(
        bench,
        tmp_path,
        test_subsampling_extract=["none"],
        test=[reply],
        debugger=["no"],
        leakage_detection=[CLEAN],
    )
    with caplog.at_level(logging.WARNING):
        found = finalised(on)
    assert found.submission_path == ""
    assert found.final_solution.content == START.content
    assert "no submission" in caplog.text


@pytest.mark.parametrize(
    ("extracted", "removed"),
    [
        ("I see none.", None),
        (fence(""), None),
        (fence("rows = rows.sample(1)"), None),
        (fence(SAMPLE), "prose and no code"),
        (fence(SAMPLE), fence("rows = (")),
    ],
)
def test_subsampling_that_cannot_be_taken_out_stays(
    bench: Workbench, tmp_path: Path, extracted: str, removed: str | None
) -> None:
    on = stage(
        bench,
        tmp_path,
        test_subsampling_extract=[extracted, extracted],
        test_subsampling_remove=[removed] if removed else [],
    )
    after = run(remove_subsampling(START, backend=on.context))
    assert after.content == START.content
    assert on.counts["test_subsampling_remove"] == (1 if removed else 0)


def test_subsampling_is_found_by_rule(bench: Workbench, tmp_path: Path) -> None:
    code = (
        "import pandas as pd\nrows = pd.read_csv('input/train.csv')\n"
        "if len(rows) > 30000:\n    rows = rows.sample(30000).reset_index(drop=True)\n"
        "print(rows)\n"
    )
    on = stage(bench, tmp_path, OfflineModel())
    after = run(remove_subsampling(solution(code), backend=on.context))
    assert "sample(" not in after.content
    assert after.content.startswith("import pandas")
    assert after.content.endswith("print(rows)\n")
    clean = solution("rows = other.sample(3)\n")
    assert run(remove_subsampling(clean, backend=on.context)) is clean


def test_one_that_is_the_same_is_enough(bench: Workbench, tmp_path: Path) -> None:
    novel, same = (DataContaminationResult(verdict=it) for it in ("Novel", "Same"))
    on = stage(bench, tmp_path, test_contamination=[novel, same, novel, novel, "x", "x"])
    with_same = run(check_contamination(START, ["a", "b", "c"], backend=on.context))
    assert with_same == same
    assert run(check_contamination(START, ["d"], backend=on.context)) == novel
    assert run(check_contamination(START, ["e"], backend=on.context)) is None
    assert run(check_contamination(START, [], backend=on.context)) is None


def test_a_test_script_that_is_prose_is_none(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, test=["Here is how you could do it."])
    assert run(generate_test_submission(on.task, START, backend=on.context)) is None


def test_discussions_are_compared_at_the_end(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench,
        tmp_path,
        test_subsampling_extract=["none"],
        test=[fence(submitting("x"))],
        leakage_detection=[CLEAN],
        test_contamination=[DataContaminationResult(verdict="Novel")],
    )
    finalised(on, ["a published solution"])
    assert on.asked[-1] == "test_contamination"
