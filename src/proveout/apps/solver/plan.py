"""The plan: what a proposer offers. Instructions only, no evidence, untrusted until validated.

Strict and versioned: an unknown field, a wrong type or a name used before it is bound is a finding.
Values travel by reference: `$bind.column` stands for the one value of that column in an earlier
result, `$bind` for the whole relation. Everything else in `args` is a literal that must be grounded
in the task's own text or in a closed vocabulary.
"""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from proveout.apps.solver.words import LinkKind, OutcomeCode, WriteOperation
from proveout.kernel.types import Frozen

SCHEMA_VERSION: Literal["1"] = "1"
MOST_STEPS = 40
"""Tool calls, SQL steps and writes that a plan may have, each."""

BindName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
Statement = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]


class ToolCall(Frozen):
    """One call of the facade in `tools.py`; its rows become a relation under `bind`."""

    name: str = Field(max_length=60)
    args: dict[str, JsonValue] = Field(default_factory=dict)
    expect: str = Field(max_length=60)
    """The result type the facade declares for this tool, such as `people` or `projects`."""
    bind: BindName


class SqlStep(Frozen):
    """One statement over the snapshot's catalogue and earlier binds."""

    statement: Statement
    kind: Literal["read", "derive"]
    """`derive` creates or fills a relation whose name begins with `derived_`."""
    bind: BindName
    expects: tuple[str, ...] = ()
    """Columns that the result must have."""


class MessageRule(Frozen):
    """How the answer is worded from typed values.

    `{bind.column}` is one value, `{bind.column*}` all values joined, with an optional format after
    a colon: `fte` (thousandths to one decimal), `hours` (hundredths), `date:%d-%m-%Y`.
    """

    form: Literal["text", "yes_no", "table"] = "text"
    text: str = Field(default="", max_length=2_000)
    tokens: tuple[str, str] = ("Yes", "No")
    """The two words of a `yes_no` answer, which is then the whole message."""
    truth: str = Field(default="", max_length=60)
    """Of a `yes_no` answer: the bind that has a row exactly if the answer is yes."""
    table: str = Field(default="", max_length=60)
    """Of a `table`: the bind whose rows are listed."""
    language: str = Field(default="en", max_length=8)


class LinkRule(Frozen):
    """Links made from a column of ids in a result."""

    kind: LinkKind
    source: BindName
    column: str = Field(default="id", max_length=60)


class ResponseTemplate(Frozen):
    """What the answer should look like. The outcome is a claim; the validator decides it."""

    outcome: OutcomeCode = "ok_answer"
    operation: str = Field(default="", max_length=60)
    """What the task asks for, as `object.verb`, where no read or write of the plan can say it:
    something the API may not offer (`customer.delete`, `purchase.order`)."""
    answer: str = Field(default="", max_length=60)
    """The bind that holds the answer: no rows means that nothing was found."""
    empty_is_answer: bool = False
    """An empty set is itself the answer ("nothing is missing")."""
    message: MessageRule = MessageRule()
    links: tuple[LinkRule, ...] = ()
    question: str = Field(default="", max_length=400)
    """Of a clarification: what to ask back."""


class WriteIntent(Frozen):
    """One change, classified. Executed by the validator only, after its permission is proved."""

    intent: WriteOperation
    args: dict[str, JsonValue] = Field(default_factory=dict)
    for_each: str = Field(default="", max_length=60)
    """A bind: the write is done once per row, and `$bind.column` means that row's value."""


class Plan(Frozen):
    """The formal plan of the method (7.1.1)."""

    version: Literal["1"] = SCHEMA_VERSION
    tool_calls: tuple[ToolCall, ...] = Field(default=(), max_length=MOST_STEPS)
    sql: tuple[SqlStep, ...] = Field(default=(), max_length=MOST_STEPS)
    intermediate_relations: tuple[str, ...] = Field(default=(), max_length=MOST_STEPS)
    response_template: ResponseTemplate = ResponseTemplate()
    writes: tuple[WriteIntent, ...] = Field(default=(), max_length=MOST_STEPS)
    dry_run: bool = False
    confidence: float = Field(default=1.0, ge=0.0, le=1.0)
    """How sure the proposer is that it understood the task; shown, and never trusted."""
    reading: str = Field(default="", max_length=400)
    """The task in the proposer's own words, for people."""
