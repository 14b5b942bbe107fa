"""The relations a plan's SQL may read, and what each discloses.

Amounts are integers: time slices in thousandths of a full-time job, hours in hundredths. One
relation belongs to one read operation, so that what a statement discloses can be told from the
names in it. `me`, `my_*` and `policy_terms` are bound by the host from `who_am_i()` and the rules.
"""

from dataclasses import dataclass

from proveout.apps.solver.words import ReadOperation


@dataclass(frozen=True)
class Relation:
    name: str
    columns: tuple[str, ...]
    operation: ReadOperation | None
    """What reading it discloses; None discloses nothing that the requester does not know."""
    key: tuple[str, ...]
    """Columns that make a row unique: appended to order results totally."""
    says: str


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "me",
        ("id", "name", "department", "location", "is_public", "today"),
        None,
        ("id",),
        "One row: the requester as the API knows them.",
    ),
    Relation(
        "policy_terms",
        ("term", "value"),
        None,
        ("term",),
        "Numbers that the rules define: `strong` is the lowest level that counts as strong.",
    ),
    Relation(
        "my_projects",
        ("project_id",),
        "self.profile",
        ("project_id",),
        "Projects that are the requester's by the policy's meaning of that word.",
    ),
    Relation(
        "my_salary",
        ("employee_id", "salary"),
        "self.salary",
        ("employee_id",),
        "The requester's own salary.",
    ),
    Relation(
        "my_skills",
        ("employee_id", "kind", "name", "level"),
        "self.profile",
        ("kind", "name"),
        "The requester's own skills and wills.",
    ),
    Relation(
        "employees",
        ("id", "name", "email", "location", "department"),
        "employee.directory",
        ("id",),
        "Everyone in the registry.",
    ),
    Relation(
        "employee_salaries",
        ("employee_id", "salary"),
        "employee.salary",
        ("employee_id",),
        "Salaries of all.",
    ),
    Relation(
        "employee_notes",
        ("employee_id", "notes"),
        "employee.notes",
        ("employee_id",),
        "Free notes on people, where there are any.",
    ),
    Relation(
        "skills",
        ("employee_id", "kind", "name", "level"),
        "employee.skills",
        ("employee_id", "kind", "name"),
        "Levels of skills and wills; kind is `skill` or `will`.",
    ),
    Relation(
        "workload",
        ("employee_id", "slice_milli", "projects"),
        "employee.workload",
        ("employee_id",),
        "Everyone's planned work by the policy's definition, zero included.",
    ),
    Relation(
        "projects",
        ("id", "name", "description", "customer_id", "status"),
        "project.directory",
        ("id",),
        "All projects, archived ones included.",
    ),
    Relation(
        "project_team",
        ("project_id", "employee_id", "role", "slice_milli"),
        "project.team",
        ("project_id", "employee_id", "role"),
        "Who works on what, in which role, how much.",
    ),
    Relation(
        "customers",
        (
            "id",
            "name",
            "location",
            "deal_phase",
            "high_level_status",
            "brief",
            "account_manager",
        ),
        "customer.directory",
        ("id",),
        "Customer companies; the pseudo customer of internal projects is not among them.",
    ),
    Relation(
        "customer_contacts",
        ("customer_id", "contact_name", "contact_email"),
        "customer.contact",
        ("customer_id",),
        "The primary contact of each customer.",
    ),
    Relation(
        "time_entries",
        (
            "id",
            "employee_id",
            "customer_id",
            "project_id",
            "date",
            "hours_centi",
            "work_category",
            "notes",
            "billable",
            "status",
        ),
        "time.entries",
        ("id",),
        "Logged time, as far as a tool call has loaded it; billable is 0 or 1.",
    ),
    Relation(
        "wiki_pages",
        ("path", "title", "content"),
        "wiki.read",
        ("path",),
        "The wiki as it is now.",
    ),
    Relation(
        "sites",
        ("name", "city", "country"),
        "public.sites",
        ("name",),
        "Places where the company is, by the wiki and the registry.",
    ),
)
CATALOGUE = {relation.name: relation for relation in RELATIONS}
