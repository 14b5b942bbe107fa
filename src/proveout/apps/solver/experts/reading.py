"""A task as understood so far: language, concepts, mentions, and the words nobody has claimed."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from proveout.apps.solver.experts.concepts import Sign, signs
from proveout.apps.solver.experts.implied import implied, in_a_name
from proveout.apps.solver.experts.language import Language, detect, small_word
from proveout.apps.solver.experts.mentions import Kind, Mention, mentions
from proveout.apps.solver.experts.untrusted import claims, spoken_for
from proveout.apps.solver.resolve.folding import Token, tokens, word_set
from proveout.apps.solver.resolve.gazetteer import DULL, Gazetteer

_CLAUSE_END = re.compile(r"\.(?=\s*$|\s+[^a-zа-я\s])|[!?;](?=\s|$)|\n|[。！？；]")
"""A full stop before a small letter ends an abbreviation."""
_NAMES: frozenset[Kind] = frozenset(
    {"person", "contact", "project", "customer", "department", "location", "skill", "will"}
)


@dataclass(frozen=True)
class Reading:
    text: str
    requester: str
    """Id of whoever asks, empty for a guest."""
    mentions: tuple[Mention, ...]
    hidden: tuple[tuple[int, int], ...]
    """Stretches that are no part of the request: claims, fake instructions, what not to do."""

    @cached_property
    def language(self) -> Language:
        return detect(self.text)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tokens(self.text)

    @cached_property
    def _free(self) -> list[bool]:
        return [
            not any(token.start < it.end and it.start < token.end for it in self.mentions)
            and not self._is_hidden(token)
            for token in self.tokens
        ]

    @cached_property
    def _open(self) -> list[bool]:
        """Tokens that may express a concept: words for days may be part of a question."""
        return [
            not any(
                token.start < it.end and it.start < token.end
                for it in self.mentions
                if it.kind != "date"
            )
            and not self._is_hidden(token)
            for token in self.tokens
        ]

    @cached_property
    def signs(self) -> tuple[Sign, ...]:
        said = signs(self.tokens, self._open, self.language)
        crossed = (Sign("SWAP", 0, 1),) if self._crossed else ()
        return (
            *(it for it in said if not in_a_name(it, self.tokens)),
            *implied(self.text, self.tokens, self.shows),
            *crossed,
        )

    @cached_property
    def _crossed(self) -> bool:
        """`A gets what B has, and B what A has`, on a project."""
        named = [it.ids for it in self.people()]
        turned = len(named) == _CROSSED and named == named[::-1] and named[0] != named[1]
        return turned and bool(self.of("project"))

    @cached_property
    def _veil(self) -> tuple[list[int], list[int]]:
        """The hidden stretches in order, with none inside another: their starts and their ends."""
        starts: list[int] = []
        ends: list[int] = []
        for start, end in sorted(self.hidden):
            if ends and start <= ends[-1]:
                ends[-1] = max(ends[-1], end)
            else:
                starts.append(start)
                ends.append(end)
        return starts, ends

    def shows(self, token: Token) -> bool:
        """Whether a word is part of the request."""
        return not self._is_hidden(token)

    def _is_hidden(self, token: Token) -> bool:
        starts, ends = self._veil
        place = bisect_left(starts, token.end) - 1
        return place >= 0 and token.start < ends[place]

    @cached_property
    def concepts(self) -> frozenset[str]:
        return frozenset(sign.concept for sign in self.signs) - {"SMALL_TALK"}

    def has(self, *concepts: str) -> bool:
        """Whether any of the concepts is expressed."""
        return any(concept in self.concepts for concept in concepts)

    def of(self, *kinds: Kind) -> list[Mention]:
        return [it for it in self.mentions if it.kind in kinds]

    def first(self, *kinds: Kind) -> Mention | None:
        return next(iter(self.of(*kinds)), None)

    def people(self) -> list[Mention]:
        """People meant, the requester too if named."""
        return self.of("person")

    def is_requester(self, mention: Mention) -> bool:
        return mention.ids == (self.requester,) and bool(self.requester)

    def where(self, concept: str) -> list[int]:
        """Characters at which a concept begins."""
        return [self.tokens[it.first].start for it in self.signs if it.concept == concept]

    def negated(self, *concepts: str) -> bool:
        """Whether a word for `not` stands right before every expression of the concepts."""
        nots = {it.last for it in self.signs if it.concept in {"NOT", "DO_NOT"}}
        said = [it.first for it in self.signs if it.concept in concepts]
        return bool(said) and all(any(place - gap in nots for gap in (0, 1)) for place in said)

    def beside(self, concept: str) -> Mention | None:
        """An unknown phrase right before or after a word: `the package project`."""
        edges = [
            (self.tokens[it.first].start, self.tokens[it.last - 1].end)
            for it in self.signs
            if it.concept == concept
        ]
        for phrase in self.residue:
            for start, end in edges:
                if 0 <= start - phrase.end <= 1 or 0 <= phrase.start - end <= 2:
                    return phrase
        return None

    def near(self, mention: Mention, *concepts: str, reach: int = 40) -> bool:
        """Whether a concept stands close to a mention."""
        for sign in self.signs:
            if sign.concept in concepts:
                start, end = self.tokens[sign.first].start, self.tokens[sign.last - 1].end
                if start - mention.end <= reach and mention.start - end <= reach:
                    return True
        return False

    def after(self, place: int, kind: Kind, reach: int = 60) -> Mention | None:
        """The first mention of a kind that follows a place closely."""
        later = [it for it in self.of(kind) if place <= it.start <= place + reach]
        return min(later, key=lambda it: it.start, default=None)

    @cached_property
    def residue(self) -> tuple[Mention, ...]:
        """Runs of words without any meaning so far, as phrases: names nobody knows."""
        asked = {place for sign in self.signs for place in range(sign.first, sign.last)}
        runs: list[list[int]] = [[]]
        for place, free in enumerate(self._free):
            token = self.tokens[place]
            breaks = place > 0 and _CLAUSE_END.search(
                self.text[self.tokens[place - 1].end : token.start]
            )
            if breaks and runs[-1]:
                runs.append([])
            if free and place not in asked:
                runs[-1].append(place)
            elif runs[-1]:
                runs.append([])
        found = [self._phrase(run) for run in runs]
        return tuple(it for it in found if it is not None)

    def _phrase(self, run: list[int]) -> Mention | None:
        def empty(place: int) -> bool:
            folded = self.tokens[place].folded
            return folded in DULL or small_word(folded) or folded in _FILLERS

        while run and empty(run[0]):
            run = run[1:]
        while run and empty(run[-1]):
            run = run[:-1]
        if not run:
            return None
        start, end = self.tokens[run[0]].start, self.tokens[run[-1]].end
        named = any(self._like_a_name(self.tokens[it]) for it in run)
        return Mention("quote", self.text[start:end], start, end, (), 0.6 if named else 0.3)

    def _like_a_name(self, token: Token) -> bool:
        """A capital that no beginning of a sentence explains, or letters beyond ASCII."""
        before = self.text[max(0, token.start - _NEAR) : token.start]
        opens = token.start == 0 or _SENTENCE.search(before) is not None
        return (token.capital and not opens) or not token.raw.isascii()

    def place(self) -> Mention | None:
        """An unknown name right after a word for `in`."""
        for phrase in self.residue:
            before = self.text[: phrase.start].rstrip("'’ ").casefold()
            if phrase.score > 0.5 and _IN.search(before):
                return phrase
            inside = _IN_NAME.search(phrase.text)
            if inside:
                start = phrase.start + inside.start(1)
                return Mention("quote", inside.group(1), start, phrase.end, (), 0.6)
        return None

    def unknown_name(self) -> Mention | None:
        """The best guess at a name that nobody has heard of."""
        return max(self.residue, key=lambda it: (it.score, len(it.text)), default=None)


_NEAR = 6
_SENTENCE = re.compile(r"[.!?\n。！？]\s*[¿¡\"'(]*$")
_CROSSED = 4
_IN = re.compile(r"(?:\b(?:in|at|near|to|à|a|en|u|v|bei|nach|au|aux|de|из|в)|在)$")
_IN_NAME = re.compile(r"(?:^|\s)(?:in|at|near|to|à|a|en|u|bei|nach|au|aux|в)\s+([A-ZÀ-ÞА-Я].*)$")
_FILLERS = word_set(
    "please exact exactly current currently kindly thanks thank hello hi bitte danke hallo genau"
    " exakt per favore grazie ciao salve esatto merci bonjour exact svp gracias hola exacto molim"
    " hvala zdravo tacno tacan pozhaluista spasibo tochnaia 请 问 谢 的 是 在 有 了 吗 呢 和 请问"
    " immediately completely entirely now asap"
)


def read(text: str, requester: str, gazetteer: Gazetteer) -> Reading:
    """The first reading of a text."""
    return reading_of(text, requester, mentions(text, gazetteer))


def reading_of(text: str, requester: str, found: Iterable[Mention]) -> Reading:
    """A reading with claims, fake instructions and exclusions taken out of it."""
    found = _stored(text, requester, tuple(found))
    pretended = claims(text)
    if any(start == 0 and not text[end:].strip() for start, end in pretended):
        # Nothing else is said: what follows such a heading is the request.
        pretended = tuple((start, text.find(":", start, end) + 1) for start, end in pretended)
    hidden = (
        *pretended,
        *_sponsors(text, found),
        *_exclusions(text, requester, found),
        *_preamble(text, requester, found),
    )
    kept = tuple(
        it for it in found if not any(it.start < end and start < it.end for start, end in hidden)
    )
    return Reading(text, requester, kept, hidden)


def _sponsors(text: str, found: tuple[Mention, ...]) -> list[tuple[int, int]]:
    """`On behalf of A: B gets …`: A lends no authority, and is not whom it is about.

    If nobody else is named, A is: `On behalf of A, log three hours`.
    """
    hidden = []
    for start, end in spoken_for(text):
        inside = {it.ids for it in found if it.kind == "person" and start <= it.start < end}
        others = [it for it in found if it.kind == "person" and it.start >= end]
        if inside and any(it.ids not in inside for it in others):
            hidden.append((start, end))
    return hidden


_IDLE = word_set(
    "HOW_WORD ME MY MEETING WHICH LIST YOU_WE HOURS AND NOT ALL EMPLOYEE BUSY HOW_MANY ONLY "
    "WHO WHERE EITHER DO_NOT MOST LEAST DATE_ASK FREE SHALL DAY_WORD REACH CHECK SELF"
)
"""Concepts that an opening such as `I am in a hurry` may touch without asking for anything."""
_OPENING = re.compile(r"[.!?:,;—–。：，！？]\s*(?=\S)|\n")
_LONGEST_OPENING = 9
_MOST_OPENINGS = 60


def _preamble(text: str, requester: str, found: tuple[Mention, ...]) -> list[tuple[int, int]]:
    """Small talk at the beginning: few words, no names, nothing asked."""
    start = 0
    for _ in range(_MOST_OPENINGS):
        match = _OPENING.search(text, start)
        if match is None:
            return [(0, start)] if start else []
        opening = Reading(text[start : match.start()], requester, (), ())
        named = any(it.start < match.start() and start < it.end for it in found)
        # A place that nobody knows is told in an opening, too.
        named = named or (opening.language != "de" and bool(_IN_NAME.search(opening.text)))
        long = len(opening.tokens) > _LONGEST_OPENING
        if named or long or opening.concepts - _IDLE:
            return [(0, start)] if start else []
        start = match.end()
    return [(0, start)]


_STORED = re.compile(r"[:：]\s*(?=\S)")


def _stored(text: str, requester: str, found: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """A note that follows a colon is one quote: nothing in it is asked or meant."""
    colon = _STORED.search(text)
    if colon is None or any(it.kind in {"quote", "page"} for it in found):
        return found
    head = Reading(text[: colon.start()], requester, (), ())
    writes = head.has("NOTE") and head.has("ADD", "UPDATE", "REPLACE", "CREATE", "SHALL", "LOG")
    writes = writes or any(it.concept == "NOTE" and it.first == 0 for it in head.signs)
    whose = [it for it in found if it.end <= colon.start() and it.kind != "number"]
    if not writes or not whose or head.has("CHECK", "IF", "APPLY", "HOURS", "LEVEL"):
        return found
    end = len(text.rstrip())
    kept = tuple(it for it in found if it.end <= colon.start())
    return (*kept, Mention("quote", text[colon.end() : end], colon.end(), end))


def clauses(text: str) -> list[tuple[int, int]]:
    """Sentences of a text by their places."""
    found, start = [], 0
    for match in _CLAUSE_END.finditer(text):
        found.append((start, match.end()))
        start = match.end()
    found.append((start, len(text)))
    return [(first, last) for first, last in found if text[first:last].strip()]


_SEGMENT = re.compile(
    r"[.!?;,](?=\s|$)|[。！？；，]|\n|\b(?:but|and|aber|und|ma|mais|pero|ali|но)\b"
)


def _segments(text: str) -> list[tuple[int, int]]:
    """Parts of sentences, each with the mark or word that begins it left out."""
    ends = [*(match.span() for match in _SEGMENT.finditer(text)), (len(text), len(text))]
    starts = [0, *(end for _, end in ends)]
    found = [(start, end) for start, (end, _) in zip(starts, ends, strict=False)]
    return [(start, end) for start, end in found if text[start:end].strip()]


def _exclusions(text: str, requester: str, mentioned: tuple[Mention, ...]) -> list[tuple[int, int]]:
    """Sentences that say what is not to be done: they are obeyed by not doing it."""
    found = []
    swaps = Reading(text, requester, (), ()).has("SWAP")
    for start, end in _segments(text):
        named = tuple(
            replace(it, start=it.start - start, end=it.end - start)
            for it in mentioned
            if it.start < end and start < it.end and it.kind in _NAMES
        )
        bare = Reading(text[start:end], requester, named, ())
        opening = [it for it in bare.signs if it.first <= 2]
        forbids = any(it.concept == "DO_NOT" for it in opening)
        changes = bare.has("UPDATE", "RAISE", "REDUCE", "DELETE", "ADD")
        if swaps and bare.has("ROLE", "SLICE", "WORKLOAD"):
            continue  # What two people exchange, and what not, is told together.
        if start > 0 and ((forbids and changes) or _left_alone(bare)):
            found.append((start, end))
    return found


def _left_alone(clause: Reading) -> bool:
    """`Leave the salary as it is`."""
    opening = {it.concept for it in clause.signs if it.first == 0}
    swaps = clause.has("SWAP") and not clause.has("DO_NOT")
    return clause.has("STAY") and not swaps and not opening & {"SWAP", "RAISE", "REDUCE", "DELETE"}
