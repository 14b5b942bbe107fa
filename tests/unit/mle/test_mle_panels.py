"""What the page of a search says about leakage."""

from dataclasses import replace

from pydantic import JsonValue

from proveout.apps.mle import leakage
from proveout.apps.mle.panels import panels
from proveout.kernel.panels import Chart, Code, Diff, Panel, Table, Text, Tree
from proveout.kernel.run import AttemptRecord, Run
from proveout.kernel.types import Outcome, Usage, Verdict
from tests.unit.report.examples import REPAIRED, SCRIPT, accepted_run


def attempt(key: str, source: str) -> AttemptRecord:
    proposal: dict[str, JsonValue] = {
        "source": source,
        "origin": f"init:{key[0]}",
        "parent": "",
        "plan": "",
    }
    verdict = Verdict(findings=leakage.examine(source).as_findings())
    return AttemptRecord(key, "Candidate", proposal, verdict, Usage(), (), 0.0, 0.0)


def shown(*attempts: AttemptRecord) -> dict[str, Panel]:
    run: Run = replace(
        accepted_run(), app="mle", attempts=attempts, outcome=None, observed={}, notes=()
    )
    return {panel.title: panel for panel in panels(run, lambda _name: b"{}")}


def test_a_leak_is_shown_as_the_way_of_the_rows() -> None:
    made = shown(attempt("a#0", SCRIPT), attempt("b#0", REPAIRED))
    tree = made["Leakage in a · a: the way of the rows"]
    assert isinstance(tree, Tree)
    leak = leakage.examine(SCRIPT).leaks[0]
    assert tree.nodes[0].label == f"{leak.code}, line {leak.line}"
    assert [step.note for step in tree.nodes[0].children] == [step.what for step in leak.path]
    code = made["Where it leaks in a · a"]
    assert isinstance(code, Code)
    assert code.text == SCRIPT
    assert leak.line in code.highlight
    assert "Leakage" not in made


def test_that_nothing_leaks_is_said() -> None:
    made = shown(attempt("b#0", REPAIRED))
    text = made["Leakage"]
    assert isinstance(text, Text)
    assert "In none of them" in text.text
    assert "sure" not in text.text


def test_it_is_said_where_reading_did_not_come_far_enough() -> None:
    """That nothing was found in a script whose training was not seen is no proof."""
    blind = attempt("c#0", "import rows\nrows.work()\n")
    text = shown(attempt("b#0", REPAIRED), blind)["Leakage"]
    assert isinstance(text, Text)
    assert text.text.startswith("2 scripts were read")
    assert "sure of 1 of them: no training was seen (1)" in text.text
    assert "hold-out" not in text.text
    answer: dict[str, JsonValue] = {
        "metric": "auc", "submission": "s.csv", "solution": "s.py", "holdout": 0.5,
    }  # fmt: skip
    run: Run = replace(
        accepted_run(), app="mle", attempts=(blind,), observed={}, notes=(),
        outcome=Outcome(accepted=True, answer=answer),
    )  # fmt: skip
    found = {it.title: it for it in panels(run, lambda _name: b"{}")}["Leakage"]
    assert isinstance(found, Text)
    assert "hold-out whose answers no script is given" in found.text


def of_paper_mode() -> dict[str, Panel]:
    """Its evaluation believes what scripts print, so that its verdicts say nothing about leaks."""
    scripts = [("pipeline/evaluate-init#0", SCRIPT), ("pipeline/evaluate-final#0", REPAIRED)]
    attempts = tuple(
        replace(attempt(key, source), verdict=Verdict(score=0.5)) for key, source in scripts
    )
    answer: dict[str, JsonValue] = {
        "stage": "paper",
        "reason": "the published algorithm's choice",
        "submission": "submission.csv",
        "solution": "solution.py",
        "metric": "accuracy",
        "direction": "maximize",
    }
    run: Run = replace(
        accepted_run(),
        app="mle",
        task={"mode": "paper"},
        attempts=attempts,
        outcome=Outcome(accepted=True, answer=answer),
        observed={},
        notes=(),
    )
    return {panel.title: panel for panel in panels(run, lambda _name: b"{}")}


def test_in_paper_mode_a_leak_that_stayed_is_shown() -> None:
    made = of_paper_mode()
    assert "Leakage" not in made
    assert "Leakage in p · pipeline/evaluate-init: the way of the rows" in made


def test_in_paper_mode_the_submission_is_the_final_scripts() -> None:
    made = of_paper_mode()
    chosen = made["What was chosen, and why"]
    assert isinstance(chosen, Text)
    assert "during the search" not in chosen.text
    # There is nothing that it was compared with on the same folds.
    assert "Selection report" not in made
    code = made["The script"]
    assert isinstance(code, Code)
    assert code.text == REPAIRED


def test_that_a_run_was_stopped_is_no_word_about_the_data() -> None:
    run = replace(accepted_run(), app="mle", notes=("interrupted: asked to stop",), outcome=None)
    titles = {panel.title for panel in panels(run, lambda _name: b"{}")}
    assert "What the data showed" not in titles


LONG_PLAN = "curves: Let a linear model bend. " + "Words of some length come after it. " * 20


def grown(key: str, origin: str, parent: str, plan: str, seconds: float) -> AttemptRecord:
    made = attempt(key, REPAIRED)
    assert isinstance(made.proposal, dict)
    proposal: JsonValue = {**made.proposal, "origin": origin, "parent": parent, "plan": plan}
    verdict = Verdict(score=0.5 + seconds / 100)
    return replace(made, proposal=proposal, verdict=verdict, elapsed=seconds / 2, ended=seconds)


def a_line_of_scripts() -> tuple[AttemptRecord, ...]:
    return (
        grown("first-00#0", "init:linear", "", "", 1.0),
        grown("refine-00-0#0", "refine:model:linear", "first-00#0", LONG_PLAN, 9.0),
        grown("refine-01-0#0", "refine:features", "refine-00-0#0", "Plan: leave gaps.", 20.0),
        grown("again-refine-01-0#0", "again:refine:features", "refine-01-0#0", "", 4.0),
        grown("refine-02-0#0", "refine:x", "again-refine-01-0#0", f"{'so ' * 20}: it is", 30.0),
    )


def shown_with_answer() -> dict[str, Panel]:
    answer: dict[str, JsonValue] = {
        "submission": "s.csv", "solution": "s.py", "metric": "auc", "direction": "maximize",
        "best": "refine-02-0#0", "reason": "it is the best", "score": 0.5, "standard_error": 0.1,
    }  # fmt: skip
    run: Run = replace(
        accepted_run(),
        app="mle",
        attempts=a_line_of_scripts(),
        outcome=Outcome(accepted=True, answer=answer),
        observed={},
        notes=(),
    )
    return {panel.title: panel for panel in panels(run, lambda _name: b"{}")}


def test_scripts_are_called_by_their_model_and_what_was_changed() -> None:
    made = shown_with_answer()
    tree = made["Which script came from which"]
    assert isinstance(tree, Tree)
    labels, notes, nodes = [], [], tree.nodes
    while nodes:
        labels.append(nodes[0].label)
        notes.append(nodes[0].note)
        nodes = nodes[0].children
    assert labels == [
        "linear · first-00",
        "linear (curves) · refine-00-0",
        "linear (features) · refine-01-0",
        "linear (features; other seeds) · again-refine-01-0",
        "linear (x) · refine-02-0",
    ]
    # Cut between words, and it shows.
    assert notes[1].endswith("…")
    assert LONG_PLAN.startswith(notes[1].removesuffix("…"))
    assert LONG_PLAN[len(notes[1]) - 1] in " .,"
    board = made["Leaderboard"]
    assert isinstance(board, Table)
    assert {row[0] for row in board.rows} == set(labels)
    assert isinstance(made["linear (x) · refine-02-0: what changed"], Diff)


def test_scores_are_drawn_at_the_time_they_came() -> None:
    chart = shown_with_answer()["Scores as they came"]
    assert isinstance(chart, Chart)
    assert chart.places == (1.0, 4.0, 9.0, 20.0, 30.0)
    assert chart.series[1].values == tuple(0.5 + at / 100 for at in chart.places)
