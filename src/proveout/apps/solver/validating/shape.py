"""What is wrong with a plan before anything is done: names, types, order, forms."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from proveout.apps.solver.catalogue import CATALOGUE
from proveout.apps.solver.plan import Plan, SqlStep, ToolCall, WriteIntent
from proveout.apps.solver.sandbox.admit import DERIVED, relations_of
from proveout.apps.solver.tooling.spec import ToolSpec
from proveout.apps.solver.validating.intents import INTENTS
from proveout.apps.solver.validating.message import placeholders
from proveout.apps.solver.validating.references import BadReference, Reference, references
from proveout.apps.solver.validating.refusal import PlanRefused, finding
from proveout.kernel.types import Finding

Known = dict[str, tuple[str, ...] | None]
"""Results by name, with their columns where they are declared."""


def faults(plan: Plan, specs: Mapping[str, ToolSpec]) -> tuple[Finding, ...]:
    """Every fault that the plan's text alone shows."""
    known: Known = {}
    found = [
        *_calls(plan.tool_calls, specs, known),
        *_statements(plan.sql, known),
        *_relations(plan),
        *_writes(plan.writes, known),
        *_template(plan, known),
    ]
    return tuple(found)


def _calls(
    calls: tuple[ToolCall, ...], specs: Mapping[str, ToolSpec], known: Known
) -> Iterator[Finding]:
    for place, call in enumerate(calls):
        where = f"tool_calls[{place}]"
        spec = specs.get(call.name)
        if spec is None:
            message = f"there is no tool named {call.name!r}"
            yield finding("solver.plan.unknown_tool", message, where)
        else:
            if call.expect != spec.result:
                message = f"{call.name} gives {spec.result!r}, not {call.expect!r}"
                yield finding("solver.plan.wrong_expect", message, where)
            yield from _arguments(call, spec, where)
        yield from _refers(dict(call.args), known, where)
        yield from _names(call.bind, known, where)
        known[call.bind] = spec.columns if spec else None


def _arguments(call: ToolCall, spec: ToolSpec, where: str) -> Iterator[Finding]:
    fields = spec.args.model_fields
    unknown = sorted(call.args.keys() - fields.keys())
    missing = sorted(
        name for name, held in fields.items() if held.is_required() and name not in call.args
    )
    if unknown:
        message = f"{call.name} has no argument {', '.join(unknown)}"
        yield finding("solver.plan.bad_args", message, where)
    if missing:
        message = f"{call.name} needs {', '.join(missing)}"
        yield finding("solver.plan.bad_args", message, where)


def _statements(steps: tuple[SqlStep, ...], known: Known) -> Iterator[Finding]:
    for place, step in enumerate(steps):
        where = f"sql[{place}]"
        derives = step.kind == "derive"
        yield from _names(step.bind, known, where, derived=derives)
        known[step.bind] = None
    # A name that the sandbox will not know is its finding; here only the order matters.
    later: set[str] = {step.bind for step in steps}
    for place, step in enumerate(steps):
        early = relations_of(step.statement) & later
        later.discard(step.bind)
        if step.kind == "read" and early:
            message = f"{', '.join(sorted(early))} is read before it exists"
            yield finding("solver.plan.unbound", message, f"sql[{place}]")


def _relations(plan: Plan) -> Iterator[Finding]:
    made = {name for step in plan.sql if step.kind == "derive" for name in _made(step)}
    for name in plan.intermediate_relations:
        if not name.startswith(DERIVED) or name not in made:
            message = f"no derive step creates {name[:60]!r}"
            yield finding("solver.plan.relation", message, "intermediate_relations")


def _made(step: SqlStep) -> frozenset[str]:
    named = {name for name in relations_of(step.statement) if name.startswith(DERIVED)}
    return frozenset(named | ({step.bind} if step.bind.startswith(DERIVED) else set()))


def _writes(writes: tuple[WriteIntent, ...], known: Known) -> Iterator[Finding]:
    for place, write in enumerate(writes):
        where = f"writes[{place}]"
        unknown = sorted(write.args.keys() - INTENTS[write.intent].model_fields.keys())
        if unknown:
            message = f"{write.intent} has no argument {', '.join(unknown)}"
            yield finding("solver.write.bad_args", message, where)
        if write.for_each and write.for_each not in known:
            message = f"for_each names {write.for_each!r}, which is no result"
            yield finding("solver.plan.unbound", message, where)
        yield from _refers(dict(write.args), known, where)
        template = write.args.get("template")
        if isinstance(template, str):
            yield from _placeholders(template, known, where)


def _template(plan: Plan, known: Known) -> Iterator[Finding]:
    template = plan.response_template
    rule = template.message
    named = {"answer": template.answer, "message.truth": rule.truth, "message.table": rule.table}
    for field, name in named.items():
        if name and name not in known:
            message = f"{name!r} is no result"
            yield finding("solver.plan.unbound", message, f"response_template.{field}")
    if rule.form == "yes_no" and not rule.truth and _answers(plan):
        message = "a yes_no answer needs the result that decides it"
        yield finding("solver.reply.form", message, "response_template.message.truth")
    if rule.form == "table" and not rule.table and _answers(plan):
        message = "a table needs the result that it lists"
        yield finding("solver.reply.form", message, "response_template.message.table")
    yield from _placeholders(rule.text, known, "response_template.message.text")
    for place, link in enumerate(template.links):
        where = f"response_template.links[{place}]"
        yield from _known(Reference(link.source, link.column), known, where)


def _answers(plan: Plan) -> bool:
    return plan.response_template.outcome in {"ok_answer", "ok_not_found"}


def _placeholders(text: str, known: Known, where: str) -> Iterator[Finding]:
    try:
        for reference in placeholders(text):
            yield from _known(reference, known, where)
    except PlanRefused as refused:
        yield refused.finding.model_copy(update={"where": where})


def _refers(args: JsonValue, known: Known, where: str) -> Iterator[Finding]:
    try:
        for reference in references(args):
            yield from _known(reference, known, where)
    except BadReference as error:
        yield finding("solver.plan.bad_reference", str(error), where)


def _known(reference: Reference, known: Known, where: str) -> Iterator[Finding]:
    if reference.bind not in known:
        message = f"{reference} names no earlier result"
        yield finding("solver.plan.unbound", message, where)
        return
    columns = known[reference.bind]
    if reference.column and columns is not None and reference.column not in columns:
        message = f"{reference}: the result has the columns {', '.join(columns)}"
        yield finding("solver.plan.unknown_column", message, where)


def _names(bind: str, known: Known, where: str, *, derived: bool = False) -> Iterator[Finding]:
    taken = bind in CATALOGUE or (bind.startswith(DERIVED) and not derived)
    if taken or (bind in known and not derived):
        yield finding("solver.plan.bind_taken", f"the name {bind!r} is taken", where)
