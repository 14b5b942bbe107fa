"""Everything that one task needs, put together when it is first needed.

Nothing here decides. A guest's question that only public rules can answer never opens the registry;
a replayed run opens nothing at all.
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from proveout.apps.solver.client import (
    ApiError,
    BenchmarkClient,
    CompanyClient,
    HttpTransport,
)
from proveout.apps.solver.client.requests import Respond
from proveout.apps.solver.decision import Decision, Response
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.experts.mentions import mentions
from proveout.apps.solver.experts.scene import Scene
from proveout.apps.solver.library import Library, shared
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.policy import Policy
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from proveout.apps.solver.resolve.resolution import Names
from proveout.apps.solver.sandbox.engine import SqlSandbox
from proveout.apps.solver.snapshot import Snapshot
from proveout.apps.solver.task import SolverTask
from proveout.apps.solver.tools import Toolbox
from proveout.apps.solver.validate import Validator
from proveout.kernel.types import Usage

Observe = Callable[[str, Callable[[], JsonValue]], JsonValue]
ALREADY = "already"


class Desk:
    """One task's client, rules, snapshot and tools. Use it as a context manager."""

    def __init__(self, task: SolverTask, folder: Path, library: Library | None = None) -> None:
        self._task = task
        self._folder = folder
        self._library = library or shared()
        self._transport: HttpTransport | None = None
        self.identity: Identity | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if "snapshot" in self.__dict__:
            self.snapshot.close()
        if self._transport is not None:
            self._transport.close()

    @cached_property
    def client(self) -> CompanyClient:
        self._transport = HttpTransport(self._task.task_url)
        return CompanyClient(self._transport)

    @property
    def api_calls(self) -> int:
        return self.client.trail.count

    def identify(self) -> JsonValue:
        """Who asks, by the API's word alone; null where it will not say."""
        try:
            identity: JsonValue = self.client.who_am_i().model_dump(mode="json")
        except ApiError:
            return None
        return identity

    def adopt(self, known: JsonValue) -> bool:
        """Take the identity that was recorded; False if there is none."""
        self.identity = Identity.model_validate(known) if isinstance(known, dict) else None
        return self.identity is not None

    @property
    def who(self) -> Identity:
        if self.identity is None:
            message = "nobody was identified"
            raise RuntimeError(message)
        return self.identity

    @cached_property
    def policy(self) -> Policy:
        return self._library.policy(self.who.wiki_sha1, self._task.profile, self.client)

    @cached_property
    def snapshot(self) -> Snapshot:
        snapshot = Snapshot(self._folder / "snapshot.db", self.client)
        snapshot.bind_context(self.who, self.policy)
        return snapshot

    @cached_property
    def toolbox(self) -> Toolbox:
        return Toolbox(self.client, self.snapshot, Gazetteer, self.policy, self.who)

    def scene(self) -> Scene:
        """What a proposer is shown. A guest's request is read without a look at the company."""
        names = Names() if self.who.is_public else self.snapshot.names()
        return Scene(
            identity=self.who,
            names=names,
            mentions=mentions(self._task.text, Gazetteer(names)),
            terms=self.policy.terms(),
            departments=names.departments,
        )

    def validate(self, text: str, plan: Plan, observe: Observe) -> Decision:
        validator = Validator(self.toolbox, self.policy, self.who, self._sandbox, self.client)
        return validator.validate(text, plan, observe)

    def _sandbox(self, relations: frozenset[str]) -> SqlSandbox:
        self.snapshot.ensure(*sorted(relations))
        return SqlSandbox(self.snapshot.path, relations)

    def respond(self, response: Response) -> JsonValue:
        """Send the one reply. Sent twice (after a crash), the API keeps the first."""
        body = Respond.model_validate(response.model_dump(mode="json"))
        self.client.provide_agent_response(body)
        return True

    def complete(self, model: str, usage: Usage, seconds: float) -> JsonValue:
        """Report what the model cost (nothing is reported too), hand in, and hear the grade."""
        task_id = self._task.task_url.rstrip("/").rpartition("/")[2]
        with BenchmarkClient(self._task.service_url) as service:
            service.log_llm(
                task_id,
                model=model,
                duration_sec=round(seconds, 3),
                prompt_tokens=usage.input_tokens,
                completion_tokens=usage.output_tokens,
            )
            done = service.complete_task(task_id)
        grade = done.eval
        return {"score": grade.score, "logs": grade.logs} if grade else None
