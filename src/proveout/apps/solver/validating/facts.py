"""Facts that permissions hang on, read from the registries and never from the plan."""

from collections.abc import Iterable

from pydantic import JsonValue

from proveout.apps.solver.client import CompanyClient
from proveout.apps.solver.client.errors import NotFound
from proveout.apps.solver.client.requests import ProjectsSearch, TeamFilter
from proveout.apps.solver.entities import EmployeeView, Identity, ProjectDetail, TimeEntry
from proveout.apps.solver.tooling.notes import approvals

FactSet = dict[str, JsonValue]


class Facts:
    """About the requester and what a task is about. Looks up each thing when it is needed."""

    def __init__(self, who: Identity, client: CompanyClient) -> None:
        self._who = who
        self._client = client
        self._led: tuple[ProjectDetail, ...] | None = None

    def is_me(self, employee: str) -> bool:
        return bool(employee) and employee == self._who.current_user

    def about_person(self, employee: str) -> FactSet:
        """A lead's right over people is one over the members of a project that they lead."""
        mine = any(member.employee == employee for project in self.led() for member in project.team)
        return {"is_self": self.is_me(employee), "leads_project": mine, "subject_in_team": mine}

    def about_project(self, project: ProjectDetail, subject: str = "") -> FactSet:
        me = self._who.current_user
        roles = {member.role for member in project.team if member.employee == me}
        return {
            "leads_project": "Lead" in roles,
            "member_of_project": bool(roles),
            "manages_customer": self.manages(project.customer),
            "subject_in_team": any(member.employee == subject for member in project.team),
        }

    def about_entry(self, entry: TimeEntry) -> FactSet:
        facts: FactSet = {"is_self": self.is_me(entry.employee), "current_status": entry.status}
        if entry.project:
            project = self._client.get_project(entry.project)
            facts |= self.about_project(project, entry.employee)
        return facts

    def approved(self, person: EmployeeView, salary: int) -> bool:
        """Whether the notes, as they are before any change, approve exactly this amount."""
        return any(approval.amount == salary for approval in approvals(person.notes))

    def manages(self, customer: str) -> bool:
        if not customer:
            return False
        try:
            return self.is_me(self._client.get_customer(customer).account_manager)
        except NotFound:
            return False

    def led(self) -> tuple[ProjectDetail, ...]:
        if self._led is None:
            mine = TeamFilter(employee_id=self._who.current_user, role="Lead")
            ask = ProjectsSearch(team=mine, include_archived=True)
            self._led = tuple(
                self._client.get_project(brief.id)
                for brief in (self._client.all_projects(ask) if self._who.current_user else ())
            )
        return self._led

    def every_person(self, people: frozenset[str]) -> FactSet:
        """Of a read about several people: what holds for all of them."""
        return _all(self.about_person(person) for person in sorted(people))

    def projects(self, ids: frozenset[str]) -> tuple[ProjectDetail, ...]:
        return tuple(self._client.get_project(project) for project in sorted(ids))

    def are_internal(self, ids: frozenset[str]) -> bool:
        """Whether these are projects, and none of them is for a customer of the registry."""
        return bool(ids) and not any(self._is_customer(it.customer) for it in self.projects(ids))

    def _is_customer(self, customer: str) -> bool:
        if not customer:
            return False
        try:
            self._client.get_customer(customer)
        except NotFound:
            return False
        return True

    def every_project(self, ids: frozenset[str]) -> FactSet:
        """Whoever leads a project leads everyone in its team."""
        found = []
        for project in self.projects(ids):
            facts = self.about_project(project)
            found.append({**facts, "subject_in_team": facts["leads_project"]})
        return _all(found)

    def every_customer(self, customers: frozenset[str]) -> FactSet:
        return _all({"manages_customer": self.manages(customer)} for customer in customers)


def _all(several: Iterable[FactSet]) -> FactSet:
    together: FactSet = {}
    for number, facts in enumerate(several):
        for name, value in facts.items():
            together[name] = bool(value) and (number == 0 or bool(together.get(name)))
    return together
