"""Summarises an ablation study in plain text: what mattered most, what least, what is noise."""

import math
import re
import statistics
from typing import Literal, NamedTuple

from proveout.apps.mle.experts.studies import BASELINE, Study, component, read_study

SURE = 2.0
"""Standard errors beyond which a difference is taken for one."""
MOST_SHOWN = 12
SMALLER = re.compile(
    r"rmsle|rmse|mse|mae|mape|log[-_ ]?loss|\bloss\b|squared_error|absolute_error", re.I
)
LARGER = re.compile(r"auc|accuracy|\bf1|r2_score|\br2\b|precision|recall|kappa|\bmap@", re.I)
Direction = Literal["maximize", "minimize"]


class Effect(NamedTuple):
    """What one variation did to the score."""

    component: str
    score: float | None
    change: float
    """Of the score, against the baseline."""
    error: float | None
    """Standard error of the change; None where nothing tells."""

    @property
    def within_noise(self) -> bool:
        return self.error is not None and abs(self.change) <= SURE * self.error


def summarise(ablation_code: str, raw_result: str, direction: Direction | None = None) -> str:
    """The summary. Without a direction it is guessed from the metric's name, or left open."""
    if not raw_result.strip():
        return "The ablation study printed nothing, so that no component can be ranked."
    study = read_study(raw_result)
    effects = effects_of(study)
    if not effects:
        end = raw_result.strip()[-300:]
        return f"The ablation study printed no scores that could be compared. It ended with: {end}"
    way = direction or _guessed(ablation_code, raw_result)
    ranked = sorted(effects, key=lambda it: -abs(it.change))
    lines = [_opening(study, way), _most(ranked, way), _least(ranked)]
    lines += _warnings(ranked, way)
    lines.append("Variations, largest effect first:")
    lines += [f"- {_line(it)}" for it in ranked[:MOST_SHOWN]]
    return "\n".join(line for line in lines if line)


def effects_of(study: Study) -> list[Effect]:
    """Every variation against the baseline; effects that were printed as such count as they are."""
    base = study.baseline
    if base is None or len(study.scores) < 2:
        return [Effect(component(it), None, -abs(v), None) for it, v in study.effects.items()]
    noise = _noise(study, base)
    found = []
    for name, score in study.scores.items():
        if name == base or (BASELINE.search(name) and name.startswith(base)):
            continue
        errors = [study.errors[it] for it in (base, name) if it in study.errors]
        error = math.hypot(*errors) if errors else noise
        found.append(Effect(component(name), score, score - study.scores[base], error))
    return found


def _noise(study: Study, base: str) -> float | None:
    """Of a difference: both sides vary by chance."""
    controls = [score for name, score in study.scores.items() if name.startswith(base)]
    spread = study.noise
    if spread is None and len(controls) > 1:
        spread = statistics.stdev(controls)
    return None if spread is None else spread * math.sqrt(2)


def _guessed(code: str, printed: str) -> Direction | None:
    """By the metric that is named; None where none or both kinds are."""
    for text in (printed, code):
        small, large = bool(SMALLER.search(text)), bool(LARGER.search(text))
        if small != large:
            return "minimize" if small else "maximize"
    return None


def _opening(study: Study, way: Direction | None) -> str:
    base = study.baseline
    if base is None or len(study.scores) < 2:
        return "Ablation study; effects are as it printed them."
    better = {"maximize": "higher is better", "minimize": "lower is better", None: ""}[way]
    unknown = "whether higher or lower is better is not known, so effects are sizes only"
    return f"Ablation study; baseline {study.scores[base]:.6g} ({better or unknown})."


def _most(ranked: list[Effect], way: Direction | None) -> str:
    most = ranked[0]
    if not most.change:
        return "No variation changed the score at all: no component can be ranked by impact."
    text = f"Most impactful component: {most.component} ({_change(most)})."
    worse = most.change < 0 if way == "maximize" else most.change > 0
    if way is None:
        return text
    if worse:
        return f"{text} The score is worse without it."
    return f"{text} The score is better without it: as it stands it does harm."


def _least(ranked: list[Effect]) -> str:
    if len(ranked) < 2:
        return ""
    least = ranked[-1]
    return f"Least impactful component: {least.component} ({_change(least)})."


def _warnings(ranked: list[Effect], way: Direction | None) -> list[str]:
    del way
    found = []
    if all(it.error is None for it in ranked):
        found.append("Nothing tells how much of these differences is chance.")
    elif all(it.within_noise for it in ranked):
        found.append("All differences are within noise: the ranking is not reliable.")
    else:
        inside = [it.component for it in ranked if it.within_noise]
        if inside:
            found.append(f"Within noise: {', '.join(inside[:MOST_SHOWN])}.")
    same = [it.component for it in ranked if it.score is not None and not it.change]
    if same and ranked[0].change:
        found.append(
            f"Exactly the baseline's score: {', '.join(same[:MOST_SHOWN])}. "
            "Either it does not matter, or the variation did not take effect."
        )
    return found


def _change(effect: Effect) -> str:
    error = "" if effect.error is None else f", standard error {effect.error:.2g}"
    scored = "" if effect.score is None else f"score {effect.score:.6g}, "
    return f"{scored}change {effect.change:+.4g}{error}"


def _line(effect: Effect) -> str:
    return (
        f"{effect.component}: {_change(effect)}{' (within noise)' if effect.within_noise else ''}"
    )
