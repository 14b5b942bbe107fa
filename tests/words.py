"""The word game: a task, a proposal and checks small enough to reason about, and picklable."""

import re

from proveout.kernel.ports import Brief, Checked, Surroundings
from proveout.kernel.proposer import Role
from proveout.kernel.types import Finding, Frozen, Task


class WordTask(Task):
    letters: int = 4
    banned: str = ""


class Word(Frozen):
    word: str


def long_enough(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
    size = around.observe("size", lambda: len(proposal.word))
    assert isinstance(size, int)
    if size >= task.letters:
        return Checked(score=float(size))
    finding = Finding(
        code="words.short",
        message=f"{size} letters; {task.letters} wanted",
        hint="Use more letters.",
    )
    return Checked(findings=(finding,), score=float(size))


def not_banned(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
    around.keep(proposal.word.encode(), "text/plain")
    if task.banned and task.banned in proposal.word:
        message = f"{task.banned!r} is banned"
        hint = "Avoid the banned letters."
        return Checked(findings=(Finding(code="words.banned", message=message, hint=hint),))
    if not re.fullmatch(r"[a-z]*", proposal.word):
        message = "not in small letters"
        return Checked(findings=(Finding(code="words.style", message=message, severity="warning"),))
    return Checked()


CHECKS = (long_enough, not_banned)


def breaks(task: WordTask, proposal: Word, around: Surroundings) -> Checked:
    del task, around
    message = f"no judgement on {proposal.word}"
    raise RuntimeError(message)


def lengthen(brief: Brief) -> Word:
    """The expert: one letter more per round."""
    return Word(word="a" * (brief.round + 1))


PROPOSE = Role(name="words/propose", returns=Word, description="Proposes a word.", expert=lengthen)
SAY: Role[str] = Role(
    name="words/say",
    returns=str,
    description="Says something.",
    expert=lambda brief: f"about {brief.variables['topic']}",
)
