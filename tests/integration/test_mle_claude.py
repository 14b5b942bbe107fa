"""REQ-P2O-014, REQ-SF-015: what the Claude Agent SDK is given for the agents, and what it says."""

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel

from proveout.apps.mle.models import (
    AgentConfig,
    AgentType,
    ExtractorOutput,
    LeakageDetectionOutput,
)
from proveout.apps.mle.roles import EXTRACTOR, LEAKAGE_CORRECTION, LEAKAGE_DETECTION, SUMMARIZE
from proveout.kernel.ports import ModelCall
from proveout.kernel.proposer import Role, read_reply
from tests.integration.test_claude_options import (
    RESULT,
    ScriptedTransport,
    converse,
    options,
)

sdk = pytest.importorskip("claude_agent_sdk", reason="needs pip install 'proveout[claude]'")

PLANS = {"plans": [{"code_block": "x = 1", "plan": "Make it 2."}]}
ANSWERS = {"answers": [{"leakage_status": "No Data Leakage", "code_block": "x = 1"}]}


def call_of(role: Role[Any]) -> ModelCall:
    return ModelCall(
        role=role.name,
        prompt="the prompt",
        schema=role.schema,
        tools=role.tools or (),
        limits=role.limits,
        description=role.description,
    )


@pytest.mark.parametrize(
    ("role", "config"),
    [
        (EXTRACTOR, AgentConfig(agent_type=AgentType.extractor)),
        (LEAKAGE_DETECTION, AgentConfig(agent_type=AgentType.leakage)),
        (LEAKAGE_CORRECTION, AgentConfig(agent_type=AgentType.leakage, variant="correction")),
        (SUMMARIZE, AgentConfig(agent_type=AgentType.summarize)),
    ],
)
def test_a_run_gives_the_sdk_what_the_configuration_says(
    role: Role[Any], config: AgentConfig
) -> None:
    given = options(call_of(role))
    assert given.output_format == config.to_output_format()
    assert given.tools == list(config.tools or ())
    (agent,) = given.agents.values()
    assert agent.description == config.description
    assert agent.model is None


@pytest.mark.parametrize(
    ("role", "shape", "value"),
    [
        (EXTRACTOR, ExtractorOutput, PLANS),
        (LEAKAGE_DETECTION, LeakageDetectionOutput, ANSWERS),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_structured_answer_is_read(
    role: Role[Any], shape: type[BaseModel], value: dict[str, Any], wrapped: bool
) -> None:
    said = {"output": value} if wrapped else value
    transport = ScriptedTransport({**RESULT, "structured_output": said})
    reply = asyncio.run(converse(call_of(role), transport))
    assert reply is not None
    assert read_reply(reply, shape) == shape.model_validate(value)
    assert shape.model_validate_json(json.dumps(reply.value)) == shape.model_validate(value)
