"""How much a sentence means it when it speaks of a metric: used, mentioned, or set aside."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from proveout.apps.mle.tables.prose import Mention


class Weight(IntEnum):
    """From an everyday word to the metric that a sentence says is used."""

    EVERYDAY = 0
    ASIDE = 1
    PASSING = 2
    PLAIN = 3
    USED = 4


@dataclass(frozen=True)
class Weighed:
    """A mention and its weight; `sentence` is the number of the sentence it stands in."""

    name: str
    weight: Weight
    sentence: int


_MARK = "¤"
"""Stands for a mention, so that patterns need not know names."""
_WORDS = r"( (?!that\b|but\b|if\b|when\b|because\b)[\w'/-]+)"
_BRACKETS = r"( ?\([^)]*\))?"
_NOT = (
    r"((is|are|was|were|will be|should) ?(not|n't|never)|(does|do|did|will) ?(not|n't) (help|tell"
    r"|treat|suffice|work|count|matter|reflect|show|capture|say|do|fit|suit|see|notice|play|apply"
    r"|decide|serve|enter|interest|be))"
)

_SET_ASIDE = re.compile(
    r"\b(neither|nor|not(?! only| just| merely)|\w+n't|cannot|never|no longer|instead of"
    r"|in place of|than|unlike|opposed to|contrast to|contrary to|apart from|besides|in addition to"
    r"|nothing to do with|far from|confuse\w*|avoid\w*|distrust\w*|drop(ped)?|abandon\w*"
    r"|replac\w+|forget|ignor\w+|considered|discard\w*|reject\w*|dispens\w+ with|gave up"
    r"|away from|tempt\w+|(could|might) have|used to be|prefer\w* over|preferable to"
    r"|(misleading|useless|naive|simple|deceptive)[\w ]*(such as|like)"
    r"|(?<!but )also|additionally|secondary|tie-?break\w*|ties \w+ \w+"
    r"|for (information|reference|interest))"
    rf"{_WORDS}{{0,4}} ?$|\bsecondary( \w+)?: ?$"
)
_DISMISSED = re.compile(
    r"^ ?\((secondary|for information|also|only shown|not (used|counted|scored))\b"
    rf"|^{_BRACKETS}( (would|might|could|alone|on (its|their) own|by (itself|themselves))\b"
    rf"|( (of|for|on) [\w' ]{{1,30}}?)? ({_NOT}|cannot|never)\b"
    rf"|(, (which|that|as it|since it|because it))?{_WORDS}{{0,4}}? (is|are|was|were|be|being"
    r"|seems?|looks?|has|have|plays?)( \w+){0,3}? ((of )?(no|little) (use|help|value|interest"
    r"|meaning|role)|useless|worthless|misleading|meaningless|deceptive|uninformative|unsuitable|inappropriate"
    r"|unfair|flattering|ignored|irrelevant|poor|bad|dominated|tempting|too (kind|harsh|lenient"
    r"|coarse|easy|forgiving|strict|sensitive|generous|crude))\b"
    rf"|{_WORDS}{{0,2}}? (misleads?|deceives?|flatters?|fools?|(tells?|says?|means?)( us| you)?"
    r" (little|nothing))\b"
    rf"|,?{_WORDS}{{0,3}}? (also|only|merely|just|additionally)( be)? (told|shown|reported|given"
    r"|displayed|listed|computed|printed|published|provided|logged|mentioned)\b"
    r"|[^.;]{0,40}?\b(for (your )?(information|reference|interest|curiosity|orientation|comparison)"
    rf"|tie-?break\w*|break\w* ties)\b|{_WORDS}{{1,5}},? (too|as well) ?([.;,)]|$))"
)
_SOMEBODY = re.compile(
    r"\b(last (year|time)|previously|formerly|in the past|until now)\b"
    r"(?!.*(\b(here|now|today|this (time|year|task))\b|;))"
    r"|\b(baselines?|benchmarks?|previous|earlier|former|published|papers?"
    r"|authors?|stud(y|ies)|state of the art|winner (of|had|reached|got|scored|achieved)|naive"
    r"|literature|traditional\w*|usually|commonly|typically|historically"
    r"|colleagues|textbooks?|many (people|teams|companies))\b"
    r"(?!.*(\b(you|your|we|our|submissions?|entries|here|now|this (time|year|task))\b|;))"
)
_NUMBER = r"[<>~≈]? ?(\d*[.,]\d+( ?%| per ?cent)?|\d+ ?(%|per ?cent)|\d+(?= ?([.,;)]|$)))"
_VALUE = re.compile(
    rf"^{_BRACKETS}( (score|value|is|was|of|at|around|about|near|above|below|over|under|up to"
    rf"|as (high|low) as|reached|roughly|only|some)|:| =){{0,4}} ?{_NUMBER}(?![\w*·|(/^])"
)
_VALUE_BEFORE = re.compile(r"(?<![\w-])\d*[.,]?\d+ ?(%|per ?cent)? $")
_UNIT = re.compile(
    r"^[^.;]{0,20}?\d+([.,]\d+)? ?(mm|cm|m|km|kg|g|mg|ms|s|°|degrees?|met(re|er)s?|inch(es)?|feet"
    r"|seconds?|minutes?|hours?|days?)\b|^[^.;]{0,12}±"
    r"|^ (class|rating|column|field)\b|^ in (met|degree|second)"
)
_THING = re.compile(
    r"^ of (the |a |an |its |our |this |these |their |each |every |all |such )?(?!.{0,40}(predict"
    r"|forecast|classif|submi|model|answer|guess|label|entr|assign|decision|estimat|result|output"
    r"|you|identif|recogn|diagnos|solution|respons|¤|\d))[a-z]"
)
_STATED = re.compile(
    r"^[^.;,]{0,40} (is|are|will be|gets) (measured|expressed|judged|assessed|quantified|evaluated"
    r"|computed|determined|given) (by|as|with|in|using|through|via)\b"
)
"""The accuracy that is measured by something is no metric; what it is measured by may be one."""
_CRAFT = re.compile(
    r"(?<!model)(?<!entry)(?<!team)(?<!submission)(?<!classifier)(?<!solution)'s $|\b(gauge|meters?"
    r"|thermometer|device|watch|measur\w+|sensor|gps|position\w*|instrument\w*|spatial|geometric|clock|timing|scale"
    r"|readings?|location|historical|factual|manufactur\w+|survey\w*|data|shooting|passing"
    r"|throwing|throw|goal|pass|shot|typing|reporting|great|utmost|income|wealth|merchant) $"
)
_COLUMN = re.compile(r"^[\s>*+-]*(\||`[^`]+`\s*([:(,=]|[-–—] |is\b|are\b))")

_USING = re.compile(
    r"\b(ranked|judged?|scored?|evaluated?|graded?|assess(ed)?|measured?|compared?|rated?|marked"
    r"|sorted|ordered|decided|determined|computed|quantified|optimi[sz]ed?|awarded)"
    r"( [\w'-]+){0,6}? (by|on|with|using|through|via|under|according to|in terms of|as|against|for"
    r"|from)\b"
    r"|\b(we|i|they|organi[sz]ers|jury|hosts?) ((will|shall|then|therefore|always|only|simply|now"
    r"|thus|instead) )*(use|take|compute|calculate|apply|measure|look at|go by|rely on|prefer|chose"
    r"|choose|care about|adopt|settled (on|for)|opted for)\b"
    r"|\b(metric|measure|score|scoring|criterion|objective|loss|evaluation|yardstick|leaderboard"
    r"|ranking|assessment|grading|judge?ment|goal|figure of merit|aim)"
    r"( [\w'-]+){0,6}?( (is|are|will be|shows?|uses?|was|by|on|follows|means)\b| ?[:=(]| - )"
    r"|\b(maximi[sz]|minimi[sz])\w+|\b(using|hence|thus)\b"
)
_APART = re.compile(
    r"[;¤]|, ?(which|but|because|since|while|whereas|although|though|not|unlike|so)\b"
)
_IS_USED = re.compile(
    rf"^{_BRACKETS},?{_WORDS}{{0,2}}? (decides?|counts?|determines?|ranks?|settles?|serves? as"
    r"|wins?|applies|(is|are) (used|taken|computed|calculated|applied"
    r"|what (counts|matters)|(the|our) (\w+ )?(metric|measure|criterion|score|yardstick|objective))"
    r"|will (be used|decide|count)|is to be (mini|maxi)mi[sz]ed)\b"
)
_JOINT = re.compile(
    r"^ ?(,|\+|/|&|,? ?\b(and|or|nor|plus|as well as|but also)\b)"
    r"( (by|on|in|of|the|a|an|both|its|their|plain|simple|also|\d[\d.]*|[*x·]))* ?$"
    r"|^ (or)( [\w']+){0,3} $"
)
_MIXED = re.compile(
    r"\b(average|mean|sum|product|combination|mix\w*|blend|minimum) of [^¤;.]{0,20}¤"
    r"(?:(?! not | rather | instead | unlike )[^;.¤]){1,60}?(and|plus|,|\+)"
    r"(?:(?! not | rather | instead | unlike )[^;.¤]){0,30}¤"
)
_UNNAMED = re.compile(
    r"^( the| its| your| a)*( \w+)? (precision|recall|sensitivity|specificity|profit|lift)\b"
    r"(?! and| ?[*+/])"
)


def weighed(raw: str, sentence: str, mentions: Sequence[Mention], number: int) -> list[Weighed]:
    """Each mention of a sentence with its weight. `raw`: as written, `sentence`: made plain."""
    marked, places = _marked(sentence, mentions)
    own = [_weight(marked, at, mentions[i].name) for i, at in enumerate(places)]
    for first, last in _mixtures(marked, places):
        # What is mixed into a score is a metric, whatever else the word may mean.
        own[first : last + 1] = [it or Weight.PLAIN for it in own[first : last + 1]]
    for first, last in (*_listed(marked, places), *_mixtures(marked, places)):
        ends = (_before(marked, places[first]), _after(marked, places[last]))
        weights = own[first : last + 1]
        if Weight.ASIDE in ends:
            weights = [min(it, Weight.ASIDE) for it in weights]
        elif Weight.USED in (*weights, *ends):
            weights = [Weight.USED if it == Weight.PLAIN else it for it in weights]
        own[first : last + 1] = weights
    found = [Weighed(it.name, weight, number) for it, weight in zip(mentions, own, strict=True)]
    if _COLUMN.match(raw):
        return [
            it if it.weight == Weight.USED else replace(it, weight=Weight.EVERYDAY) for it in found
        ]
    return found


def unnamed(sentence: str, number: int) -> list[Weighed]:
    """What a sentence says is used, where that is a measure that is not computed here."""
    for use in _USING.finditer(sentence):
        if what := _UNNAMED.match(sentence[use.end() :]):
            return [Weighed(what[3], Weight.USED, number)]
    return []


def _marked(sentence: str, mentions: Sequence[Mention]) -> tuple[str, list[int]]:
    text, places, done = "", [], 0
    for it in mentions:
        text += sentence[done : it.start]
        places.append(len(text))
        text, done = text + _MARK, it.end
    return text + sentence[done:], places


def _weight(marked: str, at: int, name: str) -> Weight:
    before, after = marked[:at], marked[at + 1 :]
    if _everyday(before, after, name):
        return Weight.EVERYDAY
    around = (_before(marked, at), _after(marked, at))
    if Weight.ASIDE in around or _neither(marked, at):
        return Weight.ASIDE
    if _VALUE.search(after) or _VALUE_BEFORE.search(before) or _SOMEBODY.search(before):
        return Weight.PASSING
    return max(around)


def _everyday(before: str, after: str, name: str) -> bool:
    """Words that are names of metrics, and of other things."""
    if name == "accuracy":
        return any(it.search(after) for it in (_THING, _UNIT, _STATED)) or bool(
            _CRAFT.search(before)
        )
    if name == "auc":
        return bool(re.search(r"\b(income|wealth) $", before)) or bool(
            re.match(
                r" ((index|coefficient) )?(of|for) (the )?(\w+ )?(income|wealth|inequal)", after
            )
        )
    return name == "mcc" and "merchant categor" in before[-30:] + after[:30]


def _before(marked: str, at: int) -> Weight:
    before = marked[:at]
    if _SET_ASIDE.search(before):
        return Weight.ASIDE
    for use in _USING.finditer(before):
        if not _APART.search(before[use.end() :]):
            return Weight.USED
    return Weight.PLAIN


def _after(marked: str, at: int) -> Weight:
    after = marked[at + 1 :]
    if _DISMISSED.search(after):
        return Weight.ASIDE
    return Weight.USED if _IS_USED.search(after) else Weight.PLAIN


def _neither(marked: str, at: int) -> bool:
    spans = re.finditer(rf"neither[^.;]*?\bnor{_WORDS}{{0,3}} ?{_MARK}", marked)
    return any(it.start() <= at < it.end() for it in spans)


def _mixtures(marked: str, places: Sequence[int]) -> list[tuple[int, int]]:
    """Mentions that make one score together ("the mean of AUC and F1"): first and last."""
    spans = [it.span() for it in _MIXED.finditer(marked)]
    inside = [[i for i, at in enumerate(places) if low <= at < high] for low, high in spans]
    return [(it[0], it[-1]) for it in inside]


def _listed(marked: str, places: Sequence[int]) -> list[tuple[int, int]]:
    """Mentions that are one enumeration ("accuracy, F1 or AUC"): first and last."""
    groups: list[tuple[int, int]] = []
    first = 0
    for i in range(len(places) - 1):
        joint = _JOINT.match(marked[places[i] + 1 : places[i + 1]])
        if not joint:
            first = i + 1
        elif joint[1] != ",":
            groups.append((first, i + 1))
            first = i + 1
    return groups
