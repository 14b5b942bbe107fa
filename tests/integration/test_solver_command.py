"""`proveout solver run|bench|improve|world` as a person runs them, against a served company."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.command import Shell, wait_for
from tests.integration.solver_kit import Company, company
from tests.integration.solver_world_client import ok

SPECS = "d.nonsense.1,ab.unsupported.1,w.change_status.1"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    with company(tmp_path_factory.mktemp("company")) as one:
        yield one


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def arguments(served: Company, *more: str, specs: str = SPECS) -> tuple[str, ...]:
    where = ("--base-url", served.url, "--benchmark", served.benchmark)
    return ("solver", "run", *where, *(("--specs", specs) if specs else ()), *more)


def test_a_session_from_start_to_submission(shell: Shell, served: Company) -> None:
    before = len(served.graded())
    done = shell.run(*arguments(served, "--json", "--report", "page.html"))
    assert done.code in (0, 1), done.err
    assert done.data["tasks"] == done.data["graded"] == 3
    assert (done.code == 0) == (done.data["score"] == 1.0)
    rows = served.graded()[before:]
    assert {row["spec"] for row in rows} == set(SPECS.split(","))
    assert "inference statistics" not in json.dumps(rows)
    found = ok(f"{served.url}/sessions/search", account_key="", benchmark=served.benchmark)
    session = next(it for it in found["sessions"] if it["completed_tasks"] == 3)
    assert session["status"] == "evaluated"
    assert "business tasks" in (shell.folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        (("--benchmark", "world-404"), 2, "unknown benchmark"),
        (("--specs", "a.nothing.9"), 2, "unknown spec"),
        (("--profile", "no-such-profile"), 2, "profile"),
        (("--base-url", "http://127.0.0.1:1"), 3, "no connection"),
        (("--base-url", "nonsense"), 2, "not an http"),
        (("--workers", "0"), 2, "workers"),
        (("--model", "scripted:none.toml"), 2, "none.toml"),
    ],
)
def test_mistakes_are_told_in_a_sentence(
    shell: Shell, served: Company, changed: tuple[str, str], code: int, said: str
) -> None:
    given = list(arguments(served, specs="d.nonsense.1"))
    if changed[0] in given:
        given[given.index(changed[0]) + 1] = changed[1]
    else:
        given += changed
    done = shell.run(*given)
    assert done.code == code, done.err
    assert said in done.err
    assert "Traceback" not in done.err


def test_hidden_grades_are_no_failure(shell: Shell, tmp_path: Path) -> None:
    with company(tmp_path, "--hide-eval") as hidden:
        done = shell.run(*arguments(hidden, "--json", specs="d.nonsense.1"))
    assert done.code == 0, done.err
    assert done.data["graded"] == 0
    assert done.data["score"] is None


def test_lost_answers_lead_to_one_reply_and_one_change(shell: Shell, tmp_path: Path) -> None:
    """The server does what it is asked and then falls silent, now and then."""
    specs = f"{SPECS},g.workload_of_person.1,p.log_own.1,x.reflect.1"
    with company(tmp_path) as calm:
        shell.run(*arguments(calm, "--json", specs=specs))
        wanted = {row["spec"]: (row["events"], row["message"]) for row in calm.graded()}
    (tmp_path / "faulty").mkdir()
    with company(tmp_path / "faulty", "--faults", "late=0.08,429=0.05") as faulty:
        done = shell.run(*arguments(faulty, "--json", specs=specs))
        seen = {row["spec"]: (row["events"], row["message"]) for row in faulty.graded()}
    assert done.code in (0, 1), done.err
    assert seen == wanted


def test_the_same_bytes_whoever_works_beside(shell: Shell, tmp_path: Path) -> None:
    """Fresh servers, one worker and two: responses and changes do not differ by a byte."""
    specs = f"{SPECS},g.workload_of_person.1,a.lead_of_project.1,o.all_salaries.1"
    seen = []
    for place, workers in (("one", "1"), ("again", "1"), ("two", "2")):
        (tmp_path / place).mkdir()
        with company(tmp_path / place) as fresh:
            options = ("--record", place + "/cases", "--workers", workers, "--json")
            done = shell.run(*arguments(fresh, *options, specs=specs))
            assert done.code in (0, 1), done.err
        seen.append(
            {
                path.parent.name: {
                    name: value
                    for name, value in json.loads(path.read_text()).items()
                    if name in {"response", "writes", "digest", "score", "codes"}
                }
                for path in sorted((tmp_path / place).rglob("case.json"))
            }
        )
    assert len(seen[0]) == 6
    assert seen[0] == seen[1] == seen[2]


def test_a_recording_is_not_written_over(shell: Shell, served: Company) -> None:
    shell.write("kept/note.txt", "mine")
    done = shell.run(*arguments(served, "--record", "kept", specs="d.nonsense.1"))
    assert done.code == 2
    assert "holds something already" in done.err


def children(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text().split()] if path.exists() else []


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found by Linux")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(
    "given",
    [
        ("solver", "world", "--port", "0", "--seed", "1"),
        ("solver", "bench", "--worlds", "1", "--workers", "2"),
    ],
    ids=["world", "bench"],
)
def test_no_server_is_left_behind(
    shell: Shell, given: tuple[str, ...], number: signal.Signals
) -> None:
    with shell.started(*given) as process:
        wait_for(lambda: bool(children(process.pid)))
        begun = _all_below(process)
        process.send_signal(number)
        process.communicate(timeout=60)
    wait_for(lambda: not any(map(is_alive, begun)))
    if number == signal.SIGINT:
        assert process.returncode == (0 if given[1] == "world" else 130)


def _all_below(process: "subprocess.Popen[str]") -> list[int]:
    below = children(process.pid)
    return [*below, *(deeper for pid in below for deeper in children(pid))]


def test_ctrl_c_in_a_run_ends_it_as_interrupted(shell: Shell, served: Company) -> None:
    with shell.started(*arguments(served, "--workers", "2", specs="")) as process:
        wait_for(lambda: bool(children(process.pid)))
        begun = _all_below(process)
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    wait_for(lambda: not any(map(is_alive, begun)))
