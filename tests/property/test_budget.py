"""For all trees of meters and all orders of use: nothing negative, no child above its parent."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from proveout.kernel.budget import BOUNDS, Bound, Budget, Meter, Reservation
from proveout.kernel.errors import BudgetSpent
from proveout.kernel.types import Usage
from tests.workbench import Clock

COUNTED: tuple[Bound, ...] = ("rounds", "calls", "tokens", "cost_usd")

budgets = st.builds(
    Budget,
    rounds=st.integers(0, 12),
    calls=st.integers(2, 12),
    tokens=st.integers(20, 100),
    cost_usd=st.floats(0.5, 2),
    seconds=st.floats(5, 60),
)
ceilings = st.builds(
    Usage,
    calls=st.integers(1, 3),
    input_tokens=st.integers(0, 20),
    output_tokens=st.integers(0, 20),
    cost_usd=st.floats(0, 0.5),
)


class Spending(RuleBasedStateMachine):
    """Any number of children, calls in flight and rounds, in any order."""

    @initialize(budget=budgets)
    def start(self, budget: Budget) -> None:
        self.clock = Clock()
        self.warned: list[Bound] = []
        root = Meter(budget, self.clock.monotonic, warn=lambda bound, *_: self.warned.append(bound))
        self.meters: list[tuple[Meter, Meter | None]] = [(root, None)]
        self.held: list[tuple[Reservation, Usage]] = []

    def pick(self, data: st.DataObject) -> Meter:
        return data.draw(st.sampled_from(self.meters))[0]

    @rule(data=st.data(), budget=budgets)
    def branch(self, data: st.DataObject, budget: Budget) -> None:
        parent = self.pick(data)
        self.meters.append((parent.child(budget), parent))

    @rule(data=st.data(), ceiling=ceilings)
    def reserve(self, data: st.DataObject, ceiling: Usage) -> None:
        meter = self.pick(data)
        room = {bound: meter.remaining(bound) for bound in BOUNDS}
        before = [each.used(bound) for each, _ in self.meters for bound in BOUNDS]
        fits = (
            ceiling.calls <= room["calls"]
            and ceiling.tokens <= room["tokens"]
            and ceiling.cost_usd <= room["cost_usd"]
            and room["seconds"] > 0
        )
        try:
            self.held.append((meter.reserve(ceiling), ceiling))
        except BudgetSpent:
            assert not fits
            assert [each.used(bound) for each, _ in self.meters for bound in BOUNDS] == before
        else:
            assert fits or ceiling.cost_usd <= room["cost_usd"] + 1e-9

    @rule(data=st.data(), part=st.floats(0, 1))
    def settle(self, data: st.DataObject, part: float) -> None:
        """What a call costs is at most its ceiling."""
        if self.held:
            held, ceiling = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
            actual = Usage(
                calls=ceiling.calls,
                input_tokens=int(ceiling.input_tokens * part),
                output_tokens=ceiling.output_tokens,
                cost_usd=ceiling.cost_usd * part,
            )
            held.settle(actual)
            once = [each.usage for each, _ in self.meters]
            held.settle(actual)
            assert [each.usage for each, _ in self.meters] == once

    @rule(data=st.data())
    def round(self, data: st.DataObject) -> None:
        meter = self.pick(data)
        room = meter.remaining("rounds") >= 1 and meter.remaining("seconds") > 0
        try:
            meter.start_round()
        except BudgetSpent:
            assert not room
        else:
            assert room

    @rule(seconds=st.floats(0, 3))
    def wait(self, seconds: float) -> None:
        self.clock.time += seconds

    @invariant()
    def nothing_is_negative_and_bounds_hold(self) -> None:
        for meter, _ in self.meters:
            for bound in BOUNDS:
                assert meter.used(bound) >= 0
                assert meter.remaining(bound) >= 0
            for bound in COUNTED:
                assert meter.used(bound) <= meter.budget.limit(bound) + 1e-9

    @invariant()
    def no_child_exceeds_its_parent(self) -> None:
        for meter, parent in self.meters:
            if parent is not None:
                for bound in BOUNDS:
                    assert meter.used(bound) <= parent.used(bound) + 1e-9
                    assert meter.remaining(bound) <= parent.remaining(bound)

    @invariant()
    def parents_use_what_their_children_use(self) -> None:
        for parent, _ in self.meters:
            children = [meter for meter, above in self.meters if above is parent]
            for bound in COUNTED:
                assert sum(each.used(bound) for each in children) <= parent.used(bound) + 1e-9

    @invariant()
    def a_bound_warns_at_most_once(self) -> None:
        assert len(self.warned) == len(set(self.warned))
        root = self.meters[0][0]
        for bound in self.warned:
            assert root.budget.limit(bound) > 0


TestSpending = Spending.TestCase
TestSpending.settings = settings(max_examples=40, stateful_step_count=40)


@pytest.mark.parametrize("bound", COUNTED)
def test_the_machine_knows_every_bound(bound: Bound) -> None:
    assert Budget.model_validate({bound: 0}).limit(bound) == 0
