"""Commands that read the journal, and those that show what is configured."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.integration.command import Desk, Shell

EASY = ("pattern", "run", "--expression", "[a-f]+[0-9]{2}", "--shortest", "9", "--variety", "5")
HOPELESS = ("pattern", "run", "--expression", "a{2}", "--shortest", "3", "--rounds", "5")


def start(desk: Desk, *arguments: str) -> str:
    run = desk.run(*arguments, "--json").data["run"]
    assert isinstance(run, str)
    return run


@pytest.mark.timeout(400)
def test_every_command_with_json_prints_one_value(desk: Desk) -> None:
    run = start(desk, *EASY)
    for arguments in (
        ("runs", "list"),
        ("runs", "show", run),
        ("runs", "diff", run, run),
        ("runs", "verify"),
        ("replay", run),
        ("resume", run),
        ("lessons", "list"),
        ("lessons", "audit", run),
        ("prompts", "list"),
        ("prompts", "render", "pattern/propose"),
        ("config", "show"),
        ("apps",),
        ("doctor",),
        ("demo", "--out", "demo"),
        (*EASY, "--dry-run"),
    ):
        done = desk.run(*arguments, "--json")
        assert done.code == 0, arguments
        assert isinstance(done.data, (dict, list)), arguments


def test_runs_are_listed_newest_first(desk: Desk) -> None:
    first, second = start(desk, *EASY), start(desk, *HOPELESS)
    rows = desk.run("runs", "list", "--json").data
    assert {row["run"] for row in rows} == {first, second}
    assert [row["started"] for row in rows] == sorted((r["started"] for r in rows), reverse=True)
    assert {row["run"]: row["state"] for row in rows} == {first: "accepted", second: "not accepted"}
    table = desk.run("runs", "list")
    assert first in table.out
    assert table.err == ""


def test_a_list_says_what_it_leaves_out(desk: Desk) -> None:
    for _ in range(3):
        start(desk, *EASY)
    done = desk.run("runs", "list", "--most", "1", "--json")
    assert len(done.data) == 1
    assert "2 more" in desk.run("runs", "list", "--most", "1").err
    assert desk.run("runs", "list", "--app", "nothing", "--json").data == []


def test_an_empty_journal_says_how_to_begin(desk: Desk) -> None:
    desk.run(*EASY, "--dry-run")
    assert "proveout demo" in desk.run("runs", "list").out


def test_a_run_is_shown_with_attempts_budget_and_chain(desk: Desk) -> None:
    run = start(desk, *HOPELESS)
    done = desk.run("runs", "show", run)
    assert done.err == ""
    for words in (run, "pattern.too_short", "refine", "rounds", "hash chain", "verified"):
        assert words in done.out
    data = desk.run("runs", "show", "--json").data
    assert (data["run"], data["state"], data["spent"]) == (run, "not accepted", "rounds")


def test_events_are_lines_of_json(desk: Desk) -> None:
    start(desk, *EASY)
    lines = [json.loads(line) for line in desk.run("runs", "show", "--events").out.splitlines()]
    assert [line["sequence"] for line in lines] == list(range(1, len(lines) + 1))
    assert (lines[0]["kind"], lines[-1]["kind"]) == ("run.started", "run.ended")


def test_equal_runs_do_not_differ_and_others_do(desk: Desk) -> None:
    one, same, other = start(desk, *EASY), start(desk, *EASY), start(desk, *HOPELESS)
    equal = desk.run("runs", "diff", one, same)
    assert (equal.code, equal.out) == (0, "")
    assert "no difference" in equal.err
    different = desk.run("runs", "diff", one, other)
    assert different.code == 1
    assert '-  "expression": "[a-f]+[0-9]{2}"' in different.out
    assert desk.run("runs", "diff", one, other, "--json").data["same"] is False


def test_verify_counts_what_it_verified(desk: Desk) -> None:
    run = start(desk, *EASY)
    start(desk, *EASY)
    assert desk.run("runs", "verify", "--json").data == {"runs": 2, "damage": []}
    assert desk.run("runs", "verify", run, "--json").data == {"runs": 1, "damage": []}
    assert "verified" in desk.run("runs", "verify").err


@pytest.mark.parametrize("execute", [(), ("--execute",)])
def test_a_replay_judges_every_verdict_again(desk: Desk, execute: tuple[str, ...]) -> None:
    run = start(desk, *HOPELESS)
    done = desk.run("replay", run, *execute, "--json")
    assert done.code == 0
    assert done.data["faithful"] is True
    assert done.data["judged"] == done.data["recorded"] == 5
    assert "5 of 5 verdicts judged again: all the same" in done.err


def test_a_check_that_changed_its_mind_is_found(slow_shell: Shell) -> None:
    """The app's code is edited after the run: what was accepted is now rejected."""
    assert slow_shell.run("slow", "run").code == 0
    flow = slow_shell.folder / "site" / "slow" / "flow.py"
    flow.write_text(flow.read_text().replace("number >= task.needed", "number > task.needed"))
    done = slow_shell.run("replay", "last", "--json")
    assert done.code == 1
    assert done.data["faithful"] is False
    (difference,) = done.data["differences"]
    assert difference["recorded"]["findings"] == []
    assert difference["now"]["findings"][0]["code"] == "slow.again"
    assert "accepted score 3 then, rejected slow.again now" in done.err


def test_a_run_whose_app_is_gone_can_be_read_but_not_judged(slow_shell: Shell) -> None:
    assert slow_shell.run("slow", "run").code == 0
    del slow_shell.variables["PYTHONPATH"]
    assert slow_shell.run("runs", "show").code == 0
    done = slow_shell.run("replay", "last")
    assert done.code == 2
    assert "unknown app 'slow'" in done.err


@pytest.mark.parametrize("name", ["r.html", "r.htm", "r.md", "r.json", "r.xml", "r.txt", "in/r.MD"])
def test_a_report_follows_its_name(desk: Desk, name: str) -> None:
    run = start(desk, *HOPELESS)
    done = desk.run("report", run, "-o", name)
    assert (done.code, done.out) == (0, "")
    text = Path(name).read_text(encoding="utf-8")
    assert "too_short" in text.replace("\\_", "_")
    if name.endswith(".json"):
        assert json.loads(text)["status"] == "rejected"
    if name.endswith(".xml"):
        suite = ElementTree.fromstring(text)
        failed = [case.get("name") for case in suite.iter("testcase") if len(case)]
        assert "refine#0" in str(failed)


def test_a_report_can_be_asked_for_with_the_run(desk: Desk) -> None:
    done = desk.run(*EASY, "--report", "out/report.html")
    assert done.code == 0
    assert "report: out/report.html" in done.err
    assert "<html" in Path("out/report.html").read_text(encoding="utf-8")


def test_a_report_of_a_run_that_was_not_accepted_is_written_too(desk: Desk) -> None:
    assert desk.run(*HOPELESS, "-o", "report.md").code == 1
    assert "pattern" in Path("report.md").read_text(encoding="utf-8")


def test_a_dry_run_shows_the_ceiling_and_runs_nothing(desk: Desk) -> None:
    done = desk.run(*EASY, "--rounds", "7", "--dry-run")
    assert done.code == 0
    assert done.data["ceiling"]["rounds"] == 7
    assert done.data["task"]["shortest"] == 9
    assert desk.run("runs", "list", "--json").data == []


def test_quiet_says_nothing_until_the_end(desk: Desk) -> None:
    done = desk.run(*HOPELESS, "--quiet")
    assert "rejected  refine#0" not in done.err
    assert "pattern.too_short" in done.err


def test_lessons_are_listed_and_audited(desk: Desk) -> None:
    start(desk, *HOPELESS)
    run = start(desk, *HOPELESS)
    (lesson,) = desk.run("lessons", "list", "pattern", "--json").data
    assert lesson["app"] == "pattern"
    assert lesson["count"] >= 2
    assert lesson["advice"] in " ".join(desk.run("lessons", "list").out.split())
    audit = desk.run("lessons", "audit", run, "--json").data
    assert audit["run"] == run
    assert all(attempt["lessons"] for attempt in audit["attempts"])
    told = audit["attempts"][0]["lessons"][0]
    assert told["advice"] == lesson["advice"]
    assert {origin["code"] for origin in told["learned"]} == {"pattern.too_short"}
    assert "no check has seen them" in desk.run("lessons", "audit", run).err


def test_no_lessons_is_an_answer_too(desk: Desk) -> None:
    start(desk, *EASY)
    assert desk.run("lessons", "list", "pattern", "--json").code == 0


def test_prompts_are_listed_with_their_source(desk: Desk) -> None:
    rows = desk.run("prompts", "list", "--json").data
    own = [row for row in rows if row["prompt"].startswith("pattern/")]
    assert [(row["prompt"], row["returns"], row["source"]) for row in own] == [
        ("pattern/describe", "str", "app"),
        ("pattern/propose", "Word", "app"),
    ]
    assert "pattern/propose" in desk.run("prompts", "list").out


def test_a_prompt_is_printed_as_it_would_be_sent(desk: Desk) -> None:
    text = desk.run("prompts", "render", "pattern/propose").out
    assert "[a-f]+[0-9]{2}" in text
    assert '"word"' in text, "the schema is appended"
    assert desk.run("prompts", "render", "pattern/propose", "--json").data["text"] == text


def test_a_prompt_takes_other_variables(desk: Desk) -> None:
    path = desk.write("variables.json", {"expression": "x{3}"})
    done = desk.run("prompts", "render", "pattern/describe", "--variables", str(path))
    assert "x{3}" in done.out


def test_a_users_prompt_replaces_the_apps(desk: Desk) -> None:
    desk.write("mine/pattern/describe.md", "In one word: {{ expression }}")
    desk.write("proveout.toml", "[prompts]\nfolder = 'mine'")
    assert desk.run("prompts", "render", "pattern/describe").out.startswith("In one word: [a-f]")
    rows = desk.run("prompts", "list", "--json").data
    assert {row["prompt"]: row["source"] for row in rows}["pattern/describe"] == "user"


def test_each_setting_tells_its_origin(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    user = desk.write("user.toml", "[engine]\nworkers = 3\nname = 'inline'")
    monkeypatch.setenv("PROVEOUT_CONFIG", str(user))
    desk.write("pyproject.toml", "[tool.proveout.budget]\nrounds = 4\ncalls = 4")
    desk.write("proveout.toml", "[budget]\ncalls = 5\ntokens = 5")
    monkeypatch.setenv("PROVEOUT_BUDGET__TOKENS", "6")
    data = desk.run("config", "show", "--origin", "--json").data
    assert {
        name: tuple(data[name].values()) for name in data if data[name]["origin"] != "default"
    } == {
        "engine.workers": (3, str(user)),
        "engine.name": ("inline", str(user)),
        "budget.rounds": (4, str(desk.folder / "pyproject.toml")),
        "budget.calls": (5, str(desk.folder / "proveout.toml")),
        "budget.tokens": (6, "environment"),
    }
    table = desk.run("config", "show", "--origin").out
    assert str(user) in table
    assert "environment" in table
    assert "origin" not in desk.run("config", "show").out


def test_a_flag_beats_every_other_origin(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVEOUT_BUDGET__ROUNDS", "6")
    done = desk.run(*EASY, "--rounds", "7", "--dry-run")
    assert done.data["ceiling"]["rounds"] == 7


def test_the_apps_are_listed_with_their_findings(desk: Desk) -> None:
    listed = {app["app"]: app for app in desk.run("apps", "--json").data}
    assert "pattern.too_short" in listed["pattern"]["findings"]
    assert "pattern" in desk.run("apps").out


def test_the_doctor_says_how_to_mend_what_is_missing(desk: Desk) -> None:
    rows = {row["name"]: row for row in desk.run("doctor", "--json").data}
    assert rows["python"]["state"] == "ok"
    assert rows["app pattern"]["state"] == "ok"
    assert all(row["fix"] for row in rows.values() if row["state"] != "ok")
    start(desk, *EASY)
    assert "1 runs" in desk.run("doctor").out


def test_the_doctor_finds_broken_settings(desk: Desk) -> None:
    desk.write("proveout.toml", "[budget]\nrounds = -1")
    done = desk.run("doctor", "--json")
    assert done.code == 3
    assert [row["name"] for row in done.data if row["state"] == "broken"] == ["settings"]


@pytest.mark.timeout(400)
def test_the_demo_ends_with_reports_and_replays(desk: Desk) -> None:
    done = desk.run("demo", "--out", "demo")
    assert (done.code, done.out) == (0, "")
    assert "all the same: True" in done.err
    assert "report: demo/pattern.html" in done.err
    assert "<html" in Path("demo/pattern.html").read_text(encoding="utf-8")


@pytest.mark.timeout(400)
def test_the_demo_needs_no_key_whatever_is_configured(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROVEOUT_MODEL__NAME", "openai:gpt-5")
    rows = desk.run("demo", "--json").data
    assert {row["accepted"] for row in rows} == {True}


def test_a_cassette_recorded_on_the_command_line_is_replayed_without_the_model(desk: Desk) -> None:
    replies = [{"role": "pattern/describe", "text": "words"}]
    replies += [{"value": {"word": word}} for word in ("ab", "aab", "aaab")]  # type: ignore[dict-item]
    script = desk.write("script.json", replies)
    task = ("pattern", "run", "--expression", "a+b")
    first = desk.run(*task, "--model", f"scripted:{script}", "--record", "tape.jsonl", "--json")
    assert first.code == 0
    script.unlink()
    again = desk.run(*task, "--model", "recorded:tape.jsonl", "--json")
    assert again.code == 0
    assert again.data["outcome"] == first.data["outcome"]
