"""Mends scripts by what their traceback says: one pattern, one certain repair. What fits no pattern
is left alone; a guess would only make another script of it."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence

from proveout.apps.mle.syntax import parsed

Repair = Callable[["re.Match[str]", str, str], str | None]
"""The match, the script, the whole traceback → the mended script, or nothing."""

IMPORTS = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "lgb": "import lightgbm as lgb",
    "xgb": "import xgboost as xgb",
    "os": "import os",
    "json": "import json",
    "math": "import math",
    "random": "import random",
    "time": "import time",
    "re": "import re",
    "Path": "from pathlib import Path",
}
RENAMED = {
    ("numpy", "float"): "float",
    ("numpy", "int"): "int",
    ("numpy", "bool"): "bool",
    ("numpy", "object"): "object",
}
TREES = {"n_estimators", "iterations", "num_boost_round", "max_iter", "n_trials", "num_iterations"}
FEWEST_TREES = 50


def mended(source: str, traceback: str) -> str | None:
    """The script with its error repaired; nothing if it is not known how."""
    last = _last_line(traceback)
    for pattern, repair in REPAIRS:
        found = re.search(pattern, last) or re.search(pattern, traceback)
        if found is None:
            continue
        changed = repair(found, source, traceback)
        if changed is not None and changed != source and _compiles(changed):
            return changed
    return None


def _last_line(traceback: str) -> str:
    lines = [line for line in traceback.strip().splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _compiles(source: str) -> bool:
    try:
        parsed(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _missing_name(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    del traceback
    line = IMPORTS.get(found[1])
    return f"{line}\n{source}" if line and line not in source else None


def _unknown_keyword(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    """A keyword that this version of a library does not take is left out where it was given."""
    line = _failing_line(traceback)
    return _without_keyword(source, found[1], line) or _without_keyword(source, found[1], 0)


def _squared(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    """`mean_squared_error(squared=False)` became a function of its own."""
    del found, traceback
    changed = re.sub(
        r"(?:metrics\.)?mean_squared_error\(([^()]*?),\s*squared\s*=\s*False\s*\)",
        r"(mean_squared_error(\1) ** 0.5)",
        source,
    )
    return changed if changed != source else None


def _renamed(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    del traceback
    new = RENAMED.get((found[1], found[2]))
    return re.sub(rf"\bnp\.{found[2]}\b", new, source) if new else None


def _missing_file(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    """Data are in `./input`, whatever folder the script had in mind."""
    del traceback
    path = found[1]
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    if path == f"./input/{name}" or not name:
        return None
    return source.replace(path, f"./input/{name}") if path in source else None


def _no_folder(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    """A folder to write to that nobody has made."""
    del traceback
    folder = found[1]
    line = f"import os\nos.makedirs({folder!r}, exist_ok=True)\n"
    return line + source if line not in source else None


def _encoding(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    del found, traceback
    return re.sub(r"(pd\.read_csv\([^()]*)\)", r'\1, encoding="latin-1")', source)


def _too_slow(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    """A third of the trees: the same script, sooner."""
    del found, traceback
    tree = parsed(source)
    places = []
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in TREES:
            value = node.value
            if isinstance(value, ast.Constant) and type(value.value) is int:
                fewer = max(FEWEST_TREES, value.value // 3)
                if fewer < value.value:
                    places.append((value.lineno, value.col_offset, value.end_col_offset, fewer))
    lines = source.splitlines(keepends=True)
    for row, start, end, fewer in sorted(places, reverse=True):
        line = lines[row - 1].encode()
        lines[row - 1] = (line[:start] + str(fewer).encode() + line[end:]).decode()
    return "".join(lines) if places else None


def _early_stopping(found: "re.Match[str]", source: str, traceback: str) -> str | None:
    """LightGBM takes early stopping as a callback."""
    if "lightgbm" not in source:
        return _unknown_keyword(found, source, traceback)
    changed = re.sub(
        r"early_stopping_rounds\s*=\s*(\d+)",
        r"callbacks=[__import__('lightgbm').early_stopping(\1, verbose=False)]",
        source,
    )
    return changed if changed != source else None


def _failing_line(traceback: str) -> int:
    """The line of the script itself that the traceback names last."""
    numbers = re.findall(r'File "[^"]*(?:solution|script|candidate)[^"]*", line (\d+)', traceback)
    return int(numbers[-1]) if numbers else 0


def _without_keyword(source: str, name: str, line: int) -> str | None:
    """The script without `name=…` in calls that touch a line; anywhere, if the line is nought."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for node in _calls(tree):
        inside = not line or node.lineno <= line <= (node.end_lineno or node.lineno)
        given = [keyword for keyword in node.keywords if keyword.arg == name]
        if not inside or not given:
            continue
        kept = [keyword for keyword in node.keywords if keyword.arg != name]
        old = ast.get_source_segment(source, node)
        new = ast.unparse(ast.Call(node.func, node.args, kept))
        return source.replace(old, new, 1) if old else None
    return None


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    # Innermost last: a keyword belongs to the smallest call around it.
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    yield from sorted(found, key=lambda node: (node.end_lineno or 0) - node.lineno)


REPAIRS: Sequence[tuple[str, Repair]] = (
    (r"unexpected keyword argument '(early_stopping_rounds)'", _early_stopping),
    (r"unexpected keyword argument '(squared)'", _squared),
    (r"unexpected keyword argument '(\w+)'", _unknown_keyword),
    (r"NameError: name '(\w+)' is not defined", _missing_name),
    (r"module '(\w+)' has no attribute '(\w+)'", _renamed),
    (r"Cannot save file into a non-existent directory: '([^']+)'", _no_folder),
    (r"FileNotFoundError: .*?'([^']+)'", _missing_file),
    (r"UnicodeDecodeError", _encoding),
    (r"timed out|bound seconds reached", _too_slow),
)
