"""What the validator needs of its surroundings."""

from collections.abc import Callable, Mapping
from typing import Protocol

from pydantic import JsonValue

from proveout.apps.solver.decision import ProofBundle
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.rules.ir import CodeRule
from proveout.apps.solver.sandbox.engine import SqlSandbox
from proveout.apps.solver.tooling.spec import ToolResult
from proveout.apps.solver.words import LinkKind, Operation

Facts = Mapping[str, JsonValue]
Once = Callable[[str, Callable[[], JsonValue]], JsonValue]
"""Does something under a name, or gives what doing it gave the first time."""
SandboxOver = Callable[[frozenset[str]], SqlSandbox]
"""A sandbox that may read these relations, which are in the snapshot by then."""


class Tools(Protocol):
    """The facade of `tools.py`, as far as it is called."""

    def call(self, name: str, args: Mapping[str, JsonValue]) -> ToolResult: ...
    def known(self, kind: LinkKind) -> frozenset[str]: ...


class Rules(Protocol):
    """The policy, as far as decisions need it."""

    def bar(self, operation: Operation, who: Identity) -> ProofBundle | None: ...
    def rule(self, operation: Operation, who: Identity, facts: Facts) -> ProofBundle: ...
    def required_code(self, operation: Operation) -> CodeRule | None: ...
    def can(self, operation_name: str) -> bool: ...
    def must_mention(self, who: Identity) -> str: ...
    def terms(self) -> dict[str, int]: ...


def directly(name: str, do: Callable[[], JsonValue]) -> JsonValue:
    """Without a journal: everything is done when asked for."""
    del name
    return do()
