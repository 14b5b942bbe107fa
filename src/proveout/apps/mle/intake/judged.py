"""By which metric a description says that answers are judged, and how sure that is."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from proveout.apps.mle.intake.weighing import Weighed, Weight, unnamed, weighed
from proveout.apps.mle.tables.metrics import METRICS
from proveout.apps.mle.tables.prose import named, plain, without_general, worded

LONG = 60
"""Characters of a sentence that says more than a metric."""


@dataclass(frozen=True)
class Judged:
    """Metrics that come into question, the most plausible first: one, if the text settles it."""

    names: tuple[str, ...] = ()
    sentence: str = ""
    """Where it was read, if it is not simply named there."""
    sure: bool = True
    """Whether the text names it as what is used."""
    aside: tuple[str, ...] = ()
    """Metrics that the text speaks of and does not mean."""


@dataclass(frozen=True)
class _Sentence:
    raw: str
    text: str
    section: bool
    """Whether it stands under a heading about evaluation."""


_ABOUT = re.compile(
    r"\bmetric|evaluat|\bscor(e|ing)|\bmeasure[ds]?\b|\brank|\bjudg|\bgrad(ed|ing)|criteri"
    r"|objective|leaderboard|\bassess|\bcompare|yardstick|performance|figure of merit"
)
_CUE = re.compile(
    r"\b(your|the|a|entry's|its) ((final|overall|public|private|total) )?scores?\b"
    r"|\bscore ?[:=]|\bscor(ed|ing)\b|evaluat|\branked"
    r"|\branking|\bjudg|\bmetric|\bgraded|leaderboard|\bsubmissions?\b|\bentr(y|ies)\b|criteri"
    r"|\bwe (will |then |shall )?(count|compute|take|average|look|measure|use|square|add|draw"
    r"|compare|score)\b"
    r"|(lower|higher|smaller|larger|less|more|fewer) is better|\bwins?\b|\bperformance"
    r"|\bobjective\b|\bloss\b|\bmarks\b|\bassess|\bthe (\w+ )?error (is|equals|will be)\b"
)
_HEADING = re.compile(
    r"^\s*(?:#+\s*(?P<title>.+?)#*|\*\*(?P<bold>[^*]+)\*\*(?P<rest>.*)"
    r"|(?P<short>(?:\w+ ){0,3}(?:evaluation|metrics?|scoring|judging)(?: \w+){0,3}))\s*:?\s*$",
    re.IGNORECASE,
)
_TITLE = re.compile(
    r"evaluat|metric|\bscor(ing|ed)|\bjudg|\bassess|leaderboard|criteri|\bhow .*(graded|ranked)",
    re.IGNORECASE,
)
_END = re.compile(
    r"(?<!\bi\.e)(?<!\be\.g)(?<!\bvs)(?<!\bapprox)[.!?][*_)\"']*(?=\s)"
    r"|(?<!:)\n\s*\n|(?<!:)\n(?=\s*(?:[-*+|] ?|\d+[.)] ))"
)


def judged_by(text: str, columns: Iterable[str] = ()) -> Judged:
    """Under a heading about evaluation, else where the text speaks of it, else in other words
    than names, else anywhere. A column that is called like a metric is none, unless without it
    there is none."""
    alike = [it for it in columns if named(plain(it))]
    if alike:
        words = "|".join(map(re.escape, sorted(alike, key=len, reverse=True)))
        found = _judged(re.sub(rf"(?<!\w)(?:{words})(?!\w)", "column", text))
        if found.names:
            return found
    return _judged(text)


def _judged(text: str) -> Judged:
    sentences = _sentences(text)
    every = [it for at, one in enumerate(sentences) for it in _named(one, at)]
    inside = [it for it in every if sentences[it.sentence].section]
    about = [it for it in every if _ABOUT.search(sentences[it.sentence].text)]
    for scope in (inside, about):
        if found := _chosen(scope):
            return _told(found, scope, sentences)
    if found := _in_words(sentences):
        return _unsure(found, sentences[found[0].sentence], _aside(every))
    known = [it for it in every if it.name in METRICS]
    found = _chosen(known) or [it for it in known if it.weight == Weight.PASSING]
    return _told(found, every, sentences) if found else Judged(aside=_aside(every))


def _named(one: _Sentence, at: int) -> list[Weighed]:
    found = named(one.text)
    return weighed(one.raw, one.text, found, at) if found else unnamed(one.text, at)


def _chosen(scope: Iterable[Weighed]) -> list[Weighed]:
    """Those that a sentence says are used; else those that stand there plainly."""
    listed = list(scope)
    used = [it for it in listed if it.weight == Weight.USED]
    return used or [it for it in listed if it.weight == Weight.PLAIN]


def _aside(scope: Iterable[Weighed]) -> tuple[str, ...]:
    return tuple(without_general(it.name for it in scope if it.weight == Weight.ASIDE))


def _told(found: Sequence[Weighed], scope: Sequence[Weighed], lines: Sequence[_Sentence]) -> Judged:
    names = without_general(it.name for it in found)
    first = found[0]
    line = lines[first.sentence]
    others = [it.name for it in scope if it.weight in (Weight.ASIDE, Weight.PLAIN)]
    aside = tuple(it for it in without_general([*names, *others]) if it not in names)
    spoken = line.section or bool(_ABOUT.search(line.text)) or len(line.raw) < LONG
    sure = first.weight == Weight.USED or (first.weight == Weight.PLAIN and spoken)
    return Judged(tuple(names), line.raw if aside or not sure else "", sure, aside)


def _unsure(found: Sequence[Weighed], line: _Sentence, aside: tuple[str, ...]) -> Judged:
    """In other words than names; what is computed may also be something that has none here."""
    names = without_general(it.name for it in found)
    if any(name not in METRICS for name in names):
        return Judged(aside=aside)
    return Judged(tuple(names), line.raw, sure=False, aside=aside)


def _in_words(sentences: Sequence[_Sentence]) -> list[Weighed]:
    """What is computed, where evaluation is spoken of; a sentence alone before its neighbours."""
    inside = [at for at, it in enumerate(sentences) if it.section]
    cues = [at for at, it in enumerate(sentences) if _CUE.search(it.text)]
    spans = [(at, at + 1) for at in inside]
    if inside:
        spans.append((inside[0], inside[-1] + 1))
    for parts in (spans, [(at, at + 1) for at in cues], [(max(at - 1, 0), at + 2) for at in cues]):
        found: list[Weighed] = []
        for first, last in parts:
            text = " ".join(it.text for it in sentences[first:last])
            mentions = worded(text)
            # Several sentences at once: the one that it begins in is told.
            at = first + _number(sentences[first:last], mentions[0].start) if mentions else first
            found += _chosen(weighed("", text, mentions, at))
            if found and last - first > 1:
                break
        if found:
            return [it for it in found if it.weight == max(one.weight for one in found)]
    return []


def _number(some: Sequence[_Sentence], place: int) -> int:
    ends = accumulate(len(it.text) + 1 for it in some)
    return next(at for at, end in enumerate(ends) if place < end)


def _sentences(text: str) -> list[_Sentence]:
    found: list[_Sentence] = []
    for section, block in _blocks(unicodedata.normalize("NFKC", text)):
        done = 0
        for end in [*(it.end() for it in _END.finditer(block)), len(block)]:
            raw = re.sub(r"\s+", " ", block[done:end]).strip()
            if raw:
                found.append(_Sentence(raw, plain(raw), section))
            done = end
    return found


def _blocks(text: str) -> list[tuple[bool, str]]:
    """Titles and what stands under them, with whether they are about evaluation."""
    blocks: list[tuple[bool, list[str]]] = [(False, [])]
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            title = next(it for it in heading.group("title", "bold", "short") if it)
            about = bool(_TITLE.search(title))
            blocks += [(about, [title]), (about, [heading["rest"] or ""])]
        else:
            blocks[-1][1].append(line)
    return [(about, "\n".join(lines)) for about, lines in blocks]
