"""The closed vocabularies of the API and of this app: what may be answered, linked, read, done."""

from typing import Literal, get_args

OutcomeCode = Literal[
    "ok_answer",
    "ok_not_found",
    "denied_security",
    "none_clarification_needed",
    "none_unsupported",
    "error_internal",
]
LinkKind = Literal["employee", "customer", "project", "wiki", "location"]
DealPhase = Literal["idea", "exploring", "active", "paused", "archived"]
TeamRole = Literal["Lead", "Engineer", "Designer", "QA", "Ops", "Other"]
TimeStatus = Literal["", "draft", "submitted", "approved", "invoiced", "voided"]

ReadOperation = Literal[
    "public.sites",
    "public.date",
    "public.company",
    "self.profile",
    "self.salary",
    "employee.directory",
    "employee.skills",
    "employee.workload",
    "employee.notes",
    "employee.salary",
    "project.directory",
    "project.team",
    "customer.directory",
    "customer.contact",
    "time.entries",
    "wiki.read",
]
"""What a read can disclose. Every relation of the catalogue belongs to exactly one."""

WriteOperation = Literal[
    "self.skills.write",
    "employee.skills.write",
    "employee.note.write",
    "employee.salary.write",
    "employee.profile.write",
    "project.status.write",
    "project.team.write",
    "time.log",
    "time.update",
    "wiki.write",
]
"""What a write can change. A wiki page is deleted or renamed by writing it, as the wiki says."""

Operation = ReadOperation | WriteOperation

OUTCOMES: tuple[OutcomeCode, ...] = get_args(OutcomeCode)
PHASES: tuple[DealPhase, ...] = get_args(DealPhase)
ROLES: tuple[TeamRole, ...] = get_args(TeamRole)
READS: tuple[ReadOperation, ...] = get_args(ReadOperation)
WRITES: tuple[WriteOperation, ...] = get_args(WriteOperation)
