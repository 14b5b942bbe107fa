"""Texts that only ask whether, why or when something is so: they are no orders to make it so."""

import re

from proveout.apps.solver.experts.reading import Reading, clauses
from proveout.apps.solver.resolve.folding import fold, tokens, word_set

_OPENERS = frozenset(
    fold(word)
    for word in word_set(
        "is are was were has had did does do why when should isn't wasn't hasn't didn't doesn't"
        " ist sind war waren wurde wurden hat hatte haben warum wieso weshalb wann soll sollte"
        " è era ha hanno sono perché quando dovrebbe est était sont avait ont pourquoi quand"
        " est-ce está están estaba fue ha han cuándo debería je su bio bila zašto kada da"
        " был была было были есть почему зачем когда должен должна 是 为"
    )
)
"""First words of questions for facts; `can you` and its like ask for a deed."""
_POLITE = re.compile(
    r"\b(?:can|could|would|will|won't)\s+(?:you|we|someone|somebody)\b|\bplease\b|\bbitte\b"
    r"|\bper favore\b|\bs'il (?:te|vous) plaît\b|\bpor favor\b|\bmolim\b|пожалуйста"
    r"|\bmože[štm]|\bмож(?:ешь|ете)\b|请|能不能|可以",
    re.IGNORECASE,
)
_MAY_I = re.compile(
    r"\b(?:can|could|may|might|shall|should) i\b(?! (?:ask|have|get|see|know|please))"
    r"|\b(?:am i|are we|is (?:he|she|anyone|everyone)) (?:allowed|permitted|entitled|free)\b"
    r"|\b(?:darf|dürfte|kann|könnte) ich\b|\bposso\b|\bpotrei\b|\bpuis-je\b|\bje peux\b"
    r"|\bai-je le droit\b|\b(?:puedo|podría yo)\b|\b(?:mogu|smem) li\b"
    r"|\bмогу ли я\b|\bможно ли мне\b|我(?:可以|能|能否|可否)",
    re.IGNORECASE,
)
"""Questions about what one may do: the rules answer them, nothing is done."""
_ASKS = ("?", "？")
_INSIDE = re.compile(r"\bли\b|是否|为什么|吗[?？]")


def only_asks(reading: Reading) -> bool:
    """Whether every sentence that says anything is a question for a fact."""
    said = [it for it in clauses(reading.text) if not _hidden(reading, *it)]
    telling = [reading.text[start:end].strip() for start, end in said]
    telling = [clause for clause in telling if len(tokens(clause)) > 1]
    return bool(telling) and all(map(_question, telling))


def _hidden(reading: Reading, first: int, last: int) -> bool:
    return any(start <= first and last <= end for start, end in reading.hidden)


def _question(clause: str) -> bool:
    if not clause.endswith(_ASKS):
        return False
    if _MAY_I.search(clause):
        return True
    if _POLITE.search(clause):
        return False
    if _INSIDE.search(clause):
        return True
    # A greeting may come first: `Hi, is the project paused?`
    parts = [tokens(part) for part in re.split(r"[,:;，：]\s", clause)]
    return any(part[0].folded in _OPENERS for part in parts if part)
