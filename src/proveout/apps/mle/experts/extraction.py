"""Finds the block of a script that an ablation summary points at, and says what to do with it.

Blocks are what stands between markers (`# == name ==`), or else paragraphs of statements. Which of
them is meant is decided by the names that summary and block share.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from proveout.apps.mle.scripts.kinds import CodeBlockCategory
from proveout.apps.mle.scripts.outputs import ExtractorOutput, RefinePlan
from proveout.apps.mle.syntax import UNPARSABLE, glanced_at, parsed

MOST_PLANS = 3
MOST_BLOCKS = 400
MOST_NAMES = 60
LONGEST_SUMMARY = 20_000
LONGEST_BODY = 6
"""Statements in a function or a loop above which its parts are blocks of their own."""
MARKER = re.compile(r"^# == (?P<name>.+?) ==[ \t]*$", re.MULTILINE)
MOST = re.compile(
    r"most impactful component: (?P<name>.+?)(?: \((?:score|change) |\.\s|\.$|$)", re.I | re.M
)
LISTED = re.compile(r"^- (?P<name>.+?): (?:score|change) ", re.MULTILINE)
STRONG = re.compile(
    r"\b(most|largest|biggest|strongest|greatest|significant|critical|crucial|substantial)\b", re.I
)
WEAK = re.compile(r"\b(least|negligible|no (?:effect|impact)|smallest|minimal|not? matter)\b", re.I)
SPOKEN = re.compile(r'"""(?:[^"]|"(?!""))*"""|^[ \t]*#(?! == ).*$', re.MULTILINE)
"""Docstrings and comments: they talk about things that the block does not do."""
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
COMMON = frozenset(
    {
        "the", "an", "of", "and", "or", "is", "was", "in", "on", "to", "for", "with", "without",
        "this", "that", "by", "as", "at", "be", "no", "not", "from", "than", "score", "scores",
        "component", "components", "change", "baseline", "study", "ablation", "effect", "impact",
        "performance", "model", "most", "least", "impactful", "self", "fit", "np", "pd", "def",
        "return", "import", "true", "false", "none", "train", "test", "data", "df",
    }
)  # fmt: skip
Category = CodeBlockCategory
HINTS: tuple[tuple[CodeBlockCategory, re.Pattern[str]], ...] = (
    (Category.ensemble, re.compile(r"blend|ensembl|stack|voting|weights?\b.*pred|average", re.I)),
    (
        Category.model_selection,
        re.compile(
            r"Classifier|Regressor|Booster|LGBM|XGB|CatBoost|Ridge|Lasso|LogisticRegression"
            r"|nn\.Module|model:"
        ),
    ),
    (
        Category.preprocessing,
        re.compile(r"Imputer|Scaler|Encoder|fillna|get_dummies|Vectorizer|dropna|astype|clip\("),
    ),
    (
        Category.feature_engineering,
        re.compile(r"feature|groupby|\.dt\.|\.str\.|interaction|\w\[['\"][^'\"]+['\"]\]\s*=", re.I),
    ),
    (Category.training, re.compile(r"\.fit\(|KFold|train_test_split|epoch|early_stop", re.I)),
    (Category.postprocessing, re.compile(r"threshold|round\(|argmax|calibrat|submission", re.I)),
)
ADVICE: dict[CodeBlockCategory, str] = {
    Category.ensemble: "Weigh the members by how well they do on rows that they were not trained "
    "on, instead of equally. Leave out members that add nothing.",
    Category.model_selection: "Try another model of the same cost, or settings that generalise "
    "better: a smaller learning rate with more rounds and early stopping, a little more "
    "regularisation.",
    Category.preprocessing: "Treat missing values and rare categories explicitly, and choose the "
    "encoding by the number of different values. Learn every statistic from training rows only.",
    Category.feature_engineering: "Add a few features that say more than the raw columns: ratios "
    "of the strongest ones, parts of dates, counts and group statistics. Compute them within each "
    "fold.",
    Category.training: "Let the training stop when the validation score no longer improves, and "
    "average over a few seeds to lower the variance.",
    Category.postprocessing: "Choose thresholds and clipping from out-of-fold predictions so that "
    "they suit the metric.",
    Category.other: "Look for work that is done too crudely here and refine it in small steps that "
    "can be measured one by one.",
}


SPARE = "Keep the names that the rest of the script uses, and keep the run time about the same."


class Block(NamedTuple):
    """A part of a script: what it is called, its exact text, and whether it does anything."""

    name: str
    text: str
    working: bool = True


def extract(
    solution_script: str,
    ablation_summary: str,
    previous_code_blocks: Sequence[str] = (),
    *,
    pin: str = "",
    forbid: str = "",
    edit_for: Callable[[str], str | None] = lambda _block: None,
) -> ExtractorOutput:
    """Blocks worth refining, the best first; those that were refined before come last.

    `edit_for` names what would be done to a script for the sake of a block.
    """
    blocks = list(blocks_of(solution_script))
    allowed = [
        it for it in blocks if (not pin or pin in it.name) and not (forbid and forbid in it.name)
    ]
    blocks = allowed or blocks
    weights = component_weights(ablation_summary)
    seen = {text.strip() for text in previous_code_blocks}
    known = {found["name"] for text in previous_code_blocks for found in MARKER.finditer(text)}

    def place(block: Block) -> tuple[bool, bool, float]:
        used = block.text.strip() in seen or block.name in known
        return used, not block.working, -relevance(block, weights)

    ranked = sorted(blocks, key=place) or [Block("script", solution_script.strip() or "pass")]
    chosen = ranked[:1] + [it for it in ranked[1:MOST_PLANS] if it.working]
    return ExtractorOutput(
        plans=[
            RefinePlan(
                code_block=it.text,
                plan=plan_for(it, _named(it, weights), edit_for(it.text) or ""),
            )
            for it in chosen
        ]
    )


def _named(block: Block, weights: dict[str, float]) -> str:
    """What the study names, if the block has to do with it."""
    bare = relevance(block, {})
    fitting = (name for name in weights if relevance(block, {name: 1.0}) > bare)
    return next(fitting, "")


def blocks_of(source: str) -> Iterator[Block]:
    """Every block, in the order of the script, each an exact part of it."""
    marks = list(MARKER.finditer(source))
    if marks:
        ends = [mark.start() for mark in marks[1:]] + [len(source)]
        for mark, end in zip(marks, ends, strict=True):
            text = source[mark.start() : end].rstrip()
            yield Block(mark["name"], text, _works(text))
        return
    try:
        tree = parsed(source)
    except UNPARSABLE:
        for text in re.split(r"\n[ \t]*\n", source)[:MOST_BLOCKS]:
            if text.strip():
                yield Block(text.strip().splitlines()[0][:60], text.strip("\n"))
        return
    yield from _paragraphs(tree.body, source.splitlines(keepends=True))


def _paragraphs(body: Sequence[ast.stmt], lines: list[str]) -> Iterator[Block]:
    """Runs of statements without an empty line between them; long bodies are looked into."""
    run: list[ast.stmt] = []
    for statement in body:
        inner = getattr(statement, "body", [])
        if run and (_gap(run[-1], statement, lines) or len(inner) > LONGEST_BODY):
            yield _block(run, lines)
            run = []
        if len(inner) > LONGEST_BODY:
            yield from _paragraphs(inner, lines)
        else:
            run.append(statement)
    if run:
        yield _block(run, lines)


def _first(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(it.lineno for it in decorators)])


def _gap(before: ast.stmt, after: ast.stmt, lines: list[str]) -> bool:
    between = lines[before.end_lineno or before.lineno : _first(after) - 1]
    return any(not line.strip() for line in between)


def _block(run: list[ast.stmt], lines: list[str]) -> Block:
    text = "".join(lines[_first(run[0]) - 1 : run[-1].end_lineno]).rstrip("\n")
    names = [getattr(it, "name", "") for it in run]
    name = next(filter(None, names), "") or text.strip().splitlines()[0][:60]
    silent = (ast.Import, ast.ImportFrom, ast.Pass)
    return Block(name, text, not all(isinstance(it, silent) or _is_words(it) for it in run))


def _is_words(statement: ast.stmt) -> bool:
    """A docstring, or nothing but printing."""
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    printing = isinstance(value, ast.Call) and getattr(value.func, "id", "") == "print"
    return isinstance(value, ast.Constant) or printing


@lru_cache(maxsize=MOST_BLOCKS)
def _works(text: str) -> bool:
    try:
        body = glanced_at(text).body
    except UNPARSABLE:
        return True
    silent = (ast.Import, ast.ImportFrom, ast.Pass)
    return not all(isinstance(it, silent) or _is_words(it) for it in body)


def component_weights(summary: str) -> dict[str, float]:
    """What the summary names as important, by how important it makes it sound."""
    weights: dict[str, float] = {}
    summary = summary[:LONGEST_SUMMARY]
    named = MOST.search(summary)
    if named:
        weights[named["name"].strip()] = 4.0
    for number, found in enumerate(islice(LISTED.finditer(summary), MOST_NAMES)):
        weights.setdefault(found["name"].strip(), 2.0 / (1 + number))
    if weights:
        return weights
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", summary)[:MOST_BLOCKS]:
        strength = 3.0 if STRONG.search(sentence) else 1.0
        strength = 0.1 if WEAK.search(sentence) else strength
        for term in re.findall(r"`([^`]+)`|\b([A-Za-z_]\w*(?:[A-Z_]\w*)|[A-Za-z]{4,})\b", sentence):
            word = term[0] or term[1]
            if set(_words(word)) - COMMON:
                weights[word] = max(weights.get(word, 0.0), strength)
    return dict(sorted(weights.items(), key=lambda it: -it[1])[:MOST_NAMES])


def relevance(block: Block, weights: dict[str, float]) -> float:
    """How much of what matters a block holds; long blocks hold much by chance."""
    text, own = _said(block)
    total = 0.0
    for name, weight in weights.items():
        wanted = [it for it in _words(name) if it not in COMMON]
        if not wanted:
            continue
        whole = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
        # Stems, so that `imputation` finds the imputer.
        shared = sum(any(it[:5] == word[:5] for it in own) for word in wanted) / len(wanted)
        total += weight * (1.5 if whole else shared**2)
    working = 0.2 if category_of(block.text) is not Category.other else 0.0
    return (total + working) / (1.0 + len(own) / 400)


@lru_cache(maxsize=MOST_BLOCKS)
def _said(block: Block) -> tuple[str, frozenset[str]]:
    """What a block says in code, and its words; scripts of one search share most blocks."""
    text = f"{block.name}\n{SPOKEN.sub('', block.text)}"
    return text, frozenset(_words(text))


def _words(text: str) -> list[str]:
    return [it.lower() for it in WORD.findall(text) if len(it) > 1]


@lru_cache(maxsize=MOST_BLOCKS)
def category_of(text: str) -> CodeBlockCategory:
    """What a block is for, by the names in it."""
    counts = [(len(pattern.findall(text)), kind) for kind, pattern in HINTS]
    most = max(counts, key=lambda it: it[0])
    return most[1] if most[0] else Category.other


def plan_for(block: Block, named: str, edit: str = "") -> str:
    """Three to five sentences: what to do, why with this block, what to leave alone; the general
    advice for blocks of its kind, if there is no `edit`."""
    kind = category_of(block.text)
    about = kind.value.replace("_", " ")
    reason = f"The ablation study points at {named}. " if named else ""
    if edit:
        return f"{edit} {reason}The block `{block.name}` is about {about}. {SPARE}"
    return (
        f"{reason}Refine the block `{block.name}`, which is about {about}. {ADVICE[kind]} {SPARE}"
    )
