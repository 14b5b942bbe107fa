"""What the wiki asks of the assistant: words in replies, procedures, what it can do at all."""

import re

from proveout.apps.solver.rules.blocks import Page, Span
from proveout.apps.solver.rules.building import Ground, make, source_of
from proveout.apps.solver.rules.ir import Audience, Rule, Source
from proveout.apps.solver.rules.lexicon import operations_for
from proveout.apps.solver.rules.precedence import is_stale
from proveout.apps.solver.rules.spots import spot
from proveout.apps.solver.rules.statements import Statement, countable, is_aside
from proveout.apps.solver.rules.text import plain
from proveout.apps.solver.words import Operation

_REPLY = re.compile(
    r"\b(?:repl(?:y|ies)|answers?|responses?|messages?|speaking|talking|conversations?)\b"
)
_MENTION = re.compile(
    r"\b(?:mentions?|mentioned|names?|contains?|includes?|states?|carr(?:y|ies)|say that|says"
    r"|quote|refers? to)\b"
)
_MUST = re.compile(
    r"\b(?:must|without|has to|have to|needs? to|shall|always|is to|are to|required)\b"
)
_LITERAL = re.compile(r"\*\*([^*\n]{2,80})\*\*|`([^`\n]{2,80})`|[\"“]([^\"”\n]{2,80})[\"”]")
_NAMED = re.compile(
    r"\b(?:names?|mentions?|words?|contains?|includes?|states?)\s+(?:the\s+)?(?:name"
    r"|words?)?\s*(?:of\s+)?[\"“'*]*"
    r"([A-Z][^\"”*:;.,]*?)[\"”'*]*(?=[:;,]|\.(?:\s|$)|$| every | in (?:every|each|all) )"
)
_CAPITALS = re.compile(r"\b(?:[A-Z][\w&.'’-]+(?: (?:of|and|the|&|de|von|di) | )?)+[A-Z]?[\w&.'’-]*")
_DELETE = re.compile(r"\b(?:delet\w+|remov\w+|retir\w+|tak\w+ down)\b")
_RENAME = re.compile(r"\b(?:renam\w+|mov(?:e|es|ed|ing))\b")
_PAGE = re.compile(r"\b(?:pages?|articles?)\b")
_EMPTY = re.compile(
    r"\b(?:empty|empties|emptied|emptying|blank\w*|zero out|zeroed|clear\w*|no content"
    r"|without content)\b"
)
_COPY = re.compile(
    r"\b(?:cop(?:y|ies|ied|ying)|transfer\w*|new (?:location|path|page|name|place)|same content)\b"
)
_ASSISTANT = re.compile(r"\b(?:assistant|chat ?bot|bot)\b")
_ABILITY = re.compile(
    r"\b(?:can|cannot|can't|able|unable|capabilit\w+|features?|supports?|supported|offers?|does"
    r"|functions)\b"
)
_OTHER_PAGES = re.compile(
    r"\b(?:all|any|the|every) (?:other|remaining) pages?\b|\bthe rest of the (?:wiki|pages)\b"
    r"|\b(?:none of|outside) these (?:sections|folders)\b"
)
_OWNS = re.compile(
    r"\b(?:own(?:s|ed|er|ers|ership)?|look(?:s|ed)? after|maintain(?:s|ed)?|responsible"
    r"|responsibility|in charge"
    r"|belongs? to|kept by|curat\w+|edited by|care of|editors?|keeps?)\b"
)


def match_reply(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """Words that replies to an audience must hold."""
    folded = plain(statement.text)
    if not (_REPLY.search(folded) and _MENTION.search(folded) and _MUST.search(folded)):
        return ()
    words = _words_to_mention(statement.text)
    if not words:
        return ()
    context = " ".join((statement.text, statement.lead, *statement.headings[-1:]))
    people = [one.audience for one in ground.cast.mentions(context)]
    audience = tuple(dict.fromkeys(one for one in people if one.who in {"guest", "external"}))
    values = {"audience": audience or (Audience(who="everyone"),), "must_mention": words}
    return (make("reply", "mention", _source(statement), ground, values),)


def _words_to_mention(text: str) -> str:
    verb = _MENTION.search(plain(text))
    if named := _NAMED.search(text):
        return named[1].strip(" .,")
    for found in _LITERAL.finditer(text):
        words = next(group for group in found.groups() if group)
        if words[:1].isupper() or "`" in found[0]:
            return words.strip(" .,")
    if verb is None:
        return ""
    after = [one[0].strip(" .,") for one in _CAPITALS.finditer(text, verb.end())]
    return max(after, key=len, default="")


def _source(statement: Statement) -> Source:
    return source_of(statement.page, statement.anchor, statement.span)


def match_procedure(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """How a page is deleted or renamed."""
    folded = plain(statement.text)
    context = plain(" ".join((statement.text, statement.lead, *statement.headings)))
    result = []
    if not _PAGE.search(context):
        return ()
    deletes, renames = _DELETE.search(folded), _RENAME.search(folded)
    if deletes and _EMPTY.search(folded) and (not renames or deletes.start() < renames.start()):
        result.append(_procedure("wiki.delete", ("empty",), statement, ground))
    if _RENAME.search(folded) and _COPY.search(folded):
        steps = ("copy", "empty") if _EMPTY.search(folded) else ("copy",)
        result.append(_procedure("wiki.rename", steps, statement, ground))
    return tuple(result)


def _procedure(
    operation: str, steps: tuple[str, ...], statement: Statement, ground: Ground
) -> Rule:
    values = {"operation": operation, "steps": steps}
    return make("procedure", operation, _source(statement), ground, values)


def match_capability(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """What the assistant can, or cannot, do."""
    heading = statement.headings[-1] if statement.headings else ""
    framed = plain(f"{heading} {statement.lead}")
    own = plain(statement.text)
    in_list = _ASSISTANT.search(framed) and _ABILITY.search(framed)
    direct = re.search(
        r"\b(?:assistant|chat ?bot|bot) (?:can|cannot|can't|is (?:un)?able|may)\b", own
    )
    if not in_list and not direct:
        return ()
    spots = spot(f"{statement.lead} {statement.text}", ground.cast)
    if spots.people and not in_list:
        return ()
    operations: dict[Operation, None] = {}
    for topic in spots.topics:
        before = [one for one in spots.actions if one.start < topic.start]
        action = before[-1].action if before else "see"
        for operation in operations_for(action, topic.topic):
            operations.setdefault(operation)
    if not operations:
        return ()
    negative = bool(
        re.search(
            r"\b(?:cannot|can't|not|unable|never|no)\b",
            f"{plain(heading)} {plain(statement.lead)} {own}",
        )
    )
    start = statement.lead_start if statement.lead else statement.span.start
    source = source_of(statement.page, statement.anchor, Span(start, statement.span.end))
    values = {"operations": tuple(sorted(operations)), "able": not negative}
    return (make("capability", "assistant", source, ground, values),)


def match_owner(statement: Statement, ground: Ground) -> tuple[Rule, ...]:
    """Who looks after which part of the wiki."""
    context = plain(" ".join((*statement.headings[-1:], statement.lead, statement.text)))
    if not _OWNS.search(context):
        return ()
    return _owners(statement.text, _source(statement), ground)


def match_owner_rows(page: Page, ground: Ground) -> tuple[Rule, ...]:
    if is_stale(page) or is_aside(page):
        return ()
    result: list[Rule] = []
    for index, block in enumerate(page.blocks):
        if block.kind != "row" or index == block.header or not countable(page, block):
            continue
        header = page.blocks[block.header]
        if not _OWNS.search(plain(page.of(header))) or len(block.cells) < 2:
            continue
        source = source_of(page, block.anchor, Span(header.start, block.end))
        text = " | ".join(page.cell(cell) for cell in block.cells)
        result += _owners(text, source, ground)
    return tuple(result)


def _owners(text: str, source: Source, ground: Ground) -> tuple[Rule, ...]:
    folders = sorted({path.split("/", 1)[0] for path in ground.paths if "/" in path})
    result: list[Rule] = []
    pieces = re.split(
        r"[,;]|\band\b(?! (?:digital|administration|technical|customer|supply))", text
    )
    for piece in [text] if len(_folders_in(text, folders)) == 1 else pieces:
        found = _folders_in(piece, folders)
        if len(found) != 1:
            continue
        folder, span = found[0]
        people = [
            one.audience
            for one in ground.cast.mentions(piece)
            if one.audience.department and (one.end <= span.start or one.start >= span.end)
        ]
        departments = tuple(dict.fromkeys(one.department for one in people))
        if len(departments) == 1:
            values = {"section": f"{folder}/", "department": departments[0]}
            result.append(make("owner", folder, source, ground, values))
    if not result and _OTHER_PAGES.search(plain(text)):
        people = [one.audience for one in ground.cast.mentions(text) if one.audience.department]
        if len({one.department for one in people}) == 1:
            values = {"section": "", "department": people[0].department}
            result.append(make("owner", "rest", source, ground, values))
    if result:
        access: dict[str, object] = {
            "effect": "allow",
            "audience": (Audience(who="page_owner"),),
            "operations": ("wiki.write",),
        }
        result.append(make("access", "allow.wiki.write", source, ground, access))
    return tuple(result)


def _folders_in(text: str, folders: list[str]) -> list[tuple[str, Span]]:
    folded = plain(text)
    result = []
    for folder in folders:
        name = re.escape(folder.lower()).replace("_", "[ _-]").replace(r"\-", "[ _-]")
        pattern = rf"(?<![\w/]){name}(?:/|[- ]+(?:pages?|section|articles?|folder|part|area)\b)"
        if found := re.search(pattern, folded):
            result.append((folder, Span(*found.span())))
    return result
