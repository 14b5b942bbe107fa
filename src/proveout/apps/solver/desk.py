"""Everything that one task needs, put together when it is first needed.

Nothing here decides. A guest's question that only public rules can answer never opens the registry;
a replayed run opens nothing at all.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from proveout.apps.solver.carrying import carried_out
from proveout.apps.solver.client import (
    ApiError,
    BenchmarkClient,
    CompanyClient,
    HttpTransport,
)
from proveout.apps.solver.client.errors import Rejected, ServerFault, Unreachable
from proveout.apps.solver.client.patience import Patience
from proveout.apps.solver.client.recording import RecordingTransport, ReplayTransport
from proveout.apps.solver.client.requests import Respond
from proveout.apps.solver.client.routes import RESPOND
from proveout.apps.solver.decision import Decision, Response
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.experts.mentions import mentions
from proveout.apps.solver.experts.scene import Scene
from proveout.apps.solver.library import Library, shared
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.policy import Policy
from proveout.apps.solver.resolve.gazetteer import Gazetteer
from proveout.apps.solver.resolve.resolution import Names
from proveout.apps.solver.rules.ir import RuleBook
from proveout.apps.solver.sandbox.engine import SqlSandbox
from proveout.apps.solver.snapshot import Snapshot
from proveout.apps.solver.task import SolverTask
from proveout.apps.solver.tools import Toolbox
from proveout.apps.solver.validating.ports import Once
from proveout.apps.solver.validator import Validator
from proveout.kernel.errors import Diverged, UsageError
from proveout.kernel.types import Usage

EXCHANGES = "exchanges.jsonl"
"""Of a recorded task, in the folder of the recording."""


class Desk:
    """One task's client, rules, snapshot and tools. Use it as a context manager."""

    def __init__(self, task: SolverTask, folder: Path, *, acts: bool = True) -> None:
        self._task = task
        self._folder = folder
        self._acts = acts
        # A recording must hold the wiki too, whoever has read it before.
        self._library = Library() if task.exchanges_to else shared()
        self._open = ExitStack()
        self.identity: Identity | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if "_registry" in self.__dict__:
            self._registry.close()
        self._open.close()

    @cached_property
    def client(self) -> CompanyClient:
        if self._task.exchanges_from:
            recording = _recording(Path(self._task.exchanges_from))
            return CompanyClient(recording, patience=Patience(sleep=lambda _seconds: None))
        transport = HttpTransport(self._task.task_url)
        self._open.callback(transport.close)
        if not self._task.exchanges_to:
            return CompanyClient(transport)
        path = Path(self._task.exchanges_to).expanduser() / EXCHANGES
        return CompanyClient(self._open.enter_context(RecordingTransport(transport, path)))

    @property
    def api_calls(self) -> int:
        return self.client.trail.count

    def identify(self) -> JsonValue:
        """Who asks, by the API's word alone; null where it will not say.

        Raises:
            ApiError: in a rehearsal; nobody waits for a reply, and nothing was tried.
        """
        try:
            identity: JsonValue = self.client.who_am_i().model_dump(mode="json")
        except ApiError:
            if self._task.rehearse:
                raise
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
        return self._library.policy(
            self.who.wiki_sha1, self._task.profile, self.client, self._departments()
        )

    def _departments(self) -> tuple[str, ...]:
        """As the registry spells them; none where it is not opened, or not to its end."""
        if self.who.is_public:
            return ()
        names = self._registry.names()
        return () if "employees" in self._registry.failures else names.departments

    def add_rules(self, more: Callable[[RuleBook, Mapping[str, str]], RuleBook]) -> None:
        """Let somebody add rules to the book of this task; nobody else's book is touched."""
        pages = self._library.pages(self.who.wiki_sha1, self.client)
        self.policy = Policy(more(self.policy.book, pages))

    @cached_property
    def _registry(self) -> Snapshot:
        """The snapshot before anybody's rules are known."""
        snapshot = Snapshot(self._folder / "snapshot.db", self.client)
        snapshot.adopt_wiki(self._library.pages(self.who.wiki_sha1, self.client))
        return snapshot

    @cached_property
    def snapshot(self) -> Snapshot:
        self._registry.bind_context(self.who, self.policy)
        return self._registry

    @cached_property
    def toolbox(self) -> Toolbox:
        return Toolbox(self.client, self.snapshot, self._gazetteer, self.policy, self.who)

    def _gazetteer(self, names: Names) -> Gazetteer:
        return Gazetteer(names, self.policy.sites())

    def scene(self) -> Scene:
        """What a proposer is shown. A guest's request is read without a look at the company."""
        public = Names(locations=tuple(site.name for site in self.policy.sites()))
        names = public if self.who.is_public else self.snapshot.names()
        return Scene(
            identity=self.who,
            names=names,
            mentions=mentions(self._task.text, self._gazetteer(names)),
            terms=self.policy.terms(),
            departments=names.departments,
        )

    def prove(self, text: str, plan: Plan) -> Decision:
        """The decision on a plan that changes nothing.

        What it cost is left out: that depends on what was read before, the decision does not.
        """
        validator = Validator(self.toolbox, self.policy, self.who, self._sandbox, self.client)
        decision = validator.validate(text, plan)
        trace = tuple(entry.model_copy(update={"api_calls": 0}) for entry in decision.trace)
        return decision.model_copy(update={"api_calls": 0, "trace": trace})

    def carry_out(self, decision: Decision, plan: Plan, once: Once) -> Decision:
        """Make the changes of a decision; one who only looks again must find them on record."""

        def guarded(name: str, do: Callable[[], JsonValue]) -> JsonValue:
            return once(name, do if self._acts else _not_again)

        return carried_out(decision, plan, self.client, guarded, self._mention)

    def _mention(self) -> str:
        return self.policy.must_mention(self.who)

    def _sandbox(self, relations: frozenset[str]) -> SqlSandbox:
        self.snapshot.ensure(*sorted(relations))
        return SqlSandbox(self.snapshot.path, relations)

    def respond(self, response: Response, *, perhaps_sent: bool = False) -> JsonValue:
        """Send the one reply; if it may have arrived before, find out first.

        Where nobody can be asked, it is sent again: a task that is answered refuses that.
        """
        if perhaps_sent and self._answered():
            return True
        body = Respond.model_validate(response.model_dump(mode="json"))
        try:
            self.client.provide_agent_response(body)
        except (Unreachable, ServerFault):
            if perhaps_sent:
                raise
            return self.respond(response, perhaps_sent=True)
        except Rejected:
            if not perhaps_sent:
                raise
        return True

    def _answered(self) -> bool:
        """Whether the service has seen a reply; False where there is no service to ask."""
        if not self._task.service_url:
            return False
        try:
            with BenchmarkClient(self._task.service_url) as service:
                seen = service.task_detail(self._task_id).logs
        except ApiError:
            return False
        return any(line.text.partition(" ")[0] == RESPOND.path for line in seen)

    @property
    def _task_id(self) -> str:
        return self._task.task_url.rstrip("/").rpartition("/")[2]

    def complete(self, model: str, usage: Usage, seconds: float) -> JsonValue:
        """Report what the model cost (nothing is reported too), hand in, and hear the grade."""
        with BenchmarkClient(self._task.service_url) as service:
            if self._acts:
                service.log_llm(
                    self._task_id,
                    model=model,
                    duration_sec=round(seconds, 3),
                    prompt_tokens=usage.input_tokens,
                    completion_tokens=usage.output_tokens,
                )
            done = service.complete_task(self._task_id)
        grade = done.eval
        return {"score": grade.score, "logs": grade.logs} if grade else None


def _recording(folder: Path) -> ReplayTransport:
    path = folder.expanduser() / EXCHANGES
    try:
        return ReplayTransport.read(path)
    except OSError as error:
        message = f"the recording {path} cannot be read: {error.strerror}"
        raise UsageError(message, hint="record with: proveout solver run --record DIR") from error


def _not_again() -> JsonValue:
    message = "the changes of a run are not made again"
    raise Diverged(message, hint="replay without --execute")
