"""A plan being put together from parts: calls, selections, measures, extremes, links, words."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from proveout.apps.solver.experts.mentions import Mention
from proveout.apps.solver.plan import (
    LinkRule,
    MessageRule,
    Plan,
    ResponseTemplate,
    SqlStep,
    ToolCall,
    WriteIntent,
)
from proveout.apps.solver.words import LinkKind, OutcomeCode, WriteOperation

_RESULTS = {
    "who_am_i": "identity",
    "resolve_person": "people",
    "resolve_project": "projects",
    "resolve_customer": "customers",
    "resolve_contact": "contacts",
    "resolve_department": "departments",
    "resolve_location": "locations",
    "resolve_site": "sites",
    "resolve_skill": "skills",
    "resolve_dates": "dates",
    "find_wiki_pages": "pages",
    "load_wiki_page": "page",
    "load_skills": "loaded",
    "load_notes": "loaded",
    "load_salaries": "loaded",
    "load_time_entries": "loaded",
    "find_phone": "phones",
    "find_approvals": "approvals",
}


def at(bind: str, template: str) -> str:
    """A template over one bind: `{.name*}` means the names in it."""
    return template.replace("{.", "{" + bind + ".")


class Unclear(Exception):  # noqa: N818 - not an error: the task leaves something open
    """The text does not say something that the plan needs."""


@dataclass
class Draft:
    """Collects the parts of one plan in the order in which they are needed."""

    language: str = "en"
    calls: list[ToolCall] = field(default_factory=list)
    sql: list[SqlStep] = field(default_factory=list)
    links: list[LinkRule] = field(default_factory=list)
    writes: list[WriteIntent] = field(default_factory=list)
    answer: str = ""
    empty_is_answer: bool = False
    message: MessageRule = MessageRule()
    operation: str = ""
    outcome: OutcomeCode = "ok_answer"
    question: str = ""

    def _name(self, wanted: str) -> str:
        taken = {it.bind for it in self.calls} | {it.bind for it in self.sql}
        name, number = wanted, 2
        while name in taken:
            name, number = f"{wanted}_{number}", number + 1
        return name

    def call(self, tool: str, bind: str, **args: JsonValue) -> str:
        """A tool call; the same call twice is one."""
        for made in self.calls:
            if made.name == tool and made.args == args:
                return made.bind
        name = self._name(bind)
        self.calls.append(ToolCall(name=tool, args=args, expect=_RESULTS[tool], bind=name))
        return name

    def read(self, bind: str, statement: str) -> str:
        """A statement whose rows are kept."""
        name = self._name(bind)
        plain = " ".join(statement.split())
        self.sql.append(SqlStep(statement=plain, kind="read", bind=name))
        return name

    def link(self, kind: LinkKind, source: str, column: str = "id") -> None:
        rule = LinkRule(kind=kind, source=source, column=column)
        if rule not in self.links:
            self.links.append(rule)

    def say(self, text: str) -> None:
        self.message = MessageRule(text=text, language=self.language)

    def write(self, intent: WriteOperation, args: dict[str, JsonValue], for_each: str = "") -> None:
        self.writes.append(WriteIntent(intent=intent, args=args, for_each=for_each))

    def person(self, mention: Mention, bind: str = "person", project: str = "") -> str:
        """Whom a name means, on a project's team if the name is to be found there."""
        if project:
            return self.call(
                "resolve_person", bind, text=mention.text, within_project=f"${project}.id"
            )
        return self.call("resolve_person", bind, text=mention.text)

    def project(self, mention: Mention, bind: str = "project") -> str:
        return self.call("resolve_project", bind, text=mention.text)

    def customer(self, mention: Mention, bind: str = "customer") -> str:
        return self.call("resolve_customer", bind, text=mention.text)

    def skill(self, mention: Mention, bind: str = "ability") -> str:
        args: dict[str, JsonValue] = {"text": mention.text}
        if mention.kind in {"skill", "will"}:
            args["kind"] = mention.kind
        return self.call("resolve_skill", bind, **args)

    def plan(self, reading: str, confidence: float) -> Plan:
        return Plan(
            tool_calls=tuple(self.calls),
            sql=tuple(self.sql),
            response_template=ResponseTemplate(
                outcome=self.outcome,
                operation=self.operation,
                answer=self.answer,
                empty_is_answer=self.empty_is_answer,
                message=self.message,
                links=tuple(self.links),
                question=self.question,
            ),
            writes=tuple(self.writes),
            confidence=confidence,
            reading=reading[:400],
        )


@dataclass(frozen=True)
class Selection:
    """People chosen by conditions, with something measured about each."""

    joins: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    measure: str = ""
    """An expression over the joined relations, an integer."""

    def joined(self, *joins: str) -> "Selection":
        return Selection((*self.joins, *joins), self.conditions, self.measure)

    def only(self, *conditions: str) -> "Selection":
        return Selection(self.joins, (*self.conditions, *conditions), self.measure)

    def measured(self, expression: str) -> "Selection":
        return Selection(self.joins, self.conditions, expression)

    def statement(self, extra: Sequence[str] = ()) -> str:
        """Everyone selected: id, name, the measure if there is one, then extra columns."""
        columns = ["e.id AS id", "e.name AS name", *extra]
        if self.measure:
            columns.append(f"{self.measure} AS value")
        where = f" WHERE {' AND '.join(self.conditions)}" if self.conditions else ""
        joins = "".join(f" {join}" for join in self.joins)
        return f"SELECT {', '.join(columns)} FROM employees AS e{joins}{where} ORDER BY e.id"


def extreme(draft: Draft, pool: str, *, largest: bool, bind: str, columns: str = "id, name") -> str:
    """All rows of a pool whose value is the largest, or the smallest: ties stay together."""
    pick = "MAX" if largest else "MIN"
    return draft.read(
        bind,
        f"SELECT {columns}, value FROM {pool} "
        f"WHERE value = (SELECT {pick}(value) FROM {pool}) ORDER BY id",
    )


def only_if_single(draft: Draft, rows: str, bind: str = "answer", columns: str = "id, name") -> str:
    """The rows if there is just one: nobody wins a tie."""
    return draft.read(
        bind,
        f"SELECT {columns}, value FROM {rows} WHERE (SELECT COUNT(*) FROM {rows}) = 1 ORDER BY id",
    )
