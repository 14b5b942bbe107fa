"""REQ-EX and REQ-SF-001 to -010: scripts are written, run, read and mended."""

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.adapters.models.scripted import ScriptedModel
from proveout.apps.mle.models import (
    EvaluationResult,
    ExecutionRawResult,
    MetricDirection,
    PipelineConfig,
    SolutionScript,
)
from proveout.apps.mle.scripts.blocks import script_in
from proveout.apps.mle.scripts.reading import ending_calls
from proveout.apps.mle.star.execution import (
    build_evaluation_result,
    build_execution_env,
    clean_output_directory,
    complaint,
    detect_error,
    detect_error_masking,
    detect_gpu_info,
    evaluate_batch,
    evaluate_solution,
    evaluate_with_retry,
    execute_script,
    extract_traceback,
    get_submission_info,
    get_subsample_instruction,
    is_better_solution,
    parse_score,
    rank_solutions,
    request_subsample_extraction,
    request_subsample_removal,
    setup_working_directory,
    verify_submission,
    write_script,
)
from proveout.apps.mle.star.safety import (
    debug_solution,
    extract_code_block,
    make_debug_callback,
    parse_data_agent_response,
    with_score_line,
)
from proveout.kernel.ambient import using
from proveout.kernel.budget import Budget
from proveout.kernel.errors import BudgetSpent
from proveout.kernel.events import Event, VerdictGiven
from tests.unit.mle.spec_kit import (
    CLEAN,
    PLENTY,
    broken,
    fence,
    run,
    script,
    small,
    solution,
    stage,
    staged,
)
from tests.workbench import Workbench

TRACE = (
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\n'
    "ValueError: bad\n"
)


def raw(
    stdout: str = "", stderr: str = "", exit_code: int = 0, timed_out: bool = False
) -> ExecutionRawResult:
    return ExecutionRawResult(
        stdout=stdout,
        stderr=stderr,
        exit_code=exit_code,
        duration_seconds=1.0,
        timed_out=timed_out,
    )


def result(score: float | None, *, is_error: bool = False) -> EvaluationResult:
    return EvaluationResult(
        score=score, stdout="", stderr="", exit_code=0, duration_seconds=0, is_error=is_error
    )


# Reading


@pytest.mark.parametrize(
    ("stdout", "score"),
    [
        ("Final Validation Performance: 0.8196", 0.8196),
        ("Final Validation Performance:-1.5e-3\n", -0.0015),
        ("Final Validation Performance:\n 7", 7.0),
        ("Final Validation Performance: 0.1\nFinal Validation Performance: 0.2", 0.2),
        ("Final Validation Performance: 0.82.", None),
        ("Final Validation Performance: nan", None),
        ("Final Validation Performance: 1e999", None),
        ("Final Validation Performance: -", None),
        ("final validation performance: 0.5", None),
        ("", None),
    ],
)
def test_the_last_score_counts(stdout: str, score: float | None) -> None:
    assert parse_score(stdout) == score


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_that_python_prints_is_read_back(value: float) -> None:
    assert parse_score(f"noise\nFinal Validation Performance: {value}\n") == value


def test_the_last_complete_traceback_is_found() -> None:
    other = TRACE.replace("ValueError: bad", "KeyError: 'x'\nsecond line")
    assert extract_traceback(f"warning\n{TRACE}\n{other}\nlater words") == other.strip()
    cut = f"{TRACE}\n" + "Traceback (most recent call last):\n  File x"
    assert extract_traceback(cut) == TRACE.strip()
    assert extract_traceback("nothing") is None


@given(st.text(max_size=200))
def test_any_output_can_be_read(text: str) -> None:
    extract_traceback(text)
    parse_score(text)
    assert complaint(build_evaluation_result(raw(text, text, 1))).strip()


@pytest.mark.parametrize(
    ("given_raw", "error"),
    [
        (raw("ok"), False),
        (raw("ok", "a warning"), False),
        (raw(exit_code=1), True),
        (raw(timed_out=True, exit_code=-1), True),
        (raw("ok", TRACE), True),
    ],
)
def test_what_counts_as_an_error(given_raw: ExecutionRawResult, error: bool) -> None:
    assert detect_error(given_raw) is error
    assert build_evaluation_result(given_raw).is_error is error


def test_a_time_out_has_words_for_the_debugger() -> None:
    told = complaint(build_evaluation_result(raw("epoch 3", exit_code=-1, timed_out=True)))
    assert "timed out" in told
    assert "epoch 3" in told


# Writing


@pytest.mark.parametrize(
    "content",
    [
        "",
        "  \n",
        "exit()",
        "if x:\n    quit(1)",
        "import sys\nsys.exit(0)",
        "import os\nos._exit(1)",
        "x = (\nexit()",
    ],
)
def test_a_script_that_would_end_itself_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(ValueError, match="script"):
        write_script(solution(content), str(tmp_path))
    assert not (tmp_path / "solution.py").exists()


@pytest.mark.parametrize(
    "content",
    [
        "# exit()\nx = 'exit()'",
        "model.exit()",
        "def quit():\n    return 1\nquit()",
        "on_exit(1)",
        "x = (  # not closed",
    ],
)
def test_what_only_looks_like_an_end_is_written(tmp_path: Path, content: str) -> None:
    path = Path(write_script(solution(content + " # ü"), str(tmp_path), "other.py"))
    assert path == tmp_path / "other.py"
    assert path.read_text(encoding="utf-8") == content + " # ü"
    write_script(solution("x = 2"), str(tmp_path), "other.py")
    assert path.read_text(encoding="utf-8") == "x = 2"


def test_folders(tmp_path: Path) -> None:
    base = setup_working_directory(str(tmp_path / "a" / "b"))
    assert base == str((tmp_path / "a" / "b").resolve())
    left = tmp_path / "a" / "b" / "final" / "deep"
    left.mkdir()
    (left / "old.csv").write_text("x")
    clean_output_directory(base)
    assert list((tmp_path / "a" / "b" / "final").iterdir()) == []
    assert (tmp_path / "a" / "b" / "input").is_dir()


def test_submissions(tmp_path: Path) -> None:
    setup_working_directory(str(tmp_path))
    assert not verify_submission(str(tmp_path))
    assert get_submission_info(str(tmp_path))["row_count"] is None
    file = tmp_path / "final" / "submission.csv"
    file.write_text("")
    assert not verify_submission(str(tmp_path))
    file.write_text("id,y\n1,2\n2,3\n")
    assert verify_submission(str(tmp_path))
    info = get_submission_info(str(tmp_path))
    assert (info["exists"], info["size_bytes"], info["row_count"]) == (True, 13, 2)


def test_environment_and_machine() -> None:
    assert build_execution_env() == {"PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0"}
    assert build_execution_env([0, 2])["CUDA_VISIBLE_DEVICES"] == "0,2"
    assert set(detect_gpu_info()) == {"cuda_available", "gpu_count", "gpu_names"}


def test_masked_errors_are_told() -> None:
    masked = "try:\n    f()\nexcept:\n    pass\ntry:\n    g()\nexcept Exception:\n    pass"
    assert detect_error_masking(masked) == [
        "line 3: bare except",
        "line 7: except Exception without a reaction",
    ]
    assert detect_error_masking("try:\n    f()\nexcept KeyError:\n    x = 1") == []
    assert detect_error_masking("x = (") == []


def test_subsampling_prompts() -> None:
    assert "500" in get_subsample_instruction(PipelineConfig(subsample_limit=500))
    assert "x = 1" in request_subsample_extraction(solution("x = 1"))
    assert "x = 1" in request_subsample_removal(solution("x = 1"))


# Comparing


def test_ranking() -> None:
    solutions = [solution(name) for name in "abcdef"]
    results = [
        result(0.5),
        result(None),
        result(0.9, is_error=True),
        result(0.7),
        result(0.7),
        result(None, is_error=True),
    ]
    best_first = rank_solutions(solutions, results, MetricDirection.maximize)
    assert "".join(it.content for it, _ in best_first) == "deabcf"
    least_first = rank_solutions(solutions, results, MetricDirection.minimize)
    assert "".join(it.content for it, _ in least_first) == "adebcf"
    assert is_better_solution(result(0.6), 0.5, MetricDirection.maximize)
    assert not is_better_solution(result(0.5), 0.5, MetricDirection.maximize)
    assert not is_better_solution(result(0.9, is_error=True), 0.5, MetricDirection.maximize)
    assert not is_better_solution(result(None), 0.5, MetricDirection.minimize)


# Running


def test_a_script_runs_in_its_folder_beside_the_data(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    code = (
        "from pathlib import Path\n"
        "Path('final/left.txt').write_text('x')\n"
        "print('Final Validation Performance:', len(Path('input/train.csv').read_text()))"
    )
    given_solution = solution(code)
    with using(on.context):
        found = run(evaluate_solution(given_solution, on.task, small()))
    assert found.score == 17.0
    assert not found.is_error
    assert given_solution.score is None
    assert (tmp_path / "work" / "final" / "left.txt").exists()
    assert on.sandbox.closed == 1
    assert on.sandbox.jobs[0].limits.seconds == 600


def test_what_is_left_of_the_last_script_is_gone(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    codes = ["open('final/submission.csv', 'w').write('x')", "print(1)"]
    with using(on.context):
        run(evaluate_batch([solution(code) for code in codes], on.task, small()))
    assert not verify_submission(str(tmp_path / "work"))
    assert on.sandbox.closed == 1


def test_a_failing_script_is_a_result(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    codes = [broken("x"), "x = (", "exit()", "", script(0.5)]
    with using(on.context):
        found = run(evaluate_batch([solution(code) for code in codes], on.task, small()))
    assert [it.is_error for it in found] == [True, True, True, True, False]
    assert found[0].error_traceback is not None
    assert found[0].error_traceback.endswith("KeyError: 'x'")
    assert "SyntaxError" in complaint(found[1])
    assert "exit()" in str(found[2].error_traceback)
    assert len(on.ran) == 3


def test_every_evaluation_is_an_attempt_of_the_run(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    with using(on.context):
        run(evaluate_batch([solution(script(0.5)), solution(broken())], on.task, small()))
    events = bench.events("verdict.given")
    verdicts = [event.verdict for event in events if isinstance(event, VerdictGiven)]
    assert [verdict.score for verdict in verdicts] == [0.5, None]
    assert [it.code for it in verdicts[1].findings] == ["mle.run.failed"]


def test_a_time_out_ends_a_script(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    with using(on.context):
        found = run(evaluate_solution(solution("while True: pass"), on.task, small(), 0.3))
    assert found.is_error
    assert found.exit_code == -1


def test_a_logged_traceback_beside_a_score_is_no_error(
    bench: Workbench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    on = stage(bench, tmp_path)
    code = f"import sys\nprint({TRACE!r}, file=sys.stderr)\n{script(0.4)}"
    with using(on.context), caplog.at_level(logging.WARNING):
        found = run(evaluate_solution(solution(code), on.task, small()))
    assert (found.is_error, found.score) == (False, 0.4)
    assert "ended well" in caplog.text


@pytest.mark.parametrize(
    ("printed", "code", "told"),
    [
        ("print('nothing')", "mle.run.no_score", "no score was printed"),
        (script("nan"), "mle.run.no_score", "cannot be read: 'nan'"),
        (script("0.82."), "mle.run.no_score", "cannot be read: '0.82.'"),
        (f"{script(0.5)}\n{script(0.6)}", "mle.run.many_scores", "2 different scores"),
    ],
)
def test_a_score_that_is_none_or_one_of_many_is_told(
    bench: Workbench, tmp_path: Path, printed: str, code: str, told: str
) -> None:
    seen: list[Event] = []
    on = staged(bench.begin(ScriptedModel([]), budget=PLENTY, watch=seen.append), None, tmp_path)
    with using(on.context):
        run(evaluate_solution(solution(printed), on.task, small()))
    (verdict,) = [event.verdict for event in seen if isinstance(event, VerdictGiven)]
    (finding,) = verdict.findings
    assert finding.code == code
    assert told in finding.message
    assert verdict.accepted is (code == "mle.run.many_scores")


def test_the_same_score_twice_is_one_score(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    with using(on.context):
        found = run(evaluate_solution(solution(f"{script(0.5)}\n{script(0.5)}"), on.task, small()))
    assert found.score == 0.5


def test_a_script_on_disk_is_run(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    path = write_script(solution("print('hello')"), str(tmp_path))
    with using(on.context):
        found = run(execute_script(path, str(tmp_path), 10, build_execution_env()))
    assert (found.stdout, found.exit_code, found.timed_out) == ("hello\n", 0, False)
    assert on.sandbox.closed == 1


def test_a_spent_budget_is_not_a_score(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, budget=Budget(rounds=1))
    with using(on.context):
        run(evaluate_solution(solution(script(0.5)), on.task, small()))
        with pytest.raises(BudgetSpent, match="rounds 1 of 1"):
            run(evaluate_solution(solution(script(0.6)), on.task, small()))
    assert len(on.ran) == 1


def test_a_spent_bound_is_told_with_its_numbers(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, budget=Budget(rounds=9, seconds=60))
    with using(on.context):
        run(evaluate_solution(solution(script(0.5)), on.task, small()))
        bench.clock.time += 70
        with pytest.raises(BudgetSpent, match="seconds 60 of 60"):
            run(evaluate_solution(solution(script(0.6)), on.task, small()))


def test_a_resumed_run_runs_nothing_twice(bench: Workbench, tmp_path: Path) -> None:
    first = stage(bench, tmp_path)
    with using(first.context):
        before = run(evaluate_solution(solution(script(0.5)), first.task, small()))
    bench.close()
    again = stage(bench, tmp_path, resume=True)
    with using(again.context):
        assert run(evaluate_solution(solution(script(0.5)), again.task, small())) == before
    assert again.ran == []


# Mending


def test_retries_are_counted_and_follow_the_traceback(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)
    told: list[str] = []

    async def callback(failed: SolutionScript, traceback: str) -> SolutionScript:
        told.append(traceback)
        return failed.model_copy(update={"content": broken(f"{len(told)}")})

    with using(on.context):
        last, found = run(
            evaluate_with_retry(
                solution(broken("0")), on.task, small(max_debug_attempts=3), callback
            )
        )
    assert len(on.ran) == 4
    assert [it.splitlines()[-1] for it in told] == [
        "KeyError: '0'",
        "KeyError: '1'",
        "KeyError: '2'",
    ]
    assert found.is_error
    assert last.content == broken("3")


def test_an_unchanged_script_is_not_run_again(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path)

    async def callback(failed: SolutionScript, traceback: str) -> SolutionScript:
        del traceback
        return failed

    with using(on.context):
        run(evaluate_with_retry(solution(broken()), on.task, small(), callback, max_retries=5))
    assert len(on.ran) == 1


def test_the_callback_asks_once(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, debugger=[fence(script(0.5))])
    with using(on.context):
        mended = run(make_debug_callback(on.task, small())(solution(broken(), 0.3), TRACE))
    assert on.asked == ["debugger"]
    assert mended.content == script(0.5)
    assert (mended.score, mended.is_executable) == (None, True)
    assert "ValueError: bad" in on.prompts("debugger")[0]


@pytest.mark.parametrize("traceback", ["", " "])
def test_without_a_traceback_nobody_is_asked(
    bench: Workbench, tmp_path: Path, traceback: str
) -> None:
    on = stage(bench, tmp_path)
    with using(on.context), pytest.raises(ValueError, match="No traceback provided for debugging"):
        run(make_debug_callback(on.task, small())(solution("x = 1"), traceback))
    assert on.asked == []


@pytest.mark.parametrize("reply", ["Sorry, I cannot fix this.", "```python\nx = (\n```", "Sorry"])
def test_a_reply_without_a_program_leaves_the_script(
    bench: Workbench, tmp_path: Path, reply: str
) -> None:
    on = stage(bench, tmp_path, debugger=[reply])
    failed = solution(broken())
    with using(on.context):
        assert run(make_debug_callback(on.task, small())(failed, TRACE)) is failed


def test_debugging_goes_on_until_it_runs_and_checks_each_version(
    bench: Workbench, tmp_path: Path
) -> None:
    on = stage(
        bench,
        tmp_path,
        debugger=[fence(broken("1")), fence(script(0.6))],
        leakage_detection=[CLEAN] * 2,
    )
    mended, found = run(
        debug_solution(
            solution(broken("0")), TRACE, on.task, small(max_debug_attempts=3), backend=on.context
        )
    )
    assert on.asked == ["debugger", "leakage_detection"] * 2
    assert (mended.score, mended.is_executable, found.score) == (0.6, True, 0.6)


def test_debugging_that_fails_says_so(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, debugger=[fence(broken("1"))], leakage_detection=[CLEAN], data=[])
    mended, found = run(
        debug_solution(solution(broken("0")), TRACE, on.task, small(), backend=on.context)
    )
    assert (mended.score, mended.is_executable, found.is_error) == (None, False, True)


def test_a_lost_score_line_is_put_back_where_there_is_a_score() -> None:
    code = "final_validation_score = 0.5\n\nif __name__ == '__main__':\n    pass\n"
    added = with_score_line(code)
    assert added.index("Final Validation Performance") < added.index("if __name__")
    exec(compile(added, "added", "exec"), {"__name__": "x"})
    assert with_score_line("x = 1") == "x = 1"
    assert with_score_line("def f():\n    final_validation_score = 1\n").endswith("= 1\n")


@pytest.mark.parametrize(
    "code",
    [
        "final_validation_score: float = 0.5\n",
        "rmse, final_validation_score = 0.1, 0.5\n",
        "def main():\n    pass\n\nif __name__ == 'x':\n    main()\nfinal_validation_score = 0.5",
    ],
    ids=["typed", "one of two", "below the guard"],
)
def test_a_lost_score_line_stands_where_there_is_a_score(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(with_score_line(code), "added", "exec"), {"__name__": "x"})
    assert parse_score(capsys.readouterr().out) == 0.5


# Replies


@pytest.mark.parametrize(
    ("reply", "block"),
    [
        ("```python\nx = 1\n```", "x = 1"),
        ("```\nx = 1\n```", "x = 1"),
        ("text\n```py\na\n```\nmore\n```python\nlonger one\n```", "longer one"),
        ("  x = 1  \n", "x = 1"),
        ("```python\n    indented = 1\n```", "    indented = 1"),
        ("```python\r\nx = 1\r\ny = 2\r\n```", "x = 1\ny = 2"),
        ("~~~\nx = 1\n~~~", "x = 1"),
        ('````python\ns = """\n```\nx\n```\n"""\n````', 's = """\n```\nx\n```\n"""'),
        ("```x = 1```", "x = 1"),
        (
            "1. This:\n   ```python\n   if a:\n       b = 1\n\n   c = 2\n   ```",
            "if a:\n    b = 1\n\nc = 2",
        ),
        ("Here it is: ```python\nx = 1\n```", "x = 1"),
        ("```python\nnever closed", "```python\nnever closed"),
        ("", ""),
    ],
)
def test_the_longest_fenced_block_is_taken(reply: str, block: str) -> None:
    assert extract_code_block(reply) == block


def test_the_data_agent_may_be_content() -> None:
    before = solution("x = 1", 0.5)
    same = "All the provided information is used."
    assert parse_data_agent_response(same, before) is before
    assert parse_data_agent_response(f"**{same.upper()}**", before) is before
    assert parse_data_agent_response("I am not sure what you mean.", before) is before
    changed = parse_data_agent_response(fence("y = 2"), before)
    assert (changed.content, changed.score, changed.phase) == ("y = 2", None, before.phase)


@pytest.mark.parametrize(
    "reply",
    [
        "".join("`" * length + "\n" for length in range(3, 1500)),
        "```\n" * 100_000,
        "```" * 100_000,
        "-" * 100_000 + "1",
        "(" * 100_000,
        "a." * 50_000 + "b",
    ],
    ids=["growing", "many", "inline", "minus", "brackets", "dots"],
)
def test_hostile_replies_are_read_in_bounded_time_and_are_no_programs(reply: str) -> None:
    extract_code_block(reply)
    assert script_in(reply) is None
    ending_calls(reply)
    assert extract_traceback(f"Traceback (most recent call last):\n{reply}" * 3) is not None


def test_a_shorter_fence_closes_nothing() -> None:
    inner = "text = '''\n```\nx\n```\n'''"
    assert extract_code_block(f"````\n{inner}\n````") == inner
    assert extract_code_block("```python\na\n```python\nb\n```") == "a\n```python\nb"
