"""Interpretation profiles: explicit pseudo-rules for what the pages leave open.

`default` always applies and is the weakest. Another profile states conventions of a certain kind of
company. Neither can allow what a page forbids: that is seen to where rules are weighed.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from pydantic import TypeAdapter

from proveout.apps.solver.rules.cast import Cast
from proveout.apps.solver.rules.ir import Audience, Rule, Source
from proveout.kernel.errors import UsageError

_RULE: TypeAdapter[Rule] = TypeAdapter(Rule)
_NO_SOURCE = Source(page="", anchor="", quote="")
_FUNCTIONS = frozenset({"hr", "finance", "it", "sales"})


@cache
def _data() -> Mapping[str, list[dict[str, object]]]:
    text = resources.files(__package__).joinpath("profiles.toml").read_text("utf-8")
    return tomllib.loads(text)


def profiles() -> tuple[str, ...]:
    return ("wiki", *sorted(name for name in _data() if name not in {"default", "wiki"}))


def profile_rules(profile: str, cast: Cast, known: Sequence[Rule] = ()) -> tuple[Rule, ...]:
    """The defaults and the profile's own rules, for these departments.

    A default of meaning or measure is left out where a page has one.
    """
    if profile not in profiles():
        message = f"unknown profile: {profile}"
        raise UsageError(message, hint=f"one of {', '.join(profiles())}")
    kinds = {_about(rule) for rule in known if rule.kind in {"derive", "meaning", "scale"}}
    result = []
    for name in ("default", profile):
        for entry in _data().get(name, []):
            rule = _rule(name, entry, cast)
            if rule is not None and (name != "default" or _about(rule) not in kinds):
                result.append(rule)
    return tuple(result)


def _about(rule: Rule) -> tuple[str, str]:
    return rule.kind, rule.term if rule.kind == "scale" else ""


def _rule(profile: str, entry: Mapping[str, object], cast: Cast) -> Rule | None:
    values: dict[str, object] = {"source": _NO_SOURCE, "profile": profile, **entry}
    values["id"] = f"{profile}.{entry['id']}"
    names = entry.get("audience")
    if isinstance(names, list):
        values["audience"] = tuple(_audience(str(name), cast) for name in names)
    return _RULE.validate_python(values)


def _audience(name: str, cast: Cast) -> Audience:
    if name in _FUNCTIONS:
        return Audience(who="department", department=cast.named(name) or name)
    department = {"executive": "leadership", "external": "external"}.get(name, "")
    return Audience.model_validate(
        {"who": name, "department": cast.named(department) if department else ""}
    )
