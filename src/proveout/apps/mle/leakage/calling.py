"""A call whose arguments are known, and what can be said if nobody can look into it."""

import ast
from dataclasses import dataclass, field

from proveout.apps.mle.leakage.values import UNKNOWN, Value, merged_taints


@dataclass(slots=True)
class Call:
    """A call with its arguments evaluated."""

    node: ast.Call
    name: str
    args: list[Value]
    kwargs: dict[str, Value]
    arg_nodes: list[ast.expr] = field(default_factory=list)

    def get(self, position: int, *keywords: str) -> Value | None:
        for keyword in keywords:
            if keyword in self.kwargs:
                return self.kwargs[keyword]
        return self.args[position] if 0 <= position < len(self.args) else None

    def flag(self, keyword: str, default: object = None) -> object:
        """A constant handed in by name."""
        value = self.kwargs.get(keyword)
        return default if value is None else value.const

    @property
    def values(self) -> list[Value]:
        return [*self.args, *self.kwargs.values()]


def opaque(made: Call, target: Value = UNKNOWN) -> Value:
    """A call nobody can look into: the rows of its first table, what all its arguments learnt."""
    tables = [value for value in made.values if value.rows]
    taints = merged_taints(target.all_taints(), *(value.all_taints() for value in made.values))
    evaluations = frozenset().union(*(value.evaluations for value in made.values))
    if not tables:
        return Value(taints=taints, evaluations=evaluations)
    main = tables[0]
    return Value(
        kind="data", rows=main.rows, taints=taints, partial=True, order=main.order,
        evaluations=evaluations, parts=main.parts,
        origins=frozenset().union(*(value.origins for value in made.values)),
    )  # fmt: skip
