"""Typed mentions in a task text: ids, quotes, dates, amounts, and everything with a name.

Longest match first; what one mention covers is hidden from the next kind. A mention says which
words of the text are meant and what they may stand for; whether that is so is for the tools to say.
"""

from collections.abc import Iterator
from dataclasses import replace

from proveout.apps.solver.experts import forms
from proveout.apps.solver.experts.canvas import Canvas
from proveout.apps.solver.experts.concepts import lexicon, signs
from proveout.apps.solver.experts.language import small_word
from proveout.apps.solver.experts.mention import Kind, Mention
from proveout.apps.solver.experts.subjects import in_project_name, subjects, whole_projects
from proveout.apps.solver.resolve.abilities import covers
from proveout.apps.solver.resolve.folding import Token, fold, word_set, words
from proveout.apps.solver.resolve.gazetteer import DULL, Gazetteer
from proveout.apps.solver.resolve.persons import People
from proveout.apps.solver.resolve.places import spot_places

__all__ = ["Kind", "Mention", "mentions"]

LONGEST_TEXT = 20_000
"""Characters of a task that are read."""
_ABILITY_SIGNS = frozenset(
    {"SKILL", "WILL", "STRONG", "SKILLED", "EAGER", "LEVEL", "REFLECT", "AT_LEAST"}
)
_BESIDE = 2
_DEPARTMENT_WORDS = ("depart", "abteil", "bereich", "repart", "dipart", "odelj", "sektor", "otdel",
                     "division", "部")  # fmt: skip
_FROM_WORDS = word_set("from in aus im dal dalla nel nella du dans de del en iz u v iz of")
_IN_WORDS = ("in", "in the", "aus", "from", "en", "nei", "aux", "in den", "u", "based in")


def mentions(text: str, gazetteer: Gazetteer) -> tuple[Mention, ...]:
    """All mentions in the order of the text; of a very long one, in its beginning and its end."""
    if len(text) <= LONGEST_TEXT:
        return _mentions(text, gazetteer)
    half = LONGEST_TEXT // 2
    offset = len(text) - half
    last = _mentions(text[offset:], gazetteer)
    moved = (replace(it, start=it.start + offset, end=it.end + offset) for it in last)
    return (*_mentions(text[:half], gazetteer), *moved)


def _mentions(text: str, gazetteer: Gazetteer) -> tuple[Mention, ...]:
    canvas = Canvas(text, gazetteer)
    canvas.take(forms.ids(canvas))
    canvas.take(forms.paths(canvas))
    canvas.take(forms.quotes(canvas))
    canvas.take(_dates(canvas))
    canvas.take(forms.codes(canvas))
    canvas.take(whole_projects(canvas))
    canvas.take(_whole_departments(canvas))
    canvas.take(_abilities(canvas))
    canvas.take(forms.plain_ids(canvas))
    canvas.take(_covered_abilities(canvas, loosely=False))
    canvas.take(_whole_names(canvas, canvas.gazetteer.people, "person"))
    canvas.take(_whole_names(canvas, canvas.gazetteer.contacts, "contact"))
    canvas.take(_locations(canvas))
    subjects(canvas)
    canvas.take(_covered_abilities(canvas, loosely=True))
    canvas.take(_places(canvas))
    canvas.take(_departments(canvas))
    canvas.take(_single_names(canvas))
    canvas.take(forms.numbers(canvas))
    return tuple(sorted(canvas.found, key=lambda it: it.start))


def _whole_departments(canvas: Canvas) -> Iterator[Mention]:
    names = canvas.gazetteer.names.departments
    known = canvas.gazetteer
    abilities = {words(known.label(it)) for it in (*known.skills, *known.wills)}
    longer = [(it.start, it.end) for it in _abilities(canvas)]
    for first, last, id_ in canvas.windows([(it, it) for it in names]):
        if words(id_) in abilities and not _as_department(canvas, first, last):
            continue
        start, end = canvas.tokens[first].start, canvas.tokens[last - 1].end
        if any(
            begin <= start and end <= stop and stop - begin > end - start for begin, stop in longer
        ):
            continue  # `Plant health rules` may be taught where `Plant health` is a department.
        if last - first > 1 or canvas.nameable(first):
            yield canvas.mention("department", first, last, (id_,))


def _as_department(canvas: Canvas, first: int, last: int) -> bool:
    """Whether a name that is an ability's as well is used as a department's."""
    near = canvas.tokens[max(0, first - 3) : last + 3]
    if any(fold(it.raw).startswith(_DEPARTMENT_WORDS) for it in near):
        return True
    able = any(it.concept in _ABILITY_SIGNS for it in signs(canvas.tokens, canvas.free))
    return not able and first > 0 and canvas.tokens[first - 1].folded in _FROM_WORDS


def _departments(canvas: Canvas) -> Iterator[Mention]:
    for first, token in enumerate(canvas.tokens):
        if not canvas.free[first] or not canvas.nameable(first) or _names_role(canvas, first):
            continue
        for size in (4, 3, 2, 1):
            if first + size > len(canvas.tokens) or not all(canvas.free[first : first + size]):
                continue
            phrase = canvas.text[token.start : canvas.tokens[first + size - 1].end]
            edges = (token, canvas.tokens[first + size - 1])
            if size > 1 and any(_joins(it) for it in edges):
                continue
            inner = canvas.tokens[first + 1 : first + size]
            if fold(token.raw).startswith(_DEPARTMENT_WORDS) and any(map(_joins, inner)):
                continue  # `Department of the designer` asks for one.
            found = canvas.gazetteer.department(phrase)
            if found.status == "found" and _department_like(canvas, first, size, phrase):
                yield canvas.mention(
                    "department", first, first + size, (found.candidates[0].id,), 0.8
                )
                break


_ROLES = word_set("engineer designer")
_SHORT_ROLES = word_set("qa ops")
_ARTICLES = word_set("the a an as s der die den dem als il lo la un le une el uno")


def _names_role(canvas: Canvas, place: int) -> bool:
    """`The designer` is somebody, even where a department is called Systems Design."""
    word = canvas.tokens[place].folded
    led = place > 0 and canvas.tokens[place - 1].folded in _ARTICLES
    return word in _ROLES or (word in _SHORT_ROLES and led)


def _joins(token: Token) -> bool:
    """A word that no name begins or ends with; `IT` is a name."""
    return token.folded in DULL or (small_word(token.folded) and not token.raw.isupper())


def _department_like(canvas: Canvas, first: int, size: int, phrase: str) -> bool:
    """A part of a department's name counts beside the word, after `in` or `from`, or as HR."""
    near = canvas.tokens[max(0, first - 3) : first + size + 3]
    named = any(fold(it.raw).startswith(_DEPARTMENT_WORDS) for it in near)
    short = phrase.isupper() and len(phrase) <= 4
    led = first > 0 and canvas.tokens[first - 1].folded in _FROM_WORDS
    return named or short or (led and size == 1)


def _abilities(canvas: Canvas) -> Iterator[Mention]:
    names = canvas.gazetteer.names
    known: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("skill", canvas.gazetteer.skills),
        ("will", canvas.gazetteer.wills),
    )
    for kind, ids in known:
        labelled = [(it, names.labels[it]) for it in ids if names.labels.get(it)]
        for first, last, id_ in canvas.windows(labelled):
            if last - first > 1 or not in_project_name(canvas, first):
                yield canvas.mention(kind, first, last, (id_,))


def _covered_abilities(canvas: Canvas, *, loosely: bool) -> Iterator[Mention]:
    """Abilities by the words of their ids, where the text speaks of abilities at all.

    One word is enough beside such speech; farther away it must not be a word of the request.
    """
    names = canvas.gazetteer
    said = [it for it in signs(canvas.tokens, canvas.free) if it.concept in _ABILITY_SIGNS]
    if not said:
        return
    keys = [
        token.folded if free else "" for token, free in zip(canvas.tokens, canvas.free, strict=True)
    ]
    for cover in covers(keys, (*names.skills, *names.wills), _breaks(canvas)):
        near = any(
            it.first - cover.last <= _BESIDE and cover.first - it.last <= _BESIDE for it in said
        )
        ordinary = canvas.ordinary(canvas.tokens[cover.first])
        if cover.size > 1 or near or (loosely and not ordinary):
            kind: Kind = "skill" if cover.id in names.skills else "will"
            yield canvas.mention(kind, cover.first, cover.last, (cover.id,), 0.9)


def _breaks(canvas: Canvas) -> frozenset[int]:
    """Tokens that punctuation parts from the one before; a slash belongs to a name."""
    pairs = zip(canvas.tokens, canvas.tokens[1:], strict=False)
    return frozenset(
        place
        for place, (left, right) in enumerate(pairs, 1)
        if set(canvas.text[left.end : right.start]) & set("().,;:?!。，；：？！（）\n")
    )


def _dates(canvas: Canvas) -> Iterator[Mention]:
    """Days; a first name that is also a month belongs to the name that it begins."""
    named = list(_whole_names(canvas, canvas.gazetteer.people, "person"))
    for found in forms.dates(canvas):
        if not any(it.start <= found.start and found.end <= it.end for it in named):
            yield found


def _whole_names(canvas: Canvas, people: People, kind: Kind) -> Iterator[Mention]:
    taken = [not free for free in canvas.free]
    for hit in people.spot(canvas.text, taken, lambda _: True):
        yield canvas.mention(kind, hit.first, hit.last, hit.ids, hit.score)


def _single_names(canvas: Canvas) -> Iterator[Mention]:
    taken = [not free for free in canvas.free]

    places = {token.start: place for place, token in enumerate(canvas.tokens)}

    def ordinary(token: Token) -> bool:
        # `Maximino` begins like a word for `most`; the capital says that it is none.
        whole = token.folded in lexicon().words or small_word(token.folded)
        opens = canvas.opens(places.get(token.start, 0))
        named = token.capital and (not opens or token.folded in canvas.gazetteer.name_words)
        return canvas.ordinary(token) and (whole or not named)

    for hit in canvas.gazetteer.people.spot(canvas.text, taken, ordinary):
        yield canvas.mention("person", hit.first, hit.last, hit.ids, hit.score)


def _locations(canvas: Canvas) -> Iterator[Mention]:
    names = [(it, it) for it in canvas.gazetteer.names.locations]
    for first, last, id_ in canvas.windows(names):
        if last - first > 1 or canvas.nameable(first):
            yield canvas.mention("location", first, last, (id_,))


def _places(canvas: Canvas) -> Iterator[Mention]:
    for _, start, end in spot_places(canvas.text):
        phrase = canvas.text[start:end]
        ids = tuple(it.id for it in canvas.gazetteer.location(phrase).candidates)
        if start == 0 and lexicon().asks(fold(phrase)):
            continue  # `Porta il progetto …` opens with a verb.
        near = canvas.text[max(0, start - 12) : start].rstrip().casefold()
        described = any(
            it.kind in {"customer", "project"} and it.end <= start and it.end + 12 >= start
            for it in canvas.found
        ) and near.endswith(_IN_WORDS)
        if not described:
            yield Mention("location", phrase, start, end, ids)
