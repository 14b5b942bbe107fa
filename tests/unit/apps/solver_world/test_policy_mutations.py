"""The same task under another policy has another right outcome."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

import pytest

from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.graph import World
from proveout.apps.solver.world.phrasing import Speaker
from proveout.apps.solver.world.policy import PUBLIC, STAFF, Code, Policy, Section
from proveout.apps.solver.world.spec import Expected
from proveout.apps.solver.world.tasks import FAMILIES
from proveout.apps.solver.world.tasks_draft import Draft, complete
from proveout.apps.solver.world.tasks_scene import Cast, Scene
from proveout.apps.solver.world.wordings import lexicon

Mutation = Callable[[Policy], Policy]


@cache
def world(seed: int) -> World:
    return replace(generate(seed, "small"), merger=None)


def scene(w: World, key: str, deny: bool = False) -> Scene:
    rng = random.Random(key)
    today = date.fromisoformat(w.today)
    return Scene(w, Cast(w), Speaker(lexicon(0), rng), rng, "base", deny, today)


@dataclass(frozen=True)
class Case:
    """A drafted task with its requester, to be judged under any policy."""

    world: World
    letter: str
    draft: Draft
    user: str

    def outcome(self, mutation: Mutation | None = None) -> Expected:
        policy = mutation(self.world.policy) if mutation else self.world.policy
        stage = scene(replace(self.world, policy=policy), "judge")
        task = complete(stage, replace(self.draft, who=self.user, about_me=False), "x", "x")
        assert task is not None
        return task.expected

    @property
    def denied(self) -> bool:
        return self.outcome().accepted_outcomes[0] == "denied_security"


@cache
def cases() -> tuple[Case, ...]:
    return tuple(_cases())


def _cases() -> Iterator[Case]:
    for seed in range(12):
        w = replace(world(seed), policy=replace(world(seed).policy, codes=()))
        for family in FAMILIES:
            for sketch, _ in family.sketches:
                for deny in (False, True):
                    stage = scene(w, f"{seed} {sketch.__name__} {deny}", deny)
                    draft = sketch(stage)
                    if draft is None or draft.settled:
                        continue
                    user = draft.who
                    if user is None:
                        user = stage.requester(draft.need, guests=draft.guests)
                    if user is not None and _judged(w, draft, user):
                        yield Case(w, family.letter, draft, user)


def _judged(w: World, draft: Draft, user: str) -> bool:
    task = complete(scene(w, "judge"), replace(draft, who=user, about_me=False), "x", "x")
    return task is not None


def everything_granted(policy: Policy) -> Policy:
    return replace(
        policy,
        grants={operation: (STAFF,) for operation in policy.grants},
        external_barred=frozenset(),
        salary_needs_approval=False,
        locked_statuses=(),
        own_log_statuses=("draft", "submitted", "approved"),
        others_log_statuses=("draft", "submitted", "approved"),
        log_needs_team=False,
    )


def nothing_granted(policy: Policy) -> Policy:
    return replace(
        policy,
        grants={operation: () for operation in policy.grants},
        own_log_statuses=(),
        others_log_statuses=(),
    )


def test_granting_everything_leaves_only_guests_out() -> None:
    refused = [case for case in cases() if case.denied]
    assert len(refused) > 100
    for case in refused:
        still = case.outcome(everything_granted).accepted_outcomes[0] == "denied_security"
        assert still is (case.user == ""), case


def test_granting_nothing_refuses_everything() -> None:
    for case in cases():
        if set(case.draft.need.operations) - PUBLIC:
            assert case.outcome(nothing_granted).accepted_outcomes == ("denied_security",)


def flips(letter: str, mutation: Mutation) -> int:
    """Cases of the family whose outcome changes between denied and not denied."""
    changed = 0
    for case in cases():
        if case.letter == letter:
            after = case.outcome(mutation).accepted_outcomes[0] == "denied_security"
            changed += after is not case.denied
    return changed


@pytest.mark.parametrize(
    ("letter", "operation"),
    [
        ("F", "employee.workload"),
        ("G", "employee.workload"),
        ("K", "employee.salary"),
        ("O", "employee.salary"),
        ("R", "customer.contact"),
        ("B", "customer.contact"),
        ("T", "employee.notes"),
        ("U", "employee.note.write"),
        ("W", "project.status.write"),
        ("AA", "project.team.write"),
        ("AD", "time.entries"),
        ("Z", "wiki.write"),
    ],
)
def test_each_grant_decides_its_family(letter: str, operation: str) -> None:
    def withdrawn(policy: Policy) -> Policy:
        return replace(policy, grants={**policy.grants, operation: ()})

    def opened(policy: Policy) -> Policy:
        barred = policy.external_barred - {operation}
        grants = {**policy.grants, operation: (STAFF,)}
        return replace(policy, grants=grants, external_barred=barred)

    assert flips(letter, withdrawn) > 0
    if operation != "employee.workload" or any(
        STAFF not in case.world.policy.grants[operation] for case in cases()
    ):
        assert flips(letter, opened) > 0


def test_approval_decides_salary_edits() -> None:
    def toggled(policy: Policy) -> Policy:
        return replace(policy, salary_needs_approval=not policy.salary_needs_approval)

    assert flips("V", toggled) > 0


def test_locks_decide_corrections() -> None:
    assert flips("AE", lambda policy: replace(policy, locked_statuses=())) > 0
    everything = ("draft", "submitted", "approved", "invoiced")
    assert flips("AE", lambda policy: replace(policy, locked_statuses=everything)) > 0


def test_statuses_decide_logging() -> None:
    assert flips("P", lambda policy: replace(policy, others_log_statuses=())) > 0
    wide = ("draft", "submitted", "approved")
    assert flips("P", lambda policy: replace(policy, others_log_statuses=wide)) > 0


def test_owners_decide_wiki_edits() -> None:
    def moved(policy: Policy) -> Policy:
        sections = tuple(Section(s.prefix, policy.external_department) for s in policy.sections)
        return replace(policy, sections=sections)

    assert flips("Z", moved) > 0


def test_barring_external_staff_decides() -> None:
    def barred(policy: Policy) -> Policy:
        return replace(policy, external_barred=frozenset(policy.grants))

    outsiders = [
        case
        for case in cases()
        if case.user
        and case.world.person_by_id[case.user].department == case.world.policy.external_department
        and not case.denied
        and case.draft.need.subject != case.user
    ]
    assert outsiders
    for case in outsiders:
        assert case.outcome(barred).accepted_outcomes == ("denied_security",)


def test_a_required_code_is_asked_for() -> None:
    code = Code("slip", ("project.status.write",), r"SL-\d{3}", "SL and three digits", "SL-123")

    def coded(policy: Policy) -> Policy:
        return replace(policy, codes=(code,))

    outcomes = {
        case.outcome(coded).accepted_outcomes
        for case in cases()
        if case.letter == "W" and not case.denied
    }
    assert outcomes <= {("none_clarification_needed",), ("ok_answer",)}
    assert ("none_clarification_needed",) in outcomes


def redrawn(sketch_name: str, mutation: Mutation) -> tuple[int, int]:
    """Draws the same question under both policies: how many differ, of how many."""
    changed = total = 0
    sketches = {s.__name__: s for family in FAMILIES for s, _ in family.sketches}
    for seed in range(10):
        before = world(seed)
        after = replace(before, policy=mutation(before.policy))
        for number in range(4):
            drafts = [sketches[sketch_name](scene(w, f"{number}")) for w in (before, after)]
            if drafts[0] is None or drafts[1] is None:
                continue
            assert drafts[0].slots == drafts[1].slots
            total += 1
            changed += drafts[0].expected != drafts[1].expected
    return changed, total


@pytest.mark.parametrize(
    ("sketch", "mutation"),
    [
        ("strong_in_both", lambda p: replace(p, strong_level=p.strong_level + 1)),
        ("strong_at_site", lambda p: replace(p, strong_level=p.strong_level - 2)),
        ("workload_of_person", lambda p: replace(p, workload_phases=("paused",))),
        ("workload_in_department", lambda p: replace(p, workload_phases=("idea", "archived"))),
        (
            "my_projects_by_role",
            lambda p: replace(p, my_projects="led" if p.my_projects == "member" else "member"),
        ),
    ],
)
def test_meanings_decide_answers(sketch: str, mutation: Mutation) -> None:
    changed, total = redrawn(sketch, mutation)
    assert total >= 10
    assert changed > 0


def test_guests_are_owed_the_name_of_the_acquirer() -> None:
    guests = [case for case in cases() if case.user == ""]
    assert guests
    for case in guests:
        after = case.outcome(lambda policy: replace(policy, guest_must_mention="Acme Trust"))
        assert "Acme Trust" in after.must_contain
