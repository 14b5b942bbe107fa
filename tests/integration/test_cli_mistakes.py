"""Bad input: always a sentence and the right exit code, never a traceback."""

import sqlite3
from pathlib import Path

import pytest

from tests.integration.command import Desk, Shell, install_app

RUN = ("pattern", "run", "--expression", "a+b")
HUGE = "9" * 40


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        # names
        (("runz",), 2, "runs"),
        (("patern", "run"), 2, "pattern"),
        (("runs", "lst"), 2, "list"),
        (("pattern", "rn"), 2, "run"),
        ((*RUN, "--rouns", "3"), 2, "--rounds"),
        ((*RUN, "--model", "oflline"), 2, "did you mean 'offline'?"),
        ((*RUN, "--model", "opnai:gpt-5"), 2, "did you mean 'openai'?"),
        ((*RUN, "--engine", "thread"), 2, "did you mean 'threads'?"),
        (("prompts", "render", "pattern/propse"), 2, "did you mean 'pattern/propose'?"),
        (("prompts", "render", "nothing"), 2, "known: iqa/analyse, iqa/detect"),
        (("lessons", "list", "patern"), 2, "did you mean 'pattern'?"),
        # tasks
        (("pattern", "run"), 2, "--expression"),
        (("pattern", "run", "--expression", ""), 2, "expression"),
        (("pattern", "run", "--expression", "("), 2, "not a regular expression"),
        (("pattern", "run", "--expression", "(a+)+"), 2, "repetition inside a repetition"),
        (("pattern", "run", "--expression", "a" * 201), 2, "at most 200"),
        ((*RUN, "--shortest", "9", "--longest", "8"), 2, "shortest must not exceed longest"),
        ((*RUN, "--shortest", "-1"), 2, "shortest"),
        ((*RUN, "--shortest", "many"), 2, "--shortest"),
        ((*RUN, "--shortest", "nan"), 2, "--shortest"),
        ((*RUN, "--shortest", HUGE), 2, "shortest"),
        ((*RUN, "extra"), 2, "extra"),
        # budgets
        ((*RUN, "--rounds", "-1"), 2, "budget.rounds"),
        ((*RUN, "--rounds", HUGE), 2, "budget.rounds"),
        ((*RUN, "--rounds", "1.5"), 2, "--rounds"),
        ((*RUN, "--rounds", ""), 2, "--rounds"),
        ((*RUN, "--calls", "-1"), 2, "budget.calls"),
        ((*RUN, "--tokens", "-1"), 2, "budget.tokens"),
        ((*RUN, "--cost-usd", "-0.01"), 2, "budget.cost_usd"),
        ((*RUN, "--cost-usd", "nan"), 2, "finite"),
        ((*RUN, "--cost-usd", "inf"), 2, "finite"),
        ((*RUN, "--time-limit", "-inf"), 2, "finite"),
        ((*RUN, "--time-limit", "1e300"), 2, "budget.seconds"),
        ((*RUN, "--workers", "0"), 2, "engine.workers"),
        ((*RUN, "--workers", "100000"), 2, "engine.workers"),
        # models
        ((*RUN, "--model", ""), 2, "unknown model"),
        ((*RUN, "--model", ":"), 2, "unknown model"),
        ((*RUN, "--model", "offline:x"), 2, "offline takes no name"),
        ((*RUN, "--model", "scripted:"), 2, "scripted needs a file"),
        ((*RUN, "--model", "scripted:none.toml"), 2, "none.toml cannot be read"),
        ((*RUN, "--model", "scripted:."), 2, "cannot be read"),
        ((*RUN, "--model", "recorded:"), 2, "recorded needs a file"),
        ((*RUN, "--model", "recorded:none.jsonl"), 3, "none.jsonl"),
        ((*RUN, "--model", "local:none.gguf"), 3, "GGUF"),
        ((*RUN, "--model", "http://127.0.0.1:1"), 2, "names a server but no model"),
        ((*RUN, "--record", "tape.jsonl"), 2, "offline"),
        # files
        ((*RUN, "--report", "report.pdf"), 2, "unknown report format '.pdf'"),
        ((*RUN, "--report", "report"), 2, "unknown report format"),
        ((*RUN, "--journal", "."), 3, "cannot be used as a journal"),
        ((*RUN, "--journal", ""), 3, "cannot be used as a journal"),
        ((*RUN, "--journal", "/proc/nowhere/journal.db"), 3, "cannot be used as a journal"),
        ((*RUN, "--journal", "a\x00b"), 2, ""),
        (("runs", "list", "--journal", "none.db"), 3, "there is no journal at none.db"),
        (("runs", "list", "--most", "0"), 2, "--most"),
        (("runs", "show"), 3, "there is no journal"),
        (("replay", "last"), 3, "there is no journal"),
        (("report", "last"), 3, "there is no journal"),
        (("lessons", "list"), 3, "there is no journal"),
        (("prompts", "render", "pattern/propose", "--variables", "none.json"), 2, "none.json"),
        (("prompts", "render", "pattern/propose", "--variables", "."), 2, "cannot be read"),
        (("resume", "last"), 2, "start with `proveout demo`"),
        (("demo", "--out", "/proc/nowhere"), 2, "/proc/nowhere"),
    ],
    ids=lambda value: " ".join(map(repr, value))[:70] if isinstance(value, tuple) else "",
)
def test_bad_input_is_answered_with_a_sentence(
    desk: Desk, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = desk.run(*arguments)
    assert done.code == code, done
    assert words in done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    assert "internal error" not in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("pattern", "run", "--json"),
        ("runz", "--json"),
        (*RUN, "--rounds", "-1", "--json"),
        (*RUN, "--model", "oflline", "--json"),
        (*RUN, "--no-such-flag", "--json"),
        ("runs", "show", "nothing", "--json"),
        ("replay", "nothing", "--json"),
        ("lessons", "list", "patern", "--json"),
        ("prompts", "render", "nothing", "--json"),
        ("resume", "nothing", "--json"),
    ],
)
def test_where_data_is_wanted_an_error_is_data(desk: Desk, arguments: tuple[str, ...]) -> None:
    desk.run(*RUN)
    done = desk.run(*arguments)
    assert done.code == 2
    assert set(done.data) == {"error"}
    assert set(done.data["error"]) == {"code", "message", "hint"}
    assert done.data["error"]["code"].startswith("usage")
    assert done.data["error"]["message"] in done.err.replace("\n", " "), "a person reads stderr"


def test_a_mistake_leaves_no_run_behind(desk: Desk) -> None:
    for arguments in (
        ("--model", "oflline"),
        ("--model", "scripted:none.toml"),
        ("--model", "openai:gpt-5"),
        ("--engine", "thread"),
        ("--report", "report.pdf"),
        ("--shortest", "99"),
    ):
        assert desk.run(*RUN, *arguments).code in (2, 3)
    assert desk.run("runs", "list", "--json").data == []


@pytest.mark.parametrize(
    "name", ["", "nothing", "pattern-2099", "last ", "../x", "%", "\udcff", "-"]
)
def test_an_unknown_run_is_named(desk: Desk, name: str) -> None:
    made = desk.run(*RUN, "--json").data["run"]
    for command in ("replay", "report", "resume"):
        done = desk.run(command, "--", name)
        assert done.code == 2
        assert "unknown run" in done.err
        assert made in done.err


def test_a_run_with_a_slip_in_its_id_is_guessed(desk: Desk) -> None:
    made = desk.run(*RUN, "--json").data["run"]
    slip = made[:10] + made[11:]
    assert f"did you mean '{made}'?" in desk.run("runs", "show", slip).err


def test_a_part_that_fits_two_runs_is_not_enough(desk: Desk) -> None:
    first, second = (desk.run(*RUN, "--json").data["run"] for _ in range(2))
    done = desk.run("runs", "show", "pattern-")
    assert done.code == 2
    assert "fits 2 runs" in done.err
    assert first in done.err
    assert desk.run("runs", "show", second[-6:], "--json").data["run"] == second


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"this was never a database, whatever its name says" * 20, "not a database"),
        (b"SQLite format 3\x00" + b"\xff" * 2000, "cannot be used as a journal"),
    ],
)
def test_a_file_that_is_no_journal_is_refused_and_left_alone(
    desk: Desk, content: bytes, words: str
) -> None:
    path = desk.folder / "other.db"
    path.write_bytes(content)
    for arguments in (RUN, ("runs", "list"), ("runs", "verify"), ("replay", "last")):
        done = desk.run(*arguments, "--journal", str(path))
        assert done.code == 3
        assert words in done.err
        assert "Traceback" not in done.err
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(desk: Desk) -> None:
    path = desk.folder / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    for arguments in (RUN, ("runs", "list")):
        done = desk.run(*arguments, "--journal", str(path))
        assert done.code == 3
        assert "journal" in done.err
    assert path.read_bytes() == before


def test_a_journal_with_a_flipped_byte_is_told_from_a_good_one(desk: Desk) -> None:
    made = desk.run(*RUN, "--json").data["run"]
    connection = sqlite3.connect(desk.journal)
    connection.execute("UPDATE events SET body = replace(body, 'a+b', 'a+c') WHERE sequence = 1")
    connection.commit()
    connection.close()
    done = desk.run("runs", "verify", "--json")
    assert done.code == 1
    assert done.data["damage"][0]["run"] == made
    assert desk.run("runs", "verify", made).code == 1
    assert desk.run("doctor").code == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[model]\nnam = 'x'", "did you mean 'model.name'?"),
        ("[modle]\nname = 'x'", "unknown setting"),
        ("model = 'offline'", "model:"),
        ("[budget]\nrounds = 'many'", "budget.rounds"),
        ("[budget]\nrounds = -1", "budget.rounds"),
        ("[budget]\ncost_usd = nan", "finite"),
        ("[budget]\nseconds = inf", "finite"),
        ("[model.prices]\nx = [1]", "model.prices.x"),
        ("[model.roles]\n'pattern/propse' = 'offline'", "did you mean 'pattern/propose'?"),
        ("[prompts]\nfolder = 'nowhere'", "there is no folder nowhere"),
        ("[engine]\nname = 'thread'", "did you mean 'threads'?"),
        ("budget =", "proveout.toml cannot be read"),
        ("\x00", "proveout.toml cannot be read"),
    ],
)
def test_a_project_file_with_a_mistake_is_named(desk: Desk, text: str, words: str) -> None:
    desk.write("proveout.toml", text)
    done = desk.run(*RUN)
    assert done.code == 2
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_project_file_that_is_not_text_is_named(desk: Desk) -> None:
    (desk.folder / "proveout.toml").write_bytes(b"\xff\xfe[model]")
    done = desk.run("config", "show")
    assert done.code == 2
    assert "proveout.toml cannot be read" in done.err


@pytest.mark.parametrize("text", ["[tool]\nproveout = 3", "tool = 3"])
def test_a_pyproject_with_something_else_in_our_place_is_named(desk: Desk, text: str) -> None:
    desk.write("pyproject.toml", text)
    done = desk.run("config", "show")
    assert done.code == 2
    assert "is not a table" in done.err


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PROVEOUT_MODLE__NAME", "offline", "did you mean 'PROVEOUT_MODEL'?"),
        ("PROVEOUT_MODEL__NAM", "offline", "did you mean 'model.name'?"),
        ("PROVEOUT_MODEL", "offline", "PROVEOUT_SECTION__NAME"),
        ("PROVEOUT_BUDGET__ROUNDS", "many", "budget.rounds"),
        ("PROVEOUT_BUDGET__ROUNDS", "", "budget.rounds"),
        ("PROVEOUT_MODEL__ROLES", "{", "bad setting in environment"),
    ],
)
def test_a_variable_with_a_mistake_is_named(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    done = desk.run(*RUN)
    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[[replies]]\nvalue = 1\nerror = 'busy'", "neither text nor value"),
        ("[[replies]]\nstop = 'never'", "stop"),
        ("[[replies]]\nunknown = 1", "unknown"),
        ("replies = 3", "replies"),
        ("[[replies", "is not TOML"),
        ("", "replies"),
    ],
)
def test_a_script_with_a_mistake_is_named(desk: Desk, content: str, words: str) -> None:
    script = desk.write("script.toml", content)
    done = desk.run(*RUN, "--model", f"scripted:{script}")
    assert done.code == 2
    assert words in done.err


def test_a_script_that_is_too_short_could_not_judge(desk: Desk) -> None:
    script = desk.write("script.json", [{"role": "pattern/describe", "text": "words"}])
    done = desk.run(*RUN, "--model", f"scripted:{script}")
    assert done.code == 3
    assert "no reply left" in done.err


def test_a_provider_that_refuses_could_not_judge(desk: Desk) -> None:
    script = desk.write("script.json", [{"error": "refused"}])
    done = desk.run(*RUN, "--model", f"scripted:{script}", "--json")
    assert done.code == 3
    assert done.data["error"]["code"] == "model.refused"


def test_variables_for_a_prompt_that_are_no_object_are_refused(desk: Desk) -> None:
    path = desk.write("variables.json", [1, 2])
    done = desk.run("prompts", "render", "pattern/describe", "--variables", str(path))
    assert done.code == 2
    assert "must hold a JSON object" in done.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{ nothing }}", "'nothing' is undefined"),
        ("{% if %}", "has a mistake in line 1"),
        ("{% include 'nothing' %}", "which does not exist"),
        ("{{ ''.__class__.__mro__ }}", "cannot be rendered"),
        ("+++\n= 3\n+++\ntext", "is not TOML"),
    ],
)
def test_a_prompt_of_the_users_with_a_mistake_is_named(desk: Desk, text: str, words: str) -> None:
    desk.write("mine/pattern/describe.md", text)
    desk.write("proveout.toml", "[prompts]\nfolder = 'mine'")
    done = desk.run("prompts", "render", "pattern/describe")
    assert done.code == 2
    assert words in done.err


def test_arguments_that_are_not_utf8_are_refused(shell: Shell) -> None:
    shell.run(*RUN)
    mistakes: list[tuple[str | bytes, ...]] = [
        ("pattern", "run", "--expression", b"\xff\xfe"),
        (*RUN, "--model", b"offline\xff"),
        (*RUN, "--journal", b"\xff.db"),
        ("runs", "show", b"\xff"),
        (b"\xff",),
    ]
    for arguments in mistakes:
        done = shell.run(*arguments)
        assert (done.code, done.out) == (2, "")
        assert "Traceback" not in done.err
        assert "internal" not in done.err


def test_a_broken_app_of_another_package_stops_nobody(shell: Shell) -> None:
    site = install_app(shell.folder, "broken", {"__init__": "import no_such_package"})
    shell.variables["PYTHONPATH"] = str(site)
    assert shell.run(*RUN).code == 0
    done = shell.run("doctor")
    assert done.code == 0
    assert "No module named 'no_such_package'" in done.out


def test_a_folder_without_rights_is_an_error(desk: Desk, tmp_path: Path) -> None:
    """/proc refuses files to everybody, root included."""
    done = desk.run(*RUN, "--journal", "/proc/journal.db")
    assert done.code == 3
    assert "cannot be used as a journal" in done.err
    assert list(tmp_path.glob("*.db")) == []
