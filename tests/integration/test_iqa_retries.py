"""What a vision model writes is read, refused, asked for again, and given up after three tries."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.iqa import APP
from proveout.apps.iqa.nodes import TRIES, UNREADABLE, summarizer_node
from proveout.apps.iqa.overheard import SHOWN_CHARACTERS
from proveout.cli.iqa import roles_of
from proveout.testing.model_contract import Provider
from proveout.testing.workspaces import workspace
from tests.integration.iqa_kit import ANSWER, GOOD, SCORE, evidence, plan, said, state, talking
from tests.iqa_pictures import photo
from tests.loopback.answer import Answer
from tests.loopback.chat import openai_text
from tests.loopback.server import LoopbackServer

STRICTER = "Return ONLY valid JSON"
NONSENSE = "I would call it quite blurry."
BLURRY = {"final_answer": "blurry", "quality_reasoning": "No evidence but soft edges."}
UNUSABLE = (
    NONSENSE,
    "",
    "{",
    "[]",
    "null",
    '{"final_answer": "C"}',
    '{"quality_reasoning": "soft edges"}',
    '{"final_answer": "", "quality_reasoning": "soft edges"}',
    '{"final_answer": "   ", "quality_reasoning": "soft edges"}',
    '{"final_answer": "C", "quality_reasoning": ""}',
    '{"final_answer": "C", "quality_reasoning": " \\n\\t "}',
    '{"final_answer": 3, "quality_reasoning": "soft edges"}',
    '{"final_answer": "C", "quality_reasoning": "x", "need_replan": "perhaps"}',
)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return photo(tmp_path_factory.mktemp("iqa") / "photo.png", blur=1.5)


@pytest.mark.parametrize("unusable", UNUSABLE)
def test_an_unusable_reply_is_asked_for_again_with_a_stricter_instruction(
    image: Path, unusable: str
) -> None:
    with talking(unusable, GOOD) as model:
        update = summarizer_node(state(image))
    first, second = model.calls
    assert STRICTER not in first.prompt
    assert STRICTER in second.prompt
    assert update["summarizer_result"].final_answer == "C"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        f"Here you are:\n```json\n{json.dumps(GOOD)}\n```\nAnything else?",
        json.dumps({**GOOD, "final_answer": "  C\n", "mood": "cheerful"}),
    ],
)
def test_json_is_found_trimmed_and_made_a_summarizer_output(image: Path, text: str) -> None:
    with talking(text) as model:
        result = summarizer_node(state(image))["summarizer_result"]
    assert len(model.calls) == 1
    assert (result.final_answer, result.quality_reasoning) == ("C", GOOD["quality_reasoning"])


@pytest.mark.parametrize("unusable", [NONSENSE, "", '{"final_answer": "C"}', "x" * 3000])
def test_after_three_tries_the_fallback_is_returned(
    image: Path, unusable: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), talking(*[unusable] * 5) as model:
        update = summarizer_node(state(image, executor_evidence=evidence("severe", 4.9)))
    result = update["summarizer_result"]
    assert len(model.calls) == TRIES == 3
    assert result == UNREADABLE
    assert result.final_answer == "Unable to determine"
    assert result.quality_reasoning == "VLM output parsing failed"
    # Even though the evidence contradicts itself: this must not become a loop.
    assert result.need_replan is False
    assert update["iteration_count"] == 0
    assert [r.getMessage() for r in caplog.records if "could not be read" in r.getMessage()][
        :3
    ] == [f"{SCORE}: attempt {number} could not be read" for number in (1, 2, 3)]
    (error,) = (record for record in caplog.records if record.levelno == logging.ERROR)
    assert unusable in error.getMessage()


def test_a_refusal_is_given_up_in_the_same_way(image: Path) -> None:
    with talking(*[{"role": SCORE, "text": "", "stop": "refusal"}] * 3):
        assert summarizer_node(state(image))["summarizer_result"] == UNREADABLE


@pytest.mark.parametrize(
    ("query_type", "wrong", "told"),
    [
        ("IQA", {"final_answer": "F", "quality_reasoning": "Bad."}, "'F' is no grade"),
        ("MCQ", {"final_answer": "D", "quality_reasoning": "Bad."}, "not one of the options A, B"),
        ("IQA", {"final_answer": "C", "quality_reasoning": "It reads 17.3."}, "17.3"),
    ],
)
def test_a_reply_that_is_json_but_wrong_is_told_why(
    image: Path, query_type: str, wrong: dict[str, Any], told: str
) -> None:
    right = {"final_answer": "A", "quality_reasoning": "Sharp."}
    fields: dict[str, Any] = {"plan": plan(query_type)}
    if query_type == "MCQ":
        fields["query"] = "Which is it?\nA. blur\nB. noise"
    with talking(wrong, right) as model:
        result = summarizer_node(state(image, **fields))["summarizer_result"]
    assert told in model.calls[1].prompt
    assert result.final_answer == "A"


def test_a_model_that_stays_wrong_is_replaced_by_the_rules(image: Path) -> None:
    wrong = {"final_answer": "F", "quality_reasoning": "Bad."}
    with talking(*[wrong] * 3) as model:
        result = summarizer_node(state(image))["summarizer_result"]
    assert len(model.calls) == 3
    assert result == summarizer_node(state(image))["summarizer_result"]
    assert result.final_answer in "ABCDE"


WRONG = {"final_answer": "F", "quality_reasoning": "Bad."}
ONLY_ANALYSIS: dict[str, Any] = {"query_type": "IQA", "plan": {}}


def test_the_rules_are_judged_by_the_same_checks_and_recorded(image: Path, tmp_path: Path) -> None:
    """Whoever reads the run sees three refused answers, and the one by rule that passed."""
    script = tmp_path / "script.json"
    replies = [said(ONLY_ANALYSIS), *[said(WRONG)] * 3]
    script.write_text(json.dumps(replies), encoding="utf-8")
    with workspace(tmp_path, model__name=f"scripted:{script}") as opened:
        run = opened.start(APP, opened.task(APP, {"image": str(image)}))
        judged = {attempt.key: attempt.verdict for attempt in run.attempts}
        assert run.outcome is not None
        assert run.outcome.accepted
        assert run.findings["iqa.answer.no_grade"] == TRIES
        rules = judged["summarizer-0-rules#0"]
        assert rules is not None
        assert rules.accepted
        assert opened.replay(run.id).faithful


def test_a_model_that_is_never_usable_ends_by_its_budget_and_says_so(
    image: Path, tmp_path: Path
) -> None:
    """No room is left to judge the rules, so nothing is accepted."""
    script = tmp_path / "script.json"
    replies = [said(ONLY_ANALYSIS), *[said(WRONG)] * 9]
    script.write_text(json.dumps(replies), encoding="utf-8")
    for rounds in (1, 2, 3, 4):
        with workspace(
            tmp_path / str(rounds), model__name=f"scripted:{script}", budget__rounds=rounds
        ) as opened:
            run = opened.start(APP, opened.task(APP, {"image": str(image)}))
            assert run.outcome is not None
            assert not run.outcome.accepted
            assert (run.state, run.spent) == ("ended", "rounds")
            assert set(run.findings) <= {"iqa.answer.no_grade"}
            assert opened.replay(run.id).faithful


def test_a_plan_that_never_passes_is_replaced_by_a_judged_one(image: Path, tmp_path: Path) -> None:
    unfit: dict[str, Any] = {"reference_mode": "Full-Reference", "plan": {}}
    script = tmp_path / "script.json"
    replies = [
        *[said(unfit, "iqa/planner")] * 3,
        *[said(answer, role) for role, answer in AGREEABLE.items()],
    ]
    script.write_text(json.dumps(replies), encoding="utf-8")
    with workspace(tmp_path, model__name=f"scripted:{script}") as opened:
        run = opened.start(APP, opened.task(APP, {"image": str(image)}))
    assert run.findings["iqa.plan.reference"] == TRIES
    judged = {attempt.key: attempt.verdict for attempt in run.attempts}
    rules = judged["planner-0-rules#0"]
    assert rules is not None
    assert rules.accepted
    assert run.outcome is not None
    assert run.outcome.accepted


AGREEABLE: dict[str, Any] = {
    "iqa/detect": {"distortion_set": {"Global": ["Blurs"]}},
    "iqa/analyse": {
        "distortion_analysis": {
            "Global": [{"type": "Blurs", "severity": "moderate", "explanation": "Soft."}]
        }
    },
    "iqa/select": {"selected_tools": {"Global": {"Blurs": "BRISQUE"}}},
    SCORE: {"final_answer": "C", "quality_reasoning": "Moderate blur."},
}


# The log


def test_the_start_is_logged_with_mode_evidence_and_pictures(
    image: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO), talking(GOOD):
        summarizer_node(state(image, reference_path=str(image)))
    text = caplog.text
    assert "query type IQA, scoring mode" in text
    assert "1 distortions, 1 tool scores" in text
    assert f"images: {image}, {image}" in text
    caplog.clear()
    with caplog.at_level(logging.INFO), talking(BLURRY):
        summarizer_node(state(image, plan=plan("Explanation"), executor_evidence=None))
    assert "query type Explanation, explanation/QA mode" in caplog.text
    assert "0 distortions, 0 tool scores" in caplog.text
    assert "no reference" in caplog.text


def test_prompts_and_replies_are_logged_for_debugging_only(
    image: Path, caplog: pytest.LogCaptureFixture
) -> None:
    long = "so blurry " * SHOWN_CHARACTERS
    with caplog.at_level(logging.DEBUG), talking(long, GOOD) as model:
        summarizer_node(state(image))
    told = [record for record in caplog.records if record.name.endswith("overheard")]
    assert {record.levelno for record in told} == {logging.DEBUG}
    messages = [record.getMessage() for record in told]
    assert messages[0] == f"{SCORE} is asked: {model.calls[0].prompt}"
    assert messages[1].startswith(f"{SCORE} replied: so blurry")
    assert messages[1].endswith("…")
    assert len(messages[1]) < SHOWN_CHARACTERS + 100
    assert messages[2] == f"{SCORE} is asked: {model.calls[1].prompt}"
    assert messages[3] == f"{SCORE} replied: {json.dumps(GOOD)}"


# Through the client package of a provider


class Vision:
    """A provider of vision models: answers each agent by what its prompt begins with."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, body: dict[str, Any]) -> Answer:
        text = json.dumps(body["messages"])
        openings = {
            "planner": "You plan how a question",
            "detect": "name the distortions that you see",
            "analyse": "For each region and distortion below",
            "select": "choose the one tool",
            "summarizer": "You are a visual quality assessment assistant",
        }
        agent = next(name for name, opening in openings.items() if opening in text)
        self.asked.append((agent, body))
        answer = self.answers[agent]
        return openai_text(answer if isinstance(answer, str) else json.dumps(answer))

    def bodies(self, agent: str) -> list[dict[str, Any]]:
        return [body for name, body in self.asked if name == agent]


FLAGS = ("distortion_detection", "distortion_analysis", "tool_selection", "tool_execute")
WILLING: dict[str, Any] = {
    "planner": {"query_type": "IQA", "plan": dict.fromkeys(FLAGS, True)},
    "detect": {"distortion_set": {"Global": ["Blurs"]}},
    "analyse": {
        "distortion_analysis": {
            "Global": [{"type": "Blurs", "severity": "moderate", "explanation": "Soft edges."}]
        }
    },
    "select": {"selected_tools": {"Global": {"Blurs": "proveout"}}},
    "summarizer": {"final_answer": "C", "quality_reasoning": "Moderate blur softens the edges."},
}


@pytest.fixture
def _client_package() -> None:
    pytest.importorskip("pydantic_ai", reason="the extra `chat` is not installed")


@pytest.mark.usefixtures("_client_package")
def test_all_agents_ask_a_provider_with_pictures_and_configured_limits(
    image: Path, tmp_path: Path
) -> None:
    vision = Vision(**WILLING)
    with (
        LoopbackServer(Provider(), "openai", respond=vision) as server,
        workspace(tmp_path, model__name=f"openai:gpt-4o@{server.url}/v1") as opened,
    ):
        run = opened.start(APP, opened.task(APP, {"image": str(image)}))
        assert opened.replay(run.id).faithful
    assert [name for name, _ in vision.asked] == list(WILLING)
    for _, body in vision.asked:
        assert "data:image/png;base64,iVBORw0KGgo" in json.dumps(body["messages"])
    (summarizing,) = vision.bodies("summarizer")
    assert summarizing["temperature"] == 0.0
    assert 512 in (summarizing.get("max_tokens"), summarizing.get("max_completion_tokens"))
    assert run.outcome is not None
    assert isinstance(run.outcome.answer, dict)
    assert run.outcome.answer["final_answer"] == "C"
    assert run.usage.calls == len(WILLING)


@pytest.mark.usefixtures("_client_package")
def test_a_provider_that_never_writes_json_ends_a_run_without_an_answer(
    image: Path, tmp_path: Path
) -> None:
    vision = Vision(**{**WILLING, "summarizer": NONSENSE})
    with (
        LoopbackServer(Provider(), "openai", respond=vision) as server,
        workspace(tmp_path, model__name=f"openai:gpt-4o@{server.url}/v1") as opened,
    ):
        run = opened.start(APP, opened.task(APP, {"image": str(image)}))
    asked = [json.dumps(body["messages"]) for body in vision.bodies("summarizer")]
    assert [STRICTER in text for text in asked] == [False, True, True]
    assert run.outcome is not None
    assert not run.outcome.accepted
    assert isinstance(run.outcome.answer, dict)
    assert run.outcome.answer["final_answer"] == "Unable to determine"
    assert run.outcome.answer["quality_reasoning"] == "VLM output parsing failed"


@pytest.mark.usefixtures("_client_package")
def test_a_backends_file_gives_each_agent_its_model(image: Path, tmp_path: Path) -> None:
    vision = Vision(**WILLING)
    path = tmp_path / "backends.yaml"
    with LoopbackServer(Provider(), "openai", respond=vision) as server:
        path.write_text(f"summarizer: {{backend: 'openai:gpt-4o@{server.url}/v1'}}", "utf-8")
        with workspace(tmp_path, **roles_of(path)) as opened:
            run = opened.start(APP, opened.task(APP, {"image": str(image)}))
            assert opened.replay(run.id).faithful
    assert [name for name, _ in vision.asked] == ["summarizer"]
    assert {call.role for call in run.calls} >= {SCORE}
    assert ANSWER not in {call.role for call in run.calls}
