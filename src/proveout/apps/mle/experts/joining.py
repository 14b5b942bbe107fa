"""One script of several. Experts' scripts are joined by their recipes and read like any other;
scripts of other origin are kept whole and run one after the other."""

import re
from collections.abc import Sequence

from proveout.apps.mle.experts.deciding import named_rule
from proveout.apps.mle.experts.library import library
from proveout.apps.mle.experts.recipe import Blend, Member, Recipe, ensemble
from proveout.apps.mle.experts.steering import recipe_of, written
from proveout.apps.mle.experts.wording import assigned, constants, mixing
from proveout.apps.mle.problem import Problem

HEAD = '"""A blend of {count} scripts, run in folders of their own; predictions are blended."""'
RUNNING = '''def predictions_of(number: int, source: str) -> dict[str, np.ndarray]:
    """What a script predicts, for its own folds and for the test rows."""
    here = Path.cwd()
    folder = here / "members" / str(number)
    (folder / "final").mkdir(parents=True, exist_ok=True)
    if not (folder / "input").exists():
        (folder / "input").symlink_to(here / "input", target_is_directory=True)
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, f"member {number}", "exec"), {"__name__": "__main__"})
        with np.load("final/predictions.npz", allow_pickle=False) as held:
            return {name: held[name] for name in ("rows", "predictions", "test")}
    finally:
        os.chdir(here)'''
BLENDING = """made = [predictions_of(number, source) for number, (_, source) in enumerate(MEMBERS)]
shutil.rmtree("members", ignore_errors=True)
train = pd.read_csv("input/train.csv", dtype=dict.fromkeys({names}, "str"))
test = pd.read_csv("input/test.csv", dtype=dict.fromkeys({keys}, "str"))
fold = pd.read_csv("input/folds.csv")["fold"].to_numpy()
rows = np.flatnonzero(fold >= 0)
fold, truth = fold[rows], read_target(train)[rows]{first}
tests = [held["test"] for held in made]
found = [held["predictions"][np.argsort(held["rows"])] for held in made]
weights = [weight for weight, _ in MEMBERS]
{mixing}
{deciding}
scores = [
    {metric}(truth[held], predictions[held], decisions[held])
    for held in (fold == number for number in range(fold.max() + 1))
]
os.makedirs("final", exist_ok=True)
np.savez_compressed(
    "final/predictions.npz", rows=rows, predictions=predictions, test=test_predictions{saved}
)
answer = submission(test, test_predictions, test_decisions)
answer.to_csv("final/submission.csv", index=False)
print(f"Final Validation Performance: {{mean_of_defined(scores):.8g}}")"""
ARGMAX = "decisions, test_decisions = predictions.argmax(axis=1), None"
RULED = """choose = {rule}
decisions, test_decisions = nested_decisions(
    choose, truth, predictions, fold, test_predictions, {metric}
)"""
OUTSIDE = ("contextlib", "io", "os", "shutil")


def joined(
    problem: Problem,
    sources: Sequence[str],
    weights: Sequence[float],
    *,
    seconds: float,
    threads: int = 1,
    blend: Blend = "mean",
    decide: bool = False,
) -> str:
    """A script that trains all of them and blends their predictions.

    `decide`: the blend chooses classes by a rule of its own. A script alone keeps its way.
    """
    recipes = [recipe for source in sources if (recipe := recipe_of(source)) is not None]
    if len(recipes) == len(sources):
        limits = {"time_limit": seconds, "threads": threads}
        if len(recipes) == 1:
            return written(problem, recipes[0].model_copy(update=limits))
        whole = ensemble(recipes, weights)
        together = {"blend": blend, "decide": decide}
        return written(problem, whole.model_copy(update={**limits, **together}))
    return sources[0] if len(sources) == 1 else bound(problem, sources, weights, blend, decide)


def _deciding(problem: Problem, decide: bool) -> str:
    if not problem.labels:
        return "decisions, test_decisions = fold, None"
    rule = named_rule(problem)
    return RULED.format(rule=rule, metric=problem.metric) if decide else ARGMAX


def bound(
    problem: Problem,
    sources: Sequence[str],
    weights: Sequence[float],
    blend: Blend = "mean",
    decide: bool = False,
) -> str:
    """Whole scripts in one file."""
    classes = bool(problem.labels)
    saved = ", decisions=decisions, test_decisions=test_decisions" if decide else ""
    blending = BLENDING.format(
        names="TARGETS" if classes else "[]",
        keys="[ID]" if problem.id_column else "[]",
        first="[:, 0]" if classes else "",
        deciding=_deciding(problem, decide),
        saved=saved,
        mixing="\n".join(mixing(problem, blend)),
        metric=problem.metric,
    )
    called = re.findall(r"(?:blend|choose_by)_\w+|stacked|nested_decisions|label_values", blending)
    roots = ["read_target", "submission", problem.metric, "mean_of_defined", "TARGETS", "ID"]
    roots += called
    pieces = library().needed(roots)
    names = {name for piece in pieces for name in piece.uses} | {"np", "pd"}
    names |= {"partial"} & set(re.findall(r"\w+", blending))
    imports = [f"import {name}" for name in OUTSIDE] + ["from pathlib import Path", ""]
    imports += [line for line in library().import_lines(names) if line not in imports]
    members = ",\n".join(
        f"    ({weight:g}, {source!r})" for weight, source in zip(weights, sources, strict=True)
    )
    values = constants(problem, Recipe(members=(Member(card="dummy"),)))
    parts = [
        HEAD.format(count=len(sources)),
        "# == load ==\n" + "\n".join(imports),
        "\n".join(assigned(piece, values) for piece in pieces if piece.module == "settings"),
        "\n\n\n".join(piece.text for piece in pieces if piece.module != "settings"),
        f"# == members ==\nMEMBERS = [\n{members},\n]",
        RUNNING,
        f"# == predict ==\n{blending}",
    ]
    return "\n\n\n".join(part for part in parts if part) + "\n"
