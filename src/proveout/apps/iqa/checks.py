"""What decides whether a plan, a list of distortions or an answer may stand. No model is asked."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proveout.apps.iqa.detection import Category
from proveout.apps.iqa.fusion import LETTERS, LEVELS
from proveout.apps.iqa.language.numbers import numbers_grounded
from proveout.apps.iqa.language.question import declines_reference
from proveout.apps.iqa.models import (
    AnalysisSet,
    DistortionSet,
    PlannerOutput,
    SummarizerOutput,
    ToolChoice,
)
from proveout.apps.iqa.task import IqaTask
from proveout.kernel.ports import Checked, Surroundings
from proveout.kernel.types import Finding, Severity

CATEGORIES: tuple[Category, ...] = (
    "Blurs",
    "Color distortions",
    "Compression",
    "Noise",
    "Brightness change",
    "Sharpness",
    "Contrast",
    "Spatial distortions",
)
UNDETERMINED = "Unable to determine"
"""The honest answer where the evidence does not reach; the run is then not accepted."""
FURTHEST_LEVEL = 1.5
"""How far a grade may lie from the fused measurement before it needs another look."""


def found(
    code: str, message: str, hint: str = "", *, where: str = "", severity: Severity = "error"
) -> Finding:
    return Finding(code=f"iqa.{code}", message=message, hint=hint, where=where, severity=severity)


@dataclass(frozen=True)
class PlanIsSound:
    """The reference mode must fit the files, and the flags must fit the question."""

    has_reference: bool
    tools: tuple[str, ...]

    def __call__(self, task: IqaTask, plan: PlannerOutput, around: Surroundings) -> Checked:
        del around
        findings = []
        mode = "Full-Reference" if self.has_reference else "No-Reference"
        declined = self.has_reference and declines_reference(task.query)
        if plan.reference_mode != mode and not declined:
            given = "is" if self.has_reference else "is no"
            message = f"the mode is {plan.reference_mode}, but there {given} reference image"
            findings.append(found("plan.reference", message, f"Set reference_mode to {mode}."))
        unknown = [tool for tool in plan.required_tool or [] if tool not in self.tools]
        if unknown:
            message = f"unknown tools: {', '.join(unknown)}"
            hint = "Name only tools of the list, or null."
            findings.append(found("plan.unknown_tool", message, hint))
        flags = plan.plan
        if not plan.grading and plan.query_type == "Other" and any(vars(flags).values()):
            message = "a question that is not about technical quality needs no measurement"
            hint = "Set all four flags to false."
            findings.append(found("plan.flags", message, hint, severity="warning"))
        return Checked(findings=tuple(findings))


@dataclass(frozen=True)
class NamesAreKnown:
    """Distortions must belong to the list, regions to the plan."""

    scopes: tuple[str, ...]
    names: tuple[str, ...]
    """Sub-types that the detectors know, besides the categories."""

    def __call__(self, task: IqaTask, proposal: DistortionSet, around: Surroundings) -> Checked:
        del task, around
        known = {name.lower() for name in (*CATEGORIES, *self.names)}
        findings = []
        for scope, names in proposal.distortion_set.items():
            if scope not in self.scopes:
                message = f"{scope!r} is not one of the regions: {', '.join(self.scopes)}"
                findings.append(found("detect.scope", message, "Use the regions as given."))
            for name in names:
                if name.lower() not in known:
                    message = f"{name!r} is not a known distortion"
                    hint = "Use only the categories that were listed."
                    findings.append(found("detect.unknown", message, hint, where=scope))
        return Checked(findings=tuple(findings))


@dataclass(frozen=True)
class AllAreGraded:
    """Each distortion that was named needs a severity and an explanation."""

    wanted: tuple[tuple[str, str], ...]
    """Pairs of region and distortion."""

    def __call__(self, task: IqaTask, proposal: AnalysisSet, around: Surroundings) -> Checked:
        del task, around
        graded = {
            (scope, item.type.lower())
            for scope, items in proposal.distortion_analysis.items()
            for item in items
        }
        missing = [pair for pair in self.wanted if (pair[0], pair[1].lower()) not in graded]
        findings = [
            found(
                "analyse.missing",
                f"{name!r} in {scope!r} has no grade",
                "Grade all that is listed.",
            )
            for scope, name in missing
        ]
        return Checked(findings=tuple(findings))


@dataclass(frozen=True)
class ToolsExist:
    """Only tools of the bank can measure."""

    tools: tuple[str, ...]

    def __call__(self, task: IqaTask, proposal: ToolChoice, around: Surroundings) -> Checked:
        del task, around
        chosen = {tool for pairs in proposal.selected_tools.values() for tool in pairs.values()}
        findings = [
            found("select.unknown_tool", f"there is no tool {tool!r}", "Choose from the list.")
            for tool in sorted(chosen - set(self.tools))
        ]
        return Checked(findings=tuple(findings))


@dataclass(frozen=True)
class AnswerStands:
    """The answer must be one of the options, its numbers must be measured, its grade must fit."""

    options: tuple[str, ...]
    """Letters as given; empty where words are wanted."""
    grading: bool
    fused: float | None
    numbers: tuple[float, ...]
    """Every number that was measured."""
    text: str = ""
    """The question: its own numbers may be repeated."""

    def __call__(self, task: IqaTask, proposal: SummarizerOutput, around: Surroundings) -> Checked:
        del task, around
        findings: list[Finding] = []
        if not proposal.need_replan:
            findings.extend(self._option(proposal.final_answer))
        loose = numbers_grounded(proposal.quality_reasoning, (*self.numbers, *_numbers(self.text)))
        if loose:
            message = f"numbers that nobody measured: {', '.join(loose)}"
            hint = "Quote only numbers that stand in the evidence."
            findings.append(found("answer.ungrounded_number", message, hint))
        return Checked(findings=tuple(findings), score=proposal.quality_score)

    def _option(self, answer: str) -> Sequence[Finding]:
        if answer == UNDETERMINED:
            message = "the evidence does not answer the question"
            hint = "Ask about technical quality, or mark the region that is meant."
            return [found("answer.undetermined", message, hint, severity="warning")]
        if self.options and answer not in self.options:
            message = f"{answer!r} is not one of the options {', '.join(self.options)}"
            return [found("answer.no_option", message, "Answer with one option, exactly as given.")]
        if not self.grading or self.fused is None or self.options:
            return []
        level = level_number(answer)
        if level is None:
            message = f"{answer!r} is no grade"
            return [found("answer.no_grade", message, "Answer with one letter from A to E.")]
        if abs(level - self.fused) > FURTHEST_LEVEL:
            message = f"the grade {answer} lies far from the measured {self.fused:.2f}"
            hint = "Say what the measurement misses, or grade nearer to it."
            return [found("answer.far_from_evidence", message, hint, severity="warning")]
        return []


def level_number(answer: str) -> float | None:
    """What a grade stands for, 1 to 5: a letter, a word or a number."""
    word = answer.strip().rstrip(".")
    if word.upper() in LETTERS:
        return float(LETTERS[word.upper()])
    for number, level in enumerate(LEVELS, start=1):
        if word.lower() == level.lower():
            return float(number)
    try:
        value = float(word)
    except ValueError:
        return None
    return value if 1 <= value <= 5 else None


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in re.findall(r"\d+(?:\.\d+)?", text))
