"""Metrics as people speak of them: in short, in full, and in sentences about the evaluation."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from proveout.apps.mle.tables.metrics import METRICS
from proveout.apps.mle.tables.wording import CLASS, PARAPHRASES

_F1 = r"f[- ]?1([- _]?(score|measure))?s?"
_EACH_F1 = rf"{_F1} (\w+ ){{0,2}}(each|every|per)[- ]{CLASS}"
_CLASSES = (
    rf"((each|every|all|both)( the| of the)?( \w+)? {CLASS}"
    r"|(the )?(\w+ )?(classes|kinds|categories|groups|labels|species|statuses|types|outcomes))"
)
_RMSE = (
    r"(root[- ]?mean[- ]?squared?[- ]?(error|deviation)( *\(rmse\))?|rmse"
    r"|(root|sqrt)( of)?( the)? ?\(?mean[- ]squared?[- ]error"
    r"|mean[- ]squared?[- ]error('s (square )?root| ?\([^)]*squared ?= ?false))"
)
_LOG = r"(natural )?log(arithm\w*|s|1p|[- ](scale|transformed|price\w*|value\w*|target\w*))?"
_ALIASES: tuple[tuple[str, str], ...] = (
    # More special phrases first: a phrase that is found is not searched for shorter ones.
    (r"(root[- ]?mean[- ]?squared?[- ]?log(arithmic|arithm)?[- ]?error|rmsle)", "rmsle"),
    (
        rf"{_RMSE} ((is|are) )?((computed|calculated|taken|measured) )?(between|of|on|in|over|after"
        rf"|after taking) (the )?{_LOG}(?![- ]?(loss|odds|free|lik))( of( the)?)?",
        "rmsle",
    ),
    (rf"({_RMSE}|rmsd|mc?rmse)", "rmse"),
    (r"(median[- ]absolute[- ](error|deviation)|medae)", "medae"),
    (r"(symmetric[- ](mape|(mean[- ])?(absolute[- ])?percent(age)?[- ]error)|smape)", "smape"),
    (
        r"(mean[- ]absolute[- ]percent(age)?[- ]error|mape|mean[- ]absolute[- ](error|deviation)"
        r"( \((mae|mad)\))?,? (expressed )?(as|in) (an? )?(percent(age)?|per cent|%) of)",
        "mape",
    ),
    (r"(mean[- ]absolute[- ](error|deviation)|mae|l1[- ]loss)", "mae"),
    (r"(mean[- ]squared?[- ]error|mse)", "mse"),
    (r"(quadratic\w*[^.;\0]{0,40}kappa|kappa[^.;\0]{0,40}quadratic\w*|qwk)", "qwk"),
    (r"(linear\w*[- ])?weighted[- ]kappa", ""),
    (r"(cohen'?s?[- ]kappa|kappa)", "kappa"),
    (r"(matthew'?s?'?[- ]correlation([- ]coefficient)?|mcc|phi[- ]coefficient)", "mcc"),
    (
        r"(area under (the )?(precision[- ]recall|pr)([- ]curve)?|average[- ]precision"
        r"|pr[- _]?auc|auc[- _]?pr|auprc|aucpr)",
        "ap",
    ),
    (
        r"(area under (the )?((roc|receiver[- ]operating([- ]characteristics?)?)([- ]curve)?|curve)"
        r"|roc[- _]?auc([- _]score)?|auc[- _]?roc|auroc|auc|gini)",
        "auc",
    ),
    (
        r"(log(arithmic)?[- _]?loss|cross[- _]?entropy([- _]loss)?|negative log[- ]likelihood"
        r"|neg[- _]log[- _]loss|mlogloss)",
        "logloss",
    ),
    (r"brier([- _]score)?([- _]loss)?", "brier"),
    (
        r"(balanced[- _]accuracy([- _]score)?|mean[- ]recall|unweighted average recall)",
        "balanced_accuracy",
    ),
    (rf"{_EACH_F1}[^.;\0]{{0,60}}\bweight(ed|s)? (by|with|according)", "weighted_f1"),
    (
        rf"(macro\w*[^.;\0]{{0,20}}[- _]?{_F1}|{_F1}[^.;\0]{{0,60}}macro\w*"
        rf"|{_F1}[^.;\0]{{0,20}}(averaged?|mean) (over|across|of) (\w+ ){{0,2}}{CLASS}"
        rf"|{_EACH_F1}[^.;\0]{{0,60}}(averag\w*|mean)"
        rf"|(averages?|averaged|mean) [^.;\0]{{0,30}}{_F1} (of|for|over|across|in) {_CLASSES}"
        rf"|(averaged?|mean)[^.;\0]{{0,20}}(per[- ]class|class[- ]wise) {_F1})",
        "macro_f1",
    ),
    (rf"(micro\w*[^.;\0]{{0,20}}[- _]?{_F1}|{_F1}[^.;\0]{{0,40}}micro\w*)", "micro_f1"),
    (
        rf"(weighted[- _]?(averaged?)?[- _]?{_F1}|{_F1}[- _(,]*(averaged? )?weighted"
        rf"|{_F1} ?\([^)]*average ?= ?.weighted)",
        "weighted_f1",
    ),
    (rf"({_F1}|f-(score|measure))", "f1"),
    (r"(accuracy([- _]score)?|classification rate)", "accuracy"),
    (r"(r[- _^]?\{?(2|squared)\}?([- _]score)?|coefficient of determination)", "r2"),
)
_STRANGERS = (
    r"(weighted|partial)[- ](mean[- ]|root[- ]|categori\w+[- ])*(absolute|squared?|rmse|mae|mse"
    r"|log|auc|accuracy|mape|percent)\w*([- ](mean|squared?|error|percentage|loss))*",
    r"(relative|scaled|normali[sz]ed|maximum|max|median)[- ]((root|mean)[- ])*squared?[- ]error",
    r"(relative|scaled|normali[sz]ed|maximum|max)[- ](mean[- ])*absolute[- ]error",
    r"mean[- ]absolute[- ]scaled[- ]error|median[- ](absolute[- ])?percent\w*[- ]error|mdape",
    r"(root[- ])?(mean[- ])?squared?[- ]percent\w*[- ]error|rmspe|nrmse|nmae",
    r"(pinball|quantile|hamming|huber)[- ]loss",
    r"(poisson|gamma|tweedie)[- ]deviance",
    r"(mean[- ])?(average[- ])?(precision|recall|map|ndcg|hits?|accuracy)[- ]?(@|at)[- ]?(\d+|k)",
    r"top[- ]?(\d+|k)[- ](accuracy|error)",
    r"f[- ]?(beta|2|0\.5)[- ](score|measure)",
    r"(dice|jaccard)[- ](score|coefficient|index|similarity)",
    r"(spearman|pearson|kendall)('s)?[- ](rank[- ])?(correlation|rho|tau)",
    r"(concordance|c)[- ]index",
    r"crps|wape|wmape|mase|wrmsse|wrmse|wmae|ndcg",
)
"""Phrases for metrics that are not computed here, and that hold the names of some that are."""


@dataclass(frozen=True)
class Mention:
    """A metric, where a sentence speaks of it; one that is not known is called as there."""

    name: str
    start: int
    end: int


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9])({pattern})(e?s)?(?![a-z0-9])")


_OTHERS = tuple((_whole(pattern), "") for pattern in _STRANGERS)
_NAMES = (*_OTHERS, *((_whole(pattern), name) for pattern, name in _ALIASES))
# A formula may begin with a bar and end with a bracket.
_WORDS = (*_OTHERS, *((re.compile(pattern), name) for pattern, name in PARAPHRASES))
_VARIETIES = (("macro_f1", "f1"), ("micro_f1", "f1"), ("weighted_f1", "f1"), ("qwk", "kappa"))
"""Who explains a variety speaks of the general thing, too."""


def plain(text: str) -> str:
    """Small letters on one line; one kind of dash, apostrophe, digit; no emphasis, no modules."""
    even = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    even = re.sub(r"[\u2010-\u2015\u2212]", "-", even)
    even = re.sub(r"\*\*(?! ?[0-9])|`|\b(np|numpy|math)\.", "", even)
    return re.sub(r"\s+", " ", even)


def named(text: str) -> list[Mention]:
    """Names of metrics in a plain text, in its order."""
    return _found(text.replace("_", " "), _NAMES)


def worded(text: str) -> list[Mention]:
    """Metrics that a plain text tells by what is computed, in its order."""
    return _found(text, _WORDS)


def _found(left: str, patterns: Iterable[tuple[re.Pattern[str], str]]) -> list[Mention]:
    found: list[Mention] = []
    for pattern, name in patterns:
        found += [Mention(name or hit[0], *hit.span()) for hit in pattern.finditer(left)]
        # A phrase that is found is not searched for shorter ones.
        left = pattern.sub(lambda hit: "\0" * len(hit[0]), left)
    return sorted(found, key=lambda it: it.start)


def without_general(names: Iterable[str]) -> list[str]:
    """Each name once, in order; the general one is left out where its variety is among them."""
    once = list(dict.fromkeys(names))
    general = {of for special, of in _VARIETIES if special in once}
    return [name for name in once if name not in general]


def spoken_of(text: str) -> list[str]:
    """Metrics that a text names, and what it calls those that are not known."""
    return without_general(it.name for it in named(plain(text)))


def standing(name: str) -> str:
    """The name in `METRICS` of what is called so, in short or in prose; empty if there is none."""
    short = re.sub(r"[\s-]+", "_", name.strip().lower())
    if short in METRICS:
        return short
    said = without_general(it.name for it in named(plain(name)) or worded(plain(name)))
    return next((it for it in said if it in METRICS), "")
