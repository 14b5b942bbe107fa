"""Rules that disagree, and how that is settled.

A page that replaces others wins; then what is stated most often; then what allows or counts less. A
profile may settle what a measure or a phrase means, and never what anyone may do.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from proveout.apps.solver.rules.ir import (
    AccessRule,
    CodeRule,
    Conflict,
    DeriveRule,
    MeaningRule,
    ReplyRule,
    Rule,
    ScaleRule,
)


def settle(rules: Sequence[Rule], profile: str) -> tuple[tuple[Rule, ...], tuple[Conflict, ...]]:
    """All rules in a fixed order, with the conflicts among them and which rules hold."""
    ordered = tuple(sorted({rule.id: rule for rule in rules}.values(), key=_order))
    conflicts = [*_definitions(ordered, profile), *_access(ordered, profile)]
    return ordered, tuple(conflicts)


def _order(rule: Rule) -> tuple[str, str, str]:
    return rule.profile, rule.source.page, rule.id


def losers(conflicts: Iterable[Conflict]) -> frozenset[str]:
    """Rules that a conflict put out of force."""
    return frozenset(
        one for conflict in conflicts for one in conflict.rules if one not in conflict.chosen
    )


def _definitions(rules: Sequence[Rule], profile: str) -> Iterable[Conflict]:
    groups: dict[str, list[tuple[Rule, Hashable, int]]] = {}
    for rule in rules:
        if isinstance(rule, DeriveRule):
            groups.setdefault("workload", []).append((rule, rule.statuses, len(rule.statuses)))
        elif isinstance(rule, ScaleRule):
            groups.setdefault(f"level {rule.term}", []).append((rule, rule.low, -rule.low))
        elif isinstance(rule, MeaningRule):
            groups.setdefault(rule.phrase, []).append((rule, rule.means, rule.means == "member"))
        elif isinstance(rule, ReplyRule):
            groups.setdefault("reply", []).append((rule, rule.must_mention, 0))
        elif isinstance(rule, CodeRule):
            for operation in rule.operations:
                key = f"{rule.name} for {operation}"
                groups.setdefault(key, []).append((rule, rule.pattern, 0))
    for about, group in sorted(groups.items()):
        if len({value for _, value, _ in group}) > 1:
            yield _choose(about, group, profile)


def _choose(about: str, group: list[tuple[Rule, Hashable, int]], profile: str) -> Conflict:
    stated = Counter(value for _, value, _ in group)
    steps: tuple[tuple[str, Callable[[tuple[Rule, Hashable, int]], object]], ...] = (
        (
            "the profile says so",
            lambda one: bool(one[0].profile) and not one[0].profile.startswith("default"),
        ),
        ("a page is better than a default", lambda one: not one[0].profile.startswith("default")),
        ("the page replaces others", lambda one: one[0].supersedes),
        ("it is stated most often", lambda one: stated[one[1]]),
        ("it counts less", lambda one: -one[2]),
        ("by name", lambda one: str(one[1])),
    )
    left = list(group)
    reason = steps[-1][0]
    for why, measure in steps:
        best = max(measure(one) for one in left)  # type: ignore[type-var]
        left = [one for one in left if measure(one) == best]
        if len({value for _, value, _ in left}) == 1:
            reason = why
            break
    return Conflict(
        about=about,
        rules=tuple(sorted({one[0].id for one in group})),
        chosen=tuple(sorted({one[0].id for one in group if one[1] == left[0][1]})),
        profile=profile,
        reason=reason,
    )


def _access(rules: Sequence[Rule], profile: str) -> Iterable[Conflict]:
    """The same people, the same thing, allowed here and forbidden there: forbidden it is.

    Both rules stay in the book: the policy weighs them by the same order at every decision.
    """
    access = [
        rule
        for rule in rules
        if isinstance(rule, AccessRule) and not rule.needs and not rule.statuses
    ]
    denied: dict[tuple[object, ...], list[AccessRule]] = {}
    for rule in access:
        for key in _keys(rule):
            if rule.effect == "deny":
                denied.setdefault(key, []).append(rule)
    seen: set[tuple[str, ...]] = set()
    for rule in access:
        if rule.effect == "deny":
            continue
        for key in _keys(rule):
            for other in denied.get(key, ()):
                pair = tuple(sorted((rule.id, other.id)))
                if pair in seen or "default" in {rule.profile, other.profile}:
                    continue
                seen.add(pair)
                replaced = rule.supersedes and not other.supersedes
                yield Conflict(
                    about=f"{key[2]} by {key[1] or key[0]}",
                    rules=pair,
                    chosen=pair if not replaced else (rule.id,),
                    profile=profile,
                    reason="the page replaces others"
                    if replaced
                    else "a prohibition outweighs a permission",
                )


def _keys(rule: AccessRule) -> Iterable[tuple[str, str, str]]:
    for audience in rule.audience:
        for operation in rule.operations:
            yield audience.who, audience.department, operation
