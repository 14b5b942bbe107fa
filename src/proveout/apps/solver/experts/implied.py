"""Concepts that no word of the lexicon expresses: by digits, arrows, pairs of words, position."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from proveout.apps.solver.experts.concepts import Sign
from proveout.apps.solver.resolve.folding import Token, word_set

_HOURS = re.compile(r"\d+(?:h|hr|hrs|std|ch)")
"""`6h`, a number and the word for hours in one."""
_ARROWS = re.compile("<-+>|<=+>|[↔⇄⇆⇔]")
_YES_NO = re.compile(
    r"\b(?:Yes\b.{0,60}?\bNo|No\b.{0,30}?\bYes|Ja\b.{0,60}?\bNein|Nein\b.{0,30}?\bJa"
    r"|Oui\b.{0,60}?\bNon|Non\b.{0,30}?\bOui|S[ìí]\b.{0,60}?\bNo|No\b.{0,30}?\bS[ìí]"
    r"|Da\b.{0,40}?\bNe|Ne\b.{0,30}?\bDa|Да\b.{0,40}?\b(?:Нет|Не)|(?:Нет|Не)\b.{0,30}?\bДа)\b"
    r"|是.{1,12}否|否.{1,6}是"
)
"""Both words of an answer, spelled as answers are."""
_RETURNED = re.compile(
    r"\b(?:and|while|but)\s+(?:his|hers|her|theirs)\s+"
    r"(?:(?:goes|go|belongs|is|are)\s+)?(?:to|for|with)?\s*(?:him|her|hers|his|them)\b"
    r"|\bund\s+(?:sein\w*|ihr\w*)\s+(?:geht an\s+|an\s+)?(?:ihm|ihr|ihn|sie)\b"
    r"|\be\s+(?:il|la|quell[oa])\s+(?:suo|sua|di lei|di lui)\s+a\s+(?:lui|lei)\b"
    r"|\bet\s+(?:le sien|la sienne)\s+à\s+(?:lui|elle)\b"
    r"|\by\s+(?:el suyo|la suya|el de ella|el de él)\s+a\s+(?:él|ella)\b",
    re.IGNORECASE,
)
"""`… and hers to him`: what one gives, the other gives back."""
_MUST_GO = re.compile(
    r"\.md\W{0,3}\s(?:really |just )?(?:has|have|needs?|ought|must|should|can) (?:to )?go(?: away)?"
    r"(?= now\b| please\b| from\b|\s*(?:[.,;!]|$))",
    re.IGNORECASE | re.MULTILINE,
)
"""`The page … has to go`; a person who has to go somewhere is not meant."""
_MAKES_NOTHING = word_set("a an it me sure up use do")
_POLITE = word_set("please kindly now then and also bitte just so")
_STOP = re.compile(r"[.!?:;,\n]")
_ARTICLES = word_set("the this that")
_ONE_PROJECT = word_set("project one engagement initiative")
_VERBS = word_set("UPDATE SWAP RAISE REDUCE ADD LOG DELETE ORDER SEND CHECK APPLY CREATE COPY VOID")


def implied(text: str, words: Sequence[Token], shows: Callable[[Token], bool]) -> list[Sign]:
    """What a text expresses beside the words of the lexicon."""
    found = []
    for place, token in enumerate(words):
        if not shows(token):
            continue
        if _HOURS.fullmatch(token.folded):
            found.append(Sign("HOURS", place, place + 1))
        if token.folded == "make" and _orders(text, words, place):
            found.append(Sign("UPDATE", place, place + 1))
    found += [
        Sign("SWAP", place, place + 1)
        for place, (left, right) in enumerate(pairwise(words))
        if _ARROWS.search(text, left.end, right.start) and shows(left)
    ]
    for concept, pattern in (("SWAP", _RETURNED), ("YES_NO", _YES_NO), ("DELETE", _MUST_GO)):
        said = pattern.search(text)
        inside = [
            place
            for place, token in enumerate(words)
            if said and said.start() <= token.start < said.end() and shows(token)
        ]
        if inside:
            found.append(Sign(concept, inside[-1], inside[-1] + 1))
    return found


def _orders(text: str, words: Sequence[Token], place: int) -> bool:
    """`Make the note read …`: the verb opens the sentence, perhaps politely."""
    if place + 1 < len(words) and words[place + 1].folded in _MAKES_NOTHING:
        return False
    while place > 0:
        before = words[place - 1]
        if _STOP.search(text, before.end, words[place].start):
            return True
        if before.folded not in _POLITE:
            return False
        place -= 1
    return True


def in_a_name(sign: Sign, words: Sequence[Token]) -> bool:
    """Whether words are part of a name: `the switch project`, or `HR` where no number precedes."""
    if sign.concept == "HOURS" and words[sign.first].raw == "HR":
        return not (sign.first and words[sign.first - 1].raw.isdigit())
    if sign.concept not in _VERBS or sign.last - sign.first > 1:
        return False
    before = words[sign.first - 1].folded if sign.first else ""
    after = words[sign.last].folded if sign.last < len(words) else ""
    return before in _ARTICLES and after in _ONE_PROJECT
