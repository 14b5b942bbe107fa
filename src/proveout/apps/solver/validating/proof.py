"""Evidence of decisions: the rule, the claims of the session it used, the values it asked for."""

from collections.abc import Mapping

from pydantic import JsonValue

from proveout.apps.solver.decision import ProofBundle
from proveout.apps.solver.entities import Identity


def by_default(operation: str, who: Identity, reason: str) -> ProofBundle:
    """A refusal that needs no rule: what is not known to be allowed to guests is not."""
    return ProofBundle(
        operation=operation,
        identity={"is_public": who.is_public},
        rules=(),
        predicates={reason: False},
        result="deny",
    )


def with_origins(
    bundle: ProofBundle, origins: Mapping[str, str], rows: int, most: int, key: str
) -> ProofBundle:
    """A permission to write, with where each argument came from and how much it may touch."""
    more: dict[str, JsonValue] = {f"origin.{name}": origin for name, origin in origins.items()}
    more |= {"rows": rows, "rows_at_most": most, "idempotency_key": key}
    return bundle.model_copy(update={"predicates": {**bundle.predicates, **more}})
