"""Scripts that mean harm: each is stopped, nothing of it survives, and the next script runs."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from proveout.adapters.sandbox.local import LocalSandbox
from proveout.kernel.errors import PrerequisiteError
from proveout.kernel.ports import ScriptJob, ScriptLimits
from tests.integration.sandbox_kit import SMALL, Arena, survivors

LAYERS = {"all layers": (), "without namespaces": ("namespaces",)}
SECRET = "a-value-that-nobody-may-see"


@pytest.fixture(scope="module", params=list(LAYERS.values()), ids=list(LAYERS))
def sandbox(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalSandbox]:
    os.environ["SOME_SECRET"] = SECRET
    opened = LocalSandbox(warm=False, without=request.param)
    try:
        Arena(opened, tmp_path_factory.mktemp("first")).run("")
    except PrerequisiteError as error:
        pytest.skip(f"this machine cannot confine scripts: {error}")
    finally:
        del os.environ["SOME_SECRET"]
    yield opened
    opened.close()


@pytest.fixture
def arena(sandbox: LocalSandbox, tmp_path: Path) -> Arena:
    return Arena(sandbox, tmp_path)


# Using up what there is


def test_a_fork_bomb(arena: Arena) -> None:
    # Without pids of its own nothing but counting stops it: a bomb that does not multiply will do.
    bomb = "while True:\n    try: os.fork()\n    except OSError: pass"
    row = "for _ in range(200):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(60)"
    run = arena.attack(f"import os, time\n{bomb if arena.apart else row}", processes=20)
    assert run.ended_by in ("processes", "memory", "seconds"), run
    assert run.exit_code == -1


def test_a_thread_bomb(arena: Arena) -> None:
    run = arena.attack(
        "import threading, time\n"
        "for _ in range(1000):\n"
        "    threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\n"
        "time.sleep(30)",
        seconds=4,
    )
    assert run.exit_code != 0


def test_a_memory_bomb(arena: Arena) -> None:
    run = arena.attack("kept = []\nwhile True: kept.append(bytearray(20_000_000))")
    assert run.ended_by == "memory"
    assert run.peak_bytes < 3 * SMALL.memory_bytes
    assert "memory" in run.stderr


def test_one_huge_allocation_is_an_error_of_the_script(arena: Arena) -> None:
    run = arena.attack("bytearray(10**12)")
    assert (run.exit_code, run.ended_by) == (1, "")
    assert "MemoryError" in run.stderr


def test_a_memory_bomb_in_many_processes(arena: Arena) -> None:
    run = arena.attack(
        "import os, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0: break\n"
        "kept = [bytearray(b'x' * 10_000_000) for _ in range(10)]\n"
        "time.sleep(60)"
    )
    assert run.ended_by == "memory"


def test_memory_hidden_in_shared_files(arena: Arena) -> None:
    run = arena.attack(
        "import time\n"
        "for place in ('/dev/shm', '/tmp'):\n"
        "    with open(f'{place}/big-{time.time()}', 'wb') as file:\n"
        "        for _ in range(400): file.write(bytes(1_000_000))\n"
        "time.sleep(60)"
    )
    assert run.ended_by == "memory" or run.exit_code == 1


def test_filling_the_disk_with_one_file(arena: Arena) -> None:
    run = arena.attack(
        "with open('big', 'wb') as file:\n    while True: file.write(bytes(1_000_000))"
    )
    assert run.ended_by == "disk" or "File too large" in run.stderr
    assert (arena.place / "work/big").stat().st_size <= SMALL.disk_bytes


def test_filling_the_disk_with_many_files(arena: Arena) -> None:
    run = arena.attack(
        "import itertools\n"
        "for n in itertools.count():\n"
        "    with open(f'{n}.bin', 'wb') as file: file.write(bytes(1_000_000))"
    )
    assert run.ended_by == "disk"


def test_filling_the_disk_with_files_that_have_no_name(arena: Arena) -> None:
    run = arena.attack(
        "import os, time\n"
        "kept = []\n"
        "for n in range(20):\n"
        "    kept.append(open(f'{n}', 'wb', 0)); os.unlink(f'{n}')\n"
        "    kept[-1].write(os.urandom(5_000_000))\n"
        "time.sleep(60)",
        seconds=15,
    )
    assert run.ended_by == "disk"


def test_endless_output(arena: Arena) -> None:
    run = arena.attack("while True: print('x' * 1000)")
    assert run.ended_by == "output"
    assert len(run.stdout) < SMALL.output_bytes + 200
    assert "bytes cut" in run.stdout


def test_one_huge_line(arena: Arena) -> None:
    run = arena.attack("import sys; sys.stdout.write('a' * 500_000 + 'the end')")
    assert run.exit_code == 0
    assert len(run.stdout) < SMALL.output_bytes + 200
    assert run.stdout.endswith("the end")


def test_sleeping_past_the_limit(arena: Arena) -> None:
    run = arena.attack("print('so far')\nimport time; time.sleep(60)", seconds=0.5)
    assert run.timed_out
    assert run.exit_code == -1
    assert run.stdout == "so far\n"


def test_ignoring_every_signal(arena: Arena) -> None:
    run = arena.attack(
        "import signal\n"
        "for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "    signal.signal(number, signal.SIG_IGN)\n"
        "while True: pass",
        seconds=0.5,
    )
    assert run.timed_out


def test_stopping_itself(arena: Arena) -> None:
    run = arena.attack(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(60)",
        seconds=0.5,
    )
    assert run.timed_out


# Reaching the outside


def test_speaking_tcp(arena: Arena) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        run = arena.attack(f"import socket; socket.create_connection(('127.0.0.1', {port}))")
        assert run.exit_code == 1
        with pytest.raises(TimeoutError):
            listener.accept()


def test_speaking_udp(arena: Arena) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        run = arena.attack(
            "import socket\n"
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
            f".sendto(b'x', ('127.0.0.1', {port}))"
        )
        assert run.exit_code == 1
        with pytest.raises(TimeoutError):
            listener.recv(10)


@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM"])
@pytest.mark.parametrize("abstract", [False, True], ids=["path", "abstract"])
def test_a_unix_socket_of_somebody_else(arena: Arena, kind: str, abstract: bool) -> None:
    folder = Path("/tmp") / f"pv-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    address = f"\0pv-{os.getpid()}" if abstract else str(folder / "s")
    try:
        with socket.socket(socket.AF_UNIX, getattr(socket, kind)) as listener:
            listener.bind(address)
            if kind == "SOCK_STREAM":
                listener.listen()
            run = arena.attack(
                "import socket\n"
                f"line = socket.socket(socket.AF_UNIX, socket.{kind})\n"
                f"line.connect({address!r}); line.send(b'x'); print('sent')"
            )
        assert (run.exit_code, run.stdout) == (1, "")
    finally:
        (folder / "s").unlink(missing_ok=True)
        folder.rmdir()


def test_reading_what_lies_beside_and_at_home(arena: Arena) -> None:
    arena.need("reads_confined")
    (arena.place / "secret.txt").write_text(SECRET)
    places = [str(arena.place / "secret.txt"), str(Path.home()), "/root", "/home", __file__]
    run = arena.attack(
        "import os, sys\n"
        f"for place in {places!r}:\n"
        "    for path in [place, *(os.path.join(place, n) for n in ('.ssh', '.bashrc'))]:\n"
        "        try: print(open(path).read())\n"
        "        except OSError: pass\n"
        "        try: names = [os.path.join(path, n) for n in os.listdir(path)]\n"
        "        except OSError: continue\n"
        # The way to the interpreter and to its own folder is there, and nothing beside it.
        "        own = (os.getcwd(), sys.prefix, sys.base_prefix)\n"
        "        print([n for n in names if not any(o.startswith(n) for o in own)])\n"
    )
    assert run.exit_code == 0
    assert set(run.stdout.split()) <= {"[]"}


def test_reading_passwords_of_the_system(arena: Arena) -> None:
    arena.need("reads_confined")
    run = arena.attack("print(open('/etc/shadow').read())")
    assert run.exit_code == 1


def test_secrets_of_the_environment(arena: Arena) -> None:
    run = arena.attack(
        "import glob, os\n"
        "print(os.environ)\n"
        "for path in glob.glob('/proc/*/environ') + ['/proc/self/environ']:\n"
        "    try: print(open(path).read())\n"
        "    except OSError: pass\n"
    )
    assert run.exit_code == 0
    assert SECRET not in run.stdout


def test_an_inherited_descriptor(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "open.txt").write_text(SECRET)
    descriptor = os.open(tmp_path / "open.txt", os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    other = LocalSandbox(warm=False, without=arena.sandbox._without)
    try:
        run = Arena(other, tmp_path).attack(
            "import os\n"
            "for number in range(3, 1000):\n"
            "    try: print(number, os.read(number, 100))\n"
            "    except OSError: pass\n"
            "    try: os.write(number, b'{\"status\": 0}')\n"
            "    except OSError: pass\n"
        )
    finally:
        other.close()
        os.close(descriptor)
    assert (run.exit_code, run.stdout) == (0, "")


def test_signalling_others(arena: Arena) -> None:
    arena.need("no_outside_signals")
    run = arena.attack(
        "import os, signal\n"
        f"for number in (os.getppid(), {os.getpid()}, {os.getppid()}, -1):\n"
        "    if number in (0, 1): continue\n"
        "    try: os.kill(number, signal.SIGKILL)\n"
        "    except OSError: pass\n"
        "print('alive')"
    )
    # Alone in its namespace, or alone in its domain, it can only have hit itself.
    assert run.stdout in ("alive\n", "")


def test_looking_into_another_process(arena: Arena) -> None:
    run = arena.attack(
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"for number in (os.getppid() or 1, {os.getpid()}):\n"
        "    print(libc.ptrace(16, number, 0, 0))\n"
        "    try: print(open(f'/proc/{number}/mem', 'r+b'))\n"
        "    except OSError: print(-1)\n"
    )
    assert run.stdout.split() == ["-1"] * 4


def test_a_new_user_namespace(arena: Arena) -> None:
    run = arena.attack(
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.unshare(0x10000000), libc.unshare(0x20000), libc.setns(0, 0))\n"
        "print(libc.syscall(425, 8, 0), libc.syscall(321, 0, 0, 0))"
    )
    assert run.stdout.split() == ["-1"] * 5


def test_writing_outside(arena: Arena) -> None:
    before = set(arena.place.iterdir())
    run = arena.attack(
        "import os\n"
        f"for place in ({str(arena.place)!r}, '..', '/etc', '/usr/lib', '/', '/var/tmp',\n"
        "              os.path.dirname(os.__file__), '/proc/sys/kernel'):\n"
        "    for way in ('w', 'a'):\n"
        "        try: open(os.path.join(place, 'proveout-was-here'), way).write('x')\n"
        "        except OSError: pass\n"
        "    try: os.mkdir(os.path.join(place, 'proveout-was-here-too'))\n"
        "    except OSError: pass\n"
    )
    assert run.exit_code == 0
    assert set(arena.place.iterdir()) - before <= {arena.place / "work"}
    for place in ("/etc", "/usr/lib", "/", "/var/tmp", Path(os.__file__).parent):
        assert not list(Path(place).glob("proveout-was*"))


def test_changing_its_data(arena: Arena) -> None:
    data = arena.place / "data"
    data.mkdir()
    (data / "folds.csv").write_text("fold\n0\n")
    run = arena.attack(
        "import os, shutil\n"
        "print(open('input/folds.csv').read())\n"
        "attacks = (\n"
        "    lambda: open('input/folds.csv', 'w').write('x'),\n"
        "    lambda: os.truncate('input/folds.csv', 0),\n"
        "    lambda: os.unlink('input/folds.csv'),\n"
        "    lambda: os.chmod('input/folds.csv', 0o777),\n"
        "    lambda: os.rename('input/folds.csv', 'input/gone'),\n"
        "    lambda: os.link('input/folds.csv', 'mine.csv'),\n"
        "    lambda: open('input/new', 'w'),\n"
        "    lambda: os.utime('input/folds.csv', (0, 0)),\n"
        "    lambda: shutil.rmtree(os.path.realpath('input')),\n"
        ")\n"
        "for attack in attacks:\n"
        "    try: attack()\n"
        "    except OSError: pass\n",
        data=data,
    )
    assert run.exit_code == 0
    assert run.stdout.startswith("fold")
    assert sorted(path.name for path in data.iterdir()) == ["folds.csv"]
    assert (data / "folds.csv").read_text() == "fold\n0\n"
    # Landlock does not govern modes; mounts do.
    if arena.apart:
        assert (data / "folds.csv").stat().st_mode & 0o777 != 0o777
        assert (data / "folds.csv").stat().st_mtime > 0


def test_changing_the_files_of_another_script(arena: Arena) -> None:
    other = arena.place / "other"
    other.mkdir()
    (other / "result.csv").write_text("mine")
    started, done = threading.Event(), threading.Event()

    def occupy() -> None:
        job = ScriptJob(
            source="import time\nopen('here', 'w').close()\n"
            "for _ in range(200):\n    time.sleep(0.05)",
            folder=str(other),
            limits=SMALL,
        )
        arena.sandbox.run(job, done)

    thread = threading.Thread(target=occupy)
    thread.start()
    while not (other / "here").exists():
        started.wait(0.02)
    run = arena.run(
        "import os, shutil\n"
        f"for path in ({str(other / 'result.csv')!r}, '../other/result.csv'):\n"
        "    try: open(path, 'w').write('theirs'); os.unlink(path)\n"
        "    except OSError: pass\n"
        f"shutil.rmtree({str(other)!r}, ignore_errors=True)\n"
        "print(sorted(os.listdir('.')))"
    )
    done.set()
    thread.join(20)
    assert (other / "result.csv").read_text() == "mine"
    assert run.exit_code == 0
    assert survivors(arena.sandbox) == []


# Leaving something behind


def test_orphans_in_sessions_of_their_own(arena: Arena) -> None:
    run = arena.attack(
        "import os, time\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            while True: time.sleep(0.05); open('beat', 'a').write('x')\n"
        "        os._exit(0)\n"
        "time.sleep(0.3)\n"
        "print('done'); os._exit(0)"
    )
    assert run.stdout == "done\n"
    size = (arena.place / "work/beat").stat().st_size
    time.sleep(0.2)
    assert (arena.place / "work/beat").stat().st_size == size


def test_a_link_out_of_the_folder(arena: Arena) -> None:
    (arena.place / "labels.csv").write_text(SECRET)
    run = arena.attack(
        "import os\n"
        "os.mkdir('final')\n"
        f"os.symlink({str(arena.place / 'labels.csv')!r}, 'final/predictions.npz')\n"
        "os.symlink('../../labels.csv', 'final/submission.csv')\n"
        "os.symlink('/', 'all')\n"
        "open('final/plain.csv', 'w').write('1')\n"
        "os.symlink('plain.csv', 'final/inner.csv')"
    )
    final = arena.place / "work/final"
    assert sorted(path.name for path in final.iterdir()) == ["inner.csv", "plain.csv"]
    assert not (arena.place / "work/all").is_symlink()
    assert "removed final/predictions.npz" in run.stderr


def test_pipes_and_sockets_in_the_results(arena: Arena) -> None:
    arena.attack(
        "import os, socket\n"
        "os.mkdir('final'); os.mkfifo('final/predictions.npz')\n"
        "socket.socket(socket.AF_UNIX).bind('final/s')"
    )
    assert list((arena.place / "work/final").iterdir()) == []


def test_results_that_are_shut(arena: Arena) -> None:
    arena.attack(
        "import os\n"
        "os.makedirs('final/deep'); open('final/deep/a', 'w').write('1')\n"
        "os.chmod('final/deep/a', 0o4000); os.chmod('final/deep', 0); os.chmod('final', 0)"
    )
    found = arena.place / "work/final/deep/a"
    assert found.read_text() == "1"
    assert found.stat().st_mode & 0o7000 == 0


def test_a_home_that_cannot_be_removed(arena: Arena) -> None:
    arena.attack(
        "import os\nos.makedirs(os.environ['HOME'] + '/a/b')\n"
        "os.chmod(os.environ['HOME'] + '/a', 0); os.chmod(os.environ['HOME'], 0)"
    )
    assert not (arena.place / "work/.home").exists()


@pytest.mark.parametrize("place", ["HOME", "PWD"])
def test_folders_deeper_than_any_path(arena: Arena, place: str) -> None:
    run = arena.attack(
        "import os\n"
        f"os.chdir(os.environ[{place!r}])\n"
        "for _ in range(100):\n"
        "    os.mkdir('deep' * 20); os.chdir('deep' * 20)\n"
        "open('bottom', 'w').write('x'); os.chmod('.', 0)"
    )
    assert run.ended_by in ("", "disk")
    deepest = max(len(path.parts) for path in (arena.place / "work").rglob("*"))
    assert deepest < len(arena.place.parts) + 70


def test_hiding_bytes_deeper_than_any_path(arena: Arena) -> None:
    run = arena.attack(
        "import os, time\n"
        "for _ in range(100):\n"
        "    os.mkdir('deep' * 20); os.chdir('deep' * 20)\n"
        "for n in range(100): open(f'{n}', 'wb').write(bytes(1_000_000))\n"
        "time.sleep(60)"
    )
    assert run.ended_by == "disk"


def test_poisoning_the_next_script(arena: Arena) -> None:
    arena.attack(
        "import builtins, json, os, random, sys\n"
        "builtins.print = lambda *_: None\n"
        "json.dumps = lambda *_: 'poisoned'\n"
        "os.environ['POISON'] = '1'; sys.path.insert(0, '/poison'); random.seed(1)\n"
        "sys.modules['csv'] = None"
    )
    run = arena.run(
        "import csv, json, os, sys; print(json.dumps(1), 'POISON' in os.environ, sys.path[0])"
    )
    assert run.stdout == f"1 False {arena.place / 'work'}\n"


# Ending strangely


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("", 0),
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('words')", 1),
        ("import sys; sys.exit(2.5)", 1),
        ("raise ValueError('no')", 1),
        ("raise KeyboardInterrupt", 130),
        ("class Odd(BaseException): pass\nraise Odd", 1),
        ("import os; os._exit(7)", 7),
        ("not python at all", 1),
        ("x = '\\ud800'; print(x)", 0),
        ("import ctypes; ctypes.string_at(0)", 139),
        ("def f(): f()\nf()", 1),
        ("import sys; sys.excepthook = None; raise ValueError", 1),
        ("import threading; threading.Thread(target=lambda: print('late')).start()", 0),
    ],
)
def test_exit_codes(arena: Arena, source: str, code: int) -> None:
    assert arena.run(source).exit_code == code
    assert survivors(arena.sandbox) == []


def test_deep_recursion_in_c(arena: Arena) -> None:
    run = arena.attack(
        "import sys; sys.setrecursionlimit(10**9)\ndef f(): return f.__call__()\nf()"
    )
    assert run.exit_code != 0


@pytest.mark.parametrize(
    "source",
    ["import os; os.close(1); os.close(2)", "import sys; sys.stdout.close()", "del print"],
)
def test_losing_its_voice(arena: Arena, source: str) -> None:
    arena.attack(source)


def test_bytes_that_are_no_text(arena: Arena) -> None:
    run = arena.attack("import os; os.write(1, b'a\\xff\\x00b\\n')")
    assert run.stdout == "a\\xff\\x00b\n"


def test_being_cancelled_from_outside(arena: Arena) -> None:
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    job = ScriptJob(source="import time; time.sleep(60)", folder=str(arena.place / "work"))
    run = arena.sandbox.run(job, cancel)
    assert (run.ended_by, run.exit_code) == ("cancelled", -1)
    assert survivors(arena.sandbox) == []


def test_two_at_once(arena: Arena) -> None:
    runs = []

    def one(number: int) -> None:
        job = ScriptJob(
            source=f"import time; time.sleep(0.3); print({number})",
            folder=str(arena.place / str(number)),
            limits=ScriptLimits(seconds=20),
        )
        runs.append(arena.sandbox.run(job, threading.Event()))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(run.stdout for run in runs) == ["0\n", "1\n", "2\n"]
