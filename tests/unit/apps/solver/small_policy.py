"""Rules of the small company, written down as a table instead of compiled from pages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from proveout.apps.solver.decision import ProofBundle, RuleRef
from proveout.apps.solver.entities import Identity
from proveout.apps.solver.rules.ir import CodeRule, SiteRule, Source
from proveout.apps.solver.words import Operation

EVERYONE = ("employee.directory", "employee.skills", "project.directory", "project.team",
            "customer.directory", "wiki.read", "self.profile", "self.salary", "self.skills.write",
            "employee.workload")  # fmt: skip
PEOPLE_OFFICE = ("employee.salary", "employee.notes", "employee.note.write",
                 "employee.skills.write", "time.entries")  # fmt: skip
NEVER_FOR_VISITORS = ("employee.salary", "employee.workload", "customer.contact", "wiki.write",
                      "project.status.write", "time.log", "employee.note.write",
                      "employee.salary.write")  # fmt: skip
LEADS = ("project.status.write", "project.team.write", "customer.contact")


@dataclass
class SmallPolicy:
    """Direction may do everything but change salaries; the rest is in the tuples above."""

    codes: dict[str, CodeRule] = field(default_factory=dict)
    mention: str = ""

    def bar(self, operation: Operation, who: Identity) -> ProofBundle | None:
        if who.is_public and not operation.startswith("public."):
            return self._bundle(operation, who, {}, allowed=False, rule="guests")
        if who.department == "Visiting" and operation in NEVER_FOR_VISITORS:
            return self._bundle(operation, who, {}, allowed=False, rule="visitors")
        return None

    def rule(
        self, operation: Operation, who: Identity, facts: Mapping[str, JsonValue]
    ) -> ProofBundle:
        allowed, rule = self._allowed(operation, who, facts)
        return self._bundle(operation, who, facts, allowed=allowed, rule=rule)

    def _allowed(
        self, operation: Operation, who: Identity, facts: Mapping[str, JsonValue]
    ) -> tuple[bool, str]:
        if operation.startswith("public."):
            return True, "public"
        if who.is_public:
            return False, "guests"
        if operation in EVERYONE:
            return True, "everyone"
        if operation == "employee.salary.write":
            return who.department == "People Office" and facts.get("ceo_approval") is True, "raise"
        if operation == "time.log":
            draft = facts.get("status") == "draft"
            own = facts.get("is_self") is True and facts.get("member_of_project") is True
            led = facts.get("leads_project") is True and facts.get("subject_in_team") is True
            return draft and (own or led), "log"
        if operation in {"time.entries", "time.update"} and facts.get("is_self") is True:
            return True, "own time"
        if operation == "employee.skills.write" and facts.get("leads_project") is True:
            return True, "lead"
        if who.department == "Direction":
            return True, "direction"
        if operation in PEOPLE_OFFICE and who.department == "People Office":
            return True, "people office"
        if operation == "wiki.write":
            return self.owner(str(facts.get("page"))) == who.department, "owner"
        return operation in LEADS and facts.get("leads_project") is True, "lead"

    def _bundle(
        self,
        operation: str,
        who: Identity,
        facts: Mapping[str, JsonValue],
        *,
        allowed: bool,
        rule: str,
    ) -> ProofBundle:
        return ProofBundle(
            operation=operation,
            identity={"department": who.department, "is_public": who.is_public},
            rules=(RuleRef(id=rule, page="rules.md", anchor="Rules", quote=rule),),
            predicates=dict(facts),
            result="allow" if allowed else "deny",
        )

    def required_code(self, operation: Operation) -> CodeRule | None:
        return self.codes.get(operation)

    def can(self, operation_name: str) -> bool:
        return operation_name in {"employee.update", "project.pause"}

    def must_mention(self, who: Identity) -> str:
        return self.mention if who.is_public else ""

    def owner(self, path: str) -> str:
        return "People Office" if path.startswith("hr/") else ""

    def terms(self) -> dict[str, int]:
        return {"strong": 7}

    def workload_statuses(self) -> tuple[str, ...]:
        return ("active",)

    def my_projects(self) -> Literal["led", "member"]:
        return "led"

    def sites(self) -> tuple[SiteRule, ...]:
        source = Source(page="sites.md", anchor="Sites", quote="Lake Office in Aldern")
        return (
            SiteRule(id="s1", source=source, name="Lake Office", city="Aldern", country="Austria"),
        )

    def labels(self) -> dict[str, str]:
        return {"skill_welding": "Welding", "skill_glazing": "Glazing", "will_travel": "Travel"}


def cost_centre() -> CodeRule:
    source = Source(page="rules.md", anchor="Codes", quote="CC-<two letters>-<three digits>")
    return CodeRule(
        id="code",
        source=source,
        operations=("time.log",),
        name="cost centre",
        pattern=r"\bCC-[A-Z]{2}-\d{3}\b",
    )
