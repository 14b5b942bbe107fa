"""The command in a process of its own: exit codes, and what goes to which stream."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.integration.command import COMMAND, Shell

EASY = ("pattern", "run", "--expression", "[a-f]+[0-9]{2}", "--shortest", "9")
HOPELESS = ("pattern", "run", "--expression", "a{2}", "--shortest", "3", "--rounds", "4")


def test_an_accepted_run_leaves_with_0_and_an_empty_stdout(shell: Shell) -> None:
    done = shell.run(*EASY)
    assert (done.code, done.out) == (0, "")
    assert "Accepted." in done.err
    assert "next:   proveout replay pattern-" in done.err


def test_a_run_that_was_judged_and_not_accepted_leaves_with_1(shell: Shell) -> None:
    done = shell.run(*HOPELESS)
    assert (done.code, done.out) == (1, "")
    assert "pattern.too_short" in done.err
    assert "\x1b[" not in done.err, "no colours without a terminal"


def test_wrong_usage_leaves_with_2(shell: Shell) -> None:
    done = shell.run("pattern", "run", "--expresion", "a")
    assert (done.code, done.out) == (2, "")
    assert "--expression" in done.err


def test_a_missing_prerequisite_leaves_with_3(shell: Shell) -> None:
    done = shell.run(*EASY, "--model", "openai:gpt-5")
    assert (done.code, done.out) == (3, "")
    assert "OPENAI_API_KEY" in done.err
    assert "Traceback" not in done.err


def test_a_defect_leaves_with_3_and_a_sentence(slow_shell: Shell) -> None:
    done = slow_shell.run("slow", "run", "--fails", "one divided by nothing", "--json")
    assert done.code == 3
    assert done.data["error"]["code"] == "internal"
    assert "one divided by nothing" in done.err
    assert "Traceback" not in done.err


def test_a_defect_shows_its_place_on_request(slow_shell: Shell) -> None:
    slow_shell.variables["PROVEOUT_DEBUG"] = "1"
    done = slow_shell.run("slow", "run", "--fails", "one divided by nothing")
    assert done.code == 3
    assert "Traceback" in done.err
    assert "flow.py" in done.err


def test_a_run_as_json_is_all_of_stdout(shell: Shell) -> None:
    done = shell.run(*EASY, "--json")
    assert done.code == 0
    assert done.data["accepted"] is True
    assert done.data["outcome"]["answer"]["word"]
    assert "rejected" not in done.err, "no progress where a program reads"


def test_the_version_is_data(shell: Shell) -> None:
    done = shell.run("--version")
    assert (done.code, done.err) == (0, "")
    assert done.out.strip().count(".") == 2


def test_no_command_shows_the_help_on_stderr(shell: Shell) -> None:
    done = shell.run()
    assert (done.code, done.out) == (2, "")
    assert "proveout demo" in done.err


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_scripts_are_data(shell: Shell, shell_name: str) -> None:
    done = shell.run("--show-completion", shell_name)
    assert (done.code, done.err) == (0, "")
    assert "_PROVEOUT_COMPLETE" in done.out


def test_the_shell_completes_commands_and_runs(shell: Shell) -> None:
    made = shell.run(*EASY, "--json").data["run"]
    shell.variables |= {"_PROVEOUT_COMPLETE": "complete_bash", "COMP_CWORD": "1"}
    shell.variables["COMP_WORDS"] = "proveout re"
    assert set(shell.run().out.split()) == {"replay", "report", "resume"}
    shell.variables |= {"COMP_WORDS": "proveout replay pat", "COMP_CWORD": "2"}
    assert shell.run().out.split() == [made]


def test_completion_without_a_journal_is_silent(shell: Shell) -> None:
    shell.variables |= {"_PROVEOUT_COMPLETE": "complete_bash", "COMP_CWORD": "2"}
    shell.variables["COMP_WORDS"] = "proveout replay "
    done = shell.run()
    assert (done.out.strip(), done.err) == ("", "")


def test_a_reader_of_stdout_that_leaves_changes_nothing(shell: Shell) -> None:
    """`proveout … --json | head -0`: the run is judged, and its exit code is the verdict's."""
    read, write = os.pipe()
    os.close(read)
    arguments = (*HOPELESS, "--json")
    done = shell.run(*arguments, capture_output=False, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert done.code == 1
    assert "Traceback" not in done.err
    assert "BrokenPipe" not in done.err


def test_a_reader_of_stderr_that_leaves_does_not_stop_the_run(shell: Shell) -> None:
    read, write = os.pipe()
    os.close(read)
    done = shell.run(*HOPELESS, capture_output=False, stderr=write)
    os.close(write)
    assert done.code == 1
    run = shell.only_run()
    assert (run.state, len(run.attempts)) == ("ended", 4)


@pytest.mark.parametrize("arguments", [("runs", "show"), ("runs", "show", "--events")])
def test_a_page_may_be_left_early(shell: Shell, arguments: tuple[str, ...]) -> None:
    shell.run(*EASY)
    read, write = os.pipe()
    os.close(read)
    done = shell.run(*arguments, capture_output=False, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("arguments", [("apps",), ("apps", "--json"), ("config", "show")])
def test_a_stdout_that_is_full_is_an_error_in_one_sentence(
    shell: Shell, arguments: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = shell.run(*arguments, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.code == 3
    assert "No space left on device" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_streams_that_are_closed_are_silent(shell: Shell, closed: str) -> None:
    line = f'"$@" {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", line, "sh", *COMMAND, *EASY, "--json"],
        cwd=shell.folder,
        env=shell.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert not done.stdout or json.loads(done.stdout)["accepted"]


def test_colours_can_be_wanted_and_refused(shell: Shell) -> None:
    shell.variables["FORCE_COLOR"] = "1"
    assert "\x1b[" in shell.run("doctor").out
    shell.variables["NO_COLOR"] = "1"
    assert "\x1b[3" not in shell.run("doctor").out


def test_a_narrow_screen_keeps_the_ids_of_runs(shell: Shell) -> None:
    made = shell.run(*EASY, "--json").data["run"]
    shell.variables["COLUMNS"] = "40"
    assert made in shell.run("runs", "list").out


def test_a_narrow_screen_without_unicode_gets_short_plain_lines(shell: Shell) -> None:
    shell.run(*EASY)
    shell.variables |= {"PYTHONIOENCODING": "ascii", "COLUMNS": "40"}
    done = shell.run("runs", "show")
    assert done.code == 0
    assert done.out.isascii()
    assert max(map(len, done.out.splitlines())) <= 40
