"""Honest scripts: the usual libraries work inside of the sandbox, started warm or cold."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from proveout.adapters.sandbox.local import LocalSandbox
from proveout.kernel.errors import PrerequisiteError
from tests.integration.sandbox_kit import Arena, survivors

pytest.importorskip("pandas")
pytest.importorskip("sklearn")
pytest.importorskip("lightgbm")

ROOMY: Mapping[str, Any] = {
    "seconds": 100,
    "memory_bytes": 3 * 2**30,
    "disk_bytes": 10**9,
    "processes": 64,
}


@pytest.fixture(scope="module", params=[True, False], ids=["warm", "cold"])
def sandbox(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalSandbox]:
    opened = LocalSandbox(warm=request.param)
    try:
        Arena(opened, tmp_path_factory.mktemp("first")).run("")
    except PrerequisiteError as error:
        pytest.skip(f"this machine cannot confine scripts: {error}")
    yield opened
    opened.close()


@pytest.fixture
def arena(sandbox: LocalSandbox, tmp_path: Path) -> Arena:
    return Arena(sandbox, tmp_path)


def test_the_server_is_as_warm_as_asked(arena: Arena) -> None:
    server = arena.sandbox._servers[1]
    assert ("lightgbm" in server.preloaded) == bool(arena.sandbox._preload)
    assert server.reasons == {}
    told = arena.sandbox.guarantees().get("warm_start", "")
    assert ("lightgbm" in told) == bool(arena.sandbox._preload)


@pytest.mark.parametrize("threads", [1, 2])
def test_fitting_models(arena: Arena, threads: int) -> None:
    run = arena.attack(
        "import numpy as np, pandas as pd, lightgbm as lgb\n"
        "from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "table = pd.DataFrame(np.random.rand(300, 4), columns=list('abcd'))\n"
        "table['y'] = (table.a > 0.5).astype(int)\n"
        "table.to_csv('t.csv', index=False); table = pd.read_csv('t.csv')\n"
        "x, y = table[list('abcd')], table.y\n"
        "big = np.random.rand(400, 400); big @ big\n"
        "for model in (lgb.LGBMClassifier(n_estimators=5, verbose=-1), LogisticRegression(),\n"
        "              HistGradientBoostingClassifier(max_iter=5), RandomForestClassifier(5)):\n"
        "    assert model.fit(x, y).score(x, y) > 0.9\n"
        "print('fitted')",
        threads=threads,
        **ROOMY,
    )
    assert run.stdout == "fitted\n", run.stderr


def test_workers_of_joblib(arena: Arena) -> None:
    run = arena.attack(
        "import numpy as np, os\n"
        "from sklearn.ensemble import RandomForestClassifier\n"
        "from sklearn.model_selection import cross_val_score\n"
        "x = np.random.rand(200, 3); y = (x[:, 0] > 0.5).astype(int)\n"
        "print(cross_val_score(RandomForestClassifier(3), x, y, n_jobs=2).mean() > 0.5)\n"
        "os._exit(0)",
        **ROOMY,
    )
    assert run.stdout == "True\n", run.stderr
    assert survivors(arena.sandbox) == []


def test_pools_of_processes(arena: Arena) -> None:
    if not arena.apart:
        pytest.skip("without namespaces there is no shared memory, so no semaphores")
    run = arena.attack(
        "import multiprocessing as mp\n"
        "from concurrent.futures import ProcessPoolExecutor\n"
        "def square(x): return x * x\n"
        "if __name__ == '__main__':\n"
        "    with mp.Pool(2) as pool: print(pool.map(square, range(3)))\n"
        "    with mp.get_context('spawn').Pool(1) as pool: print(pool.map(square, range(3)))\n"
        "    with ProcessPoolExecutor(2) as pool: print(list(pool.map(square, range(3))))",
        **ROOMY,
    )
    assert run.stdout == "[0, 1, 4]\n" * 3, run.stderr


def test_pictures_and_parquet(arena: Arena) -> None:
    pytest.importorskip("pyarrow")
    run = arena.attack(
        "import matplotlib.pyplot as plt, pandas as pd\n"
        "plt.plot([1, 2]); plt.savefig('plot.png')\n"
        "pd.DataFrame({'a': [1, 2]}).to_parquet('t.parquet')\n"
        "print(pd.read_parquet('t.parquet').a.sum())",
        **ROOMY,
    )
    assert run.stdout == "3\n", run.stderr


def test_numpy_starts_from_the_seed_when_warm(arena: Arena) -> None:
    if not arena.sandbox._preload:
        pytest.skip("cold: numpy is not there yet when the script begins, and seeds itself")
    source = "import numpy; print(numpy.random.rand())"
    assert arena.run(source, **ROOMY).stdout == arena.run(source, **ROOMY).stdout
