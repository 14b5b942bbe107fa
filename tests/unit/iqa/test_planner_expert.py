"""The planner by rule: the published table, references, and what a reason to replan changes."""

import pytest

from proveout.apps.iqa.experts.planner import flags, plan, replanned
from proveout.apps.iqa.models import PlannerOutput


@pytest.mark.parametrize("region", [True, False])
@pytest.mark.parametrize("tool", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_flag_table(region: bool, tool: bool, named: bool) -> None:
    made = flags(technical=True, named_distortion=named, region=region, named_tool=tool)

    assert made.distortion_detection is not named
    assert made.distortion_analysis
    assert (made.tool_selection, made.tool_execute) == {
        (True, True): (False, True),
        (True, False): (False, False),
        (False, True): (False, True),
        (False, False): (True, True),
    }[(region, tool)]


def test_other_questions_switch_everything_off() -> None:
    made = plan("What emotion does it convey?", has_reference=True)

    assert made.query_type == "Other"
    assert not any(made.plan.model_dump().values())
    assert made.reference_mode == "Full-Reference"


def test_a_reference_may_be_declined() -> None:
    query = "Without using the reference, how blurry is the image?"

    assert plan(query, has_reference=True).reference_mode == "No-Reference"


def test_options_make_distortions_explicit() -> None:
    made = plan("What is it?\nA. Overexposure\nB. Motion blur")

    assert made.distortion_source == "Explicit"
    assert made.distortions == {"Global": ["Brightness change", "Blurs"]}


def test_an_unresolved_region_is_dropped_and_the_rest_stays() -> None:
    before = plan("Is the bagpipe or the sky noisy?")
    after = replanned(before, "… does not cover all query_scope objects: bagpipe unresolved")

    assert before.query_scope == ["bagpipe", "sky"]
    assert after.query_scope == ["sky"]
    assert after.distortions == {"sky": ["Noise"]}


def test_the_last_unresolved_region_widens_to_the_whole_picture() -> None:
    query = "Is the bagpipe noisy?"
    after = plan(query, replan_reason="bagpipe unresolved", previous=plan(query))

    assert after.query_scope == "Global"
    assert after.distortions == {"Global": ["Noise"]}
    assert after.plan.tool_selection
    assert after.plan.tool_execute


def test_missing_scores_make_tools_run() -> None:
    before = plan("How is the vehicle?", replan_reason="", previous=None)
    after = replanned(before, "Missing tool scores for vehicle region")

    assert not before.plan.tool_execute
    assert after.plan.tool_selection
    assert after.plan.tool_execute
    assert after.query_scope == before.query_scope == ["vehicle"]


def test_a_contradiction_frees_the_choice_of_tools() -> None:
    before = plan("Use NIQE to judge the blur.")
    after = replanned(before, "Contradictory evidence: severe blur but high scores")

    assert before.required_tool == ["NIQE"]
    assert after.required_tool is None
    assert after.plan.tool_selection
    assert after.plan.distortion_detection


@pytest.mark.parametrize(
    "reason",
    [
        "Distortion analysis does not cover all query_scope objects: missing sky",
        "Missing tool scores for sky region",
        "Contradictory evidence: severe noise but high scores",
        "sky unresolved",
        "No reason provided",
    ],
)
def test_every_reason_changes_the_plan(reason: str) -> None:
    before = plan("Is the sky noisy?")

    assert replanned(before, reason) != before


@pytest.mark.parametrize("query", ["", " ", "?!", "\u200b", "x" * 100_000, "A.\nB.\nC.", "🙂"])
def test_hostile_questions_get_a_valid_plan(query: str) -> None:
    made = plan(query)

    assert PlannerOutput.model_validate_json(made.model_dump_json()) == made
    assert made.query_type == "Other"


def test_the_same_question_gets_the_same_plan() -> None:
    query = "Is the sky noisy and the red car blurry? Use NIQE."

    assert plan(query) == plan(query)
