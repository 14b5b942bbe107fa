"""Plans that change a person's record: notes, levels, salary, place and department."""

import re
from decimal import Decimal
from itertools import product

from pydantic import JsonValue

from proveout.apps.solver.experts.draft import Draft, Unclear, at
from proveout.apps.solver.experts.mentions import Mention
from proveout.apps.solver.experts.noting import stored_text
from proveout.apps.solver.experts.reading import Reading, clauses
from proveout.apps.solver.resolve.folding import Token
from proveout.apps.solver.resolve.quantities import Number, number_words, numbers

_TO = re.compile(
    r"(?:\bto|\bat|\bauf|\ba|\bà|\bna|\bdo|до|на|到|至|为|=|:)\s*"
    r"(?:level|stufe|livello|niveau|nivel|nivo|уров\w*|€|eur|usd|\$)?\s*$",
    re.IGNORECASE,
)

_ARTICLE = re.compile(r"\ba\s*$", re.IGNORECASE)
_A_RAISE = re.compile(r"[\d.,' ]+(?:eur\w*|usd|dollars?|€)?\s*(?:raise|rise|increase|bump|bonus)\b")
_WRITING = ("writ", "schreib", "scriv", "ecri", "escrib", "napis", "写")
_ADDING = (
    "add", "append", "attach", "include", "fug", "erganz", "hinzu", "aggiung", "ajout", "anad",
    "agreg", "dodaj", "dopis", "dobav", "添加", "增加", "补充", "加",
)  # fmt: skip
"""Verbs that keep what is there."""
_MOST_LEVEL = 10
_LEAST_SALARY = 100
"""Nobody earns less; such a number is a level or a share."""
_NAMED = 0.5
"""Score of unknown words above which they look like a name."""


def set_to(reading: Reading, place: int) -> bool:
    """Whether words such as `to` stand right before a place; the `a` of `a 500 raise` is none."""
    before = reading.text[:place]
    if _ARTICLE.search(before) and _A_RAISE.match(reading.text, place):
        return False
    return _TO.search(before) is not None


def whole(value: Decimal) -> int | float:
    """A number as JSON writes it."""
    return int(value) if value == int(value) else float(value)


def target(reading: Reading, draft: Draft) -> tuple[str, bool]:
    """Whose record it is: a bind of one person, and whether that is the requester."""
    mention = reading.first("person")
    unknown = reading.unknown_name()
    stranger = unknown is not None and unknown.score > _NAMED
    own = reading.has("MY", "REFLECT") or (reading.has("ME", "SELF") and not stranger)
    if mention is None and own:
        return draft.call("who_am_i", "oneself"), True
    mention = mention or (unknown if stranger else None)
    if mention is None:
        raise Unclear
    if reading.is_requester(mention):
        return draft.call("who_am_i", "oneself"), True
    project = reading.first("project")
    if project is not None and not mention.certain:
        return draft.person(mention, project=draft.project(project)), False
    return draft.person(mention), False


def note(reading: Reading, draft: Draft) -> None:
    """A note on one person, several, or everyone in a department or at a place."""
    text = stored_text(reading, "NOTE")
    if not text or text.startswith((",", ";", "and ")):
        raise Unclear  # What follows goes on with the request.
    groups = reading.of("department", "location")
    mode = "replace" if _instead(reading, group=bool(groups)) else "append"
    if groups and not reading.people():
        bind = _group(draft, groups)
        draft.write(
            "employee.note.write", {"employee": f"${bind}.id", "note": text, "mode": mode}, bind
        )
        draft.link("employee", bind)
        draft.say(at(bind, "{.name*}"))
        draft.answer = bind
        return
    named = reading.people() or [it for it in (reading.unknown_name(),) if it]
    if not named:
        raise Unclear
    binds = [draft.person(it) for it in named]
    for bind in dict.fromkeys(binds):
        draft.write("employee.note.write", {"employee": f"${bind}.id", "note": text, "mode": mode})
        draft.link("employee", bind)
    draft.say(", ".join(at(bind, "{.name}") for bind in dict.fromkeys(binds)))


def _instead(reading: Reading, *, group: bool = False) -> bool:
    """To set notes is to replace them, to add one is not; a group gets one note for all."""
    if reading.has("REPLACE"):
        return True
    quote = reading.first("quote")
    if quote and set_to(reading, len(reading.text[: quote.start].rstrip("\"'“„«"))):
        return True
    if reading.has("UPDATE", "SHALL") and not reading.has("ADD"):
        return True
    verbs = [reading.tokens[it.first].folded for it in reading.signs if it.concept == "ADD"]
    if group:
        return not any(verb.startswith(_ADDING) for verb in verbs)
    return bool(verbs) and all(verb.startswith(_WRITING) for verb in verbs)


def _group(draft: Draft, groups: list[Mention]) -> str:
    conditions = []
    for mention in groups:
        if mention.kind == "department":
            bind = draft.call("resolve_department", "department", text=mention.text)
            conditions.append(f"e.department IN (SELECT name FROM {bind})")
        else:
            bind = draft.call("resolve_location", "place_meant", text=mention.text)
            conditions.append(f"e.location IN (SELECT name FROM {bind})")
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    return draft.read(
        "targets",
        f"SELECT e.id AS id, e.name AS name FROM employees AS e {where}ORDER BY e.id",
    )


def levels(reading: Reading, draft: Draft) -> None:
    """Levels set, raised or lowered, for oneself or somebody; with a note if one is asked for."""
    person, self_ = target(reading, draft)
    intent = "self.skills.write" if self_ else "employee.skills.write"
    abilities = reading.of("skill", "will")
    args: dict[str, JsonValue] = {"employee": f"${person}.id"}
    if reading.has("ALL") and reading.has("WILL", "SKILL"):
        args["levels"] = f"${_sweep(reading, draft, person, abilities, own=self_)}"
    else:
        paired = _paired(reading, abilities)
        if not paired:
            raise Unclear
        shared = len(paired) > 1 and len({amount for _, amount in paired}) == 1
        args["levels"] = [
            _level(draft, ability, amount, reading, shared=shared) for ability, amount in paired
        ]
    draft.write(intent, args)  # type: ignore[arg-type]
    draft.link("employee", person)
    draft.say(at(person, "{.name}"))
    if reading.has("NOTE"):
        text = stored_text(reading, "NOTE")
        if not text:
            raise Unclear
        mode = "replace" if _instead(reading) or _among_values(reading) else "append"
        draft.write(
            "employee.note.write", {"employee": f"${person}.id", "note": text, "mode": mode}
        )


def _among_values(reading: Reading) -> bool:
    """`Level 7, note "…"`: one value of the record among others; a step up comes with a remark."""
    return not reading.has("ADD", "RAISE", "REDUCE", "REFLECT")


def _paired(reading: Reading, abilities: list[Mention]) -> list[tuple[Mention, Number]]:
    """Each ability with its number: those before them (`+1 to X`) or those after (`X to 7`)."""
    amounts = [
        it for it in numbers(reading.text) if not it.percent and abs(it.value) <= _MOST_LEVEL
    ]
    amounts = [it for it in amounts if any(m.start == it.start for m in reading.of("number"))]
    if not amounts:
        named = [(it.start, it.end) for it in reading.mentions]
        amounts = [
            Number(Decimal(value), token.start, token.end)
            for token, value in number_words(reading.text)
            if not any(start <= token.start < end for start, end in named)
            and not _counts_nothing(reading.text, token)
        ]
    step = ONE_STEP.search(reading.text)
    if not amounts and step:
        amounts = [Number(Decimal(1), *step.span())]
    if len(amounts) == len(abilities):
        return list(zip(abilities, amounts, strict=True))
    if len(amounts) == 1:
        return [(ability, amounts[0]) for ability in abilities]
    return []


def _level(
    draft: Draft, ability: Mention, amount: Number, reading: Reading, *, shared: bool
) -> dict[str, JsonValue]:
    bind = draft.skill(ability)
    level: dict[str, JsonValue] = {"name": f"${bind}.name", "kind": f"${bind}.kind"}
    absolute = set_to(reading, amount.start) and not amount.signed
    absolute = absolute and not _russian_by(reading, amount)
    nudged = _UP_BEFORE.search(reading.text[: amount.start]) is not None
    moves = reading.has("RAISE", "REDUCE", "ADD", "HIGHER", "LOWER", "MORE", "FEWER")
    shifts = amount.signed or nudged or (moves and not absolute)
    shifts = shifts and not (reading.has("LEVEL") and not amount.signed and absolute)
    if shifts:
        level["delta"] = whole(amount.value) * _direction(reading, ability, amount, shared=shared)
    else:
        level["level"] = whole(amount.value)
    return level


def _direction(reading: Reading, ability: Mention, amount: Number, *, shared: bool) -> int:
    """Down if the nearest verb before the number or the ability says so; a sign needs no verb."""
    if amount.signed:
        return 1
    after = reading.text[amount.end : amount.end + _NEXT_WORD].casefold()
    before_it = reading.text[: amount.start].casefold().rstrip()
    if not shared and (_DOWN.match(after) or before_it.endswith(("minus", "down", "down by"))):
        return -1
    if not shared and (_UP.match(after) or before_it.endswith(("plus", "up", "up by"))):
        return 1
    before = ability.start if shared else max(ability.start, amount.start)
    verbs = [
        (place, name in _LOWERING)
        for name in (*_LOWERING, "RAISE", "HIGHER", "ADD")
        for place in reading.where(name)
        if place <= before
    ]
    return -1 if verbs and max(verbs)[1] else 1


_LOWERING = ("REDUCE", "LOWER", "FEWER")
_NEXT_WORD = 16
_UP_BEFORE = re.compile(r"\b(?:up|down|plus|minus)(?:\s+by)?\s*$", re.IGNORECASE)
_UP = re.compile(r"\W*(?:level|step|point|notch)?s?\s*(?:up\b|higher|more\b)")
_DOWN = re.compile(r"\W*(?:level|step|point|notch)?s?\s*(?:down\b|lower|less\b|off\b)")
ONE_STEP = re.compile(r"\b(?:a|another|one more)\s+(?:level|notch|point|step)\b", re.IGNORECASE)
"""One, without the number."""
_ONE = re.compile(r"\b(?:the|this|that|which|each|every|no)\s+$", re.IGNORECASE)


def _counts_nothing(text: str, token: Token) -> bool:
    """`the one on the project`, and the `ein` at the end of `trage … ein`."""
    parted = token.folded == "ein" and not text[token.end :].strip(" .!")
    return parted or (token.folded == "one" and bool(_ONE.search(text[: token.start])))


def _sweep(
    reading: Reading, draft: Draft, person: str, abilities: list[Mention], *, own: bool
) -> str:
    """One step for all wills or skills, another for the exceptions."""
    kind = "will" if reading.has("WILL") else "skill"
    amounts = [it for it in numbers(reading.text) if not it.percent]
    step = whole(amounts[0].value) if amounts else 1
    if reading.has("REDUCE") and not (amounts and amounts[0].signed) and not reading.has("EXCEPT"):
        step = -step
    if not own:
        draft.call("load_skills", "levels", employees=f"${person}.id*")
    source = "my_skills" if own else "skills"
    mine = "" if own else f" AND s.employee_id IN (SELECT id FROM {person})"
    if not (abilities and reading.has("EXCEPT")):
        return draft.read(
            "shifts",
            f"SELECT s.kind AS kind, s.name AS name, {step} AS delta FROM {source} AS s "
            f"WHERE s.kind = '{kind}'{mine} ORDER BY s.name",
        )
    bind = draft.skill(abilities[0])
    lowered = reading.has("REDUCE", "RAISE") or len(amounts) > 1
    other = whole(amounts[1].value) if len(amounts) > 1 else 1
    other = -abs(other) if reading.has("REDUCE") else other
    tail = (
        f" UNION ALL SELECT s.kind AS kind, s.name AS name, {other} AS delta FROM {source} AS s "
        f"JOIN {bind} AS a ON a.name = s.name WHERE s.kind = '{kind}'{mine}"
        if lowered
        else ""
    )
    return draft.read(
        "shifts",
        f"SELECT s.kind AS kind, s.name AS name, {step} AS delta FROM {source} AS s WHERE "
        f"s.kind = '{kind}'{mine} AND s.name NOT IN (SELECT name FROM {bind}){tail} ORDER BY 2",
    )


def salary(reading: Reading, draft: Draft) -> None:
    """A salary moved by an amount or a percentage, or set; of one person or of a whole group."""
    groups = reading.of("department", "location")
    each = ""
    if not reading.people() and (groups or reading.has("EVERYBODY", "ALL")):
        person = each = _group(draft, groups)
    else:
        person, _ = target(reading, draft)
    amounts = [it for it in numbers(reading.text)]
    args: dict[str, JsonValue] = {"employee": f"${person}.id"}
    if _refused(reading):
        raise Unclear
    down = -1 if reading.has("REDUCE", "FEWER") and not reading.has("RAISE", "MORE") else 1
    if not amounts:
        raise Unclear
    amount = amounts[0]
    if amount.percent:
        args["percent"] = down * whole(amount.value)
    elif _shifted(reading, amount):
        args["delta"] = (1 if amount.signed else down) * whole(amount.value)
    elif amount.value < _LEAST_SALARY:
        raise Unclear
    else:
        args["salary"] = whole(amount.value)
    draft.write("employee.salary.write", args, each)
    draft.link("employee", person)
    draft.say(at(person, "{.name*}"))


def _refused(reading: Reading) -> bool:
    """`The salary must not change`: a word for `not` in the sentence that speaks of it."""
    nots = [*reading.where("NOT"), *reading.where("DO_NOT")]
    return any(
        start <= min(pair) and max(pair) < end and ":" not in reading.text[min(pair) : max(pair)]
        for start, end in clauses(reading.text)
        for pair in product(nots, reading.where("SALARY"))
    )


def _shifted(reading: Reading, amount: Number) -> bool:
    """Whether the number is a difference: `by 500`, `500 more`, `+500`; and not `to 50,000`."""
    if amount.signed:
        return True
    moved = reading.has("RAISE", "REDUCE")
    if _russian_by(reading, amount):
        return True
    if set_to(reading, amount.start):
        return False
    after = reading.text[amount.end : amount.end + _NEXT_WORD].casefold()
    added = _SUM_TO.match(after) and reading.has("ADD")
    return bool(moved or reading.has("MORE", "FEWER") or added)


def _russian_by(reading: Reading, amount: Number) -> bool:
    """Russian raises `на` a difference and `до` an amount."""
    moved = reading.has("RAISE", "REDUCE")
    return reading.language == "ru" and moved and bool(_ON.search(reading.text[: amount.start]))


_ON = re.compile(r"\bна\s*$", re.IGNORECASE)
_SUM_TO = re.compile(r"\W*(?:euros?|eur|usd|dollars?)?\s*(?:to|onto|zu|a|al|à|au|na|к|на)\b")


def approved_salary(reading: Reading, draft: Draft) -> None:
    """Raises that the head of the company has approved in the notes, applied exactly."""
    named = reading.people() or [it for it in (reading.unknown_name(),) if it]
    if not named:
        raise Unclear
    binds = list(dict.fromkeys(draft.person(it) for it in named))
    found = []
    for bind in binds:
        draft.call("load_notes", "notes", employees=f"${bind}.id*")
        approvals = draft.call("find_approvals", "approval", employees=f"${bind}.id*")
        found.append(approvals)
        draft.write(
            "employee.salary.write",
            {"employee": f"${approvals}.employee_id", "salary": f"${approvals}.amount"},
            approvals,
        )
        draft.link("employee", approvals, "employee_id")
    if len(binds) == 1:
        draft.link("employee", binds[0])
    parts = " UNION ALL ".join(
        f"SELECT a.employee_id AS id, a.amount AS amount FROM {it} AS a" for it in found
    )
    draft.answer = draft.read("answer", f"{parts} ORDER BY 1")
    draft.say("{X.id*}: {X.amount*}".replace("X", draft.answer))


def profile(reading: Reading, draft: Draft) -> None:
    """Somebody's place or department changed."""
    person, _ = target(reading, draft)
    args: dict[str, JsonValue] = {"employee": f"${person}.id"}
    place, department = reading.first("location"), reading.first("department")
    if place is not None:
        bind = draft.call("resolve_location", "place_meant", text=place.text)
        args["location"] = f"${bind}.name"
    if department is not None:
        bind = draft.call("resolve_department", "department", text=department.text)
        args["department"] = f"${bind}.name"
    draft.write("employee.profile.write", args)
    draft.link("employee", person)
    draft.say(at(person, "{.name}"))
