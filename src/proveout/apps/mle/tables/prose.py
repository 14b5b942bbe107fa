"""Metrics as people speak of them: in short, in full, and in sentences about the evaluation."""

import re
import unicodedata

from proveout.apps.mle.tables.metrics import METRICS

_F1 = r"f[- ]?1([- _]?(score|measure))?s?"
_RMSE = r"(root[- ]?mean[- ]?squared?[- ]?(error|deviation)( *\(rmse\))?|rmse)"
_LOG = r"(natural )?log(arithm\w*|s|1p|[- ](scale|transformed|price\w*|value\w*|target\w*))?"
_ALIASES: tuple[tuple[str, str], ...] = (
    # More special phrases first: a phrase that is found is not searched for shorter ones.
    (r"(root[- ]?mean[- ]?squared?[- ]?log(arithmic|arithm)?[- ]?error|rmsle)", "rmsle"),
    (rf"{_RMSE} (between|of|on|in|over) (the )?{_LOG}(?![- ]?loss)( of( the)?)?", "rmsle"),
    (rf"({_RMSE}|rmsd|mc?rmse)", "rmse"),
    (r"(median[- ]absolute[- ](error|deviation)|medae)", "medae"),
    (r"(symmetric[- ]mean[- ]absolute[- ]percent(age)?[- ]error|smape)", "smape"),
    (r"(mean[- ]absolute[- ]percent(age)?[- ]error|mape)", "mape"),
    (r"(mean[- ]absolute[- ](error|deviation)|absolute[- ]error|mae|l1[- ]loss)", "mae"),
    (r"(mean[- ]squared?[- ]error|squared[- ]error|mse)", "mse"),
    (r"(quadratic\w*[^.;\0]{0,40}kappa|kappa[^.;\0]{0,40}quadratic\w*|qwk)", "qwk"),
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
    (
        rf"(macro\w*[^.;\0]{{0,20}}[- _]?{_F1}|{_F1}[^.;\0]{{0,60}}macro\w*"
        rf"|{_F1}[^.;\0]{{0,20}}(averaged?|mean) (over|across|of) (all |the )*class"
        rf"|(averaged?|mean)[^.;\0]{{0,20}}(per[- ]class|class[- ]wise) {_F1})",
        "macro_f1",
    ),
    (rf"(micro\w*[^.;\0]{{0,20}}[- _]?{_F1}|{_F1}[^.;\0]{{0,40}}micro\w*)", "micro_f1"),
    (
        rf"(weighted[- _]?(averaged?)?[- _]?{_F1}|{_F1}[- _(,]*(averaged? )?weighted)",
        "weighted_f1",
    ),
    (rf"({_F1}|f-(score|measure))", "f1"),
    (
        r"(accuracy([- _]score)?|(share|percentage|proportion|fraction|number) of (\w+ )?"
        r"correct(ly)?( \w+)*|classification rate|hit rate)",
        "accuracy",
    ),
    (r"(r[- _]?(2|squared)([- _]score)?|coefficient of determination)", "r2"),
)
_STRANGERS = (
    r"(weighted|partial)[- ](mean[- ]|root[- ]|categori\w+[- ])*(absolute|squared?|rmse|mae|mse"
    r"|log|auc|accuracy|mape)\w*([- ](mean|squared?|error|percentage|loss))*",
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


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9])({pattern})(e?s)?(?![a-z0-9])")


_PATTERNS = tuple((_whole(pattern), name) for pattern, name in _ALIASES)
_OTHERS = tuple(_whole(pattern) for pattern in _STRANGERS)
_VARIETIES = (("macro_f1", "f1"), ("micro_f1", "f1"), ("weighted_f1", "f1"), ("qwk", "kappa"))
"""Who explains a variety speaks of the general thing, too."""
_ABOUT = re.compile(r"metric|evaluat|scor(e|ing)|measure|rank|judge|graded|criterion|objective")
_SENTENCE = re.compile(r"[.!?:]\s|\n\s*(?:\n|#|[-*] )")


def _plain(text: str) -> str:
    """Small letters; one kind of dash, apostrophe, digit."""
    even = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    return re.sub(r"[\u2010-\u2015\u2212]", "-", even)


def mentioned(text: str) -> list[str]:
    """Metrics that a text speaks of, by the place where each is first spoken of."""
    return [name for name in spoken_of(text) if name in METRICS]


def spoken_of(text: str) -> list[str]:
    """The same with metrics that are not known, as the text calls them."""
    left = _plain(text).replace("\n", " ")
    found: dict[str, int] = {}
    for pattern, name in (*((it, "") for it in _OTHERS), *_PATTERNS):
        for hit in pattern.finditer(left):
            called = name or hit[0]
            found[called] = min(found.get(called, hit.start()), hit.start())
        left = pattern.sub(lambda hit: "\0" * len(hit[0]), left)
    for special, general in _VARIETIES:
        if special in found:
            found.pop(general, None)
    return sorted(found, key=lambda name: found[name])


def about_evaluation(text: str) -> str:
    """The sentences that say how answers are judged."""
    sentences = _SENTENCE.split(_plain(text))
    return ". ".join(it for it in sentences if _ABOUT.search(it))


def standing(name: str) -> str:
    """The name in `METRICS` of what is called so, in short or in prose; empty if there is none."""
    plain = re.sub(r"[\s-]+", "_", name.strip().lower())
    if plain in METRICS:
        return plain
    found = mentioned(name.replace("_", " ")) or mentioned(name)
    return found[0] if found else ""
