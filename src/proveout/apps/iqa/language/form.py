"""The form of answer that a question wants: a grade, an amount, yes or no, a place, a reason …"""

import re
from typing import Literal

from proveout.apps.iqa.language.text import words

Kind = Literal[
    "choice",
    "yes-no",
    "rate",
    "amount",
    "which",
    "where",
    "why",
    "compare",
    "advice",
    "tool",
    "other",
]
AUXILIARY = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "does",
        "do",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
        "will",
        "would",
        "should",
        "isn't",
        "aren't",
        "doesn't",
        "don't",
        "didn't",
        "hasn't",
        "wasn't",
    ]
)
_ASKING = frozenset(["what", "what's", "whats", "which"])
_POLITE = re.compile(
    r"(?i)^(?:hi|hello|hey|dear)?[\s,!.]*(?:there)?[\s,!.]*(?:i was wondering (?:whether|if)|"
    r"(?:can|could|would|will) you (?:please |kindly )*"
    r"(?:tell me (?:whether|if)?|say (?:whether|if))|"
    r"(?:please )?tell me (?:whether|if)|may i ask (?:whether|if)|"
    r"do you (?:think|know)(?: that| if)?|"
    r"would you say(?: that)?|quick one:?)\s*"
)
_KINDS: tuple[tuple[Kind, str], ...] = (
    ("advice", r"\b(?:improve|fix|repair|correct it|do about|restore|advice|advise|recommend)\b"),
    (
        "why",
        r"\bwhy\b|\bhow come\b|\bexplain\b|\breason\b|\bwhat(?: \w+){0,3} caus(?:es?|ed|ing)\b|"
        r"\bwhat makes\b|\bwhat is behind\b",
    ),
    ("rate", r"\bwhere (?:do|does|would|should)\b.*\b(?:land|rank|stand|fall|place|put|scale)\b"),
    (
        "where",
        r"(?:^|[.,;:?!\n] *|\b(?:and|me|exactly|say|show|know|see|or) )where\b|"
        r"\b(?:which|what) (?:region|part|area|place|section|portion|zone|corner)",
    ),
    (
        "compare",
        r"\bcompare\b|\bwhich (?:one|of the (?:two|pictures|images|photos)|image|picture|photo)\b|"
        r"\bthe (?:first|second) (?:image|picture|photo|one)\b",
    ),
    (
        "which",
        r"\b(?:which|what|list|identify|name)\b.{0,40}\b(?:distortions?|artifacts?|artefacts?|"
        r"degradations?|defects?|problems?|issues?|flaws?|impairments?|wrong|faults?)\b",
    ),
    (
        "rate",
        r"\bhow (?:good|bad|would you rate)\b|\bhow is the (?:overall |visual |image )?quality\b",
    ),
    ("amount", r"\bhow\b|\bto what (?:extent|degree)\b"),
)


def form(stem: str, *, terms: bool, tools: bool) -> Kind:
    """For a question of quality without options; `terms` and `tools` tell whether it names any."""
    text = _POLITE.sub("", stem.strip())
    stripped = text != stem.strip()
    opening = next((token.text for token in words(text)), "")
    lower = text.lower()
    for kind, pattern in _KINDS:
        if re.search(pattern, lower):
            return kind
    if tools and not terms:
        return "tool"
    if terms and opening in _ASKING:
        return "rate" if re.search(r"\b(?:grade|rating|score|mark)\b", lower) else "amount"
    if opening in AUXILIARY or (terms and (stripped or "?" in lower)):
        return "amount" if re.search(r"\bhow\b", lower) else "yes-no"
    return "rate"
