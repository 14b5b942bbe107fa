"""What a whole benchmark teaches: failures by family and code, changes to make, patches to try.

All of it follows from codes by the tables below. Nothing of a task, no name, no figure, no wording,
gets into a proposal or a patch.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Literal

from proveout.apps.solver.experience import lessons_for
from proveout.apps.solver.validating.codes import HINTS
from proveout.kernel.lessons import LessonRule, Patch, derive
from proveout.kernel.types import Finding, Frozen

ChangeKind = Literal["tool patch", "matcher", "lexicon entry", "link rule", "wording", "procedure"]
UNEXPLAINED = "unexplained"


class Failure(Frozen):
    """A task that went wrong, as codes."""

    case: str
    family: str = ""
    codes: tuple[str, ...] = ()


class Change(Frozen):
    """What to look at in the code."""

    module: str
    kind: ChangeKind
    proposal: str


class Cluster(Frozen):
    """Failures of one family for one reason."""

    family: str
    code: str
    cases: tuple[str, ...]
    change: Change


def _change(module: str, kind: ChangeKind, proposal: str) -> Change:
    return Change(module=module, kind=kind, proposal=proposal)


_CHANGES: Mapping[str, Change] = {
    "outcome.denied_security.*": _change(
        "rules/",
        "matcher",
        "A sentence that denies was not compiled: look through the unmapped sentences of the wiki,"
        " and whether the expert names the operation that the request stands for.",
    ),
    "outcome.*.denied_security": _change(
        "rules/",
        "matcher",
        "A permission was not compiled, or a condition of it is false that should be true: compare"
        " the facts in the proof with the sentence that grants it.",
    ),
    "outcome.none_unsupported.*": _change(
        "experts/beyond.py",
        "lexicon entry",
        "The expert did not see that nobody can do this: add the words for object and deed.",
    ),
    "outcome.*.none_unsupported": _change(
        "experts/beyond.py",
        "lexicon entry",
        "Words for something impossible were seen where a known intent was meant: narrow them.",
    ),
    "outcome.none_clarification_needed.*": _change(
        "resolve/",
        "matcher",
        "A name was taken for one record although several or none fit: raise the margin.",
    ),
    "outcome.*.none_clarification_needed": _change(
        "experts/intents.py",
        "lexicon entry",
        "The request was not understood or a name not resolved: add the words of the intent, or a"
        " way of matching the name.",
    ),
    "outcome.ok_not_found.*": _change(
        "validating/outcome.py",
        "procedure",
        "An understood request without a match was answered otherwise: check what counts as empty.",
    ),
    "outcome.*.ok_not_found": _change(
        "experts/",
        "tool patch",
        "The plan read too little or from the wrong place: compare its statement with the request.",
    ),
    "outcome.*.error_internal": _change(
        "tools.py",
        "tool patch",
        "A call failed for good: see the trace for route and code, and mend the tool.",
    ),
    "outcome.*": _change(
        "experts/intents.py", "lexicon entry", "The request was taken for another intent."
    ),
    "link.*": _change(
        "validating/links.py",
        "link rule",
        "Links are not what the answer consists of: correct the link rules of this intent's plan.",
    ),
    "text.*": _change(
        "validating/message.py",
        "wording",
        "The message lacks the value or says more than was asked: correct its template or form.",
    ),
    "write.missing": _change(
        "experts/changes.py",
        "matcher",
        "A change was not planned: add the words of the intent, or the field that it sets.",
    ),
    "write.*": _change(
        "validating/writes.py",
        "tool patch",
        "Other changes were sent than wanted: check how fields are merged and copied.",
    ),
    "response.count": _change("flow.py", "procedure", "A task had more or less than one reply."),
    "solver.sql.*": _change(
        "experts/",
        "tool patch",
        "A statement of the expert was refused: correct it against the catalogue.",
    ),
    "solver.write.*": _change(
        "experts/changes.py", "tool patch", "A change of the expert was refused: correct its args."
    ),
    "solver.reply.*": _change(
        "experts/", "wording", "A message of the expert was refused: correct its template."
    ),
    "solver.*": _change(
        "experts/", "tool patch", "A plan of the expert was refused: correct the step it names."
    ),
    "*": _change(
        "flow.py", "procedure", "No code explains it: solve the recorded case again and read it."
    ),
}


def clusters(failures: Iterable[Failure]) -> tuple[Cluster, ...]:
    """Failures by family and code, the largest group first."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for failure in failures:
        for code in failure.codes or (UNEXPLAINED,):
            groups[failure.family, code].append(failure.case)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Cluster(family=family, code=code, cases=tuple(sorted(cases)), change=change_for(code))
        for (family, code), cases in ordered
    )


def change_for(code: str) -> Change:
    """The first line of the table that a code fits."""
    return next(change for pattern, change in _CHANGES.items() if fnmatchcase(code, pattern))


def candidates(failures: Iterable[Failure], rules: Mapping[str, LessonRule]) -> tuple[Patch, ...]:
    """Patches that the codes of these failures teach, each once, in the order of the codes."""
    codes = sorted({code for failure in failures for code in failure.codes})
    findings = [
        Finding(code=code, message=code, hint=HINTS.get(code, ""))
        for code in codes
        if code.startswith("solver.")
    ]
    told = (*lessons_for(codes), *derive(findings, rules, run="", key=""))
    patches = (patch.model_copy(update={"origin": None}) for patch in told)
    return tuple({patch.signature: patch for patch in patches}.values())


def withdrawal(patch: Patch) -> Patch:
    """The patch that takes one back."""
    operation = {"rule": "remove_rule", "tool": "remove_tool_patch", "process": "remove_process"}
    return Patch.model_validate(
        {
            **patch.model_dump(exclude={"operation", "advice", "origin"}),
            "operation": operation[patch.kind],
        }
    )


def wanted_outcome(codes: Sequence[str]) -> str:
    """The outcome that a grader asked for, where a code says so."""
    said = [code.split(".")[1] for code in codes if code.startswith("outcome.")]
    return said[0] if said else ""
