"""Many threads may ask for syntax trees at once."""

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest

from proveout.apps.mle.syntax import expression, parsed

SOURCE = "\n".join(
    f"value_{n} = [(x, {{'a': (x + {n}) * 2}}) for x in range({n})]" for n in range(400)
)


def test_threads_do_not_disturb_each_other() -> None:
    wanted = ast.dump(ast.parse(SOURCE))
    with ThreadPoolExecutor(max_workers=8) as pool:
        found = list(pool.map(lambda _: ast.dump(parsed(SOURCE)), range(40)))
    assert set(found) == {wanted}


def test_expressions_and_errors() -> None:
    assert isinstance(expression("a < 3"), ast.Compare)
    with pytest.raises(SyntaxError):
        parsed("def (")
