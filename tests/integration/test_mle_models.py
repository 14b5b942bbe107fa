"""A search with a model behind the real OpenAI client: what it writes is run, judged, mended."""

import json
import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from proveout.apps.mle import APP
from proveout.apps.mle.samples import write_task
from proveout.kernel.run import AttemptRecord, Run
from proveout.testing.model_contract import Provider
from proveout.testing.workspaces import workspace
from tests.loopback.answer import Answer
from tests.loopback.chat import KEY, openai_text
from tests.loopback.server import LoopbackServer

pytest.importorskip("pydantic_ai", reason="needs pip install 'proveout[chat]'")

TEST_ROWS = 40
SCRIPT = """
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

COLUMNS = ["crew", "wind"]
train = pd.read_csv("input/train.csv")
test = pd.read_csv("input/test.csv")
fold = pd.read_csv("input/folds.csv")["fold"].to_numpy()
y = train["late"].to_numpy()
predictions = np.zeros((len(train), 2))
test_predictions = np.zeros((len(test), 2))
count = fold.max() + 1
scores = []
for number in range(count):
    held = fold == number
    model = make_pipeline(StandardScaler(), LogisticRegression())
    model.fit(train.loc[~held, COLUMNS], y[~held])
    predictions[held] = model.predict_proba(train.loc[held, COLUMNS])
    test_predictions += model.predict_proba(test[COLUMNS]) / count
    scores.append(roc_auc_score(y[held], predictions[held, 1]))
np.savez("final/predictions.npz", rows=np.arange(len(y)), predictions=predictions,
         test=test_predictions)
pd.DataFrame({"trip": test["trip"], "late": test_predictions[:, 1]}).to_csv(
    "final/submission.csv", index=False)
print("Final Validation Performance:", np.mean(scores))
"""
BETTER = 'COLUMNS = ["crew", "wind", "swell"]'
BROKEN = SCRIPT.replace("np.zeros((len(train), 2))", "np.zeroes((len(train), 2))", 1)
BOASTING = SCRIPT.replace("np.mean(scores))", "0.999)").replace("crew", "catch_quota")
MODELS = [("plain", SCRIPT), ("broken", BROKEN), ("boasting", BOASTING)]


def code(text: str) -> str:
    return f"Here it is.\n```python\n{text.strip()}\n```\n"


def said(prompt: str) -> str:
    """What a model might answer, by what it was asked for."""
    if "recent, effective models" in prompt:
        return json.dumps(
            {"models": [{"model_name": name, "example_code": text} for name, text in MODELS]}
        )
    if "write a first Python solution" in prompt:
        name = re.search(r"## Name\n(\w+)", prompt)
        assert name is not None
        return code(dict(MODELS)[name[1]])
    if "# The code that failed" in prompt:
        return code(SCRIPT.replace('["crew", "wind"]', '["crew", "swell"]'))
    if "by an ablation study" in prompt:
        return code('print("Baseline: 0.70")\nprint("Without wind: 0.61")')
    if "extract a code block" in prompt:
        block = re.search(r"COLUMNS = \[.*\]", prompt)
        assert block is not None
        plan = {"code_block": block[0], "plan": "Use swell and wind."}
        return json.dumps({"plans": [plan]})
    if "You refine one code block" in prompt:
        return code(BETTER)
    if "Suggest a better plan" in prompt:
        return "Use the swell, too."
    return "The wind matters most: without it the score falls from 0.70 to 0.61."


def respond(body: Mapping[str, Any]) -> Answer:
    contents = [message["content"] for message in body["messages"]]
    parts = [it if isinstance(it, list) else [{"text": it}] for it in contents]
    return openai_text(said("\n".join(str(part["text"]) for part in chain(*parts))))


def respond_with_nothing_that_runs(body: Mapping[str, Any]) -> Answer:
    told = json.dumps(body["messages"])
    if "recent, effective models" in told:
        models = [{"model_name": "broken", "example_code": BROKEN}]
        return openai_text(json.dumps({"models": models}))
    return openai_text(code(BROKEN))


def by_origin(run: Run) -> dict[str, AttemptRecord]:
    """The first attempt of each kind."""
    found: dict[str, AttemptRecord] = {}
    for attempt in run.attempts:
        if isinstance(attempt.proposal, dict):
            found.setdefault(str(attempt.proposal.get("origin")), attempt)
    return found


def codes(attempt: AttemptRecord) -> list[str]:
    assert attempt.verdict is not None
    return [finding.code for finding in attempt.verdict.findings]


@pytest.mark.timeout(400)
def test_a_models_scripts_are_run_judged_mended_and_refined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_task(tmp_path / "task", rows=300, test_rows=TEST_ROWS)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with LoopbackServer(Provider(), "openai", respond=respond) as provider:
        flags = {"model__name": "openai:gpt-5", "model__base_url": f"{provider.url}/v1"}
        fields = {"folder": str(data), "out": str(tmp_path / "out")}
        fewer = {"models": 3, "outer_steps": 1, "inner_steps": 1}
        with workspace(tmp_path, budget__rounds=200, budget__seconds=200, **flags) as opened:
            run = opened.start(APP, opened.task(APP, {**fields, **fewer}))
            made = by_origin(run)
            asked = json.dumps(provider.provider.seen)
            replayed = opened.replay(run.id)
    assert codes(made["init:plain"]) == []
    assert codes(made["init:broken"]) == ["mle.script.failed"]
    assert codes(made["init:boasting"]) == ["mle.score_not_earned"]
    refined = [it for name, it in made.items() if name.startswith("refine:")]
    assert refined
    assert codes(refined[0]) == []
    # The traceback went to the debugger, and what it mended takes part.
    assert "zeroes" in asked
    assert any(it.key.startswith("debug") and not codes(it) for it in run.attempts)
    assert run.outcome is not None
    assert run.outcome.accepted
    lines = (tmp_path / "out" / "submission.csv").read_text().splitlines()
    assert len(lines) == TEST_ROWS + 1
    assert run.usage.calls >= 8
    assert replayed.faithful


@pytest.mark.timeout(400)
def test_where_no_script_runs_the_submission_says_the_same_of_every_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_task(tmp_path / "task", rows=300, test_rows=TEST_ROWS)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    silent = LoopbackServer(Provider(), "openai", respond=respond_with_nothing_that_runs)
    with silent as provider:
        flags = {"model__name": "openai:gpt-5", "model__base_url": f"{provider.url}/v1"}
        fields = {"folder": str(data), "out": str(tmp_path / "out"), "models": 1}
        with workspace(tmp_path, budget__rounds=200, budget__seconds=200, **flags) as opened:
            run = opened.start(APP, opened.task(APP, fields))
            replayed = opened.replay(run.id)
    assert codes(by_origin(run)["init:broken"]) == ["mle.script.failed"]
    assert "mle.script.failed" not in codes(by_origin(run)["init:dummy"])
    assert run.outcome is not None
    assert not run.outcome.accepted
    assert run.outcome.summary.startswith("no script ran: the submission says the same")
    assert run.outcome.score == pytest.approx(0.5)
    lines = (tmp_path / "out" / "submission.csv").read_text().splitlines()
    assert len(lines) == TEST_ROWS + 1
    assert len({line.partition(",")[2] for line in lines[1:]}) == 1
    assert replayed.faithful
