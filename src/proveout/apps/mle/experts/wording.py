"""The statements that put a script's functions to work, and how values are written."""

import textwrap
from collections.abc import Mapping

from proveout.apps.mle.experts import blending
from proveout.apps.mle.experts.cards import CARDS
from proveout.apps.mle.experts.deciding import named_rule
from proveout.apps.mle.experts.features import (
    coordinates,
    group,
    long_texts,
    named,
    numbered_names,
    splittable,
    times,
)
from proveout.apps.mle.experts.library import Piece
from proveout.apps.mle.experts.recipe import Blend, Recipe
from proveout.apps.mle.problem import Problem, as_it_stands

WIDTH = 100
FORMS: Mapping[str, str] = {
    "log": "log_form",
    "share": "share_form",
    "root": "root_form",
    "guess": "guess_form",
    "level": "level_form",
    "level ratio": "level_ratio_form",
    "weekday ratio": "weekday_ratio_form",
}
WEIGHTS: Mapping[str, str] = {
    "repeats": "repeat_weights",
    "classes": "class_weights",
    "recent": "recent_weights",
    "small": "small_weights",
}
FACTS = '''def facts(frame: pd.DataFrame, like: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Columns by step, from each row alone; `like` only tells what columns look like."""
    return {{
{lines}    }}
'''


def literal(value: object) -> str:
    """Python source of a plain value, with double quotes."""
    if isinstance(value, str):
        text = repr(value)
        plain = text.startswith("'") and '"' not in text and "\\" not in text
        return f'"{value}"' if plain else text
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        inner = ", ".join(literal(one) for one in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return "[" + ", ".join(literal(one) for one in value) + "]"
    return repr(value)


def wrapped(line: str) -> str:
    """A long assignment of a collection, broken between items."""
    if len(line) <= WIDTH:
        return line
    opening = min(place for place in (line.find(c) for c in "([{") if place >= 0)
    inner = line[opening + 1 : -1]
    items = textwrap.wrap(
        _unbreakable(inner), WIDTH - 4, break_long_words=False, break_on_hyphens=False
    )
    body = "\n".join("    " + item.replace("\0", " ") for item in items)
    return f"{line[: opening + 1]}\n{body}\n{line[-1]}"


def _unbreakable(text: str) -> str:
    """Spaces within strings, and after a key, are no places to break."""
    out, quote, before = [], "", ""
    for mark in text:
        if quote:
            quote = "" if mark == quote and before != "\\" else quote
        elif mark in "\"'":
            quote = mark
        inside = quote or before == ":"
        out.append("\0" if mark == " " and inside else mark)
        before = mark
    return "".join(out)


def constants(problem: Problem, recipe: Recipe) -> dict[str, object]:
    """The problem's own values of the constants in `blocks.settings`."""
    answers = list(problem.answer_columns)
    dates = named(problem, "date")
    return {
        "SEED": recipe.seed,
        "THREADS": recipe.threads,
        "TIME_LIMIT": round(recipe.time_limit, 1),
        "MOST_ROWS": recipe.most_rows,
        "TARGETS": list(problem.targets),
        "LABELS": list(problem.labels),
        "ID": problem.id_column,
        "COPIED": {name: as_it_stands(name) for name in problem.copied},
        "ANSWERS": answers or list(problem.targets),
        "FORM": problem.submission,
        "TIMES": times(problem),
        "GROUP": group(problem)[0],
        "GROUP_MARK": group(problem)[1],
        "NUMBERS": named(problem, "number"),
        "CODES": numbered_names(problem),
        "BOOLEANS": named(problem, "boolean"),
        "CATEGORIES": named(problem, "category"),
        "TEXTS": long_texts(problem),
        "DATES": dates,
        "COORDINATES": coordinates(problem),
        "SPLITTABLE": splittable(problem),
        "CUSTOM": problem.custom_metric,
        "JOINS": [(table.file, table.key) for table in problem.tables],
    }


def assigned(piece: Piece, values: Mapping[str, object]) -> str:
    """A setting with the script's value; what explains it becomes a comment above."""
    head, _, rest = piece.text.partition("\n")
    comment = " ".join(rest.strip().strip('"').split())
    line = head
    if piece.name in values:
        line = wrapped(f"{piece.name} = {literal(values[piece.name])}")
    return f"# {comment}\n{line}" if comment else line


def docstring(problem: Problem, recipe: Recipe) -> str:
    """What the script is."""
    titles = dict.fromkeys(CARDS[member.card].title for member in recipe.members)
    what = "; ".join(titles)
    how = f"Blended by {recipe.blend}." if len(recipe.members) > 1 else "A single model."
    text = (
        f"Predicts {', '.join(problem.targets)} ({problem.kind}, {problem.metric}): {what}. {how} "
        "Whatever is learnt from rows is learnt inside each fold, from its training part alone."
    )
    return '"""' + textwrap.fill(text.replace("\\", "/").replace('"', "'"), WIDTH - 6) + '\n"""'


def threads() -> str:
    return (
        "import os\n\n"
        "# Threads that wait by spinning take the time of those that work.\n"
        'os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")'
    )


def loading(problem: Problem) -> str:
    """Reads the tables; names stay strings, so that `01` is not `1`."""
    kinds = {"CATEGORIES": "category", "TEXTS": "text", "DATES": "date", "BOOLEANS": "boolean"}
    held = {column.kind for column in problem.features}
    lists = [name for name, kind in kinds.items() if kind in held]
    if problem.kind != "regression":
        lists.append("TARGETS")
    if problem.id_column:
        lists.append("[ID]")
    if problem.copied:
        lists.append("COPIED.values()")
    if splittable(problem):
        lists.append("SPLITTABLE")
    if problem.tables:
        lists.append("(key for _, key in JOINS)")
    if problem.groups:
        lists.append("[GROUP]")
    names = (
        "["
        + ", ".join(f"*{name}" for name in lists)
        .replace("*[ID]", "ID")
        .replace("*[GROUP]", "GROUP")
        + "]"
    )
    lines = [
        "START = time.monotonic()",
        wrapped(f'strings = dict.fromkeys({names}, "str")'),
        'train = pd.read_csv("input/train.csv", dtype=strings)',
        'test = pd.read_csv("input/test.csv", dtype=strings)',
        'fold = pd.read_csv("input/folds.csv")["fold"].to_numpy()',
    ]
    return "\n".join(lines)


def gathering(problem: Problem) -> str:
    """Makes the rows' facts and runs the members."""
    ordered = bool(problem.time)
    grouped = "group_keys(train).to_numpy()" if problem.groups else "row_keys(train)"
    train_times = "row_times(train, every)" if ordered else "pd.DataFrame(index=train.index)"
    test_times = "row_times(test, every)" if ordered else "pd.DataFrame(index=test.index)"
    # Who has a few moments in training has one more in the test: names of series show by all rows.
    every = "every = pd.concat([train, test], ignore_index=True)\n" if ordered else ""
    return every + textwrap.dedent(
        f"""\
        data = Data(
            train=facts(train, train),
            test=facts(test, train),
            y=read_target(train),
            fold=fold,
            times={train_times},
            test_times={test_times},
            keys={grouped},
        )
        found, tests = run_members(data, MEMBERS)"""
    )


def mixing(problem: Problem, blend: Blend) -> list[str]:
    """From `found` and `tests`, a table per member, to one of each."""
    if blend == "stack":
        aim = blending.AIMS.get(problem.metric, "")
        measure = f", {literal(aim)}" if aim else ""
        return [
            "predictions, test_predictions = stacked("
            f"found, tests, truth, fold, {bool(problem.labels)}{measure})"
        ]
    mix = {"mean": "blend_mean", "geometric": "blend_geometric", "rank": "blend_ranks"}[blend]
    lines = [f"predictions = {mix}(found, weights)"]
    if blend == "rank":
        # Places in the order are of one fold: another's predictions are not on the same scale.
        lines = [
            "predictions = np.zeros_like(found[0])",
            "for number in range(fold.max() + 1):",
            "    held = fold == number",
            f"    predictions[held] = {mix}([values[held] for values in found], weights)",
        ]
    return [*lines, f"test_predictions = {mix}(tests, weights)"]


def prediction(problem: Problem, recipe: Recipe) -> str:
    """Blends, scores each fold, and writes everything down."""
    truth = "data.y[:, 0]" if problem.labels else "data.y"
    lines = ["rows = np.flatnonzero(fold >= 0)", f"truth = {truth}"]
    if recipe.blend != "stack":
        lines.append("weights = [member.weight for member in MEMBERS]")
    lines += [*mixing(problem, recipe.blend), *_deciding(problem, recipe)]
    metric = problem.metric
    saved = ", decisions=decisions[rows], test_decisions=test_decisions" if recipe.decide else ""
    lines += [
        "scores = [",
        f"    {metric}(truth[held], predictions[held], decisions[held])",
        "    for held in (fold == number for number in range(fold.max() + 1))",
        "]",
        'os.makedirs("final", exist_ok=True)',
        "np.savez_compressed(",
        '    "final/predictions.npz", rows=rows, predictions=predictions[rows], '
        f"test=test_predictions{saved}",
        ")",
        "answer = submission(test, test_predictions, test_decisions)",
        'answer.to_csv("final/submission.csv", index=False)',
        'print(f"Final Validation Performance: {mean_of_defined(scores):.8g}")',
    ]
    return "\n".join(lines)


def _deciding(problem: Problem, recipe: Recipe) -> list[str]:
    if not problem.labels:
        return ["decisions, test_decisions = fold, None"]
    if not recipe.decide:
        return ["decisions, test_decisions = predictions.argmax(axis=1), None"]
    return [
        f"choose = {named_rule(problem)}",
        "decisions = np.zeros(len(fold), dtype=int)",
        "decisions[rows], test_decisions = nested_decisions(",
        f"    choose, truth[rows], predictions[rows], fold[rows], test_predictions, "
        f"{problem.metric}",
        ")",
    ]
