"""What the summarizer's scenarios stand on: a state, evidence, a vision model by script."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout.adapters.models.scripted import ScriptedModel
from proveout.apps.iqa.models import (
    AgenticIQAState,
    DistortionAnalysis,
    ExecutorOutput,
    PlanControlFlags,
    PlannerOutput,
)
from proveout.fresh import fresh_context
from proveout.kernel.ambient import using
from proveout.kernel.ports import ModelCall

SCORE, ANSWER = "iqa/summarizer_score", "iqa/summarizer_answer"
ALL = PlanControlFlags(
    distortion_detection=True, distortion_analysis=True, tool_selection=True, tool_execute=True
)
GOOD: dict[str, Any] = {
    "final_answer": "C",
    "quality_reasoning": "Moderate blur; the tool says 2.6.",
}


@contextmanager
def talking(*replies: str | Mapping[str, JsonValue]) -> Iterator[ScriptedModel]:
    """Every agent asks this script; a mapping without a role is what a model would write."""
    script = [
        reply if isinstance(reply, str) or "role" in reply else said(reply) for reply in replies
    ]
    model = ScriptedModel(script)
    context = fresh_context("iqa")
    context.ports = replace(context.ports, model_for=lambda _role: model)
    with using(context):
        yield model


def said(value: Mapping[str, JsonValue], role: str = "") -> dict[str, JsonValue]:
    """A reply as words, JSON in them: what chat models send."""
    return {"role": role, "text": json.dumps(value)}


def plan(query_type: str = "IQA", **fields: Any) -> PlannerOutput:
    return PlannerOutput(query_type=query_type, **{"plan": ALL, **fields})


def evidence(
    severity: str = "moderate", score: float = 2.6, scope: str = "Global", *, scored: bool = True
) -> ExecutorOutput:
    """Blur of this severity in one region, and what a tool says about it."""
    seen = {"type": "Blurs", "severity": severity, "explanation": "Edges are soft."}
    return ExecutorOutput(
        distortion_set={scope: ["Blurs"]},
        distortion_analysis={scope: [DistortionAnalysis.model_validate(seen)]},
        quality_scores={scope: {"Blurs": ("proveout", score)}} if scored else None,
    )


def state(image: Path, **fields: Any) -> AgenticIQAState:
    """A state that is ready for the summarizer."""
    made: Any = {
        "query": "How good is this photo?",
        "image_path": str(image),
        "plan": plan(),
        "executor_evidence": evidence(),
        **fields,
    }
    return {name: value for name, value in made.items() if value is not ...}  # type: ignore[return-value]


def user_part(call: ModelCall) -> str:
    """What stands after the instructions, without the schema."""
    text = call.prompt.partition("\nUser:\n")[2]
    return text.partition("\nReply with one JSON value")[0]


def json_after(heading: str, text: str) -> Any:
    """The JSON value that follows a heading."""
    value, _ = json.JSONDecoder().raw_decode(text.partition(f"{heading}\n")[2])
    return value
