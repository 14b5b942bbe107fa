"""REQ-P2O-008, -012, -014, REQ-SF-011, -015, -016: agents as configurations, for the real SDK."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from proveout.apps.mle.models import (
    AgentConfig,
    AgentType,
    ExtractorOutput,
    LeakageDetectionOutput,
    build_default_agent_configs,
)
from proveout.apps.mle.roles import ROLES
from proveout.apps.mle.scripts.agents import DEFAULTS

sdk = pytest.importorskip("claude_agent_sdk")


def accepted_by_the_sdk(config: AgentConfig) -> Any:
    """The options with the agent in them; they fail on what the SDK cannot take."""
    definition = sdk.AgentDefinition(**config.to_agent_definition())
    name = config.agent_type.value
    options = sdk.ClaudeAgentOptions(
        agents={name: definition}, output_format=config.to_output_format()
    )
    assert options.agents[name].prompt == config.prompt
    return options


def test_req_p2o_008_the_summarize_agent_is_defined() -> None:
    config = AgentConfig(agent_type=AgentType.summarize)
    assert config.agent_type is AgentType.summarize
    assert config.description == (
        "Agent that summarizes raw ablation study output into a concise textual summary"
    )
    assert config.tools is None
    assert config.output_schema is None
    assert config.model is None
    assert config.to_output_format() is None


def test_req_p2o_008_acceptance_the_definition_is_valid_for_the_sdk() -> None:
    definition = AgentConfig(agent_type=AgentType.summarize).to_agent_definition()
    assert set(definition) == {"description", "prompt", "tools", "model"}
    assert "{ablation_code}" in str(definition["prompt"])
    assert "{raw_result}" in str(definition["prompt"])
    # To the SDK, None would mean every tool there is.
    assert definition["tools"] == []
    accepted_by_the_sdk(AgentConfig(agent_type=AgentType.summarize))


def test_req_p2o_012_the_extractor_agent_is_defined() -> None:
    config = AgentConfig(agent_type=AgentType.extractor)
    assert config.description == (
        "Agent that identifies the most impactful code block and proposes a refinement plan"
    )
    assert config.tools == ["Read"]
    assert config.output_schema is ExtractorOutput
    assert config.model is None


def test_req_p2o_012_acceptance_the_definition_is_valid_for_the_sdk() -> None:
    options = accepted_by_the_sdk(AgentConfig(agent_type=AgentType.extractor))
    assert options.agents["extractor"].tools == ["Read"]
    assert "{solution_script}" in options.agents["extractor"].prompt


def test_req_p2o_014_the_extractor_asks_for_its_schema() -> None:
    config = AgentConfig(agent_type=AgentType.extractor)
    wanted = {"type": "json_schema", "schema": ExtractorOutput.model_json_schema()}
    assert config.to_output_format() == wanted
    assert accepted_by_the_sdk(config).output_format == wanted


def test_req_p2o_014_acceptance_a_response_is_parsed() -> None:
    response = json.dumps({"plans": [{"code_block": "x = 1", "plan": "Make it 2."}]})
    parsed = ExtractorOutput.model_validate_json(response)
    assert parsed.plans[0].code_block == "x = 1"
    bare = json.dumps([{"code_block": "x = 1", "plan": "Make it 2."}])
    assert ExtractorOutput.model_validate_json(bare) == parsed


def test_req_sf_011_the_detection_agent_is_defined() -> None:
    for config in (
        AgentConfig(agent_type=AgentType.leakage),
        AgentConfig(agent_type=AgentType.leakage, variant="detection"),
    ):
        assert config.description == (
            "Agent that detects data leakage in solution preprocessing code"
        )
        assert config.tools == ["Read"]
        assert config.output_schema is LeakageDetectionOutput
        assert config.model is None
        assert "{code}" in accepted_by_the_sdk(config).agents["leakage"].prompt


def test_req_sf_015_the_detection_agent_asks_for_its_schema() -> None:
    config = AgentConfig(agent_type=AgentType.leakage)
    wanted = {"type": "json_schema", "schema": LeakageDetectionOutput.model_json_schema()}
    assert config.to_output_format() == wanted


def test_req_sf_015_acceptance_a_response_is_parsed() -> None:
    answer = {"leakage_status": "Yes Data Leakage", "code_block": "scaler.fit(all_rows)"}
    parsed = LeakageDetectionOutput.model_validate_json(json.dumps({"answers": [answer]}))
    assert parsed.answers[0].leaks
    assert LeakageDetectionOutput.model_validate_json(json.dumps([answer])) == parsed


def test_req_sf_016_the_correction_agent_is_defined() -> None:
    config = AgentConfig(agent_type=AgentType.leakage, variant="correction")
    assert config.agent_type is AgentType.leakage
    assert config.description == "Agent that corrects data leakage in solution preprocessing code"
    assert config.tools == ["Read"]
    assert config.output_schema is None
    assert config.to_output_format() is None
    assert config.model is None
    accepted_by_the_sdk(config)


def test_every_agent_is_accepted_by_the_sdk() -> None:
    configs = build_default_agent_configs()
    assert list(configs) == list(AgentType)
    assert {config.model for config in configs.values()} == {None}
    for config in configs.values():
        accepted_by_the_sdk(config)


def test_every_variant_is_accepted_by_the_sdk() -> None:
    for agent, variant in DEFAULTS:
        accepted_by_the_sdk(AgentConfig(agent_type=agent, variant=variant))


def test_what_is_given_wins_over_the_default() -> None:
    config = AgentConfig(
        agent_type="extractor",
        description="mine",
        tools=None,
        output_schema=None,
        model="haiku",
        system_prompt="Be brief.",
        max_turns=2,
    )
    assert config.to_output_format() is None
    assert config.to_agent_definition() == {
        "description": "mine",
        "prompt": "Be brief.",
        "tools": [],
        "model": "haiku",
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"agent_type": "nobody"},
        {"agent_type": "coder", "model": "gpt"},
        {"agent_type": "coder", "variant": "detection"},
        {"agent_type": "leakage", "variant": "subsampling_extract"},
        {"agent_type": "coder", "unknown": 1},
    ],
)
def test_a_wrong_configuration_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AgentConfig(**wrong)


def test_a_configuration_is_frozen() -> None:
    config = AgentConfig(agent_type=AgentType.coder)
    with pytest.raises(ValidationError, match="frozen"):
        config.description = "other"  # type: ignore[misc]


def test_roles_and_configurations_agree() -> None:
    """The role that is asked in a run is the agent that the specification describes."""
    by_name = {role.name.removeprefix("mle/"): role for role in ROLES}
    for (agent, variant), default in DEFAULTS.items():
        name = f"{agent.value}_{variant}" if variant else agent.value
        role = by_name.get(name)
        if role is None:
            assert (agent, variant) == (AgentType.leakage, None)
            continue
        assert role.description == default.description
        assert set(role.tools or ()) <= set(default.tools or ())
        schema = role.returns if issubclass(role.returns, BaseModel) else None
        assert schema is default.schema


def test_no_role_may_run_commands_outside_of_the_sandbox() -> None:
    assert not any("Bash" in (role.tools or ()) for role in ROLES)
