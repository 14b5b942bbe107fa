"""Words for days and periods; written as people write them, compared folded."""

from proveout.apps.solver.resolve.folding import fold, tokens


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    """Phrases parted by commas, as folded words."""
    return frozenset(tuple(token.folded for token in tokens(phrase)) for phrase in text.split(","))


UNITS = {
    "day": _phrases(
        "day, days, tag, tage, tagen, giorno, giorni, jour, jours, día, días, dan, dana, дан, дана,"
        " день, дня, дней, дн, 天, 日"
    ),
    "week": _phrases(
        "week, weeks, woche, wochen, settimana, settimane, semaine, semaines, semana, semanas,"
        " nedelja, nedelje, nedelju, nedelju dana, sedmica, sedmice, sedmicu, недеља, недеље,"
        " недељу, недељу дана, неделя, неделю, недели, недель, 周, 星期, 个星期, 礼拜"
    ),
    "month": _phrases(
        "month, monat, monats, mese, mois, mes, mesec, meseca, месец, месеца, месяц, месяца,"
        " месяце, 月, 个月"
    ),
    "year": _phrases("year, jahr, anno, année, año, godina, godine, godinu, година, год, года, 年"),
}
AGO = {
    "before": _phrases(
        "vor, il y a, hace, pre, пре, vor genau, il y a exactement, hace exactamente, pre tačno,"
        " пре тачно, ровно"
    ),
    "after": _phrases("ago, before today, earlier, fa, nazad, назад, 前, 以前, 之前, unazad"),
}
BEFORE_YESTERDAY = _phrases(
    "before yesterday, vor gestern, prima di ieri, avant hier, antes de ayer, pre juče, пре јуче,"
    " до вчера, до вчерашнего дня, 昨天之前"
)
DAY_BEFORE = _phrases(
    "the day before yesterday, day before yesterday, vorgestern, l'altro ieri, altro ieri,"
    " ieri l'altro, avant hier, anteayer, antes de ayer, prekjuče, прекјуче, позавчера, 前天"
)
RELATIVE_DAYS = {
    -1: _phrases("yesterday, gestern, ieri, hier, ayer, juče, јуче, вчера, 昨天, 昨日"),
    0: _phrases("today, heute, oggi, aujourd'hui, hoy, danas, данас, сегодня, 今天, 今日"),
    1: _phrases("tomorrow, morgen, domani, demain, mañana, sutra, сутра, завтра, 明天"),
}
LAST = _phrases(
    "last, previous, past, letzte, letzten, letzter, letztes, vergangene, vergangenen, vorige,"
    " vorigen, scorsa, scorso, passata, passato, dernier, dernière, passée, pasada, pasado,"
    " prošle, prošli, prošlog, prošla, prošlu, прошле, прошли, прошлог, прошла, прошлу, прошлой,"
    " прошлый, прошлом, прошлого, прошлую, 上, 上个"
)
THIS = _phrases(
    "this, current, diese, diesen, dieser, dieses, questa, questo, corrente, ce, cette, esta, este,"
    " ove, ovog, ovaj, овe, ове, овог, этой, этот, этом, этого, текущей, текущего, 本, 这, 这个"
)
_MONTHS = (
    "january jan januar jänner gennaio janvier enero јануар январь января январе",
    "february feb februar februara feber febbraio février febrero фебруар фебруара февраль февраля"
    " феврале",
    "march mar märz marzo mars mart marta март марта марте",
    "april apr aprile avril abril aprila април априла апрель апреля апреле",
    "mai maggio mayo maj maja мај маја май мая мае may",
    "june jun juni giugno juin junio juna јун јуна июнь июня июне",
    "july jul juli luglio juillet julio jula јул јула июль июля июле",
    "august aug agosto août avgust avgusta август августа августе",
    "september sep sept settembre septembre septiembre septembar septembra септембар септембра"
    " сентябрь сентября сентябре",
    "october oct oktober okt ottobre octobre octubre oktobar oktobra октобар октобра октябрь"
    " октября октябре",
    "november nov novembre noviembre novembar novembra новембар новембра ноябрь ноября ноябре",
    "december dec dezember dez dicembre décembre diciembre decembar decembra децембар децембра"
    " декабрь декабря декабре",
)
MONTHS = {fold(word): place for place, line in enumerate(_MONTHS, 1) for word in line.split()}
VERBS = frozenset({"may"})
"""Months that are verbs far more often, unless a day or a year stands beside them."""
