"""Codes that a request must carry, and the regular expression that their description amounts to."""

import re

from proveout.apps.solver.rules.blocks import Span
from proveout.apps.solver.rules.building import Ground, make, source_of
from proveout.apps.solver.rules.ir import Rule
from proveout.apps.solver.rules.lexicon import Topic
from proveout.apps.solver.rules.spots import spot
from proveout.apps.solver.rules.statements import Statement
from proveout.apps.solver.rules.text import NUMBER_WORDS, phrase, plain, squeeze
from proveout.apps.solver.words import Operation

_NOUN = phrase(
    r"(cost cent(?:re|er)s?|(?:change |jira |service |support )?tickets?|change requests?"
    r"|charge codes?"
    r"|booking codes?|budget codes?|work orders?|purchase orders?|reference (?:codes?|numbers?)"
    r"|approval (?:codes?|numbers?)|project codes?|account(?:ing)? codes?|release numbers?"
    r"|booking keys?"
    r"|cost cent(?:re|er) codes?|change tickets?)"
)
_ANY_NOUN = phrase(r"([a-z]+ (?:codes?|numbers?|keys?|tickets?|tokens?))")
"""Names of codes that nobody thought of, taken only where no known one is found."""
_REQUIRED = re.compile(
    r"\b(?:must|requires?|required|needs?|has to|have to|mandatory|obligatory|only with"
    r"|not (?:\w+ ){0,3}without"
    r"|shall|takes? an?|without (?:a|one|such)|with an?|valid|carr(?:y|ies)|no .{0,40} without"
    r"|is to be|are to be|accepted only|every|each)\b"
)
_SHAPE = re.compile(r"`([A-Z][A-Z0-9]*(?:[-/_](?:<[^>`]+>|[A-Z0-9#]+|\{[^}`]+\}))+)`")
_PROSE = re.compile(
    r"\b(?:letters?|prefix|begins? with|starts? with|reads?)\W+([A-Z]{1,6})\b\W*(?:,|and"
    r"|followed by|then|plus|\s)*"
    r"(?:a |an )?(?:dash|hyphen|-)?\W*(?:,|and|followed by|then|plus|\s)*(\w+) (?:digits|figures"
    r"|numbers)"
)
_SPOKEN = re.compile(
    r"(?:\s*,\s*|\s+)(?:and\s+|then\s+|followed by\s+|plus\s+)*(?:(?P<n>\w+) (?:capital "
    r"|upper.case )?letters?"
    r"|(?P<d>\w+) (?:digits?|figures?)|an? (?P<sign>hyphen|dash|slash|dot|underscore))\b",
    re.I,
)
_SIGNS = {"hyphen": "-", "dash": "-", "slash": "/", "dot": r"\.", "underscore": "_"}
_KEPT = re.compile(r"^\W*(?:it|the code|this) (?:is|goes|must be)\b.*\bnotes\b")
_COUNTS = {
    **{word: n for n, word in enumerate(NUMBER_WORDS, 1)},
    **{str(n): n for n in range(1, 11)},
}
_PIECE = re.compile(r"<([^>]+)>|\{([^}]+)\}|([A-Z0-9#]+)|([-/_])")
_DEMANDS: dict[Topic, tuple[Operation, ...]] = {
    "time": ("time.log",),
    "status": ("project.status.write",),
    "team": ("project.team.write",),
    "project": ("project.status.write", "project.team.write"),
    "skills": ("employee.skills.write",),
    "profile": ("employee.profile.write",),
    "salary": ("employee.salary.write",),
    "wiki": ("wiki.write",),
}


def match_codes(
    statement: Statement, following: tuple[Statement, ...], ground: Ground
) -> tuple[Rule, ...]:
    """A demand for a code, with its shape from the sentence itself or from those that follow it."""
    folded = plain(statement.text)
    noun = _NOUN.search(folded) or _ANY_NOUN.search(folded)
    if not noun or not _REQUIRED.search(folded):
        return ()
    operations = _operations(statement, ground)
    if not operations:
        return ()
    last = statement
    shape = _shape(statement.text)
    near = [one for one in following if one.anchor == statement.anchor][:4]
    explained = [one for one in near if not _demands_other(one, noun[1])]
    for one in explained:
        if shape:
            break
        shape, last = _shape(one.text), one
    if not shape:
        return ()
    tail = [
        one for one in explained if _describes(one.text, shape) or _KEPT.search(plain(one.text))
    ]
    last = max([last, *tail], key=lambda one: one.span.end)
    page = statement.page
    span = Span(statement.span.start, last.span.end)
    pattern = (
        shape if shape.startswith("^") else _expression(shape, page.text[span.start : span.end])
    )
    values = {
        "operations": tuple(sorted(operations)),
        "name": _singular(squeeze(noun[1])),
        "pattern": pattern,
        "into": "notes" if re.search(r"\bnotes\b", plain(page.text[span.start : span.end])) else "",
    }
    source = source_of(page, statement.anchor, span)
    return (make("code", squeeze(noun[1]).replace(" ", "_"), source, ground, values),)


def _singular(noun: str) -> str:
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def _demands_other(statement: Statement, noun: str) -> bool:
    found = _NOUN.search(plain(statement.text))
    other = found is not None and _singular(squeeze(found[1])) != _singular(squeeze(noun))
    return other and bool(_REQUIRED.search(plain(statement.text)))


def _operations(statement: Statement, ground: Ground) -> set[Operation]:
    spots = spot(statement.text, ground.cast)
    noun = _NOUN.search(spots.text) or _ANY_NOUN.search(spots.text)
    topics = [
        one.topic
        for one in spots.topics
        if noun is None or one.end <= noun.start() or one.start >= noun.end()
    ]
    if not any(topic in _DEMANDS for topic in topics) and statement.headings:
        topics = [one.topic for one in spot(statement.headings[-1], ground.cast).topics]
    if "project" in topics and {"status", "team"} & set(topics):
        topics = [topic for topic in topics if topic != "project"]
    return {operation for topic in topics for operation in _DEMANDS.get(topic, ())}


def _spoken(text: str) -> str:
    """`CC-`, two capital letters, a hyphen and three digits: a shape in words."""
    for start in re.finditer(r"`([A-Z0-9][A-Z0-9/_-]*)`", text):
        pattern = re.escape(start[1]).replace(r"\-", "-")
        at = start.end()
        parts = 0
        while found := _SPOKEN.match(text, at):
            count = _COUNTS.get((found["n"] or found["d"] or "").lower())
            if found["sign"]:
                pattern += _SIGNS[found["sign"].lower()]
            elif count is None:
                break
            else:
                pattern += ("[A-Z]" if found["n"] else "[0-9]") + f"{{{count}}}"
            at, parts = found.end(), parts + 1
        if parts:
            return f"^{pattern}$"
    return ""


def _shape(text: str) -> str:
    shapes = _SHAPE.findall(text)
    # A general shape says more than words, and words more than an example.
    if general := [one for one in shapes if re.search(r"[<{#]", one)]:
        return str(max(general, key=len))
    if spoken := _spoken(text):
        return spoken
    if shapes:
        return str(max(shapes, key=len))
    if prose := _PROSE.search(text):
        count = _COUNTS.get(prose[2].lower())
        dash = "-" if re.search(r"dash|hyphen|-", prose[0]) else ""
        return f"^{prose[1]}{dash}[0-9]{{{count}}}$" if count else ""
    return ""


def _describes(text: str, shape: str) -> bool:
    names = [part.lower() for part in re.findall(r"[<{]([^>}]+)[>}]", shape)]
    folded = plain(text)
    return any(name in folded for name in names) and bool(
        re.search(r"letters?|digits?|figures?", folded)
    )


def _expression(shape: str, context: str) -> str:
    """`CC-<Region>-<3 digits>` as a regular expression; sizes of parts may stand in the context."""
    general = bool(re.search(r"[<{#]|N{2,}|X{2,}", shape))
    parts = []
    for index, piece in enumerate(_PIECE.finditer(shape)):
        named = piece[1] or piece[2]
        if named:
            parts.append(_part(named, context))
        elif piece[4]:
            parts.append(re.escape(piece[4]))
        else:
            parts.append(
                _literal(piece[3], fixed=index == 0 or general and piece[3][0] not in "#NX")
            )
    return "^" + "".join(parts) + "$"


def _literal(text: str, *, fixed: bool) -> str:
    if fixed:
        return re.escape(text)
    if set(text) <= {"#", "N"} or text.isdigit():
        return f"[0-9]{{{len(text)}}}"
    return f"[A-Z]{{{len(text)}}}" if text.isalpha() else f"[A-Z0-9]{{{len(text)}}}"


def _part(name: str, context: str) -> str:
    for text in (name, _explanation(name, context)):
        found = re.search(
            r"\b(\w+)(?: (?:or|to) (\w+))? (?:\w+[- ]){0,2}?(letter|digit|figure|number)s?\b",
            plain(text),
        )
        if found and found[1] in _COUNTS:
            low = _COUNTS[found[1]]
            high = _COUNTS.get(found[2] or "", low)
            kind = "[A-Z]" if found[3] == "letter" else "[0-9]"
            return f"{kind}{{{low}}}" if low == high else f"{kind}{{{low},{high}}}"
    if re.search(r"digit|number|no\b|nnn", name.lower()):
        return "[0-9]+"
    return (
        "[A-Z]{2,}"
        if re.search(r"region|unit|site|country|dept|area|team", name.lower())
        else "[A-Z0-9]+"
    )


def _explanation(name: str, context: str) -> str:
    """The words after a part's name where the context explains it."""
    folded = plain(re.sub(r"`[^`]*`", " ", context))
    for found in re.finditer(re.escape(name.lower()), folded):
        after = folded[found.end() : found.end() + 60]
        if re.match(
            r"[^a-z]{0,3}(?:code )?\s*(?:is|are|has|consists|being|=|\(|of|a|an|two|three|four|\d)",
            after,
        ):
            return after.split(";")[0]
    return ""
