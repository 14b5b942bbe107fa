"""Which results follow from the task's own words, or from who asks, and which from data alone."""

from collections.abc import Iterable

from proveout.apps.solver.catalogue import CATALOGUE
from proveout.apps.solver.plan import Plan
from proveout.apps.solver.sandbox.admit import relations_of
from proveout.apps.solver.validating.references import parse, references, strings

OWN = frozenset(name for name in CATALOGUE if name == "me" or name.startswith("my_"))
"""Relations about the requester."""


class Lineage:
    """What every result rests on, directly or through others.

    Roots are calls that were given a phrase of the task (each was found there before), calls that
    ask who the requester is, and relations about the requester.
    """

    def __init__(self, plan: Plan) -> None:
        self._roots: dict[str, frozenset[str]] = {name: frozenset({name}) for name in OWN}
        for call in plan.tool_calls:
            args = dict(call.args)
            spoken = any(text and parse(text) is None for text in strings(args))
            own = {call.bind} if spoken or call.name == "who_am_i" else set()
            followed = self._of(ref.bind for ref in references(args))
            self._roots[call.bind] = followed | own
        for step in plan.sql:
            named = relations_of(step.statement)
            found = self._of(named)
            self._roots[step.bind] = found
            for name in named if step.kind == "derive" else ():
                if name not in CATALOGUE:
                    self._roots[name] = self._roots.get(name, frozenset()) | found

    def roots(self, bind: str) -> frozenset[str]:
        return self._roots.get(bind, frozenset())

    def aimed(self, bind: str) -> bool:
        """Whether it rests on anything that the task names, or on the requester."""
        return bool(self.roots(bind))

    def _of(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset().union(*(self.roots(name) for name in names))
