import math

from proveout.kernel.events import (
    BudgetDrained,
    Event,
    Note,
    ProposalMade,
    RunEnded,
    RunInterrupted,
)
from proveout.kernel.lessons import Lesson
from proveout.kernel.panels import Chart, Code, Diff, Page, Panel, Table, Text, Tree
from proveout.kernel.run import Run, read_run
from proveout.kernel.types import Outcome, Usage
from proveout.report.cost_panels import MOST_WARNINGS
from proveout.report.view import MOST_ATTEMPTS, MOST_NOTES, page_of
from tests.unit.report.examples import (
    LEAK,
    LESSON,
    REPAIRED,
    ROUNDED,
    SCRIPT,
    accepted_run,
    attempt,
    panels,
    recorded,
    started,
)


def run_of(*events: Event) -> Run:
    return read_run(recorded([started(), *events]))


def ended(*, accepted: bool, spent: str = "", **outcome: object) -> RunEnded:
    given = Outcome.model_validate({"accepted": accepted, **outcome})
    return RunEnded(outcome=given, spent=spent, usage=Usage())


def found(page: Page, title: str) -> Panel:
    return next(p for section in page.sections for p in section.panels if p.title == title)


def titles(page: Page) -> list[str]:
    return [panel.title for section in page.sections for panel in section.panels]


def test_an_accepted_run_says_so_at_the_top() -> None:
    page = page_of(accepted_run())
    assert page.status == "accepted"
    assert page.verdict == "A script without leakage that scores 0.8117; 4 attempts in 33 s."
    assert {fact.name: fact.value for fact in page.facts} == {
        "score": "0.8117",
        "attempts": "4",
        "findings": "5",
        "model calls": "4",
        "tokens": "11,688",
        "cost": "$0.0644",
        "time": "33 s",
    }


def test_the_apps_own_panels_come_first() -> None:
    own = panels()
    page = page_of(accepted_run(), own)
    assert page.sections[0].panels == tuple(own)
    assert page.sections[-1].panels[0].title == "Answer", "raw JSON is kept in the record"
    assert [section.title for section in page.sections] == [
        "Evidence",
        "Attempts",
        "Proposal",
        "Cost",
        "Experience",
        "Record",
    ]


def test_attempts_stand_under_their_branches() -> None:
    tree = found(page_of(accepted_run()), "Tree of attempts")
    assert isinstance(tree, Tree)
    assert [(n.label, n.status, len(n.children)) for n in tree.nodes] == [
        ("candidate-1", "rejected", 1),
        ("candidate-2", "accepted", 3),
    ]
    notes = [(leaf.label, leaf.score, leaf.note) for leaf in tree.nodes[1].children]
    assert notes == [
        ("#0", None, "mle.run.timeout: no score after 30 s"),
        ("#1", 0.79, "mle.leak.fit_before_split ×2"),
        ("#2", 0.8117, ""),
    ]


def test_loops_within_loops_are_branches_of_branches() -> None:
    page = page_of(run_of(*attempt("outer/inner#0", SCRIPT), *attempt("#0", SCRIPT, LEAK)))
    tree = found(page, "Tree of attempts")
    assert isinstance(tree, Tree)
    assert tree.nodes[0].children[0].children[0].label == "#0"
    assert [node.label for node in tree.nodes] == ["outer", "#0"]


def test_scores_are_drawn_where_there_are_two() -> None:
    chart = found(page_of(accepted_run()), "Score over attempts")
    assert isinstance(chart, Chart)
    assert chart.series[0].values == (0.842, 0.79, 0.8117)
    assert chart.names == ("candidate-1#0", "candidate-2#1", "candidate-2#2")
    single = page_of(run_of(*attempt("#0", SCRIPT, score=0.5)))
    assert "Score over attempts" not in titles(single)


def test_findings_are_counted_by_code_errors_first() -> None:
    table = found(page_of(accepted_run()), "Findings by code")
    assert isinstance(table, Table)
    assert [row[:4] for row in table.rows] == [
        ("mle.leak.fit_before_split", "error", 3, "candidate-2#1"),
        ("mle.run.timeout", "error", 1, "candidate-2#0"),
        ("mle.score.rounded", "warning", 1, "candidate-1#0"),
    ]
    assert table.rows[0][4] == LEAK.hint
    assert table.rows[2][4] == ROUNDED.message


def test_the_last_rejected_text_is_compared_with_the_accepted_one() -> None:
    diff = found(page_of(accepted_run()), "From the last rejected proposal to the accepted one")
    assert isinstance(diff, Diff)
    assert (diff.before, diff.after, diff.language) == (SCRIPT, REPAIRED, "python")
    assert diff.before_name == "candidate-2#1 rejected"


def test_short_proposals_are_compared_as_json() -> None:
    page = page_of(run_of(*attempt("#0", "a", LEAK), *attempt("#1", "b")))
    diff = found(page, "From the last rejected proposal to the accepted one")
    assert isinstance(diff, Diff)
    assert diff.language == "json"
    assert '"script": "a"' in diff.before


def test_a_proposal_of_another_kind_is_not_compared() -> None:
    malformed = ProposalMade(key="#0", returns="Malformed", proposal={"text": "oops"})
    rejected = attempt("#0", SCRIPT, LEAK)[-1]
    page = page_of(run_of(malformed, rejected, *attempt("#1", SCRIPT)))
    code = found(page, "Proposal (accepted)")
    assert isinstance(code, Code)
    assert code.text == SCRIPT


def test_a_rejected_run_shows_its_best_attempt() -> None:
    page = page_of(
        run_of(
            *attempt("#0", SCRIPT, LEAK, LEAK),
            *attempt("#1", REPAIRED, LEAK, score=0.4),
            BudgetDrained(key="^rounds", bound="rounds", used=8, limit=8),
            ended(accepted=False, spent="rounds 8 of 8"),
        )
    )
    assert page.status == "rejected"
    assert "ended because the budget was spent: rounds 8 of 8" in page.verdict
    best = found(page, "Proposal (best so far)")
    assert isinstance(best, Code)
    assert best.text == REPAIRED
    assert page.facts[0].value == "0.4"
    reached = found(page, "Bounds reached")
    assert isinstance(reached, Text)
    assert reached.text == "- rounds: spent, 8 of 8"


def test_a_run_without_attempts_is_a_page_too() -> None:
    page = page_of(run_of())
    assert page.status == "pending"
    assert page.verdict == "Still running after 0 attempts; it can be resumed with what it has."
    assert titles(page) == ["Tree of attempts", "Budget", "Task", "Journal"]
    stopped = page_of(run_of(RunInterrupted(reason="asked to stop")))
    assert stopped.verdict.startswith("Interrupted after 0 attempts")


def test_an_attempt_that_is_being_judged_is_pending() -> None:
    page = page_of(run_of(*attempt("#0", SCRIPT)[:-1]))
    tree = found(page, "Tree of attempts")
    assert isinstance(tree, Tree)
    assert (tree.nodes[0].status, tree.nodes[0].note) == ("pending", "being judged")
    assert page.cases[0].status == "pending"


def test_a_score_that_is_not_a_number_is_shown_as_such() -> None:
    page = page_of(run_of(*attempt("#0", SCRIPT, score=math.nan), ended(accepted=True)))
    assert page.facts[0].value == "NaN"


def test_a_plain_answer_is_shown_as_it_is() -> None:
    answer = found(page_of(run_of(ended(accepted=True, answer="aaab"))), "Answer")
    assert isinstance(answer, Code)
    assert (answer.text, answer.language) == ("aaab", "text")


def test_budget_bars_carry_the_mark_of_the_warning() -> None:
    table = found(page_of(accepted_run()), "Budget")
    assert isinstance(table, Table)
    assert table.bar is not None
    assert (table.bar.full, table.bar.mark) == (100, 80)
    assert [row[:3] for row in table.rows] == [
        ("rounds", "4", "8"),
        ("model calls", "4", "10"),
        ("tokens", "11,688", "40,000"),
        ("cost", "$0.0644", "$0.0500"),
        ("time", "33 s", "10 min 00 s"),
    ]


def test_a_bound_of_zero_has_no_share() -> None:
    nothing = started(budget={"rounds": 1, "calls": 0, "tokens": 0, "cost_usd": 0, "seconds": 9})
    table = found(page_of(read_run(recorded([nothing]))), "Budget")
    assert isinstance(table, Table)
    assert [row[3] for row in table.rows] == [0, None, None, None, 100 * 1.5 / 9]


def test_calls_are_listed_with_tokens_and_cost() -> None:
    table = found(page_of(accepted_run()), "Model calls")
    assert isinstance(table, Table)
    assert table.rows[0] == ("candidate-1#0", "write_script", 2310, 612, 0.0161, 4.2)
    assert table.note == "All by claude-sonnet-5."


def test_calls_that_differ_say_how() -> None:
    first, second = attempt("#0", SCRIPT)[1], attempt(">", SCRIPT)[1]
    unpriced = Usage(calls=1, input_tokens=5, unpriced_tokens=5)
    again = second.model_copy(
        update={"key": ">sum!", "model": "other", "stop": "length", "usage": unpriced}
    )
    page = page_of(run_of(first, again))
    table = found(page, "Model calls")
    assert isinstance(table, Table)
    names = ["attempt", "role", "model", "stop", "tokens in", "tokens out", "cost, $", "seconds"]
    assert [column.name for column in table.columns] == names
    assert table.rows[1] == (
        "run",
        "write_script (asked again)",
        "other",
        "length",
        5,
        0,
        None,
        4.2,
    )
    cost = next(fact.value for fact in page.facts if fact.name == "cost")
    assert cost == "$0.0161 + 5 tokens unpriced"


def test_lessons_tell_which_proposals_they_influenced() -> None:
    table = found(page_of(accepted_run()), "Lessons that influenced proposals")
    assert isinstance(table, Table)
    assert table.rows == (("5e5e5e5e5e5e", 2, "candidate-2#1, candidate-2#2"),)


def test_known_lessons_are_quoted() -> None:
    lesson = Lesson(
        signature=LESSON,
        kind="rule",
        topic="operational",
        subject=LEAK.code,
        advice=LEAK.hint,
        count=1,
        patches=(LESSON,),
    )
    other = "sha256:" + "aa" * 32
    run = run_of(*attempt("#0", SCRIPT, lessons=(LESSON, other)))
    table = found(page_of(run, lessons=[lesson]), "Lessons that influenced proposals")
    assert isinstance(table, Table)
    assert [row[1] for row in table.rows] == [LEAK.hint, None]


def test_the_record_tells_the_state_of_the_chain() -> None:
    told = found(page_of(accepted_run(), chain="verified, 22 links"), "Journal")
    assert isinstance(told, Table)
    assert told.rows[-2:] == (("events", "22"), ("hash chain", "verified, 22 links"))
    silent = found(page_of(accepted_run()), "Journal")
    assert isinstance(silent, Table)
    assert silent.rows[-1][1] == "not checked for this report"


def test_a_long_run_is_bounded_and_says_so() -> None:
    events: list[Event] = []
    for n in range(1000):
        events += attempt(f"#{n}", "x", *([] if n == 300 else [LEAK]), score=n / 1000)
    events += [Note(text=f"note {n}") for n in range(MOST_NOTES + 3)]
    events += [BudgetDrained(key=f"^{n}", bound="rounds", used=1, limit=1) for n in range(25)]
    page = page_of(run_of(*events))
    tree = found(page, "Tree of attempts")
    assert isinstance(tree, Tree)
    assert len(tree.nodes) == len(page.cases) == MOST_ATTEMPTS
    assert "#300" in [node.label for node in tree.nodes]
    assert tree.note == "600 more attempts not shown"
    assert found(page, "Notes").note == "3 more notes not shown"
    assert found(page, "Bounds reached").note == f"{25 - MOST_WARNINGS} earlier ones not shown"
    calls = found(page, "Model calls")
    assert isinstance(calls, Table)
    assert (len(calls.rows), calls.more) == (500, 500)


def test_the_title_names_app_and_task() -> None:
    assert page_of(accepted_run()).title == "mle: titanic · accuracy · higher"
    for task, title in [
        ({"rows": [1], "name": ""}, "mle: rows"),
        ({"shortest": 9, "strict": True, "top_words": 2}, "mle: shortest 9 · top words 2"),
        ({}, "mle: no input"),
        (None, "mle: no input"),
        ("find it", 'mle: "find it"'),
        ({"image": "/home/me/My Photos/a b.jpg", "query": "Sharp\nor not?"}, "a b.jpg · Sharp or"),
        ({"image": "C:\\photos\\a.jpg", "out": "../x/y/"}, "mle: a.jpg · y"),
        (
            {"url": "http://127.0.0.1:1/api", "text": "noise?"},
            "mle: http://127.0.0.1:1/api · noise?",
        ),
        (
            {"profile": "wiki", "text": "Who leads it?", "url": "http://127.0.0.1:1/api/t-1"},
            "mle: Who leads it?",
        ),
        ({"image": "shots/a.jpg", "mode": "fast", "query": "Is it sharp?"}, "a.jpg · Is it sharp?"),
        ({"text": "noise and/or blur"}, "mle: noise and/or blur"),
        ({"box": "4,5,60,70", "image": "a.jpg"}, "mle: a.jpg"),
        ({"box": "4,5,60,70", "name": ""}, "mle: box 4,5,60,70"),
        ({"expression": "[a-f]+[0-9]{2}", "shortest": 9}, "mle: [a-f]+[0-9]{2}"),
    ]:
        assert title in page_of(read_run(recorded([started(task=task)]))).title


def test_a_title_is_one_short_line() -> None:
    page = page_of(read_run(recorded([started(task={"query": "why\n" * 200})])))
    assert len(page.title) < 100
    assert "\n" not in page.title


def test_a_repaired_attempt_is_told_from_a_lost_one() -> None:
    cases = page_of(accepted_run()).cases
    assert [(case.name, case.status, case.repaired) for case in cases] == [
        ("candidate-1#0", "rejected", False),
        ("candidate-2#0", "rejected", True),
        ("candidate-2#1", "rejected", True),
        ("candidate-2#2", "accepted", False),
    ]
    assert all(case.seconds > 0 for case in cases)


def test_the_same_run_gives_the_same_page() -> None:
    assert page_of(accepted_run(), panels()).model_dump_json() == (
        page_of(accepted_run(), panels()).model_dump_json()
    )
