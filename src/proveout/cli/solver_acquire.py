"""`proveout solver acquire`: the substrate of solving, as files that people can read."""

import json
from pathlib import Path

from pydantic import JsonValue

from proveout.apps.solver.api_map import api_map
from proveout.apps.solver.client import BenchmarkClient
from proveout.apps.solver.library import Library
from proveout.apps.solver.rules.ir import RuleBook
from proveout.apps.solver.snapshot import Snapshot
from proveout.kernel.errors import UsageError

TABLES = (
    "employees", "skills", "employee_notes", "projects", "project_team", "customers",
    "customer_contacts", "time_entries", "wiki_pages", "workload", "sites",
)  # fmt: skip


def acquire_all(  # noqa: PLR0913
    base_url: str, out: Path, benchmark: str, spec: str, profile: str, api_root: str
) -> dict[str, JsonValue]:
    """Rules, API map and a whole snapshot of the company behind one task."""
    out.mkdir(parents=True, exist_ok=True)
    database = out / "snapshot.db"
    if database.exists():
        message = f"{database} exists already"
        raise UsageError(message, hint="name another folder with --out")
    with BenchmarkClient(base_url, api_root=api_root) as service:
        benchmark = benchmark or service.list_benchmarks()[0].id
        spec = spec or service.view_benchmark(benchmark).specs[0].id
        task = service.start_new_task(benchmark, spec)
        client = service.company(task.task_id)
        who = client.who_am_i()
        library = Library()
        snapshot = Snapshot(database, client)
        departments = () if who.is_public else snapshot.names().departments
        policy = library.policy(who.wiki_sha1, profile, client, departments)
        snapshot.bind_context(who, policy)
        snapshot.ensure(*TABLES)
        counted = {
            table: int(snapshot.rows(f"SELECT COUNT(*) FROM {table}")[0][0]) for table in TABLES
        }
        calls = client.trail.count
    book = policy.book
    _write(out / "rules.json", book.model_dump(mode="json"))
    _write(out / "api_map.json", api_map())
    return {
        "rules": len(book.rules),
        "coverage": coverage(book),
        "unmapped": len(book.unmapped),
        "conflicts": len(book.conflicts),
        **counted,
        "api_calls": calls,
        "folder": str(out),
    }


def coverage(book: RuleBook) -> float:
    """The share of normative sentences that became rules."""
    if not book.normative:
        return 1.0
    return round(1 - len(book.unmapped) / book.normative, 4)


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n")
