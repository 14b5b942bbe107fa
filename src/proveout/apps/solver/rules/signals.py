"""Which sentences look like rules, whether or not any matcher understands them."""

import re

from proveout.apps.solver.rules.statements import Statement
from proveout.apps.solver.rules.text import plain

_NORM = re.compile(
    r"\b(?:must|mustn't|shall|may(?! be useful)|may not|cannot|can't|can only|is allowed"
    r"|are allowed|not allowed"
    r"|allowed to|forbidden|prohibited|permitted|entitled|confidential|never|required|requires?"
    r"|has to|have to"
    r"|only|reserved (?:for|to)|restricted|nobody|no one|everyone (?:may|can)|do not|is not to"
    r"|are not to|mandatory|no (?:access|insight|rights?|say|permission|business)|barred|excluded"
    r"|hidden|withheld|kept from|closed to|nothing else|none of|handled by|dealt with by"
    r"|approval|counts? as|means|by definition|is defined|are expected to|off limits|full control"
    r"|off-limits)\b"
)
_PROHIBITION = re.compile(
    r"\b(?:not|never|cannot|can't|mustn't|forbidden|prohibited|nobody|no one|only|confidential"
    r"|restricted|without"
    r"|reserved|off limits|off-limits)\b"
)


def is_normative(statement: Statement) -> bool:
    return bool(_NORM.search(plain(statement.text)))


def is_prohibition(statement: Statement) -> bool:
    return bool(_PROHIBITION.search(plain(statement.text)))
