"""What a script is made of: members, how they are blended, and finishing touches."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, JsonValue

from proveout.kernel.types import Frozen

Blend = Literal["mean", "rank", "geometric", "stack"]
Form = Literal["plain", "log", "share", "root", "guess", "level", "level ratio", "weekday ratio"]
"""What is learnt instead of the target itself; levels are taken off and given back."""
Weigh = Literal["repeats", "classes", "recent", "small"]


class Member(Frozen):
    """One model of a script, with all that makes its predictions what they are."""

    card: str
    """A name of `cards.CARDS`."""
    parameters: Mapping[str, JsonValue] = Field(default_factory=dict)
    steps: tuple[str, ...] = ()
    """Names of `features.STEPS`: what it sees of the rows."""
    form: Form = "plain"
    weigh: tuple[Weigh, ...] = ()
    seeds: int = Field(default=1, ge=1, le=20)
    """Trained so often with other seeds, averaged."""
    tune_seconds: float = Field(default=0.0, ge=0.0)
    """Seconds for a bounded search of better parameters, within the training rows."""
    weight: float = Field(default=1.0, ge=0.0)

    @property
    def key(self) -> str:
        """Members with equal keys make the same predictions."""
        return self.model_copy(update={"weight": 1.0}).model_dump_json()

    def having(self, *, add: Sequence[str] = (), drop: Sequence[str] = ()) -> "Member":
        """With steps switched on or off."""
        kept = [name for name in self.steps if name not in drop]
        new = [name for name in add if name not in kept]
        return self.model_copy(update={"steps": (*kept, *new)})

    def with_parameters(self, **changed: JsonValue) -> "Member":
        return self.model_copy(update={"parameters": {**self.parameters, **changed}})


class Recipe(Frozen):
    """A script before it is written down. Edits make one recipe from another."""

    members: tuple[Member, ...] = Field(min_length=1)
    blend: Blend = "mean"
    decide: bool = False
    """Whether classes are chosen by rules found out of fold instead of the largest probability."""
    most_rows: int = Field(default=0, ge=0)
    """Training rows of a fold, if there are more; nought: all."""
    seed: int = 0
    threads: int = Field(default=1, ge=1)
    time_limit: float = Field(default=60.0, gt=0.0)

    def with_members(self, members: Sequence[Member]) -> "Recipe":
        return self.model_copy(update={"members": tuple(members)})

    def with_first(self, member: Member) -> "Recipe":
        """With its leading member replaced."""
        return self.with_members((member, *self.members[1:]))


def merge(recipes: Sequence[Recipe]) -> Recipe:
    """All members in one script, around the first recipe; one that occurs twice counts once."""
    members = {member.key: member for recipe in reversed(recipes) for member in recipe.members}
    order = dict.fromkeys(member.key for recipe in recipes for member in recipe.members)
    return recipes[0].model_copy(
        update={
            "members": tuple(members[key] for key in order),
            "decide": any(recipe.decide for recipe in recipes),
            "most_rows": _most([recipe.most_rows for recipe in recipes]),
            "time_limit": sum(recipe.time_limit for recipe in recipes),
        }
    )


def _most(bounds: Sequence[int]) -> int:
    """The loosest bound; nought is none at all."""
    return 0 if 0 in bounds else max(bounds)


def ensemble(recipes: Sequence[Recipe], weights: Sequence[float]) -> Recipe:
    """One script that trains every recipe with a positive weight and averages accordingly.

    Within a recipe members keep their proportions; a member of two recipes weighs as much as both.
    """
    chosen = [(r, float(w)) for r, w in zip(recipes, weights, strict=True) if w > 0]
    if not chosen:
        message = "an ensemble needs at least one positive weight"
        raise ValueError(message)
    shares: dict[str, float] = {}
    for recipe, weight in chosen:
        total = sum(member.weight for member in recipe.members) or 1.0
        for member in recipe.members:
            part = weight * member.weight / total
            shares[member.key] = shares.get(member.key, 0.0) + part
    whole = sum(shares.values())
    merged = merge([recipe for recipe, _ in chosen])
    members = tuple(
        member.model_copy(update={"weight": round(shares[member.key] / whole, 4)})
        for member in merged.members
    )
    return merged.with_members([member for member in members if member.weight > 0])
