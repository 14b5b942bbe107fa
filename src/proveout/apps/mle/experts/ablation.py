"""Writes an ablation study of any script: controls, variants, and a table of what each cost."""

from proveout.apps.mle.experts.features import suffices
from proveout.apps.mle.experts.recipe import Recipe
from proveout.apps.mle.experts.steering import recipe_of, written
from proveout.apps.mle.experts.variants import Variant, reseeded, variants
from proveout.apps.mle.problem import Problem

MOST_VARIANTS = 3
CONTROLS = (101, 202)

RUNNER = '''"""Ablation study: the same script with one thing taken out at a time.

`Baseline` is the script as it is, `Baseline, seed +N` the same with other random numbers: what lies
within their spread is noise.
"""
import contextlib
import io
import os
import re
import shutil
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from threadpoolctl import threadpool_limits

SCRIPTS = {scripts}

SECONDS = {seconds}
# Scripts at a time, each on a core of its own.
WORKERS = {workers}
BEGAN = time.monotonic()
HERE = Path.cwd()
FORKED = get_context("fork")
LATE = FORKED.Event()


def score_of(number, name):
    """Run one script in a folder of its own; its printed score, or why there is none."""
    taken = time.monotonic() - BEGAN
    if LATE.is_set() or (number >= WORKERS and taken * (number + WORKERS) > SECONDS * number):
        LATE.set()
        return "left out, no time"
    folder = HERE / f"ablation-{{number}}"
    (folder / "final").mkdir(parents=True)
    (folder / "input").symlink_to(HERE / "input", target_is_directory=True)
    printed = io.StringIO()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(SCRIPTS[name], name, "exec"), {{"__name__": "__main__"}})
    except Exception as error:
        return f"failed ({{type(error).__name__}}: {{str(error)[:100]}})"
    finally:
        os.chdir(HERE)
        shutil.rmtree(folder, ignore_errors=True)
    found = re.findall(r"Final Validation Performance:\\s*([-+0-9.eE]+)", printed.getvalue())
    return float(found[-1]) if found else "printed no score"


with ProcessPoolExecutor(WORKERS, FORKED, threadpool_limits, (1,)) as pool:
    results = dict(zip(SCRIPTS, pool.map(score_of, range(len(SCRIPTS)), SCRIPTS)))
scores = {{name: result for name, result in results.items() if isinstance(result, float)}}
for name, result in results.items():
    if name not in scores:
        print(f"{{name}}: {{result}}")

controls = [score for name, score in scores.items() if name.startswith("Baseline")]
spread = statistics.stdev(controls) if len(controls) > 1 else 0.0
for name, score in scores.items():
    print(f"{{name}}: {{score:.6f}}")
print(f"Noise (standard deviation of the controls): {{spread:.6f}}")
if "Baseline" in scores:
    effects = {{n: abs(s - scores["Baseline"]) for n, s in scores.items() if n[:8] != "Baseline"}}
    if effects:
        largest = max(effects, key=effects.get)
        print(f"Largest effect: {{largest}} ({{effects[largest]:.6f}})")
'''


def write(
    source: str,
    studied: str = "",
    seconds: float = 60.0,
    problem: Problem | None = None,
    workers: int = 1,
) -> str | None:
    """A study of parts that `studied` (earlier summaries) does not mention; nothing if none are.

    Of an expert's script, told by its recipe, steps are taken out; of any other, what its syntax
    shows.
    """
    recipe = recipe_of(source) if problem is not None else None
    if problem is not None and recipe is not None:
        every = _steps_taken_out(problem, recipe, source)
    else:
        every = variants(source)
    chosen = _chosen(every, studied)
    if not chosen:
        return None
    scripts = {"Baseline": source}
    for variant in chosen:
        scripts[variant.label] = variant.source
    for offset in CONTROLS:
        other = reseeded(source, offset)
        if other is not None:
            scripts[f"Baseline, seed +{offset}"] = other
    shown = "{\n" + "".join(f"    {name!r}: {text!r},\n" for name, text in scripts.items()) + "}"
    return RUNNER.format(scripts=shown, seconds=float(seconds), workers=workers)


def _steps_taken_out(problem: Problem, recipe: Recipe, source: str) -> list[Variant]:
    """The script without each of its steps, and with the settings that the card starts with."""
    made = []
    for step in dict.fromkeys(step for member in recipe.members for step in member.steps):
        members = tuple(
            member.model_copy(update={"steps": tuple(it for it in member.steps if it != step)})
            for member in recipe.members
        )
        if all(suffices(member.steps) for member in members):
            other = written(problem, recipe.model_copy(update={"members": members}))
            made.append(Variant(f"without {step}", step, other))
    return [variant for variant in made if variant.source != source]


def _chosen(every: list[Variant], studied: str) -> list[Variant]:
    """Parts spread over the script rather than neighbours, which tend to be alike."""
    fresh = [variant for variant in every if variant.label not in studied]
    if len(fresh) <= MOST_VARIANTS:
        return fresh
    step = (len(fresh) - 1) / (MOST_VARIANTS - 1)
    return [fresh[round(place * step)] for place in range(MOST_VARIANTS)]
