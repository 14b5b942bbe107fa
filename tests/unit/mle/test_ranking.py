"""Which models begin: one that keeps its clock leads on wide tables; text counts by its share."""

import pytest

from proveout.apps.mle.experts.card_values import text_share
from proveout.apps.mle.experts.cards import CARDS
from proveout.apps.mle.experts.ranking import rank_cards
from proveout.apps.mle.problem import Column, Problem


def problem(*columns: Column, rows: int = 6_000, **told: object) -> Problem:
    known: dict[str, object] = {
        "name": "p", "kind": "binary", "metric": "auc", "direction": "maximize", "targets": ("y",),
        "labels": ("0", "1"), "columns": columns, "rows": rows,
    }  # fmt: skip
    return Problem.model_validate(known | told)


def numbers(count: int, unique: int = 500) -> list[Column]:
    return [Column(name=f"n{at}", kind="number", unique=unique) for at in range(count)]


@pytest.mark.parametrize("seconds", [10.0, 30.0, 120.0])
def test_a_boosting_leads_where_all_are_dear(seconds: float) -> None:
    names = [card.name for card in rank_cards(problem(*numbers(2_000)), seconds)]
    assert names[0] == "lightgbm"
    # The others of its kind would have no more time than it had: something else comes first.
    assert names[1] not in ("catboost", "xgboost", "lightgbm_random")


def test_width_costs_every_model() -> None:
    narrow, wide = (problem(*numbers(count)) for count in (20, 2_000))
    for name in ("lightgbm", "net", "linear", "likeness", "extra_trees"):
        assert CARDS[name].cost(wide) > 3 * CARDS[name].cost(narrow), name


def test_flags_cost_a_boosting_less_than_numbers() -> None:
    flags, plain = problem(*numbers(1_000, unique=2)), problem(*numbers(1_000))
    assert CARDS["lightgbm"].cost(flags) < 0.5 * CARDS["lightgbm"].cost(plain)


def test_text_counts_by_its_share() -> None:
    essay = Column(name="essay", kind="text", unique=5_000, words=300.0)
    title = Column(name="title", kind="text", unique=5_000, words=4.0)
    assert text_share(problem(essay)) == 1.0
    assert text_share(problem(*numbers(3))) == 0.0
    mostly, hardly = problem(essay, *numbers(3)), problem(title, *numbers(20))
    assert text_share(mostly) > 0.9
    assert text_share(hardly) < 0.2
    assert rank_cards(mostly, 300.0)[0].text
    leading = [card.name for card in rank_cards(hardly, 60.0)[:3]]
    assert "lightgbm" in leading
    assert not any(CARDS[name].text for name in leading)
