"""Reads what an ablation study printed: names and scores in whatever form somebody chose.

Understood are `name: score` pairs (several on a line too), dictionaries, tables with bars or
aligned columns, scores under headings, standard errors after `±` or in a column, folds and seeds
as repetitions, and effects that were printed instead of scores.
"""

import math
import re
import statistics
from dataclasses import dataclass, field

MOST_LINES = 3_000
LONGEST_LINE = 1_000
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*[A-Za-z_])"
METRIC = (
    r"(?:roc[-_ ]?auc|auc|accuracy|acc|balanced accuracy|rmsle|rmse|mse|mae|mape|log[-_ ]?loss|loss"
    r"|r2|r²|f1|precision|recall|kappa|map|score|performance|metric|error|value|result)"
)
SPREAD = (
    rf"(?:\s*(?:±|\+/-|\+-)\s*(?P<error>{NUMBER})"
    rf"|\s*\(\s*(?:±|\+/-|std|sd|se|s\.e\.|stderr)[^\d\n()]{{0,12}}(?P<error2>{NUMBER})\s*\))?"
)
VALUE = re.compile(
    r"(?::|=+>?|->|→)\s*"
    rf"(?:(?:(?:final|validation|val|cv|mean|oof)\s+)*{METRIC}\s*[=:]?\s*)?(?P<score>{NUMBER}){SPREAD}",
    re.IGNORECASE,
)
"""A separator and what follows it; the name is what stands before."""
DECIMAL = re.compile(r"[-+]?\d*\.\d+(?:[eE][-+]?\d+)?")
NUMBERS = re.compile(rf"{NUMBER}(?: {NUMBER})*")
LONGEST_NAME = 120
LOGGED = re.compile(r"^[\d\s:.,/T-]*\[?(?:INFO|DEBUG|WARNING|WARN)\]?[\s:>-]*", re.IGNORECASE)
INSIDE = re.compile(r"\([^()\n]*\)")
METRIC_WORDS = re.compile(
    rf"^(?:(?:final|validation|valid|val|cv|mean|average|avg|test|oof|out-of-fold|the|hold-?out)\s+)*"
    rf"{METRIC}s?$",
    re.IGNORECASE,
)
LEADING = re.compile(
    rf"^(?:(?:final|validation|val|cv|mean|oof)\s+)*{METRIC}\s+(?:(?:of|for|with|from|when)\b\s*)?",
    re.IGNORECASE,
)
TRAILING = re.compile(
    rf"[\s,/–-]+(?:(?:final|validation|val|cv|mean|oof)\s+)*{METRIC}$", re.IGNORECASE
)
ORDINAL = re.compile(
    r"^(?:ablation|variant|variation|experiment|study|setting|case|model|run|exp)?\s*"
    r"#?\d+\s*[.:)–-]+\s*|^(?:ablation|variant|variation|experiment)\s*[:–-]\s*",
    re.IGNORECASE,
)
BASELINE = re.compile(
    r"\b(?:baseline|original|unchanged|control|reference|no ablation|nothing removed|full|complete"
    r"|all (?:features|components|steps)|base (?:model|script|solution)|base)\b",
    re.IGNORECASE,
)
REPEATED = re.compile(
    r"[\s,_(–-]*\b(?:fold|split|seed|repeat|run)\s*[#+=:]?\s*\d+\)?\s*$", re.IGNORECASE
)
NO_SCORE = re.compile(
    r"^(?:.*\b(?:time|seconds|elapsed|duration|epochs?|iterations?|seeds?|rows|samples|shape|columns"
    r"|features used|n_\w+|trees|threads|standard deviation|noise|largest effect|left out"
    r"|p-value|threshold|most \w+|biggest|biggest \w+)\b.*|fold \d+|random_state|\d+)$",
    re.IGNORECASE,
)
EFFECT = re.compile(
    r"^(?:(?:the )?(?:impact|effect|contribution|importance|drop|delta|Δ|difference|change)"
    r"(?: of| from| for| without| in| by)?|(?:removing|disabling|without))\s+(?P<what>.+)$"
    r"|^(?P<what2>.+?)\s+(?:impact|effect|contribution|importance|drop|delta|difference)$",
    re.IGNORECASE,
)
NOISE = re.compile(rf"\bnoise\b[^\n:]*[:=]\s*(?P<spread>{NUMBER})", re.IGNORECASE)
LEAVING = re.compile(
    r"^(?:with(?:out| no)|w/o|no|not using|remov(?:e|ed|ing)|dropp?(?:ed|ing)?|disabl(?:e|ed|ing)"
    r"|minus|excluding|exclude|skip(?:ped|ping)?|replac(?:e|ed|ing)|less)[\s_-]+(?:the\s+)?",
    re.IGNORECASE,
)
LEFT = re.compile(r"[\s_-]+(?:removed|off|disabled|dropped|excluded|skipped)$", re.IGNORECASE)
ERROR_HEADING = re.compile(
    r"(?:^|[\W_])(?:std|sd|se|s\.e\.|stderr|err)(?:$|[\W_])|±|standard", re.IGNORECASE
)
SCORE_HEADING = re.compile(rf"{METRIC}|mean|cv", re.IGNORECASE)


@dataclass
class Study:
    """What was measured: scores by name, in the order printed."""

    scores: dict[str, float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    """Standard errors, where they were printed or follow from repetitions."""
    effects: dict[str, float] = field(default_factory=dict)
    """Differences that were printed as such."""
    noise: float | None = None
    """Standard deviation between runs that differ in nothing but chance."""

    @property
    def baseline(self) -> str | None:
        named = [name for name in self.scores if BASELINE.search(name)]
        # Of several, the plainest: `Baseline` rather than `Baseline, seed +1`.
        return min(named, key=len, default=next(iter(self.scores), None))


def read_study(printed: str) -> Study:
    """Everything in the output that looks like a result."""
    found: list[tuple[str, float, float | None]] = []
    study = Study()
    heading = ""
    header: list[str] = []
    for raw in printed.splitlines()[:MOST_LINES]:
        line = LOGGED.sub("", raw[:LONGEST_LINE].rstrip())
        noise = NOISE.search(line)
        if noise:
            study.noise = abs(float(noise["spread"]))
            continue
        cells = _cells(line)
        rows = _of_table(cells, header) if cells else _of_text(line, heading, header)
        if rows:
            found += rows
        elif cells:
            header = cells
        elif not any(letter.isdigit() for letter in line) or re.search(r"={2,}|-{2,}|#", line):
            heading = line.strip(" =-#*:>[]") or heading
            header = line.split() if len(re.split(r"\s{2,}|\t", line.strip())) > 1 else header
    _enter(found, study)
    return study


def _cells(line: str) -> list[str]:
    """The cells of a table row; none if the line is not one."""
    if line.count("|") + line.count("│") < 2:
        return []
    cells = [cell.strip(" *`") for cell in re.split(r"[|│]", line.strip().strip("|│"))]
    return [] if all(set(cell) <= set("-:=+ ") for cell in cells) else cells


def _of_table(cells: list[str], header: list[str]) -> list[tuple[str, float, float | None]]:
    numbers = {n: _number(cell) for n, cell in enumerate(cells)}
    known = {n: number for n, number in numbers.items() if number is not None}
    names = [n for n, cell in enumerate(cells) if n not in known and re.search("[A-Za-z]", cell)]
    if not known or not names:
        return []
    columns = header if len(header) == len(cells) else []
    error = next((n for n in known if columns and ERROR_HEADING.search(columns[n])), None)
    scores = [n for n in known if n != error and n > names[0]] or [n for n in known if n != error]
    named = [n for n in scores if columns and SCORE_HEADING.search(columns[n])]
    if not scores:
        return []
    cell = cells[(named or scores)[0]]
    inner = re.search(rf"(?:±|\+/-)\s*({NUMBER})", cell)
    spread = float(inner[1]) if inner else known.get(error) if error is not None else None
    return [(cells[names[0]], known[(named or scores)[0]], spread)]


def _number(cell: str) -> float | None:
    found = re.fullmatch(rf"({NUMBER})(\s*%)?(?:\s*(?:±|\+/-).*)?", cell)
    return float(found[1]) if found else None


def _of_text(line: str, heading: str, header: list[str]) -> list[tuple[str, float, float | None]]:
    aligned = _aligned(line, header)
    if aligned is not None:
        return [aligned]
    rows: list[tuple[str, float, float | None]] = []
    line = INSIDE.sub(_muted, line)
    unnumbered = ORDINAL.sub("", line.strip())
    line = unnumbered if VALUE.search(unnumbered) else line
    end = 0
    for value in VALUE.finditer(line):
        name = line[end : value.start()][-LONGEST_NAME:].translate(SPOKEN)
        end = value.end()
        name = re.sub(r"^(?:and|then|vs\.?|while)\s+", "", name.strip(EDGES))
        error = value["error"] or value["error2"]
        if METRIC_WORDS.match(name) and heading:
            name = heading
        if re.search("[A-Za-z]", name):
            rows.append((name, float(value["score"]), abs(float(error)) if error else None))
    name, _, last = line.strip().rpartition(" ")
    if not rows and re.match("[A-Za-z]", name) and DECIMAL.fullmatch(last):
        return [(name[-LONGEST_NAME:], float(last), None)]
    return rows


def _aligned(line: str, header: list[str]) -> tuple[str, float, float | None] | None:
    """A row of a table whose columns stand apart by space: a name, then numbers."""
    parts = re.split(r"\s{2,}|\t", line.strip())
    if parts[0].isdigit():
        parts = parts[1:]
    numbers: list[float] = []
    while len(parts) > 1 and NUMBERS.fullmatch(parts[-1]):
        numbers = [float(it) for it in parts.pop().split()] + numbers
    name = " ".join(parts)[:LONGEST_NAME]
    if not numbers or not name or name[-1] in ":=" or NUMBERS.fullmatch(name):
        return None
    columns = header[-len(numbers) :] if len(header) > len(numbers) else []
    place = next((n for n, it in enumerate(columns) if ERROR_HEADING.search(it)), None)
    return name, numbers[0], numbers[place] if place else None


EDGES = " \t,;.{}[]'\"*`-–>#"
MUTED = str.maketrans(":=", "\ue000\ue001")
SPOKEN = str.maketrans("\ue000\ue001", ":=")


def _muted(brackets: re.Match[str]) -> str:
    """`(n=10)` says something about a name; it is no result of its own."""
    text = brackets[0]
    if len(re.findall(rf"[:=]\s*{NUMBER}", text)) > 1:
        return text
    return text.translate(MUTED)


def _enter(found: list[tuple[str, float, float | None]], study: Study) -> None:
    """Sort what was found into scores and effects; repetitions become means and errors."""
    repeated: dict[str, list[float]] = {}
    for raw, score, error in found:
        name = tidy(raw)
        if not name or not math.isfinite(score):
            continue
        fold = REPEATED.sub("", name).strip()
        if fold != name and "fold" in name.lower():
            if fold:
                repeated.setdefault(fold, []).append(score)
            continue
        if NO_SCORE.match(name) and not _about_a_part(name):
            continue
        effect = EFFECT.match(name)
        if effect and not BASELINE.search(name) and not LEAVING.match(name):
            study.effects[tidy(effect["what"] or effect["what2"])] = score
            continue
        study.scores[name] = score
        if error is not None:
            study.errors[name] = error
    for name, values in repeated.items():
        if name not in study.scores:
            study.scores[name] = statistics.fmean(values)
        if len(values) > 1 and name not in study.errors:
            study.errors[name] = statistics.stdev(values) / math.sqrt(len(values))


def _about_a_part(name: str) -> bool:
    """`without time features` is a variation, `time` is not."""
    return bool(LEAVING.match(name) or LEFT.search(name) or BASELINE.search(name))


def tidy(name: str) -> str:
    """A name without numbering and without the name of the metric."""
    name = ORDINAL.sub("", name.strip(" *`'\"-–>#[]"))
    inner = re.fullmatch(rf"(?:{METRIC})\s*\((?P<inner>[^()]+)\)", name, re.IGNORECASE)
    name = inner["inner"] if inner else name
    for pattern in (LEADING, TRAILING):
        shorter = pattern.sub("", name)
        name = shorter if re.search("[A-Za-z]", shorter) else name
    return name.strip(" ,;:*`'\"-–")


def component(name: str) -> str:
    """What a variation took out: `OneHotEncoder` of `No OneHotEncoder`."""
    bare = LEFT.sub("", LEAVING.sub("", name)).strip(" '\"`")
    inner = re.fullmatch(r"\((.+)\)", bare)
    return (inner[1] if inner else bare) or name
