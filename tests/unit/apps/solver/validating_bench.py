"""Everything a plan is judged with, over the small company: real client, snapshot, tools, SQL."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from proveout.apps.solver.client import CompanyClient, HttpTransport, Patience
from proveout.apps.solver.decision import Decision
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from proveout.apps.solver.sandbox.engine import SqlSandbox
from proveout.apps.solver.snapshot import Snapshot
from proveout.apps.solver.tools import Toolbox
from proveout.apps.solver.validator import Validator
from tests.unit.apps.solver.small_company import (
    CANARY_CONTACT,
    CANARY_NOTE,
    CANARY_SALARY,
    SmallCompany,
    served,
)
from tests.unit.apps.solver.small_policy import SmallPolicy

TODAY = "2025-05-20"
WRITE_ROUTES = ("update", "log")
Observe = Callable[[str, Callable[[], JsonValue]], JsonValue]

DIRECTION, PEOPLE_OFFICE, ENGINEER, LEAD, VISITOR, MANAGER = (
    ("p01", "Direction"),
    ("p02", "People Office"),
    ("p03", "Workshop"),
    ("p04", "Workshop"),
    ("p06", "Visiting"),
    ("p07", "Workshop"),
)
GUEST = ("", "")


@dataclass
class Bench:
    company: SmallCompany
    folder: Path
    policy: SmallPolicy = field(default_factory=SmallPolicy)
    opened: list[Any] = field(default_factory=list)

    def judge(
        self,
        who: tuple[str, str],
        text: str,
        plan: dict[str, Any] | Plan,
        once: Observe | None = None,
    ) -> Decision:
        """The decision on a plan, as if in a process of its own."""
        identity = Identity.model_validate(
            {"current_user": who[0], "department": who[1], "today": TODAY, "wiki_sha1": "w"}
        )
        transport = HttpTransport(self.company.url, timeout_seconds=10)
        client = CompanyClient(transport, patience=Patience(tries=2, sleep=lambda _: None))
        snapshot = Snapshot(self.folder / f"snapshot{len(self.opened)}.db", client)
        self.opened += [transport, snapshot]
        snapshot.bind_context(identity, self.policy)
        toolbox = Toolbox(client, snapshot, Gazetteer, self.policy, identity)

        def sandbox_over(relations: frozenset[str]) -> SqlSandbox:
            snapshot.ensure(*sorted(relations))
            return SqlSandbox(snapshot.path, relations)

        validator = Validator(toolbox, self.policy, identity, sandbox_over, client)
        proposed = plan if isinstance(plan, Plan) else Plan.model_validate(plan)
        return validator.validate(text, proposed, *([once] if once else []))

    @property
    def changes(self) -> list[tuple[str, dict[str, Any]]]:
        return self.company.changes


@contextmanager
def bench(folder: Path) -> Iterator[Bench]:
    with served() as company:
        made = Bench(company, folder)
        try:
            yield made
        finally:
            for it in made.opened:
                it.close()


def call(name: str, expect: str, bind: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "expect": expect, "bind": bind, "args": args}


def read(bind: str, statement: str) -> dict[str, Any]:
    return {"statement": statement, "kind": "read", "bind": bind}


def codes(decision: Decision) -> list[str]:
    return [it.code for it in decision.findings]


def outcome(decision: Decision) -> str:
    assert decision.response is not None, decision.findings
    return decision.response.outcome


def links(decision: Decision) -> set[tuple[str, str]]:
    assert decision.response is not None, decision.findings
    return {(it.kind, it.id) for it in decision.response.links}


def message(decision: Decision) -> str:
    assert decision.response is not None, decision.findings
    return decision.response.message


def leaks(decision: Decision) -> list[str]:
    """Secrets of the small company in any byte of a decision."""
    text = json.dumps(decision.model_dump(mode="json"), ensure_ascii=False)
    return [it for it in (str(CANARY_SALARY), CANARY_NOTE, CANARY_CONTACT) if it in text]


class Notebook:
    """Remembers what was done under a name, as a journal does; can lose the rest of a process."""

    def __init__(self) -> None:
        self.held: dict[str, JsonValue] = {}

    def __call__(self, name: str, do: Callable[[], JsonValue]) -> JsonValue:
        if name not in self.held:
            self.held[name] = json.loads(json.dumps(do()))
        return self.held[name]
