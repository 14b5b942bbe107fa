"""Agents that answer tasks over HTTP: one that knows the sealed expectation, others that do not."""

import json
import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.graph import World
from proveout.apps.solver.world.lifecycle import Options
from proveout.apps.solver.world.running import company_benchmark
from proveout.apps.solver.world.server import make_server
from proveout.apps.solver.world.spec import ExpectedEvent, TaskSpec
from proveout.apps.solver.world.tasks import draw_tasks

Post = Callable[[str, Mapping[str, object]], Any]
Agent = Callable[[Post, TaskSpec], None]


def post(url: str, body: Mapping[str, object]) -> Any:
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


@contextmanager
def served(world: World, tasks: tuple[TaskSpec, ...]) -> Iterator[str]:
    benchmark = company_benchmark(world, tasks)
    server = make_server({benchmark.name: benchmark}, Options(telemetry_penalty=0.0))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def graded(seed: int, agent: Agent, profile: str = "small") -> dict[str, tuple[float, str]]:
    """Runs a whole benchmark; spec id to score and grader's log."""
    world = generate(seed, profile)
    tasks = draw_tasks(world)
    with served(world, tasks) as url:
        return {task.spec_id: run_one(url, world, task, agent) for task in tasks}


def run_one(url: str, world: World, task: TaskSpec, agent: Agent) -> tuple[float, str]:
    ask = {"benchmark": f"world-{world.seed}", "spec_id": task.spec_id}
    task_id = post(f"{url}/tasks/start", ask)["task_id"]

    def call(route: str, body: Mapping[str, object]) -> Any:
        return post(f"{url}/erc3-dev/{task_id}{route}", body)

    agent(call, task)
    done = post(f"{url}/tasks/complete", {"task_id": task_id})
    return done["eval"]["score"], done["eval"]["logs"]


def perfect(call: Post, task: TaskSpec) -> None:
    """Does exactly what is expected, by the API alone."""
    expected = task.expected
    for event in expected.events:
        _perform(call, event)
    for write in expected.wiki_writes:
        content = write.content if write.content is not None else "Some text."
        if write.content_of:
            content = call("/wiki/load", {"file": write.content_of})["content"]
        call("/wiki/update", {"file": write.path, "content": content})
    links = [{"kind": k, "id": i} for k, ids in expected.required_links.items() for i in ids]
    message = "; ".join((*expected.must_contain, *expected.must_contain_ci))
    outcome = expected.accepted_outcomes[0]
    call("/respond", {"message": message, "outcome": outcome, "links": links})


def _levels(levels: object) -> list[dict[str, object]]:
    assert isinstance(levels, Mapping)
    return [{"name": name, "level": level} for name, level in sorted(levels.items())]


def _team(rows: object) -> list[dict[str, object]]:
    assert isinstance(rows, tuple)
    team = []
    for row in rows:
        assert isinstance(row, tuple)
        team.append({"employee": row[0], "time_slice": row[1], "role": row[2]})
    return team


def _perform(call: Post, event: ExpectedEvent) -> None:
    where = dict(event.where)
    match event.type:
        case "Evt_TimeEntryLogged":
            defaults = {"work_category": "customer_project", "billable": True, "status": "draft"}
            note = where.pop("notes_contains", "")
            call("/time/log", {**defaults, **where, "notes": note, "logged_by": ""})
        case "Evt_TimeEntryStatusChanged":
            entry = call("/time/get", {"id": where["id"]})["entry"]
            call("/time/update", {**entry, "id": where["id"], "status": where["status"]})
        case "Evt_ProjectStatusChanged":
            call("/projects/status/update", {"id": where["project"], "status": where["status"]})
        case "Evt_ProjectTeamUpdated":
            call("/projects/team/update", {"id": where["project"], "team": _team(where["team"])})
        case "Evt_EmployeeSkillsUpdated":
            body: dict[str, object] = {"employee": where["employee"]}
            body |= {kind: _levels(where[kind]) for kind in ("skills", "wills") if kind in where}
            call("/employees/update", body)
        case _:
            call("/employees/update", where)


def always(outcome: str) -> Agent:
    def agent(call: Post, task: TaskSpec) -> None:
        del task
        call("/respond", {"message": "No.", "outcome": outcome, "links": []})

    return agent


def link_everything(world: World) -> Agent:
    """Answers every question with all there is."""
    links = [{"kind": "employee", "id": p.id} for p in world.people]
    links += [{"kind": "project", "id": p.id} for p in world.projects]
    links += [{"kind": "customer", "id": c.id} for c in world.customers]
    links += [{"kind": "wiki", "id": path} for path in world.wiki]
    words = [p.email for p in world.people] + [str(p.salary) for p in world.people]
    words += [p.department for p in world.people] + ["Yes", "No", "Lead", "Engineer", "0.0"]

    def agent(call: Post, task: TaskSpec) -> None:
        del task
        body = {"message": " ".join(words), "outcome": "ok_answer", "links": links}
        call("/respond", body)

    return agent
