"""The response: message, outcome, links."""

from collections.abc import Callable, Mapping

from proveout.apps.solver.decision import Link, Response
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.sandbox.engine import Rows
from proveout.apps.solver.validating import links
from proveout.apps.solver.validating.grounding import Ground
from proveout.apps.solver.validating.leaks import loose_values
from proveout.apps.solver.validating.message import render
from proveout.apps.solver.validating.outcome import Ruling
from proveout.apps.solver.validating.phrases import phrase
from proveout.apps.solver.words import LinkKind


def unchecked(ruling: Ruling, plan: Plan, mention: str) -> Response:
    """A response without any value of the plan or of its results: nothing in it needs a check."""
    message = phrase(ruling.outcome, plan.response_template.message.language)
    shown = () if ruling.outcome in links.SILENT else ruling.links
    return Response(message=_mentioning(message, mention), outcome=ruling.outcome, links=shown)


def asked_back(ruling: Ruling, plan: Plan, ground: Ground, mention: str) -> Response:
    """The plan's own question, if it is one that gives nothing away."""
    question = plan.response_template.question.strip()
    fallback = unchecked(ruling, plan, mention)
    if not question or "{" in question or loose_values(question, ground):
        return fallback
    return fallback.model_copy(update={"message": _mentioning(question, mention)})


def answered(
    ruling: Ruling,
    plan: Plan,
    binds: Mapping[str, Rows],
    exists: Callable[[LinkKind, str], bool],
    mention: str,
) -> Response:
    """Worded from what was found; a result of nothing has fixed words."""
    template = plan.response_template
    language = template.message.language
    shown = links.build(template.links, binds, ruling.outcome, exists)
    message = phrase(ruling.outcome, language)
    if ruling.outcome == "ok_answer":
        message = render(template.message, binds) or message
    return Response(
        message=_mentioning(message, mention),
        outcome=ruling.outcome,
        links=_together(shown, ruling.links),
    )


def _together(shown: tuple[Link, ...], more: tuple[Link, ...]) -> tuple[Link, ...]:
    return tuple(dict.fromkeys((*shown, *more)))


def _mentioning(message: str, mention: str) -> str:
    """With the words that the rules demand of every reply."""
    return message if not mention or mention in message else f"{message}\n{mention}"
