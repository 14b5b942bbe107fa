"""The client of the service itself: sessions and tasks, and the doors to each task's own API."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic.types import SecretStr

from proveout.apps.solver.client import sessions
from proveout.apps.solver.client.audit import Trail
from proveout.apps.solver.client.calling import Caller
from proveout.apps.solver.client.company import CompanyClient
from proveout.apps.solver.client.patience import Patience
from proveout.apps.solver.client.route import Nothing, Request, Route
from proveout.apps.solver.client.shop import DemoClient, StoreClient
from proveout.apps.solver.client.transport import HttpTransport
from proveout.apps.solver.entities import Payload

Ask = TypeVar("Ask", bound=Request)
Reply = TypeVar("Reply", bound=Payload)

API_ROOT = "erc3-dev"
"""The service serves all of its company benchmarks below this path."""
NO_MODEL = "none"
"""Reported as the model where none was asked."""


class BenchmarkClient:
    """Of one service at one address. Reads are never cached: sessions change by themselves."""

    def __init__(
        self,
        base_url: str,
        *,
        account_key: str = "",
        api_root: str = API_ROOT,
        timeout_seconds: float = 20.0,
        patience: Patience | None = None,
    ) -> None:
        self._transport = HttpTransport(base_url, timeout_seconds=timeout_seconds)
        self._key = SecretStr(account_key)
        self._api_root = api_root.strip("/")
        self._patience = patience or Patience()
        self._caller = Caller(self._transport, patience=self._patience)

    @property
    def trail(self) -> Trail:
        return self._caller.trail

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> "BenchmarkClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_key(self, email: str) -> str:
        reply = self._call(sessions.GET_KEY, sessions.KeyFor(email=email))
        return reply.key or reply.account_key

    def list_benchmarks(self) -> tuple[sessions.BenchmarkBrief, ...]:
        return self._call(sessions.LIST_BENCHMARKS, Nothing()).benchmarks

    def view_benchmark(self, benchmark: str) -> sessions.BenchmarkView:
        return self._call(sessions.VIEW_BENCHMARK, sessions.BenchmarkNamed(benchmark=benchmark))

    def start_session(
        self,
        benchmark: str,
        *,
        workspace: str = "",
        name: str = "",
        architecture: str = "",
        flags: Sequence[sessions.Flag] = (),
    ) -> sessions.SessionStarted:
        ask = sessions.SessionStart(
            account_key=self._key,
            benchmark=benchmark,
            workspace=workspace,
            name=name or None,
            architecture=architecture or None,
            flags=tuple(flags) or None,
        )
        return self._call(sessions.START_SESSION, ask)

    def session_status(self, session_id: str) -> sessions.SessionStatus:
        return self._call(sessions.SESSION_STATUS, sessions.SessionNamed(session_id=session_id))

    def search_sessions(
        self, *, workspace: str = "", benchmark: str = ""
    ) -> tuple[sessions.SessionBrief, ...]:
        ask = sessions.SessionSearch(
            account_key=self._key, workspace=workspace or None, benchmark=benchmark or None
        )
        return self._call(sessions.SEARCH_SESSIONS, ask).sessions

    def submit_session(self, session_id: str) -> str:
        ask = sessions.SessionNamed(session_id=session_id)
        return self._call(sessions.SUBMIT_SESSION, ask).status

    def start_task(self, task_id: str) -> sessions.TaskStarted:
        return self._call(sessions.START_TASK, sessions.TaskStart(task_id=task_id))

    def start_new_task(self, benchmark: str, spec_id: str) -> sessions.TaskStarted:
        """A task outside any session."""
        ask = sessions.TaskStart(benchmark=benchmark, spec_id=spec_id)
        return self._call(sessions.START_NEW_TASK, ask)

    def task_detail(self, task_id: str, *, since: int | None = None) -> sessions.TaskDetail:
        return self._call(sessions.VIEW_TASK, sessions.TaskView(task_id=task_id, since=since))

    def complete_task(self, task_id: str) -> sessions.Completed:
        return self._call(sessions.COMPLETE_TASK, sessions.TaskNamed(task_id=task_id))

    def log_llm(
        self,
        task_id: str,
        *,
        model: str = NO_MODEL,
        duration_sec: float = 0.0,
        completion: str = "",
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
    ) -> None:
        """Without arguments: no model was asked, which has to be reported too."""
        ask = sessions.TaskLog(
            task_id=task_id,
            model=model,
            duration_sec=duration_sec,
            completion=completion,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            usage={
                "prompt_tokens": prompt_tokens,
                "completion_tokens": completion_tokens,
                "total_tokens": prompt_tokens + completion_tokens,
            },
        )
        self._call(sessions.LOG_TASK, ask)

    def transport_of(self, task_id: str, api_root: str = "") -> HttpTransport:
        """The way to a task's own API, to be recorded on the way for example."""
        return self._transport.under(f"{api_root or self._api_root}/{task_id}")

    def company(self, task_id: str, *, trail: Trail | None = None) -> CompanyClient:
        return CompanyClient(self.transport_of(task_id), patience=self._patience, trail=trail)

    def store(self, task_id: str) -> StoreClient:
        return StoreClient(self.transport_of(task_id, "store"), patience=self._patience)

    def demo(self, task_id: str) -> DemoClient:
        return DemoClient(self.transport_of(task_id, "demo"), patience=self._patience)

    def _call(self, route: Route[Ask, Reply], ask: Ask) -> Reply:
        return self._caller.call(route, ask, keep=False)
