"""The package's surface and size. What is listed here may shrink; growth is a decision."""

import ast
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from importlib import resources
from pathlib import Path

import pytest

import proveout

ROOT = Path(str(resources.files("proveout")))
MODULES = {
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}

MOST_NAMES = 29
MOST_MODULE_LINES = 400
MOST_FUNCTION_LINES = 50
MOST_POSITIONAL = 5
BROAD_EXCEPTS = {
    # A worker's failure is reported as a value; a run's is journalled and raised again.
    "proveout.server.worker": 1,
    "proveout.adapters.engine.local": 1,
    "proveout.adapters.engine.workers": 1,
    "proveout.runtime": 1,
    "proveout.watching": 1,
    # Cleans up and raises again.
    "proveout.adapters.models.catalogue": 1,
    # A foreign script may raise anything, and so may a library that is imported for it.
    "proveout.adapters.sandbox.running": 3,
    "proveout.adapters.sandbox.zygote": 1,
    # The last door, and a shell completion that must stay silent.
    "proveout.cli.main": 1,
    "proveout.cli.runs": 1,
}
MOST_ANY = {"kernel": 21, "report": 6, "cli": 40, "settings": 14, "runtime": 1, "backends": 0}
"""How often `Any` is written, by part."""
FORBIDDEN_WORDS = frozenset(
    [
        "Manager",
        "Handler",
        "Helper",
        "Util",
        "Utils",
        "Factory",
        "Base",
        "Abstract",
        "Impl",
        "Core",
        "Service",
        "Wrapper",
    ]
)


def test_the_public_names_are_few_and_all_there() -> None:
    assert len(proveout.__all__) <= MOST_NAMES
    assert proveout.__all__ == sorted(set(proveout.__all__))
    for name in proveout.__all__:
        value = getattr(proveout, name)
        assert getattr(value, "__name__", name) == name
        assert value.__doc__, name
    assert set(proveout.__all__) <= set(dir(proveout))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = proveout.nothing


def test_importing_prints_nothing_and_makes_nothing(tmp_path: Path) -> None:
    code = "import proveout, proveout.runtime, proveout.cli.main, proveout.report.terminal"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_the_package_is_typed() -> None:
    assert (ROOT / "py.typed").is_file()


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_short_and_says_why_it_exists(name: str) -> None:
    text = MODULES[name].read_text(encoding="utf-8")
    assert text.count("\n") <= MOST_MODULE_LINES
    assert not text.strip() or ast.get_docstring(TREES[name])


def test_the_median_module_is_short() -> None:
    sizes = sorted(path.read_text(encoding="utf-8").count("\n") for path in MODULES.values())
    assert sizes[len(sizes) // 2] <= 150


def functions() -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    found: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found[f"{module}.{node.name}"] = node
    return found


def lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def test_functions_are_short() -> None:
    long = {name: lines(node) for name, node in functions().items()}
    assert {name: size for name, size in long.items() if size > MOST_FUNCTION_LINES} == {}


def test_the_median_function_is_short() -> None:
    sizes = sorted(lines(node) for node in functions().values())
    assert sizes[len(sizes) // 2] <= 10


def test_every_function_of_the_kernel_is_annotated() -> None:
    bare = [
        name
        for name, node in functions().items()
        if node.returns is None and name.startswith("proveout.kernel.")
    ]
    assert bare == []


def test_broad_excepts_are_counted() -> None:
    found = Counter(
        module
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
    )
    assert all(found[module] <= BROAD_EXCEPTS.get(module, 0) for module in found), found


@pytest.mark.parametrize("part", MOST_ANY)
def test_any_is_counted(part: str) -> None:
    count = sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for module, tree in TREES.items()
        if f"{module}.".startswith(f"proveout.{part}.")
        for node in ast.walk(tree)
    )
    assert count <= MOST_ANY[part]


def test_no_module_imports_itself_through_others() -> None:
    """Imports at the top of a module; those inside of functions wait until they are called."""
    graph = {name: set(_imports(name)) for name in MODULES}
    order = list(TopologicalSorter(graph).static_order())
    assert set(MODULES) <= set(order)


def _imports(name: str) -> list[str]:
    found: list[str] = []
    for node in TREES[name].body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [one if one in MODULES else node.module for one in inner]
    # A package is imported before its parts; that is no dependency of one on the other.
    return [one for one in found if one in MODULES and not name.startswith(f"{one}.")]


def test_classes_have_plain_names() -> None:
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                ending = [word for word in FORBIDDEN_WORDS if node.name.endswith(word)]
                assert ending == [], f"{module}.{node.name}"
