"""The rule-based proposer: reads the expression's syntax tree and writes a word for it.

It is told the same as a model: the task, and why the last word was rejected. A word that was too
short is repeated more, one that was too long is repeated less, a dull one takes other letters.
"""

import random
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from proveout.kernel.ports import Brief
from proveout.testing.pattern.proposals import Word
from proveout.testing.pattern.task import PatternTask

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789 _-ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def propose(brief: Brief) -> Word:
    """A word whose length grows or shrinks with the findings."""
    task: PatternTask = brief.task
    style = brief.variables.get("style", "plain")
    stretch = int(brief.variables.get("stretch", 0))
    if isinstance(brief.previous, Word):
        stretch = _stretch_of(brief)
    vary = style == "varied" or any(finding.code == "pattern.dull" for finding in brief.findings)
    writer = Writer(stretch, vary, random.Random(f"{brief.seed}:{brief.round}:{style}"))
    word = writer.write(_parser.parse(task.expression))
    reason = f"syntax tree with {stretch} extra repetitions" + (", varied letters" if vary else "")
    return Word(word=word[:200], reason=reason)


def describe(brief: Brief) -> str:
    """The expression in words: how many pieces, what may repeat."""
    tree = list(_parser.parse(str(brief.variables["expression"])))
    repeats = sum(item[0] in (op.MAX_REPEAT, op.MIN_REPEAT) for item in tree)
    return f"{len(tree)} pieces in a row, {repeats} of them may repeat."


def _stretch_of(brief: Brief) -> int:
    """How often to repeat now, from how often it was repeated and what was found."""
    words = brief.previous.reason.split()
    before = int(words[3]) if len(words) > 3 and words[3].isdigit() else 0
    codes = {finding.code for finding in brief.findings}
    if "pattern.too_short" in codes:
        return before + 1
    if "pattern.too_long" in codes:
        return max(0, before - 1)
    return before


class Writer:
    """Walks a syntax tree and spells a word."""

    def __init__(self, stretch: int, vary: bool, choice: random.Random) -> None:
        self._stretch = stretch
        self._vary = vary
        self._choice = choice
        self._groups: dict[int, str] = {}

    def write(self, tree: Any) -> str:
        return "".join(self._piece(kind, value) for kind, value in tree)

    def _piece(self, kind: Any, value: Any) -> str:
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, body = value
            times = min(least + self._stretch, most, 60)
            return "".join(self.write(body) for _ in range(times))
        if kind is op.SUBPATTERN:
            number, _, _, body = value
            self._groups[number] = self.write(body)
            return self._groups[number]
        if kind is op.BRANCH:
            return min((self.write(branch) for branch in value[1]), key=len)
        if kind is op.LITERAL:
            return chr(value)
        if kind is op.GROUPREF:
            return self._groups.get(value, "")
        return self._letter(kind, value)

    def _letter(self, kind: Any, value: Any) -> str:
        """One letter that a class accepts; anchors and look-arounds write nothing."""
        if kind is op.IN:
            fitting = [letter for letter in LETTERS if _in(value, letter)]
            fitting = fitting or [chr(low) for name, low in value if name is op.LITERAL]
        elif kind is op.NOT_LITERAL:
            fitting = [letter for letter in LETTERS if ord(letter) != value]
        elif kind is op.ANY:
            fitting = list(LETTERS)
        else:
            return ""
        if not fitting:
            return ""
        return self._choice.choice(fitting) if self._vary else fitting[0]


def _in(members: Any, letter: str) -> bool:
    """Whether a character class holds a letter."""
    inside, negated, code = False, False, ord(letter)
    for kind, value in members:
        if kind is op.NEGATE:
            negated = True
        elif kind is op.LITERAL:
            inside |= code == value
        elif kind is op.RANGE:
            inside |= value[0] <= code <= value[1]
        elif kind is op.CATEGORY:
            inside |= _in_category(value, letter)
    return inside is not negated


def _in_category(category: Any, letter: str) -> bool:
    word = letter.isalnum() or letter == "_"
    return {
        op.CATEGORY_DIGIT: letter.isdigit(),
        op.CATEGORY_NOT_DIGIT: not letter.isdigit(),
        op.CATEGORY_WORD: word,
        op.CATEGORY_NOT_WORD: not word,
        op.CATEGORY_SPACE: letter.isspace(),
        op.CATEGORY_NOT_SPACE: not letter.isspace(),
    }.get(category, False)
