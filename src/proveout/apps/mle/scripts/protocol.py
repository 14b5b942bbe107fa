"""How scripts and harness meet in files, in words for a model that writes scripts.

The default mode recomputes every score from what a script predicted; one that does not write its
predictions cannot be judged. Prompts show this text where they are given it as `protocol`.
"""

from proveout.apps.mle.problem import (
    FOLDS_FILE,
    PREDICTIONS_FILE,
    SCORE_PHRASE,
    SUBMISSION_FILE,
    TEST_FILE,
    TRAIN_FILE,
    Problem,
    as_it_stands,
)


def protocol(problem: Problem) -> str:
    """What a script for this problem reads, writes and prints."""
    return "\n".join([*_reads(problem), *_writes(problem)])


def _reads(problem: Problem) -> list[str]:
    split = "train on rows with `fold != k` and validate on rows with `fold == k`"
    if problem.time:
        split = (
            "train on rows with `fold < k` and validate on rows with `fold == k`; fold -1 is older "
            "than all others and is never validated"
        )
    lines = [
        f"- `./input/{TRAIN_FILE}` has the labelled rows, target: {_listed(problem.targets)}.",
        f"- `./input/{TEST_FILE}` has the rows to predict, without a target.",
        f"- `./input/{FOLDS_FILE}` has one column `fold` with a line for each row of "
        f"{TRAIN_FILE}, in the same order. For k = 0, 1, … up to the largest: {split}. "
        "Use no other split, and fit everything inside of each fold.",
    ]
    lines += [
        f"- `./input/{table.file}` has further facts; join it by `{table.key}`."
        for table in problem.tables
    ]
    if problem.dropped:
        barred = _listed([item.column for item in problem.dropped])
        lines.append(f"- Do not use these columns, which mislead: {barred}.")
    return lines


def _writes(problem: Problem) -> list[str]:
    width = len(problem.labels) or len(problem.targets)
    meaning = f"the value of {_listed(problem.targets)}"
    if problem.labels:
        meaning = f"the probability of each label, in this order: {_listed(problem.labels)}"
    columns = _listed(problem.submission_columns) or "the columns of the sample"
    return [
        f"- Write `./{PREDICTIONS_FILE}` with `numpy.savez`: `rows` (positions in {TRAIN_FILE} "
        f"that were validated), `predictions` (out-of-fold, shape (len(rows), {width})) and `test` "
        f"(shape (rows of {TEST_FILE}, {width}), in its order). A prediction is {meaning}.",
        "- If labels are chosen otherwise than by the largest probability, add `decisions` and "
        "`test_decisions`: the number of the chosen label for each row.",
        f"- Write `./{SUBMISSION_FILE}` with {columns}: one line for each row of {TEST_FILE}, "
        "in its order.",
        *(
            f"- Its column `{name}` repeats `{as_it_stands(name)}` of {TEST_FILE}, as text."
            for name in problem.copied
        ),
        f"- Print `{SCORE_PHRASE} <score>` exactly once: the mean over the folds of "
        f"{problem.metric} ({problem.direction}) on each fold's out-of-fold predictions. It is "
        "computed again from the predictions and must agree.",
    ]


def _listed(names: "tuple[str, ...] | list[str]") -> str:
    return ", ".join(f"`{name}`" for name in names)
