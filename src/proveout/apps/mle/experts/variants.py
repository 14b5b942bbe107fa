"""Ways to take one thing out of a script, found in its syntax tree and made by editing its text.

A variant differs from the script in exactly one place and still compiles, so a difference in score
can be about nothing else. Two kinds of control tell what counts as a difference: the script as it
is, and the script with another seed.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from proveout.apps.mle.syntax import parsed

HARMLESS = {
    "random_state", "seed", "n_jobs", "verbose", "verbosity", "thread_count", "num_threads",
    "objective", "loss_function", "loss", "metric", "eval_metric", "n_estimators", "iterations",
    "allow_writing_files", "handle_unknown", "categorical_features", "cat_features", "probability",
    "max_iter", "enable_categorical", "tree_method",
}  # fmt: skip
"""Keywords that are about reproducibility, cost or what is asked, not about how well it is done."""
STEP_LISTS = {"Pipeline", "ColumnTransformer", "FeatureUnion"}
SEEDS = {"SEED", "RANDOM_STATE", "RANDOM_SEED", "seed", "random_state"}
Seed = tuple[int, int, int]
"""Where it stands, from and to, and the number itself."""


class Variant(NamedTuple):
    """The script with one thing taken out."""

    label: str
    """For people: `without StandardScaler`."""
    part: str
    """The text that was taken out or changed."""
    source: str


def variants(source: str) -> list[Variant]:
    """Every variant that compiles and differs, in the order of the script."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    text = _Text(source)
    found: dict[str, Variant] = {}
    for label, start, end, replacement in _edits(tree, text):
        changed = source[:start] + replacement + source[end:]
        if changed != source and label not in found and _compiles(changed):
            found[label] = Variant(label, source[start:end], changed)
    return list(found.values())


def reseeded(source: str, offset: int) -> str | None:
    """The script with other random numbers; nothing if it draws none that can be found."""
    seeds = _seeds(source)
    return _drawn_anew(source, seeds, offset) if seeds else None


@lru_cache(maxsize=4)
def _seeds(source: str) -> tuple[Seed, ...]:
    """The numbers that seed something, the last first; none if others cannot take their place.

    A study asks for several versions of the same script.
    """
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    text = _Text(source)
    places = []
    for node in ast.walk(tree):
        value = _seed_value(node)
        if value is not None and isinstance(value.value, int):
            places.append((*text.span(value), value.value))
    found = tuple(sorted(places, reverse=True))
    return found if found and _compiles(_drawn_anew(source, found, 1)) else ()


def _drawn_anew(source: str, seeds: tuple[Seed, ...], offset: int) -> str:
    for start, end, number in seeds:
        source = f"{source[:start]}{number + offset}{source[end:]}"
    return source


def _seed_value(node: ast.AST) -> ast.Constant | None:
    """The number that seeds something: `SEED = 1` or `random_state=1`."""
    value: ast.AST | None = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id in SEEDS:
            value = node.value
    elif isinstance(node, ast.keyword) and node.arg in SEEDS:
        value = node.value
    whole = isinstance(value, ast.Constant) and type(value.value) is int
    return value if whole and isinstance(value, ast.Constant) else None


class _Text:
    """Positions of nodes as offsets; the tree counts bytes, the text characters."""

    def __init__(self, source: str) -> None:
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._offset(node.lineno, node.col_offset),
            self._offset(node.end_lineno, node.end_col_offset),
        )

    def _offset(self, line: int, column: int) -> int:
        before = self._lines[line - 1].encode()[:column].decode(errors="ignore")
        return self._starts[line - 1] + len(before)


Edit = tuple[str, int, int, str]


def _edits(tree: ast.Module, text: _Text) -> Iterator[Edit]:
    own = {
        node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield from _assignment(node, tree, text, own)
        elif isinstance(node, ast.Call):
            yield from _steps(node, text)
            if _called(node) not in own:
                yield from _settings(node, text)


def _assignment(node: ast.Assign, tree: ast.Module, text: _Text, own: set[str]) -> Iterator[Edit]:
    target, value = node.targets[0], node.value
    start, end = text.span(node)
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        name = target.slice.value
        if isinstance(name, str) and not _read_elsewhere(tree, name, target):
            yield f"without the column {name}", start, end, "pass"
    if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and value.value is True:
        yield f"{target.id} off", *text.span(value), "False"
    # `train = enrich(train)`: a step of the script's own that can be skipped.
    if (
        isinstance(target, ast.Name)
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in own
        and any(isinstance(it, ast.Name) and it.id == target.id for it in value.args)
    ):
        yield f"without {value.func.id}", start, end, "pass"


def _read_elsewhere(tree: ast.Module, name: str, target: ast.Subscript) -> bool:
    """Whether a column that is made here is named anywhere else."""
    return any(
        isinstance(node, ast.Constant) and node.value == name and node is not target.slice
        for node in ast.walk(tree)
    )


def _steps(node: ast.Call, text: _Text) -> Iterator[Edit]:
    """Steps of a pipeline, each replaced by one that does nothing."""
    name = _called(node)
    if name in STEP_LISTS and node.args and isinstance(node.args[0], ast.List):
        for element in node.args[0].elts[: None if name != "Pipeline" else -1]:
            if isinstance(element, ast.Tuple) and len(element.elts) >= 2:
                step = element.elts[1]
                if isinstance(step, ast.Call):
                    yield f"without {_called(step)}", *text.span(step), "'passthrough'"
    elif name == "make_pipeline":
        for step in node.args[:-1]:
            if isinstance(step, ast.Call):
                yield f"without {_called(step)}", *text.span(step), "'passthrough'"


def _settings(node: ast.Call, text: _Text) -> Iterator[Edit]:
    """An estimator with the settings that its authors chose."""
    name = _called(node)
    if not name[:1].isupper() or name in STEP_LISTS:
        return
    chosen = [it for it in node.keywords if it.arg and it.arg not in HARMLESS]
    if len(chosen) < 2:
        return
    kept = [it for it in node.keywords if it not in chosen]
    start, end = text.span(node)
    arguments = ", ".join([*map(ast.unparse, node.args), *map(ast.unparse, kept)])
    yield f"{name} with default settings", start, end, f"{ast.unparse(node.func)}({arguments})"


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _compiles(source: str) -> bool:
    try:
        compile(source, "variant", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
