"""The shapes that the agents exchange, under the names of the specification.

Other spellings that are in use (`task_type`, `required_object_names`, `tool_execution`, …) are
accepted when reading, never written.
"""

import logging
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NotRequired, Self, TypedDict

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from proveout.apps.iqa.detection import SEVERITIES, Severity
from proveout.apps.iqa.drawing import Drawn

logger = logging.getLogger(__name__)

GLOBAL = "Global"
MOST_HISTORY = 10
DEFAULT_REPLANS = 2
NO_REASON = "No reason provided"
OTHER_SEVERITIES = {"mild": "slight", "minor": "slight", "heavy": "severe", "strong": "severe"}
"""Words of other vocabularies for the same bands."""


class Shape(BaseModel):
    """Read tolerantly (aliases, unknown extras of a model ignored), written exactly."""

    model_config = ConfigDict(populate_by_name=True, extra="ignore")


class PlanControlFlags(Shape):
    """Which of the executor's four subtasks run."""

    distortion_detection: bool = False
    distortion_analysis: bool = False
    tool_selection: bool = False
    tool_execute: bool = Field(
        default=False, validation_alias=AliasChoices("tool_execute", "tool_execution")
    )


def _capital(value: Any) -> Any:
    """`explicit`, `EXPLICT`, `full-reference` …: the published prompts disagree about spelling."""
    if not isinstance(value, str):
        return value
    known = {
        "explicit": "Explicit",
        "explict": "Explicit",
        "inferred": "Inferred",
        "full-reference": "Full-Reference",
        "full reference": "Full-Reference",
        "fr": "Full-Reference",
        "no-reference": "No-Reference",
        "no reference": "No-Reference",
        "nr": "No-Reference",
    }
    return known.get(value.strip().lower(), value)


class PlannerOutput(Shape):
    """What is asked, where, about which distortions, with which means."""

    query_type: str = Field(
        default="IQA", min_length=1, validation_alias=AliasChoices("query_type", "task_type")
    )
    """`IQA` asks for a grade; anything else (`Other`, `MCQ`, `Explanation`) for an answer."""
    query_scope: list[str] | Literal["Global"] = Field(
        default="Global", validation_alias=AliasChoices("query_scope", "required_object_names")
    )
    distortion_source: Annotated[Literal["Explicit", "Inferred"], BeforeValidator(_capital)] = (
        "Inferred"
    )
    distortions: dict[str, list[str]] | None = Field(
        default=None, validation_alias=AliasChoices("distortions", "required_distortions")
    )
    reference_mode: Annotated[
        Literal["Full-Reference", "No-Reference"], BeforeValidator(_capital)
    ] = Field(
        default="No-Reference", validation_alias=AliasChoices("reference_mode", "reference_type")
    )
    required_tool: list[str] | None = Field(
        default=None, validation_alias=AliasChoices("required_tool", "required_tools")
    )
    plan: PlanControlFlags = PlanControlFlags()

    @field_validator("query_scope", mode="before")
    @classmethod
    def _scope(cls, value: Any) -> Any:
        if value is None or value == [] or value == "":
            return GLOBAL
        if isinstance(value, str):
            return GLOBAL if value.strip().lower() == "global" else [value.strip()]
        if isinstance(value, list) and [str(item).lower() for item in value] == ["global"]:
            return GLOBAL
        return value

    @field_validator("required_tool", mode="before")
    @classmethod
    def _tools(cls, value: Any) -> Any:
        if isinstance(value, str):
            return [value] if value.strip() else None
        return value or None

    @property
    def scopes(self) -> tuple[str, ...]:
        """The regions asked about; the whole picture is a region too."""
        return (GLOBAL,) if isinstance(self.query_scope, str) else tuple(self.query_scope)

    @property
    def grading(self) -> bool:
        return self.query_type.strip().upper() == "IQA"


class DistortionAnalysis(Shape):
    """One distortion in one region, with how bad it is and why we think so."""

    type: str = Field(min_length=1)
    severity: Severity
    explanation: str

    @field_validator("severity", mode="before")
    @classmethod
    def _known_severity(cls, value: Any) -> Any:
        word = value.strip().lower() if isinstance(value, str) else value
        return OTHER_SEVERITIES.get(word, word) if isinstance(word, str) else word

    @field_validator("explanation")
    @classmethod
    def _says_something(cls, value: str) -> str:
        return _not_blank(value, "explanation")

    @property
    def grave(self) -> bool:
        return SEVERITIES.index(self.severity) >= SEVERITIES.index("severe")


class DistortionSet(Shape):
    """Which distortions are seen where."""

    distortion_set: dict[str, list[str]]


class AnalysisSet(Shape):
    """How bad each of them is."""

    distortion_analysis: dict[str, list[DistortionAnalysis]]


class ToolChoice(Shape):
    """Which tool measures which distortion, by region."""

    selected_tools: dict[str, dict[str, str]]


class ToolExecutionLog(Shape):
    """One tool on one region, as it happened."""

    tool_name: str
    object_name: str = GLOBAL
    distortion: str = ""
    raw_score: float | None = None
    normalized_score: float = Field(ge=1, le=5)
    execution_time: float = Field(default=0.0, ge=0)
    fallback: bool = False
    error: str | None = None
    timestamp: datetime = Field(default_factory=lambda: datetime.now(UTC))

    @field_validator("normalized_score", mode="before")
    @classmethod
    def _clipped(cls, value: Any) -> Any:
        if isinstance(value, (int, float)) and not 1 <= value <= 5:
            logger.warning("score %s lies outside 1..5 and was clipped", value)
            return min(5.0, max(1.0, float(value)))
        return value


QualityScore = tuple[str, float]
"""The tool and its score from 1 to 5."""


class ExecutorOutput(Shape):
    """The evidence. A subtask that did not run, or failed, leaves its field empty."""

    distortion_set: dict[str, list[str]] | None = None
    distortion_analysis: dict[str, list[DistortionAnalysis]] | None = None
    selected_tools: dict[str, dict[str, str]] | None = None
    quality_scores: dict[str, dict[str, QualityScore]] | None = None
    tool_logs: list[ToolExecutionLog] = Field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.distortion_set or self.distortion_analysis or self.quality_scores)

    def scores(self) -> list[float]:
        """Every tool score, in a fixed order."""
        return [
            score
            for scope in sorted(self.quality_scores or {})
            for _, (_, score) in sorted((self.quality_scores or {})[scope].items())
        ]


class SummarizerOutput(Shape):
    """The answer, why, and whether the evidence was enough."""

    model_config = ConfigDict(
        populate_by_name=True,
        extra="ignore",
        json_schema_extra={
            "examples": [
                {
                    "final_answer": "B",
                    "quality_reasoning": "The image shows moderate blur affecting sharpness, "
                    "consistent with tool score of 2.6.",
                    "need_replan": False,
                },
                {
                    "final_answer": "Unable to determine",
                    "quality_reasoning": "Insufficient evidence for vehicle region.",
                    "need_replan": True,
                    "replan_reason": "Missing tool scores for vehicle region",
                },
            ]
        },
    )

    final_answer: str
    """An option's letter, a quality level, or words."""
    quality_reasoning: str = Field(min_length=1)
    need_replan: bool = False
    replan_reason: str | None = None
    used_evidence: dict[str, Any] | None = None
    quality_score: float | None = Field(default=None, ge=1, le=5)
    interval: tuple[float, float] | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)

    @field_validator("final_answer")
    @classmethod
    def _answered(cls, value: str) -> str:
        return _not_blank(value, "final_answer")

    @field_validator("quality_reasoning")
    @classmethod
    def _reasoned(cls, value: str) -> str:
        return _not_blank(value, "quality_reasoning")

    @model_validator(mode="after")
    def _reason_for_replan(self) -> Self:
        if self.need_replan and not (self.replan_reason or "").strip():
            logger.warning("a replan was asked for without a reason")
            self.replan_reason = NO_REASON
        return self


class AgenticIQAState(TypedDict):
    """What travels along the graph. Later phases add fields; earlier states stay valid."""

    query: str
    image_path: str
    reference_path: NotRequired[str | None]
    compare_path: NotRequired[str | None]
    """A second picture: the question is about both."""
    drawn: NotRequired[Drawn | None]
    """The region that the user marked: the question is about it."""
    plan: NotRequired[PlannerOutput]
    executor_evidence: NotRequired[ExecutorOutput | None]
    summarizer_result: NotRequired[SummarizerOutput]
    iteration_count: NotRequired[int]
    max_replan_iterations: NotRequired[int]
    replan_history: NotRequired[list[str]]
    unasked: NotRequired[bool]
    """The budget left no room to ask: the answer is by rule, and nobody judged it."""
    error: NotRequired[str]


def remembered(history: list[str], iteration: int, reason: str) -> list[str]:
    """The history with one more reason, the oldest forgotten."""
    longer = [*history, f"[Iteration {iteration}] {reason}"]
    if len(longer) > MOST_HISTORY:
        logger.warning("excessive replanning: only the last %d reasons are kept", MOST_HISTORY)
    return longer[-MOST_HISTORY:]


def _not_blank(value: str, name: str) -> str:
    trimmed = value.strip()
    if not trimmed:
        message = f"{name} must not be blank"
        raise ValueError(message)
    return trimmed
