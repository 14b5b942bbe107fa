"""Answers worded from typed values, in the strict forms that a task can ask for."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from pydantic import JsonValue

from proveout.apps.solver.plan import MessageRule
from proveout.apps.solver.sandbox.engine import Rows
from proveout.apps.solver.validating.grounding import Ground, visible
from proveout.apps.solver.validating.references import (
    Reference,
    UnknownColumn,
    present,
    values,
)
from proveout.apps.solver.validating.refusal import PlanRefused

LONGEST = 20_000
MOST_LISTED = 400
"""Values or rows that a message lists before it counts the rest."""

_PLACEHOLDER = re.compile(
    r"\{([a-z][a-z0-9_]*)\.([A-Za-z_][A-Za-z0-9_]*)(\*)?(?::([^{}]{1,40}))?\}"
)
_DATE_FORMAT = re.compile(r"(?:%[dmYybBj]|[-./ ,])+")
YES_NO = frozenset(
    {
        ("yes", "no"),
        ("ja", "nein"),
        ("sì", "no"),
        ("si", "no"),
        ("sí", "no"),
        ("oui", "non"),
        ("да", "нет"),
        ("da", "ne"),
        ("да", "не"),
        ("是", "否"),
        ("ja", "nee"),
    }
)
"""Words that answer a question, as pairs."""


def placeholders(text: str) -> Iterator[Reference]:
    """The references of a template; a stray brace is an error, for nobody can tell what it was."""
    rest = _PLACEHOLDER.sub("", text)
    if "{" in rest or "}" in rest:
        message = "braces must enclose bind.column, with * and a format after a colon if wanted"
        raise PlanRefused(code="solver.reply.template", message=message)
    for match in _PLACEHOLDER.finditer(text):
        yield Reference(match[1], match[2], bool(match[3]))


def glue(text: str) -> str:
    """What a template says by itself."""
    return _PLACEHOLDER.sub(" ", text)


def fill(text: str, binds: Mapping[str, Rows], *, joined_by: str = ", ") -> str:
    """A template with its values; what values contain is never read as a placeholder."""

    def shown(match: re.Match[str]) -> str:
        reference = Reference(match[1], match[2], bool(match[3]))
        try:
            found = values(binds[reference.bind], reference)
        except UnknownColumn as error:
            raise PlanRefused(code="solver.reply.unknown_column", message=str(error)) from None
        texts = [worded(value, match[4] or "") for value in found[:MOST_LISTED]]
        if len(found) > MOST_LISTED:
            texts.append(f"… (+{len(found) - MOST_LISTED})")
        return joined_by.join(texts)

    list(placeholders(text))
    return _PLACEHOLDER.sub(shown, text)


def worded(value: JsonValue, form: str = "") -> str:
    """One value as people write it: plain digits, no separators, no exponent."""
    if form == "fte":
        return _rounded(value, 1000, "0.1")
    if form == "hours":
        return _trimmed(Decimal(_rounded(value, 100, "0.01")))
    if form.startswith("date:"):
        return _dated(value, form.removeprefix("date:"))
    if form:
        message = f"there is no format {form[:20]!r}"
        raise PlanRefused(code="solver.reply.format", message=message)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _trimmed(Decimal(repr(value)))
    if isinstance(value, str):
        return " ".join(visible(value).split())
    message = "a value is neither text nor number"
    raise PlanRefused(code="solver.reply.format", message=message)


def render(rule: MessageRule, binds: Mapping[str, Rows]) -> str:
    """The message that a rule makes of the results."""
    if rule.form == "yes_no":
        return rule.tokens[0] if present(binds[rule.truth]) else rule.tokens[1]
    text = fill(rule.text, binds).strip()
    if rule.form == "table":
        text = f"{text}\n\n{table(binds[rule.table])}".strip()
    if len(text) > LONGEST:
        message = f"the message has {len(text)} characters, at most {LONGEST} are sent"
        raise PlanRefused(code="solver.reply.too_long", message=message)
    return text


def table(relation: Rows) -> str:
    """Rows as a Markdown table: no cell can end its row, no heading states a figure."""
    if any(char.isdigit() for name in relation.columns for char in name):
        message = "headings of a table hold no figures"
        raise PlanRefused(code="solver.reply.ungrounded", message=message)
    lines = [" | ".join(relation.columns), " | ".join("---" for _ in relation.columns)]
    for row in relation.rows[:MOST_LISTED]:
        cells = ("" if value is None else worded(value) for value in row)
        lines.append(" | ".join(cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells))
    if len(relation.rows) > MOST_LISTED:
        lines.append(f"… (+{len(relation.rows) - MOST_LISTED})")
    return "\n".join(f"| {line} |" for line in lines)


def asks_for_words(ground: Ground) -> bool:
    """Whether the task offers two words to choose from, such as `Yes/No`."""
    between = r"\W{1,3}(?:\w+\W+){0,8}?"
    for first, second in YES_NO:
        for one, other in ((first, second), (second, first)):
            pattern = rf"(?<!\w){re.escape(one)}{between}{re.escape(other)}(?!\w)"
            tail = ground.text.casefold()[-160:]
            if re.search(pattern, tail):
                return True
    return False


def fitting_tokens(tokens: tuple[str, str], ground: Ground) -> bool:
    """Two words of a known pair, or two that the task offers itself."""
    pair = (tokens[0].strip().casefold(), tokens[1].strip().casefold())
    if pair in YES_NO:
        return True
    # Turned around, a known pair would say the opposite of what was found.
    turned = (pair[1], pair[0]) in YES_NO or pair[0] == pair[1] or not all(pair)
    return not turned and ground.offers(*tokens)


def _rounded(value: JsonValue, parts: int, step: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = "an amount is wanted, and the value is none"
        raise PlanRefused(code="solver.reply.format", message=message)
    amount = Decimal(repr(value)) / parts
    return str(amount.quantize(Decimal(step), rounding=ROUND_HALF_UP))


def _trimmed(amount: Decimal) -> str:
    plain = f"{amount:f}"
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in {"-0", ""} else plain


def _dated(value: JsonValue, pattern: str) -> str:
    if not _DATE_FORMAT.fullmatch(pattern) or not isinstance(value, str):
        message = "a date is shown by %d, %m, %Y and the like, from an ISO date"
        raise PlanRefused(code="solver.reply.format", message=message)
    try:
        return date.fromisoformat(value).strftime(pattern)
    except ValueError:
        message = "the value is not a date"
        raise PlanRefused(code="solver.reply.format", message=message) from None
