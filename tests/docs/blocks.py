"""Reads the fenced blocks of a Markdown page and does what they say.

The convention, which `CONTRIBUTING.md` states for authors:

    ```console run            each `$ ` line is executed; what is shown after it must occur
    ```bash run               the whole block is one script
    ```python run             the whole block is one script
    ```text output            must occur in the output of the block before
    ```LANGUAGE file=NAME     the block is written to NAME
    ```console norun          not executed (needs a key, a network, another machine)

A shown line may hold `…` for anything, and `# exit N` after a command states its exit code. The
blocks of a page share one folder, one journal and one place for installed packages.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<mark>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=mark)[ ]*$", re.M | re.S)
MARKED = frozenset({"console", "bash", "python", "sh", "shell"})
"""Languages whose blocks must say whether they are executed."""
MODES = frozenset({"run", "norun", "output"})
ANYTHING = re.compile(r"\s*…\s*")
EXIT = re.compile(r"\s+# exit (\d+)$")
SECONDS = 60
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")


@dataclass(frozen=True)
class Block:
    """One fence; `line` is where it stands."""

    language: str
    modes: tuple[str, ...]
    file: str
    body: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    for match in FENCE.finditer(text):
        language, *rest = match["info"].split() or [""]
        files = [word.removeprefix("file=") for word in rest if word.startswith("file=")]
        yield Block(
            language=language,
            modes=tuple(word for word in rest if not word.startswith("file=")),
            file=files[0] if files else "",
            body=match["body"],
            line=text.count("\n", 0, match.start()) + 1,
        )


@dataclass(frozen=True)
class Command:
    """A `$ ` line, the exit code it states and the output shown for it."""

    text: str
    code: int
    shown: tuple[str, ...]


def commands(body: str) -> list[Command]:
    """The commands of a console block; a line that ends in a backslash goes on with `> `."""
    found: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and line.startswith("> ") and found[-1][0].endswith("\\"):
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        elif found and line.strip():
            found[-1][1].append(line)
    made = []
    for text, shown in found:
        stated = EXIT.search(text)
        made.append(Command(text, int(stated[1]) if stated else 0, tuple(shown)))
    return made


class Page:
    """Executes the blocks of one page in a folder of its own."""

    def __init__(self, folder: Path, matplotlib_cache: Path) -> None:
        self.folder = folder / "page"
        self.folder.mkdir()
        home = folder / "home"
        self._environment = {
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "HOME": str(home),
            "PROVEOUT_HOME": str(home / "proveout"),
            "PYTHONPATH": str(folder / "site"),
            "PYTHONWARNINGS": "ignore",
            "MPLCONFIGDIR": str(matplotlib_cache),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "TERM": "dumb",
            # `pip install .` goes to this page's own place and fetches nothing.
            "PIP_TARGET": str(folder / "site"),
            "PIP_NO_DEPS": "1",
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        self.executed = 0

    def execute(self, text: str) -> None:
        """Every block of a page's text, in order; fails where the page is not true."""
        output = ""
        for block in blocks(text):
            where = f"line {block.line}"
            if block.file:
                path = self.folder / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.body, encoding="utf-8")
            elif "output" in block.modes:
                require(block.body.splitlines(), output, where)
            elif "run" in block.modes and block.language == "console":
                for command in commands(block.body):
                    output = self._run(["sh", "-c", command.text], "", command.code, where)
                    require(command.shown, output, where)
            elif "run" in block.modes:
                program = {"python": ["python", "-"], "bash": ["sh", "-e", "-s"]}[block.language]
                output = self._run(program, block.body, 0, where)

    def _run(self, program: list[str], given: str, code: int, where: str) -> str:
        done = subprocess.run(
            program,
            input=given,
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        self.executed += 1
        assert done.returncode == code, (
            f"{where}: {program[-1]} left with {done.returncode}, not {code}:\n{done.stdout}"
        )
        return done.stdout


def require(shown: tuple[str, ...] | list[str], output: str, where: str) -> None:
    """Every shown line must occur, in this order."""
    lines = iter([line.strip() for line in output.splitlines()])
    for line in shown:
        wanted = line.strip()
        if wanted in ("", "…"):
            continue
        pattern = re.compile(".*".join(map(re.escape, ANYTHING.split(wanted))))
        assert any(pattern.fullmatch(line) for line in lines), (
            f"{where}: {wanted!r} is not in the output, or not in this order:\n{output[:4000]}"
        )
