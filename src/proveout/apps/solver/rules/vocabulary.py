"""Closed lists that the wiki spells out: states and their order, readable names of ids."""

import re

from proveout.apps.solver.rules.blocks import Block, Page, Span
from proveout.apps.solver.rules.building import Ground, make, source_of
from proveout.apps.solver.rules.ir import Rule
from proveout.apps.solver.rules.precedence import is_stale
from proveout.apps.solver.rules.statements import countable, is_aside
from proveout.apps.solver.rules.text import plain, squeeze
from proveout.apps.solver.words import PHASES, ROLES

_ENTRY_STATES = ("draft", "submitted", "approved", "invoiced", "voided")
_STATE = re.compile(r"\b(draft|submitted|approved|invoiced|voided)\b")
_CODE = re.compile(r"`([^`\n]{1,40})`")
_CHAIN = re.compile(r"(?:`?\w+`?\s*(?:→|->|=>|>|⇒)\s*)+`?\w+`?")
_LOCKED = re.compile(
    r"\b(?:locked|frozen|final|immutable|cannot be (?:changed|edited)|read ?only"
    r"|no (?:more )?changes)\b"
)
_LABEL = re.compile(
    r"`((?:skill|will)_[a-z0-9_]+)`\s*(?:\||[-–—:=(]|means|is|stands for)+\s*[\"“*]*([^"
    r"|\"”*()\n;]{3,60})"
)
_LABEL_BEFORE = re.compile(
    r"[\"“*|]*\s*([A-Z][^|\"”*()`\n;:]{2,60}?)[\"”*]*\s*[|(–—:-]+\s*`((?:skill|will)_[a-z0-9_]+)`"
)
_LIFECYCLE = re.compile(r"\b(?:life ?cycle|states?|status(?:es)?|stages?|steps)\b")
_FIELDS = (
    ("time entry status", _ENTRY_STATES),
    ("deal phase", PHASES),
    ("team role", tuple(role.lower() for role in ROLES)),
    ("work category", ()),
)


def match_vocabulary(page: Page, ground: Ground) -> tuple[Rule, ...]:
    if is_stale(page) or is_aside(page):
        return ()
    return (*_enums(page, ground), *_lifecycles(page, ground), *_labels(page, ground))


def _enums(page: Page, ground: Ground) -> list[Rule]:
    """Values in code type, in one sentence or one per item under the same parent."""
    result = []
    for index, block in enumerate(page.blocks):
        if not countable(page, block) or block.kind == "row":
            continue
        children = page.children(index)
        end = page.tree_end(index) if children else block.end
        text = page.text[block.start : end]
        values = tuple(dict.fromkeys(_CODE.findall(text)))
        field = _field_of(plain(page.of(block)), values)
        if field and len(values) >= 3:
            source = source_of(page, block.anchor, Span(block.start, end))
            subject = field.replace(" ", "_")
            result.append(make("enum", subject, source, ground, {"field": field, "values": values}))
    return result


def _field_of(text: str, values: tuple[str, ...]) -> str:
    folded = {value.lower() for value in values}
    for field, known in _FIELDS:
        if known and len(folded & set(known)) >= 3 and folded <= set(known):
            return field
    return "work category" if re.search(r"work categor(?:y|ies)", text) else ""


def _lifecycles(page: Page, ground: Ground) -> list[Rule]:
    result = []
    groups: dict[str, list[int]] = {}
    for index, block in enumerate(page.blocks):
        if not countable(page, block):
            continue
        if chain := _CHAIN.search(page.of(block)):
            states = tuple(dict.fromkeys(_STATE.findall(plain(chain[0]))))
            if len(states) >= 3:
                result.append(_lifecycle(page, (index,), states, ground))
        elif block.kind == "item" and block.indent == 0 and _LIFECYCLE.search(plain(block.anchor)):
            groups.setdefault(block.anchor, []).append(index)
    for items in groups.values():
        named = [(index, _STATE.match(squeeze(page.of(page.blocks[index])))) for index in items]
        order = tuple(dict.fromkeys(found[1] for _, found in named if found))
        if len(order) >= 3:
            result.append(_lifecycle(page, tuple(items), order, ground))
    return result


def _lifecycle(page: Page, blocks: tuple[int, ...], order: tuple[str, ...], ground: Ground) -> Rule:
    first, end = page.blocks[blocks[0]], max(page.tree_end(index) for index in blocks)
    locked = set()
    for index in blocks:
        text = plain(page.text[page.blocks[index].start : page.tree_end(index)])
        if _LOCKED.search(text):
            locked |= set(_STATE.findall(text))
    values = {
        "field": "time entry status",
        "order": order,
        "locked": tuple(state for state in order if state in locked),
    }
    source = source_of(page, first.anchor, Span(first.start, end))
    return make("lifecycle", "time_entry", source, ground, values)


def _named_row(page: Page, block: Block) -> tuple[str, str] | None:
    """The id and the name in a row of a table with such columns."""
    if block.kind != "row" or page.blocks[block.header] is block:
        return None
    header = [squeeze(page.cell(cell)) for cell in page.blocks[block.header].cells]
    cells = [page.cell(cell) for cell in block.cells]
    if len(cells) < 2 or not {"id", "name"} <= set(header):
        return None
    term, label = cells[header.index("id")], cells[header.index("name")]
    code = re.fullmatch(r"`([a-z0-9_.-]+)`", term)
    return (code[1], label.strip(" *")) if code and label.strip(" *") else None


def _labels(page: Page, ground: Ground) -> list[Rule]:
    result = []
    for block in page.blocks:
        if not countable(page, block):
            continue
        if named := _named_row(page, block):
            source = source_of(page, block.anchor, Span(block.start, block.end))
            result.append(
                make("label", named[0], source, ground, {"term": named[0], "label": named[1]})
            )
            continue
        text = page.of(block)
        found = [(one[1], one[2]) for one in _LABEL.finditer(text)]
        found += [(one[2], one[1]) for one in _LABEL_BEFORE.finditer(text)] if not found else []
        for term, label in found:
            source = source_of(page, block.anchor, Span(block.start, block.end))
            values = {"term": term, "label": label.strip(" .,|")}
            result.append(make("label", term, source, ground, values))
    return result
