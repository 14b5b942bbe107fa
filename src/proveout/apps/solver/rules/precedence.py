"""Which pages count: those that say they are out of date do not, those that replace others outrank.

A page that tells of a merger and of rules in one breath replaces others too, in whatever words.
"""

import re

from proveout.apps.solver.rules.blocks import Page
from proveout.apps.solver.rules.text import plain

_THIS = r"(?:this|the present)(?: (?:page|document|version|text|policy|article|one))?"
_TEXTS = (
    r"(?:pages?|rules?|versions?|regulations?|statements?|texts?|polic(?:y|ies)|arrangements?"
    r"|provisions?|agreements?|wordings?|rights|permissions|ones)"
)
_STALE = re.compile(
    r"\b(?:is|are|was|were|has been|have been|been|now|status:|page|version|document|policy"
    r"|since)?\s*"
    r"(?:superseded|obsolete|outdated|deprecated|out of date|not in force|nothing on it applies"
    r"|no longer (?:valid|in force|applies|apply|current|in use)|replaced by|withdrawn|retired"
    r"|not (?:valid|in force) any ?more|historical (?:version|page|record)"
    r"|kept for (?:the )?(?:record|history|reference) only|archived (?:version|page|copy))\b"
)
_OF_A_TEXT = re.compile(
    rf"\b(?:{_TEXTS}|documents?|handbook|guidelines?|articles?|contents?|status|this|these|here|it"
    r"|below|record|reference|history)\b"
)
_FEW_WORDS = 6
"""So few are a mark that is put on a page: nothing else can be meant by `Withdrawn.`."""
_OWN_END = re.compile(
    rf"\b{_THIS} (?:is|was|has been|is now)(?: \w+)? (?:superseded|obsolete|outdated|deprecated"
    rf"|out of date|replaced|withdrawn|retired|no longer)\b(?!(?: \w+)* by {_THIS})"
)
"""It says so of itself, whatever it says of the page that took its place."""
_FRESH = re.compile(
    r"\b(?:supersedes?|superseding|replaces|overrides?|takes? precedence|take priority|prevails?"
    r"|in place of (?:all|any|the) (?:earlier|older|previous)|outranks?|replace (?:what|the (?:old"
    r"|older|earlier|previous|former)|those|all|any)|this page wins|wins? over|trumps?"
    r"|(?:comes?|goes|go) (?:before|ahead of|first)"
    r"|(?:page|text|one|below|here) (?:is|are) authoritative|notwithstanding"
    r"|go by th(?:is|e present)|takes? the place of|in lieu of"
    r"|instead of (?:those|what|the (?:rules|ones|old|older|earlier)|older|earlier|other|any)"
    r"|(?:whatever|regardless of what|no matter what)\b[^.;]{0,40}\b(?:agreed|said|written|stated"
    r"|elsewhere|other pages?|another page|before))\b"
)
_OTHERS_END = re.compile(
    rf"\b(?:earlier|older|previous|prior|former|other|existing|old|all|any|from before"
    rf")\b[^.;]{{0,40}}?\b{_TEXTS}\b[^.;]{{0,60}}\b(?:superseded|obsolete|void|no longer|outdated"
    r"|out of date|replaced|withdrawn|lapses?|cease|ends?|set aside|fall away|not apply|repealed"
    r"|cancelled|gone)\b"
    rf"|\b{_TEXTS} from before\b[^.;]{{0,60}}\b(?:lapse|cease|end|void|no longer|not apply)\b"
    rf"|\b(?:superseded|replaced|overruled) by (?:{_THIS}|what follows|the following|those below)\b"
)
_DISAGREE = re.compile(
    r"\b(?:disagrees?|differs?|contradict\w*|conflicts?|contrary|clash(?:es)?|inconsisten\w+"
    r"|in doubt|says? (?:otherwise|(?:something|anything) (?:else|different)))\b"
)
_HERE = re.compile(rf"\b(?:here|below|following|these|{_THIS})\b")
_YIELDS = re.compile(
    r"\b(?:handbook|other pages?|another page|older (?:one|page)s?|that page|main page|those)"
    r" (?:wins?|counts?|prevails?|applies|apply|takes? precedence|holds?|is right|are right)\b"
)
_EVENT = re.compile(
    r"\b(?:merg(?:er|ed|ing)|take ?overs?|taken over|acqui(?:sition|red|res)|bought|buy ?outs?"
    r"|new (?:owners?|parent|shareholders?|group)|parent company|joined? the|integration"
    r"|re ?organi[sz]ation|restructuring|carve ?out|spin ?off)\b"
)
_RULES_MOVE = re.compile(
    r"\b(?:rules?|rights|regulations?|provisions?|polic(?:y|ies)|permissions?|access)\b.{0,60}"
    r"\b(?:chang\w+|new|different|differ|instead|replac\w+|from|since|as of|below|follow\w*|here"
    r"|now|tighten\w*|tighter|stricter|apply|applies|hold|effect)\b"
    r"|\b(?:chang\w+|new|different|tighter|stricter|following|these)\b.{0,40}\b(?:rules?|rights"
    r"|regulations?|provisions?|polic(?:y|ies)|permissions?|access|changes|in force)\b"
)
_SINCE = re.compile(
    r"\b(?:as of|effective|from|since)\b.{0,30}\bthe following (?:holds|applies|is)"
)
_OLD_TITLE = re.compile(
    r"\b(?:superseded|obsolete|outdated|deprecated|old rules?|previous rules?|former rules?"
    r"|until 20\d\d|archive|legacy rules?|no longer)\b"
)
_LINK_ALONE = re.compile(r"[-*+\s]*\[[^\]]*\]\([^)]*\)[\s.]*")
_OPENING = 3
"""Blocks at a page's start in which it may say that it is out of date or outranks others."""


def is_old_title(title: str) -> bool:
    return bool(_OLD_TITLE.search(plain(title)))


def is_stale(page: Page) -> bool:
    """Whether the page says of itself that it no longer counts."""
    return is_old_title(page.title) or any(
        _OWN_END.search(opening) or (_is_mark_of_age(opening) and not outranks(opening))
        for opening in _openings(page)
    )


def _is_mark_of_age(opening: str) -> bool:
    """Customer data can be withdrawn as well: a text must be meant."""
    short = len(opening.split()) <= _FEW_WORDS
    return bool(_STALE.search(opening)) and (short or bool(_OF_A_TEXT.search(opening)))


def supersedes(page: Page) -> bool:
    """Whether the page replaces what others say."""
    if is_stale(page):
        return False
    openings = _openings(page)
    after = bool(_EVENT.search(plain(page.title)))
    return any(
        outranks(it) or ((after or _EVENT.search(it)) and _RULES_MOVE.search(it)) for it in openings
    )


def outranks(folded: str) -> bool:
    """Whether the words give what they introduce precedence over what stands elsewhere."""
    if _YIELDS.search(folded):
        return False
    conflict = _DISAGREE.search(folded) and _HERE.search(folded)
    return bool(
        conflict or _FRESH.search(folded) or _OTHERS_END.search(folded) or _SINCE.search(folded)
    )


def _openings(page: Page) -> list[str]:
    first = [block for block in page.blocks if len(block.headings) <= 1][:_OPENING]
    return [plain(page.of(block)) for block in first if not is_link(page.of(block))]


def is_link(text: str) -> bool:
    """Whether a text is a link and nothing else, as in a table of contents."""
    return bool(_LINK_ALONE.fullmatch(text.strip()))
