"""Plans about the company itself: where it is, what day it is, what its wiki says."""

import re

from proveout.apps.solver.experts.concepts import lexicon
from proveout.apps.solver.experts.draft import Draft, Unclear, at
from proveout.apps.solver.experts.language import small_word
from proveout.apps.solver.experts.mention import Mention
from proveout.apps.solver.experts.reading import Reading, clauses
from proveout.apps.solver.plan import MessageRule
from proveout.apps.solver.resolve.folding import tokens

_PAIRS = (
    ("yes", "no"), ("ja", "nein"), ("oui", "non"), ("sì", "no"), ("sí", "no"), ("si", "no"),
    ("да", "нет"), ("да", "не"), ("da", "ne"), ("是", "否"), ("有", "没有"),
)  # fmt: skip
_DEFAULT = {
    "en": ("Yes", "No"),
    "de": ("Ja", "Nein"),
    "it": ("Sì", "No"),
    "fr": ("Oui", "Non"),
    "es": ("Sí", "No"),
    "sr": ("Da", "Ne"),
    "ru": ("Да", "Нет"),
    "zh": ("是", "否"),
}
_FORMAT = re.compile(
    r"(?<![^\W\u3040-\u9fff])([DTGJMYAdtgjmya]{2,4}|[ДМГдмг]{2,4})([-./ ])"
    r"([DTGJMYAdtgjmya]{2,4}|[ДМГдмг]{2,4})\2([DTGJMYAdtgjmya]{2,4}|[ДМГдмг]{2,4})"
    r"(?![^\W\u3040-\u9fff])"
)
_ABOUT = re.compile(
    r"\W*(?:(?:that |which )?(?:is|are|deals? with|covers) )?(?:(?:about|on|regarding|concerning"
    r"|über|zu|zum|zur|su|sul|sulla|sur|sobre|acerca de|o|про|о)\b|关于)\s*(.{4,}?)(?:[.?!？。]|$)",
    re.IGNORECASE,
)
_NAMED = 0.5
_NEXT = 14
"""Characters between two places of one question."""
_LISTED = re.compile(r"[,/&+、，]|\b(?:and|or|und|oder|et|ou|e|o|y|i|ili|и|или|nor)\b|和|或|与")
_CAPITALS = re.compile(r"(?:\bin|\bfrom|\bat|\bof|\bnear)\s+([A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*)")
_STOP = re.compile(r"[.?!;。？！]")
_CUT = re.compile(r"[,?!;。？，]| and | und | et | y | e | и ")


def tokens_offered(reading: Reading) -> tuple[str, str]:
    """The two words to answer with, spelled as the text offers them."""
    for first, second in _PAIRS:
        for one, other in ((first, second), (second, first)):
            han = one > "\u3040"
            edge = "" if han else r"\b"
            found = re.search(
                rf"{edge}({one}){edge}\W{{1,3}}(?:\w+\W+){{0,9}}?{edge}({other}){edge}"
                if not han
                else rf"({one})[^。？]{{0,6}}?({other})",
                reading.text,
                re.IGNORECASE,
            )
            if found:
                said = {found.group(1).casefold(): found.group(1)}
                said[found.group(2).casefold()] = found.group(2)
                return said[first], said[second]
    if reading.language == "sr" and re.search("[а-яђј]", reading.text):
        return "Да", "Не"
    return _DEFAULT[reading.language]


def sites(reading: Reading, draft: Draft) -> None:
    """Whether the company is somewhere: in one place, in either, or in all that are named."""
    places = reading.of("location")
    if not places:
        unknown = reading.place() or reading.unknown_name()
        if unknown is None:
            _all_sites(draft)
            return
        places = [unknown]
    places += [it for it in reading.of("customer", "project") if not it.ids]
    places += [it for it in reading.residue if it.score > _NAMED and _beside(reading, it, places)]
    places += [it for it in _names_inside(reading) if _listed(reading, it, places)]
    binds = [draft.call("resolve_site", "site", text=it.text) for it in places]
    either = len(places) > 1 and reading.has("EITHER") and not _all_wanted(reading, places)
    joint = " OR " if either else " AND "
    tests = joint.join(f"EXISTS (SELECT 1 FROM {bind})" for bind in dict.fromkeys(binds))
    truth = draft.read("truth", f"SELECT m.today AS day FROM me AS m WHERE {tests} ORDER BY 1")
    draft.answer, draft.empty_is_answer = truth, True
    draft.message = MessageRule(
        form="yes_no", tokens=tokens_offered(reading), truth=truth, language=draft.language
    )


def _beside(reading: Reading, phrase: Mention, places: list[Mention]) -> bool:
    """An unknown name next to a place is a place too: it must not be passed over.

    A word of another sentence, or right before the place (`the city of`), is none.
    """
    for it in places:
        first, second = sorted((it, phrase), key=lambda each: each.start)
        between = reading.text[first.end : second.start]
        joined = _LISTED.search(between.casefold()) and not _STOP.search(between)
        if it is not phrase and joined and len(between) <= _NEXT:
            return True
    return False


def _names_inside(reading: Reading) -> list[Mention]:
    """Names within unknown words: `serve us from Aldermoor as well`."""
    found = []
    for phrase in reading.residue:
        inner = _CAPITALS.search(phrase.text)
        if phrase.score > _NAMED and inner and inner.group(1) != phrase.text:
            start = phrase.start + inner.start(1)
            found.append(Mention("quote", inner.group(1), start, start + len(inner.group(1))))
    return found


def _listed(reading: Reading, name: Mention, places: list[Mention]) -> bool:
    """Whether a name stands with a place in one sentence that speaks of several."""
    several = reading.has("AND", "BOTH", "EITHER") or "as well as" in reading.text.casefold()
    first, second = sorted((name, places[0]), key=lambda it: it.start)
    apart = _STOP.search(reading.text[first.end : second.start])
    known = any(it.start < name.end and name.start < it.end for it in places)
    return several and not apart and not known


def _all_wanted(reading: Reading, places: list[Mention]) -> bool:
    """`and` between the places outweighs the `or` of `Yes or No`."""
    first, second = sorted(places, key=lambda it: it.start)[:2]
    between = reading.text[first.end : second.start].casefold()
    return bool(re.search(r"\b(and|und|et|e|ed|y|i|и|as well as|sowie)\b|和|与|以及", between))


def _all_sites(draft: Draft) -> None:
    draft.answer = draft.read("answer", "SELECT name, city, country FROM sites ORDER BY name")
    draft.say(at(draft.answer, "{.name*}"))


def day(reading: Reading, draft: Draft) -> None:
    """A date in the format that is asked for."""
    mention = reading.first("date")
    if mention is None:
        if reading.of("number"):
            raise Unclear  # A way back that was not understood: today is no answer to it.
        bind = draft.read("answer", "SELECT today AS date_from FROM me ORDER BY 1")
    else:
        bind = draft.call("resolve_dates", "day_meant", text=mention.text)
    draft.answer = bind
    draft.say(at(bind, "{.date_from:date:" + date_format(reading.text) + "}"))


def pictured(text: str) -> bool:
    """Whether a text shows how a date is to be written."""
    return _FORMAT.search(text) is not None


def date_format(text: str) -> str:
    """The strftime form of a picture such as `DD-MM-YYYY` or `TT.MM.JJJJ`; ISO if there is none."""
    found = _FORMAT.search(text)
    if not found:
        return "%Y-%m-%d"
    parts = [_part(found.group(place)) for place in (1, 3, 4)]
    if sorted(it[1].lower() for it in parts) != ["d", "m", "y"]:
        return "%Y-%m-%d"
    return found.group(2).join(parts)


def _part(picture: str) -> str:
    letter = picture[0].upper()
    if letter in "MМ":
        return "%m"
    if len(picture) == 4:
        return "%Y"
    return "%y" if letter in "YAГ" else "%d"


def wiki(reading: Reading, draft: Draft) -> None:
    """The page that answers a question about how things are done."""
    page = reading.first("page")
    if page is not None:
        loaded = draft.call("load_wiki_page", "opened", path=page.text)
        draft.answer = loaded
        draft.link("wiki", loaded, "path")
        draft.say(at(loaded, "{.path}: {.title}"))
        return
    found = draft.call("find_wiki_pages", "found", text=_topic(reading))
    draft.answer = draft.read(
        "answer", f"SELECT path, title, score FROM {found} ORDER BY score DESC, path LIMIT 1"
    )
    draft.link("wiki", draft.answer, "path")
    draft.say("{X.path} ({X.title})".replace("X", draft.answer))


def _topic(reading: Reading) -> str:
    """The words after `read about` or `explains`; the whole question without such words."""
    for sign in reading.signs:
        if sign.concept in {"PAGE", "WIKI"}:
            about = _ABOUT.match(reading.text, reading.tokens[sign.last - 1].end)
            if about:
                return about.group(1).strip()[:300]
    ends = [reading.tokens[it.last - 1].end for it in reading.signs if it.concept == "READ_ABOUT"]
    if ends:
        rest = reading.text[max(ends[0], 0) :].lstrip(" :,")
        topic = _CUT.split(rest, maxsplit=1)[0].strip(" .?")
        told = [it for it in tokens(topic) if not small_word(it.folded)]
        if len(topic) > 6 and any(not lexicon().asks(it.folded) for it in told):
            return topic
    asked = [
        reading.text[start:end]
        for start, end in clauses(reading.text)
        if any(
            start <= place < end
            for name in ("HOW", "WIKI", "PAGE")
            for place in reading.where(name)
        )
    ]
    return (asked[0] if asked else reading.text).strip()[:300]
