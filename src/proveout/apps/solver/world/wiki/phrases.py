"""The wordings of `data/phrases.toml`."""

import tomllib
from functools import cache
from importlib.resources import files
from random import Random


@cache
def phrases() -> dict[str, tuple[str, ...]]:
    package = __package__.rpartition(".")[0]
    text = files(package).joinpath("data", "phrases.toml").read_text(encoding="utf-8")
    return {rule: tuple(wordings) for rule, wordings in tomllib.loads(text).items()}


def say(rng: Random, rule: str, **slots: str) -> str:
    """One wording of a rule."""
    return rng.choice(phrases()[rule]).format(**slots)
