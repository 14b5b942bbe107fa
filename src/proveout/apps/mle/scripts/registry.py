"""The prompt files under the names of the specification.

A run renders prompts through its own port, which lets a user's folder replace them. This is the
other way in, for whoever wants a template by agent and figure: the same files, the same words.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from proveout.apps.mle.scripts.kinds import AgentType
from proveout.kernel.types import Frozen

if TYPE_CHECKING:
    from jinja2.sandbox import ImmutableSandboxedEnvironment

PROMPTS = "proveout.apps.mle.prompts"
FENCE = "+++"
OWN_PIECE = "mle/_"
LOGIC = re.compile(r"\{\{|\{%")
VARIANTS: Mapping[AgentType, Mapping[str | None, str]] = {
    AgentType.leakage: {
        None: "leakage_detection",
        "detection": "leakage_detection",
        "correction": "leakage_correction",
    },
    AgentType.test: {
        None: "test",
        "subsampling_extract": "test_subsampling_extract",
        "subsampling_remove": "test_subsampling_remove",
        "contamination": "test_contamination",
    },
}
"""Agents that are asked in more than one way, and the files of each; the others have one."""


class PromptTemplate(Frozen):
    """A prompt with places for variables: Jinja, or plain `{name}`."""

    agent_type: AgentType
    figure_ref: str
    template: str
    variables: list[str]
    lists: list[str] = []
    """Those of the variables that are lists."""

    def render(self, **values: Any) -> str:
        """The prompt as a model gets it. Values are never read as templates.

        Raises:
            KeyError: naming the first variable that was not given.
        """
        for name in self.variables:
            if name not in values:
                raise KeyError(name)
        if LOGIC.search(self.template):
            return _jinja().from_string(self.template).render(values).strip()
        # Nothing but the named places: other braces are text.
        return re.sub(
            r"\{(\w+)\}",
            lambda found: str(values[found[1]]) if found[1] in self.variables else found[0],
            self.template,
        )

    def outline(self) -> str:
        """The prompt with the name of each variable in its place, in braces."""
        named = {name: f"{{{name}}}" for name in self.variables}
        return self.render(**{k: [v] if k in self.lists else v for k, v in named.items()})


class PromptRegistry:
    """Every agent's templates; complete from the start."""

    def __init__(self) -> None:
        self._templates = {
            agent: {
                variant: _template(agent, name)
                for variant, name in VARIANTS.get(agent, {None: agent.value}).items()
            }
            for agent in AgentType
        }

    def get(self, agent_type: AgentType, variant: str | None = None) -> PromptTemplate:
        """Raises KeyError for an agent or a variant that does not exist."""
        return self._templates[agent_type][variant]

    def __len__(self) -> int:
        return len(self._templates)

    def __contains__(self, agent_type: object) -> bool:
        return agent_type in self._templates


@cache
def shared_registry() -> PromptRegistry:
    """Templates never change, so that one reading serves all."""
    return PromptRegistry()


def _template(agent: AgentType, name: str) -> PromptTemplate:
    head, _, text = _read(name).removeprefix(FENCE).partition(f"\n{FENCE}\n")
    about = tomllib.loads(head)
    return PromptTemplate(
        agent_type=agent,
        figure_ref=about["figure"],
        template=text.strip() + "\n",
        variables=about["variables"],
        lists=about.get("lists", []),
    )


def _read(name: str) -> str:
    return (resources.files(PROMPTS) / f"{name}.md").read_text(encoding="utf-8")


@cache
def _jinja() -> "ImmutableSandboxedEnvironment":
    # Loaded when the first prompt is rendered: the data models alone need no templates.
    from jinja2 import StrictUndefined
    from jinja2.loaders import FunctionLoader
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    jinja = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        loader=FunctionLoader(_piece),
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters["json"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
    return jinja


def _piece(name: str) -> str | None:
    return _read(name.removeprefix("mle/")) if name.startswith(OWN_PIECE) else None
