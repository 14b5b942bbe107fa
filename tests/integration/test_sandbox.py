"""The sandbox as a port: what a script finds, what is promised, how servers live and die."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from proveout.adapters.sandbox.guarantees import Promise, insist, promises
from proveout.adapters.sandbox.local import LocalSandbox
from proveout.adapters.sandbox.sweeping import descendants
from proveout.examining import examine
from proveout.kernel.errors import EngineError, PrerequisiteError, UsageError
from proveout.kernel.ports import ScriptJob, ScriptRun
from proveout.runtime import Workspace
from proveout.settings import load
from tests.integration.sandbox_kit import SMALL, Arena, servers, survivors
from tests.workbench import Speaker, Workbench, words

ROOT = Path(__file__).parents[2]


def opened() -> LocalSandbox:
    """Skips where scripts cannot be confined at all."""
    sandbox = LocalSandbox(warm=False)
    told = sandbox.guarantees()
    if any(told.get(name, "no:").startswith("no:") for name in ("no_network", "writes_confined")):
        sandbox.close()
        pytest.skip(f"this machine cannot confine scripts: {told}")
    return sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[LocalSandbox]:
    one = opened()
    yield one
    one.close()


@pytest.fixture
def arena(sandbox: LocalSandbox, tmp_path: Path) -> Arena:
    return Arena(sandbox, tmp_path)


# What a script finds


def test_it_is_the_main_program_in_its_own_folder(arena: Arena) -> None:
    run = arena.run(
        "import os, sys, __main__\n"
        "print(__name__, __file__ == sys.argv[0] == os.path.abspath('script.py'))\n"
        "print(os.getcwd(), os.environ['HOME'], os.environ['TMPDIR'], __main__.os is os)"
    )
    work = arena.place / "work"
    assert run.stdout == f"__main__ True\n{work} {work}/.home {work}/.tmp True\n"
    assert sorted(path.name for path in work.iterdir()) == ["script.py"]


def test_a_traceback_shows_its_lines_and_none_of_ours(arena: Arena) -> None:
    run = arena.run("def f():\n    raise ValueError('bad')  # here\n\nf()\n")
    assert f'File "{arena.place / "work/script.py"}", line 2, in f' in run.stderr
    assert "raise ValueError('bad')  # here" in run.stderr
    assert "proveout" not in run.stderr.replace(str(arena.place), "")


def test_a_syntax_error_shows_the_line(arena: Arena) -> None:
    run = arena.run("x = 1\ny = = 2\n")
    assert run.exit_code == 1
    assert "line 2" in run.stderr
    assert "y = = 2" in run.stderr
    assert "proveout" not in run.stderr.replace(str(arena.place), "")


def test_the_same_seed_gives_the_same_numbers(arena: Arena) -> None:
    source = "import random; print(random.random(), hash('a'), list({'a', 'b', 'c'}))"
    seen = [
        arena.sandbox.run(
            ScriptJob(source=source, folder=str(arena.place / "work"), limits=SMALL, seed=seed),
            threading.Event(),
        ).stdout
        for seed in (1, 1, 2)
    ]
    assert seen[0] == seen[1] != seen[2]


def test_libraries_use_as_many_threads_as_told(arena: Arena) -> None:
    source = "import os; print(os.environ['OMP_NUM_THREADS'], os.environ['OMP_WAIT_POLICY'])"
    assert arena.run(source, threads=2).stdout == "2 PASSIVE\n"
    assert arena.run(source, threads=1).stdout == "1 PASSIVE\n"


def test_its_data_and_where_links_in_it_lead(arena: Arena) -> None:
    (arena.place / "data").mkdir()
    (arena.place / "raw").mkdir()
    (arena.place / "raw/train.csv").write_text("a\n1\n")
    (arena.place / "data/train.csv").symlink_to(arena.place / "raw/train.csv")
    (arena.place / "data/own.csv").write_text("b\n")
    run = arena.run(
        "import os; print(sorted(os.listdir('input')), open('input/train.csv').read())",
        data=arena.place / "data",
    )
    assert run.stdout == "['own.csv', 'train.csv'] a\n1\n\n"
    assert not (arena.place / "work/input").exists()


def test_data_in_its_final_place_is_read_only_too(arena: Arena) -> None:
    if not arena.apart:
        pytest.skip("without namespaces data must lie elsewhere")
    (arena.place / "work/input").mkdir(parents=True)
    (arena.place / "work/input/a.csv").write_text("1")
    run = arena.run("open('input/a.csv', 'w')", data=arena.place / "work/input")
    assert run.exit_code == 1
    assert (arena.place / "work/input/a.csv").read_text() == "1"


def test_links_in_data_outlive_the_script(arena: Arena) -> None:
    if not arena.apart:
        pytest.skip("without namespaces data must lie elsewhere")
    (arena.place / "work/input").mkdir(parents=True)
    (arena.place / "raw.csv").write_text("1")
    (arena.place / "work/input/train.csv").symlink_to(arena.place / "raw.csv")
    run = arena.run("print(open('input/train.csv').read())", data=arena.place / "work/input")
    assert run.stdout == "1\n"
    assert (arena.place / "work/input/train.csv").read_text() == "1"


def test_data_that_is_not_there(arena: Arena) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        arena.run("", data=arena.place / "nothing")


def test_a_folder_with_odd_letters(arena: Arena, tmp_path: Path) -> None:
    odd = Arena(arena.sandbox, tmp_path / "a b'c\"ü\n")
    assert odd.run("import os; open('x', 'w'); print(os.listdir('.') != [])").stdout == "True\n"


def test_a_folder_under_each_temporary_place(arena: Arena) -> None:
    for base in ("/tmp", "/dev/shm", "/var/tmp"):
        if not os.access(base, os.W_OK):
            continue
        place = Path(base) / f"pv-{os.getpid()}"
        run = Arena(arena.sandbox, place).run("open('x', 'w').write('1'); print('ok')")
        assert run.stdout == "ok\n", run.stderr
        assert (place / "work/x").read_text() == "1"
        for path in ("work/x", "work/script.py"):
            (place / path).unlink()
        (place / "work").rmdir()
        place.rmdir()


def test_an_interpreter_among_temporary_files(arena: Arena) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        venv.create(place, symlinks=True, with_pip=False)
        source = (
            "import subprocess, sys\n"
            "code = 'import sys; print(sys.prefix, sys.version_info[:3])'\n"
            "said = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)\n"
            "open('said', 'w').write(said.stdout)"
        )
        packages = [str(ROOT / "src"), *(path for path in sys.path if "site-packages" in path)]
        subprocess.run(
            [f"{place}/bin/python", "-m", "tests.processes.run_script", arena.place, source],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(packages)},
            stdout=subprocess.DEVNULL,
            timeout=60,
            check=True,
        )
        said = (arena.place / "said").read_text()
    assert said == f"{place} {tuple(sys.version_info[:3])}\n"


def test_what_it_uses_is_told(arena: Arena) -> None:
    run = arena.run("kept = b'x' * 50_000_000\nfor _ in range(3_000_000): pass")
    assert run.peak_bytes > 50_000_000
    assert 0 < run.cpu_seconds < 20
    assert run.seconds > 0


# What is promised


def test_guarantees_are_named_and_recorded(arena: Arena) -> None:
    told = arena.sandbox.guarantees()
    assert told["no_network"].startswith("yes: ")
    run = arena.run("")
    assert set(run.guarantees) == {name for name, how in told.items() if how.startswith("yes: ")}
    assert pickle.loads(pickle.dumps(run)) == run


def test_without_any_layer_it_refuses(tmp_path: Path) -> None:
    sandbox = LocalSandbox(warm=False, without=("namespaces", "landlock", "seccomp"))
    with pytest.raises(PrerequisiteError, match="no_network is missing") as refused:
        Arena(sandbox, tmp_path).run("open('x', 'w')")
    assert "sandbox.require" in refused.value.hint
    assert not (tmp_path / "work").exists()
    assert sandbox.guarantees()["writes_confined"].startswith("no: ")
    sandbox.close()


def test_without_any_layer_it_runs_if_nothing_is_required(tmp_path: Path) -> None:
    sandbox = LocalSandbox(warm=False, require=(), without=("namespaces", "landlock", "seccomp"))
    run = Arena(sandbox, tmp_path).attack("print(1)")
    assert run.stdout == "1\n"
    assert "writes_confined" not in run.guarantees
    sandbox.close()


@pytest.mark.parametrize("missing", ["namespaces", "landlock", "seccomp"])
def test_any_single_layer_may_be_missing(tmp_path: Path, missing: str) -> None:
    sandbox = LocalSandbox(warm=False, without=(missing,))
    try:
        assert Arena(sandbox, tmp_path).run("print(1)").stdout == "1\n"
    except PrerequisiteError as error:
        pytest.skip(f"the layers that remain are not enough here: {error}")
    finally:
        sandbox.close()


def test_the_network_can_be_allowed(tmp_path: Path) -> None:
    sandbox = LocalSandbox(warm=False, allow_network=True)
    run = Arena(sandbox, tmp_path).run(
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('127.0.0.1', 9))"
    )
    assert run.exit_code == 0, run.stderr
    assert "no_network" not in run.guarantees
    assert sandbox.guarantees()["no_network"] == "no: allowed by the settings"
    sandbox.close()


def test_an_unknown_guarantee_is_told_as_such() -> None:
    found = promises((), network=False, reasons={})
    assert not found["no_network"].holds
    with pytest.raises(PrerequisiteError, match="knows no guarantee 'no_harm'"):
        insist({"no_network": Promise(True, "")}, ["no_harm"])


# How servers live and die


def test_a_lost_server_is_replaced(tmp_path: Path) -> None:
    sandbox = opened()
    (guard,) = servers(sandbox)
    os.kill(guard, signal.SIGKILL)
    assert Arena(sandbox, tmp_path).run("print('again')").stdout == "again\n"
    assert servers(sandbox) != [guard]
    sandbox.close()


def test_a_library_that_cannot_be_imported_ahead_means_a_cold_start(tmp_path: Path) -> None:
    sandbox = LocalSandbox(preload=("encodings.mbcs",))
    try:
        assert Arena(sandbox, tmp_path).run("print(1)").stdout == "1\n"
        assert "encodings.mbcs: ImportError" in sandbox.guarantees()["warm_start"]
    except PrerequisiteError as error:
        pytest.skip(str(error))
    finally:
        sandbox.close()


def test_a_worn_server_is_replaced_when_it_is_idle(tmp_path: Path) -> None:
    sandbox = opened()
    (guard,) = servers(sandbox)
    sandbox._servers[1].served = 10**6
    assert Arena(sandbox, tmp_path).run("print(1)").stdout == "1\n"
    assert servers(sandbox) != [guard]
    sandbox.close()


def test_losing_the_server_while_a_script_runs(tmp_path: Path) -> None:
    sandbox = opened()
    arena = Arena(sandbox, tmp_path)
    guard = servers(sandbox)[0]

    def kill() -> None:
        for _ in range(200):
            if (tmp_path / "work/begun").exists():
                os.kill(descendants(guard)[0], signal.SIGKILL)
                return
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    run = arena.run(
        "import os, time\n"
        "if os.path.exists('begun'): print('second'); raise SystemExit\n"
        "open('begun', 'w').close(); time.sleep(30)"
    )
    thread.join()
    assert run.stdout == "second\n"
    assert survivors(sandbox) == []
    sandbox.close()


def test_closing_ends_what_runs_and_is_idempotent(tmp_path: Path) -> None:
    sandbox = opened()
    guards = servers(sandbox)
    ended: list[ScriptRun | EngineError] = []

    def run() -> None:
        try:
            ended.append(
                Arena(sandbox, tmp_path).run("open('begun', 'w'); import time; time.sleep(30)")
            )
        except EngineError as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while not (tmp_path / "work/begun").exists():
        time.sleep(0.02)
    sandbox.close()
    sandbox.close()
    thread.join(20)
    assert len(ended) == 1
    assert not any(Path(f"/proc/{guard}").exists() for guard in guards)
    with pytest.raises(EngineError, match="closed"):
        Arena(sandbox, tmp_path).run("")


@pytest.mark.parametrize("without", [[], ["namespaces"]], ids=["all layers", "no namespaces"])
def test_nothing_survives_a_killed_supervisor(tmp_path: Path, without: list[str]) -> None:
    source = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork(): os._exit(0)\n"
        "open(f'begun{os.getpid()}', 'w').close()\n"
        "time.sleep(50)"
    )
    command = [sys.executable, "-m", "tests.processes.run_script", str(tmp_path), source, *without]
    supervisor = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert supervisor.stdout is not None
    guards = [int(word) for word in supervisor.stdout.readline().split()]
    if not guards:
        supervisor.wait(20)
        pytest.skip("this machine cannot confine scripts")
    for _ in range(1000):
        if len(list(tmp_path.glob("begun*"))) == 2:
            break
        time.sleep(0.02)
    everyone = [guards[0], *descendants(guards[0])]
    assert len(everyone) >= 4
    supervisor.kill()
    supervisor.wait(10)
    supervisor.stdout.close()
    for _ in range(500):
        left = [number for number in everyone if _runs(number)]
        if not left:
            break
        time.sleep(0.02)
    assert left == []


def _runs(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


# Where it is wired in


def test_a_run_can_open_it(bench: Workbench, tmp_path: Path) -> None:
    context = bench.begin(Speaker(words("a")))
    one = context.ports.open_sandbox()
    try:
        job = ScriptJob(source="print(2)", folder=str(tmp_path / "w"), limits=SMALL)
        assert one.run(job, threading.Event()).stdout == "2\n"
    except PrerequisiteError as error:
        pytest.skip(str(error))
    finally:
        one.close()


def test_the_doctor_tells_what_is_promised() -> None:
    rows = {row.name: row for row in examine()}
    told = [name for name in rows if name.startswith("sandbox")]
    assert told
    if "sandbox" not in told:
        assert {"sandbox no_network", "sandbox writes_confined"} <= set(told)
        assert all(rows[name].state in ("ok", "missing") and rows[name].found for name in told)


def test_settings_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROVEOUT_SANDBOX__REQUIRE", '["no_harm"]')
    monkeypatch.setenv("PROVEOUT_SANDBOX__WARM", "false")
    chosen = load(folder=tmp_path).settings.sandbox
    assert (chosen.require, chosen.warm, chosen.allow_network) == (("no_harm",), False, False)
    with Workspace(load(folder=tmp_path)) as workspace:
        assert workspace.settings.sandbox == chosen
