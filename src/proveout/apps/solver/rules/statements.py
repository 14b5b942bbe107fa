"""The sentences of a page that can hold a rule, each with what must be quoted to understand it.

Not every sentence can: what is quoted, shown as code, said in a comment or an example, or stands on
a page that is out of date is nobody's rule, however it is worded.
"""

import re
from dataclasses import dataclass

from proveout.apps.solver.rules.blocks import Block, Page, Span, sentences
from proveout.apps.solver.rules.precedence import is_old_title, is_stale, outranks
from proveout.apps.solver.rules.text import mixed_script, plain, squeeze

_ASIDE = re.compile(
    r"\b(?:comments?|discussions?|feedback|examples?|samples?|transcripts?|minutes|suggestions?"
    r"|wish ?lists?|open questions|faq from users|chat logs?|case stud(?:y|ies)|stor(?:y|ies)|news"
    r"|blog|press|history|changelog|change log|testimonials?|quotes?|briefs?|anecdotes?|proposals?"
    r"|rumou?rs?|ideas|forum|guest ?book|illustrative)\b"
)
_PAST = re.compile(
    r"\b(?:used to|formerly|previously|in the past|back then|until (?:19|20)\d\d|before (?:19"
    r"|20)\d\d"
    r"|no longer (?:true|valid|applies|the case)|years ago|at that time)\b"
)
_TAKEOVER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:rules?|instructions?"
    r"|polic(?:y|ies)"
    r"|restrictions?|guidelines?|above|previous|prior)\b|\byou are now\b|\bsystem prompt\b"
    r"|\b(?:dear|attention|note to) (?:the )?(?:assistant|bot|ai|agent|model|chatbot)\b"
)
_QUOTED = re.compile(r"\s*(?:[-*+]\s*)?(?:\*\*)?[\"“„«'‘].*[\"”“»'’][.!?]?(?:\*\*)?\s*$", re.S)
_ASKED = re.compile(r"\?[\"”’')*_]*\s*$")
LONGEST = 900
"""Characters of a sentence with its lead: a longer one is no rule, and would be slow to refute."""
LARGEST = 4_000
"""Characters of a block that can hold rules."""


@dataclass(frozen=True)
class Statement:
    """A sentence in its place."""

    page: Page
    block: int
    text: str
    span: Span
    lead: str = ""
    """Words of the items and the introducing paragraph that it hangs under, outermost first."""
    lead_start: int = -1
    previous: Span | None = None
    """The sentence before it in the same block, for `they` and `them`."""
    following: Span | None = None

    @property
    def headings(self) -> tuple[str, ...]:
        return self.page.blocks[self.block].headings

    @property
    def anchor(self) -> str:
        return self.page.blocks[self.block].anchor


def is_aside(page: Page) -> bool:
    """Whether the whole page is of a kind that states no rules: examples, news, minutes."""
    name = page.path.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", " ").replace("-", " ")
    return bool(_ASIDE.search(plain(page.title)) or _ASIDE.search(name.lower()))


def is_injection(text: str) -> bool:
    """Whether the words address the reader to lift rules, instead of stating one."""
    return bool(_TAKEOVER.search(plain(text))) or mixed_script(text)


def is_past(text: str) -> bool:
    """Whether a sentence tells how things were."""
    return bool(_PAST.search(plain(text)))


def is_preamble(text: str) -> bool:
    """Whether a sentence only says which pages count, or asks something."""
    return outranks(plain(text)) or bool(_ASKED.search(text))


def countable(page: Page, block: Block) -> bool:
    """Whether a block's place allows it to hold rules."""
    if block.kind not in {"paragraph", "item", "row"} or block.end - block.start > LARGEST:
        return False
    if any(_ASIDE.search(plain(title)) or is_old_title(title) for title in block.headings[1:]):
        return False
    return not is_injection(page.of(block))


def statements(page: Page) -> tuple[Statement, ...]:
    """Sentences of paragraphs and items that may hold a rule."""
    if is_stale(page) or is_aside(page):
        return ()
    result: list[Statement] = []
    for index, block in enumerate(page.blocks):
        if block.kind not in {"paragraph", "item"} or not _countable_with_parents(page, index):
            continue
        lead, lead_start = _lead(page, index)
        before: Span | None = None
        spans = sentences(page.text, block.start, block.end)
        for span, after in zip(spans, (*spans[1:], None), strict=True):
            text = page.text[span.start : span.end]
            if len(text) + len(lead) > LONGEST:
                before = span
                continue
            if span.end == block.end and _introduces(page, index, text):
                continue
            if not is_past(text) and not _QUOTED.match(text) and not _ASKED.search(text):
                result.append(Statement(page, index, text, span, lead, lead_start, before, after))
            before = span
    return tuple(result)


def _introduces(page: Page, index: int, text: str) -> bool:
    """Whether a sentence only leads to the list under it: `Managers and HR:`."""
    if not page.children(index):
        return False
    bare = text.strip()
    return bare.rstrip("*_ ").endswith(":") or bool(re.fullmatch(r"(\*\*|__).+(\*\*|__)", bare))


def _countable_with_parents(page: Page, index: int) -> bool:
    while index >= 0:
        block = page.blocks[index]
        if not countable(page, block):
            return False
        if _QUOTED.match(page.of(block)) or _ASKED.search(page.of(block)):
            return False
        index = block.parent
    return True


def _lead(page: Page, index: int) -> tuple[str, int]:
    parts: list[str] = []
    start = -1
    parent = page.blocks[index].parent
    while parent >= 0:
        block = page.blocks[parent]
        spans = sentences(page.text, block.start, block.end)
        last = spans[-1] if spans else Span(block.start, block.end)
        if len(spans) > 1 and re.match(
            r"\W*(?:they|these|those)\b", page.text[last.start : last.end], re.I
        ):
            last = Span(spans[-2].start, last.end)
        parts.insert(0, page.text[last.start : last.end])
        start = last.start
        parent = block.parent
    return " ".join(parts), start


def labelled(text: str) -> tuple[str, str]:
    """`**Label:** rest` or `Label - rest` as its two parts; no label is empty."""
    found = re.match(
        r"\s*(?:\*\*|__|`)?([^:*`\n]{1,60}?)(?:\*\*|__|`)?\s*(?::|\s[-–—]\s)\s*(?:\*\*)?", text
    )
    return (squeeze(found[1]), text[found.end() :]) if found else ("", text)
