"""The wiki tells the whole policy, in many wordings, and marks what no longer holds."""

import re
from random import Random

import pytest

from proveout.apps.solver.world.draw_policy import draw_merger
from proveout.apps.solver.world.generator import generate
from proveout.apps.solver.world.graph import World
from proveout.apps.solver.world.wiki.deeds import DEEDS
from proveout.apps.solver.world.wiki.phrases import phrases

SEEDS = range(20)


def text_without_stale(world: World) -> str:
    return "\n".join(t for path, t in world.wiki.items() if not path.startswith("archive/"))


def test_every_rule_has_at_least_four_wordings() -> None:
    assert all(len(set(wordings)) >= 4 for wordings in phrases().values())
    assert all(len(deed.verbs) >= 3 for deed in DEEDS.values()), "times six frames"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_dimension_of_the_policy_is_mentioned(seed: int) -> None:
    world = generate(seed)
    policy, text = world.policy, text_without_stale(world)
    assert 12 <= len(world.wiki) <= 25
    assert re.search(rf"\b{policy.strong_level}\b", text)
    assert all(f"{band.label}" in text.lower() for band in policy.scale)
    for parties in policy.grants.values():
        assert all(party.department in text for party in parties)
    assert policy.external_department in text
    assert policy.executive_department in text
    for section in policy.sections:
        assert re.search(rf"`{section.prefix}`.*{re.escape(section.department)}", text)
    for code in policy.codes:
        assert code.name in text
        assert code.shape in text
        assert code.example in text
        assert re.fullmatch(code.pattern, code.example)
    for site in world.sites:
        assert site.location in text
        assert site.city in text
        assert site.country in text
    for trait in (*world.skills, *world.wills):
        assert f"`{trait.id}` | {trait.label}" in text
    assert all(item in text for item in policy.unsupported)
    assert ('"my projects"' in text) or ('"My projects"' in text)


def says(world: World, operation: str, *, barred: bool = False) -> bool:
    deed = DEEDS[operation]
    wordings = (deed.barred or deed.verbs) if barred else (*deed.verbs, *deed.things)
    text = text_without_stale(world).lower()
    return any(wording.lower() in text for wording in wordings)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_right_and_every_bar_is_stated(seed: int) -> None:
    world = generate(seed)
    stated = set(DEEDS) - {"customer.directory", "time.log", "wiki.write"}
    assert all(says(world, operation) for operation in stated)
    assert all(says(world, operation, barred=True) for operation in world.policy.external_barred)


@pytest.mark.parametrize("seed", SEEDS)
def test_statuses_stand_where_they_rule(seed: int) -> None:
    world = generate(seed)
    policy = world.policy
    hours = next(t for t in world.wiki.values() if "whether it is billable" in t)
    rules = hours.partition("##")[2]
    for status in (*policy.own_log_statuses, *policy.others_log_statuses, *policy.locked_statuses):
        assert f"`{status}`" in rules
    projects = next(t for t in world.wiki.values() if "A project has one of" in t)
    workload = next(line for line in projects.split("\n") if "orkload" in line and "slice" in line)
    if len(policy.workload_phases) < 5:
        assert all(f"`{phase}`" in workload for phase in policy.workload_phases)


def test_a_merger_adds_one_page_and_changes_the_rules_it_names() -> None:
    merged = [world for world in map(generate, SEEDS) if world.merger]
    assert merged
    for world in merged:
        assert world.merger is not None
        new = set(world.merger.wiki) - set(world.wiki)
        assert len(new) == 1
        text = world.merger.wiki[new.pop()]
        assert world.merger.acquirer in text
        before, after = world.policy.grants, world.merger.policy.grants
        for operation in before:
            if before[operation] != after[operation]:
                wordings = (*DEEDS[operation].verbs, *DEEDS[operation].things)
                assert any(w.lower() in text.lower() for w in wordings)
        for path, old in world.wiki.items():
            assert path == "index.md" or world.merger.wiki[path] == old
        code = world.merger.policy.code_for("time.log")
        assert code is not None
        assert code.example in text


def test_a_stale_page_says_so_before_anything_else() -> None:
    stale = [w.wiki["archive/old_rules.md"] for w in map(generate, SEEDS) if _has_stale(w)]
    assert stale
    for text in stale:
        warning = text.split("\n\n")[1]
        assert warning.startswith(">")
        assert re.search("uperseded|o longer valid", warning)


def _has_stale(world: World) -> bool:
    return "archive/old_rules.md" in world.wiki


def test_the_same_rule_is_worded_differently_in_different_worlds() -> None:
    pages = {
        next(t for t in generate(seed).wiki.values() if "Both are rated from" in t).split("##")[1]
        for seed in SEEDS
    }
    assert len(pages) >= 10


def test_topics_lead_to_pages() -> None:
    for seed in SEEDS:
        world = generate(seed)
        assert world.topics
        assert set(world.topics.values()) <= set(world.wiki)


def test_a_merger_changes_two_rights_and_never_lifts_the_bars_on_externals() -> None:
    for seed in SEEDS:
        before = generate(seed).policy
        _, after = draw_merger(Random(seed), before)
        changed = [op for op, parties in before.grants.items() if after.grants[op] != parties]
        assert len(changed) == 2
        assert after.guest_must_mention
        assert after.external_barred == before.external_barred
