"""Attempts as pages show them: the tree, the parent, the prompt, the evidence."""

import json
from dataclasses import replace

from proveout.kernel.panels import Code, Diff, Image, Panel, Table, Text
from proveout.kernel.run import AttemptRecord
from proveout.kernel.types import Usage, Verdict
from proveout.server.pages import attempts as told
from tests.unit.report.examples import accepted_run, picture

RUN = accepted_run()
LAST = RUN.attempts[-1]


def fetch(name: str) -> bytes | None:
    contents = {
        "picture": picture(heat=False),
        "number": b"11",
        "flat": json.dumps({"score": 0.5, "rows": 12}).encode(),
        "deep": json.dumps({"rows": [[1, 2], [3, 4]]}).encode(),
        "words": b"line one\nline two",
        "bytes": b"\xff\x00\xfe",
    }
    return contents.get(name) or (name.encode() if name.startswith("sha256:") else None)


def attempt(key: str, **proposal: object) -> AttemptRecord:
    given = json.loads(json.dumps(proposal))
    return AttemptRecord(key, "Word", given, Verdict(), Usage(), (), 0.0, 0.0)


def test_the_tree_is_made_of_links() -> None:
    tree = told.tree_of(RUN, RUN.attempts)
    assert [(step.label, step.key, step.status) for step in tree] == [
        ("candidate-1", "candidate-1#0", "rejected"),
        ("candidate-2", "", "accepted"),
    ]
    rounds = tree[1].children
    assert [step.label for step in rounds] == ["round 1", "round 2", "round 3"]
    assert rounds[2].address == f"/runs/{RUN.id}?attempt=candidate-2%232#chosen"
    assert rounds[2].score == 0.8117


def test_branches_lie_in_branches() -> None:
    inner = [attempt("a/b#0"), attempt("a/b#1"), attempt("a/c#0"), attempt("#0")]
    tree = told.tree_of(RUN, inner)
    assert [step.label for step in tree] == ["a", "round 1"]
    assert [step.label for step in tree[0].children] == ["b", "c"]
    assert tree[0].children[1].key == "a/c#0"


def test_the_change_is_since_the_round_before_or_the_named_parent() -> None:
    before = told.parent_of(RUN, LAST)
    assert before is not None
    assert before.key == "candidate-2#1"
    named = attempt("other#0", parent="candidate-1#0", word="x")
    run = replace(RUN, attempts=(*RUN.attempts, named))
    parent = told.parent_of(run, named)
    assert parent is not None
    assert parent.key == "candidate-1#0"
    assert told.parent_of(RUN, RUN.attempts[0]) is None


def test_everything_about_one_attempt() -> None:
    sections = {section.title: section.panels for section in told.sections(RUN, LAST, fetch)}
    assert isinstance(sections["Change"][0], Diff)
    assert isinstance(sections["Proposal"][0], Code)
    prompt, reply = sections["Prompt and reply"]
    assert isinstance(prompt, Code)
    assert prompt.title.startswith("Prompt as sent: ")
    assert prompt.text.startswith("sha256:")
    assert isinstance(reply, Code)
    assert reply.title.startswith("Reply: ")


def test_an_expert_was_sent_nothing() -> None:
    calls = tuple(replace(call, prompt="") for call in RUN.calls)
    first = told.prompts(replace(RUN, calls=calls), LAST, fetch)[0]
    assert isinstance(first, Text)
    assert "no prompt was sent" in first.text


def test_evidence_is_shown_by_its_kind() -> None:
    names = ("picture", "number", "flat", "deep", "words", "bytes", "gone")
    observed = {f"{LAST.key}:{name}": name for name in names}
    others = {"candidate-1#0:number": "number", f"{LAST.key}0:number": "number"}
    run = replace(RUN, observed={**others, **observed})
    shown: list[Panel] = told.evidence(run, LAST, fetch)
    kinds = [Image, Text, Table, Code, Code, Text, Text]
    assert [type(panel) for panel in shown] == kinds
    assert [panel.title for panel in shown] == [f"Observed: {name}" for name in names]
    assert len(told.evidence(run, LAST, fetch, most=2)) == 3


def test_findings_come_with_the_chosen_attempt() -> None:
    first = RUN.attempts[0]
    shown = told.shown(RUN, first, fetch)
    assert shown.status == "rejected"
    assert [finding.code for finding in shown.findings] == [
        finding.code for finding in (first.verdict or Verdict()).findings
    ]
    assert shown.address == f"/runs/{RUN.id}/attempt?key=candidate-1%230"
    assert "error" in shown.verdict
