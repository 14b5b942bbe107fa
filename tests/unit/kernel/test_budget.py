"""Bounds hold, for one meter and for trees of them."""

from collections.abc import Iterator

import pytest
from pydantic import ValidationError

from proveout.kernel.budget import BOUNDS, Bound, Budget, Elapsed, Meter
from proveout.kernel.errors import BudgetSpent
from proveout.kernel.types import Usage
from tests.workbench import Clock


def meter(clock: Clock | None = None, **limits: float) -> Meter:
    budget = Budget.model_validate(limits)
    return Meter(budget, (clock or Clock()).monotonic)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("limit", [-1, float("inf"), float("nan"), 10**15])
def test_a_budget_is_finite(bound: Bound, limit: float) -> None:
    with pytest.raises(ValidationError):
        Budget.model_validate({bound: limit})


def test_rounds_end_with_the_bound_that_ended_them() -> None:
    numbers = meter(rounds=3).rounds()
    assert [next(numbers), next(numbers), next(numbers)] == [0, 1, 2]
    with pytest.raises(BudgetSpent) as caught:
        next(numbers)
    assert caught.value.kind == "rounds"


def test_a_budget_of_nothing_allows_nothing() -> None:
    nothing = meter(rounds=0, calls=0, tokens=0, cost_usd=0, seconds=0)
    with pytest.raises(BudgetSpent):
        next(nothing.rounds())
    for ceiling in (Usage(calls=1), Usage(input_tokens=1), Usage(cost_usd=0.01)):
        with pytest.raises(BudgetSpent):
            nothing.reserve(ceiling)
    assert nothing.usage == Usage()


@pytest.mark.parametrize(
    ("ceiling", "kind"),
    [
        (Usage(calls=4), "calls"),
        (Usage(calls=1, output_tokens=101), "tokens"),
        (Usage(calls=1, cost_usd=1.01), "cost_usd"),
    ],
)
def test_a_call_that_could_exceed_a_bound_is_not_made(ceiling: Usage, kind: str) -> None:
    tight = meter(calls=3, tokens=100, cost_usd=1.0)
    with pytest.raises(BudgetSpent) as caught:
        tight.reserve(ceiling)
    assert caught.value.kind == kind
    assert all(tight.used(bound) == 0 for bound in ("calls", "tokens", "cost_usd"))


def test_calls_in_flight_count_at_their_ceiling() -> None:
    tight = meter(calls=3, tokens=100)
    held = tight.reserve(Usage(calls=1, output_tokens=80))
    assert tight.used("tokens") == 80
    with pytest.raises(BudgetSpent):
        tight.reserve(Usage(calls=1, output_tokens=80))
    held.settle(Usage(calls=1, output_tokens=10))
    assert tight.used("tokens") == 10
    tight.reserve(Usage(calls=1, output_tokens=80)).settle(Usage())


def test_a_reservation_settles_once() -> None:
    tight = meter(calls=3)
    held = tight.reserve(Usage(calls=1))
    held.settle(Usage(calls=1))
    held.settle(Usage(calls=1))
    assert tight.used("calls") == 1
    assert tight.usage == Usage(calls=1)


def test_money_that_adds_up_to_the_limit_fits() -> None:
    tight = meter(cost_usd=0.3)
    for _ in range(3):
        tight.reserve(Usage(cost_usd=0.1)).settle(Usage(cost_usd=0.1))
    with pytest.raises(BudgetSpent):
        tight.reserve(Usage(cost_usd=0.1))


def test_time_is_spent_once_it_has_passed() -> None:
    clock = Clock()
    timed = meter(clock, seconds=10)
    timed.start_round()
    clock.time = 9.9
    timed.start_round()
    assert timed.remaining("seconds") == pytest.approx(0.1)
    clock.time = 10
    for action in (timed.start_round, lambda: timed.reserve(Usage())):
        with pytest.raises(BudgetSpent) as caught:
            action()
        assert caught.value.kind == "seconds"
    clock.time = 20
    assert timed.remaining("seconds") == 0


def test_a_childs_time_begins_with_the_child() -> None:
    clock = Clock(time=5)
    parent = meter(clock, seconds=100)
    child = parent.child(Budget(seconds=10))
    clock.time = 14
    child.start_round()
    assert child.used("seconds") == 9
    assert parent.used("seconds") == 14
    clock.time = 15
    with pytest.raises(BudgetSpent):
        child.start_round()
    parent.start_round()


def test_a_child_cannot_outspend_its_parent() -> None:
    parent = meter(rounds=2, calls=2)
    child = parent.child(Budget(rounds=100, calls=100))
    assert child.limit("calls") == 2
    child.start_round()
    child.reserve(Usage(calls=1)).settle(Usage(calls=1))
    assert (parent.used("calls"), parent.used("rounds")) == (1, 1)
    assert child.remaining("calls") == 1
    child.start_round()
    with pytest.raises(BudgetSpent) as caught:
        child.start_round()
    assert (caught.value.kind, caught.value.limit) == ("rounds", 2)
    assert child.used("rounds") == 2, "a round that was refused is not counted"


def test_siblings_draw_on_the_same_parent() -> None:
    parent = meter(calls=2)
    first, second = parent.child(Budget()), parent.child(Budget())
    held = first.reserve(Usage(calls=1))
    second.reserve(Usage(calls=1))
    with pytest.raises(BudgetSpent):
        second.reserve(Usage(calls=1))
    held.settle(Usage())
    second.reserve(Usage(calls=1))
    assert first.used("calls") == 0


def test_what_was_spent_before_counts_even_beyond_the_limit() -> None:
    tight = meter(calls=1)
    tight.charge(Usage(calls=3))
    assert tight.used("calls") == 3
    assert tight.remaining("calls") == 0


def warned(clock: Clock, budget: Budget) -> tuple[Meter, list[Bound]]:
    bounds: list[Bound] = []
    counted = Meter(budget, clock.monotonic, warn=lambda bound, *_: bounds.append(bound))
    return counted, bounds


def test_four_fifths_of_a_bound_warn_once() -> None:
    clock = Clock()
    budget = Budget(rounds=5, calls=5, tokens=100, cost_usd=1.0, seconds=100)
    root, bounds = warned(clock, budget)
    child = root.child(Budget())
    spent = Usage(calls=1, input_tokens=20, cost_usd=0.2)
    heard = []
    for done in range(1, 6):
        clock.time = done * 20 - 1
        child.start_round()
        child.reserve(spent).settle(spent)
        heard.append(sorted(bounds))
    assert heard[:3] == [[], [], []]
    assert heard[3] == ["calls", "cost_usd", "rounds", "tokens"]
    assert heard[4] == sorted(BOUNDS)


def test_a_bound_of_nothing_needs_no_warning() -> None:
    root, bounds = warned(Clock(), Budget(calls=0, cost_usd=0))
    root.start_round()
    assert bounds == []


def test_time_stands_while_a_resumed_run_catches_up() -> None:
    clock = Clock(time=1000)
    elapsed = Elapsed(clock.monotonic)
    assert elapsed() == 0
    elapsed.caught_up_to(7)
    elapsed.caught_up_to(5)
    clock.time = 2000
    assert elapsed() == 7
    elapsed.start(base=9)
    clock.time = 2003
    assert elapsed() == 12
    elapsed.start(base=100)
    elapsed.caught_up_to(100)
    assert elapsed() == 12, "once it runs, nothing moves it"


def test_new_work_starts_the_clock_where_it_stands() -> None:
    clock = Clock(time=5)
    elapsed = Elapsed(clock.monotonic)
    elapsed.caught_up_to(3)
    elapsed.start()
    clock.time = 6
    assert elapsed() == 4


def test_a_replays_time_never_starts() -> None:
    clock = Clock()
    elapsed = Elapsed(clock.monotonic, virtual=True)
    elapsed.start(base=50)
    clock.time = 10
    assert elapsed() == 0


def test_rounds_can_be_abandoned() -> None:
    counted = meter(rounds=5)
    numbers: Iterator[int] = counted.rounds()
    assert [next(numbers), next(numbers)] == [0, 1]
    del numbers
    assert counted.used("rounds") == 2
