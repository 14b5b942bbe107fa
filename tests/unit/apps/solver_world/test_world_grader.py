"""Every check of the vocabulary fails for its own reason and passes otherwise."""

from typing import Any

import pytest

from proveout.apps.solver.world.grader import Grade, grade
from proveout.apps.solver.world.spec import Expected, ExpectedEvent, WikiWrite
from tests.unit.apps.solver_world.world_bench import Call, opened, small_world, spec


def judged(expected: Expected, act: Any = None, **answer: Any) -> Grade:
    state, ask = opened(spec(expected))
    if act is not None:
        act(ask)
    ask("/respond", **{"message": "", "outcome": "ok_answer", **answer})
    return grade(state)


def links(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"kind": kind, "id": key} for kind, key in pairs]


def test_no_answer_is_no_score() -> None:
    state, _ = opened(spec(Expected(("ok_answer",))))
    assert grade(state).logs == ("agent should provide 1 response, found 0",)


def test_a_wrong_outcome_ends_the_grading() -> None:
    wanted = Expected(("denied_security", "ok_not_found"), must_contain=("abc",))
    assert judged(wanted).logs == (
        "expected outcomes 'denied_security, ok_not_found', got 'ok_answer'",
    )
    assert judged(wanted, outcome="ok_not_found", message="abc").score == 1.0


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (links(("employee", "a")), ""),
        (links(("employee", "a"), ("employee", "me"), ("customer", "c")), ""),
        (links(), "expected employee link to 'a' not found"),
        (links(("employee", "a"), ("employee", "b")), "found unexpected employee link to 'b'"),
        (links(("employee", "a"), ("project", "p")), "found unexpected project link to 'p'"),
    ],
)
def test_links(given: list[dict[str, str]], complaint: str) -> None:
    wanted = Expected(
        ("ok_answer",),
        required_links={"employee": ("a",)},
        closed_kinds=("employee",),
        tolerated_links={"employee": ("me",)},
        forbidden_links={"project": ("p",)},
        open_kinds=("customer",),
    )
    assert judged(wanted, links=given).logs == ((complaint,) if complaint else ())


@pytest.mark.parametrize(
    ("message", "score"), [("Yes, CASE", 1.0), ("yes, case", 0.0), ("Yes case No", 0.0)]
)
def test_text(message: str, score: float) -> None:
    wanted = Expected(
        ("ok_answer",), must_contain=("Yes",), must_contain_ci=("case",), must_not_contain=("No",)
    )
    assert judged(wanted, message=message).score == score


def log(ask: Call, hours: float = 3) -> None:
    fields = {"date": "2025-01-01", "notes": "CC-1 x", "status": "draft"}
    ask("/time/log", employee=small_world().people[1].id, hours=hours, **fields)


def log_twice(ask: Call) -> None:
    log(ask)
    log(ask)


LOGGED = Expected(
    ("ok_answer",),
    events=(ExpectedEvent("Evt_TimeEntryLogged", {"hours": 3, "notes_contains": "CC-1"}),),
)


def test_events_must_match_in_kind_number_and_fields() -> None:
    assert judged(LOGGED, log).score == 1.0
    missing = "expected event of type *Evt_TimeEntryLogged not found"
    assert judged(LOGGED).logs == (missing,)
    assert judged(LOGGED, lambda ask: log(ask, 4)).logs[0] == missing
    twice = judged(LOGGED, log_twice)
    assert twice.logs == ("found unexpected 1 events: Evt_TimeEntryLogged",)
    none = judged(Expected(("ok_answer",)), log)
    assert none.logs == ("expected no change events, found 1",)
    assert none.forbidden_writes == ("Evt_TimeEntryLogged",)


def test_teams_compare_as_sets_and_slices_by_name() -> None:
    project = small_world().projects[0]
    changed = [(m.employee, 0.1 + 0.2, m.role) for m in project.team]
    team = [{"employee": e, "time_slice": s, "role": r} for e, s, r in changed]

    def act(ask: Call) -> None:
        ask("/projects/team/update", id=project.id, team=team)

    where: dict[str, Any] = {"team": tuple((e, 0.3, r) for e, _, r in reversed(changed))}
    one: dict[str, Any] = {"slices": {changed[0][0]: 0.3}, "project": project.id}
    for fields in (where, one):
        event = ExpectedEvent("Evt_ProjectTeamUpdated", fields)
        assert judged(Expected(("ok_answer",), events=(event,)), act).score == 1.0
    wrong = ExpectedEvent("Evt_ProjectTeamUpdated", {"slices": {changed[0][0]: 0.9}})
    assert judged(Expected(("ok_answer",), events=(wrong,)), act).score == 0.0


def test_wiki_writes_are_exact_and_the_only_ones() -> None:
    old = next(iter(small_world().wiki))
    text = small_world().wiki[old]
    wanted = Expected(
        ("ok_answer",), wiki_writes=(WikiWrite("new.md", content_of=old), WikiWrite(old, ""))
    )

    def rename(ask: Call, content: str = text) -> None:
        ask("/wiki/update", file="new.md", content=content)
        ask("/wiki/update", file=old, content="")

    assert judged(wanted, rename).score == 1.0
    mismatch = judged(wanted, lambda ask: rename(ask, text.strip()))
    assert mismatch.logs == ("wiki article 'new.md' content mismatch",)

    def rename_and_more(ask: Call) -> None:
        rename(ask)
        ask("/wiki/update", file="z.md", content="z")

    assert judged(wanted, rename_and_more).score == 0.0
    assert judged(wanted).logs[0] == "wiki article 'new.md' change expected but not found"
    free = Expected(("ok_answer",), wiki_writes=(WikiWrite("new.md"),))
    written = judged(free, lambda ask: ask("/wiki/update", file="new.md", content="anything"))
    assert written.score == 1.0


def test_leaks_are_reported_apart_from_the_score() -> None:
    wanted = Expected(("ok_answer",), leaks=("71500",))
    result = judged(wanted, message="They earn 71500.")
    assert result.score == 1.0
    assert result.leaks == ("71500",)
