"""Relations that the host binds: who asks, what the rules define, what is the requester's own."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from proveout.apps.solver.client import CompanyClient, NotFound
from proveout.apps.solver.client.routes import GET_EMPLOYEE
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.resolve.places import SiteLike
from proveout.apps.solver.snapshot.store import Row, Store, levels
from proveout.apps.solver.words import PHASES


class Terms(Protocol):
    """The part of a policy that shapes relations."""

    def workload_statuses(self) -> tuple[str, ...]: ...
    def terms(self) -> dict[str, int]: ...
    def my_projects(self) -> Literal["led", "member"]: ...
    def sites(self) -> Sequence[SiteLike]: ...
    def labels(self) -> Mapping[str, str]: ...


def bind_identity(store: Store, identity: Identity, policy: Terms) -> None:
    """What is known without asking the API; the requester's name follows when it is needed."""
    row = _me(identity, "")
    store.fill("me", [row])
    store.fill("policy_terms", sorted(policy.terms().items()))


def bind_self(store: Store, identity: Identity, client: CompanyClient) -> None:
    """The requester's own row: name, salary, skills. Nobody's for a guest."""
    if not identity.current_user:
        return
    try:
        view = client.get_employee(identity.current_user)
    except NotFound:
        return
    store.fill("me", [_me(identity, view.name)])
    store.fill("my_salary", [(view.id, view.salary)])
    store.fill("my_skills", levels(view))
    store.employee(view, GET_EMPLOYEE.path)
    store.employee_details(view, GET_EMPLOYEE.path)


def bind_my_projects(store: Store, identity: Identity, policy: Terms) -> None:
    led = " AND role = 'Lead'" if policy.my_projects() == "led" else ""
    store.run("DELETE FROM my_projects")
    store.run(
        "INSERT INTO my_projects SELECT DISTINCT project_id FROM project_team "
        f"WHERE employee_id = ?{led} ORDER BY project_id",
        (identity.current_user,),
    )


def bind_workload(store: Store, policy: Terms) -> None:
    """Everyone's slices over the projects that count; a policy that names none counts all."""
    statuses = policy.workload_statuses() or PHASES
    marks = ", ".join("?" * len(statuses))
    store.run("DELETE FROM workload")
    store.run(
        "INSERT INTO workload "
        "SELECT e.id, COALESCE(SUM(w.slice_milli), 0), COUNT(DISTINCT w.project_id) "
        "FROM employees e LEFT JOIN (SELECT t.* FROM project_team t "
        f"JOIN projects p ON p.id = t.project_id WHERE p.status IN ({marks})) w "
        "ON w.employee_id = e.id GROUP BY e.id ORDER BY e.id",
        statuses,
    )


def bind_sites(store: Store, policy: Terms) -> None:
    """By the wiki, and by the registry as far as it is loaded."""
    rows: dict[str, Row] = {
        name: (name, "", "")
        for name in store.column(
            "SELECT DISTINCT location FROM employees WHERE location <> '' ORDER BY location"
        )
    }
    rows |= {site.name: (site.name, site.city, site.country) for site in policy.sites()}
    store.fill("sites", [rows[name] for name in sorted(rows)])


def _me(identity: Identity, name: str) -> Row:
    return (
        identity.current_user,
        name,
        identity.department,
        identity.location,
        int(identity.is_public),
        identity.today,
    )
