"""Ctrl-C and SIGTERM: a run stops where it can be resumed, and goes on to the same end."""

import signal
import time
from pathlib import Path

import pytest

from tests.integration.command import Ended, Shell, wait_for

LONG = "30"
"""Seconds that a check takes when nobody should wait for it."""


def interrupted(
    shell: Shell, *arguments: str, signals: list[signal.Signals]
) -> tuple[Ended, float]:
    """Start the waiting app, signal it within its first check, and see how it ends."""
    marks = shell.folder / "marks"
    with shell.started("slow", "run", "--marks", str(marks), *arguments) as process:
        wait_for(marks.exists)
        began = time.monotonic()
        for number in signals:
            process.send_signal(number)
            time.sleep(0.2)
        out, err = process.communicate(timeout=60)
        seconds = time.monotonic() - began
    return Ended(process.returncode, out, err), seconds


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_finishes_the_attempt_and_can_be_resumed(
    slow_shell: Shell, number: signal.Signals
) -> None:
    done, _ = interrupted(slow_shell, "--seconds", "0.4", signals=[number])
    assert (done.code, done.out) == (130, "")
    assert "stopping after this attempt" in done.err
    assert "rejected  #0" in done.err, "the attempt in flight was judged"
    assert "proveout resume last" in done.err
    stopped = slow_shell.only_run()
    assert (stopped.state, len(stopped.attempts)) == ("interrupted", 1)
    resumed = slow_shell.run("resume", "last", "--json")
    assert resumed.code == 0
    assert resumed.data["outcome"]["answer"] == 3
    assert Path(slow_shell.folder / "marks").read_text().split() == ["1", "2", "3"]


@pytest.mark.parametrize("engine", ["inline", "threads", "processes"])
def test_twice_stops_now_and_can_be_resumed(slow_shell: Shell, engine: str) -> None:
    arguments = ("--seconds", LONG, "--parallel", "--engine", engine, "--needed", "1")
    done, seconds = interrupted(slow_shell, *arguments, signals=[signal.SIGINT] * 2)
    assert done.code == 130
    assert seconds < 15, "nobody waits for a check that nobody wants"
    assert "Traceback" not in done.err
    assert slow_shell.only_run().state == "interrupted"


def test_a_model_that_is_slow_is_not_waited_for(shell: Shell) -> None:
    replies = [{"role": "pattern/describe", "text": "words"}]
    replies += [{"value": {"word": "ab"}, "delay_seconds": 60}] * 3  # type: ignore[dict-item]
    script = shell.write("script.json", replies)
    arguments = ("pattern", "run", "--expression", "a+b", "--model", f"scripted:{script}")
    with shell.started(*arguments) as process:
        wait_for(shell.journal.exists)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - began < 20
    assert "interrupted; go on with" in err


def test_a_command_that_only_reads_is_stopped_with_130(slow_shell: Shell) -> None:
    """A replay judges again: the slow check is in the middle of it."""
    marks = slow_shell.folder / "marks"
    made = slow_shell.run(
        # Long enough that a busy machine cannot finish the replay before the signal is sent.
        *("slow", "run", "--seconds", "2.5", "--needed", "2", "--marks", str(marks), "--json")
    )
    assert made.code == 0
    marks.unlink()
    with slow_shell.started("replay", "last") as process:
        wait_for(marks.exists)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err


def test_a_larger_budget_goes_on_where_the_smaller_one_ended(slow_shell: Shell) -> None:
    marks = slow_shell.folder / "marks"
    first = slow_shell.run("slow", "run", "--rounds", "2", "--marks", str(marks), "--json")
    assert (first.code, first.data["spent"]) == (1, "rounds")
    more = slow_shell.run("resume", "last", "--rounds", "5", "--json")
    assert more.code == 0
    assert more.data["run"] == first.data["run"]
    assert marks.read_text().split() == ["1", "2", "3"], "nothing was judged twice"
    assert slow_shell.only_run().resumed == 1


def test_resume_on_run_takes_up_the_same_task(slow_shell: Shell) -> None:
    done, _ = interrupted(slow_shell, "--seconds", "0.4", signals=[signal.SIGINT])
    assert done.code == 130
    before = slow_shell.only_run()
    marks = str(slow_shell.folder / "marks")
    again = slow_shell.run(
        "slow", "run", "--marks", marks, "--seconds", "0.4", "--json", "--resume"
    )
    assert (again.code, again.data["run"]) == (0, before.id)
