"""What decides. Deterministic, picklable, and without a model."""

import re

from proveout.kernel.ports import Checked, Surroundings
from proveout.kernel.types import Finding
from proveout.testing.pattern.proposals import Word
from proveout.testing.pattern.task import PatternTask


def accepted_by_expression(task: PatternTask, proposal: Word, around: Surroundings) -> Checked:
    """The expression must accept the whole word; how far it got is evidence."""
    word = proposal.word
    seen = around.observe("match", lambda: _longest_match(task.expression, word))
    if seen == len(word):
        return Checked()
    finding = Finding(
        code="pattern.no_match",
        message=f"{word!r} is accepted up to letter {seen} of {len(word)}",
        where=f"letter {seen}",
        hint="Build the word piece by piece from the expression.",
    )
    return Checked(findings=(finding,))


def within_bounds(task: PatternTask, proposal: Word, around: Surroundings) -> Checked:
    """Length and variety must be as wanted; the score is the number of different letters."""
    del around
    size, variety = len(proposal.word), len(set(proposal.word))
    findings = []
    if size < task.shortest:
        hint = "Repeat what the expression allows to repeat until the word is long enough."
        message = f"{size} letters; {task.shortest} wanted"
        findings.append(Finding(code="pattern.too_short", message=message, hint=hint))
    if size > task.longest:
        hint = "Repeat less, or choose the shorter alternative."
        message = f"{size} letters; at most {task.longest} allowed"
        findings.append(Finding(code="pattern.too_long", message=message, hint=hint))
    if variety < task.variety:
        hint = "Choose different letters where the expression leaves a choice."
        message = f"{variety} different letters; {task.variety} wanted"
        findings.append(Finding(code="pattern.dull", message=message, hint=hint))
    return Checked(findings=tuple(findings), score=float(variety))


def _longest_match(expression: str, word: str) -> int:
    """How many letters of the word the expression accepts from its beginning."""
    compiled = re.compile(expression)
    if compiled.fullmatch(word):
        return len(word)
    found = compiled.match(word)
    return min(found.end(), len(word) - 1) if found and word else -1


CHECKS = (accepted_by_expression, within_bounds)
