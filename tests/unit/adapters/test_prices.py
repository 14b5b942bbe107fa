"""Tokens into money."""

from datetime import date

import pytest
from pydantic import ValidationError

from proveout.adapters.models.prices import Price, price, price_list, price_of
from proveout.kernel.types import Usage

USED = Usage(calls=1, input_tokens=1_000_000, output_tokens=100_000)


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("gpt-5", 1.25 + 1.0),
        ("openai:gpt-5", 1.25 + 1.0),
        ("openai:GPT-5", 1.25 + 1.0),
        ("openai:gpt-5@https://proxy.example/v1", 1.25 + 1.0),
        ("gpt-5-2025-08-07", 1.25 + 1.0),
        ("gpt-5-mini", 0.25 + 0.2),
        ("anthropic:claude-opus-4-5-20251101", 5 + 2.5),
        ("claude-opus-4-1", 15 + 7.5),
        ("claude-opus-4-20250514", 15 + 7.5),
        ("google:gemini-2.5-flash", 0.3 + 0.25),
    ],
)
def test_a_known_model_costs_what_its_list_price_says(model: str, cost: float) -> None:
    priced = price(model, USED)
    assert priced.cost_usd == pytest.approx(cost)
    assert priced.unpriced_tokens == 0
    assert (priced.calls, priced.tokens) == (1, 1_100_000)


@pytest.mark.parametrize("model", ["gpt-5-newest", "qwen3:8b", "", "openai:", "gpt", "claude"])
def test_an_unknown_model_is_counted_in_tokens(model: str) -> None:
    priced = price(model, USED)
    assert (priced.cost_usd, priced.unpriced_tokens) == (0.0, 1_100_000)


@pytest.mark.parametrize("model", ["local", "local:/models/some.gguf", "local:gpt-5"])
def test_a_local_model_is_free(model: str) -> None:
    priced = price(model, USED)
    assert (priced.cost_usd, priced.unpriced_tokens) == (0.0, 0)


def test_a_long_prompt_makes_the_whole_call_dearer() -> None:
    short = Usage(calls=1, input_tokens=200_000, output_tokens=1000)
    longer = Usage(calls=1, input_tokens=200_001, output_tokens=1000)
    assert price("gemini-2.5-pro", short).cost_usd == pytest.approx(0.25 + 0.01)
    assert price("gemini-2.5-pro", longer).cost_usd == pytest.approx(0.5000025 + 0.015)


def test_added_prices_win_and_the_longest_pattern_counts() -> None:
    added = {
        "gpt-5": Price(input=9, output=0),
        "qwen*": Price(input=1, output=0),
        "qwen3:*": Price(input=2, output=0),
        "together:qwen3:8b": Price(input=3, output=0),
    }
    costs = {
        name: price(name, USED, added).cost_usd
        for name in ("openai:gpt-5", "qwen2", "openai:qwen3:8b", "together:qwen3:8b")
    }
    assert list(costs.values()) == [9, 1, 2, 3]


def test_pricing_again_does_not_add_up() -> None:
    once = price("gpt-5", USED)
    assert price("gpt-5", once) == once
    assert price("unknown", once) == price("unknown", USED)


def test_the_list_is_dated_and_every_entry_finds_itself() -> None:
    known = price_list()
    assert known.as_of >= date(2026, 11, 1)
    for name, listed in known.prices.items():
        assert listed.output >= listed.input > 0
        if listed.long_from is not None:
            assert listed.long_input > listed.input
            assert listed.long_output > listed.output
        if not set(name) & set("*?["):
            assert price_of(name) == listed


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_a_price_is_a_finite_sum(bad: float) -> None:
    with pytest.raises(ValidationError):
        Price(input=bad, output=1)
