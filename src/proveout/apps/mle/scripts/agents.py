"""The fourteen agents as the Claude Agent SDK takes them.

`AgentConfig(agent_type=…)` alone is complete; whatever is left out is the agent's default.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, JsonValue, model_validator

from proveout.apps.mle.scripts.kinds import AgentType
from proveout.apps.mle.scripts.outputs import (
    DataContaminationResult,
    ExtractorOutput,
    LeakageDetectionOutput,
    RetrieverOutput,
)
from proveout.apps.mle.scripts.registry import shared_registry
from proveout.kernel.types import Frozen

__all__ = ["DEFAULTS", "AgentConfig", "AgentType", "Default", "build_default_agent_configs"]

ModelAlias = Literal["sonnet", "opus", "haiku", "inherit"]


class Default(NamedTuple):
    """What an agent is where nobody says otherwise."""

    description: str
    tools: tuple[str, ...] | None = None
    schema: type[BaseModel] | None = None


READ = ("Read",)
_DETECTS = Default(
    "Agent that detects data leakage in solution preprocessing code", READ, LeakageDetectionOutput
)
DEFAULTS: Mapping[tuple[AgentType, str | None], Default] = {
    (AgentType.retriever, None): Default(
        "Agent that searches for effective models for a machine-learning task",
        ("WebSearch", "WebFetch"),
        RetrieverOutput,
    ),
    (AgentType.init, None): Default("Agent that writes a first solution around one model", READ),
    (AgentType.merger, None): Default(
        "Agent that integrates a reference solution into a base solution", READ
    ),
    (AgentType.ablation, None): Default(
        "Agent that writes an ablation study of the current solution", READ
    ),
    (AgentType.summarize, None): Default(
        "Agent that summarizes raw ablation study output into a concise textual summary"
    ),
    (AgentType.extractor, None): Default(
        "Agent that identifies the most impactful code block and proposes a refinement plan",
        READ,
        ExtractorOutput,
    ),
    (AgentType.coder, None): Default("Agent that carries out a refinement plan on a code block"),
    (AgentType.planner, None): Default(
        "Agent that proposes the next refinement plan from the scores of earlier ones"
    ),
    (AgentType.ens_planner, None): Default("Agent that proposes how to ensemble solutions"),
    (AgentType.ensembler, None): Default("Agent that carries out an ensemble plan", READ),
    (AgentType.debugger, None): Default(
        "Agent that repairs a script by its traceback", ("Read", "Bash")
    ),
    (AgentType.leakage, None): _DETECTS,
    (AgentType.leakage, "detection"): _DETECTS,
    (AgentType.leakage, "correction"): Default(
        "Agent that corrects data leakage in solution preprocessing code", READ
    ),
    (AgentType.data, None): Default("Agent that checks that all provided data are used", READ),
    (AgentType.test, None): Default(
        "Agent that turns a solution into one that predicts the test samples", READ
    ),
    (AgentType.test, "subsampling_extract"): Default(
        "Agent that finds the code block that subsamples"
    ),
    (AgentType.test, "subsampling_remove"): Default(
        "Agent that takes the subsampling out of a code block"
    ),
    (AgentType.test, "contamination"): Default(
        "Agent that compares a solution with a published discussion", None, DataContaminationResult
    ),
}


class AgentConfig(Frozen):
    """One agent. To the specification `tools=None` means none at all."""

    agent_type: AgentType
    variant: str | None = None
    """For agents that are asked in more than one way: leakage and test."""
    description: str
    system_prompt: str | None = None
    """In place of the agent's own template."""
    tools: list[str] | None = None
    model: ModelAlias | None = None
    """None: whatever the pipeline uses."""
    output_schema: type[BaseModel] | None = None
    max_turns: int | None = None

    def __init__(self, **fields: Any) -> None:
        # Written out so that `AgentConfig(agent_type=X)` is complete to a type checker too.
        super().__init__(**fields)

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "agent_type" not in given:
            return given
        agent, variant = AgentType(given["agent_type"]), given.get("variant")
        if (agent, variant) not in DEFAULTS:
            message = f"the agent {agent.value!r} has no variant {variant!r}"
            raise ValueError(message)
        default = DEFAULTS[agent, variant]
        tools = None if default.tools is None else list(default.tools)
        own = {
            "description": default.description,
            "tools": tools,
            "output_schema": default.schema,
        }
        return own | given

    def to_agent_definition(self) -> dict[str, JsonValue]:
        """The fields of the SDK's `AgentDefinition`.

        The SDK reads `tools=None` as "every tool", the specification as "none": hence the empty
        list. Variables stand in the prompt by name; each question carries their values.
        """
        return {
            "description": self.description,
            "prompt": self.prompt,
            "tools": list(self.tools or ()),
            "model": self.model,
        }

    def to_output_format(self) -> dict[str, JsonValue] | None:
        """What `ClaudeAgentOptions.output_format` takes; None for an agent that answers freely."""
        if self.output_schema is None:
            return None
        return {"type": "json_schema", "schema": self.output_schema.model_json_schema()}

    @property
    def prompt(self) -> str:
        if self.system_prompt is not None:
            return self.system_prompt
        return shared_registry().get(self.agent_type, self.variant).outline()


def build_default_agent_configs() -> dict[AgentType, AgentConfig]:
    """All fourteen, each with the model of whoever runs them."""
    return {agent: AgentConfig(agent_type=agent) for agent in AgentType}
