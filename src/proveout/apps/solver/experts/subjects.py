"""Projects and customers in a text, by the stretches that speak of them most."""

import re
from collections.abc import Iterator
from typing import Literal

from proveout.apps.solver.experts.canvas import Canvas
from proveout.apps.solver.experts.concepts import signs
from proveout.apps.solver.experts.language import small_word
from proveout.apps.solver.experts.mention import Mention
from proveout.apps.solver.resolve.folding import similar, word_set, words
from proveout.apps.solver.resolve.gazetteer import DULL
from proveout.apps.solver.resolve.index import NEAR, PhraseIndex
from proveout.apps.solver.resolve.places import spot_places
from proveout.apps.solver.resolve.resolution import Resolution

_PROJECT_WORDS = ("project", "projekt", "progett", "projet", "proyect", "proekt")
_Subject = Literal["project", "customer"]
_AND_WORDS = word_set("and und e ed et y i 和 与")
_IN_WORDS = word_set("in at near en à a u v nel na bei 在")
_COPULAS = word_set("is are was were be as works work acts act als ist è est es je")
_SEVERAL = 2
_LONGEST_LEAD = 6
_SHORTEST = 2
_TOLD = 0.65
"""How well a word must fit a thing to be told of it."""
_OR_WORDS = word_set("or oder oppure ou ili versus vs или либо 或")
_LONGEST_NAME = 8
_END = re.compile(r"[?!:;。？！：；\n]|\.\s")


def subjects(canvas: Canvas) -> None:
    """Projects and customers, by the stretches of text that speak of them most."""
    for _ in range(4):
        project, customer = _aligned(canvas, "project"), _aligned(canvas, "customer")
        if project and customer:
            rivals = (customer[1], _as_customer(canvas, project[1]))
            if any(_only_customer(canvas, project[1], it) for it in rivals) or _called(
                canvas, customer[1], "CUSTOMER"
            ):
                project = None
        best = max((it for it in (project, customer) if it), key=lambda it: it[0], default=None)
        if best is None:
            return
        canvas.take(iter([best[1]]))


def _as_customer(canvas: Canvas, project: Mention) -> Mention:
    """The words that were taken for a project, taken for a customer."""
    found = canvas.gazetteer.customer(project.text)
    ids = tuple(it.id for it in found.candidates)
    return Mention("customer", project.text, project.start, project.end, ids, _top(found))


def whole_projects(canvas: Canvas) -> Iterator[Mention]:
    """Projects by their whole names of several words, whatever else a word of them may mean."""
    named = [(it.id, it.name) for it in canvas.gazetteer.names.projects]
    places: dict[tuple[int, int], list[str]] = {}
    for first, last, id_ in canvas.windows(named):
        if last - first > 1:
            places.setdefault((first, last), []).append(id_)
    for (first, last), ids in places.items():
        yield canvas.mention("project", first, last, tuple(ids))


def in_project_name(canvas: Canvas, place: int) -> bool:
    """Whether a word belongs to the words around it, which together are a project."""
    first = last = place
    while first > 0 and _names_on(canvas, first - 1, first):
        first -= 1
    while last + 1 < len(canvas.tokens) and _names_on(canvas, last + 1, last):
        last += 1
    if first == last or last - first >= _LONGEST_NAME:
        return False
    text = canvas.text[canvas.tokens[first].start : canvas.tokens[last].end]
    return canvas.gazetteer.project(text).status == "found"


def _names_on(canvas: Canvas, new: int, old: int) -> bool:
    left, right = sorted((new, old))
    between = canvas.text[canvas.tokens[left].end : canvas.tokens[right].start]
    plain = not canvas.ordinary(canvas.tokens[new]) and between in {" ", "-"}
    return plain and canvas.free[new] and canvas.tokens[new].folded not in DULL


def _aligned(canvas: Canvas, kind: _Subject) -> tuple[float, Mention] | None:
    index: PhraseIndex = (
        canvas.gazetteer.projects if kind == "project" else canvas.gazetteer.customers
    )
    if not len(index):
        return None
    dull = frozenset(
        token.folded
        for token, free in zip(canvas.tokens, canvas.free, strict=True)
        if not free or canvas.ordinary(token)
    )
    for span in index.spans(canvas.tokens, dull, _breaks(canvas))[:12]:
        first, last = _trimmed(canvas, *_grown(canvas, *_trimmed(canvas, span.first, span.last)))
        first = _told_before(canvas, index, first, span.key)
        if first >= last or not all(canvas.free[first:last]) or not _telling(canvas, first, last):
            continue
        mention, found = _resolved(canvas, kind, first, last)
        ids = tuple(it.id for it in found.candidates)
        if not ids and not _proper(canvas, first, last):
            continue
        if kind == "customer" and ids and _only_place(canvas, mention, ids):
            continue
        score = found.candidates[0].score if ids else 0.0
        rank = span.gain * (1.0 if len(ids) == 1 else 0.7 if ids else 0.1)
        if not ids and kind == "project" and not _called(canvas, mention, "PROJECT"):
            continue
        return rank, Mention(kind, mention.text, mention.start, mention.end, ids, score)
    return None


def _resolved(canvas: Canvas, kind: _Subject, first: int, last: int) -> tuple[Mention, Resolution]:
    """What a stretch means, without words at its beginning that add nothing to it.

    `done for the ferry line` means the ferry line. Of two names with `and` between them it is the
    first, if both together mean nothing certain.
    """
    find = canvas.gazetteer.project if kind == "project" else canvas.gazetteer.customer
    mention = canvas.mention(kind, first, last)
    found = find(mention.text)
    key = found.candidates[0].id if found.candidates else ""
    for begin in _later_starts(canvas, kind, first, last, key):
        shorter = canvas.mention(kind, begin, last)
        again = find(shorter.text)
        if again.candidates and again.candidates[0].score >= _top(found):
            first, mention, found = begin, shorter, again
    if len(found.candidates) < _SEVERAL:
        return mention, found
    for place in range(first + 1, last - 1):
        if canvas.tokens[place].folded in _AND_WORDS:
            halves = [canvas.mention(kind, first, place), canvas.mention(kind, place + 1, last)]
            meant = [find(half.text) for half in halves]
            if all(len(it.candidates) == 1 for it in meant):
                return halves[0], meant[0]
    breaks = _breaks(canvas)
    for begin in range(first - 1, max(-1, first - _LONGEST_LEAD), -1):
        # `change of vendor for the gate`: words that ask elsewhere may tell two projects apart.
        if not canvas.free[begin] or begin + 1 in breaks:
            break
        longer = canvas.mention(kind, begin, last)
        again = find(longer.text)
        if len(again.candidates) == 1 and again.candidates[0] in found.candidates:
            return longer, again
    return mention, found


def _later_starts(canvas: Canvas, kind: _Subject, first: int, last: int, key: str) -> list[int]:
    """Where else a name may begin: after words that ask or join, or after one and `for`.

    What is known of the thing meant belongs to its name: `the paused gate project`.
    """
    known = canvas.gazetteer.projects if kind == "project" else canvas.gazetteer.customers
    starts = []
    for place in range(first, min(last - 1, first + _LONGEST_LEAD)):
        token, after = canvas.tokens[place], canvas.tokens[place + 1]
        idle = small_word(token.folded) or canvas.ordinary(token)
        told = not small_word(token.folded) and known.matches(token.folded).get(key, 0.0) > _TOLD
        if told or not token.raw.islower() or not (idle or small_word(after.folded)):
            break
        starts.append(place + 1)
    return starts


def _top(found: Resolution) -> float:
    return found.candidates[0].score if found.candidates else 0.0


def _only_place(canvas: Canvas, mention: Mention, ids: tuple[str, ...]) -> bool:
    """Whether `in` and the name of a place are all that is said, and no one customer has it."""
    named = any(
        set(words(canvas.gazetteer.customers.name(it))) & set(words(mention.text)) for it in ids
    )
    if len(ids) == 1 and named:
        return False
    before = [it.folded for it in canvas.tokens if it.end <= mention.start][-1:]
    spans = ((start, end) for _, start, end in spot_places(canvas.text))
    whole = any(start <= mention.start and mention.end <= end for start, end in spans)
    return whole and (not named or (bool(before) and before[0] in _IN_WORDS))


def _only_customer(canvas: Canvas, project: Mention, customer: Mention) -> bool:
    """Whether words taken for a project merely repeat the name of its customer."""
    if project.end <= customer.start or customer.end <= project.start or not customer.certain:
        return False
    said = [it for it in words(project.text) if it not in DULL and not small_word(it)]
    if any(it.startswith(_PROJECT_WORDS) for it in words(project.text)):
        return False
    name = set(words(canvas.gazetteer.customers.name(customer.ids[0])))
    if all(any(similar(it, own) >= NEAR or _shortens(own, it) for own in name) for it in said):
        return True
    longer = customer.end - customer.start >= project.end - project.start
    return longer and customer.score > max(project.score - 0.05, 0.7)


def _shortens(short: str, word: str) -> bool:
    """Whether a word is written with some of the letters of another: `grp`, `intl`."""
    letters = iter(word)
    some = _SHORTEST <= len(short) < len(word) and short[0] == word[0]
    return some and all(letter in letters for letter in short)


def _called(canvas: Canvas, mention: Mention, concept: str) -> bool:
    """Whether the word for a thing stands right before its name."""
    before = [place for place, it in enumerate(canvas.tokens) if it.end <= mention.start]
    return any(
        it.concept == concept and before and it.last - 1 == before[-1]
        for it in signs(canvas.tokens, [True] * len(canvas.tokens))
    )


def _proper(canvas: Canvas, first: int, last: int) -> bool:
    """Two words with capitals, not at the beginning of a sentence: somebody's name."""
    return sum(token.capital for token in canvas.tokens[max(first, 1) : last]) >= 2


def _breaks(canvas: Canvas) -> frozenset[int]:
    """Tokens before which a name cannot go on: after `or`, a colon, the end of a sentence."""
    pairs = zip(canvas.tokens, canvas.tokens[1:], strict=False)
    taken = {
        near for place, free in enumerate(canvas.free) if not free for near in (place, place + 1)
    }
    return frozenset(taken) | frozenset(
        place
        for place, (left, right) in enumerate(pairs, 1)
        if right.folded in _OR_WORDS
        or left.folded in _OR_WORDS
        or _END.search(canvas.text[left.end : right.start])
        or ("," in canvas.text[left.end : right.start] and canvas.ordinary(right))
    )


def _trimmed(canvas: Canvas, first: int, last: int) -> tuple[int, int]:
    while first < last and (canvas.tokens[first].folded in DULL or not canvas.free[first]):
        first += 1
    if first + 1 < last and canvas.tokens[first].folded in _COPULAS:
        first += 1  # `Who is engineer on …`
    while first + 1 < last and canvas.ordinary(canvas.tokens[first]):
        # `Engineer on …` asks for an engineer; a name seldom begins with such a pair.
        if not small_word(canvas.tokens[first + 1].folded):
            break
        first += 2
    while last > first and (canvas.tokens[last - 1].folded in DULL or not canvas.free[last - 1]):
        last -= 1
    return first, last


def _told_before(canvas: Canvas, index: PhraseIndex, first: int, key: str) -> int:
    """Where a name begins if `… of` before it is told of the thing, too: `change of vendor`."""
    while first >= _SEVERAL and canvas.tokens[first - 1].folded == "of":
        noun = canvas.tokens[first - 2]
        if not canvas.free[first - 2] or index.matches(noun.folded).get(key, 0.0) <= _TOLD:
            break
        first -= 2
    return first


def _grown(canvas: Canvas, first: int, last: int) -> tuple[int, int]:
    """A name goes on while capital letters do."""
    while last < len(canvas.tokens) and _goes_on(canvas, last - 1, last, last):
        last += 1
    while first > 0 and first < last and _goes_on(canvas, first - 1, first, first - 1):
        first -= 1
    return first, last


def _goes_on(canvas: Canvas, left: int, right: int, new: int) -> bool:
    token = canvas.tokens[new]
    between = canvas.text[canvas.tokens[left].end : canvas.tokens[right].start]
    return (
        canvas.free[new]
        and (token.capital or between == "-")
        and between in {" ", "-", " & "}
        and not canvas.ordinary(token)
        and (new > 0 or between == "-")
    )


def _telling(canvas: Canvas, first: int, last: int) -> bool:
    """A name needs two words of its own, or one that looks like a name."""
    own = [
        place
        for place in range(first, last)
        if not canvas.ordinary(canvas.tokens[place])
        and canvas.tokens[place].folded not in DULL
        and len(canvas.tokens[place].folded) > 1
    ]
    named = any(
        (canvas.tokens[place].capital and not canvas.opens(place))
        or not canvas.tokens[place].raw.isascii()
        for place in own
    )
    return len(own) > 1 or (named and len(own) == 1)
