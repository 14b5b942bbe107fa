"""REQ-SF-013 to -023: detection, correction, replacement, and that nothing is run unchecked."""

import ast
import inspect
import logging
from pathlib import Path

import pytest

from proveout.adapters.models.offline import OfflineModel
from proveout.apps.mle.leakage import examine
from proveout.apps.mle.models import LeakageAnswer, LeakageDetectionOutput
from proveout.apps.mle.star import finalization, phase1, phase2_inner, phase3, safety
from proveout.apps.mle.star.guarding import model_calls_saved, tell_saved
from proveout.apps.mle.star.safety import (
    check_and_fix_leakage,
    correct_leakage,
    detect_leakage,
    extract_code_block,
)
from tests.unit.mle.spec_kit import CLEAN, fence, run, solution, stage
from tests.workbench import Workbench

LEAKY = "scaler = StandardScaler().fit(rows)"
FIXED = "scaler = StandardScaler().fit(fit_rows)"
SCRIPT = f"""import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

rows = pd.read_csv("input/train.csv")
target = rows.pop("target")
{LEAKY}
rows = scaler.transform(rows)
fit_rows, held, y, truth = train_test_split(rows, target, random_state=0)
model = LogisticRegression().fit(fit_rows, y)
print("Final Validation Performance:", model.score(held, truth))
"""
PROVABLE = SCRIPT
"""Code alone sees that it leaks."""
SCRIPT = f"""from elsewhere import load, judge
from sklearn.preprocessing import StandardScaler

rows, fit_rows = load("input/train.csv")
{LEAKY}
rows = scaler.transform(rows)
print("Final Validation Performance:", judge(rows))
"""
"""Training happens out of sight: a model has to be asked."""
YES = LeakageAnswer(leakage_status="Yes Data Leakage", code_block=LEAKY)
NO = LeakageAnswer(leakage_status="No Data Leakage", code_block="rows = 1")


def detected(*answers: LeakageAnswer) -> LeakageDetectionOutput:
    return LeakageDetectionOutput(answers=list(answers))


def test_req_sf_013_the_script_is_the_one_input(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, leakage_detection=[detected(NO)])
    assert run(detect_leakage(solution(SCRIPT), backend=on.context)) == detected(NO)
    assert SCRIPT.strip() in on.prompts("leakage_detection")[0]


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_req_sf_013_precondition_there_must_be_a_script(
    bench: Workbench, tmp_path: Path, content: str
) -> None:
    on = stage(bench, tmp_path)
    for function in (detect_leakage, correct_leakage, check_and_fix_leakage):
        with pytest.raises(ValueError, match="no script"):
            run(function(solution(content), backend=on.context))
    assert on.asked == []


@pytest.mark.parametrize("status", ["Yes", "yes data leakage", "", "No Data Leakage "])
def test_req_sf_014_there_are_two_statuses(status: str) -> None:
    with pytest.raises(ValueError, match="leakage_status"):
        LeakageAnswer.model_validate({"leakage_status": status, "code_block": "x"})


def test_req_sf_014_at_least_one_answer() -> None:
    with pytest.raises(ValueError, match="answers"):
        LeakageDetectionOutput(answers=[])


def test_req_sf_014_acceptance_a_leak_is_found_by_rule(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, OfflineModel())
    answer = run(detect_leakage(solution(PROVABLE), backend=on.context))
    assert answer is not None
    leaks = [it for it in answer.answers if it.leakage_status == "Yes Data Leakage"]
    assert leaks
    assert all(it.code_block in PROVABLE for it in leaks)


def test_req_sf_018_the_script_reaches_the_corrector(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, leakage_correction=[fence(FIXED)])
    run(correct_leakage(solution(SCRIPT), LEAKY, backend=on.context))
    assert SCRIPT.strip() in on.prompts("leakage_correction")[0]


def test_req_sf_018_precondition_without_a_leak_nobody_corrects(
    bench: Workbench, tmp_path: Path
) -> None:
    on = stage(bench, tmp_path, leakage_detection=[detected(NO, NO)])
    run(check_and_fix_leakage(solution(SCRIPT), backend=on.context))
    assert on.asked == ["leakage_detection"]


def test_req_sf_019_the_block_is_taken_out_of_the_reply(bench: Workbench, tmp_path: Path) -> None:
    reply = f"Two blocks:\n```\nx\n```\nand\n```python\n{FIXED}\n```\nDone."
    on = stage(bench, tmp_path, leakage_correction=[reply])
    made = run(correct_leakage(solution(SCRIPT), LEAKY, backend=on.context))
    assert made == extract_code_block(reply) == FIXED


@pytest.mark.parametrize("reply", [fence(LEAKY), fence(""), "I cannot see a leak here, sorry."])
def test_req_sf_019_acceptance_it_is_neither_empty_nor_the_leaky_one(
    bench: Workbench, tmp_path: Path, reply: str
) -> None:
    on = stage(bench, tmp_path, leakage_correction=[reply])
    assert run(correct_leakage(solution(SCRIPT), LEAKY, backend=on.context)) is None


def test_req_sf_020_it_is_an_async_function_of_a_script() -> None:
    assert inspect.iscoroutinefunction(check_and_fix_leakage)
    parameters = inspect.signature(check_and_fix_leakage).parameters.values()
    assert [it.name for it in parameters if it.kind is it.POSITIONAL_OR_KEYWORD] == ["solution"]


def test_req_sf_020_acceptance_the_leaky_block_is_replaced(
    bench: Workbench, tmp_path: Path
) -> None:
    before = solution(SCRIPT, score=0.9)
    on = stage(
        bench, tmp_path, leakage_detection=[detected(YES)], leakage_correction=[fence(FIXED)]
    )
    after = run(check_and_fix_leakage(before, backend=on.context))
    assert after.content == SCRIPT.replace(LEAKY, FIXED, 1)
    assert (after.phase, after.source_model) == (before.phase, before.source_model)
    assert before.content == SCRIPT
    assert on.asked == ["leakage_detection", "leakage_correction"]


def test_req_sf_020_2_every_answer_is_corrected_on_what_the_last_one_left(
    bench: Workbench, tmp_path: Path
) -> None:
    second = LeakageAnswer(
        leakage_status="Yes Data Leakage", code_block="rows = scaler.transform(rows)"
    )
    on = stage(
        bench,
        tmp_path,
        leakage_detection=[detected(YES, NO, second)],
        leakage_correction=[fence(FIXED), fence("rows = scaler.transform(rows)  # mended")],
    )
    after = run(check_and_fix_leakage(solution(SCRIPT), backend=on.context))
    assert FIXED in after.content
    assert "# mended" in after.content
    first_seen, second_seen = on.prompts("leakage_correction")
    assert LEAKY in first_seen
    assert FIXED in second_seen
    assert LEAKY not in second_seen


def test_req_sf_020_3_without_a_leak_the_script_is_returned_unchanged(
    bench: Workbench, tmp_path: Path
) -> None:
    before = solution(SCRIPT)
    on = stage(bench, tmp_path, leakage_detection=[detected(NO)])
    assert run(check_and_fix_leakage(before, backend=on.context)) is before


def test_req_sf_021_a_block_that_is_not_there_is_skipped_with_a_warning(
    bench: Workbench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spaced = YES.model_copy(update={"code_block": LEAKY.replace(" = ", "  = ")})
    on = stage(
        bench,
        tmp_path,
        leakage_detection=[detected(spaced, YES)],
        leakage_correction=[fence("lost = 1"), fence(FIXED)],
    )
    with caplog.at_level(logging.WARNING):
        after = run(check_and_fix_leakage(solution(SCRIPT), backend=on.context))
    assert after.content == SCRIPT.replace(LEAKY, FIXED, 1)
    assert caplog.text.count("not applied") == 1
    assert on.counts["leakage_correction"] == 2


def test_req_sf_021_the_first_occurrence_is_replaced(bench: Workbench, tmp_path: Path) -> None:
    on = stage(
        bench, tmp_path, leakage_detection=[detected(YES)], leakage_correction=[fence(FIXED)]
    )
    twice = f"{LEAKY}\nprint(1)\n{LEAKY}\n"
    after = run(check_and_fix_leakage(solution(twice), backend=on.context))
    assert after.content == f"{FIXED}\nprint(1)\n{LEAKY}\n"


@pytest.mark.parametrize("block", ["", "\n"])
def test_an_empty_block_is_never_replaced(bench: Workbench, tmp_path: Path, block: str) -> None:
    empty = YES.model_copy(update={"code_block": block})
    on = stage(
        bench, tmp_path, leakage_detection=[detected(empty)], leakage_correction=[fence("x = (")]
    )
    after = run(check_and_fix_leakage(solution(SCRIPT), backend=on.context))
    assert after.content == SCRIPT


def test_a_whole_script_in_answer_is_not_put_into_itself(bench: Workbench, tmp_path: Path) -> None:
    whole = SCRIPT.replace(LEAKY, FIXED).strip()
    on = stage(
        bench, tmp_path, leakage_detection=[detected(YES)], leakage_correction=[fence(whole)]
    )
    after = run(check_and_fix_leakage(solution(SCRIPT), backend=on.context))
    assert after.content == whole


def test_a_correction_that_breaks_the_script_is_not_applied(
    bench: Workbench, tmp_path: Path
) -> None:
    on = stage(
        bench, tmp_path, leakage_detection=[detected(YES)], leakage_correction=[fence("x = (")]
    )
    assert run(check_and_fix_leakage(solution(SCRIPT), backend=on.context)).content == SCRIPT


def test_an_indented_block_gets_its_indentation_back(bench: Workbench, tmp_path: Path) -> None:
    inside = f"def prepare(rows, fit_rows):\n    {LEAKY}\n    return scaler\n"
    whole_line = YES.model_copy(update={"code_block": f"    {LEAKY}"})
    on = stage(
        bench, tmp_path, leakage_detection=[detected(whole_line)], leakage_correction=[fence(FIXED)]
    )
    after = run(check_and_fix_leakage(solution(inside), backend=on.context))
    assert after.content == inside.replace(LEAKY, FIXED)


@pytest.mark.parametrize("reply", ["I see no problem.", "{}", '{"answers": []}'])
def test_silence_is_not_consent(
    bench: Workbench, tmp_path: Path, reply: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the model says nothing that can be read, the static detector decides."""
    on = stage(
        bench, tmp_path, leakage_detection=[reply, reply], leakage_correction=[fence(FIXED)] * 5
    )
    with caplog.at_level(logging.WARNING):
        answer = run(detect_leakage(solution(PROVABLE), backend=on.context))
    assert answer is not None
    assert any(it.leaks for it in answer.answers)
    assert "static detector decides" in caplog.text
    assert on.counts["leakage_detection"] == 2


AHEAD = """import pandas as pd
from sklearn.linear_model import Ridge

rows = pd.read_csv("input/train.csv")
rows["next"] = rows["a"].shift(-1)
rows = rows.fillna(0)
model = Ridge().fit(rows[["next"]][:80], rows["target"][:80])
print("Final Validation Performance:", model.score(rows[["next"]][80:], rows["target"][80:]))
"""
"""What would be right instead, only its author can say."""
BEFORE_THE_SPLIT = PROVABLE.replace(
    f"{LEAKY}\nrows = scaler.transform(rows)",
    "scaler = StandardScaler()\nrows = scaler.fit_transform(rows)",
)


def test_by_rule_a_leak_is_found_and_repaired(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, OfflineModel())
    after = run(check_and_fix_leakage(solution(BEFORE_THE_SPLIT), backend=on.context))
    assert after.content != BEFORE_THE_SPLIT
    again = run(detect_leakage(after, backend=on.context))
    assert again is not None
    assert not any(it.leaks for it in again.answers)
    assert on.ran == []


def test_req_sf_020_it_works_outside_of_any_run() -> None:
    """One argument, no back end: the model of the settings, which is none."""
    before = solution(BEFORE_THE_SPLIT)
    after = run(check_and_fix_leakage(before))
    assert "fit_rows = scaler.fit_transform(fit_rows)" in after.content
    assert before.content == BEFORE_THE_SPLIT
    clean = solution("x = 1")
    assert run(check_and_fix_leakage(clean)) is clean


def test_what_code_is_sure_of_is_asked_of_nobody(bench: Workbench, tmp_path: Path) -> None:
    """A certain repair replaces both questions; a script that is surely clean, the first."""
    on = stage(bench, tmp_path, leakage_detection=[detected(NO)])
    saved = model_calls_saved(on.context.run)
    after = run(check_and_fix_leakage(solution(BEFORE_THE_SPLIT), backend=on.context))
    assert examine(after.content).leaks == ()
    assert run(check_and_fix_leakage(after, backend=on.context)) is after
    assert on.asked == []
    assert model_calls_saved(on.context.run) - saved == 3


@pytest.mark.parametrize("reply", ["", fence("x = (")])
def test_a_corrector_that_fails_does_not_acquit(
    bench: Workbench, tmp_path: Path, reply: str, caplog: pytest.LogCaptureFixture
) -> None:
    """What code proves is not a matter of opinion: no detection is asked for, and it is told."""
    on = stage(bench, tmp_path, leakage_detection=[detected(NO)], leakage_correction=[reply] * 6)
    with caplog.at_level(logging.WARNING):
        after = run(check_and_fix_leakage(solution(AHEAD), backend=on.context))
    assert after.content == AHEAD
    assert set(on.asked) == {"leakage_correction"}
    assert "still leaks" in caplog.text


def test_a_leak_that_code_cannot_mend_is_mended_by_the_corrector(
    bench: Workbench, tmp_path: Path
) -> None:
    (leak,) = examine(AHEAD).leaks
    fixed = 'rows["next"] = rows["a"].shift(1)'
    on = stage(bench, tmp_path, leakage_correction=[fence(fixed)])
    after = run(check_and_fix_leakage(solution(AHEAD), backend=on.context))
    assert after.content == AHEAD.replace(leak.block, fixed, 1)
    assert on.asked == ["leakage_correction"]
    assert examine(after.content).leaks == ()


def test_saved_calls_are_told_once(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    run(check_and_fix_leakage(solution(BEFORE_THE_SPLIT), backend=on.context))
    tell_saved(on.context)
    assert model_calls_saved(on.context.run) == 0
    tell_saved(on.context)


@pytest.mark.parametrize("module", [phase1, phase2_inner, phase3, finalization, safety])
def test_req_sf_022_acceptance_every_evaluation_has_a_check_before_it(module: object) -> None:
    """In every function that runs scripts, the check stands before the run."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    runs = ("evaluate_solution", "evaluate_with_retry")
    guards = ("check_and_fix_leakage", "mending")
    seen = 0
    for node in ast.walk(tree):
        if not isinstance(node, ast.AsyncFunctionDef):
            continue
        called = [
            (call.lineno, call.col_offset, getattr(call.func, "id", ""))
            for call in ast.walk(node)
            if isinstance(call, ast.Call)
        ]
        places = {name: [it[:2] for it in sorted(called) if it[2] == name] for *_, name in called}
        first_run = min((place for name in runs for place in places.get(name, [])), default=None)
        if first_run is not None:
            seen += 1
            first_guard = min(place for name in guards for place in places.get(name, []))
            assert first_guard < first_run, node.name
    assert seen


def test_a_model_is_asked_where_code_saw_no_training(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, leakage_detection=[CLEAN])
    run(check_and_fix_leakage(solution("x = 1"), backend=on.context))
    assert len(on.asked) == 1
