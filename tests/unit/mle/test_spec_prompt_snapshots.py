"""The prompts of the other agents as models get them: a change of words is a visible change here."""

# ruff: noqa: E501 - prompts are wider than code
from typing import Any

from inline_snapshot import snapshot

from proveout.adapters.prompts import PromptFolder
from proveout.apps.mle.roles import ROLES

TOLD: dict[str, Any] = {
    "task_description": "Predict y.",
    "M": 4,
    "model_name": "a tree",
    "example_code": "tree()",
    "base_code": "base()",
    "reference_code": "reference()",
    "solution_script": "solution()",
    "initial_solution": "solution()",
    "previous_ablations": ["The scaler matters."],
    "code_block": "block()",
    "plan": "Do it better.",
    "plans": ["Do it.", "Do it again."],
    "scores": [0.5, None],
    "L": 2,
    "solutions": ["one()", "two()"],
    "code": "broken()",
    "bug": "NameError: broken",
    "reference_discussion": "We used trees.",
}


def rendered(name: str) -> str:
    """Without the schema: that is the type's, and not ours to word."""
    role = next(role for role in ROLES if role.name == f"mle/{name}")
    folder = PromptFolder({"mle": "proveout.apps.mle.prompts"})
    return folder.render(role.name, TOLD, None).text


def test_retriever_prompt() -> None:
    assert rendered("retriever") == snapshot("""\
# The task
Predict y.

# What is wanted
List 4 recent, effective models that could win this task, the most promising first.
- For each, give its name and an example of how it is used: short, complete Python code that runs.
- The code itself must be there. A link to a page or a repository does not count.
- Prefer models that train well on the hardware of one machine, and that differ from one another.

# How to answer
Use this JSON schema:
Model = {'model_name': str, 'example_code': str}
Return: list[Model], as `models`.
""")


def test_init_prompt() -> None:
    assert rendered("init") == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. You write a first Python solution for its task, built on the
one model that is described below.

# The task
Predict y.

# The model
## Name
a tree

## Example code
```python
tree()
```

# Your job
- Write the solution in Python with this model. Keep it simple: no ensembling and no hyper-parameter search in this first script.
- Use PyTorch rather than TensorFlow if a neural network is needed. Use CUDA only if it is there.
- All data files are in `./input`. Nothing has to be unpacked. Use no file from elsewhere.
- Use every kind of data that is provided, if it helps.
- Score the model on a validation set held out of the training samples, by the metric of the task.
- Do not load or use the test data in this script.
- If there are more than 30,000 training samples, train on a sample of 30,000 for a faster run.
- Answer with one Markdown code block that holds one complete Python script, and nothing else: no headings, no further text.
- Do not call `exit()`, `quit()` or `sys.exit()`. Do not hide errors with `try:` and `except:`.
- The script must end by printing `Final Validation Performance: <score>`, where the score is the metric on validation samples.
""")


def test_merger_prompt() -> None:
    assert rendered("merger") == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. You improve your base solution by bringing a reference solution
into it.

# Base solution
```python
base()
```

# Reference solution
```python
reference()
```

# Your job
- Integrate the reference solution into the base solution. The base solution remains the base of the code.
- Train the reference solution's model as well, and combine the predictions of all models by a simple average.
- Keep code of the same kind together: all preprocessing in one place, all training in one place.
- Do not load or use the test data. Keep the subsampling as it is.
- Answer with one Markdown code block that holds one complete Python script, and nothing else: no headings, no further text.
- Do not call `exit()`, `quit()` or `sys.exit()`. Do not hide errors with `try:` and `except:`.
- The script must end by printing `Final Validation Performance: <score>`, where the score is the metric on validation samples.
""")


def test_ablation_prompt() -> None:
    assert rendered("ablation") == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. You want to know which part of your solution contributes most
to its performance, by an ablation study.

# Your Python solution
```python
solution()
```

# What earlier ablation studies showed
## Study 1
The scaler matters.


# Your job
- Write one self-contained Python script that runs the solution unchanged (the baseline) and then two or three variations of it.
- A variation switches off or changes one part of the solution, and nothing else. All else, seeds and validation samples
  included, stays as in the baseline.
- Study parts that the earlier studies have not looked at.
- Print the performance of the baseline and of each variation, each on a line with a name that says what was changed.
- At the end, print which part contributes most to the performance.
- Do not load or use the test data.
- Answer with one Markdown code block that holds the whole script, and nothing else. Do not call `exit()` and do not hide errors
  with `try:` and `except:`.
""")


def test_coder_prompt() -> None:
    assert rendered("coder") == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. You refine one code block of your solution for better
performance, following a plan.

# Code block
```python
block()
```

# Plan
Do it better.

# Your job
- Carry out the plan on the code block above. Do not remove subsampling if there is any.
- The block is part of a longer script, in which all names that it uses are defined already: do not introduce dummy
  variables, and keep defining the names that the rest of the script needs.
- Do not hide errors with `try:` and `except:`.
- Answer with one Markdown code block that holds the improved block, and nothing else.
""")


def test_planner_prompt() -> None:
    assert rendered("planner") == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. You want to improve one code block of your solution.

# Code block
```python
block()
```

# Plans that were tried, and the scores they led to
## Plan: Do it.
## Score: 0.5

## Plan: Do it again.
## Score: N/A (evaluation failed)


# Your job
- Suggest a better plan for this code block than those above, with what their scores teach.
- The plan must be new: unlike those that were tried.
- The plan should be effective and brief: three to five sentences.
- Avoid plans that would make the solution run too long, for instance a search over a large space of hyper-parameters.
- Answer with the plan in plain text, and nothing else: no code, no headings.
""")


def test_ens_planner_prompt() -> None:
    assert rendered("ens_planner") == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. You want to combine 2 Python solutions into an ensemble
that performs better than each of them.

# Solution 1
```python
one()
```

# Solution 2
```python
two()
```

# Ensemble plans that were tried, and the scores they led to
## Plan: Do it.
## Score: 0.5

## Plan: Do it again.
## Score: N/A (evaluation failed)


# Your job
- Suggest a plan to ensemble the 2 solutions: how they are merged, not which hyper-parameters they have.
- The plan must differ from those that were tried, and be better.
- The plan must be easy to carry out, effective and brief: three to five sentences. It should change the solutions as little
  as possible, apart from what merging them needs.
- Avoid plans that would make the result run too long.
- Answer with the plan in plain text, and nothing else: no code, no headings.
""")


def test_ensembler_prompt() -> None:
    assert rendered("ensembler") == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. You combine 2 Python solutions into one, following a plan.

# Solution 1
```python
one()
```

# Solution 2
```python
two()
```

# Ensemble plan
Do it better.

# Your job
- Carry out the plan with the solutions above. Unless the plan says otherwise, keep the solutions as they are.
- Do not subsample, and do not introduce dummy variables: all that is needed is in the solutions above.
- All data files are in `./input`; nothing has to be unpacked.
- Write the predictions for the test samples to `./final/submission.csv`, in the format that the task asks for.
- Answer with one Markdown code block that holds one complete Python script, and nothing else: no headings, no further text.
- Do not call `exit()`, `quit()` or `sys.exit()`. Do not hide errors with `try:` and `except:`.
- The script must end by printing `Final Validation Performance: <score>`, where the score is the metric on validation samples.
""")


def test_debugger_prompt() -> None:
    assert rendered("debugger") == snapshot("""\
# The code that failed
```python
broken()
```

# The error
```text
NameError: broken
```

# Your job
- Revise the code so that the error is gone. Change nothing else: no new features, no other model.
- Do not remove subsampling if there is any.
- All data files are in `./input`; nothing has to be unpacked.
- Answer with one Markdown code block that holds one complete Python script, and nothing else: no headings, no further text.
- Do not call `exit()`, `quit()` or `sys.exit()`. Do not hide errors with `try:` and `except:`.
- The script must end by printing `Final Validation Performance: <score>`, where the score is the metric on validation samples.
""")


def test_data_prompt() -> None:
    assert rendered("data") == snapshot("""\
# Python solution
```python
solution()
```

# The task
Predict y.

# Your job
- Check whether the solution uses all the information that is provided. All data files are in `./input`.
- If something useful is left out, improve the solution so that it is used. Change nothing else.
- Do not hide errors with `try:` and `except:`: if a file cannot be read, that must show.
- If information is left out, answer with one Markdown code block that holds the whole improved script, and nothing else.
- If nothing is left out, answer with exactly this sentence: All the provided information is used.
""")


def test_test_prompt() -> None:
    assert rendered("test") == snapshot("""\
You are a Kaggle grandmaster who takes part in a competition. Your solution scores itself on validation samples; now it must
predict the test samples.

# The task
Predict y.

# Python solution
```python
solution()
```

# Your job
- Change the solution so that it predicts the test samples and writes a submission. Change as little as possible.
- Use the whole training set: no subsampling. Predict every test sample.
- All data files are in `./input`; nothing has to be unpacked. Use no other source of data.
- Write the predictions to `./final/submission.csv`, in the format that the task asks for.
- Answer with one Markdown code block that holds one complete Python script, and nothing else: no headings, no further text.
- Do not call `exit()`, `quit()` or `sys.exit()`. Do not hide errors with `try:` and `except:`.
- The script must end by printing `Final Validation Performance: <score>`, where the score is the metric on validation samples.
""")


def test_test_subsampling_extract_prompt() -> None:
    assert rendered("test_subsampling_extract") == snapshot("""\
# Python solution
```python
solution()
```

# Your job
- Extract the code block that takes a sample of the training rows, for a faster run.
- Extract it exactly as it stands in the Python solution above, letter by letter, with its indentation.
- Answer with one Markdown code block that holds the extracted block, and nothing else. If the solution takes no sample, the
  code block is empty.
""")


def test_test_subsampling_remove_prompt() -> None:
    assert rendered("test_subsampling_remove") == snapshot("""\
# Code block
```python
block()
```

# Your job
- Remove the subsampling from the code block above, so that all training samples are used.
- Do not introduce dummy variables: all names that the block uses are defined earlier, and those that it defines are used later.
- Answer with one Markdown code block that holds the changed block, and nothing else.
""")


def test_test_contamination_prompt() -> None:
    assert rendered("test_contamination") == snapshot("""\
# A published discussion
We used trees.

# Python solution
```python
solution()
```

# Your job
Compare the solution with the discussion. If the main ideas of the solution are taken from the discussion, the verdict is
'Same'; if the solution is different enough to be new, the verdict is 'Novel'.

# How to answer
Use this JSON schema:
Answer = {'verdict': str}
Return: Answer; `verdict` is either 'Novel' or 'Same'.
""")
