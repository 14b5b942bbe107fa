"""Rules of access from sentences, lists and tables."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from proveout.apps.solver.rules.blocks import Page, Span
from proveout.apps.solver.rules.building import Ground, make, source_of
from proveout.apps.solver.rules.cast import Cast
from proveout.apps.solver.rules.clauses import Reading, Scene, read_clauses
from proveout.apps.solver.rules.ir import Audience, Rule
from proveout.apps.solver.rules.lexicon import Action
from proveout.apps.solver.rules.limits import match_limits, waives_approval
from proveout.apps.solver.rules.precedence import is_stale
from proveout.apps.solver.rules.spots import Spots, spot
from proveout.apps.solver.rules.statements import Statement, countable, is_aside
from proveout.apps.solver.rules.text import fold, squeeze

_ABOUT_RIGHTS = re.compile(
    r"\b(?:who|what|access|permissions?|rights?|may|can|cannot|allowed|visib\w+|confidential\w*"
    r"|privacy"
    r"|disclos\w+|see|sees|view|not|never|only|seen|edit\w*|change\w*)\b"
)
_CAPABILITY = re.compile(
    r"\b(?:assistant|chat ?bot|bot)\b.*\b(?:can|cannot|do|does)\b|\bcapabilit|\bexamples?\b"
)
_NO_ACCESS = re.compile(
    r"[\"']my projects[\"']|\bbelongs? to\b(?! the (?:project|team))|\b(?:is|are) owned by\b"
    r"|\bowns (?:every|all|the) pages?\b|\bthe owner is\b"
)
"""Sentences that define or assign, and permit nothing."""
_PRONOUN = re.compile(
    r"\s*(?:\*\*)?(?:in particular,? |also,? )?(?:they|these people|those|them|the same"
    r"|he or she)\b",
    re.I,
)
_SPEECH = re.compile(r"[\"“„«](?:[^\"”»\s]+\s+){3,}[^\"”»]*[\"”»]")
"""Words of somebody else: four or more in quotation marks."""
_SUCH = re.compile(
    r"\s*(?:such|these|those|the status of (?:these|such))\b.*\b(?:status|entries)", re.I
)
_NOBODY_ELSE = re.compile(r"\s*(?:and )?(?:nobody|no one|no-one) else[.!]?\s*$", re.I)
LONGEST_CELL = 400
_YES = frozenset(
    {"yes", "y", "x", "✓", "✔", "✅", "allowed", "full", "ja", "true", "●", "may", "can"}
)
_NO = frozenset(
    {"no", "n", "-", "✗", "✘", "❌", "✖", "none", "never", "denied", "not allowed", "", "false"}
)
_WHO_COLUMN = re.compile(
    r"\b(?:who|whom|visible|audience|allowed|may|can|access|permitted|open to|roles?|readers?"
    r"|seen by"
    r"|shown to|restricted|granted|editors?|not)\b"
)


def match_access(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """Access rules of one sentence, in the light of its headings, its list and what came before."""
    page = statement.page
    if _CAPABILITY.search(fold(statement.headings[-1] if statement.headings else "")):
        return ()
    if _NO_ACCESS.search(fold(statement.text)):
        return ()
    if limits := match_limits(statement, ground):
        return limits
    if waives_approval(statement, ground):
        return ()
    scene = _heading_scene(statement.headings, ground.cast)
    own = spot(statement.text, ground.cast)
    span = statement.span
    text = statement.text
    if statement.previous and _PRONOUN.match(statement.text):
        before = page.text[statement.previous.start : statement.previous.end]
        scene = _inherit(scene, spot(before, ground.cast), own)
        span = Span(statement.previous.start, span.end)
    elif statement.lead and _leans(own, spot(statement.lead, ground.cast), statement.lead):
        text = f"{statement.lead} {statement.text}"
        span = Span(statement.lead_start, span.end)
    elif statement.following:
        # "Such entries must have the status ..." completes the sentence before it.
        after = page.text[statement.following.start : statement.following.end]
        if _SUCH.match(after) or _NOBODY_ELSE.match(after):
            text = f"{text.rstrip('. ')}, {after}"
            span = Span(span.start, statement.following.end)
    readings = read_clauses(_SPEECH.sub(lambda said: " " * len(said[0]), text), scene)
    return _rules(readings, page, statement.anchor, span, ground)


def _leans(own: Spots, lead: Spots, text: str) -> bool:
    """Whether an item can only be understood with the words that lead to it."""
    begun = (
        text.rstrip("*_ ").endswith(":") and lead.has("modal") and bool(lead.people or lead.actions)
    )
    complete = own.people and own.topics and (own.actions or own.has("only"))
    return begun or (not complete and bool(lead.people or lead.topics or lead.actions))


def _heading_scene(headings: tuple[str, ...], cast: Cast) -> Scene:
    if not headings:
        return Scene(cast)
    spots = spot(headings[-1], cast)
    rights = bool(_ABOUT_RIGHTS.search(spots.text))
    action: Action | None = None
    # "Changed rights" and "What changes" name no deed that the sentences below are about.
    deed = bool(spots.topics) or bool(re.search(r"\bwho\b", spots.text))
    if rights and spots.actions and (deed or spots.actions[0].action != "change"):
        action = spots.actions[0].action
    elif rights and re.search(
        r"\bwho\b.*\bwhat\b|confidential|privacy|permissions?|rights", spots.text
    ):
        action = "see"
    people = tuple(dict.fromkeys(one.audience for one in spots.people))
    topics = spots.topics
    if not topics and len(headings) > 1:
        title = spot(headings[0], cast).topics
        topics = title if len({one.topic for one in title}) == 1 else ()
    return Scene(cast, people, topics, action, fold(" ".join(headings)))


def _inherit(scene: Scene, before: Spots, own: Spots) -> Scene:
    people: tuple[Audience, ...] = ()
    if before.people and not own.people:
        people = (before.people[0].audience,)
    return Scene(
        scene.cast,
        people or scene.people,
        before.topics or scene.topics,
        scene.action,
        scene.context,
    )


def _rules(
    readings: Iterable[Reading], page: Page, anchor: str, span: Span, ground: Ground
) -> tuple[Rule, ...]:
    result = []
    for reading in readings:
        if not reading.operations:
            continue
        # Nobody and chief are words of the grammar, not audiences of a rule.
        audience = tuple(
            sorted(
                (one for one in reading.audience if one.who != "nobody"),
                key=lambda one: (one.who, one.department),
            )
        )
        values = {
            "effect": reading.effect,
            "audience": audience,
            "operations": tuple(sorted(reading.operations)),
            "statuses": tuple(sorted(reading.statuses)),
            "needs": tuple(sorted(reading.needs)),
        }
        subject = f"{reading.effect}.{reading.operations[0]}"
        if audience:
            result.append(make("access", subject, source_of(page, anchor, span), ground, values))
    return tuple(result)


@dataclass(frozen=True)
class _Row:
    name: str
    columns: tuple[tuple[str, str], ...]
    span: Span
    """The row with its header, so that the quote explains itself."""
    anchor: str
    headings: tuple[str, ...]


def match_tables(page: Page, ground: Ground) -> tuple[Rule, ...]:
    """Access rules of tables: who by what, what by whom, or a grid of both."""
    if is_stale(page) or is_aside(page):
        return ()
    result: list[Rule] = []
    for row in _rows(page):
        for text, exhaustive in _sentences_of(row, ground.cast):
            base = _heading_scene(row.headings, ground.cast)
            # The heading of a table often names everything in it: only its verb is of use.
            scene = Scene(ground.cast, (), (), base.action or "see", base.context, exhaustive)
            result += _rules(read_clauses(text, scene), page, row.anchor, row.span, ground)
    return tuple(result)


def _rows(page: Page) -> Iterable[_Row]:
    for index, block in enumerate(page.blocks):
        if block.kind != "row" or index == block.header or not countable(page, block):
            continue
        header = page.blocks[block.header]
        names = [page.cell(cell) for cell in header.cells]
        cells = [page.cell(cell) for cell in block.cells]
        if len(cells) < 2 or len(names) < 2 or max(map(len, (*names, *cells))) > LONGEST_CELL:
            continue
        columns = tuple(zip(names[1:], cells[1:], strict=False))
        yield _Row(cells[0], columns, Span(header.start, block.end), block.anchor, block.headings)


def _sentences_of(row: _Row, cast: Cast) -> Iterable[tuple[str, bool]]:
    first = spot(row.name, cast)
    for column, cell in row.columns:
        head = spot(column, cast)
        value = squeeze(cell).strip(".* ")
        if value in _YES or value in _NO:
            sentence = _grid_sentence(row.name, column, first, head)
            if sentence:
                yield sentence[value in _NO], False
        elif first.people and not first.topics:
            # Group | may see | may not see
            if value not in _NO and _WHO_COLUMN.search(head.text):
                yield f"{row.name} {column}: {cell}", False
        elif first.topics and _WHO_COLUMN.search(head.text):
            negative = head.has("negation")
            yield (f"{row.name} {column} {cell}", not negative)


def _grid_sentence(name: str, column: str, first: Spots, head: Spots) -> tuple[str, str] | None:
    """The affirmative and the negative sentence of a yes/no cell."""
    if first.topics and head.people:
        who, what, spots = column, name, first
    elif first.people and head.topics:
        who, what, spots = name, column, head
    else:
        return None
    verb = "" if spots.actions else "see "
    return f"{who} may {verb}{fold(what)}", f"{who} may not {verb}{fold(what)}"
