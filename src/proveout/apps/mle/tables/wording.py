r"""Metrics in other words than their names: what is computed, told in words or typed as a formula.

Patterns are for plain text in small letters (`prose.plain`), where a superscript two is a two.
More special ones first. A name of "" is for phrases that look like a known metric and are none.
"""

_ERROR = r"(errors?|differences?|deviations?|distances?|gaps?|miss(es)?|residuals?|discrepanc\w+)"
_SIZE = (
    rf"((absolute|unsigned)( \w+)? {_ERROR}|absolute (value|size|amount)s? of (the |your )?{_ERROR}"
    rf"|{_ERROR}[^.;:]{{0,20}} (in absolute (value|terms)|regardless of (its |their |the )?sign"
    r"|whatever the sign|without (its |their |the )?signs?))"
)
_SQUARED = (
    rf"(squared? {_ERROR}|square[sd]? of (the |your |all )?{_ERROR}"
    rf"|{_ERROR}[^.;]{{0,30}} squared)"
)
_MEAN = r"(mean|averaged?|averages|averaging)"
_TRUE = r"(true|actual|real|correct|observed|right|known|measured)"
CLASS = r"(class|kind|categor|group|label|species|status|type|outcome)\w*"
"""What the values of a target may be called."""
_EACH = rf"(each|every|per|single|individual)[- ]{CLASS}"
_SHARE = r"(shares?|percentages?|per ?cent|proportions?|fractions?|number|count)"
_HIGHER = (
    r"((higher|larger|greater|bigger) (\w+ )?(numbers?|values?|scores?|probabilit\w+|predictions?"
    r"|ranks?|risks?|figures?)|(rank\w*|plac\w+|put|scor\w+|comes?|is|are|stands?) (\w+ ){0,2}"
    r"(above|ahead|before|higher)|(right|correct(ly)?) order(ed)?)"
)

_UNITS = r"(\w+ ){1,4}?(the|your|each|every|our|an?) (prediction|forecast|estimate|guess|answer)s?"
"""What values are counted in, and that predictions have values."""
_PART = r"\b(share|proportion|fraction|percentage|how often|probability|chance|likelihood) "
_PAIR = r"\bpairs?\b[^;]{0,20}\b(one|an?|the) "

# Formulas: two quantities of a letter or up to three words each, and what is done to them.
_V = r"[a-z\\ŷ][\w{}\\'.]*( [a-z]\w*){0,2}(\[i\])?"
_DIFF = rf"\(? ?{_V} ?- ?{_V} ?\)?"
_ABS = rf"(\| ?{_DIFF} ?\||abs ?\( ?{_DIFF} ?\))"
_ONE = rf"\(?\|? ?{_V} ?\|?\)?"
_POWER = r"(\)| )*((\^|\*\*)? ?\{?2\}?|,? ?squared)(?!\w|\.\d)"
_LOG = r"(log|ln|log1p|log10) ?\([^()]{1,40}\)"
_LOGS = rf"{_LOG} ?- ?{_LOG}"
_SUM = (
    r"((1 ?/ ?n ?\)?|\\frac ?\{1\} ?\{n\}) ?[*·x]? ?(sum|∑|σ|\\sum)"
    r"(_\{?[\w=]+\}?(\^\{?\w+\}?)?)?)"
)
_ALONE = r"(?![ )}]*[*/^])"
_OVER = rf"({_MEAN}|{_SUM})( of)?( the)? ?[({{\[]*"

PARAPHRASES: tuple[tuple[str, str], ...] = (
    (
        rf"(relative|scaled|normali[sz]ed|weight\w*)[^.;]{{0,25}} ({_SIZE}|{_SQUARED})"
        rf"|({_SIZE}|{_SQUARED})[^.;]{{0,60}}\bweight\w*",
        "",
    ),
    (
        r"agree\w*[^;]{0,120}(penal|weigh|punish|disagree|cost|count)\w*[^;]{0,80}"
        rf"(squared?|quadratic\w*)\b( of (the |their )?)?( ?({_ERROR}|number of|how far))?",
        "qwk",
    ),
    (rf"({_LOGS}{_POWER}|square ?\( ?{_LOGS})", "rmsle"),
    (
        rf"{_SQUARED} (between|of|in|on) (the |their )?(natural )?log"
        rf"|(squared? )?root[^.;]{{0,60}}squar\w+[^.;]{{0,40}}\blog(?!istic)"
        rf"|\blog(arithm)?s?\b[^.;]{{0,60}}squar\w+[^.;]{{0,60}}root"
        r"|(mean[- ]squared?[- ]log(arithmic|arithm)?[- ]error|msle)",
        "rmsle",
    ),
    (rf"({_LOGS}|{_SIZE} (between|of|in|on) (the |their )?(natural )?log\w*)", ""),
    (
        rf"2 ?[*·x]? ?{_ABS} ?/ ?\(* ?{_ONE} ?\+ ?{_ONE}"
        rf"|{_ABS} ?/ ?\(+ ?{_ONE} ?\+ ?{_ONE}\)* ?(/ ?2)?",
        "smape",
    ),
    (
        rf"{_SIZE}[^.;]{{0,40}}(divided by|relative to|as a \w+ of|over)[^.;]{{0,15}}"
        r"(mean|average|half the sum|midpoint) of (both|the two|two|(the )?(\w+ )?\w+ and )",
        "smape",
    ),
    (rf"{_ABS} ?/ ?{_ONE}|\| ?\( ?{_V} ?- ?{_V} ?\) ?/ ?{_V} ?\|", "mape"),
    (rf"{_SIZE}[^.;]{{0,30}}divided by[^.;]{{0,15}}(mean|average|sum|total|range|standard)\b", ""),
    (
        rf"(?<!squared )({_SIZE}|{_ERROR})[^.;]{{0,25}} (as|in|expressed as|into)( a| an)? "
        rf"(percentage|per ?cent|share|fraction|proportion)s? of (the |its |their )?{_TRUE}"
        rf"|{_SIZE}[^.;]{{0,30}}(divided by|relative to|in relation to) (the |its |their )?{_TRUE}"
        rf"|by how many per ?cent|{_MEAN} (percentage|per ?cent) by which"
        rf"|{_MEAN} (of the )?(absolute )?(percentage|relative) {_ERROR}"
        rf"|{_MEAN} absolute relative {_ERROR}",
        "mape",
    ),
    (
        rf"(median|middle (one|value))[^.;]{{0,30}}({_SIZE}|{_ABS})|{_SIZE}[^.;]{{0,80}}\bmedian",
        "medae",
    ),
    (rf"(quantile|largest|greatest|biggest|maxim\w+|worst)[^.;]{{0,20}}({_SIZE}|{_ABS})", ""),
    (
        rf"({_SQUARED}|{_OVER}\( ?{_V} ?- ?{_V} ?{_POWER})[^.;]{{0,60}}probabilit\w+"
        rf"|probabilit\w+[^.;]{{0,60}}{_SQUARED}",
        "brier",
    ),
    (rf"(sqrt|√|\broot)[^.;|]{{0,25}}\( ?{_V} ?- ?{_V} ?{_POWER}", "rmse"),
    (
        rf"root[^.;]{{0,30}}{_MEAN}[^.;]{{0,30}}{_SQUARED}"
        rf"|root[^.;]{{0,15}}{_SQUARED}[^.;]{{0,15}}{_MEAN}"
        rf"|({_SQUARED}|(square|squaring)[^.;]{{0,20}}{_ERROR}|{_ERROR}[^.;]{{0,25}}squar\w+)"
        r"[^.;]{0,80}\broot",
        "rmse",
    ),
    (rf"{_OVER}\(? ?{_V} ?- ?{_V} ?{_POWER}{_ALONE}", "mse"),
    (
        rf"{_MEAN}[^.;]{{0,25}}{_SQUARED}|{_SQUARED}[^.;]{{0,40}}{_MEAN}|squared[- ]errors?"
        rf"|(square|squaring) (the |each |every |all )?{_ERROR}[^.;]{{0,30}}{_MEAN}",
        "mse",
    ),
    (rf"{_OVER}{_ABS}{_ALONE}", "mae"),
    (
        rf"({_MEAN}|sum|total)[^.;]{{0,25}}{_SIZE}|{_SIZE}[^.;]{{0,50}}({_MEAN}|added up)"
        rf"|absolute[- ]errors?|{_MEAN} (number|amount) of [\w ]{{1,30}} by which you"
        r"|how (far|much)[^.;:]{0,40}\b(off|away|wrong|beside)\b[^.;]{0,30}(on average|in the mean)"
        rf"|how many {_UNITS}[^.;:]{{0,40}}\b(off|away|beside)\b[^.;]{{0,40}}"
        r"(on average|in the mean)"
        r"|(on average|in the mean)[^.;:]{0,30}how (far|much)[^.;:]{0,40}\b(off|away|wrong)\b",
        "mae",
    ),
    (
        rf"({_SHARE}|part|how much) of (the |its |all )?(\w+ )?(variance|variation)"
        r"[^.;]{0,50}(explain|account)\w*|explained[- ]variance|variance explained"
        r"|1 ?- ?\(?(ss_?\{?res\}?|sse|rss) ?/ ?(ss_?\{?tot\}?|sst|tss)",
        "r2",
    ),
    (
        r"y\w* ?[*·]? ?(log|ln) ?\(? ?p\w* ?\)? ?\+ ?\( ?1 ?- ?y\w* ?\) ?[*·]? ?(log|ln)"
        r"|(-|negative|minus)( the)?( mean| average)?( of)?( the)? ?\(?(natural )?"
        r"(log|ln)(arithm)?\w*( ?\( ?p\w*| of (the |your )?(predicted |estimated )?probabilit\w+)"
        r"|log(arithm)?\w* of (the |your )?(predicted |estimated )?probabilit\w+"
        rf"[^.;]{{0,60}}({_TRUE}|happened|occurred)",
        "logloss",
    ),
    (
        rf"{_PART}[^;]{{0,60}}\bpairs\b[^;]{{0,200}}{_HIGHER}"
        rf"|{_PAIR}[^;]{{0,250}}({_HIGHER}[^;]{{0,200}}{_PART}|{_PART}[^;]{{0,150}}{_HIGHER})"
        rf"|{_PART}[^.;]{{0,60}}random[^.;]{{0,100}}{_HIGHER}[^.;]{{0,40}} (a|an|one|that)\b"
        rf"|at random[^.;]{{0,80}}{_PART}[^.;]{{0,60}}{_HIGHER}",
        "auc",
    ),
    (
        rf"harmonic (mean|average)[^.;]{{0,30}}(precision|recall)[^.;]{{0,90}}({_EACH}|over|across)"
        rf"[^.;]{{0,40}}({_MEAN}|{CLASS})|({_EACH}[^.;]{{0,60}})harmonic (mean|average) of"
        r" (its |the )?(precision|recall)",
        "macro_f1",
    ),
    (
        r"harmonic (mean|average)[^.;]{0,30}(precision|recall) and (the )?(precision|recall)"
        r"|2 ?[*·x]? ?(precision|p) ?[*·x]? ?(recall|r) ?/ ?\( ?(precision|p) ?\+ ?(recall|r)"
        r"|2 ?[*·x]? ?tp ?/ ?\( ?2 ?[*·x]? ?tp ?\+ ?f[pn] ?\+ ?f[pn]",
        "f1",
    ),
    (
        rf"{_MEAN}[^.;]{{0,20}}(per[- ]class|class[- ]wise) (recall|sensitivit)\w*"
        rf"|{_MEAN} of (the )?(true positive rate|tpr) and (the )?(true negative rate|tnr)"
        rf"|{_MEAN}[^.;]{{0,40}}(recalls?|sensitivit\w+|hit rates?)[^.;]{{0,40}}"
        rf"({CLASS}|specificit\w+)"
        r"|(sensitivity|true positive rate|tpr) ?(and|\+) ?(the )?(specificity|true negative rate"
        rf"|tnr)[^.;]{{0,30}}({_MEAN}|/ ?2)"
        rf"|({_EACH}|within [^.;]{{0,30}}{CLASS})[^.;]{{0,80}}"
        rf"({_SHARE}|how many)[^.;]{{0,80}}{_MEAN}"
        rf"|{_SHARE}[^.;]{{0,60}}(in|of|for|within) {_EACH}[^.;]{{0,80}}{_MEAN}"
        rf"|{_MEAN}[^.;]{{0,30}}{_SHARE}[^.;]{{0,50}}(right|correct(ly)?)[^.;]{{0,30}}{_EACH}",
        "balanced_accuracy",
    ),
    (rf"{_EACH}[^.;]{{0,80}}{_SHARE}[^.;]{{0,40}}\b(right|correct(ly)?)", ""),
    (
        rf"{_SHARE} of[^.;]{{0,80}}\b(right|correct(ly)?)\b[^.;]{{0,40}}(within|tolerance|{_EACH})",
        "",
    ),
    (
        rf"{_SHARE} of (the |all |your )?(test )?(correct(ly)?|right)( \w+)*"
        rf"|{_SHARE} of (the |all |your |test )*\w+( in the test (set|file|data))?,?"
        r"( for which| whose| where| that| on which| in which)?"
        r"( \w+){0,4}? (you|your|are|is|was|were|get|got)( \w+){0,3}? (right|correct(ly)?)\b"
        rf"|how many( of)?( the| all| your| test)*( [\w,]+){{1,5}}? (right|correct(ly)?)\b"
        rf"|{_SHARE} (right|correct)\b"
        r"|(a|one|1) point (for|per) (each|every) (right|correct)( \w+)?"
        rf"|mean ?\( ?{_V} ?== ?{_V}|\( ?{_V} ?== ?{_V} ?\)\.mean"
        r"|\(? ?tp ?\+ ?tn ?\)? ?/ ?\(? ?(n|total|all|tp)\b"
        r"|(mis)?classification (rate|error)|error rate|zero-one loss|0-1 loss|hit rate",
        "accuracy",
    ),
    (r"agreement[^.;]{0,40}(beyond|corrected for|over and above) (pure )?chance", "kappa"),
)
