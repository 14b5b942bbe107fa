"""Roles, and how a reply becomes a proposal.

A role is a prompt file, a return type and an expert function. A reply is read by a ladder: the
native value, then JSON in the text (fenced or not). What fits the type is the proposal; what does
not is `Malformed`, a value that the loop judges like any other. The re-ask between the two is in
`asking`.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, NoReturn, TypeVar, cast

from pydantic import BaseModel, JsonValue, ValidationError

from proveout.kernel.canonical import canonical
from proveout.kernel.ports import Ask, Brief, CallLimits, Reply
from proveout.kernel.types import Frozen, Malformed, MalformedReason, Picture, ProposalT

ReturnT = TypeVar("ReturnT")
OPENING = re.compile(r"[{\[]")

SHOWN_TEXT = 4000
"""How much of an unreadable reply travels in the finding; all of it is in the journal."""
MOST_STARTS = 200
"""How many opening brackets of a text are tried as the start of a JSON value."""
MOST_SCANNED = 8_000_000
"""Characters read in vain before the search ends: a hostile text must not cost minutes."""


class Reading(Frozen):
    """Free text as a proposal, for roles that return `str`."""

    text: str


@dataclass(frozen=True)
class Role(Generic[ReturnT]):
    """An agent: what it is asked (the prompt file of its name) and what it must return."""

    name: str
    """`app/role`; also the name of its prompt file."""
    returns: type[ReturnT]
    """A pydantic model, or `str` for free text."""
    description: str
    expert: Callable[[Brief], ReturnT] | None = None
    """The same job by rule, for the offline mode."""
    tools: tuple[str, ...] | None = None
    """Tools a back end may offer; None means no tools."""
    limits: CallLimits = CallLimits()
    asks_again: bool = True
    """Whether an unreadable reply is put back to the model once within the same round."""
    examples: Mapping[str, Any] = field(default_factory=dict)
    """Example variables: the prompt must render with them."""

    @property
    def schema(self) -> Mapping[str, JsonValue] | None:
        """JSON schema of the return type; None for free text."""
        return _schema_of(self.returns) if issubclass(self.returns, BaseModel) else None

    def agent_definition(self, prompt: str, model: str | None = None) -> dict[str, JsonValue]:
        """What `ClaudeAgentOptions.agents` takes for this role."""
        definition: dict[str, JsonValue] = {"description": self.description, "prompt": prompt}
        if self.tools is not None:
            definition["tools"] = list(self.tools)
        if model is not None:
            definition["model"] = model
        return definition


@dataclass(frozen=True)
class RoleProposer(Generic[ProposalT]):
    """The usual proposer: one question to one role per round."""

    role: Role[ProposalT]
    variables: Mapping[str, Any] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()

    @property
    def returns(self) -> type[ProposalT]:
        return self.role.returns

    def propose(self, brief: Brief, ask: Ask) -> ProposalT | Malformed:
        told = Brief(
            task=brief.task,
            round=brief.round,
            findings=brief.findings,
            previous=brief.previous,
            lessons=tuple(it for it in brief.lessons if it.role in ("", self.role.name)),
            variables={**brief.variables, **self.variables},
            pictures=(*brief.pictures, *self.pictures),
            seed=brief.seed,
        )
        return cast("ProposalT | Malformed", ask(self.role, told))


@cache
def _schema_of(returns: type[BaseModel]) -> Mapping[str, JsonValue]:
    """Drawn once per type: pydantic takes longer for it than a whole round of the loop."""
    return returns.model_json_schema()


def read_reply(reply: Reply, returns: type[ReturnT]) -> ReturnT | Malformed:
    """The value that a reply holds, or why it holds none."""
    if reply.stop in ("refusal", "oversized"):
        reason: MalformedReason = "refused" if reply.stop == "refusal" else "oversized"
        return Malformed(reason=reason, text=reply.text[:SHOWN_TEXT])
    if not issubclass(returns, BaseModel):
        return _read_text(reply, returns)
    problem = ""
    for candidate in candidates(reply):
        try:
            # What cannot be written down cannot be judged again: no infinities, no half characters.
            canonical(candidate).encode()
            answer = returns.model_validate(candidate)
            canonical(answer).encode()
        except (ValueError, RecursionError) as error:
            problem = problem or explain(error)
        else:
            return answer
    if reply.stop == "length":
        return Malformed(reason="truncated", text=reply.text[:SHOWN_TEXT], problem=problem)
    if not reply.text.strip() and reply.value is None:
        return Malformed(reason="empty")
    problem = problem or "no JSON value was found in the reply"
    return Malformed(text=reply.text[:SHOWN_TEXT], problem=problem)


def _read_text(reply: Reply, returns: type[ReturnT]) -> ReturnT | Malformed:
    text = reply.text
    if not text.strip():
        return Malformed(reason="empty")
    if reply.stop == "length":
        return Malformed(reason="truncated", text=text[:SHOWN_TEXT])
    return returns(text)  # type: ignore[call-arg]


def candidates(reply: Reply) -> Iterator[JsonValue]:
    """Everything in a reply that could be the wanted value, most trustworthy first."""
    if reply.value is not None:
        yield reply.value
        # Some providers wrap the answer in one more object.
        if isinstance(reply.value, dict) and len(reply.value) == 1:
            yield next(iter(reply.value.values()))
    for block in re.findall(r"```[\w-]*[ \t\r]*\n(.*?)```", reply.text, re.DOTALL):
        yield from _values(block)
    yield from _values(reply.text)


def _values(text: str) -> Iterator[JsonValue]:
    """JSON objects and arrays in a text, each started at an outermost bracket."""
    decoder = json.JSONDecoder(
        parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_duplicates
    )
    position = scanned = 0
    for _ in range(MOST_STARTS):
        opening = OPENING.search(text, position)
        if opening is None or scanned > MOST_SCANNED:
            return
        try:
            value, position = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError) as error:
            position = opening.start() + 1
            # Only the decoder's own errors say how far it came.
            scanned += getattr(error, "pos", len(text)) - opening.start()
            continue
        yield value


def _finite(spelled: str) -> float:
    """`1e999` is JSON, but no number that could be written down again."""
    number = float(spelled)
    return number if math.isfinite(number) else _no_constant(spelled)


def _no_constant(name: str) -> NoReturn:
    message = f"{name} is not JSON"
    raise ValueError(message)


def _no_duplicates(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    # Two values under one name: nobody can say which was meant.
    value = dict(pairs)
    if len(value) != len(pairs):
        message = "a name stands twice in an object"
        raise ValueError(message)
    return value


def explain(error: ValueError | RecursionError) -> str:
    """A validation error in a few lines, without the offending input."""
    if isinstance(error, RecursionError):
        return "the value is nested too deeply"
    if not isinstance(error, ValidationError):
        return "the value holds a number or a character that JSON cannot hold"
    lines = []
    for item in error.errors(include_url=False, include_input=False)[:10]:
        place = ".".join(str(part) for part in item["loc"]) or "value"
        lines.append(f"{place}: {item['msg']}")
    return "\n".join(lines)
