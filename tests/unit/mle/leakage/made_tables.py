"""Tables for a script that brings none: from the file names and columns that its source mentions.

What a column holds is guessed from how it is used. A run that fails tells what was guessed wrong
(a column that is missing, words where numbers were wanted), and the tables are made again.
"""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

ROWS, MANY_ROWS = 240, 8_000
MOST_GAPS = 2
FILE = re.compile(r"[\w./-]+\.(csv|tsv|parquet|txt)$")
CLASSES = re.compile(
    r"Classif|Logistic|SVC|accuracy|roc_auc|f1_score|log_loss|NB\(|binary|Stratified"
)
GAPS = re.compile(r"fillna|Imputer|dropna|isna|isnull|nanm")
TEXTS = ("text", "review", "message", "body", "comment", "title", "description")
GROUPS = ("patient", "user", "customer", "person", "store", "shop", "card", "machine")
WORDS = ("red", "blue", "green", "warm", "cold", "good", "bad", "late", "early", "north", "south")
COLUMN_METHODS = ("drop", "groupby", "pop", "sort_values", "merge", "set_index", "get")
COLUMN_KEYWORDS = ("columns", "cols", "subset", "on", "by", "parse_dates", "usecols")
TARGETS = (
    r"\b(?:y|target|goal|labels?|truth)\w*\s*=\s*\w+\.pop\([\"'](\w+)",
    r"\.pop\([\"'](\w+)",
    r"\b(?:y|target|goal|labels?|truth)\s*=\s*(?:np\.\w+\()?\w+\[[\"'](\w+)[\"']\]",
    r",\s*\w+\[[\"'](\w+)[\"']\](?:,|\))",
    r"drop\((?:columns=)?\[?[\"'](\w+)",
)
MISSING = (
    r"KeyError: [\"'\[]*(\w+)[\"'\]]",
    r"\['(\w+)'(?:, '\w+')*\] do not exist",
    r"\['(\w+)'(?:, '\w+')*\] not ",
    r"Missing column provided to 'parse_dates': '(\w+)",
    r"\"?\[?'(\w+)'\]? not (?:in|found)",
    r"has no attribute '(\w+)'",
)
WRONG_TYPE = re.compile(
    r"could not convert string|dtype|invalid literal|unsupported operand|must be int, float"
)


@dataclass
class Guess:
    """What is known about a script's data."""

    source: str
    extra: list[str] = field(default_factory=list)
    plain: bool = False
    """Only numbers: a run complained about words."""
    classes: bool = False
    """Whole numbers to predict: a run complained about others."""
    wordy: bool = False
    """Sentences: a run complained about numbers."""
    gaps: int = -1
    """Missing cells in one column only, or in none, after as many complaints about them."""
    predicted: str = ""
    """The target, where the first guess was wrong."""
    rows: int = ROWS
    """More, where a script takes a fixed number of them."""

    def files(self) -> list[str]:
        texts = [
            node.value
            for node in ast.walk(ast.parse(self.source))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        return [it for it in dict.fromkeys(texts) if FILE.fullmatch(it) and "subm" not in it]

    def columns(self) -> list[str]:
        found: dict[str, None] = {}
        for node in ast.walk(ast.parse(self.source)):
            found |= dict.fromkeys(_column_texts(node))
        made = _assigned(self.source)
        return [name for name in [*found, *self.extra] if name not in made and name != "fold"]

    def target(self) -> str:
        if self.predicted:
            return self.predicted
        made = _assigned(self.source)
        for pattern in TARGETS:
            for found in re.findall(pattern, self.source):
                if found not in made:
                    return str(found)
        return "target"

    def says(self, pattern: str, column: str) -> bool:
        """Whether the source holds the pattern; `COL` in it stands for the quoted column."""
        return bool(re.search(pattern.replace("COL", f"[\"']{column}[\"']"), self.source))


def _column_texts(node: ast.AST) -> list[str]:
    """Texts where names of columns stand: subscripts, lists, arguments of the usual methods."""
    places: list[ast.AST] = []
    if isinstance(node, ast.Subscript):
        places = [node.slice]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        every = node.func.attr in COLUMN_METHODS
        places = list(node.args) if every else []
        places += [it.value for it in node.keywords if every or it.arg in COLUMN_KEYWORDS]
    elif isinstance(node, (ast.Assign, ast.For)):
        value = node.value if isinstance(node, ast.Assign) else node.iter
        places = [value] if isinstance(value, (ast.List, ast.Tuple)) else []
    elif isinstance(node, ast.Tuple) and len(node.elts) == 3:
        places = [it for it in node.elts if isinstance(it, ast.List)]
    found: list[str] = []
    for place in places:
        inner = place.elts if isinstance(place, (ast.List, ast.Tuple)) else [place]
        found += [str(it.value) for it in inner if isinstance(it, ast.Constant)]
    return [text for text in found if text.isidentifier() and len(text) < 40]


def _assigned(source: str) -> set[str]:
    """Columns that the script makes itself: stored, and not read before."""
    made: set[str] = set()
    read: set[str] = set()
    for line in source.splitlines():
        match = re.match(r"\s*\w+\[[\"'](\w+)[\"']\]\s*=(?!=)(.*)", line)
        others = set(re.findall(r"\[[\"'](\w+)[\"']\]", match.group(2) if match else line))
        read |= others - made
        if match and match.group(1) not in read:
            made.add(match.group(1))
    return made


def make_tables(guess: Guess, folder: Path) -> None:
    """Write every file that the script mentions."""
    bare = bool(re.search(r"(loadtxt|genfromtxt)\(", guess.source)) and "skip" not in guess.source
    for at, name in enumerate(guess.files() or ["train.csv"]):
        place = folder / Path(name).name
        frame = _frame(guess, name, at)
        if name.endswith(".parquet"):
            frame.to_parquet(place)
        else:
            mark = "\t" if name.endswith(".tsv") else ","
            frame.to_csv(place, index=False, sep=mark, header=not bare)


def _frame(guess: Guess, name: str, number: int) -> pd.DataFrame:
    rows = guess.rows
    dice = np.random.default_rng(number)
    stem = Path(name).stem
    if "fold" in stem:
        first = -1 if ">= 0" in guess.source else 0
        return pd.DataFrame({"fold": first + np.arange(rows) * (5 - first) // rows})
    target = guess.target()
    hidden = dice.normal(size=rows)
    frame = pd.DataFrame({f"f{at}": (hidden + dice.normal(size=rows)).round(4) for at in range(4)})
    for column in guess.columns():
        if column != target:
            frame[column] = _column(guess, column, dice, hidden)
    if "test" not in stem or "train" in stem:
        noise = dice.normal(size=rows)
        classes = bool(CLASSES.search(guess.source))
        frame[target] = (
            (hidden + 0.3 * noise > 0).astype(int)
            if classes
            else (5 * hidden + noise + 50).round(3)
        )
    _make_gaps(guess, frame, target, dice)
    return frame


def _make_gaps(guess: Guess, frame: pd.DataFrame, target: str, dice: np.random.Generator) -> None:
    """Missing cells, where the script does something about them."""
    lines = [line for line in guess.source.splitlines() if GAPS.search(line)]
    numeric = [name for name in frame.columns if name != target and frame[name].dtype.kind == "f"]
    named = [
        name for name in numeric if any(re.search(rf"[\"']{name}[\"']", line) for line in lines)
    ]
    chosen = named or numeric
    if guess.gaps >= 0:
        mentioned = [name for name in guess.columns() if name in numeric]
        chosen = mentioned[guess.gaps : guess.gaps + 1] if guess.gaps <= MOST_GAPS else []
    for name in chosen if lines else ():
        frame.loc[dice.random(len(frame)) < 0.15, name] = np.nan


def _column(guess: Guess, name: str, dice: np.random.Generator, hidden: NDArray[np.float64]) -> Any:
    rows = guess.rows
    days = pd.date_range("2019-01-01", periods=rows).strftime("%Y-%m-%d")
    if guess.says(r"to_datetime\([^)]*COL|parse_dates=\[[^\]]*COL|COL\]\.dt", name):
        return days
    dated = re.search(rf"[\"']{name}[\"']\]\s*[<>]=?\s*[\"'](\d{{4}}-\d\d)", guess.source)
    if dated:
        first = pd.Timestamp(f"{dated.group(1)}-01") - pd.Timedelta(days=180)
        return pd.date_range(first, periods=rows).strftime("%Y-%m-%d")
    if name == "year":
        return 2014 + np.arange(rows) * 12 // rows
    if name == "id":
        return np.arange(rows)
    values = re.findall(rf"[\"']{name}[\"']\]\s*[=!]=\s*[\"'](\w+)[\"']", guess.source)
    if values:
        return dice.choice([*values, "other"], rows)
    if guess.wordy or name in TEXTS or guess.says(r"COL\]\.str\.", name):
        return [" ".join(dice.choice(WORDS, 6)) for _ in range(rows)]
    if name in GROUPS or guess.says(r"groupby\(\[?COL|columns=\[[^\]]*COL|COL\]\.map\(", name):
        return dice.choice(np.arange(12) if guess.plain else np.array(list("abcdefgh")), rows)
    coded = r"Encoder[^\n]*COL|for \w+ in \[[^\]]*COL[^\]]*\]:\n[^\n]*Encoder"
    if guess.says(coded, name) and not guess.plain:
        return dice.choice(np.array(list("abcd")), rows)
    bound = re.search(rf"[\"']{name}[\"']\]\s*[<>]=?\s*(\d+\.?\d*)", guess.source)
    middle = float(bound.group(1)) if bound else 10.0
    return (middle + 2 * hidden + 2 * dice.normal(size=rows)).round(3)


def mended(guess: Guess, complaint: str) -> bool:
    """Learn from a failure; False if it teaches nothing."""
    return _taught(guess, complaint) or _column_taught(guess, complaint)


def _column_taught(guess: Guess, complaint: str) -> bool:
    for pattern in MISSING:
        missing = re.search(pattern, complaint)
        if missing and missing.group(1) not in guess.extra:
            guess.extra.append(missing.group(1))
            return True
    return False


def _taught(guess: Guess, complaint: str) -> bool:
    if "continuous" in complaint and not guess.classes:
        guess.classes = True
        return True
    if "continuous" in complaint and not guess.predicted and guess.columns():
        guess.predicted = guess.columns()[-1]
        return True
    if "NaN" in complaint and guess.gaps <= MOST_GAPS:
        guess.gaps += 1
        return True
    if "'lower'" in complaint and not guess.wordy:
        guess.wordy = True
        return True
    if "0 sample" in complaint and guess.rows == ROWS:
        guess.rows = MANY_ROWS
        return True
    if WRONG_TYPE.search(complaint) and not guess.plain:
        guess.plain = True
        return True
    return False
