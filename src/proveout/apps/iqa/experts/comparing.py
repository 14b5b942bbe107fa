"""Two pictures side by side: which is better, which has more of what is asked about, and why."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from proveout.apps.iqa.experts import wording
from proveout.apps.iqa.experts.ground import Ground, Seen, concept_loss, loss, matching, worst
from proveout.apps.iqa.experts.subject import subject_of
from proveout.apps.iqa.experts.wording import Notes, called, visible
from proveout.apps.iqa.language.form import AUXILIARY, Kind
from proveout.apps.iqa.language.lexicon import Concept, Mention
from proveout.apps.iqa.language.options import Option
from proveout.apps.iqa.language.question import Reading
from proveout.apps.iqa.models import GLOBAL

NAMES = ("the first", "the second")
SAME = "no visible difference"
Pair = tuple[Ground, Ground]
_LEAST_DIFFERENCE = 0.1
"""Of quality, from 1 to 5; less is told apart by nobody."""
_LEAST_SHARE = 0.03
"""Of a physical value: two pictures of about the same brightness are equally bright."""
_PICTURES = (
    re.compile(
        r"(?i)\b(?:first|1st|former|(?:image|picture|photo) (?:1|one|a)|this|test|distorted|left"
        r"(?! (?:side|half|corner|edge|part)))\b|^\W*(?:a|1)\W*$"
    ),
    re.compile(
        r"(?i)\b(?:second|2nd|latter|(?:image|picture|photo) (?:2|two|b)|other|reference|original|"
        r"right(?! (?:side|half|corner|edge|part)))\b|^\W*(?:b|2)\W*$"
    ),
)
_BOTH = re.compile(
    r"(?i)\b(?:both|same|equal(?:ly)?|identical|alike|neither|no (?:visible )?difference|similar)\b"
)
_APART = re.compile(r"(?i)\bdiffer(?:s|ent|ence|ences)?\b|\bdistinguish\w*")
_AGAINST = re.compile(
    r"(?i)\b(?:compar(?:e|ed|ing|ison)|than|versus|vs|better|best|worse|worst|more|most|less|least|"
    r"fewer|prefer\w*|keep|(?:which|what) (?:one|of|image|picture|photo)|inferior|superior|higher|"
    r"lower|darker|brighter|lighter)\b"
)
_FIDELITY = re.compile(
    r"(?i)\b(?:lost|los(?:e|es|ing|s)|chang(?:e|ed|es|ing)|alter(?:ed|s|ation)?|differ\w*|similar\w*|"
    r"identical|alike|equal\w*|same|match\w*|apart|close(?:ly|r|st)?|deviat\w*|resembl\w*|"
    r"distinguish\w*|faithful\w*|compar\w*|happened|missing|versus|vs|original|reference|added|"
    r"removed|introduced|cleaner)\b"
)
"""What is asked of a picture beside its reference."""
_TASTE = re.compile(r"(?i)\bnic(?:e|er|est)\b|\bprett\w+")
_WHICH = re.compile(r"(?i)\b(?:which|what|who)\b")
_LESS = frozenset({"worse", "worst", "poorer", "lower", "less", "least", "inferior", "fewer"})
_PHYSICAL: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"(?i)\b(?:bright|light)(?:er|est)\b"), "mean_luma", "mean luma"),
    (re.compile(r"(?i)\bdark(?:er|est)\b"), "mean_luma", "mean luma"),
)
"""What is no fault, but measured: the words, the fact that decides, what a sentence calls it."""


@dataclass(frozen=True)
class Weighed:
    """What the two pictures have of what was asked for, and how the question sees it."""

    values: tuple[float, float]
    least: float
    """Below this difference they are the same."""

    @property
    def difference(self) -> float:
        return self.values[0] - self.values[1]

    @property
    def winner(self) -> int | None:
        if abs(self.difference) < self.least:
            return None
        return 0 if self.difference > 0 else 1

    @property
    def confidence(self) -> float:
        return min(1.0, abs(self.difference) / 2)


def compares(reading: Reading) -> bool:
    """Whether a question puts one picture against the other, rather than asking about each."""
    if reading.options:
        sides = [_side(option) for option in reading.options]
        return 0 in sides and 1 in sides
    if reading.kind == "compare" or _AGAINST.search(reading.stem):
        return True
    if _BOTH.search(reading.stem) or _APART.search(reading.stem):
        return True
    return any(_comparative(reading, mention) for mention in reading.mentions)


def as_comparison(reading: Reading) -> Reading:
    """`How do they differ?` says nothing of quality; beside two pictures it can mean only that."""
    plain = not reading.technical and not reading.understood and not _TASTE.search(reading.stem)
    if not plain or not compares(reading):
        return reading
    kind: Kind = "choice" if reading.options else "yes-no" if _polar(reading) else "compare"
    return replace(reading, kind=kind, technical=True, understood=True)


def beside_reference(reading: Reading) -> Reading:
    """`What got lost?` says nothing of quality; beside a reference it can mean only that."""
    plain = not reading.technical and not reading.understood and not _TASTE.search(reading.stem)
    if not plain or not _FIDELITY.search(reading.stem):
        return reading
    kind: Kind = "choice" if reading.options else "yes-no" if _polar(reading) else "rate"
    if kind == "rate" and re.search(r"(?i)\bwhat\b", reading.stem):
        kind = "which"
    return replace(reading, kind=kind, technical=True, understood=True)


def _polar(reading: Reading) -> bool:
    """Whether yes or no is wanted."""
    opening = reading.tokens[0].text if reading.tokens else ""
    return opening in AUXILIARY and not _WHICH.search(reading.stem)


def preferred(reading: Reading, pair: Pair, notes: Notes) -> tuple[str, float]:
    """The picture that the question asks for, as an option where there are options."""
    weighed = _weighed(reading, pair, notes)
    winner = weighed.winner
    if reading.options:
        return _option(reading, winner), weighed.confidence
    if _polar(reading):
        return ("Yes" if _claimed(reading, winner) else "No"), weighed.confidence
    if _APART.search(reading.stem) and not subject_of(reading).concepts:
        return _difference(pair), weighed.confidence
    return (SAME if winner is None else NAMES[winner]), weighed.confidence


def each(reading: Reading, pair: Pair, answer: Callable[[Ground], tuple[str, float]]) -> str:
    """The answer for either picture, or for the one that the question names."""
    named = [place for place, words in enumerate(_PICTURES) if words.search(reading.stem)]
    if len(named) == 1 and _NAMED[named[0]].search(reading.stem):
        return answer(pair[named[0]])[0]
    return "; ".join(
        f"{name}: {answer(ground)[0]}" for name, ground in zip(NAMES, pair, strict=True)
    )


_NAMED = (re.compile(r"(?i)\b(?:first|1st|former)\b"), re.compile(r"(?i)\b(?:second|2nd|latter)\b"))


def tell(reading: Reading, pair: Pair, notes: Notes) -> None:
    """Both scores, what was asked about in both, the main distortion of each, and doubts."""
    for name, ground in zip(("first", "second"), pair, strict=True):
        own = Notes()
        scope = _scope(reading, ground)
        wording.verdict(own, ground, scope, which=name)
        _asked(own, name, reading, ground, scope)
        notes.sentences += own.sentences
        notes.used |= {f"{name}.{key}": value for key, value in own.used.items()}
    whole = not reading.regions and not subject_of(reading).concepts
    first, second = (ground.interval for ground in pair)
    if whole and first and second and _overlap(first, second):
        notes.say("The likely ranges overlap, so other people may see it the other way round.")
    warned = Ground({}, warnings=list(dict.fromkeys([*pair[0].warnings, *pair[1].warnings])))
    wording.caveats(notes, warned)


def _asked(notes: Notes, name: str, reading: Reading, ground: Ground, scope: str) -> None:
    """What the question names, in one picture; else the worst that is there."""
    seen = ground.seen(scope)
    about: dict[str, tuple[Concept, Seen]] = {}
    for concept in subject_of(reading).concepts:
        if (found := worst(matching(concept, seen))) is not None:
            about[found.name] = (concept, found)
    for concept, one in about.values():
        if one.severity == "none" or not one.applicable:
            fault = concept.called.capitalize() if concept.sign == "fault" else "A lack of it"
            notes.say(f"{fault} is not visible in the {name}.")
            notes.used[f"{one.name}.quality"] = one.quality
        else:
            wording.distortion(notes, ground, one, scope, f"In the {name}:")
    there = visible(seen)
    if about:
        return
    if there:
        lead = f"The main distortion of the {name} is"
        wording.distortion(notes, ground, there[0], scope, lead)
    elif seen:
        notes.say(f"No distortion could be named in the {name}.")


def _weighed(reading: Reading, pair: Pair, notes: Notes) -> Weighed:
    """The two values that the question is about; more of it wins."""
    physical = _physical(reading, pair, notes)
    if physical:
        return physical
    subject = subject_of(reading)
    grounds = [(ground, _scope(reading, ground)) for ground in pair]
    if subject.concepts:
        losses = [max(concept_loss(c, g.seen(s)) for c in subject.concepts) for g, s in grounds]
        good = any(concept.sign != "fault" for concept in subject.concepts)
        values = [5.0 - lost if good else lost for lost in losses]
    else:
        values = [ground.quality(scope) or 3.0 for ground, scope in grounds]
    sign = -1.0 if {token.text for token in reading.tokens} & _LESS else 1.0
    return Weighed((sign * values[0], sign * values[1]), _LEAST_DIFFERENCE)


def _physical(reading: Reading, pair: Pair, notes: Notes) -> Weighed | None:
    for words, fact, name in _PHYSICAL:
        if not words.search(reading.stem):
            continue
        values = [_fact(ground, fact) for ground in pair]
        if values[0] is None or values[1] is None:
            return None
        first, second = values[0], values[1]
        notes.say(f"The {name} is {first:.0f} in the first and {second:.0f} in the second.")
        notes.used |= {f"first.{fact}": first, f"second.{fact}": second}
        sign = -1.0 if re.search(r"(?i)\bdark", reading.stem) else 1.0
        least = _LEAST_SHARE * max(abs(first), abs(second), 1.0)
        return Weighed((sign * first, sign * second), least)
    return None


def _fact(ground: Ground, name: str) -> float | None:
    return next((one.facts[name] for one in ground.seen() if name in one.facts), None)


def _scope(reading: Reading, ground: Ground) -> str:
    return next((name for name in reading.regions if name in ground.detections), GLOBAL)


def _claimed(reading: Reading, winner: int | None) -> bool:
    """Whether what a yes-or-no question says of the pictures holds."""
    if _BOTH.search(reading.stem):
        return winner is None
    if _APART.search(reading.stem):
        return winner is not None
    first, second = (words.search(reading.stem) for words in _PICTURES)
    subject = 1 if second and (not first or second.start() < first.start()) else 0
    return winner == subject


def _difference(pair: Pair) -> str:
    """What one has and the other has not, in words."""
    losses = [{one.name: loss(one) for one in visible(ground.seen())} for ground in pair]
    names = {one.name: called(one) for ground in pair for one in visible(ground.seen())}
    gaps = {name: losses[0].get(name, 0.0) - losses[1].get(name, 0.0) for name in names}
    most = max(gaps, key=lambda name: (abs(gaps[name]), name), default="")
    if not most or abs(gaps[most]) < _LEAST_DIFFERENCE:
        return SAME
    return f"{NAMES[0] if gaps[most] > 0 else NAMES[1]} has more {names[most]}"


def _option(reading: Reading, winner: int | None) -> str:
    """The winner in the question's own options."""
    for option in reading.options:
        if _side(option) == winner and (winner is not None or _BOTH.search(option.text)):
            return option.answer
    return SAME if winner is None else NAMES[winner]


def _side(option: Option) -> int | None:
    """Which picture an option stands for; None for both or for something else."""
    if _BOTH.search(option.text):
        return None
    sides = [place for place, words in enumerate(_PICTURES) if words.search(option.text)]
    return sides[0] if len(sides) == 1 else None


def _comparative(reading: Reading, mention: Mention) -> bool:
    words = reading.tokens[mention.first : mention.last]
    return any(word.text.endswith(("er", "est")) for word in words)


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])
