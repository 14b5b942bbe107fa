"""Clauses that take back for some people what the words before them give to others.

`Rates are no secret among employees, but they are one for external staff` gives to the first and
forbids to the second. Such sentences are put into plain ones before they are read. What is taken
back is always forbidden, never given, so a sentence that is turned wrongly can only close more.
"""

import re

from proveout.apps.solver.rules.cast import Cast, Mention
from proveout.apps.solver.rules.text import fold

_NO_SECRET = re.compile(
    r"\b(?:is|are)\s+(?:no|not an?|not|hardly an?)\s+(?:secrets?|confidential|private)"
    r"(?:\s+matters?)?\s+(?:among|amongst|between|within|for|to|from)\s+(?:the\s+|our\s+|all\s+)*$"
)
_TAKEN = re.compile(
    r"[\s,;:–—-]+(?:(?:but|though|although|yet|however|whereas|while|albeit|just|and),?\s+)*"
    r"(?:(?:it|they|this|that|these|those)\s+(?:is|are|remains?|stays?|becomes?)\s+"
    r"(?:one|so|secrets?|a secret|hidden|closed|otherwise|different|another matter"
    r"|a different (?:matter|story)|not(?: so)?)|not so|(?<=though )not|(?<=although )not"
    r"|(?<=albeit )not|(?<=just )not|(?<=yet )not)\s+(?:(?:for|to|with|by|from|among)\s+)?"
    r"(?:the\s+|our\s+|any\s+|all\s+)*$"
)
_DENIED = re.compile(
    r"[\s,;:–—-]+which\s+(?:(?:is|are)\s+(?:closed|denied|hidden|forbidden|refused|withheld)\s+"
    r"(?:to|for|from)\s+)?(?:the\s+|our\s+)*$"
)
_ARE_DENIED = re.compile(
    r"\s+(?:(?:is|are)\s+(?:denied|refused|not (?:given|shown|told|granted))|may not|cannot)\b"
)
_LEFT_OUT = re.compile(
    r"\s+(?:(?:are|is|being)\s+)?(?:excepted|excluded|exempt(?:ed)?|aside|apart|left out"
    r"|not included)\b"
)
_BEFORE_LEFT_OUT = re.compile(r"\s*[,;(–—-]\s*(?:and\s+|with\s+)?(?:the\s+|our\s+)*$")
_OWN_WORDS = re.compile(r"\b(?:nobody|no one|only|except|unless)\b")


def plainly(text: str, cast: Cast) -> str:
    """The text with what it takes back said in clauses of their own."""
    for person in reversed(cast.mentions(text)):
        text = _turned(text, person)
    return text


def takes_back(text: str, cast: Cast) -> bool:
    """Whether the text forbids something to some by contrast with others."""
    return plainly(text, cast) != text


def _turned(text: str, person: Mention) -> str:
    folded = fold(text)
    before, after = folded[: person.start], folded[person.end :]
    who = text[person.start : person.end]
    if open_ := _NO_SECRET.search(before):
        begin = max(before.rfind(mark, 0, open_.start()) for mark in (".", ";", "\n")) + 1
        what = text[begin : open_.start()].strip()
        return f"{text[:begin]} {who} may see {what}{text[person.end :]}"
    if taken := _TAKEN.search(before):
        return f"{text[: taken.start()]}; {who} may not{text[person.end :]}"
    denied = _DENIED.search(before)
    if denied and (said := _ARE_DENIED.match(after)):
        return f"{text[: denied.start()]}; {who} may not{text[person.end + said.end() :]}"
    if denied and denied[0].rstrip().endswith(("to", "for", "from")):
        return f"{text[: denied.start()]}; {who} may not{text[person.end :]}"
    apart, out = _BEFORE_LEFT_OUT.search(before), _LEFT_OUT.match(after)
    if apart and out and not _OWN_WORDS.search(before):
        rest = text[person.end + out.end() :].removeprefix(")")
        return f"{text[: apart.start()]}{rest.rstrip('. ')}; {who} may not."
    return text
