"""Many threads may ask for syntax trees at once, and share those of the same program."""

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest

from proveout.apps.mle import leakage
from proveout.apps.mle.experts import debugging, variants
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


def test_a_program_is_read_once_and_nothing_that_reads_it_changes_it() -> None:
    source = (
        "import pandas as pd\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.model_selection import train_test_split\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "df = pd.read_csv('train.csv')\n"
        "x, target = df.drop(columns=['target']), df['target']\n"
        "scaled = StandardScaler(with_mean=True, with_std=True).fit_transform(x)\n"
        "train, test, y, z = train_test_split(scaled, target)\n"
        "model = LogisticRegression(C=3, bogus=1).fit(train, y)\n"
        "print(model.score(test, z))\n"
    )
    tree = parsed(source)
    before = ast.dump(tree, include_attributes=True)
    report = leakage.examine(source)
    assert report.leaks
    assert leakage.repair(source, report) not in (None, source)
    mending = "TypeError: LogisticRegression() got an unexpected keyword argument 'bogus'"
    assert "bogus" not in (debugging.mended(source, mending) or "bogus")
    assert variants.variants(source)
    assert parsed(source) is tree
    assert ast.dump(tree, include_attributes=True) == before
