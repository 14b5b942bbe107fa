"""Words for days and periods; written as people write them, compared folded."""

from proveout.apps.solver.resolve.folding import fold, tokens, word_set


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
        "month, months, monat, monats, monate, monaten, mese, mesi, mois, mes, meses, mesec,"
        " meseca, meseci, месец, месеца, месеци, месяц, месяца, месяце, месяцев, 月, 个月"
    ),
    "quarter": _phrases(
        "quarter, quartal, quartals, trimestre, kvartal, kvartala, kvartalu, квартал, квартала,"
        " квартале, 季度"
    ),
    "year": _phrases(
        "year, years, jahr, jahre, jahren, anno, anni, année, an, ans, año, años, godina, godine,"
        " godinu, година, год, года, лет, 年"
    ),
}
FORTNIGHT = _phrases("fortnight, quindicina, quinzaine, quincena")
AGO = {
    "before": _phrases(
        "vor, il y a, hace, pre, пре, vor genau, il y a exactement, hace exactamente, pre tačno,"
        " пре тачно, ровно"
    ),
    "after": _phrases(
        "ago, ago today, before today, before now, earlier, back, back from today, back from now,"
        " prior to today, in the past, fa, prima di oggi, addietro, indietro, nazad, unazad, назад,"
        " тому назад, zurück, atrás, plus tôt, avant aujourd'hui, antes de hoy, pre današnjeg dana,"
        " 前, 以前, 之前"
    ),
    "back": _phrases(
        "back, rewind, subtract, minus, less, deduct, meno, sottrai, moins, soustrais, menos,"
        " resta, oduzmi, manje, минус, вычти, отними, 减, 减去, 往前"
    ),
    "from": _phrases(
        "from today, from now, from today's date, from the current date, von heute, da oggi,"
        " d'aujourd'hui, de hoy, od danas, от сегодня, от сегодняшней даты"
    ),
}
"""What may stand around a number of days: `before`, `after` it, or `back` before it; the words
`from` today may follow and mean no other day."""
SAME_DAY = _phrases(
    "same weekday, on the same weekday, on this day, this day, this very day,"
    " same day, the same day, on the same day, this time,"
    " am selben tag, am gleichen tag, lo stesso giorno, le même jour, el mismo día, istog dana,"
    " в этот же день, в тот же день, 同一天, 今天"
)
SINCE = word_set("since seit depuis desde dal dalla с со")
"""As they are written: a Cyrillic `с` is no Latin `s`."""
ON = frozenset(map(fold, word_set("on am il le el u в во past")))
"""Words before the name of a weekday that is already over."""
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
_WEEKDAYS = (
    "monday montag lunedì lundi lunes ponedeljak ponedeljka понедељак понедељка понедельник"
    " понедельника",
    "tuesday dienstag martedì mardi martes utorak utorka уторак уторка вторник вторника",
    "wednesday mittwoch mercoledì mercredi miércoles sreda sredu srede среда среду среде среды",
    "thursday donnerstag giovedì jeudi jueves četvrtak četvrtka четвртак четвртка четверг четверга",
    "friday freitag venerdì vendredi viernes petak petka петак петка пятница пятницу пятницы",
    "saturday samstag sonnabend sabato samedi sábado subota subotu subote субота суботу суббота"
    " субботу субботы",
    "sunday sonntag domenica dimanche domingo nedelja воскресенье воскресенья",
)
WEEKDAYS = {fold(word): place for place, line in enumerate(_WEEKDAYS) for word in line.split()}
HAN_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_ORDINALS = (
    "first ersten erste", "second zweiten zweite", "third dritten dritte", "fourth vierten vierte",
    "fifth fünften fünfte", "sixth sechsten sechste", "seventh siebten siebte",
    "eighth achten achte", "ninth neunten neunte", "tenth zehnten zehnte", "eleventh elften",
    "twelfth zwölften", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth zwanzigsten",
)  # fmt: skip
ORDINALS = {fold(word): place for place, line in enumerate(_ORDINALS, 1) for word in line.split()}
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
