"""Codes are written down in one table, and every one of them is used."""

import ast
import re
from pathlib import Path

import proveout.apps.mle
from proveout.apps.mle.codes import FINDINGS
from proveout.apps.mle.leakage.codes import FINDINGS as LEAKS

ROOT = Path(proveout.apps.mle.__file__).parent
CODE = re.compile(r"mle(\.[a-z_]+)+")
TABLE = ROOT / "codes.py"


def words() -> set[str]:
    """Every string in the app's code, those with values in them cut where a value stands."""
    found: set[str] = set()
    for path in ROOT.rglob("*.py"):
        if path == TABLE:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def test_every_code_that_is_written_is_in_the_table() -> None:
    # Mistakes of the task folder are errors, not findings: they end the command.
    written = {
        word for word in words() if CODE.fullmatch(word) and not word.startswith("mle.intake")
    }
    assert len(written) > 20
    assert written <= set(FINDINGS)


def test_every_code_of_the_table_is_used() -> None:
    """As it stands, or by its last part where its beginning is put before."""
    known = words()
    unused = {
        code
        for code in FINDINGS
        if code not in LEAKS and code not in known and code.rpartition(".")[2] not in known
    }
    assert unused == set()
