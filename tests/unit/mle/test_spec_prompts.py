"""REQ-P2O-009, -013 and REQ-SF-012, -017: what the prompts say, and the registry that holds them."""

# ruff: noqa: E501 - prompts are wider than code
import re
from typing import Any

import pytest
from inline_snapshot import snapshot

from proveout.adapters.prompts import PromptFolder
from proveout.apps.mle.models import AgentType, PromptRegistry, PromptTemplate
from proveout.apps.mle.roles import ROLES
from proveout.apps.mle.scripts.registry import VARIANTS

REGISTRY = PromptRegistry()
SCRIPT = "x = 1\nprint('Final Validation Performance:', x)"


def flat(text: str) -> str:
    return " ".join(text.split())


def test_there_is_a_template_for_each_of_the_fourteen_agents() -> None:
    assert len(REGISTRY) == 14
    assert all(agent in REGISTRY for agent in AgentType)
    assert "nobody" not in REGISTRY
    for agent in AgentType:
        assert REGISTRY.get(agent).agent_type is agent


def test_the_extractor_is_told_what_a_person_pinned_or_forbade() -> None:
    told = {"solution_script": SCRIPT, "ablation_summary": "s", "previous_code_blocks": []}
    template = REGISTRY.get(AgentType.extractor)
    plain = template.render(**told)
    assert template.render(**told, pin="", forbid="") == plain
    assert "name holds" not in plain
    pinned = flat(template.render(**told, pin="features", forbid=""))
    assert "Choose a block whose name holds `features`" in pinned
    assert "Leave" not in pinned
    forbidden = flat(template.render(**told, pin="", forbid="model"))
    assert "Leave blocks alone whose name holds `model`" in forbidden


@pytest.mark.parametrize("variant", ["detection", "correction"])
def test_leakage_has_two_variants(variant: str) -> None:
    assert REGISTRY.get(AgentType.leakage, variant).variables == ["code"]


def test_the_figures_are_those_of_the_paper() -> None:
    figures = {
        (agent, variant): REGISTRY.get(agent, variant).figure_ref
        for agent in AgentType
        for variant in VARIANTS.get(agent, {None: ""})
    }
    assert figures[AgentType.summarize, None] == "Figure 13"
    assert figures[AgentType.extractor, None] == "Figure 14"
    assert figures[AgentType.leakage, "detection"] == "Figure 20"
    assert figures[AgentType.leakage, "correction"] == "Figure 21"
    assert set(figures.values()) == {f"Figure {n}" for n in [*range(9, 23), *range(25, 29)]}


@pytest.mark.parametrize(
    ("agent", "variant"),
    [
        (AgentType.leakage, "other"),
        (AgentType.coder, "detection"),
        (AgentType.test, "detection"),
        ("nobody", None),
    ],
)
def test_an_unknown_template_is_a_key_error(agent: Any, variant: str | None) -> None:
    with pytest.raises(KeyError):
        REGISTRY.get(agent, variant)


@pytest.mark.parametrize("agent", list(AgentType))
def test_a_variable_that_is_missing_is_a_key_error(agent: AgentType) -> None:
    for variant in VARIANTS.get(agent, {None: ""}):
        template = REGISTRY.get(agent, variant)
        for missing in template.variables:
            others = {name: "x" for name in template.variables if name != missing}
            with pytest.raises(KeyError, match=missing):
                template.render(**others)


def test_a_template_of_ones_own_may_be_plain_text() -> None:
    template = PromptTemplate(
        agent_type=AgentType.init,
        figure_ref="Figure 10",
        template="Task: {task} {other} {'a': 1}",
        variables=["task"],
    )
    assert template.render(task="{task}", other="unused") == "Task: {task} {other} {'a': 1}"
    with pytest.raises(KeyError, match="task"):
        template.render()


def test_values_are_never_read_as_templates() -> None:
    hostile = "{{ 7 * 7 }} {% include 'mle/_again' %} {raw_result}"
    text = REGISTRY.get(AgentType.summarize).render(ablation_code=hostile, raw_result=hostile)
    assert text.count(hostile) == 2


def test_the_registry_and_a_run_say_the_same() -> None:
    folder = PromptFolder({"mle": "proveout.apps.mle.prompts"})
    files = {
        name: (agent, variant)
        for agent in AgentType
        for variant, name in VARIANTS.get(agent, {None: agent.value}).items()
    }
    for role in ROLES:
        agent, variant = files[role.name.removeprefix("mle/")]
        template = REGISTRY.get(agent, variant)
        assert set(template.variables) <= set(role.examples)
        rendered = folder.render(role.name, role.examples, None).text
        assert template.render(**role.examples) == rendered.strip()


def test_req_p2o_009_the_summarize_prompt() -> None:
    template = REGISTRY.get(AgentType.summarize)
    assert template.variables == ["ablation_code", "raw_result"]
    text = template.render(ablation_code="print('study')", raw_result="Baseline: 0.8")
    assert text == snapshot("""\
# The code of the ablation study
```python
print('study')
```

# What it printed
```text
Baseline: 0.8
```

# Your job
Summarise the result of the ablation study, based on the code and on its printed output.
- Say which component had the most impact on performance and which the least, with their scores.
- Say so if a difference is too small to mean anything, or if the output does not show what the code set out to measure.
- Write plain text.\
""")


def test_req_p2o_013_the_extractor_prompt_on_the_first_step() -> None:
    template = REGISTRY.get(AgentType.extractor)
    assert template.variables == ["solution_script", "ablation_summary", "previous_code_blocks"]
    text = template.render(
        solution_script=SCRIPT, ablation_summary="The scaler matters.", previous_code_blocks=[]
    )
    assert text == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. Your goal is to extract a code block from your current solution
and to improve that block for better performance.

# Your Python solution
```python
x = 1
print('Final Validation Performance:', x)
```

# Summary of the ablation study
The scaler matters.

# Your job
- Given the results of the ablation study, suggest an effective plan to improve one code block of the solution.
- The plan should be brief: three to five sentences.
- Avoid plans that would make the solution run too long, for instance a search over a large space of hyper-parameters.
- Try to improve a part that has not been considered before.
- Extract the code block that the plan is for. It can be long, but it must be extracted exactly from the Python script above,
  letter by letter, with its indentation.

# How to answer
Use this JSON schema:
Refine_Plan = {'code_block': str, 'plan': str}
Return: list[Refine_Plan], as `plans`, the most promising first.\
""")


def test_req_p2o_013_all_ten_instructions_are_there() -> None:
    text = REGISTRY.get(AgentType.extractor).render(
        solution_script=SCRIPT,
        ablation_summary="The scaler matters.",
        previous_code_blocks=["first = 1", "second = 2"],
    )
    wanted = [
        "You are a Kaggle grandmaster",
        "Your goal is to extract a code block from your current solution and to improve",
        SCRIPT,
        "The scaler matters.",
        "## Code block 1 ```python first = 1 ``` ## Code block 2 ```python second = 2 ```",
        "three to five sentences",
        "Avoid plans that would make the solution run too long",
        "a part that has not been considered before",
        "must be extracted exactly from the Python script",
        "Refine_Plan = {'code_block': str, 'plan': str} Return: list[Refine_Plan]",
    ]
    for instruction in wanted:
        assert flat(instruction) in flat(text)


def test_req_p2o_013_without_previous_blocks_their_section_is_omitted() -> None:
    first, later = (
        REGISTRY.get(AgentType.extractor).render(
            solution_script=SCRIPT, ablation_summary="s", previous_code_blocks=blocks
        )
        for blocks in ([], ["old = 1"])
    )
    assert "# Code blocks that were improved before" in later
    assert "improved before" not in first
    assert "## Code block" not in first


def test_req_sf_012_the_detection_prompt() -> None:
    text = REGISTRY.get(AgentType.leakage, "detection").render(code=SCRIPT)
    assert text == snapshot("""\
# Python code
```python
x = 1
print('Final Validation Performance:', x)
```

# Your job
- Extract the code block that preprocesses the training, validation and test samples, exactly as it stands in the Python code
  above, letter by letter.
- Check that the model is trained with training samples only.
- Check that, before the final validation score is printed, validation samples are not used for training: neither by the
  model nor by anything that is fitted or computed for its features.
- If the code block breaks one of these rules, there is data leakage: answer 'Yes Data Leakage' for it. If not, answer
  'No Data Leakage'.

# How to answer
Use this JSON schema:
Answer = {'leakage_status': str, 'code_block': str}
Return: list[Answer], as `answers`; `leakage_status` is either 'Yes Data Leakage' or 'No Data Leakage'.\
""")


def test_req_sf_017_the_correction_prompt() -> None:
    text = REGISTRY.get(AgentType.leakage, "correction").render(code=SCRIPT)
    assert text == snapshot("""\
# Python code
```python
x = 1
print('Final Validation Performance:', x)
```

# Your job
- The code above has data leakage in the preprocessing of its samples. Refine that code block so that there is none.
- Ensure that the model is trained with training samples only.
- Ensure that, before the final validation score is printed, validation samples are not used for training: statistics,
  encoders and selections are fitted on training samples and only applied to the others.
- The variables that the block uses are defined earlier in the code: do not define them again, and do not introduce dummies.
- Answer with a single Markdown code block that holds the corrected code block, and nothing else.\
""")


def test_the_planners_see_failures_as_such() -> None:
    text = REGISTRY.get(AgentType.planner).render(
        code_block="x = 1", plans=["first", "second"], scores=[0.5, None]
    )
    assert "## Plan: first\n## Score: 0.5\n" in text
    assert "## Plan: second\n## Score: N/A (evaluation failed)\n" in text


@pytest.mark.parametrize("agent", ["init", "merger", "ensembler", "debugger", "test"])
def test_every_script_writer_is_told_about_score_exit_and_masking(agent: str) -> None:
    role = next(role for role in ROLES if role.name == f"mle/{agent}")
    text = flat(REGISTRY.get(AgentType(agent)).render(**role.examples))
    assert "`Final Validation Performance: <score>`" in text
    assert re.search(r"Do not call `exit\(\)`", text)
    assert "`try:` and `except:`" in text


def test_what_a_run_adds_is_left_out_where_there_is_nothing() -> None:
    role = next(role for role in ROLES if role.name == "mle/init")
    plain = REGISTRY.get(AgentType.init).render(**role.examples)
    told = REGISTRY.get(AgentType.init).render(
        **role.examples, protocol="Write final/predictions.npz.", subsample_instruction="At most 9."
    )
    assert "predictions.npz" in told
    # Where the harness has the test rows predicted, nobody may be told to leave them alone.
    assert "Do not load or use the test data" in plain
    assert "Do not load or use the test data" not in told
    assert "At most 9." in told
    assert "30,000" in plain
    assert "30,000" not in told
