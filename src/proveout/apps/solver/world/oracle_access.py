"""Whether a requester may have what a task asks for, by the policy object alone."""

from dataclasses import dataclass
from typing import Literal

from proveout.apps.solver.world import oracle
from proveout.apps.solver.world.graph import World
from proveout.apps.solver.world.policy import Asker, Facts, Policy

Ruling = Literal["allow", "deny"]
RELATIONAL = frozenset({"project_lead", "project_member", "account_manager"})


@dataclass(frozen=True)
class Need:
    """What answering or doing a task takes, and whom or what it is about.

    Without a subject, project, customer or page the request is about the whole company, and no
    relation to a single thing can justify it.
    """

    operations: tuple[str, ...]
    subject: str = ""
    project: str = ""
    customer: str = ""
    page: str = ""
    status: str = ""
    old_status: str = ""
    approved: bool = False

    @property
    def is_bulk(self) -> bool:
        return not (self.subject or self.project or self.customer or self.page)


def asker(world: World, user: str) -> Asker:
    """The requester as policy sees one; an empty user is a guest."""
    if not user:
        return Asker(None)
    return Asker(user, world.person_by_id[user].department)


def facts(world: World, policy: Policy, user: str, need: Need) -> Facts:
    if not user:
        return Facts(status=need.status, old_status=need.old_status)
    project = world.project_by_id.get(need.project)
    if project is not None:
        leads, member = user in project.leads, user in project.members()
    else:
        common = [world.project_by_id[p] for p in oracle.shared_projects(world, user, need.subject)]
        leads, member = any(user in p.leads for p in common), bool(common)
    customer = world.customer_by_id.get(need.customer or (project.customer if project else ""))
    return Facts(
        is_self=bool(need.subject) and need.subject == user,
        leads_project=leads,
        member_of_project=member,
        manages_customer=customer is not None and customer.account_manager == user,
        owns_page=bool(need.page)
        and policy.owner(need.page) == world.person_by_id[user].department,
        subject_in_team=project is not None and need.subject in project.members(),
        ceo_approval=need.approved,
        status=need.status,
        old_status=need.old_status,
    )


def ruling(world: World, policy: Policy, user: str, need: Need) -> Ruling:
    """Allowed if every operation is."""
    who, known = asker(world, user), facts(world, policy, user, need)
    fine = all(policy.allows(operation, who, known) for operation in need.operations)
    return "allow" if fine else "deny"


def is_clear(world: World, policy: Policy, user: str, need: Need) -> bool:
    """Whether nobody could argue: not where the requester may see a part of what is asked.

    Somebody who leads one project and asks about the whole company is denied the whole, but an
    assistant that shows the part would not be wrong either. Such pairs make no tasks.
    """
    if not user or not need.is_bulk or ruling(world, policy, user, need) == "allow":
        return True
    kinds = {p.kind for operation in need.operations for p in policy.grants.get(operation, ())}
    related = bool(oracle.involved_in(world, user)) or bool(oracle.customers_of(world, [user]))
    return not (kinds & RELATIONAL and related)
