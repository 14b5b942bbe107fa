"""REQ-P2O-013 to -018: the extractor agent, and what happens to blocks that are not there."""

import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proveout.adapters.models.offline import OfflineModel
from proveout.apps.mle.experts.extraction import blocks_of, extract
from proveout.apps.mle.models import ExtractorOutput, RefinePlan
from proveout.apps.mle.scripts.blocks import NOT_FOUND
from proveout.apps.mle.star.phase2_outer import (
    choose_block,
    invoke_extractor,
    matched_block,
    validate_code_block,
)
from proveout.kernel.ambient import using
from tests.unit.mle.spec_kit import Stage, run, solution, stage
from tests.workbench import Workbench

SCALER = "scaler = StandardScaler()\nX_train = scaler.fit_transform(X_train)"
SCRIPT = f"""import pandas as pd

rows = pd.read_csv("input/train.csv")

encoder = OneHotEncoder(handle_unknown="ignore")
X_train = encoder.fit_transform(rows)

{SCALER}

model = GradientBoostingClassifier()
model.fit(X_train, y)
"""


def plans(*pairs: tuple[str, str]) -> ExtractorOutput:
    return ExtractorOutput(plans=[RefinePlan(code_block=block, plan=plan) for block, plan in pairs])


def chosen(on: Stage, previous: list[str] | None = None) -> RefinePlan | None:
    with using(on.context):
        return run(choose_block("The scaler matters.", solution(SCRIPT), previous or []))


def test_req_p2o_015_the_output_holds_plans(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, extractor=[plans((SCALER, "Scale better."))])
    answer = run(invoke_extractor("s", solution(SCRIPT), [], backend=on.context))
    assert answer == plans((SCALER, "Scale better."))


def test_req_p2o_014_a_bare_list_in_words_is_read_too(bench: Workbench, tmp_path: Path) -> None:
    """The published prompt asks for a list; the schema has it under a name."""
    listed = json.dumps([{"code_block": SCALER, "plan": "Scale better."}])
    on = stage(bench, tmp_path, extractor=[f"Here you are:\n```json\n{listed}\n```"])
    answer = run(invoke_extractor("s", solution(SCRIPT), [], backend=on.context))
    assert answer == plans((SCALER, "Scale better."))


@pytest.mark.parametrize("wrong", [{"plans": []}, {"plans": [{"plan": "x"}]}, {"other": 1}])
def test_req_p2o_015_at_least_one_plan(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="plans"):
        ExtractorOutput.model_validate(wrong)


def test_req_p2o_015_the_first_plan_is_the_target(bench: Workbench, tmp_path: Path) -> None:
    other = "model = GradientBoostingClassifier()"
    on = stage(bench, tmp_path, extractor=[plans((SCALER, "first"), (other, "second"))])
    assert chosen(on) == RefinePlan(code_block=SCALER, plan="first")
    assert on.counts["extractor"] == 1


def test_req_p2o_015_acceptance_the_block_is_an_exact_part(
    bench: Workbench, tmp_path: Path
) -> None:
    on = stage(bench, tmp_path, OfflineModel())
    answer = run(
        invoke_extractor("The scaler matters most.", solution(SCRIPT), [], backend=on.context)
    )
    assert answer is not None
    assert answer.plans[0].code_block in SCRIPT
    assert "StandardScaler" in answer.plans[0].code_block
    sentences = answer.plans[0].plan.count(". ") + 1
    assert 3 <= sentences <= 5


def test_req_p2o_016_all_three_inputs_reach_the_agent(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, extractor=[plans((SCALER, "p"))])
    run(invoke_extractor("The summary.", solution(SCRIPT), ["old = 1"], backend=on.context))
    (prompt,) = on.prompts("extractor")
    assert "The summary." in prompt
    assert SCRIPT.strip() in prompt
    assert "## Code block 1\n```python\nold = 1\n```" in prompt


@pytest.mark.parametrize(
    ("summary", "content"), [("", SCRIPT), (" ", SCRIPT), ("s", ""), ("s", "\n")]
)
def test_req_p2o_016_precondition(
    bench: Workbench, tmp_path: Path, summary: str, content: str
) -> None:
    on = stage(bench, tmp_path)
    with pytest.raises(ValueError, match="needs a summary and a script"):
        run(invoke_extractor(summary, solution(content), [], backend=on.context))
    assert on.asked == []


def test_req_p2o_017_acceptance_1_the_scaler_block_is_found() -> None:
    assert validate_code_block(SCALER, solution(SCRIPT)) is True


@pytest.mark.parametrize(
    "changed",
    [
        SCALER.replace(" = ", "  = ", 1),
        SCALER + " ",
        SCALER.replace("\n", "\r\n"),
        SCALER.replace("\n", " \n"),
        " " + SCALER,
        SCALER.lower(),
        SCALER.replace("(", "（", 1),
        "",
        "\n",
    ],
)
def test_req_p2o_017_acceptance_2_any_difference_is_one(changed: str) -> None:
    assert validate_code_block(changed, solution(SCRIPT)) is False


@given(st.text(max_size=60), st.text(min_size=1, max_size=20), st.text(max_size=60))
def test_req_p2o_017_exactly_the_parts_of_a_script_are_valid(
    before: str, block: str, after: str
) -> None:
    whole = solution(before + block + after)
    assert validate_code_block(block, whole) is bool(block.strip())
    assert validate_code_block(block + "\0missing", whole) is False


def test_validation_is_quick() -> None:
    big = solution("".join(f"value_{n} = {n}\n" for n in range(4000)))
    began = time.process_time()
    assert validate_code_block("value_3999 = 3999", big)
    assert matched_block("value_3998 = 3998 \nvalue_3999 = 3999 ", big.content)
    assert time.process_time() - began < 1.0


def test_req_p2o_018_acceptance_trailing_space_is_forgiven() -> None:
    source = "a = 1  \nb = 2\t\nc = 3\n"
    assert matched_block("a = 1\nb = 2", source) == "a = 1  \nb = 2"
    assert matched_block("b = 2 \nc = 3   ", source) == "b = 2\t\nc = 3"
    assert matched_block("a = 1\r\nb = 2\r\n", source) == "a = 1  \nb = 2"


@pytest.mark.parametrize("block", ["a  = 1", "  a = 1", "a = 1\n\nb = 2", "", "  ", "z = 9"])
def test_req_p2o_018_nothing_else_is_forgiven(block: str) -> None:
    assert matched_block(block, "a = 1  \nb = 2\n") is None


@given(
    st.lists(st.text("ab =1", max_size=6), min_size=1, max_size=6),
    st.lists(st.sampled_from(["", " ", "\t", "  "]), min_size=6, max_size=6),
    st.integers(0, 5),
    st.integers(1, 6),
)
def test_what_is_matched_is_always_an_exact_part(
    lines: list[str], endings: list[str], start: int, count: int
) -> None:
    source = "\n".join(line + end for line, end in zip(lines, endings, strict=False))
    block = "\n".join(line.rstrip() for line in lines[start : start + count])
    found = matched_block(block, source)
    if block.strip():
        assert found is not None
        assert found in source
    else:
        assert found is None


def test_req_p2o_018_1_the_block_is_taken_as_it_stands(bench: Workbench, tmp_path: Path) -> None:
    source = SCRIPT.replace("scaler = StandardScaler()", "scaler = StandardScaler()  ")
    on = stage(bench, tmp_path, extractor=[plans((SCALER, "p"))])
    with using(on.context):
        target = run(choose_block("s", solution(source), []))
    assert target is not None
    assert target.code_block == SCALER.replace("()", "()  ", 1)
    assert on.counts["extractor"] == 1


def test_req_p2o_018_2_a_missing_block_is_asked_for_again(
    bench: Workbench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    on = stage(
        bench,
        tmp_path,
        extractor=[plans(("no such", "1")), plans(("nor this", "2")), plans((SCALER, "3"))],
    )
    with caplog.at_level(logging.WARNING):
        target = chosen(on)
    assert target == RefinePlan(code_block=SCALER, plan="3")
    first, second, third = on.prompts("extractor")
    assert NOT_FOUND == (
        "The previously extracted code block was not found in the solution. "
        "Please extract the code block exactly as it appears in the script."
    )
    assert NOT_FOUND not in first
    assert NOT_FOUND in second
    assert NOT_FOUND in third
    assert caplog.text.count("is not in the script") == 2


def test_req_p2o_018_3_then_the_first_other_plan_that_is_valid(
    bench: Workbench, tmp_path: Path
) -> None:
    model = "model = GradientBoostingClassifier()"
    last = plans(("not there", "1"), ("", "2"), (model, "3"), (SCALER, "4"))
    on = stage(
        bench, tmp_path, extractor=[plans(("not there", "a")), plans(("not there", "b")), last]
    )
    assert chosen(on) == RefinePlan(code_block=model, plan="3")
    assert on.counts["extractor"] == 3


def test_req_p2o_018_3_none_valid_is_no_target(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, extractor=[plans(("not there", "a"), ("", "b"))] * 3)
    assert chosen(on) is None
    assert on.counts["extractor"] == 3


def test_an_unreadable_answer_is_asked_for_once_more(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, extractor=["prose", "more prose"])
    assert chosen(on) is None
    assert on.counts["extractor"] == 2


def test_req_p2o_018_3_an_unreadable_answer_later_does_not_undo_the_plans(
    bench: Workbench, tmp_path: Path
) -> None:
    """What was answered before is still the list to select from."""
    model = "model = GradientBoostingClassifier()"
    first = plans(("not there", "1"), (model, "2"))
    on = stage(bench, tmp_path, extractor=[first, "prose", "more prose"])
    assert chosen(on) == RefinePlan(code_block=model, plan="2")
    assert on.counts["extractor"] == 3


def test_an_empty_block_is_never_a_target(bench: Workbench, tmp_path: Path) -> None:
    on = stage(bench, tmp_path, extractor=[plans(("", "p"))] * 3)
    assert chosen(on) is None


# By rule


def test_the_expert_prefers_what_was_not_refined_before() -> None:
    summary = "Most impactful component: OneHotEncoder (score 0.7886, change -0.031)."
    first = extract(SCRIPT, summary).plans[0].code_block
    assert "OneHotEncoder" in first
    seen = [first]
    for _ in range(3):
        block = extract(SCRIPT, summary, seen).plans[0].code_block
        assert block in SCRIPT
        assert block not in seen
        seen.append(block)


def test_the_expert_finds_blocks_between_markers() -> None:
    marked = "# == load ==\nrows = 1\n\n# == model:tree ==\ntree = 2\n\n# == predict ==\nprint(1)\n"
    answer = extract(marked, "Most impactful component: tree.")
    assert answer.plans[0].code_block == "# == model:tree ==\ntree = 2"
    assert extract(marked, "x", pin="load").plans[0].code_block.startswith("# == load")
    other = extract(marked, "Most impactful component: tree.", forbid="model")
    assert "tree" not in other.plans[0].code_block
    again = extract(marked, "Most impactful component: tree.", ["# == model:tree ==\ntree = old"])
    assert again.plans[0].code_block.startswith("# == load")


def test_the_expert_reads_any_summary() -> None:
    words = "The boosting classifier had by far the largest effect. Scaling had negligible impact."
    assert "GradientBoosting" in extract(SCRIPT, words).plans[0].code_block


def test_the_expert_looks_into_long_functions() -> None:
    inner = "\n".join(f"    {line}" if line else "" for line in SCRIPT.splitlines())
    wrapped = f"def main():\n{inner}\n\n\nmain()\n"
    block = extract(wrapped, "Most impactful component: StandardScaler.").plans[0].code_block
    assert block == "\n".join(f"    {line}" for line in SCALER.splitlines())


@pytest.mark.parametrize("source", ["x = (", "pass", "import os", "", "'''words'''", "\n\n"])
def test_the_expert_answers_for_any_script(source: str) -> None:
    (first, *_) = extract(source, "whatever").plans
    assert first.plan
    assert first.code_block in source or not source.strip()


@given(
    st.lists(st.sampled_from(["a = 1", "def f():\n    return 1", "", "f()", "# c", "b = [\n 1\n]"]))
)
def test_every_block_is_an_exact_part(parts: list[str]) -> None:
    source = "\n".join(parts)
    for block in blocks_of(source):
        assert block.text in source
