"""What is wrong with what a plan says by itself, before anything is done."""

from collections.abc import Iterator

from proveout.apps.solver.plan import Plan
from proveout.apps.solver.validating.execution import ungrounded, ungrounded_sql
from proveout.apps.solver.validating.grounding import Ground
from proveout.apps.solver.validating.leaks import loose_values
from proveout.apps.solver.validating.message import asks_for_words, fitting_tokens, glue
from proveout.apps.solver.validating.refusal import finding
from proveout.kernel.types import Finding


def wording_faults(plan: Plan, ground: Ground) -> tuple[Finding, ...]:
    """Literals that nobody said, and forms that the task does not allow."""
    return (*_literals(plan, ground), *_message(plan, ground))


def _literals(plan: Plan, ground: Ground) -> Iterator[Finding]:
    for place, call in enumerate(plan.tool_calls):
        if next(ungrounded(dict(call.args), ground), None) is not None:
            message = f"{call.name} is given a value that is not in the task"
            yield finding("solver.plan.ungrounded", message, f"tool_calls[{place}]")
    for place, step in enumerate(plan.sql):
        if next(ungrounded_sql(step.statement, ground), None) is not None:
            message = "the statement holds a text that is not in the task"
            yield finding("solver.plan.ungrounded", message, f"sql[{place}]")


def _message(plan: Plan, ground: Ground) -> Iterator[Finding]:
    template = plan.response_template
    rule = template.message
    where = "response_template.message"
    loose = loose_values(glue(rule.text), ground)
    if loose:
        message = f"the wording holds {', '.join(loose)} of its own"
        yield finding("solver.reply.ungrounded", message, f"{where}.text")
    if template.outcome not in {"ok_answer", "ok_not_found"}:
        return
    if rule.form == "yes_no" and not fitting_tokens(rule.tokens, ground):
        message = "the two words are no known pair, and the task does not offer them"
        yield finding("solver.reply.tokens", message, f"{where}.tokens")
    if rule.form != "yes_no" and not plan.writes and asks_for_words(ground):
        message = "the task offers two words to answer with"
        yield finding("solver.reply.form", message, f"{where}.form")
