"""Is the manual true? Blocks are executed, links followed, lists compared with the program."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

import proveout
from proveout import apps
from proveout.cli import main
from proveout.kernel import errors
from proveout.kernel.events import EVENTS, STEPS
from proveout.kernel.types import MalformedReason
from tests.docs.blocks import MARKED, MODES, Block, Page, blocks, commands

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "proveout"
INSIDE = sorted((SOURCE / "apps").glob("*/README.md"))
"""Pages for readers of an app's code, beside it."""
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *INSIDE])
EXECUTED = sorted(
    (p for p in PAGES if any("run" in block.modes for block in blocks(p.read_text()))),
    key=lambda page: -page.stat().st_size,
)
"""Long pages first, so that none is left alone at the end."""
HOSTS = frozenset({"semver.org"})
"""The only outside addresses that the manual names."""
WORKERS = 2
TRUE_PAGE = "test_every_block_of_a_page_does_what_it_says"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = load_generator()


def reference(name: str) -> str:
    return (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")


def first_cells(text: str) -> set[str]:
    """The code in the first column of every table of a page."""
    return set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))


# Blocks


@pytest.fixture(scope="session")
def matplotlib_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Looking for fonts takes seconds; once is enough."""
    return tmp_path_factory.mktemp("matplotlib")


@pytest.fixture(scope="session")
def read(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    matplotlib_cache: Path,
) -> Iterator[dict[Path, Future[int]]]:
    """The chosen pages, executed side by side: most of their time is the start of programs."""
    chosen = {item.name for item in request.session.items}
    pages = [p for p in EXECUTED if f"{TRUE_PAGE}[{name_of(p)}]" in chosen]
    folders = {page: tmp_path_factory.mktemp(page.stem) for page in pages}

    def execute(page: Path) -> int:
        executed = Page(folders[page], matplotlib_cache)
        executed.execute(page.read_text(encoding="utf-8"))
        return executed.executed

    with ThreadPoolExecutor(WORKERS) as pool:
        yield {page: pool.submit(execute, page) for page in pages}


# A page is a series of commands, each with a limit of its own; on a busy machine they add up.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", EXECUTED, ids=name_of)
def test_every_block_of_a_page_does_what_it_says(page: Path, read: dict[Path, Future[int]]) -> None:
    assert read[page].result() > 0


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_says_whether_it_is_executed(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        where = f"{name_of(page)}:{block.line}"
        assert set(block.modes) <= MODES, f"{where}: {block.modes}"
        if block.language in MARKED and page.parent.name != "adr":
            assert block.modes or block.file or not in_manual(page), where


def in_manual(page: Path) -> bool:
    """Notes for contributors may show commands without promising to execute them."""
    return page.name not in {"CONTRIBUTING.md", "AGENTS.md"}


def test_the_example_runs(tmp_path: Path, matplotlib_cache: Path) -> None:
    places = {"PROVEOUT_HOME": str(tmp_path / "home"), "MPLCONFIGDIR": str(matplotlib_cache)}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "pattern_run.py")],
        cwd=tmp_path,
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "replay gives the same verdicts: True" in done.stdout
    assert (tmp_path / "pattern.html").stat().st_size > 0


# Commands and settings


@pytest.mark.parametrize("name", sorted(GENERATOR.PAGES))
def test_a_generated_page_is_up_to_date(name: str) -> None:
    assert reference(name) == GENERATOR.PAGES[name](), "run: python docs/generate.py"


def test_every_setting_is_explained() -> None:
    assert [name for name, _, text in GENERATOR.settings() if not text] == []


def shown_commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.language == "console":
                where = f"{name_of(page)}:{block.line}"
                # Exit 2 is shown where the usage is wrong on purpose.
                right = (command for command in commands(block.body) if command.code != 2)
                yield from ((where, command.text) for command in right)


def test_every_shown_command_and_flag_exists() -> None:
    known = GENERATOR.command_paths()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    checked = 0
    for where, text in shown_commands():
        for name in re.findall(r"^make ([a-z-]+)", text):
            assert name in targets, f"{where}: make {name}"
        match = re.search(r"(?:^|\s)proveout ([a-z].*)", text.partition("  #")[0])
        if match is None:
            continue
        words = match[1].split()
        paths = [("proveout", *words[:count]) for count in (2, 1)]
        path = next((path for path in paths if path in known), None)
        if path is None:
            # The app that the guide builds; its own page runs it.
            assert words[0] == "change", f"{where}: {text}"
            continue
        checked += 1
        for flag in re.findall(r"(?<=\s)--?[a-z][a-z-]*", match[1]):
            assert flag in known[path], f"{where}: {flag} of {' '.join(path)}"
    assert checked > 20


# Lists


def test_the_events_page_tells_every_kind_and_field() -> None:
    rows = re.findall(
        r"^\| `([a-z.]+)` \| (step)? ?\| ([^|]*) \|", reference("events.md"), re.MULTILINE
    )
    told = {kind: (bool(step), set(re.findall(r"`(\w+)`", fields))) for kind, step, fields in rows}
    kinds = EVENTS.core_schema["schema"]["choices"]
    models = {kind: choice["cls"] for kind, choice in kinds.items()}
    assert told == {
        kind: (kind in STEPS, set(model.model_fields) - {"kind", "key"})
        for kind, model in models.items()
    }
    assert len(told) == 13


def error_classes() -> dict[str, type[errors.ProveoutError]]:
    found = {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.ProveoutError)
    }
    assert "ProveoutError" in found
    return found


def calls() -> Iterator[ast.Call]:
    """Every call in the product's source outside of apps."""
    for path in SOURCE.rglob("*.py"):
        if path.is_relative_to(SOURCE / "apps"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield node


def codes_given_to(names: set[str]) -> set[tuple[str, str]]:
    """Literal `code=` arguments in calls of these names, with the name."""
    return {
        (node.func.id, keyword.value.value)
        for node in calls()
        if isinstance(node.func, ast.Name) and node.func.id in names
        for keyword in node.keywords
        if keyword.arg == "code"
        and isinstance(keyword.value, ast.Constant)
        and isinstance(keyword.value.value, str)
    }


def test_the_errors_page_tells_every_code_with_its_class_and_exit_code() -> None:
    classes = error_classes()
    known = {(kind.code, name, kind.exit_code) for name, kind in classes.items()}
    known |= {(code, name, classes[name].exit_code) for name, code in codes_given_to(set(classes))}
    rows = re.findall(
        r"^\| `([\w.]+)` \| `(\w+)` \| (\d+) \|", reference("errors.md"), re.MULTILINE
    )
    assert {(code, name, int(status)) for code, name, status in rows} == known


def test_the_exit_codes_page_tells_every_code() -> None:
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", reference("exit-codes.md"), re.M)}
    assert told == {0, 130} | {kind.exit_code for kind in error_classes().values()}
    documented = re.findall(r"(\d+) [a-z]", (main.__doc__ or "").splitlines()[2])
    assert told == set(map(int, documented))


def test_the_findings_page_tells_every_code() -> None:
    own = [app for app in apps.installed().values() if app.task.startswith("proveout.")]
    known = {code for app in own for code in app.findings}
    known |= {f"proposal.{reason}" for reason in get_args(MalformedReason)}
    known |= {code for _, code in codes_given_to({"Finding"})}
    # What else an app finds is what it declares; its contract sees to that.
    assert first_cells(reference("findings.md")) == known


def test_the_python_page_tells_every_public_name() -> None:
    assert first_cells(reference("python.md")) == set(proveout.__all__)
    for name in proveout.__all__:
        assert getattr(proveout, name) is not None


# Traceability

TRACED = ROOT / "docs" / "traceability.md"


def names_in(path: Path) -> set[str]:
    """Names that pytest would collect from a file, and those its classes inherit a contract by."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
            inner = (n for n in node.body if isinstance(n, ast.FunctionDef))
            names |= {f"{node.name}::{one.name}" for one in inner if one.name.startswith("test_")}
    return names


def test_every_named_test_exists() -> None:
    named = re.findall(
        r"`((?:tests|src)/[\w/]+\.py)::([\w:]+)`", TRACED.read_text(encoding="utf-8")
    )
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).is_file() or name not in names_in(ROOT / path)
    ]
    assert missing == []
    assert len(named) > 20


def test_every_named_part_exists() -> None:
    text = TRACED.read_text(encoding="utf-8")
    in_apps = {f"apps/{name}" for name in re.findall(r"`((?:mle|iqa|solver)/[\w/]+\.\w+)`", text)}
    below = set(re.findall(r"`((?:kernel|adapters|report|cli|server)/[\w/]+\.\w+)`", text))
    assert in_apps
    assert [name for name in sorted(in_apps | below) if not (SOURCE / name).exists()] == []


def test_every_row_of_traceability_is_complete() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in TRACED.read_text(encoding="utf-8").splitlines()
        if re.match(r"^\| 00[0-4] (?!\|)", line)
    ]
    identifiers = [row[0].strip() for row in rows]
    assert len(identifiers) == len(set(identifiers))
    for row in rows:
        assert len(row) == 4, row
        assert all(row), row
        assert row[3] in {"planned", "informational"} or "::" in row[3], row
    for number in [*range(8, 19)]:
        assert any(f"REQ-P2O-{number:03}" in name for name in identifiers)
    for number in [*range(11, 24)]:
        assert any(f"REQ-SF-{number:03}" in name for name in identifiers)


# Text


def slug(heading: str) -> str:
    words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return words.replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith("https://"):
            assert target.split("/")[2] in HOSTS, target
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path) if path else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), target


def test_the_first_command_of_the_readme_stands_before_line_20() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = next(block for block in blocks(text) if block.language == "console")
    assert first.line < 20
    assert [command.text.split("#")[0].strip() for command in commands(first.body)] == [
        "make demo",
        "make test",
    ]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_names_no_place_of_any_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for place in (str(ROOT), f"{Path.home()}/", "/home/", "/root/", "/Users/"):
        assert place not in text
    addresses = re.findall(r"https?://([\w.-]+)", text)
    assert [host for host in addresses if host not in HOSTS and "." in host] == []


@pytest.mark.parametrize("page", INSIDE, ids=name_of)
def test_the_page_of_an_app_names_all_that_lies_beside_it(page: Path) -> None:
    home = page.parent
    named = set(re.findall(r"`([\w*/]+(?:\.py|/))`", page.read_text(encoding="utf-8")))
    assert [name for name in sorted(named) if not any(home.glob(name.rstrip("/")))] == []
    there = {path.name for path in home.glob("*.py")} - {"__init__.py"}
    there |= {f"{path.parent.name}/" for path in home.glob("*/__init__.py")}
    told = {name for name in there if any(fnmatch(name, pattern) for pattern in named)}
    assert there - told == set()


def test_each_app_has_a_page_of_its_own() -> None:
    folders = {path.parent for path in (SOURCE / "apps").glob("*/__init__.py")}
    assert {page.parent for page in INSIDE} == folders


def test_every_public_module_has_a_docstring() -> None:
    silent = [
        name_of(path)
        for path in SOURCE.rglob("*.py")
        if (text := path.read_text(encoding="utf-8")).strip()
        and ast.get_docstring(ast.parse(text)) is None
    ]
    assert silent == []


# The reader of blocks itself


def test_blocks_know_language_modes_file_and_line() -> None:
    text = (
        "one\n```python file=a/b.py\nx = 1\n```\n\n"
        "````console run\n$ a \\\n> b  # exit 3\nc\n````\n"
    )
    assert list(blocks(text)) == [
        Block("python", (), "a/b.py", "x = 1\n", 2),
        Block("console", ("run",), "", "$ a \\\n> b  # exit 3\nc\n", 6),
    ]
    (command,) = commands("$ a \\\n> b  # exit 3\nc\n")
    assert (command.text, command.code, command.shown) == ("a \\\nb  # exit 3", 3, ("c",))


@pytest.mark.parametrize(
    "text",
    [
        "```console run\n$ echo one\ntwo\n```\n",
        "```console run\n$ echo one; echo two\ntwo\none\n```\n",
        "```console run\n$ false\n```\n",
        "```console run\n$ true  # exit 1\n```\n",
        "```python run\nraise SystemExit(4)\n```\n",
        "```python run\nprint(1)\n```\n\n```text output\n2\n```\n",
    ],
)
def test_a_page_that_is_not_true_is_found_out(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="line"):
        Page(tmp_path, tmp_path).execute(text)
