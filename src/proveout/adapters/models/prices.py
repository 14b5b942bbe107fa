"""Tokens into money. What has no known price stays tokens, which budgets count too."""

import re
import tomllib
from collections.abc import Mapping
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from pydantic import Field

from proveout.kernel.types import Frozen, Usage

DATED = re.compile(r"-(20\d{6}|20\d\d-\d\d-\d\d|latest)$")
"""A snapshot of a model costs what the model costs."""
MILLION = 1_000_000


class Price(Frozen):
    """USD per million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    long_from: int | None = None
    """Input tokens above which the whole call costs `long_input` and `long_output`."""
    long_input: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    long_output: float = Field(default=0.0, ge=0, allow_inf_nan=False)

    def cost(self, usage: Usage) -> float:
        long = self.long_from is not None and usage.input_tokens > self.long_from
        input_usd = self.long_input if long else self.input
        output_usd = self.long_output if long else self.output
        return (usage.input_tokens * input_usd + usage.output_tokens * output_usd) / MILLION


class PriceList(Frozen):
    as_of: date
    """When the prices were last compared with what the providers publish."""
    prices: dict[str, Price]


FREE = Price(input=0, output=0)


@cache
def price_list() -> PriceList:
    """The prices that ship with the package."""
    with Path(__file__).with_name("prices.toml").open("rb") as file:
        return PriceList.model_validate(tomllib.load(file))


def price_of(model: str, prices: Mapping[str, Price] | None = None) -> Price | None:
    """The price of a model by its name, with or without provider; the caller's `prices` win."""
    if model == "local" or model.startswith("local:"):
        return FREE
    whole = model.partition("@http")[0].lower()
    bare = whole.partition(":")[2] or whole
    for known in (prices or {}, price_list().prices):
        for candidate in (whole, bare, DATED.sub("", bare)):
            fitting = [pattern for pattern in known if fnmatchcase(candidate, pattern.lower())]
            if fitting:
                return known[max(fitting, key=len)]
    return None


def price(model: str, usage: Usage, prices: Mapping[str, Price] | None = None) -> Usage:
    """The usage of one call with its cost, or with its tokens marked as unpriced."""
    known = price_of(model, prices)
    if known is None:
        return usage.model_copy(update={"cost_usd": 0.0, "unpriced_tokens": usage.tokens})
    return usage.model_copy(update={"cost_usd": known.cost(usage), "unpriced_tokens": 0})
